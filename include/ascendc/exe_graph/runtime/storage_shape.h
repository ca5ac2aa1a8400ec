/* The same as shape.h, where op projects look for it. */
#ifndef ASCENDC_EXE_GRAPH_STORAGE_SHAPE_H
#define ASCENDC_EXE_GRAPH_STORAGE_SHAPE_H
#include "exe_graph/runtime/shape.h"
#endif
