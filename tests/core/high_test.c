/* The high-level family and the instructions of two steps against long double, float16 and float32,
 * odd lengths, on every backend. */
#include "harness.h"

static uint64_t seed = 314159;

static long double uniform(long double low, long double high)
{
    return low + (high - low) * (long double)(random64(&seed) >> 11) * 0x1p-53L;
}

/* ---- functions of one and two operands: within half a unit of the last place, and a little for
 * what double lost */

#define UNARY_LIST(X)                                                                              \
    X(neg, -x, -9, 9)                                                                              \
    X(sign, (x > 0) - (x < 0), -1, 1)                                                              \
    X(floor, floorl(x), -99, 99)                                                                   \
    X(ceil, ceill(x), -99, 99)                                                                     \
    X(round_away, roundl(x), -99, 99)                                                              \
    X(rint, rintl(x), -99, 99)                                                                     \
    X(trunc, truncl(x), -99, 99)                                                                   \
    X(frac, x - truncl(x), -99, 99)                                                                \
    X(exp2, exp2l(x), -13, 13)                                                                     \
    X(log2, log2l(x), 1e-3L, 999)                                                                  \
    X(log10, log10l(x), 1e-3L, 999)                                                                \
    X(sin, sinl(x), -30, 30)                                                                       \
    X(cos, cosl(x), -30, 30)                                                                       \
    X(tan, tanl(x), -1.5L, 1.5L)                                                                   \
    X(asin, asinl(x), -1, 1)                                                                       \
    X(acos, acosl(x), -1, 1)                                                                       \
    X(atan, atanl(x), -99, 99)                                                                     \
    X(sinh, sinhl(x), -9, 9)                                                                       \
    X(cosh, coshl(x), -9, 9)                                                                       \
    X(asinh, asinhl(x), -99, 99)                                                                   \
    X(acosh, acoshl(x), 1, 99)                                                                     \
    X(atanh, atanhl(x), -0.999L, 0.999L)                                                           \
    X(erf, erfl(x), -4, 4)                                                                         \
    X(erfc, erfcl(x), -3, 3)                                                                       \
    X(lgamma, lgammal(x), 0.1L, 99)                                                                \
    X(gelu, x / (1 + expl(-2 * sqrtl(2 / acosl(-1)) * (x + 0.044715L * x * x * x))), -6, 6)        \
    X(gelu_erf, x *(1 + erfl(x / sqrtl(2))) / 2, -4, 4)                                            \
    X(gelu_fast, x / (1 + expl(-1.702L * x)), -9, 9)                                               \
    X(silu, x / (1 + expl(-x)), -9, 9)

/* Spacing of the format's values at x. */
static long double unit(const format *f, long double x)
{
    uint32_t bits = encode(f, fabsl(x), SA_ROUND_TRUNC);
    return magnitude(f, bits + 1) - magnitude(f, bits);
}

static void near(const char *name, const format *f, long double x, uint64_t got, long double want,
                 long double units)
{
    long double y = decode(f, (uint32_t)got);
    if (!(fabsl(y - want) <= units * unit(f, want)))
        fail_msg("%s of %Lg as %s: %La, not %La", name, x, sa_dtype_name(f->dtype), y, want);
}

static void functions(void **state)
{
    (void)state;
    static const sa_dtype types[] = {SA_F32, SA_F16};
    enum { N = 1003 };
    static uint8_t a[N * 4], out[N * 4];
    EACH_BACKEND(isa)
    for (size_t k = 0; k < COUNT(types); k++) {
        const format *f = format_of(types[k]);
#define UNARY_CASE(name, expression, low, high)                                                    \
    for (int i = 0; i < N; i++)                                                                    \
        put_bits(f->dtype, a, i, encode(f, uniform(low, high), SA_ROUND_TRUNC));                   \
    isa->name[f->dtype](out, a, N);                                                                \
    for (int i = 0; i < N; i++) {                                                                  \
        long double x = value_of(f->dtype, bits_at(f->dtype, a, i));                               \
        if (x >= (low) && x <= (high))                                                             \
            near(#name, f, x, bits_at(f->dtype, out, i), expression, 0.5001L);                     \
    }
        UNARY_LIST(UNARY_CASE)
        for (int i = 0; i < N; i++)
            put_bits(f->dtype, a, i, encode(f, uniform(-3, 3), SA_ROUND_TRUNC));
        isa->swish[f->dtype](out, a, 1.5, N);
        for (int i = 0; i < N; i++) {
            long double x = value_of(f->dtype, bits_at(f->dtype, a, i));
            near("swish", f, x, bits_at(f->dtype, out, i), x / (1 + expl(-1.5L * x)), 0.5001L);
        }
        isa->rpows[f->dtype](out, a, 2.5, N);
        for (int i = 0; i < N; i++) {
            long double x = value_of(f->dtype, bits_at(f->dtype, a, i));
            near("rpows", f, x, bits_at(f->dtype, out, i), powl(2.5L, x), 0.5001L);
        }
    }
}

static void limits(void **state)
{
    (void)state;
    float in[] = {-INFINITY, INFINITY, NAN, 0}, out[4];
    EACH_BACKEND(isa)
    {
        isa->gelu[SA_F32](out, in, 4);
        assert_true(out[0] == 0 && isinf(out[1]) && isnan(out[2]) && out[3] == 0);
        isa->silu[SA_F32](out, in, 4);
        assert_true(out[0] == 0 && isinf(out[1]) && isnan(out[2]) && out[3] == 0);
        isa->erf[SA_F32](out, in, 4);
        assert_true(out[0] == -1 && out[1] == 1 && isnan(out[2]) && out[3] == 0);
        isa->gelu_erf[SA_F32](out, in, 4);
        assert_true(out[0] == 0 && isinf(out[1]) && isnan(out[2]) && out[3] == 0);
    }
}

#define BINARY_LIST(X)                                                                             \
    X(add_relu, fmaxl(a + b, 0))                                                                   \
    X(sub_relu, fmaxl(a - b, 0))                                                                   \
    X(mul_add_dst, a *b + d)                                                                       \
    X(fused_mul_add, a *d + b)                                                                     \
    X(fused_mul_add_relu, fmaxl(a *d + b, 0))                                                      \
    X(prelu, a > 0 ? a : a * b)                                                                    \
    X(mod, fmodl(a, b))                                                                            \
    X(atan2, atan2l(a, b))

#define VALUE(name, expression)                                                                    \
    static long double value_##name(long double a, long double b, long double d)                   \
    {                                                                                              \
        (void)b, (void)d;                                                                          \
        return expression;                                                                         \
    }
BINARY_LIST(VALUE)

static void two_steps_round_once(void **state)
{
    (void)state;
    static const sa_dtype types[] = {SA_F32, SA_F16};
    enum { N = 517 };
    static uint8_t a[N * 4], b[N * 4], d[N * 4], out[N * 4];
    EACH_BACKEND(isa)
    for (size_t k = 0; k < COUNT(types); k++) {
        const format *f = format_of(types[k]);
        for (int i = 0; i < N; i++) {
            put_bits(f->dtype, a, i, encode(f, uniform(-9, 9), SA_ROUND_RINT));
            put_bits(f->dtype, b, i, encode(f, uniform(-9, 9), SA_ROUND_RINT));
            put_bits(f->dtype, d, i, encode(f, uniform(-9, 9), SA_ROUND_RINT));
        }
#define BINARY_CASE(name, expression)                                                              \
    memcpy(out, d, sizeof out);                                                                    \
    isa->name[f->dtype](out, a, b, N);                                                             \
    for (int i = 0; i < N; i++) {                                                                  \
        long double a_ = value_of(f->dtype, bits_at(f->dtype, a, i));                              \
        long double b_ = value_of(f->dtype, bits_at(f->dtype, b, i));                              \
        long double d_ = value_of(f->dtype, bits_at(f->dtype, d, i));                              \
        near(#name, f, a_, bits_at(f->dtype, out, i), value_##name(a_, b_, d_), 0.5001L);          \
    }
        BINARY_LIST(BINARY_CASE)
    }
}

static void shifts(void **state)
{
    (void)state;
    EACH_BACKEND(isa)
    for (int by = 0; by <= 33; by++) {
        int32_t a[] = {1, -1, 5, -5, INT32_MIN, INT32_MAX, 0x12345678}, out[7];
        uint16_t b[] = {1, 0xffff, 0x8001}, narrow[3];
        isa->shl[SA_I32](out, a, by, 7);
        for (int i = 0; i < 7; i++)
            assert_int_equal(out[i], by > 31 ? 0 : (int32_t)((uint32_t)a[i] << by));
        isa->shr[SA_I32](out, a, by, 7);
        for (int i = 0; i < 7; i++)
            assert_int_equal(out[i], (int32_t)floorl(ldexpl(a[i], -(by > 32 ? 32 : by))));
        isa->shr_round[SA_I32](out, a, by, 7);
        for (int i = 0; i < 7 && by < 32; i++)
            assert_int_equal(out[i], (int32_t)floorl(ldexpl(a[i], -by) + (by ? 0.5L : 0)));
        isa->shr[SA_U16](narrow, b, by, 3);
        for (int i = 0; i < 3; i++)
            assert_int_equal(narrow[i], by > 15 ? 0 : b[i] >> by);
        isa->xor [SA_I32](out, a, a, 7);
        assert_int_equal(out[6], 0);
    }
}

/* ---- rows */

enum { ROWS = 5, COLS = 61, PITCH = 64 };

static void rows_kernel(sa_core *core, void *args)
{
    sa_dtype t = *(const sa_dtype *)args;
    const format *f = format_of(t);
    size_t bytes = ROWS * PITCH * sa_dtype_bytes(t);
    uint8_t *in = sa_alloc(core, SA_UB, 2048), *out = sa_alloc(core, SA_UB, 2048);
    uint8_t *gamma = sa_alloc(core, SA_UB, 512), *beta = sa_alloc(core, SA_UB, 512);
    float *sum = sa_alloc(core, SA_UB, 256), *max = sa_alloc(core, SA_UB, 256);
    float *sum2 = sa_alloc(core, SA_UB, 256), *max2 = sa_alloc(core, SA_UB, 256);
    uint8_t *factor = sa_alloc(core, SA_UB, 256);
    uint8_t *mean = sa_alloc(core, SA_UB, 64), *variance = sa_alloc(core, SA_UB, 64);
    long double x[ROWS][COLS], g[COLS], b[COLS];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < PITCH; c++) {
            put_bits(t, in, r * PITCH + c, encode(f, uniform(-5, 5), SA_ROUND_RINT));
            if (c < COLS)
                x[r][c] = value_of(t, bits_at(t, in, r * PITCH + c));
        }
    for (int c = 0; c < COLS; c++) {
        put_bits(t, gamma, c, encode(f, uniform(0.5L, 2), SA_ROUND_RINT));
        put_bits(t, beta, c, encode(f, uniform(-1, 1), SA_ROUND_RINT));
        g[c] = value_of(t, bits_at(t, gamma, c));
        b[c] = value_of(t, bits_at(t, beta, c));
    }
    /* float32 inside: a few of its last places, more where terms cancel */
    const long double slack = 2e-6L;
#define EACH_ELEMENT(name, expression)                                                             \
    for (int r = 0; r < ROWS; r++) {                                                               \
        long double m = -INFINITY, s = 0, sq = 0, e = 0;                                           \
        for (int c = 0; c < COLS; c++) {                                                           \
            m = fmaxl(m, x[r][c]);                                                                 \
            s += x[r][c];                                                                          \
            sq += x[r][c] * x[r][c];                                                               \
        }                                                                                          \
        for (int c = 0; c < COLS; c++)                                                             \
            e += expl(x[r][c] - m);                                                                \
        long double mu = s / COLS, var = sq / COLS - mu * mu;                                      \
        (void)e, (void)var;                                                                        \
        for (int c = 0; c < COLS; c++) {                                                           \
            long double want = (expression), got = value_of(t, bits_at(t, out, r * PITCH + c));    \
            if (!(fabsl(got - want) <= 0.5001L * unit(f, want) + slack * fmaxl(1, fabsl(want))))   \
                fail_msg(name " %s (%d, %d): %Lg, not %Lg", sa_dtype_name(t), r, c, got, want);    \
        }                                                                                          \
    }
    sa_softmax(core, t, out, SA_F32, sum, max, 8, in, ROWS, COLS, PITCH);
    EACH_ELEMENT("softmax", expl(x[r][c] - m) / e)
    for (int r = 0; r < ROWS; r++)
        for (int i = 1; i < 8; i++)
            assert_true(sum[8 * r + i] == sum[8 * r] && max[8 * r + i] == max[8 * r]);
    memset(out, 0, bytes);
    sa_softmax_given(core, t, out, SA_F32, sum, max, 8, in, ROWS, COLS, PITCH);
    EACH_ELEMENT("softmax_given", expl(x[r][c] - m) / e)
    sa_log_softmax(core, t, out, in, ROWS, COLS, PITCH);
    EACH_ELEMENT("log_softmax", x[r][c] - m - logl(e))
    sa_layer_norm(core, t, out, mean, variance, in, gamma, beta, 1e-5, ROWS, COLS, PITCH);
    EACH_ELEMENT("layer_norm", (x[r][c] - mu) / sqrtl(var + 1e-5L) * g[c] + b[c])
    for (int r = 0; r < ROWS; r++) {
        long double mu = 0, var = 0;
        for (int c = 0; c < COLS; c++)
            mu += x[r][c] / COLS;
        for (int c = 0; c < COLS; c++)
            var += (x[r][c] - mu) * (x[r][c] - mu) / COLS;
        near("mean", f, 0, bits_at(t, mean, r), mu, 0.5001L + 1e-6L / unit(f, mu));
        near("variance", f, 0, bits_at(t, variance, r), var, 0.5001L + 1e-5L / unit(f, var));
    }
    sa_rms_norm(core, t, out, in, gamma, 1e-6, ROWS, COLS, PITCH);
    EACH_ELEMENT("rms_norm", x[r][c] / sqrtl(sq / COLS + 1e-6L) * g[c])

    /* two tiles of a row by the flash form: factor * first part + second part */
    sa_softmax_flash(core, t, out, SA_F32, sum, max, NULL, NULL, NULL, 8, in, ROWS, 30, PITCH,
                     false);
    sa_softmax_flash(core, t, out + 30 * sa_dtype_bytes(t), SA_F32, sum2, max2, factor, sum, max, 8,
                     in + 30 * sa_dtype_bytes(t), ROWS, 31, PITCH, true);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < 30; c++) {
            uint64_t at = (uint64_t)(r * PITCH + c), width = 32 / sa_dtype_bytes(t);
            long double y = value_of(t, bits_at(t, out, at));
            long double by = value_of(t, bits_at(t, factor, r * width));
            put_bits(t, out, at, encode(f, y * by, SA_ROUND_RINT));
        }
    for (int i = 0; i < ROWS * PITCH; i++)
        put_bits(t, out, i,
                 encode(f, value_of(t, bits_at(t, out, i)) / (long double)sum2[i / PITCH * 8],
                        SA_ROUND_RINT));
    for (int r = 0; r < ROWS; r++) {
        long double m = -INFINITY, e = 0;
        for (int c = 0; c < COLS; c++)
            m = fmaxl(m, x[r][c]);
        for (int c = 0; c < COLS; c++)
            e += expl(x[r][c] - m);
        assert_true((long double)max2[8 * r] == m);
        assert_true(fabsl((long double)sum2[8 * r] - e) <= 4e-6L * e);
        for (int c = 0; c < COLS; c++) { /* fp16: rounded three times more */
            long double want = expl(x[r][c] - m) / e;
            long double got = value_of(t, bits_at(t, out, r * PITCH + c));
            assert_true(fabsl(got - want) <= 3 * unit(f, want) + slack);
        }
    }
}

static void rows_are_normalised(void **state)
{
    (void)state;
    static const sa_dtype types[] = {SA_F32, SA_F16};
    for (size_t k = 0; k < COUNT(types); k++) {
        sa_error error;
        if (run_kernel(rows_kernel, (void *)&types[k], 1, SA_AIV, &error) != SA_OK)
            fail_msg("%s", error.message);
    }
}

static void matrix_kernel(sa_core *core, void *args)
{
    (void)args;
    float *in = sa_alloc(core, SA_UB, 8192), *out = sa_alloc(core, SA_UB, 8192);
    int32_t *words = sa_alloc(core, SA_UB, 8192);
    int8_t *bytes = sa_alloc(core, SA_UB, 2048);
    for (int i = 0; i < 700; i++)
        in[i] = (float)(int)(random64(&seed) % 41) - 20;
    for (int axis = 0; axis < 2; axis++) { /* [13, 45] of rows 50 apart: sums are exact */
        for (int op = 0; op < 3; op++) {
            (op == 0   ? sa_sum_2d
             : op == 1 ? sa_max_2d
                       : sa_min_2d)(core, SA_F32, out, in, 13, 45, 50, axis);
            for (int i = 0; i < (axis ? 13 : 45); i++) {
                float want = 0;
                for (int j = 0; j < (axis ? 45 : 13); j++) {
                    float x = axis ? in[i * 50 + j] : in[j * 50 + i];
                    want = j == 0    ? x
                           : op == 0 ? want + x
                           : op == 1 ? fmaxf(want, x)
                                     : fminf(want, x);
                }
                assert_true(out[i] == want);
            }
        }
        sa_cumsum(core, SA_F32, out, in, 13, 45, axis);
        for (int r = 0; r < 13; r++)
            for (int c = 0; c < 45; c++) {
                float want = 0;
                for (int j = 0; j <= (axis ? c : r); j++)
                    want += axis ? in[r * 45 + j] : in[j * 45 + c];
                assert_true(out[r * 45 + c] == want);
            }
    }
    sa_quant(core, SA_F32, bytes, in, 8.25, -3, SA_F32, NULL, NULL, 1, 101);
    for (int i = 0; i < 101; i++) {
        double q = nearbyint((double)in[i] * 8.25 - 3);
        assert_int_equal(bytes[i], (int)(q > 127 ? 127 : q < -128 ? -128 : q));
    }
    for (int i = 0; i < 101; i++)
        words[i] = (int)(random64(&seed) % 20001) - 10000;
    sa_deq_scale(core, 0.125);
    sa_cast_deq(core, out, words, 101);
    for (int i = 0; i < 101; i++)
        assert_int_equal(((uint16_t *)out)[i],
                         encode(format_of(SA_F16), words[i] * 0.125L, SA_ROUND_RINT));
    float *scales = sa_alloc(core, SA_UB, 512);
    for (int i = 0; i < 51; i++)
        scales[i] = 0.5f + (float)i;
    sa_dequant(core, SA_F32, out, SA_I32, words, 1, 0, SA_F32, scales, NULL, 2, 50);
    for (int i = 0; i < 100; i++)
        assert_true(out[i] == (float)words[i] * scales[i % 50]);
    sa_swiglu(core, SA_F32, out, in, in + 100, 1, 99);
    for (int i = 0; i < 99; i++) {
        long double b = in[100 + i], want = in[i] * (b / (1 + expl(-b)));
        near("swiglu", format_of(SA_F32), b, bits_at(SA_F32, out, i), want, 0.5001L);
    }
}

static void matrices_reduce(void **state)
{
    (void)state;
    sa_error error;
    if (run_kernel(matrix_kernel, NULL, 1, SA_AIV, &error) != SA_OK)
        fail_msg("%s", error.message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions),
        cmocka_unit_test(limits),
        cmocka_unit_test(two_steps_round_once),
        cmocka_unit_test(shifts),
        cmocka_unit_test(rows_are_normalised),
        cmocka_unit_test(matrices_reduce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
