/* Softmax along rows of any length in the kernel language: softmax.cpp's twin. What the scalar unit
 * reads (sa_get) waits for the vector pipe with a flag of its own.
 *
 *   gcc -std=c17 -g1 softmax.c -lascendcl -lsoftascend -lm    (-I and -L: as set_env.sh has them)
 */
#include "../host.h"
#include "softascend/launch.h"

#define TILE 4096u /* elements of a row at a time */

typedef struct softmax_args {
    const char *x;
    char *y;
    uint64_t rows, columns;
    sa_dtype dtype; /* SA_F32 or SA_F16 */
    uint32_t size;  /* bytes of an element */
} softmax_args;

/* A block's buffers in UB. */
typedef struct softmax_tile {
    char *x[2], *y;
    float *w, *result;
    uint32_t buffer;
} softmax_tile;

/* w = n elements of GM, in fp32. */
static void fetch(sa_core *core, const softmax_args *a, softmax_tile *t, uint64_t at, uint32_t n)
{
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, t->buffer);
    sa_copy_in(core, t->x[t->buffer], a->x + at * a->size, n * a->size);
    sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, t->buffer);
    sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, t->buffer);
    sa_barrier(core, SA_PIPE_V); /* who read w last is done */
    sa_cast(core, SA_F32, t->w, a->dtype, t->x[t->buffer], SA_ROUND_NONE, n);
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, t->buffer);
    sa_barrier(core, SA_PIPE_V);
    t->buffer = 1 - t->buffer;
}

static void exponentials(sa_core *core, float *w, float max, uint32_t n)
{
    sa_adds(core, SA_F32, w, w, -max, n);
    sa_barrier(core, SA_PIPE_V);
    sa_exp(core, SA_F32, w, w, n);
    sa_barrier(core, SA_PIPE_V);
}

static float scalar(sa_core *core, const float *result)
{
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_S, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_S, 0);
    return (float)sa_get(core, SA_F32, result, 0);
}

static void softmax_kernel(sa_core *core, void *args)
{
    const softmax_args *a = args;
    softmax_tile t = {.w = sa_alloc(core, SA_UB, TILE * sizeof(float)),
                      .result = sa_alloc(core, SA_UB, 32),
                      .y = sa_alloc(core, SA_UB, TILE * a->size)};
    for (uint32_t i = 0; i < 2; i++) {
        t.x[i] = sa_alloc(core, SA_UB, TILE * a->size);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, i); /* x is free */
    }
    sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0); /* y is free */

    for (uint64_t row = sa_block_idx(core); row < a->rows; row += sa_block_num(core)) {
        float max = -INFINITY, sum = 0;
        for (uint64_t at = 0; at < a->columns; at += TILE) {
            uint32_t n = a->columns - at < TILE ? (uint32_t)(a->columns - at) : TILE;
            fetch(core, a, &t, row * a->columns + at, n);
            sa_reduce_max(core, SA_F32, t.result, t.w, n);
            float tile_max = scalar(core, t.result), old = max;
            max = tile_max > old ? tile_max : old;

            sa_fill(core, SA_F32, t.result, old - max, 8); /* how much the sum so far shrinks */
            sa_barrier(core, SA_PIPE_V);
            sa_exp(core, SA_F32, t.result, t.result, 8);
            sum *= scalar(core, t.result);
            exponentials(core, t.w, max, n);
            sa_reduce_sum(core, SA_F32, t.result, t.w, n);
            sum += scalar(core, t.result);
        }
        for (uint64_t at = 0; at < a->columns; at += TILE) {
            uint32_t n = a->columns - at < TILE ? (uint32_t)(a->columns - at) : TILE;
            fetch(core, a, &t, row * a->columns + at, n);
            exponentials(core, t.w, max, n);
            sa_muls(core, SA_F32, t.w, t.w, 1 / sum, n);
            sa_barrier(core, SA_PIPE_V);
            sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
            sa_cast(core, a->dtype, t.y, SA_F32, t.w, SA_ROUND_NONE, n);
            sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
            sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
            sa_copy_out(core, a->y + (row * a->columns + at) * a->size, t.y, n * a->size);
            sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
        }
    }

    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 1);
    sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
}

int main(int argc, char **argv)
{
    example e =
        example_begin(argc, argv, "softmax_c", "y = softmax(x) along rows", "ROWS=64 COLUMNS=5000",
                      "f32|f16", "16 + |x - max| fp32 units of y, and its rounding");
    const uint64_t rows = e.size[0], columns = e.size[1], n = rows * columns;
    float *x = example_values(&e, n, -8, 8), *y = example_room(n);
    softmax_args args = {example_upload(&e, x, n), example_output(&e, n), rows, columns,
                         e.f16 ? SA_F16 : SA_F32,  e.f16 ? 2 : 4};

    CHECK(sa_stream_launch(e.stream, softmax_kernel, "softmax", e.blocks, SA_AIV, &args,
                           sizeof args));
    example_download(&e, y, args.y, n);

    for (uint64_t row = 0; row < n; row += columns) {
        double max = -INFINITY, sum = 0;
        for (uint64_t i = row; i < row + columns; i++) {
            max = fmax(max, x[i]);
        }
        for (uint64_t i = row; i < row + columns; i++) {
            sum += exp(x[i] - max);
        }
        for (uint64_t i = row; i < row + columns; i++) {
            double exact = exp(x[i] - max) / sum, units = 16 + fabs(x[i] - max);
            example_expect(&e, i, y[i], exact, example_units(&e, units, exact, exact));
        }
    }
    CHECK(aclrtFree((void *)args.x));
    CHECK(aclrtFree(args.y));
    free(x), free(y);
    return example_end(&e);
}
