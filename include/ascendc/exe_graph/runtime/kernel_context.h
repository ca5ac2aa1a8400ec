/* The same as extended_kernel_context.h, where op projects look for it. */
#ifndef ASCENDC_EXE_GRAPH_KERNEL_CONTEXT_H
#define ASCENDC_EXE_GRAPH_KERNEL_CONTEXT_H
#include "exe_graph/runtime/extended_kernel_context.h"
#endif
