/* Joins elementwise ops of one device into one node (kernels/fused.h says what it runs). */
#ifndef SA_TF_FUSE_H
#define SA_TF_FUSE_H

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/tf.h"

/* `graph` is a serialised, placed GraphDef. Returns a new one on the heap, *bytes long; NULL if
 * there is nothing to join, the graph is not understood, or memory is short. */
uint8_t *sa_graph_fuse(const uint8_t *graph, size_t *bytes, const TF_GrapplerItem *item);

#endif
