/* One engine for what normalises along a dimension: softmax, its logarithm and gradient, and both
 * cross entropies. Everything is computed in fp32 and rounded once.
 *
 * A tile is k slices of d elements each, [k, d] in UB where d is contiguous in GM and long, else
 * [d, k], so that instructions run over many elements either way. A dimension longer than a tile is
 * read in three passes (maximum, sum, result) of chunks; a shorter one is read once. */
#ifndef SA_OPS_SOFTMAX_SOFTMAX_H
#define SA_OPS_SOFTMAX_SOFTMAX_H

#include "ops/op.h"

typedef enum sa_softmax_kind {
    SA_SOFTMAX,
    SA_LOG_SOFTMAX,
    SA_SOFTMAX_BACKWARD,     /* in: gradient, output */
    SA_CROSS_ENTROPY,        /* in: logits, labels; out: backprop */
    SA_SPARSE_CROSS_ENTROPY, /* in: logits; out: backprop */
} sa_softmax_kind;

#define SA_SOFTMAX_INPUTS 2

/* A launch's arguments. Strides in elements. */
typedef struct sa_softmax_job {
    sa_softmax_kind kind;
    sa_loop loop; /* over the other dimensions; operand 0 the output, then the inputs */
    sa_dtype dtype, label_dtype;
    int inputs, k_dim;
    int64_t d, d_stride[1 + SA_SOFTMAX_INPUTS];
    uint32_t k_tile, d_tile;
    int64_t k_tiles, d_tiles, items;
    bool inside; /* tiles in GM order are [k, d] */
    bool turn;   /* transposed after loading and before storing */
    void *loss;
    const void *labels; /* sparse: one for each slice */
    int64_t loss_stride, label_stride;
} sa_softmax_job;

void sa_softmax_kernel(sa_core *core, void *args);

/* The same from GM to GM, a row after the other, where nothing watches the core, rows are
 * contiguous and not turned: direct.c. False: it is not such a launch. */
bool sa_softmax_direct(sa_core *core, const sa_softmax_job *p);

/* Faults unless `label`, the slice's, is a class. */
void sa_softmax_check_label(sa_core *core, const sa_softmax_job *p, double label, int64_t slice);

/* Plans `kind` along dimension `d` of tensors of one shape. loss and labels: of cross entropies of
 * matrices, else NULL. */
aclnnStatus sa_softmax_plan(aclOpExecutor *ex, const char *op, sa_softmax_kind kind, int d,
                            const aclTensor *out, int inputs, const aclTensor *const *in,
                            const aclTensor *loss, const aclTensor *labels);

#endif
