/* Running statistics, quantisation forms, choices by bytes and reductions of truth (high.h). */
#include "core/rows.h"

void sa_welford_update(sa_core *core, sa_dtype dtype, void *mean, void *squares,
                       const void *old_mean, const void *old_squares, const void *x,
                       double reciprocal, uint32_t n)
{
    BEGIN(welford_update, dtype);
    const uint64_t size = sa_dtype_bytes(dtype);
    const float *before = READS(SA_UB, old_mean, 1, n * 4ull, 0);
    const float *spread = READS(SA_UB, old_squares, 1, n * 4ull, 0);
    x = READS(SA_UB, x, 1, n * size, 0);
    float *m = WRITES(SA_UB, mean, 1, n * 4ull, 0), *s = WRITES(SA_UB, squares, 1, n * 4ull, 0);
    sa_issue_show(&issue, n);
    if (!n)
        return;
    float *row = row_of_floats(&issue, n);
    load_row(core->isa, row, dtype, x, n);
    for (uint32_t i = 0; i < n; i++) {
        const double far = (double)row[i] - before[i], now = before[i] + far * reciprocal;
        s[i] = (float)(spread[i] + far * (row[i] - now));
        m[i] = (float)now;
    }
    free(row);
}

void sa_welford_finalize(sa_core *core, void *mean, void *variance, const void *means,
                         const void *squares, const void *counts, double each, double reciprocal,
                         uint32_t n)
{
    BEGIN(welford_finalize, SA_F32);
    const float *m = READS(SA_UB, means, 1, n * 4ull, 0);
    const float *s = READS(SA_UB, squares, 1, n * 4ull, 0);
    const int32_t *c = counts ? READS(SA_UB, counts, 1, n * 4ull, 0) : NULL;
    float *out_mean = WRITES(SA_UB, mean, 1, 4, 0),
          *out_variance = WRITES(SA_UB, variance, 1, 4, 0);
    sa_issue_show(&issue, n);
    double total = 0, spread = 0;
    for (uint32_t i = 0; i < n; i++)
        total += m[i] * (c ? c[i] : each);
    total *= reciprocal;
    for (uint32_t i = 0; i < n; i++)
        spread += s[i] + (m[i] - total) * (m[i] - total) * (c ? c[i] : each);
    *out_mean = (float)total;
    *out_variance = (float)(spread * reciprocal);
}

/* ---- quantisation */

void sa_antiquant(sa_core *core, sa_dtype dtype, void *dst, const void *src, double scale,
                  double offset, const void *scales, const void *offsets, uint32_t rows,
                  uint32_t cols, uint32_t group)
{
    BEGIN(antiquant, dtype);
    const sa_isa *isa = core->isa;
    const uint64_t n = (uint64_t)rows * cols, size = sa_dtype_bytes(dtype);
    if (!n)
        return;
    const uint32_t groups = group ? (rows + group - 1) / group : 1;
    const int8_t *from = READS(SA_UB, src, 1, n, 0);
    scales = scales ? READS(SA_UB, scales, groups, cols * size, (int64_t)(cols * size)) : NULL;
    offsets = offsets ? READS(SA_UB, offsets, groups, cols * size, (int64_t)(cols * size)) : NULL;
    dst = WRITES(SA_UB, dst, 1, n * size, 0);
    sa_issue_show(&issue, n);
    float *row = row_of_floats(&issue, 3 * cols), *by = row + cols, *plus = by + cols;
    for (uint32_t r = 0; r < rows; r++) {
        const uint64_t at = group ? r / group : 0;
        if (scales)
            load_row(isa, by, dtype, row_at(scales, at, cols * size), cols);
        if (offsets)
            load_row(isa, plus, dtype, row_at(offsets, at, cols * size), cols);
        for (uint32_t i = 0; i < cols; i++)
            row[i] = (float)((from[(size_t)r * cols + i] + (offsets ? plus[i] : offset)) *
                             (scales ? by[i] : scale));
        store_row(isa, dtype, (void *)row_at(dst, r, cols * size), row, cols);
    }
    free(row);
}

void sa_cast_i4(sa_core *core, bool pack, void *dst, const void *src, sa_round round, uint32_t n)
{
    BEGIN(cast_i4, SA_F16);
    src = READS(SA_UB, src, 1, pack ? n * 2ull : (n + 1ull) / 2, 0);
    dst = WRITES(SA_UB, dst, 1, pack ? (n + 1ull) / 2 : n * 2ull, 0);
    sa_issue_show(&issue, n);
    if (!n)
        return;
    if (!pack) {
        sa_half *to = dst;
        for (uint32_t i = n; i-- > 0;) {
            int nibble = ((const uint8_t *)src)[i / 2] >> (i % 2 * 4) & 15;
            to[i] = sa_float_to_half((float)(nibble < 8 ? nibble : nibble - 16));
        }
        return;
    }
    int8_t *whole = (int8_t *)row_of_floats(&issue, n);
    core->isa->cast[SA_I8][SA_F16](whole, src, round, n);
    for (uint32_t i = 0; i < n; i += 2) {
        uint32_t byte = 0;
        for (uint32_t j = 0; j < 2 && i + j < n; j++) {
            int x = whole[i + j]; /* NOLINT(bugprone-signed-char-misuse): a number */
            byte |= (uint32_t)((x < -8 ? -8 : x > 7 ? 7 : x) & 15) << 4 * j;
        }
        ((uint8_t *)dst)[i / 2] = (uint8_t)byte;
    }
    free(whole);
}

void sa_cast_vdeq(sa_core *core, sa_dtype to, void *dst, const void *src, const float scales[16],
                  const int16_t offsets[16], bool second, uint32_t n)
{
    BEGIN(cast_vdeq, to);
    const int16_t *from = READS(SA_UB, src, 1, n * 2ull, 0);
    uint8_t *out = WRITES(SA_UB, dst, 1, (n + 15ull) / 16 * 32, 0);
    sa_issue_show(&issue, n);
    for (uint32_t i = 0; i < n; i++) {
        double x = rint((double)from[i] * scales[i % 16]) + offsets[i % 16];
        const double low = to == SA_I8 ? -128 : 0, high = to == SA_I8 ? 127 : 255;
        x = x < low ? low : x > high ? high : x;
        out[i / 16 * 32 + (second ? 16 : 0) + i % 16] = (uint8_t)(int)x;
    }
}

/* ---- choice */

void sa_select_bytes(sa_core *core, sa_dtype dtype, void *dst, const void *a, const void *b,
                     double scalar, const void *mask, sa_dtype mask_dtype, uint32_t rows,
                     uint32_t cols, uint32_t mask_pitch)
{
    BEGIN(select_bytes, dtype);
    const uint64_t size = sa_dtype_bytes(dtype), each = sa_dtype_bytes(mask_dtype);
    const uint64_t n = (uint64_t)rows * cols;
    uint8_t one[8];
    if (!n)
        return;
    a = a ? READS(SA_UB, a, 1, n * size, 0) : NULL;
    b = b ? READS(SA_UB, b, 1, n * size, 0) : NULL;
    const uint8_t *choice = READS(SA_UB, mask, rows, cols * each, (int64_t)(mask_pitch * each));
    dst = WRITES(SA_UB, dst, 1, n * size, 0);
    sa_issue_show(&issue, n);
    core->isa->fill[dtype](one, scalar, 1);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t i = 0; i < cols; i++) {
            const uint8_t *m = choice + ((uint64_t)r * mask_pitch + i) * each;
            bool set = false;
            for (uint64_t k = 0; k < each; k++)
                set |= m[k] != 0;
            const void *from = set ? b : a;
            const uint64_t at = ((uint64_t)r * cols + i) * size;
            memmove((uint8_t *)dst + at, from ? (const uint8_t *)from + at : one, size);
        }
}

/* ---- reductions along an axis */

typedef double (*fold)(double sum, double x);

static double fold_prod(double sum, double x)
{
    return sum * x;
}
static double fold_any(double sum, double x)
{
    return sum != 0 || x != 0;
}
static double fold_all(double sum, double x)
{
    return sum != 0 && x != 0;
}

static void fold_matrix(sa_issue *issue, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                        uint32_t cols, uint32_t pitch, int axis, fold f, double neutral)
{
    const sa_isa *isa = issue->core->isa;
    const uint64_t size = sa_dtype_bytes(dtype), results = axis ? rows : cols;
    if (axis != 0 && axis != 1)
        sa_issue_refuse(issue, "axis is %d: 0 goes down columns, 1 along rows", axis);
    if (!rows || !cols)
        return;
    src = sa_issue_operand(issue, SA_UB, false, src, rows, cols * size, (int64_t)(pitch * size));
    dst = sa_issue_operand(issue, SA_UB, true, dst, 1, results * size, 0);
    sa_issue_show(issue, (uint64_t)rows * cols);
    float *row = row_of_floats(issue, cols);
    double *sums = malloc(results * sizeof *sums);
    if (!sums)
        sa_issue_refuse(issue, "no host memory for %llu results", (unsigned long long)results);
    for (uint64_t i = 0; i < results; i++)
        sums[i] = neutral;
    for (uint32_t r = 0; r < rows; r++) {
        load_row(isa, row, dtype, row_at(src, r, pitch * size), cols);
        for (uint32_t i = 0; i < cols; i++) {
            double *sum = sums + (axis ? r : i);
            *sum = f(*sum, row[i]);
        }
    }
    for (uint64_t i = 0; i < results; i++)
        isa->fill[dtype]((uint8_t *)dst + i * size, sums[i], 1);
    free(sums);
    free(row);
}

#define FOLD(name, f, neutral)                                                                     \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,       \
                   uint32_t cols, uint32_t pitch, int axis)                                        \
    {                                                                                              \
        BEGIN(name, dtype);                                                                        \
        fold_matrix(&issue, dtype, dst, src, rows, cols, pitch, axis, f, neutral);                 \
    }
FOLD(prod_2d, fold_prod, 1)
FOLD(any_2d, fold_any, 0)
FOLD(all_2d, fold_all, 1)
