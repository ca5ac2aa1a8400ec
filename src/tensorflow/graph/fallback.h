/* Says once, on stderr, which ops of a placed graph run on the CPU for want of an NPU kernel. */
#ifndef SA_TF_FALLBACK_H
#define SA_TF_FALLBACK_H

#include <stddef.h>

/* An op that asked for an NPU and got the CPU; `node` is a serialised NodeDef. */
void sa_graph_report_fallback(const void *node, size_t bytes);

/* `graph` is a serialised GraphDef. */
void sa_graph_report_fallbacks(const void *graph, size_t bytes);

#endif
