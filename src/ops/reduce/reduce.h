/* One engine for reductions over any dimensions of any view.
 *
 * A tile spans one kept dimension (k of it) and one reduced dimension (r of it), as they lie in GM:
 * [k, r] where the reduced one is contiguous, [r, k] where the kept one is. An item is k kept
 * elements; its tiles are folded into a vector of k accumulators. Where there are fewer items than
 * cores, the tiles of an item are split over blocks, and a second launch folds their results. */
#ifndef SA_OPS_REDUCE_REDUCE_H
#define SA_OPS_REDUCE_REDUCE_H

#include "ops/op.h"
#include "ops/reduce/fold.h"

/* A launch's arguments. Strides in elements. */
typedef struct sa_reduce {
    const void *in;
    void *out;
    sa_fold fold;
    sa_dtype in_dtype, acc, out_dtype;
    bool reduced_inside; /* tiles are [k, r], else [r, k] */
    bool turn;           /* transposed after loading */
    /* the tile's dimensions, and the others of both kinds */
    int64_t k, k_in, k_out, r, r_in;
    int kept_rank, reduced_rank;
    int64_t kept_dims[SA_MAX_RANK], kept_in[SA_MAX_RANK], kept_out[SA_MAX_RANK];
    int64_t reduced_dims[SA_MAX_RANK], reduced_in[SA_MAX_RANK];
    uint32_t k_tile, r_tile;
    int64_t k_tiles, r_tiles; /* pieces of k and of r */
    int64_t items;            /* of all kept dimensions */
    int64_t tiles;            /* of an item: of all reduced dimensions */
    int64_t splits;           /* blocks that share an item; each writes split_stride further on */
    int64_t split_stride;
    double divisor; /* 0: none */
} sa_reduce;

void sa_reduce_run(sa_core *core, const sa_reduce *plan);

static inline bool sa_fold_is_arg(sa_fold f)
{
    return f == SA_FOLD_ARG_MAX || f == SA_FOLD_ARG_MIN;
}

typedef struct sa_reduce_spec {
    const char *op;
    sa_kernel kernel; /* calls sa_reduce_run */
    sa_fold fold;
    sa_dtype acc;   /* accumulates in this */
    double neutral; /* the result of no elements */
    bool mean;      /* divides by the number of elements, in acc */
} sa_reduce_spec;

/* Plans `out` = self folded over dimensions `over` (a bit each). out's shape is checked already:
 * self's without those dimensions, or with 1 in their place. */
aclnnStatus sa_reduce_plan(aclOpExecutor *ex, const sa_reduce_spec *spec, const aclTensor *self,
                           uint32_t over, const aclTensor *out);

/* dims (NULL or empty: all) -> bits; refuses what is out of range or named twice. */
aclnnStatus sa_reduce_dims(const char *op, const char *arg, const aclIntArray *dims, int rank,
                           uint32_t *over);

/* Checks out's shape. */
aclnnStatus sa_reduce_check_out(const char *op, const aclTensor *self, uint32_t over, bool keep,
                                const aclTensor *out);

#endif
