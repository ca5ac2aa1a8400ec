/* Matmul while nobody watches: the same bits as the instructions of kernel.c, by sa_gemm. */
#include "core/gemm.h"
#include "core/launch.h"
#include "core/observe.h"
#include "ops/matmul/matmul.h"

#include <string.h>

/* Multiply-adds that are worth a thread of their own. */
#define PART_MACS (INT64_C(1) << 19)

bool sa_matmul_is_fast(sa_dtype dtype)
{
    /* tiles of bf16 are ahead of float32's multiply-adds even instruction by instruction */
    bool tiles = dtype == SA_BF16 && strcmp(sa_isa_active()->backend, "amx") == 0;
    return !sa_observer_active() && !tiles;
}

uint32_t sa_matmul_fast_blocks(int64_t batch, int64_t m, int64_t n, int64_t k)
{
    double macs = (double)batch * (double)m * (double)n * (double)k;
    double parts = macs / (double)PART_MACS, threads = sa_launch_threads();
    return (uint32_t)(parts < 1 ? 1 : parts < threads ? parts : threads);
}

void sa_matmul_fast(sa_core *core, void *args)
{
    const sa_matmul_args *x = args;
    int64_t bytes = (int64_t)sa_dtype_bytes(x->dtype), batch = x->tiling.deal.batch;
    int64_t begin = 0, count = batch;
    uint32_t index = sa_block_idx(core), parts = sa_block_num(core);
    sa_gemm_args g = {.dtype = x->dtype,
                      .out = x->out,
                      .m = x->m,
                      .n = x->n,
                      .k = x->k,
                      .a_row = x->transpose_a ? 1 : x->pitch_a,
                      .a_k = x->transpose_a ? x->pitch_a : 1,
                      .b_k = x->transpose_b ? 1 : x->pitch_b,
                      .b_col = x->transpose_b ? x->pitch_b : 1,
                      .c_row = x->pitch_c};

    if (batch % parts == 0 || batch >= 4 * (int64_t)parts) { /* whole matrices */
        sa_share(batch, 1, index, parts, &begin, &count);
        index = 0;
        parts = 1;
    }
    for (int64_t i = begin; i < begin + count; i++) {
        g.a = x->a + i * x->stride_a * bytes;
        g.b = x->b + i * x->stride_b * bytes;
        g.c = x->c + i * x->stride_c * bytes;
        sa_gemm_part part = sa_gemm_share(core, &g, index, parts);
        sa_gemm(core, &g, &part);
    }
}
