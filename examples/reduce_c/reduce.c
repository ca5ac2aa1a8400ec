/* sum = x[0] + x[1] + … in the kernel language: reduce.cpp's twin, with the second stage as a
 * launch of its own. Launches of a stream run one after the other, so no block has to wait for
 * others, and there may be more blocks than cores on any chip.
 *
 *   gcc -std=c17 -g1 reduce.c -lascendcl -lsoftascend -lm    (-I and -L: as set_env.sh has them) */
#include "../host.h"
#include "softascend/launch.h"

#define TILE 4096u /* elements */
#define SLOT 8u    /* floats of the result a block has: no two blocks share 32 bytes */

typedef struct reduce_args {
    const char *x;
    float *sums; /* one at each SLOT, a block's; zeros behind it */
    uint64_t n;
    sa_dtype dtype; /* SA_F32 or SA_F16 */
    uint32_t size;  /* bytes of an element */
} reduce_args;

static void reduce_kernel(sa_core *core, void *args)
{
    const reduce_args *a = args;
    char *x[2];
    for (uint32_t i = 0; i < 2; i++) {
        x[i] = sa_alloc(core, SA_UB, TILE * a->size);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, i); /* x is free */
    }
    float *wide = sa_alloc(core, SA_UB, TILE * sizeof(float));
    float *total = sa_alloc(core, SA_UB, TILE * sizeof(float));
    float *out = sa_alloc(core, SA_UB, SLOT * sizeof(float));
    sa_fill(core, SA_F32, total, 0, TILE);
    sa_fill(core, SA_F32, out, 0, SLOT);
    sa_barrier(core, SA_PIPE_V);

    uint64_t step = (uint64_t)sa_block_num(core) * TILE;
    uint32_t buffer = 0;
    for (uint64_t at = (uint64_t)sa_block_idx(core) * TILE; at < a->n; at += step) {
        uint32_t n = a->n - at < TILE ? (uint32_t)(a->n - at) : TILE;
        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, buffer);
        sa_copy_in(core, x[buffer], a->x + at * a->size, n * a->size);
        sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, buffer);

        sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, buffer);
        sa_cast(core, SA_F32, wide, a->dtype, x[buffer], SA_ROUND_NONE, n);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, buffer);
        sa_barrier(core, SA_PIPE_V);
        sa_add(core, SA_F32, total, total, wide, n);
        sa_barrier(core, SA_PIPE_V);
        buffer = 1 - buffer;
    }
    sa_reduce_sum(core, SA_F32, out, total, TILE);
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_copy_out(core, a->sums + sa_block_idx(core) * SLOT, out, SLOT * sizeof(float));

    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 1);
}

int main(int argc, char **argv)
{
    /* No rounding error hides a lost element: x are eighths, and fp32 holds their sums exactly. */
    example e = example_begin(argc, argv, "reduce_c", "sum = x[0] + x[1] + ..., in fp32",
                              "LENGTH=1000003", "f32|f16", "none, x are eighths");
    const uint64_t n = e.size[0];
    float *x = example_values(&e, n, -8, 8), sum = 0;
    double exact = 0;
    for (uint64_t i = 0; i < n; i++) {
        x[i] = rintf(x[i]) / 8;
        exact += x[i];
    }
    float *sums = example_device(e.blocks * SLOT * sizeof(float));
    float *result = example_device(SLOT * sizeof(float));
    reduce_args first = {example_upload(&e, x, n), sums, n, e.f16 ? SA_F16 : SA_F32, e.f16 ? 2 : 4};
    reduce_args second = {(char *)sums, result, e.blocks * SLOT, SA_F32, 4};

    CHECK(sa_stream_launch(e.stream, reduce_kernel, "reduce", e.blocks, SA_AIV, &first,
                           sizeof first));
    CHECK(sa_stream_launch(e.stream, reduce_kernel, "reduce_sums", 1, SA_AIV, &second,
                           sizeof second));
    example_fetch(&e, &sum, result, sizeof sum);

    example_expect(&e, 0, sum, exact, 0);
    CHECK(aclrtFree((void *)first.x));
    CHECK(aclrtFree(sums));
    CHECK(aclrtFree(result));
    free(x);
    return example_end(&e);
}
