/* The same as runtime_attrs.h, where op projects look for it. */
#ifndef ASCENDC_EXE_GRAPH_CONTINUOUS_VECTOR_H
#define ASCENDC_EXE_GRAPH_CONTINUOUS_VECTOR_H
#include "exe_graph/runtime/runtime_attrs.h"
#endif
