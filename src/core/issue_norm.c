/* The high-level family on rows: gated activations, softmax, normalisations, quantisation. On a
 * chip each is a sequence of simple instructions over temporaries; here each row is computed at
 * once, in float32 (sums in the tree of isa/reduce.c), and rounded to its dtype at the end. */
#include "core/ahead.h"
#include "core/rows.h"

/* ---- gated activations */

typedef double (*gate)(double b, double scalar);

static double gate_swish(double b, double scalar)
{
    return b == -INFINITY ? -0.0 : b / (1 + exp(-scalar * b));
}
static double gate_gelu(double b, double scalar)
{
    (void)scalar;
    return gate_swish(b, 1.5957691216057308 * (1 + 0.044715 * b * b));
}
static double gate_relu(double b, double scalar)
{
    (void)scalar;
    return b > 0 || b != b ? b : 0;
}

static void gated(sa_issue *issue, sa_dtype dtype, void *dst, const void *a, const void *b,
                  gate open, double scalar, uint32_t n)
{
    uint64_t bytes = n * sa_dtype_bytes(dtype);
    a = sa_issue_operand(issue, SA_UB, false, a, 1, bytes, 0);
    b = sa_issue_operand(issue, SA_UB, false, b, 1, bytes, 0);
    dst = sa_issue_operand(issue, SA_UB, true, dst, 1, bytes, 0);
    sa_issue_show(issue, n);
    for (uint32_t i = 0; i < n; i++) {
        if (dtype == SA_F32)
            ((float *)dst)[i] =
                (float)(((const float *)a)[i] * open(((const float *)b)[i], scalar));
        else
            ((sa_half *)dst)[i] =
                sa_double_to_half((double)sa_half_to_float(((const sa_half *)a)[i]) *
                                  open(sa_half_to_float(((const sa_half *)b)[i]), scalar));
    }
}

void sa_swiglu(sa_core *core, sa_dtype dtype, void *dst, const void *a, const void *b,
               double scalar, uint32_t n)
{
    BEGIN(swiglu, dtype);
    gated(&issue, dtype, dst, a, b, gate_swish, scalar, n);
}

void sa_geglu(sa_core *core, sa_dtype dtype, void *dst, const void *a, const void *b, uint32_t n)
{
    BEGIN(geglu, dtype);
    gated(&issue, dtype, dst, a, b, gate_gelu, 0, n);
}

void sa_reglu(sa_core *core, sa_dtype dtype, void *dst, const void *a, const void *b, uint32_t n)
{
    BEGIN(reglu, dtype);
    gated(&issue, dtype, dst, a, b, gate_relu, 0, n);
}

/* ---- softmax */

/* to = exp(row - max), by the backend's exp; fetches ahead between. -inf minus -inf is a row of
 * nothing but -inf. */
static void exponentials(sa_core *core, float *to, const float *row, float max, uint32_t n)
{
    sa_ahead_fetch(core);
    core->isa->adds[SA_F32](to, row, -(double)max, n);
    sa_ahead_fetch(core);
    core->isa->exp[SA_F32](to, to, n);
    sa_ahead_fetch(core);
}

static float largest(const sa_isa *isa, const float *row, uint32_t n)
{
    float x;
    isa->reduce_max[SA_F32](&x, row, n);
    return x;
}

static float total(const sa_isa *isa, const float *row, uint32_t n)
{
    float x;
    isa->reduce_sum[SA_F32](&x, row, n);
    return x;
}

static bool apart_by(const void *a, const void *b, uint64_t bytes)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x + bytes <= y || y + bytes <= x;
}

static void divide(const sa_isa *isa, float *row, float by, uint32_t n)
{
    isa->divs[SA_F32](row, row, (double)by, n);
}

void sa_softmax(sa_core *core, sa_dtype dtype, void *dst, sa_dtype stat_dtype, void *sum, void *max,
                uint32_t stat_width, const void *src, uint32_t rows, uint32_t cols, uint32_t pitch)
{
    BEGIN(softmax, dtype);
    ROWS_IN_AND_OUT
    statistic sums = statistic_of(&issue, stat_dtype, stat_width, sum, true, rows);
    statistic maxima = statistic_of(&issue, stat_dtype, stat_width, max, true, rows);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *row = row_of_floats(&issue, cols);
    bool apart =
        dtype == SA_F32 && apart_by(dst, src, sa_issue_extent(rows, cols * size, pitch_bytes));
    for (uint32_t r = 0; r < rows; r++) {
        const void *from = row_at(src, r, pitch_bytes);
        void *to = (void *)row_at(dst, r, pitch_bytes);
        const float *in = apart ? from : row;
        float *work = apart ? to : row;
        if (!apart)
            load_row(isa, row, dtype, from, cols);
        float m = largest(isa, in, cols);
        exponentials(core, work, in, m, cols);
        float s = total(isa, work, cols);
        divide(isa, work, s, cols);
        sa_ahead_fetch(core);
        if (!apart)
            store_row(isa, dtype, to, row, cols);
        put(isa, &sums, r, s);
        put(isa, &maxima, r, m);
    }
    free(row);
}

void sa_softmax_given(sa_core *core, sa_dtype dtype, void *dst, sa_dtype stat_dtype,
                      const void *sum, const void *max, uint32_t stat_width, const void *src,
                      uint32_t rows, uint32_t cols, uint32_t pitch)
{
    BEGIN(softmax_given, dtype);
    ROWS_IN_AND_OUT
    if (!sum || !max)
        sa_issue_refuse(&issue, "needs sum and max");
    statistic sums = statistic_of(&issue, stat_dtype, stat_width, sum, false, rows);
    statistic maxima = statistic_of(&issue, stat_dtype, stat_width, max, false, rows);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *row = row_of_floats(&issue, cols);
    for (uint32_t r = 0; r < rows; r++) {
        load_row(isa, row, dtype, row_at(src, r, pitch_bytes), cols);
        exponentials(core, row, row, get(&maxima, r), cols);
        divide(isa, row, get(&sums, r), cols);
        store_row(isa, dtype, (void *)row_at(dst, r, pitch_bytes), row, cols);
    }
    free(row);
}

static void flash(sa_issue issue, bool ratio, sa_core *core, sa_dtype dtype, void *dst,
                  sa_dtype stat_dtype, void *sum, void *max, void *factor, const void *old_sum,
                  const void *old_max, uint32_t stat_width, const void *src, uint32_t rows,
                  uint32_t cols, uint32_t pitch, bool update)
{
    ROWS_IN_AND_OUT
    if (!sum || !max || (update && (!old_sum || !old_max)))
        sa_issue_refuse(&issue, "needs sum and max, and with update the old ones");
    statistic sums = statistic_of(&issue, stat_dtype, stat_width, sum, true, rows);
    statistic maxima = statistic_of(&issue, stat_dtype, stat_width, max, true, rows);
    statistic old_sums = statistic_of(&issue, stat_dtype, stat_width, old_sum, false, rows);
    statistic old_maxima = statistic_of(&issue, stat_dtype, stat_width, old_max, false, rows);
    /* the factor is for the caller's accumulators: as wide as they are stored */
    statistic factors = statistic_of(&issue, dtype, 32 / (uint32_t)size, factor, true, rows);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *row = row_of_floats(&issue, cols);
    for (uint32_t r = 0; r < rows; r++) {
        load_row(isa, row, dtype, row_at(src, r, pitch_bytes), cols);
        float m = largest(isa, row, cols), f = 0, before = 0;
        if (update) {
            float old = get(&old_maxima, r);
            m = MAX_OF(old, m);
            f = (float)exp((double)old - (double)m);
            before = f * get(&old_sums, r);
        }
        exponentials(core, row, row, m, cols);
        float s = before + total(isa, row, cols);
        if (ratio) {
            divide(isa, row, s, cols);
            f = before / s;
        }
        store_row(isa, dtype, (void *)row_at(dst, r, pitch_bytes), row, cols);
        put(isa, &sums, r, s);
        put(isa, &maxima, r, m);
        if (update)
            put(isa, &factors, r, f);
    }
    free(row);
}

void sa_softmax_flash(sa_core *core, sa_dtype dtype, void *dst, sa_dtype stat_dtype, void *sum,
                      void *max, void *factor, const void *old_sum, const void *old_max,
                      uint32_t stat_width, const void *src, uint32_t rows, uint32_t cols,
                      uint32_t pitch, bool update)
{
    BEGIN(softmax_flash, dtype);
    flash(issue, false, core, dtype, dst, stat_dtype, sum, max, factor, old_sum, old_max,
          stat_width, src, rows, cols, pitch, update);
}

void sa_softmax_flash_ratio(sa_core *core, sa_dtype dtype, void *dst, sa_dtype stat_dtype,
                            void *sum, void *max, void *factor, const void *old_sum,
                            const void *old_max, uint32_t stat_width, const void *src,
                            uint32_t rows, uint32_t cols, uint32_t pitch, bool update)
{
    BEGIN(softmax_flash_ratio, dtype);
    flash(issue, true, core, dtype, dst, stat_dtype, sum, max, factor, old_sum, old_max, stat_width,
          src, rows, cols, pitch, update);
}

void sa_log_softmax(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                    uint32_t cols, uint32_t pitch)
{
    BEGIN(log_softmax, dtype);
    ROWS_IN_AND_OUT
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *row = row_of_floats(&issue, cols);
    for (uint32_t r = 0; r < rows; r++) {
        load_row(isa, row, dtype, row_at(src, r, pitch_bytes), cols);
        float m = largest(isa, row, cols);
        exponentials(core, row, row, m, cols);
        float s = (float)log((double)total(isa, row, cols));
        load_row(isa, row, dtype, row_at(src, r, pitch_bytes), cols);
        for (uint32_t i = 0; i < cols; i++)
            row[i] = row[i] - m - s;
        store_row(isa, dtype, (void *)row_at(dst, r, pitch_bytes), row, cols);
    }
    free(row);
}

/* ---- normalisations */

void sa_layer_norm(sa_core *core, sa_dtype dtype, void *dst, void *mean, void *variance,
                   const void *src, const void *gamma, const void *beta, double epsilon,
                   uint32_t rows, uint32_t cols, uint32_t pitch)
{
    BEGIN(layer_norm, dtype);
    ROWS_IN_AND_OUT
    statistic means = statistic_of(&issue, dtype, 1, mean, true, rows);
    statistic variances = statistic_of(&issue, dtype, 1, variance, true, rows);
    gamma = gamma ? READS(SA_UB, gamma, 1, cols * size, 0) : NULL;
    beta = beta ? READS(SA_UB, beta, 1, cols * size, 0) : NULL;
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *row = row_of_floats(&issue, 4 * cols);
    float *squares = row + cols, *scale = row + 2 * (size_t)cols, *shift = row + 3 * (size_t)cols;
    if (gamma)
        load_row(isa, scale, dtype, gamma, cols);
    if (beta)
        load_row(isa, shift, dtype, beta, cols);
    for (uint32_t r = 0; r < rows; r++) {
        load_row(isa, row, dtype, row_at(src, r, pitch_bytes), cols);
        float m = total(isa, row, cols) / (float)cols;
        for (uint32_t i = 0; i < cols; i++) {
            row[i] -= m;
            squares[i] = row[i] * row[i];
        }
        float v = total(isa, squares, cols) / (float)cols;
        float factor = (float)(1 / sqrt((double)v + epsilon));
        for (uint32_t i = 0; i < cols; i++)
            row[i] = row[i] * factor * (gamma ? scale[i] : 1) + (beta ? shift[i] : 0);
        store_row(isa, dtype, (void *)row_at(dst, r, pitch_bytes), row, cols);
        put(isa, &means, r, m);
        put(isa, &variances, r, v);
    }
    free(row);
}

void sa_rms_norm(sa_core *core, sa_dtype dtype, void *dst, const void *src, const void *gamma,
                 double epsilon, uint32_t rows, uint32_t cols, uint32_t pitch)
{
    BEGIN(rms_norm, dtype);
    ROWS_IN_AND_OUT
    gamma = gamma ? READS(SA_UB, gamma, 1, cols * size, 0) : NULL;
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *row = row_of_floats(&issue, 3 * cols);
    float *squares = row + cols, *scale = row + 2 * (size_t)cols;
    if (gamma)
        load_row(isa, scale, dtype, gamma, cols);
    for (uint32_t r = 0; r < rows; r++) {
        load_row(isa, row, dtype, row_at(src, r, pitch_bytes), cols);
        for (uint32_t i = 0; i < cols; i++)
            squares[i] = row[i] * row[i];
        double mean = (double)(total(isa, squares, cols) / (float)cols);
        float factor = (float)(1 / sqrt(mean + epsilon));
        for (uint32_t i = 0; i < cols; i++)
            row[i] = row[i] * factor * (gamma ? scale[i] : 1);
        store_row(isa, dtype, (void *)row_at(dst, r, pitch_bytes), row, cols);
    }
    free(row);
}

/* ---- quantisation */

/* Scales or offsets as floats, in host memory; NULL where there are none. */
static float *row_of_scales(sa_issue *issue, sa_dtype dtype, const void *from, uint32_t cols)
{
    if (!from)
        return NULL;
    from = sa_issue_operand(issue, SA_UB, false, from, 1, cols * sa_dtype_bytes(dtype), 0);
    float *row = row_of_floats(issue, cols);
    if (dtype != SA_U64)
        load_row(issue->core->isa, row, dtype, from, cols);
    else
        for (uint32_t i = 0; i < cols; i++)
            memcpy(row + i, (const uint64_t *)from + i, sizeof *row);
    return row;
}

void sa_quant(sa_core *core, sa_dtype from, void *dst, const void *src, double scale, double offset,
              sa_dtype scale_dtype, const void *scales, const void *offsets, uint32_t rows,
              uint32_t cols)
{
    BEGIN(quant, from);
    uint64_t n = (uint64_t)rows * cols, size = sa_dtype_bytes(from);
    src = READS(SA_UB, src, 1, n * size, 0);
    float *by = row_of_scales(&issue, scale_dtype, scales, cols);
    float *and = row_of_scales(&issue, scale_dtype, offsets, cols);
    int8_t *to = WRITES(SA_UB, dst, 1, n, 0);
    sa_issue_show(&issue, n);
    float *row = row_of_floats(&issue, cols);
    for (uint32_t r = 0; r < rows; r++) {
        load_row(core->isa, row, from, row_at(src, r, cols * size), cols);
        for (uint32_t i = 0; i < cols; i++)
            row[i] = row[i] * (by ? by[i] : (float)scale) + (and? and[i] : (float)offset);
        core->isa->cast[SA_I8][SA_F32](to + (size_t)r * cols, row, SA_ROUND_RINT, cols);
    }
    free(and);
    free(by);
    free(row);
}

void sa_dequant(sa_core *core, sa_dtype to, void *dst, sa_dtype from, const void *src, double scale,
                double offset, sa_dtype scale_dtype, const void *scales, const void *offsets,
                uint32_t rows, uint32_t cols)
{
    BEGIN(dequant, to);
    uint64_t n = (uint64_t)rows * cols, size = sa_dtype_bytes(to), in = sa_dtype_bytes(from);
    if (from != SA_I32 && from != SA_I8)
        sa_issue_refuse(&issue, "takes int32 and int8, not %s", sa_dtype_name(from));
    src = READS(SA_UB, src, 1, n * in, 0);
    float *by = row_of_scales(&issue, scale_dtype, scales, cols);
    float *and = row_of_scales(&issue, scale_dtype, offsets, cols);
    dst = WRITES(SA_UB, dst, 1, n * size, 0);
    sa_issue_show(&issue, n);
    float *row = row_of_floats(&issue, cols);
    for (uint32_t r = 0; r < rows; r++) {
        load_row(core->isa, row, from, row_at(src, r, cols * in), cols);
        for (uint32_t i = 0; i < cols; i++)
            row[i] = (row[i] + (and? and[i] : (float)offset)) * (by ? by[i] : (float)scale);
        store_row(core->isa, to, (void *)row_at(dst, r, cols * size), row, cols);
    }
    free(and);
    free(by);
    free(row);
}
