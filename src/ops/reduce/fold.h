/* Folding a tile in UB along one of its two dimensions: what reductions and softmax share. All on
 * V, with barriers inside; the caller puts one before. */
#ifndef SA_OPS_REDUCE_FOLD_H
#define SA_OPS_REDUCE_FOLD_H

#include "softascend/core.h"

typedef enum sa_fold {
    SA_FOLD_SUM,
    SA_FOLD_MAX,
    SA_FOLD_MIN,
    SA_FOLD_PROD,
    SA_FOLD_ARG_MAX, /* these: reductions only */
    SA_FOLD_ARG_MIN,
} sa_fold;

/* dst = a op b, elementwise. */
void sa_fold_pair(sa_core *core, sa_fold f, sa_dtype dtype, void *dst, const void *a, const void *b,
                  uint32_t n);

/* tile [d, k] -> its first row [k], by halves: a tree, with instructions as long as the tile, in
 * the order of a reducing instruction for d <= 64. Destroys the tile. */
void sa_fold_down(sa_core *core, sa_fold f, sa_dtype dtype, void *tile, uint32_t d, uint32_t k);

/* tile [k, d] -> dst [k], one reducing instruction a row; not for products. */
void sa_fold_rows(sa_core *core, sa_fold f, sa_dtype dtype, void *dst, const void *tile, uint32_t k,
                  uint32_t d);

#endif
