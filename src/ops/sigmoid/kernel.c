/* Sigmoid on a vector core, in place on two buffers: while one is computed the other moves.
 * bfloat16 goes through fp32, as the vector unit has no bfloat16 arithmetic. */
#include "ops/sigmoid/kernel.h"

#include "core/core.h"

/* More than this in all overruns the second-level caches: it leaves past them. */
#define PAST_BYTES (INT64_C(4) << 20)
/* How much passes between two looks at whether the launch was abandoned. */
#define PIECE (INT64_C(1) << 20)

/* The same elements straight from GM to GM, when nothing watches. */
static void run_through(sa_core *core, const sa_sigmoid_args *x, int64_t begin, int64_t count)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(x->dtype);
    bool past = x->elements * bytes > PAST_BYTES;

    for (int64_t i = begin, end = begin + count, n; i < end; i += n) {
        n = end - i < PIECE ? end - i : PIECE;
        if (!sa_core_quiet(core))
            sa_core_attend(core, __builtin_return_address(0));
        core->isa->sigmoid_run[x->dtype](x->out + i * bytes, x->in + i * bytes, (size_t)n, past);
    }
}

void sa_sigmoid_kernel(sa_core *core, void *args)
{
    const sa_sigmoid_args *x = args;
    uint32_t bytes = (uint32_t)sa_dtype_bytes(x->dtype);
    char *buffer[2], *wide = NULL;
    int64_t begin, count;
    sa_sigmoid_tiling tiling;

    sa_share(x->elements, SA_SIGMOID_UNIT, sa_block_idx(core), sa_block_num(core), &begin, &count);
    if (!core->observer && core->isa->sigmoid_run[x->dtype]) {
        run_through(core, x, begin, count);
        return;
    }
    tiling = sa_sigmoid_tile(count, sa_local_bytes(core, SA_UB), sa_sigmoid_bytes(x->dtype));
    for (uint32_t b = 0; b < 2; b++) {
        buffer[b] = sa_alloc(core, SA_UB, tiling.tile_length * bytes);
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
    }
    if (x->dtype == SA_BF16)
        wide = sa_alloc(core, SA_UB, tiling.tile_length * 4);

    for (int64_t i = 0; i < tiling.tiles; i++) {
        uint32_t b = i & 1;
        uint32_t n = i + 1 < tiling.tiles ? tiling.tile_length : tiling.last_tile_length;
        int64_t at = (begin + i * tiling.tile_length) * bytes;

        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
        sa_copy_in(core, buffer[b], x->in + at, n * bytes);
        sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, b);
        sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, b);
        if (wide) {
            sa_cast(core, SA_F32, wide, SA_BF16, buffer[b], SA_ROUND_NONE, n);
            sa_barrier(core, SA_PIPE_V);
            sa_sigmoid(core, SA_F32, wide, wide, n);
            sa_barrier(core, SA_PIPE_V);
            sa_cast(core, SA_BF16, buffer[b], SA_F32, wide, SA_ROUND_RINT, n);
            sa_barrier(core, SA_PIPE_V);
        } else {
            sa_sigmoid(core, x->dtype, buffer[b], buffer[b], n);
        }
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, b);
        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, b);
        sa_copy_out(core, x->out + at, buffer[b], n * bytes);
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
    }
    for (uint32_t b = 0; b < 2; b++)
        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
}
