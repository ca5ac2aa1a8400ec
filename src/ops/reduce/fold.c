/* Folding a tile by halves or by reducing instructions. */
#include "ops/reduce/fold.h"

void sa_fold_pair(sa_core *core, sa_fold f, sa_dtype dtype, void *dst, const void *a, const void *b,
                  uint32_t n)
{
    switch (f) {
    case SA_FOLD_SUM:
        sa_add(core, dtype, dst, a, b, n);
        break;
    case SA_FOLD_MIN:
        sa_min(core, dtype, dst, a, b, n);
        break;
    case SA_FOLD_PROD:
        sa_mul(core, dtype, dst, a, b, n);
        break;
    default:
        sa_max(core, dtype, dst, a, b, n);
    }
}

void sa_fold_down(sa_core *core, sa_fold f, sa_dtype dtype, void *tile, uint32_t d, uint32_t k)
{
    size_t row_bytes = k * sa_dtype_bytes(dtype);
    uint32_t kept = 1;

    while (kept < d)
        kept *= 2;
    while (d > 1) { /* as a reducing instruction joins its lanes */
        kept /= 2;
        sa_fold_pair(core, f, dtype, tile, tile, (char *)tile + kept * row_bytes, (d - kept) * k);
        sa_barrier(core, SA_PIPE_V);
        d = kept;
    }
}

void sa_fold_rows(sa_core *core, sa_fold f, sa_dtype dtype, void *dst, const void *tile, uint32_t k,
                  uint32_t d)
{
    size_t e = sa_dtype_bytes(dtype);

    for (uint32_t i = 0; i < k; i++) {
        char *to = (char *)dst + i * e;
        const char *row = (const char *)tile + (size_t)i * d * e;
        if (f == SA_FOLD_SUM)
            sa_reduce_sum(core, dtype, to, row, d);
        else if (f == SA_FOLD_MIN)
            sa_reduce_min(core, dtype, to, row, d);
        else
            sa_reduce_max(core, dtype, to, row, d);
    }
}
