/* gradient * y * (1 - y) on a vector core, in fp32, rounded once to the dtype. */
#include "ops/sigmoid_backward/kernel.h"

/* y = gradient * y * (1 - y), all fp32. */
static void compute(sa_core *core, char *y, const char *grad, char *rest, uint32_t n)
{
    sa_muls(core, SA_F32, rest, y, -1, n);
    sa_barrier(core, SA_PIPE_V);
    sa_adds(core, SA_F32, rest, rest, 1, n);
    sa_mul(core, SA_F32, y, y, grad, n);
    sa_barrier(core, SA_PIPE_V);
    sa_mul(core, SA_F32, y, y, rest, n);
}

void sa_sigmoid_backward_kernel(sa_core *core, void *args)
{
    const sa_sigmoid_backward_args *x = args;
    uint32_t bytes = (uint32_t)sa_dtype_bytes(x->dtype);
    bool narrow = x->dtype != SA_F32;
    char *y[2], *grad[2], *rest, *wide_y = NULL, *wide_grad = NULL;
    int64_t begin, count;
    sa_sigmoid_tiling tiling;

    sa_share(x->elements, SA_SIGMOID_UNIT, sa_block_idx(core), sa_block_num(core), &begin, &count);
    tiling =
        sa_sigmoid_tile(count, sa_local_bytes(core, SA_UB), sa_sigmoid_backward_bytes(x->dtype));
    for (uint32_t b = 0; b < 2; b++) {
        y[b] = sa_alloc(core, SA_UB, tiling.tile_length * bytes);
        grad[b] = sa_alloc(core, SA_UB, tiling.tile_length * bytes);
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
    }
    rest = sa_alloc(core, SA_UB, tiling.tile_length * 4);
    if (narrow) {
        wide_y = sa_alloc(core, SA_UB, tiling.tile_length * 4);
        wide_grad = sa_alloc(core, SA_UB, tiling.tile_length * 4);
    }

    for (int64_t i = 0; i < tiling.tiles; i++) {
        uint32_t b = i & 1;
        uint32_t n = i + 1 < tiling.tiles ? tiling.tile_length : tiling.last_tile_length;
        int64_t at = (begin + i * tiling.tile_length) * bytes;

        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
        sa_copy_in(core, y[b], x->y + at, n * bytes);
        sa_copy_in(core, grad[b], x->grad + at, n * bytes);
        sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, b);
        sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, b);
        if (narrow) {
            sa_cast(core, SA_F32, wide_y, x->dtype, y[b], SA_ROUND_NONE, n);
            sa_cast(core, SA_F32, wide_grad, x->dtype, grad[b], SA_ROUND_NONE, n);
            sa_barrier(core, SA_PIPE_V);
            compute(core, wide_y, wide_grad, rest, n);
            sa_barrier(core, SA_PIPE_V);
            sa_cast(core, x->dtype, y[b], SA_F32, wide_y, SA_ROUND_RINT, n);
        } else {
            compute(core, y[b], grad[b], rest, n);
        }
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, b);
        sa_barrier(core, SA_PIPE_V); /* the next tile writes the fp32 buffers anew */
        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, b);
        sa_copy_out(core, x->out + at, y[b], n * bytes);
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
    }
    for (uint32_t b = 0; b < 2; b++)
        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
}
