/* Moves with parameters: padding, paths between local memories, the bias table, NZ by Nd2NzParams.
 */
#include "core/isa/body.h"
#include "core/issue.h"

#include <string.h>

static void fill(sa_core *core, sa_dtype dtype, uint8_t *at, double value, uint64_t n)
{
    if (n)
        core->isa->fill[dtype](at, value, n);
}

void sa_copy_in_pad(sa_core *core, sa_dtype dtype, void *ub, const void *gm, const sa_pad_rows *p)
{
    BEGIN(copy_in_pad, dtype);
    uint64_t size = sa_dtype_bytes(dtype), left = p->left * size, right = p->right * size;
    uint64_t row = left + p->row_bytes + right;
    if (p->rows > 1 && p->ub_pitch_bytes < row)
        sa_issue_refuse(&issue, "rows of %llu bytes with their padding lie %u bytes apart in UB",
                        (unsigned long long)row, p->ub_pitch_bytes);
    if ((left && (uintptr_t)ub % size) || (right && p->row_bytes % size))
        sa_issue_refuse(&issue, "padding of %s beside rows of %u bytes", sa_dtype_name(dtype),
                        p->row_bytes);
    if (!p->rows || !row)
        return;
    if (p->row_bytes)
        gm = READS(SA_GM, gm, p->rows, p->row_bytes, p->gm_pitch_bytes);
    uint8_t *to = WRITES(SA_UB, ub, p->rows, row, p->ub_pitch_bytes);
    sa_issue_show(&issue, (uint64_t)p->rows * p->row_bytes);
    for (uint32_t r = 0; r < p->rows; r++, to += p->ub_pitch_bytes) {
        fill(core, dtype, to, p->value, p->left);
        fill(core, dtype, to + left + p->row_bytes, p->value, p->right);
    }
    to -= (uint64_t)p->rows * p->ub_pitch_bytes;
    if (p->row_bytes)
        core->isa->copy_in[SA_U8](to + left, p->ub_pitch_bytes, gm, p->gm_pitch_bytes, p->rows,
                                  p->row_bytes);
}

/* Rows from one local memory to another, or to GM. */
static void rows_between(sa_issue *issue, sa_memory to, void *dst, int64_t dst_pitch,
                         sa_memory from, const void *src, int64_t src_pitch, uint32_t rows,
                         uint32_t row_bytes)
{
    if (!rows || !row_bytes)
        return;
    src = sa_issue_operand(issue, from, false, src, rows, row_bytes, src_pitch);
    dst = sa_issue_operand(issue, to, true, dst, rows, row_bytes, dst_pitch);
    sa_issue_show(issue, (uint64_t)rows * row_bytes);
    issue->core->isa->copy_in[SA_U8](dst, dst_pitch, src, src_pitch, rows, row_bytes);
}

void sa_copy_l1_out_2d(sa_core *core, void *gm, int64_t gm_pitch_bytes, const void *l1,
                       uint32_t l1_pitch_bytes, uint32_t rows, uint32_t row_bytes)
{
    BEGIN(copy_l1_out, SA_U8);
    if (core->atomic != SA_ATOMIC_NONE)
        sa_atomic_rows(core, issue.event.pc, SA_I_copy_l1_out, SA_L1, gm, gm_pitch_bytes, l1,
                       l1_pitch_bytes, rows, row_bytes);
    else
        rows_between(&issue, SA_GM, gm, gm_pitch_bytes, SA_L1, l1, l1_pitch_bytes, rows, row_bytes);
}

void sa_copy_ub_l1_2d(sa_core *core, void *l1, uint32_t l1_pitch_bytes, const void *ub,
                      uint32_t ub_pitch_bytes, uint32_t rows, uint32_t row_bytes)
{
    BEGIN(copy_ub_l1, SA_U8);
    rows_between(&issue, SA_L1, l1, l1_pitch_bytes, SA_UB, ub, ub_pitch_bytes, rows, row_bytes);
}

void sa_copy_l1_ub_2d(sa_core *core, void *ub, uint32_t ub_pitch_bytes, const void *l1,
                      uint32_t l1_pitch_bytes, uint32_t rows, uint32_t row_bytes)
{
    BEGIN(copy_l1_ub, SA_U8);
    rows_between(&issue, SA_UB, ub, ub_pitch_bytes, SA_L1, l1, l1_pitch_bytes, rows, row_bytes);
}

void sa_copy_bt(sa_core *core, sa_dtype to, void *bt, sa_dtype from, const void *l1, uint32_t n)
{
    BEGIN(copy_bt, to);
    bool widens = to == SA_F32 && (from == SA_F16 || from == SA_BF16);
    if (to != from && !widens)
        sa_issue_refuse(&issue, "%s to %s: takes the same type, or float16 and bfloat16 to float32",
                        sa_dtype_name(from), sa_dtype_name(to));
    if (!n)
        return;
    issue.event.dtype_from = from;
    l1 = READS(SA_L1, l1, 1, n * sa_dtype_bytes(from), 0);
    bt = WRITES(SA_BT, bt, 1, n * sa_dtype_bytes(to), 0);
    sa_issue_show(&issue, n);
    if (widens)
        core->isa->cast[to][from](bt, l1, SA_ROUND_NONE, n);
    else
        memcpy(bt, l1, n * sa_dtype_bytes(to));
}

static void l0c_to_ub(sa_issue *issue, sa_dtype to, void *ub, uint32_t ub_pitch, sa_dtype from,
                      const void *l0c, uint32_t l0c_pitch, uint32_t rows, uint32_t cols,
                      float scale, bool relu)
{
    const sa_isa *isa = issue->core->isa;
    uint64_t size = sa_dtype_bytes(to);
    if (from != SA_F32 && from != SA_I32)
        sa_issue_refuse(issue, "accumulators are float32 or int32, not %s", sa_dtype_name(from));
    if (!rows || !cols)
        return;
    issue->event.dtype_from = from;
    const uint8_t *in = sa_issue_operand(issue, SA_L0C, false, l0c, rows, (uint64_t)cols * 4,
                                         (int64_t)l0c_pitch * 4);
    uint8_t *out =
        sa_issue_operand(issue, SA_UB, true, ub, rows, cols * size, (int64_t)(ub_pitch * size));
    sa_issue_show(issue, (uint64_t)rows * cols);
    for (uint64_t r = 0; r < rows; r++) {
        const uint8_t *row = in + r * l0c_pitch * 4;
        uint8_t *end = out + r * ub_pitch * size;
        if (scale == 1 && !relu) {
            isa->cast[to][from](end, row, SA_ROUND_NONE, cols);
            continue;
        }
        for (uint32_t c = 0, n; c < cols; c += n) { /* a fractal at a time */
            float part[256];
            n = cols - c < 256 ? cols - c : 256;
            isa->cast[SA_F32][from](part, row + c * 4, SA_ROUND_NONE, n);
            for (uint32_t i = 0; i < n; i++) {
                part[i] *= scale;
                part[i] = relu && part[i] < 0 ? 0 : part[i];
            }
            isa->cast[to][SA_F32](end + c * size, part,
                                  to == SA_I32 ? SA_ROUND_RINT : SA_ROUND_NONE, n);
        }
    }
}

void sa_copy_l0c_ub(sa_core *core, sa_dtype to, void *ub, uint32_t ub_pitch, sa_dtype from,
                    const void *l0c, uint32_t l0c_pitch, uint32_t rows, uint32_t cols)
{
    BEGIN(copy_l0c_ub, to);
    l0c_to_ub(&issue, to, ub, ub_pitch, from, l0c, l0c_pitch, rows, cols, 1, false);
}

void sa_copy_l0c_ub_scaled(sa_core *core, sa_dtype to, void *ub, uint32_t ub_pitch, sa_dtype from,
                           const void *l0c, uint32_t l0c_pitch, uint32_t rows, uint32_t cols,
                           double scale, bool relu)
{
    BEGIN(copy_l0c_ub, to);
    l0c_to_ub(&issue, to, ub, ub_pitch, from, l0c, l0c_pitch, rows, cols, (float)scale, relu);
}

void sa_fill_l1(sa_core *core, sa_dtype dtype, void *l1, double value, uint32_t blocks,
                uint32_t run_bytes, uint32_t gap_bytes)
{
    BEGIN(fill_l1, dtype);
    int64_t pitch = (int64_t)run_bytes + gap_bytes;
    if (run_bytes % 32 || gap_bytes % 32)
        sa_issue_refuse(&issue, "runs of %u bytes, %u between: both are multiples of 32", run_bytes,
                        gap_bytes);
    uint8_t *to = WRITES(SA_L1, l1, blocks, run_bytes, pitch);
    sa_issue_show(&issue, (uint64_t)blocks * run_bytes / sa_dtype_bytes(dtype));
    for (uint32_t i = 0; i < blocks; i++)
        fill(core, dtype, to + i * pitch, value, run_bytes / sa_dtype_bytes(dtype));
}

void sa_nd2nz_ext(sa_core *core, sa_dtype dtype, void *l1, const void *gm, const sa_nd2nz_params *p)
{
    BEGIN(nd2nz_ext, dtype);
    uint64_t size = sa_dtype_bytes(dtype);
    if (!p->nd || !p->n || !p->d)
        return;
    uint64_t blocks = UP(p->d * size, 32) / 32;
    uint64_t reach =
        ((blocks - 1) * p->dst_c0_stride + (uint64_t)(p->n - 1) * p->dst_n_stride + 1) * 32;
    uint64_t from = sa_issue_extent(p->n, p->d * size, p->src_d * (int64_t)size);
    gm = READS(SA_GM, gm, p->nd, from, p->src_nd_stride * (int64_t)size);
    uint8_t *to = WRITES(SA_L1, l1, p->nd, reach, (int64_t)(p->dst_nz_stride * size));
    sa_issue_show(&issue, (uint64_t)p->nd * p->n * p->d);
    /* the bodies move bits: one type of each size has them */
    const sa_dtype as = size == 4 ? SA_F32 : size == 2 ? SA_F16 : SA_I8;
    for (uint32_t i = 0; i < p->nd; i++, to += p->dst_nz_stride * size) {
        const uint8_t *in = (const uint8_t *)gm + i * p->src_nd_stride * (int64_t)size;
        if (p->dst_n_stride == 1) {
            core->isa->nd2nz[as](to, p->dst_c0_stride, in, p->src_d, p->n, p->d);
            continue;
        }
        for (uint32_t r = 0; r < p->n; r++)
            core->isa->nd2nz[as](to + (uint64_t)r * p->dst_n_stride * 32, p->dst_c0_stride,
                                 in + r * p->src_d * (int64_t)size, p->src_d, 1, p->d);
    }
}
