/* A dense layer's kernels. */
#include "core/core.h"
#include "core/gemm.h"
#include "ops/linear/linear.h"

#include <string.h>

enum { CHUNK = 512 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- at once */

typedef struct finish {
    const sa_linear_args *x;
    const sa_isa *isa;
} finish;

/* Sums that are still in the first cache become out's values, a chunk of columns at a time. */
static void finish_tile(void *context, float *tile, int64_t pitch, int64_t rows, int64_t cols,
                        int64_t row, int64_t col)
{
    const finish *f = context;
    const sa_linear_args *x = f->x;
    sa_dtype dtype = x->product.dtype;
    int64_t bytes = (int64_t)sa_dtype_bytes(dtype), n = x->product.n;
    float wide[CHUNK];

    for (int64_t at = 0; at < cols; at += CHUNK) {
        size_t width = (size_t)least(CHUNK, cols - at);
        float *sums = tile + at;
        const float *bias = NULL;
        if (x->bias) {
            const char *from = x->bias + (col + at) * bytes;
            bias = (const float *)(const void *)from;
            if (dtype != SA_F32) {
                f->isa->cast[SA_F32][dtype](wide, from, SA_ROUND_NONE, width);
                bias = wide;
            }
        }
        if (x->before) {
            f->isa->activate[SA_ACTIVATE_NONE](sums, (size_t)pitch, (size_t)rows, width, bias);
            bias = NULL;
            for (int64_t i = 0; i < rows; i++) {
                char *to = x->before + ((row + i) * n + col + at) * bytes;
                if (dtype == SA_F32)
                    memcpy(to, sums + i * pitch, width * sizeof(float));
                else
                    f->isa->cast[dtype][SA_F32](to, sums + i * pitch, SA_ROUND_NONE, width);
            }
        }
        if (bias || x->activation != SA_ACTIVATE_NONE)
            f->isa->activate[x->activation](sums, (size_t)pitch, (size_t)rows, width, bias);
    }
}

void sa_linear_fast(sa_core *core, void *args)
{
    const sa_linear_args *x = args;
    const sa_matmul_args *p = &x->product;
    finish f = {x, core->isa};
    sa_gemm_args g = {.dtype = p->dtype,
                      .out = p->dtype,
                      .m = p->m,
                      .n = p->n,
                      .k = p->k,
                      .a = p->a,
                      .b = p->b,
                      .c = x->out,
                      .a_row = p->transpose_a ? 1 : p->pitch_a,
                      .a_k = p->transpose_a ? p->pitch_a : 1,
                      .b_k = p->transpose_b ? 1 : p->pitch_b,
                      .b_col = p->transpose_b ? p->pitch_b : 1,
                      .c_row = p->n,
                      .finish = finish_tile,
                      .context = &f};

    sa_gemm_part part = sa_gemm_share(core, &g, sa_block_idx(core), sa_block_num(core));
    sa_gemm(core, &g, &part);
}

/* ---- instruction by instruction */

static void activate(sa_core *core, sa_activation activation, float *x, uint32_t n)
{
    sa_barrier(core, SA_PIPE_V);
    switch (activation) {
    case SA_ACTIVATE_RELU:
        sa_relu(core, SA_F32, x, x, n);
        break;
    case SA_ACTIVATE_RELU6:
        sa_relu(core, SA_F32, x, x, n);
        sa_barrier(core, SA_PIPE_V);
        sa_mins(core, SA_F32, x, x, 6, n);
        break;
    case SA_ACTIVATE_TANH:
        sa_tanh(core, SA_F32, x, x, n);
        break;
    case SA_ACTIVATE_SIGMOID:
        sa_sigmoid(core, SA_F32, x, x, n);
        break;
    case SA_ACTIVATE_GELU:
        sa_gelu_erf(core, SA_F32, x, x, n);
        break;
    case SA_ACTIVATE_GELU_TANH:
        sa_gelu(core, SA_F32, x, x, n);
        break;
    case SA_ACTIVATE_SILU:
        sa_silu(core, SA_F32, x, x, n);
        break;
    default:
        break;
    }
    sa_barrier(core, SA_PIPE_V);
}

static void there_and_back(sa_core *core, sa_pipe from, sa_pipe to)
{
    sa_set_flag(core, from, to, 0);
    sa_wait_flag(core, from, to, 0);
}

/* What is in `x`, float32, to `to`, by way of `narrow` where the dtype is another. */
static void put_out(sa_core *core, sa_dtype dtype, char *to, float *x, void *narrow, uint32_t n)
{
    void *from = x;
    sa_barrier(core, SA_PIPE_V);
    if (dtype != SA_F32) {
        sa_cast(core, dtype, narrow, SA_F32, x, SA_ROUND_RINT, n);
        from = narrow;
    }
    there_and_back(core, SA_PIPE_V, SA_PIPE_MTE3);
    sa_copy_out(core, to, from, n * (uint32_t)sa_dtype_bytes(dtype));
    there_and_back(core, SA_PIPE_MTE3, SA_PIPE_V);
}

void sa_linear_finish(sa_core *core, void *args)
{
    const sa_linear_args *x = args;
    const sa_matmul_args *p = &x->product;
    sa_dtype dtype = p->dtype;
    int64_t bytes = (int64_t)sa_dtype_bytes(dtype), begin, count;
    uint32_t most = (uint32_t)least(p->n, 4096);
    float *row = sa_alloc(core, SA_UB, most * 4), *bias = sa_alloc(core, SA_UB, most * 4);
    void *narrow = sa_alloc(core, SA_UB, most * (uint32_t)bytes);

    sa_share(p->m, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    for (int64_t col = 0; col < p->n; col += most) {
        uint32_t n = (uint32_t)least(most, p->n - col);
        if (x->bias) {
            void *to = dtype == SA_F32 ? (void *)bias : narrow;
            sa_copy_in(core, to, x->bias + col * bytes, n * (uint32_t)bytes);
            there_and_back(core, SA_PIPE_MTE2, SA_PIPE_V);
            if (dtype != SA_F32)
                sa_cast(core, SA_F32, bias, dtype, narrow, SA_ROUND_NONE, n);
            sa_barrier(core, SA_PIPE_V);
        }
        for (int64_t i = begin; i < begin + count; i++) {
            int64_t at = (i * p->n + col) * bytes;
            there_and_back(core, SA_PIPE_V, SA_PIPE_MTE2);
            sa_copy_in(core, row, p->c + (i * p->n + col) * 4, n * 4);
            there_and_back(core, SA_PIPE_MTE2, SA_PIPE_V);
            if (x->bias)
                sa_add(core, SA_F32, row, row, bias, n);
            if (x->before)
                put_out(core, dtype, x->before + at, row, narrow, n);
            activate(core, x->activation, row, n);
            put_out(core, dtype, x->out + at, row, narrow, n);
        }
        there_and_back(core, SA_PIPE_V, SA_PIPE_MTE2);
    }
}

/* ---- backward */

void sa_activation_backward(sa_core *core, void *args)
{
    const sa_activation_args *x = args;
    const sa_isa *isa = core->isa;
    int64_t bytes = (int64_t)sa_dtype_bytes(x->dtype), begin, count;
    float g[CHUNK], z[CHUNK];

    sa_share(x->n, CHUNK, sa_block_idx(core), sa_block_num(core), &begin, &count);
    for (int64_t at = begin; at < begin + count; at += CHUNK) {
        size_t n = (size_t)least(CHUNK, begin + count - at);
        if (x->dtype == SA_F32) {
            memcpy(g, x->gradient + at * bytes, n * sizeof *g);
            memcpy(z, x->before + at * bytes, n * sizeof *z);
        } else {
            isa->cast[SA_F32][x->dtype](g, x->gradient + at * bytes, SA_ROUND_NONE, n);
            isa->cast[SA_F32][x->dtype](z, x->before + at * bytes, SA_ROUND_NONE, n);
        }
        isa->activate_grad[x->activation](g, z, n);
        if (x->dtype == SA_F32)
            memcpy(x->out + at * bytes, g, n * sizeof *g);
        else
            isa->cast[x->dtype][SA_F32](x->out + at * bytes, g, SA_ROUND_NONE, n);
    }
}
