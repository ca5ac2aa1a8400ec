/* Gradients of softmax and layer norm, and normalisations beyond issue_norm.c's. Computed in double
 * from the operands, rounded once. */
#include "core/rows.h"

#define TWO_ROWS(p) p = READS(SA_UB, p, rows, cols * size, (int64_t)pitch_bytes)

/* A whole operand of n elements as floats, in host memory that `all` owns. */
static float *floats(sa_issue *issue, sa_dtype dtype, const void *from, uint64_t n)
{
    from = sa_issue_operand(issue, SA_UB, false, from, 1, n * sa_dtype_bytes(dtype), 0);
    float *all = row_of_floats(issue, (uint32_t)n);
    load_row(issue->core->isa, all, dtype, from, n);
    return all;
}

void sa_softmax_grad(sa_core *core, sa_dtype dtype, void *dst, const void *g, const void *y,
                     uint32_t rows, uint32_t cols, uint32_t pitch, bool front)
{
    BEGIN(softmax_grad, dtype);
    const uint64_t size = sa_dtype_bytes(dtype), pitch_bytes = pitch * size;
    if (!rows || !cols)
        return;
    TWO_ROWS(g);
    TWO_ROWS(y);
    dst = WRITES(SA_UB, dst, rows, front ? 32 : cols * size, front ? 32 : (int64_t)pitch_bytes);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *gradient = row_of_floats(&issue, 2 * cols), *value = gradient + cols;
    for (uint32_t r = 0; r < rows; r++) {
        load_row(core->isa, gradient, dtype, row_at(g, r, pitch_bytes), cols);
        load_row(core->isa, value, dtype, row_at(y, r, pitch_bytes), cols);
        double s = 0;
        for (uint32_t i = 0; i < cols; i++)
            s += (double)gradient[i] * value[i];
        if (front) {
            core->isa->fill[dtype]((void *)row_at(dst, r, 32), s, 32 / size);
            continue;
        }
        for (uint32_t i = 0; i < cols; i++)
            value[i] = (float)((gradient[i] - s) * value[i]);
        store_row(core->isa, dtype, (void *)row_at(dst, r, pitch_bytes), value, cols);
    }
    free(gradient);
}

bool sa_softmax_adjust(sa_core *core, sa_dtype dtype, void *data, sa_dtype stat_dtype,
                       const void *max, uint32_t stat_width, uint32_t from, double to,
                       uint32_t rows, uint32_t cols, uint32_t pitch)
{
    BEGIN(softmax_adjust, dtype);
    const uint64_t size = sa_dtype_bytes(dtype), pitch_bytes = pitch * size;
    const statistic maxima = statistic_of(&issue, stat_dtype, stat_width, max, false, rows);
    data = WRITES(SA_UB, data, rows, cols * size, (int64_t)pitch_bytes);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    bool any = false;
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t bits = 0;
        uint64_t each = sa_dtype_bytes(stat_dtype);
        memcpy(&bits, maxima.at + r * stat_width * each, each);
        if (bits == (each == 2 ? from & 0xffff : from)) {
            core->isa->fill[dtype]((void *)row_at(data, r, pitch_bytes), to, cols);
            any = true;
        }
    }
    return any;
}

void sa_layer_norm_grad(sa_core *core, sa_dtype dtype, void *dx, void *normal, const void *dy,
                        const void *x, const void *variance, const void *mean, const void *gamma,
                        double epsilon, uint32_t rows, uint32_t cols, uint32_t pitch)
{
    BEGIN(layer_norm_grad, dtype);
    const uint64_t size = sa_dtype_bytes(dtype), pitch_bytes = pitch * size;
    if (!rows || !cols)
        return;
    TWO_ROWS(dy);
    TWO_ROWS(x);
    const statistic means = statistic_of(&issue, dtype, 1, mean, false, rows);
    const statistic variances = statistic_of(&issue, dtype, 1, variance, false, rows);
    float *scale = floats(&issue, dtype, gamma, cols);
    dx = WRITES(SA_UB, dx, rows, cols * size, (int64_t)pitch_bytes);
    normal = WRITES(SA_UB, normal, rows, cols * size, (int64_t)pitch_bytes);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *g = row_of_floats(&issue, 2 * cols), *v = g + cols;
    for (uint32_t r = 0; r < rows; r++) {
        load_row(core->isa, g, dtype, row_at(dy, r, pitch_bytes), cols);
        load_row(core->isa, v, dtype, row_at(x, r, pitch_bytes), cols);
        const double m = get(&means, r), factor = 1 / sqrt((double)get(&variances, r) + epsilon);
        double sum = 0, weighted = 0, distances = 0;
        for (uint32_t i = 0; i < cols; i++) {
            const double part = (double)g[i] * scale[i], far = v[i] - m;
            sum += part;
            weighted += part * far;
            distances += far;
        }
        /* by variance, by mean, and straight */
        const double by_variance = -0.5 * weighted * factor * factor * factor;
        const double by_mean = -factor * sum - 2 * by_variance * distances / cols;
        for (uint32_t i = 0; i < cols; i++) {
            const double far = v[i] - m;
            g[i] = (float)((double)g[i] * scale[i] * factor + by_variance * 2 * far / cols +
                           by_mean / cols);
            v[i] = (float)(far * factor);
        }
        store_row(core->isa, dtype, (void *)row_at(dx, r, pitch_bytes), g, cols);
        store_row(core->isa, dtype, (void *)row_at(normal, r, pitch_bytes), v, cols);
    }
    free(g);
    free(scale);
}

void sa_layer_norm_grad_beta(sa_core *core, sa_dtype dtype, void *dgamma, void *dbeta,
                             const void *normal, const void *dy, uint32_t rows, uint32_t cols,
                             uint32_t pitch)
{
    BEGIN(layer_norm_grad_beta, dtype);
    const uint64_t size = sa_dtype_bytes(dtype), pitch_bytes = pitch * size;
    if (!rows || !cols)
        return;
    TWO_ROWS(normal);
    TWO_ROWS(dy);
    dgamma = WRITES(SA_UB, dgamma, 1, cols * size, 0);
    dbeta = WRITES(SA_UB, dbeta, 1, cols * size, 0);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *g = row_of_floats(&issue, 4 * cols), *v = g + cols;
    double *by_gamma = calloc(2 * (size_t)cols, sizeof *by_gamma), *by_beta = by_gamma + cols;
    if (!by_gamma)
        sa_issue_refuse(&issue, "no host memory for a row of %u", cols);
    for (uint32_t r = 0; r < rows; r++) {
        load_row(core->isa, g, dtype, row_at(dy, r, pitch_bytes), cols);
        load_row(core->isa, v, dtype, row_at(normal, r, pitch_bytes), cols);
        for (uint32_t i = 0; i < cols; i++) {
            by_gamma[i] += (double)g[i] * v[i];
            by_beta[i] += g[i];
        }
    }
    for (uint32_t i = 0; i < cols; i++) {
        g[i] = (float)by_beta[i];
        v[i] = (float)by_gamma[i];
    }
    store_row(core->isa, dtype, dgamma, v, cols);
    store_row(core->isa, dtype, dbeta, g, cols);
    free(by_gamma);
    free(g);
}

/* ---- normalisations; `all` holds every row, packed */

/* Mean and variance of n values, each `step` after the one before. */
static void moments(const float *x, size_t n, size_t step, double *mean, double *variance)
{
    double m = 0, v = 0;
    for (size_t i = 0; i < n; i++)
        m += x[i * step];
    m /= (double)n;
    for (size_t i = 0; i < n; i++)
        v += (x[i * step] - m) * (x[i * step] - m);
    *mean = m;
    *variance = v / (double)n;
}

static float *all_rows(sa_issue *issue, sa_dtype dtype, const void *src, uint32_t rows,
                       uint32_t cols, uint64_t pitch_bytes)
{
    float *all = row_of_floats(issue, rows * cols);
    for (uint32_t r = 0; r < rows; r++)
        load_row(issue->core->isa, all + (size_t)r * cols, dtype, row_at(src, r, pitch_bytes),
                 cols);
    return all;
}

void sa_batch_norm(sa_core *core, sa_dtype dtype, void *dst, void *mean, void *variance,
                   const void *src, const void *gamma, const void *beta, double epsilon,
                   uint32_t rows, uint32_t cols, uint32_t pitch)
{
    BEGIN(batch_norm, dtype);
    ROWS_IN_AND_OUT
    mean = WRITES(SA_UB, mean, 1, cols * size, 0);
    variance = WRITES(SA_UB, variance, 1, cols * size, 0);
    float *scale = floats(&issue, dtype, gamma, rows), *shift = floats(&issue, dtype, beta, rows);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *all = all_rows(&issue, dtype, src, rows, cols, pitch_bytes);
    float *means = row_of_floats(&issue, 2 * cols), *variances = means + cols;
    for (uint32_t c = 0; c < cols; c++) {
        double m, v;
        moments(all + c, rows, cols, &m, &v);
        const double factor = 1 / sqrt(v + epsilon);
        for (uint32_t r = 0; r < rows; r++) {
            float *x = all + (size_t)r * cols + c;
            *x = (float)((*x - m) * factor * scale[r] + shift[r]);
        }
        means[c] = (float)m;
        variances[c] = (float)v;
    }
    for (uint32_t r = 0; r < rows; r++)
        store_row(isa, dtype, (void *)row_at(dst, r, pitch_bytes), all + (size_t)r * cols, cols);
    store_row(isa, dtype, mean, means, cols);
    store_row(isa, dtype, variance, variances, cols);
    free(means);
    free(all);
    free(shift);
    free(scale);
}

void sa_group_norm(sa_core *core, sa_dtype dtype, void *dst, void *mean, void *variance,
                   const void *src, const void *gamma, const void *beta, double epsilon,
                   uint32_t samples, uint32_t groups, uint32_t channels, uint32_t cols,
                   uint32_t pitch)
{
    BEGIN(group_norm, dtype);
    const uint32_t rows = samples * groups * channels;
    ROWS_IN_AND_OUT
    statistic means = statistic_of(&issue, dtype, 1, mean, true, samples * groups);
    statistic variances = statistic_of(&issue, dtype, 1, variance, true, samples * groups);
    float *scale = floats(&issue, dtype, gamma, (uint64_t)groups * channels);
    float *shift = floats(&issue, dtype, beta, (uint64_t)groups * channels);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *all = all_rows(&issue, dtype, src, rows, cols, pitch_bytes);
    const size_t n = (size_t)channels * cols;
    for (uint32_t g = 0; g < samples * groups; g++) {
        float *x = all + g * n;
        double m, v;
        moments(x, n, 1, &m, &v);
        const double factor = 1 / sqrt(v + epsilon);
        for (size_t i = 0; i < n; i++) {
            const size_t channel = g % groups * channels + i / cols;
            x[i] = (float)((x[i] - m) * factor * scale[channel] + shift[channel]);
        }
        put(isa, &means, g, (float)m);
        put(isa, &variances, g, (float)v);
    }
    for (uint32_t r = 0; r < rows; r++)
        store_row(isa, dtype, (void *)row_at(dst, r, pitch_bytes), all + (size_t)r * cols, cols);
    free(all);
    free(shift);
    free(scale);
}

void sa_normalize(sa_core *core, sa_dtype dtype, void *dst, void *rstd, const void *mean,
                  const void *variance, const void *src, sa_dtype weights, const void *gamma,
                  const void *beta, double epsilon, uint32_t rows, uint32_t cols, uint32_t pitch)
{
    BEGIN(normalize, dtype);
    ROWS_IN_AND_OUT
    const statistic means = statistic_of(&issue, SA_F32, 1, mean, false, rows);
    const statistic variances = statistic_of(&issue, SA_F32, 1, variance, false, rows);
    const statistic factors = statistic_of(&issue, SA_F32, 1, rstd, true, rows);
    float *scale = gamma ? floats(&issue, weights, gamma, cols) : NULL;
    float *shift = beta ? floats(&issue, weights, beta, cols) : NULL;
    sa_issue_show(&issue, (uint64_t)rows * cols);
    float *row = row_of_floats(&issue, cols);
    for (uint32_t r = 0; r < rows; r++) {
        load_row(isa, row, dtype, row_at(src, r, pitch_bytes), cols);
        const double m = get(&means, r), factor = 1 / sqrt((double)get(&variances, r) + epsilon);
        for (uint32_t i = 0; i < cols; i++)
            row[i] =
                (float)((row[i] - m) * factor * (scale ? scale[i] : 1) + (shift ? shift[i] : 0));
        store_row(isa, dtype, (void *)row_at(dst, r, pitch_bytes), row, cols);
        put(isa, &factors, r, (float)factor);
    }
    free(row);
    free(shift);
    free(scale);
}
