/* A strided matrix in GM <-> a packed one in UB: one instruction where a row is contiguous, else
 * one for each row. Strides and offsets in elements of e bytes. */
#ifndef SA_OPS_ELEMENTWISE_TILE_H
#define SA_OPS_ELEMENTWISE_TILE_H

#include "softascend/core.h"

/* MTE2 */
static inline void sa_tile_in(sa_core *core, void *ub, const void *gm, uint32_t e,
                              int64_t row_stride, int64_t col_stride, uint32_t rows, uint32_t cols)
{
    if (cols == 1 || (col_stride == 1 && row_stride == cols)) { /* rows follow each other in UB */
        if (cols > 1 || row_stride == 1)
            sa_copy_in(core, ub, gm, rows * cols * e);
        else
            sa_copy_in_2d(core, ub, e, gm, row_stride * e, rows, e);
    } else if (col_stride == 1) {
        sa_copy_in_2d(core, ub, cols * e, gm, row_stride * e, rows, cols * e);
    } else {
        for (uint32_t i = 0; i < rows; i++)
            sa_copy_in_2d(core, (char *)ub + (size_t)i * cols * e, e,
                          (const char *)gm + i * row_stride * e, col_stride * e, cols, e);
    }
}

/* MTE3 */
static inline void sa_tile_out(sa_core *core, void *gm, const void *ub, uint32_t e,
                               int64_t row_stride, int64_t col_stride, uint32_t rows, uint32_t cols)
{
    if (cols == 1 || (col_stride == 1 && row_stride == cols)) {
        if (cols > 1 || row_stride == 1)
            sa_copy_out(core, gm, ub, rows * cols * e);
        else
            sa_copy_out_2d(core, gm, row_stride * e, ub, e, rows, e);
    } else if (col_stride == 1) {
        sa_copy_out_2d(core, gm, row_stride * e, ub, cols * e, rows, cols * e);
    } else {
        for (uint32_t i = 0; i < rows; i++)
            sa_copy_out_2d(core, (char *)gm + i * row_stride * e, col_stride * e,
                           (const char *)ub + (size_t)i * cols * e, e, cols, e);
    }
}

#endif
