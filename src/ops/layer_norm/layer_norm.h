/* Layer normalisation and its gradients: rows of `cols` contiguous elements, computed in float32
 * and rounded once.
 *
 * The mean is taken in two steps, near + rest: `near` is the rounded mean, `rest` the mean of what
 * is left after subtracting it, which is small, so that neither a large mean nor a long row costs
 * accuracy; the variance is that of x - near.
 *
 * run.c is the chip's way through UB, direct.c goes from GM to GM where nothing watches; same bits.
 */
#ifndef SA_OPS_LAYER_NORM_LAYER_NORM_H
#define SA_OPS_LAYER_NORM_LAYER_NORM_H

#include "core/core.h"
#include "core/isa.h"
#include "ops/op.h"

/* Elements of a row that are in UB at once. */
#define SA_LAYER_NORM_CHUNK 4096
/* Columns of a block's strip in the gradients of weight and bias, and rows that are added up before
 * they join the rows above. */
#define SA_LAYER_NORM_STRIP 256
#define SA_LAYER_NORM_GROUP 64

typedef enum sa_layer_norm_kind {
    SA_LAYER_NORM,
    SA_LAYER_NORM_INPUT,   /* the input's gradient */
    SA_LAYER_NORM_WEIGHTS, /* weight's and bias's */
} sa_layer_norm_kind;

/* A launch's arguments: all contiguous. */
typedef struct sa_layer_norm_job {
    sa_layer_norm_kind kind;
    sa_dtype dtype, w_dtype, b_dtype;
    int64_t rows, cols;
    double eps;
    const char *x, *dy;
    const char *w, *b;  /* [cols] or NULL */
    char *out;          /* or the input's gradient */
    float *mean, *rstd; /* [rows]; of the forward pass, or NULL */
    char *dw, *db;      /* [cols] or NULL, of w_dtype and b_dtype */
} sa_layer_norm_job;

void sa_layer_norm_kernel(sa_core *core, void *args);

/* The block's part without UB; false if something watches or the core lacks the dtype. */
bool sa_layer_norm_direct(sa_core *core, const sa_layer_norm_job *p);

/* The scalar unit's part: from the row's sums of x - by->near and of its squares to rest, mean and
 * rstd. */
void sa_layer_norm_statistics(const sa_layer_norm_job *p, float first, float second,
                              sa_row_norm *by);

/* This block's rows, or columns in strips. */
void sa_layer_norm_share(const sa_core *core, const sa_layer_norm_job *p, int64_t *begin,
                         int64_t *count);

#endif
