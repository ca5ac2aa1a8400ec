/* The same as tiling_context.h, where op projects look for it. */
#ifndef ASCENDC_EXE_GRAPH_TILING_DATA_H
#define ASCENDC_EXE_GRAPH_TILING_DATA_H
#include "exe_graph/runtime/tiling_context.h"
#endif
