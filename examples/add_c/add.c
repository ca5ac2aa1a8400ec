/* z = x + y in the kernel language: docs/kernels-in-c.md reads this file line by line.
 *
 *   gcc -std=c17 -g1 add.c -lascendcl -lsoftascend -lm    (-I and -L: as set_env.sh has them) */
#include "../host.h"
#include "softascend/launch.h"

#define TILE 8192u /* elements: three arrays, two buffers each, 32 KiB a buffer: all of UB */

typedef struct add_args {
    const float *x, *y;
    float *z;
    uint32_t n;
} add_args;

static void add_kernel(sa_core *core, void *args)
{
    const add_args *a = args;
    float *x[2], *y[2], *z[2];
    for (uint32_t i = 0; i < 2; i++) {
        x[i] = sa_alloc(core, SA_UB, TILE * sizeof(float));
        y[i] = sa_alloc(core, SA_UB, TILE * sizeof(float));
        z[i] = sa_alloc(core, SA_UB, TILE * sizeof(float));
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, i); /* x and y are free */
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, i); /* z is free */
    }

    uint32_t tiles = (a->n + TILE - 1) / TILE, buffer = 0;
    for (uint32_t tile = sa_block_idx(core); tile < tiles; tile += sa_block_num(core)) {
        uint32_t at = tile * TILE, n = a->n - at < TILE ? a->n - at : TILE;

        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, buffer);
        sa_copy_in(core, x[buffer], a->x + at, n * sizeof(float));
        sa_copy_in(core, y[buffer], a->y + at, n * sizeof(float));
        sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, buffer);

        sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, buffer);
        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, buffer);
        sa_add(core, SA_F32, z[buffer], x[buffer], y[buffer], n);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, buffer);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, buffer);

        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, buffer);
        sa_copy_out(core, a->z + at, z[buffer], n * sizeof(float));
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
    example e =
        example_begin(argc, argv, "add_c", "z = x + y", "LENGTH=300000", "f32", "half a unit");
    const uint32_t n = (uint32_t)e.size[0];
    float *x = example_values(&e, n, -100, 100), *y = example_values(&e, n, -100, 100);
    float *z = example_room(n);
    add_args args = {example_upload(&e, x, n), example_upload(&e, y, n), example_output(&e, n), n};

    CHECK(sa_stream_launch(e.stream, add_kernel, "add", e.blocks, SA_AIV, &args, sizeof args));
    example_download(&e, z, args.z, n);

    for (uint32_t i = 0; i < n; i++) {
        double exact = (double)x[i] + y[i];
        example_expect(&e, i, z[i], exact, 0.5 * example_ulp(&e, exact));
    }
    CHECK(aclrtFree((void *)args.x));
    CHECK(aclrtFree((void *)args.y));
    CHECK(aclrtFree(args.z));
    free(x), free(y), free(z);
    return example_end(&e);
}
