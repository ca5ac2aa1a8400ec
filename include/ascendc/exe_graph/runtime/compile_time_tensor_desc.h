/* The same as tensor.h, where op projects look for it. */
#ifndef ASCENDC_EXE_GRAPH_COMPILE_TIME_TENSOR_DESC_H
#define ASCENDC_EXE_GRAPH_COMPILE_TIME_TENSOR_DESC_H
#include "exe_graph/runtime/tensor.h"
#endif
