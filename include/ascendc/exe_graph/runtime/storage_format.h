/* The same as tensor.h, where op projects look for it. */
#ifndef ASCENDC_EXE_GRAPH_STORAGE_FORMAT_H
#define ASCENDC_EXE_GRAPH_STORAGE_FORMAT_H
#include "exe_graph/runtime/tensor.h"
#endif
