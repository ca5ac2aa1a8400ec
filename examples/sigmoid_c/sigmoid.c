/* y = 1 / (1 + exp(-x)) in the kernel language: sigmoid.cpp's twin, with flags where that has
 * queues. The element type is an argument, so one function does for all.
 *
 *   gcc -std=c17 -g1 sigmoid.c -lascendcl -lsoftascend -lm    (-I and -L: as set_env.sh has them)
 */
#include "../host.h"
#include "softascend/launch.h"

#define TILE 4096u /* elements: 16 KB of fp32 */

typedef struct sigmoid_args {
    const char *x;
    char *y;
    uint64_t n;
    sa_dtype dtype; /* SA_F32 or SA_F16 */
    uint32_t size;  /* bytes of an element */
} sigmoid_args;

static void sigmoid_kernel(sa_core *core, void *args)
{
    const sigmoid_args *a = args;
    char *x[2], *y[2];
    for (uint32_t i = 0; i < 2; i++) {
        x[i] = sa_alloc(core, SA_UB, TILE * a->size);
        y[i] = sa_alloc(core, SA_UB, TILE * a->size);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, i); /* x is free */
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, i); /* y is free */
    }
    float *w = sa_alloc(core, SA_UB, TILE * sizeof(float));
    float *ones = sa_alloc(core, SA_UB, TILE * sizeof(float));
    sa_fill(core, SA_F32, ones, 1, TILE);

    uint64_t step = (uint64_t)sa_block_num(core) * TILE;
    uint32_t buffer = 0;
    for (uint64_t at = (uint64_t)sa_block_idx(core) * TILE; at < a->n; at += step) {
        uint32_t n = a->n - at < TILE ? (uint32_t)(a->n - at) : TILE;

        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, buffer);
        sa_copy_in(core, x[buffer], a->x + at * a->size, n * a->size);
        sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, buffer);

        /* each step reads what the one before wrote: a barrier between them */
        sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, buffer);
        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, buffer);
        sa_cast(core, SA_F32, w, a->dtype, x[buffer], SA_ROUND_NONE, n);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, buffer);
        sa_barrier(core, SA_PIPE_V);
        sa_muls(core, SA_F32, w, w, -1, n);
        sa_barrier(core, SA_PIPE_V);
        sa_exp(core, SA_F32, w, w, n);
        sa_barrier(core, SA_PIPE_V);
        sa_adds(core, SA_F32, w, w, 1, n);
        sa_barrier(core, SA_PIPE_V);
        sa_div(core, SA_F32, w, ones, w, n);
        sa_barrier(core, SA_PIPE_V);
        sa_cast(core, a->dtype, y[buffer], SA_F32, w, SA_ROUND_NONE, n);
        sa_barrier(core, SA_PIPE_V);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, buffer);

        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, buffer);
        sa_copy_out(core, a->y + at * a->size, y[buffer], n * a->size);
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, buffer);
        buffer = 1 - buffer;
    }

    for (uint32_t i = 0; i < 2; i++) {
        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, i);
        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, i);
    }
}

int main(int argc, char **argv)
{
    example e = example_begin(argc, argv, "sigmoid_c", "y = 1 / (1 + exp(-x))", "LENGTH=1000003",
                              "f32|f16", "4 fp32 units of y, and its rounding");
    const uint64_t n = e.size[0];
    float *x = example_values(&e, n, -30, 30), *y = example_room(n);
    sigmoid_args args = {example_upload(&e, x, n), example_output(&e, n), n,
                         e.f16 ? SA_F16 : SA_F32, e.f16 ? 2 : 4};

    CHECK(sa_stream_launch(e.stream, sigmoid_kernel, "sigmoid", e.blocks, SA_AIV, &args,
                           sizeof args));
    example_download(&e, y, args.y, n);

    for (uint64_t i = 0; i < n; i++) {
        double exact = 1 / (1 + exp(-(double)x[i]));
        example_expect(&e, i, y[i], exact, example_units(&e, 4, exact, exact));
    }
    CHECK(aclrtFree((void *)args.x));
    CHECK(aclrtFree(args.y));
    free(x), free(y);
    return example_end(&e);
}
