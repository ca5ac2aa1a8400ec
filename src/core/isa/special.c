/* Functions of the high-level family: computed in double by the C library and rounded once, so that
 * a last bit of the library's does not show. */
#include "core/isa/body.h"

#define UNARY(name, expression)                                                                    \
    static inline double value_##name(double a)                                                    \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    static void name##_F32(void *dst, const void *va, size_t n)                                    \
    {                                                                                              \
        float *out = dst;                                                                          \
        const float *in = va;                                                                      \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = (float)value_##name(in[i]);                                                   \
    }                                                                                              \
    static void name##_F16(void *dst, const void *va, size_t n)                                    \
    {                                                                                              \
        sa_half *out = dst;                                                                        \
        const sa_half *in = va;                                                                    \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = sa_double_to_half(value_##name((double)sa_half_to_float(in[i])));             \
    }

/* For a of -inf the factor is 0 and so is the product. */
#define LOGISTIC_PART(a, x) ((a) == -INFINITY ? -0.0 : (a) / (1 + exp(-(x))))

#define EACH(X)                                                                                    \
    X(neg, -a)                                                                                     \
    X(sign, a != a ? a : (a > 0) - (a < 0))                                                        \
    X(floor, floor(a))                                                                             \
    X(ceil, ceil(a))                                                                               \
    X(round_away, round(a))                                                                        \
    X(rint, nearbyint(a))                                                                          \
    X(trunc, trunc(a))                                                                             \
    X(frac, a - trunc(a))                                                                          \
    X(exp2, exp2(a))                                                                               \
    X(log2, log2(a))                                                                               \
    X(log10, log10(a))                                                                             \
    X(sin, sin(a))                                                                                 \
    X(cos, cos(a))                                                                                 \
    X(tan, tan(a))                                                                                 \
    X(asin, asin(a))                                                                               \
    X(acos, acos(a))                                                                               \
    X(atan, atan(a))                                                                               \
    X(sinh, sinh(a))                                                                               \
    X(cosh, cosh(a))                                                                               \
    X(asinh, asinh(a))                                                                             \
    X(acosh, acosh(a))                                                                             \
    X(atanh, atanh(a))                                                                             \
    X(erf, erf(a))                                                                                 \
    X(erfc, erfc(a))                                                                               \
    X(lgamma, log_gamma(a))                                                                        \
    X(digamma, digamma(a))                                                                         \
    X(gelu, LOGISTIC_PART(a, 1.5957691216057308 * (a + 0.044715 * a * a * a)))                     \
    X(gelu_erf, a == -INFINITY ? -0.0 : 0.5 * a * erfc(-a * 0.70710678118654752440))               \
    X(gelu_fast, LOGISTIC_PART(a, 1.702 * a))                                                      \
    X(silu, LOGISTIC_PART(a, a))

/* lgamma writes signgam, which threads share; lgamma_r does not. */
extern double lgamma_r(double x, int *sign);
static inline double log_gamma(double a)
{
    int sign;
    return lgamma_r(a, &sign);
}

/* Reflected to the right half, moved past 10 by the recurrence, there the asymptotic series. */
static double digamma(double a)
{
    double sum = 0;
    if (a != a || a == -INFINITY || (a <= 0 && a == floor(a)))
        return NAN;
    if (a < 0) {
        double part = a - floor(a); /* tan has period 1 here, and small arguments are exact */
        return digamma(1 - a) - 3.14159265358979323846 / tan(3.14159265358979323846 * part);
    }
    for (; a < 10; a += 1)
        sum -= 1 / a;
    double x = 1 / a, x2 = x * x;
    double series = 1.0 / 12 - x2 * (1.0 / 120 - x2 * (1.0 / 252 - x2 * (1.0 / 240 - x2 / 132)));
    return sum + log(a) - x / 2 - x2 * series;
}

EACH(UNARY)

#define SCALAR(name, expression)                                                                   \
    static void name##_F32(void *dst, const void *va, double scalar, size_t n)                     \
    {                                                                                              \
        float *out = dst;                                                                          \
        const float *in = va;                                                                      \
        const double b = scalar_F32(scalar);                                                       \
        for (size_t i = 0; i < n; i++) {                                                           \
            const double a = in[i];                                                                \
            out[i] = (float)(expression);                                                          \
        }                                                                                          \
    }                                                                                              \
    static void name##_F16(void *dst, const void *va, double scalar, size_t n)                     \
    {                                                                                              \
        sa_half *out = dst;                                                                        \
        const sa_half *in = va;                                                                    \
        const double b = scalar_F16(scalar);                                                       \
        for (size_t i = 0; i < n; i++) {                                                           \
            const double a = sa_half_to_float(in[i]);                                              \
            out[i] = sa_double_to_half(expression);                                                \
        }                                                                                          \
    }
SCALAR(pows, pow(a, b))
SCALAR(rpows, pow(b, a))
SCALAR(swish, LOGISTIC_PART(a, a *b))

static void atan2_F32(void *dst, const void *va, const void *vb, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((float *)dst)[i] = (float)atan2(((const float *)va)[i], ((const float *)vb)[i]);
}

static void atan2_F16(void *dst, const void *va, const void *vb, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((sa_half *)dst)[i] = sa_double_to_half(atan2(sa_half_to_float(((const sa_half *)va)[i]),
                                                      sa_half_to_float(((const sa_half *)vb)[i])));
}

void sa_isa_fill_special(sa_isa *isa)
{
#define SET(name, ...)                                                                             \
    isa->name[SA_F32] = name##_F32;                                                                \
    isa->name[SA_F16] = name##_F16;
    EACH(SET)
    SET(pows)
    SET(rpows)
    SET(swish)
    SET(atan2)
}
