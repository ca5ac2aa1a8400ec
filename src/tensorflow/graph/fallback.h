/* Says once, on stderr, which ops of a placed graph run on the CPU for want of an NPU kernel. */
#ifndef SA_TF_FALLBACK_H
#define SA_TF_FALLBACK_H

#include <stddef.h>

/* `graph` is a serialised GraphDef. */
void sa_graph_report_fallbacks(const void *graph, size_t bytes);

#endif
