/* What the simple products leave out: biases from the bias table, and FIX with scales, relu, NZ
 * output and several matrices. */
#include "core/isa/body.h"
#include "core/issue.h"

#include <stdlib.h>
#include <string.h>

void sa_mmad_bias(sa_core *core, sa_dtype dtype, void *l0c, const void *l0a, const void *l0b,
                  const void *bt, uint32_t m, uint32_t k, uint32_t n)
{
    BEGIN(mmad_bias, dtype);
    uint64_t size = sa_dtype_bytes(dtype), c0 = 32 / size;
    if (!m || !n)
        return;
    l0a = READS(SA_L0A, l0a, 1, UP(m, 16) * UP(k, c0) * size, 0);
    l0b = READS(SA_L0B, l0b, 1, UP(k, c0) * UP(n, 16) * size, 0);
    bt = READS(SA_BT, bt, 1, (uint64_t)n * 4, 0);
    l0c = WRITES(SA_L0C, l0c, 1, UP(m, 16) * UP(n, 16) * 4, 0);
    sa_issue_show(&issue, UP(m, 16) * UP(k, c0) * UP(n, 16));
    for (uint64_t n1 = 0; n1 * 16 < n; n1++)
        for (uint64_t row = 0; row < m; row++)
            memcpy((uint8_t *)l0c + (n1 * UP(m, 16) + row) * 64, (const uint8_t *)bt + n1 * 64,
                   (n - n1 * 16 < 16 ? n - n1 * 16 : 16) * 4);
    core->isa->mmad[dtype](l0c, sa_packed(core, SA_L0A, l0a, size),
                           sa_packed(core, SA_L0B, l0b, size), m, k, n, true);
}

/* ---- FIX */

typedef struct fix {
    const sa_fixpipe_params *p;
    sa_dtype to, from;
    uint64_t size; /* of an element of `to` */
    const float *scale;
} fix;

static double accumulator(const fix *f, const uint8_t *l0c, uint64_t r, uint64_t c)
{
    const uint8_t *at = l0c + ((c / 16 * f->p->src_stride + r) * 16 + c % 16) * 4;
    double x;
    if (f->from == SA_F32) {
        float value;
        memcpy(&value, at, 4);
        x = (double)value;
    } else {
        int32_t value;
        memcpy(&value, at, 4);
        x = value;
    }
    if (f->p->scaled)
        x *= f->scale ? (double)f->scale[2 * c] : (double)(float)f->p->scale;
    if (f->p->relu && x < 0)
        x = 0;
    /* integers to nearest even; sa_scalar_store saturates */
    return f->to == SA_F32 || f->to == SA_F16 || f->to == SA_BF16 ? x : nearbyint(x);
}

/* A row of `row`, `cols` elements from column c on. */
static void fix_row(const fix *f, uint8_t *to, const uint8_t *l0c, uint64_t r, uint64_t c,
                    uint64_t cols)
{
    for (uint64_t i = 0; i < cols; i++) {
        if (!f->p->scaled && !f->p->relu && f->to == f->from) /* 32 bits as they are */
            memcpy(to + i * 4,
                   l0c + (((c + i) / 16 * f->p->src_stride + r) * 16 + (c + i) % 16) * 4, 4);
        else
            sa_scalar_store(f->to, to + i * f->size, accumulator(f, l0c, r, c + i));
    }
}

void sa_fixpipe_ext(sa_core *core, sa_dtype to, void *dst, bool to_l1, sa_dtype from,
                    const void *l0c, const sa_fixpipe_params *p)
{
    BEGIN(fixpipe_ext, to);
    const uint64_t size = sa_dtype_bytes(to);
    const uint64_t nd = p->nd ? p->nd : 1;
    if (from != SA_F32 && from != SA_I32)
        sa_issue_refuse(&issue, "accumulators are float32 or int32, not %s", sa_dtype_name(from));
    if (!p->m || !p->n)
        return;
    issue.event.dtype_from = from;
    const uint64_t columns = UP(p->n, 16) / 16;
    const uint64_t matrix = ((columns - 1) * p->src_stride + p->m) * 64;
    l0c = READS(SA_L0C, l0c, nd, matrix, (int64_t)p->src_nd_stride * 64);
    const sa_memory memory = to_l1 ? SA_L1 : SA_GM;
    const float *scale = NULL;
    if (p->scaled && p->scales)
        scale = READS(SA_L1, p->scales, 1, (uint64_t)p->n * 8, 0);
    /* NZ: columns of a block */
    const uint64_t width = size == 1 ? 32 : p->split_channels ? 8 : 16;
    const uint64_t blocks = UP(p->n, width) / width;
    const uint64_t nd_bytes = p->dst_nd_stride * size, block_bytes = (uint64_t)p->dst_stride * 32;
    issue.event.atomic = !to_l1 && core->atomic != SA_ATOMIC_NONE;
    if (p->nz)
        dst = WRITES(memory, dst, blocks, p->m * width * size, (int64_t)block_bytes);
    else
        for (uint64_t i = nd; i-- > 0;) {
            issue.event.accesses -= i + 1 < nd; /* the first matrix stands for all */
            uint8_t *at = WRITES(memory, (uint8_t *)((uintptr_t)dst + i * nd_bytes), p->m,
                                 p->n * size, (int64_t)(p->dst_stride * size));
            if (i == 0)
                dst = at;
        }
    sa_issue_show(&issue, nd * p->m * p->n);

    bool plain = !p->nz && !p->scaled && !p->relu && !issue.event.atomic &&
                 p->src_stride == UP(p->m, 16) &&
                 (from == SA_I32 ? to == SA_I32 : core->isa->fixpipe[to] && to != SA_I32);
    if (plain) {
        for (uint64_t i = 0; i < nd; i++)
            core->isa->fixpipe[to]((uint8_t *)dst + i * nd_bytes, p->dst_stride,
                                   (const uint8_t *)l0c + i * p->src_nd_stride * 64, p->m, p->n);
        return;
    }
    fix f = {p, to, from, size, scale};
    uint8_t *row = malloc(((size_t)UP(p->n, 32) + 32) * size);
    if (!row)
        sa_issue_refuse(&issue, "no host memory for a row of %u", p->n);
    bool aligned = !issue.event.atomic || (uintptr_t)dst % size == 0;
    for (uint64_t i = 0; i < nd && aligned; i++) {
        const uint8_t *in = (const uint8_t *)l0c + i * p->src_nd_stride * 64;
        for (uint64_t r = 0; r < p->m; r++) {
            memset(row, 0, UP(p->n, 32) * size);
            fix_row(&f, row, in, r, 0, p->n);
            for (uint64_t b = 0; b < (p->nz ? blocks : 1); b++) {
                uint8_t *at = p->nz ? (uint8_t *)dst + b * block_bytes + r * width * size
                                    : (uint8_t *)dst + i * nd_bytes + r * p->dst_stride * size;
                uint64_t n = p->nz ? width : p->n;
                if (issue.event.atomic)
                    sa_atomic_combine(&issue, to, at, row + b * width * size, n);
                else
                    memcpy(at, row + b * width * size, n * size);
            }
        }
    }
    free(row);
    if (!aligned)
        sa_issue_refuse(&issue, "atomic on GM at %p, which is not aligned to %s", dst,
                        sa_dtype_name(to));
}
