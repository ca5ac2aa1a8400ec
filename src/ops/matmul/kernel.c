/* Matmul on a cube core: GM -> L1 (NZ) -> L0A, L0B -> L0C, and out once: on a split chip through
 * FIX, on a coupled one through UB, by the vector pipe.
 *
 * Two buffers in L1 and two in L0: the next chunk comes in while this one is multiplied. Each flag
 * below says who may touch a buffer next: LOADED is the way forward, FREE the way back. */
#include "ops/matmul/matmul.h"

#define FRACTAL 16

typedef struct buffers {
    char *l1_a[2], *l1_b[2], *l0_a[2], *l0_b[2], *l0_c;
    char *ub[2];              /* coupled: the way out, in strips of columns */
    uint32_t strip;           /* bytes of each */
    sa_pipe out;              /* that empties L0C */
    uint32_t l1, l0, ub_turn; /* what went through; the low bit is the buffer */
} buffers;

static uint32_t up(uint32_t n)
{
    return (n + FRACTAL - 1) / FRACTAL * FRACTAL;
}

/* Rows [k, k + kc) of the reduction, of tile t, into L1. */
static void chunk_in(sa_core *core, const sa_matmul_args *x, const sa_tile *t, int64_t k,
                     uint32_t kc, char *l1_a, char *l1_b)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(x->dtype);
    const char *a = x->a + t->batch * x->stride_a * bytes;
    const char *b = x->b + t->batch * x->stride_b * bytes;

    if (x->transpose_a)
        sa_nd2nz(core, x->dtype, l1_a, up(kc), a + (k * x->pitch_a + t->row) * bytes, x->pitch_a,
                 kc, t->rows);
    else
        sa_nd2nz(core, x->dtype, l1_a, up(t->rows), a + (t->row * x->pitch_a + k) * bytes,
                 x->pitch_a, t->rows, kc);
    if (x->transpose_b)
        sa_nd2nz(core, x->dtype, l1_b, up(t->cols), b + (t->col * x->pitch_b + k) * bytes,
                 x->pitch_b, t->cols, kc);
    else
        sa_nd2nz(core, x->dtype, l1_b, up(kc), b + (k * x->pitch_b + t->col) * bytes, x->pitch_b,
                 kc, t->cols);
}

/* Columns [k0, k0 + kc0) of a chunk of kc into L0. */
static void step_in(sa_core *core, const sa_matmul_args *x, const sa_tile *t, uint32_t k0,
                    uint32_t kc0, uint32_t kc, const buffers *u, uint32_t l1, uint32_t l0)
{
    if (x->transpose_a)
        sa_load_l0a(core, x->dtype, u->l0_a[l0], u->l1_a[l1], up(kc), k0, 0, t->rows, kc0, true);
    else
        sa_load_l0a(core, x->dtype, u->l0_a[l0], u->l1_a[l1], up(t->rows), 0, k0, t->rows, kc0,
                    false);
    if (x->transpose_b)
        sa_load_l0b(core, x->dtype, u->l0_b[l0], u->l1_b[l1], up(t->cols), 0, k0, kc0, t->cols,
                    true);
    else
        sa_load_l0b(core, x->dtype, u->l0_b[l0], u->l1_b[l1], up(kc), k0, 0, kc0, t->cols, false);
}

static void multiply_chunk(sa_core *core, const sa_matmul_args *x, const sa_tile *t, uint32_t kc,
                           bool accumulate, buffers *u, uint32_t l1)
{
    for (uint32_t k0 = 0; k0 < kc; k0 += x->tiling.k_l0) {
        uint32_t kc0 = kc - k0 < x->tiling.k_l0 ? kc - k0 : x->tiling.k_l0;
        uint32_t l0 = u->l0++ & 1;

        sa_wait_flag(core, SA_PIPE_M, SA_PIPE_MTE1, l0); /* FREE */
        step_in(core, x, t, k0, kc0, kc, u, l1, l0);
        sa_set_flag(core, SA_PIPE_MTE1, SA_PIPE_M, l0); /* LOADED */
        sa_wait_flag(core, SA_PIPE_MTE1, SA_PIPE_M, l0);
        sa_mmad(core, x->dtype, u->l0_c, u->l0_a[l0], u->l0_b[l0], t->rows, kc0, t->cols,
                accumulate || k0 > 0);
        sa_set_flag(core, SA_PIPE_M, SA_PIPE_MTE1, l0);
    }
}

/* L0C [ceil(n / 16)][up(m)][16] -> UB as it lies, converted -> GM, column block by column block. */
static void drain(sa_core *core, const sa_matmul_args *x, const sa_tile *t, buffers *u, char *c)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(x->out);
    uint32_t cells = up(t->rows) * FRACTAL, blocks = up(t->cols) / FRACTAL;
    uint32_t fit = u->strip / (cells * (uint32_t)bytes);

    for (uint32_t from = 0; from < blocks; from += fit) {
        uint32_t count = blocks - from < fit ? blocks - from : fit, turn = u->ub_turn++ & 1;

        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, turn); /* FREE */
        sa_copy_l0c_ub(core, x->out, u->ub[turn], cells, SA_F32,
                       u->l0_c + (int64_t)from * cells * 4, cells, count, cells);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, turn); /* LOADED */
        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, turn);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t col = (from + i) * FRACTAL;
            uint32_t width = t->cols - col < FRACTAL ? t->cols - col : FRACTAL;
            sa_copy_out_2d(core, c + col * bytes, x->pitch_c * bytes,
                           u->ub[turn] + i * cells * bytes, FRACTAL * (uint32_t)bytes, t->rows,
                           width * (uint32_t)bytes);
        }
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, turn);
    }
}

static void multiply_tile(sa_core *core, const sa_matmul_args *x, const sa_tile *t, buffers *u)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(x->out);
    char *c = x->c + (t->batch * x->stride_c + t->row * x->pitch_c + t->col) * bytes;

    sa_wait_flag(core, u->out, SA_PIPE_M, 0); /* the accumulators are FREE */
    for (int64_t k = 0; k < x->k; k += x->tiling.k_l1) {
        uint32_t kc = x->k - k < x->tiling.k_l1 ? (uint32_t)(x->k - k) : x->tiling.k_l1;
        uint32_t l1 = u->l1++ & 1;

        sa_wait_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, l1); /* FREE */
        chunk_in(core, x, t, k, kc, u->l1_a[l1], u->l1_b[l1]);
        sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE1, l1); /* LOADED */
        sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE1, l1);
        multiply_chunk(core, x, t, kc, k > 0, u, l1);
        sa_set_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, l1);
    }
    sa_set_flag(core, SA_PIPE_M, u->out, 0); /* added up */
    sa_wait_flag(core, SA_PIPE_M, u->out, 0);
    if (u->out == SA_PIPE_V)
        drain(core, x, t, u, c);
    else
        sa_fixpipe(core, x->out, c, x->pitch_c, u->l0_c, t->rows, t->cols);
    sa_set_flag(core, u->out, SA_PIPE_M, 0);
}

void sa_matmul_kernel(sa_core *core, void *args)
{
    const sa_matmul_args *x = args;
    const sa_matmul_tiling *tiling = &x->tiling;
    uint32_t bytes = (uint32_t)sa_dtype_bytes(x->dtype);
    int64_t count = sa_scheduler_count(&tiling->deal, sa_block_idx(core));
    buffers u = {.out = sa_coupled(core) ? SA_PIPE_V : SA_PIPE_FIX};

    for (uint32_t i = 0; i < 2; i++) {
        u.l1_a[i] = sa_alloc(core, SA_L1, tiling->tile_m * tiling->k_l1 * bytes);
        u.l1_b[i] = sa_alloc(core, SA_L1, tiling->tile_n * tiling->k_l1 * bytes);
        u.l0_a[i] = sa_alloc(core, SA_L0A, tiling->tile_m * tiling->k_l0 * bytes);
        u.l0_b[i] = sa_alloc(core, SA_L0B, tiling->tile_n * tiling->k_l0 * bytes);
        sa_set_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, i);
        sa_set_flag(core, SA_PIPE_M, SA_PIPE_MTE1, i);
    }
    u.l0_c = sa_alloc(core, SA_L0C, tiling->tile_m * tiling->tile_n * 4);
    u.strip = sa_coupled(core) ? sa_local_bytes(core, SA_UB) / 2 : 0;
    for (uint32_t i = 0; i < 2 && u.strip; i++) {
        u.ub[i] = sa_alloc(core, SA_UB, u.strip);
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, i);
    }
    sa_set_flag(core, u.out, SA_PIPE_M, 0);

    for (int64_t i = 0; i < count; i++) {
        sa_tile t = sa_scheduler_tile(&tiling->deal, sa_block_idx(core), i);
        multiply_tile(core, x, &t, &u);
    }

    for (uint32_t i = 0; i < 2; i++) {
        sa_wait_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, i);
        sa_wait_flag(core, SA_PIPE_M, SA_PIPE_MTE1, i);
        if (u.strip)
            sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, i);
    }
    sa_wait_flag(core, u.out, SA_PIPE_M, 0);
}

void sa_matmul_zero(sa_core *core, void *args)
{
    const sa_matmul_args *x = args;
    int64_t bytes = (int64_t)sa_dtype_bytes(x->out), begin, count;
    int64_t fits = sa_local_bytes(core, SA_UB) / 2 / bytes;
    uint32_t width = (uint32_t)(x->n < fits ? x->n : fits);
    char *zeros = sa_alloc(core, SA_UB, width * (uint32_t)bytes);

    sa_fill(core, x->out, zeros, 0, width);
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_share(x->tiling.deal.batch * x->m, 1, sa_block_idx(core), sa_block_num(core), &begin,
             &count);
    for (int64_t i = begin; i < begin + count; i++) {
        char *row = x->c + (i / x->m * x->stride_c + i % x->m * x->pitch_c) * bytes;
        for (int64_t n = 0; n < x->n; n += width)
            sa_copy_out(core, row + n * bytes, zeros,
                        (uint32_t)((x->n - n < width ? x->n - n : width) * bytes));
    }
}
