/* Two buffers in L1 and L0: the next step comes in while this one is multiplied. Each flag says who
 * may touch a buffer next: forwards it is loaded, backwards it is free. */
#include "ops/convolution/cube.h"

#define FRACTAL 16

static uint32_t up(uint32_t n)
{
    return (n + FRACTAL - 1) / FRACTAL * FRACTAL;
}

static sa_pipe way_out(const sa_conv_cube *c)
{
    return sa_coupled(c->core) ? SA_PIPE_V : SA_PIPE_FIX;
}

void sa_conv_cube_begin(sa_conv_cube *c, sa_core *core, sa_dtype dtype)
{
    uint32_t bytes = (uint32_t)sa_dtype_bytes(dtype);
    uint32_t a = SA_CONV_M * SA_CONV_K * bytes, b = SA_CONV_N * SA_CONV_K * bytes;

    *c = (sa_conv_cube){.core = core, .dtype = dtype};
    for (uint32_t i = 0; i < 2; i++) {
        c->l1_a[i] = sa_alloc(core, SA_L1, a);
        c->l1_b[i] = sa_alloc(core, SA_L1, b);
        c->l0_a[i] = sa_alloc(core, SA_L0A, a);
        c->l0_b[i] = sa_alloc(core, SA_L0B, b);
        sa_set_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, i);
        sa_set_flag(core, SA_PIPE_M, SA_PIPE_MTE1, i);
    }
    c->l0_c = sa_alloc(core, SA_L0C, SA_CONV_M * SA_CONV_N * 4);
    if (sa_coupled(core)) {
        c->ub = sa_alloc(core, SA_UB, SA_CONV_M * SA_CONV_N * 4);
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
    }
    sa_set_flag(core, way_out(c), SA_PIPE_M, 0);
}

void sa_conv_cube_sum(sa_conv_cube *c)
{
    sa_wait_flag(c->core, way_out(c), SA_PIPE_M, 0);
    c->fresh = true;
}

/* Takes the next buffers; L1 -> L0 and the product, once they are full. */
static uint32_t next(sa_conv_cube *c)
{
    uint32_t i = c->turn++ & 1;
    sa_wait_flag(c->core, SA_PIPE_MTE1, SA_PIPE_MTE2, i);
    return i;
}

static void multiply(sa_conv_cube *c, uint32_t i, bool turned_a, bool turned_b, uint32_t m,
                     uint32_t k, uint32_t n)
{
    sa_core *core = c->core;

    sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE1, i);
    sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE1, i);
    sa_wait_flag(core, SA_PIPE_M, SA_PIPE_MTE1, i);
    sa_load_l0a(core, c->dtype, c->l0_a[i], c->l1_a[i], up(turned_a ? k : m), 0, 0, m, k, turned_a);
    sa_load_l0b(core, c->dtype, c->l0_b[i], c->l1_b[i], up(turned_b ? n : k), 0, 0, k, n, turned_b);
    sa_set_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, i);
    sa_set_flag(core, SA_PIPE_MTE1, SA_PIPE_M, i);
    sa_wait_flag(core, SA_PIPE_MTE1, SA_PIPE_M, i);
    sa_mmad(core, c->dtype, c->l0_c, c->l0_a[i], c->l0_b[i], m, k, n, !c->fresh);
    sa_set_flag(core, SA_PIPE_M, SA_PIPE_MTE1, i);
    c->fresh = false;
}

static void bring(sa_conv_cube *c, char *l1, const sa_conv_operand *x, uint32_t rows, uint32_t cols)
{
    sa_nd2nz(c->core, c->dtype, l1, up(rows), x->gm, x->pitch, rows, cols);
}

void sa_conv_cube_step(sa_conv_cube *c, sa_conv_operand a, sa_conv_operand b, uint32_t m,
                       uint32_t k, uint32_t n)
{
    uint32_t i = next(c);
    bring(c, c->l1_a[i], &a, a.transposed ? k : m, a.transposed ? m : k);
    bring(c, c->l1_b[i], &b, b.transposed ? n : k, b.transposed ? k : n);
    multiply(c, i, a.transposed, b.transposed, m, k, n);
}

/* A column of ones (or zeros) by the row. */
void sa_conv_cube_rows(sa_conv_cube *c, const char *b, uint32_t m, uint32_t n)
{
    uint32_t i = next(c), line = up(n) / (32 / (uint32_t)sa_dtype_bytes(c->dtype));

    sa_fill_l1(c->core, c->dtype, c->l1_a[i], b ? 1 : 0, 1, up(m) * 32, 0);
    if (b)
        bring(c, c->l1_b[i], &(sa_conv_operand){b, n, false}, 1, n);
    else
        sa_fill_l1(c->core, c->dtype, c->l1_b[i], 0, 1, line * FRACTAL * 32, 0);
    multiply(c, i, false, false, m, 1, n);
}

/* L0C [ceil(n / 16)][up(m)][16] -> UB as it lies, converted -> GM, column block by column block. */
static void drain(sa_conv_cube *c, sa_dtype to, char *gm, int64_t pitch, uint32_t m, uint32_t n)
{
    uint32_t cells = up(m) * FRACTAL, bytes = (uint32_t)sa_dtype_bytes(to);

    sa_wait_flag(c->core, SA_PIPE_MTE3, SA_PIPE_V, 0);
    sa_copy_l0c_ub(c->core, to, c->ub, cells, SA_F32, c->l0_c, cells, up(n) / FRACTAL, cells);
    sa_set_flag(c->core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_wait_flag(c->core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    for (uint32_t col = 0; col < n; col += FRACTAL)
        sa_copy_out_2d(c->core, gm + col * bytes, pitch * bytes,
                       c->ub + col / FRACTAL * cells * bytes, FRACTAL * bytes, m,
                       (n - col < FRACTAL ? n - col : FRACTAL) * bytes);
    sa_set_flag(c->core, SA_PIPE_MTE3, SA_PIPE_V, 0);
}

void sa_conv_cube_out(sa_conv_cube *c, sa_dtype to, char *gm, int64_t pitch, uint32_t m, uint32_t n)
{
    sa_pipe out = way_out(c);

    if (c->fresh)
        sa_conv_cube_rows(c, NULL, m, n);
    sa_set_flag(c->core, SA_PIPE_M, out, 0);
    sa_wait_flag(c->core, SA_PIPE_M, out, 0);
    if (out == SA_PIPE_V)
        drain(c, to, gm, pitch, m, n);
    else
        sa_fixpipe(c->core, to, gm, pitch, c->l0_c, m, n);
    sa_set_flag(c->core, out, SA_PIPE_M, 0);
}

void sa_conv_cube_end(sa_conv_cube *c)
{
    for (uint32_t i = 0; i < 2; i++) {
        sa_wait_flag(c->core, SA_PIPE_MTE1, SA_PIPE_MTE2, i);
        sa_wait_flag(c->core, SA_PIPE_M, SA_PIPE_MTE1, i);
    }
    if (c->ub)
        sa_wait_flag(c->core, SA_PIPE_MTE3, SA_PIPE_V, 0);
    sa_wait_flag(c->core, way_out(c), SA_PIPE_M, 0);
}
