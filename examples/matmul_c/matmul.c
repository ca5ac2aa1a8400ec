/* C = A B on a cube core in the kernel language: docs/kernels-in-c.md reads this file line by line.
 *
 *   gcc -std=c17 -g1 matmul.c -lascendcl -lsoftascend -lm    (-I and -L: as set_env.sh has them) */
#include "../host.h"
#include "softascend/launch.h"

#define TILE 128u /* rows and columns of C that a block computes at a time */
#define STEP 64u  /* how much of K comes in at a time */

typedef struct matmul_args {
    const float *a, *b; /* [m, k] and [k, n], row-major */
    float *c;           /* [m, n] */
    uint32_t m, k, n;
} matmul_args;

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t whole_fractals(uint32_t n)
{
    return (n + 15) / 16 * 16;
}

static void matmul_kernel(sa_core *core, void *args)
{
    const matmul_args *x = args;
    float *l1_a[2], *l1_b[2];
    for (uint32_t i = 0; i < 2; i++) {
        l1_a[i] = sa_alloc(core, SA_L1, TILE * STEP * sizeof(float));
        l1_b[i] = sa_alloc(core, SA_L1, STEP * TILE * sizeof(float));
        sa_set_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, i); /* these L1 buffers are free */
    }
    float *l0a = sa_alloc(core, SA_L0A, TILE * STEP * sizeof(float));
    float *l0b = sa_alloc(core, SA_L0B, STEP * TILE * sizeof(float));
    float *l0c = sa_alloc(core, SA_L0C, TILE * TILE * sizeof(float));
    sa_set_flag(core, SA_PIPE_M, SA_PIPE_MTE1, 0); /* L0A and L0B are free */
    sa_set_flag(core, SA_PIPE_FIX, SA_PIPE_M, 0);  /* L0C is free */

    uint32_t across = (x->n + TILE - 1) / TILE, tiles = (x->m + TILE - 1) / TILE * across;
    uint32_t buffer = 0;
    for (uint32_t tile = sa_block_idx(core); tile < tiles; tile += sa_block_num(core)) {
        uint32_t row = tile / across * TILE, col = tile % across * TILE;
        uint32_t m = least(TILE, x->m - row), n = least(TILE, x->n - col);

        sa_wait_flag(core, SA_PIPE_FIX, SA_PIPE_M, 0);
        for (uint32_t at = 0; at < x->k; at += STEP) {
            uint32_t k = least(STEP, x->k - at);

            /* GM -> L1: rows become NZ */
            sa_wait_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, buffer);
            sa_nd2nz(core, SA_F32, l1_a[buffer], whole_fractals(m), x->a + (size_t)row * x->k + at,
                     x->k, m, k);
            sa_nd2nz(core, SA_F32, l1_b[buffer], whole_fractals(k), x->b + (size_t)at * x->n + col,
                     x->n, k, n);
            sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE1, buffer);

            /* L1 -> L0A, L0B: ZZ and ZN */
            sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE1, buffer);
            sa_wait_flag(core, SA_PIPE_M, SA_PIPE_MTE1, 0);
            sa_load_l0a(core, SA_F32, l0a, l1_a[buffer], whole_fractals(m), 0, 0, m, k, false);
            sa_load_l0b(core, SA_F32, l0b, l1_b[buffer], whole_fractals(k), 0, 0, k, n, false);
            sa_set_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, buffer);
            sa_set_flag(core, SA_PIPE_MTE1, SA_PIPE_M, 0);

            /* multiply and add up in L0C */
            sa_wait_flag(core, SA_PIPE_MTE1, SA_PIPE_M, 0);
            sa_mmad(core, SA_F32, l0c, l0a, l0b, m, k, n, at > 0);
            sa_set_flag(core, SA_PIPE_M, SA_PIPE_MTE1, 0);
            buffer = 1 - buffer;
        }
        sa_set_flag(core, SA_PIPE_M, SA_PIPE_FIX, 0);

        /* L0C -> GM, once */
        sa_wait_flag(core, SA_PIPE_M, SA_PIPE_FIX, 0);
        sa_fixpipe(core, SA_F32, x->c + (size_t)row * x->n + col, x->n, l0c, m, n);
        sa_set_flag(core, SA_PIPE_FIX, SA_PIPE_M, 0);
    }

    sa_wait_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, 0);
    sa_wait_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, 1);
    sa_wait_flag(core, SA_PIPE_M, SA_PIPE_MTE1, 0);
    sa_wait_flag(core, SA_PIPE_FIX, SA_PIPE_M, 0);
}

int main(int argc, char **argv)
{
    example e = example_begin(argc, argv, "matmul_c", "C = A B", "M=300 K=200 N=450", "f32",
                              "2 K units of |A| |B|, the bound of a sum of K products");
    const uint32_t m = (uint32_t)e.size[0], k = (uint32_t)e.size[1], n = (uint32_t)e.size[2];
    float *a = example_values(&e, (size_t)m * k, -1, 1);
    float *b = example_values(&e, (size_t)k * n, -1, 1), *c = example_room((size_t)m * n);
    matmul_args args = {example_upload(&e, a, (size_t)m * k),
                        example_upload(&e, b, (size_t)k * n),
                        example_output(&e, (size_t)m * n),
                        m,
                        k,
                        n};

    CHECK(
        sa_stream_launch(e.stream, matmul_kernel, "matmul", e.blocks, SA_AIC, &args, sizeof args));
    example_download(&e, c, args.c, (size_t)m * n);

    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (size_t at = 0; at < k; at++) {
                sum += (double)a[i * k + at] * b[at * n + j];
                size += fabs((double)a[i * k + at] * b[at * n + j]);
            }
            example_expect(&e, i * n + j, c[i * n + j], sum, example_units(&e, 2 * k, size, sum));
        }
    }
    CHECK(aclrtFree((void *)args.a));
    CHECK(aclrtFree((void *)args.b));
    CHECK(aclrtFree(args.c));
    free(a), free(b), free(c);
    return example_end(&e);
}
