/* exp, ln, sigmoid, tanh: math_text.h for one float; pow. fp16 computes in fp32 and rounds once. */
#include "core/isa/scalar_words.h"

#include "core/isa/math_text.h"

#define BODIES(name)                                                                               \
    static void name##_f32(void *dst, const void *a, size_t n)                                     \
    {                                                                                              \
        float *y = dst;                                                                            \
        const float *x = a;                                                                        \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = math_##name(x[i]);                                                              \
    }                                                                                              \
    static void name##_f16(void *dst, const void *a, size_t n)                                     \
    {                                                                                              \
        sa_half *y = dst;                                                                          \
        const sa_half *x = a;                                                                      \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = sa_float_to_half(math_##name(sa_half_to_float(x[i])));                          \
    }

BODIES(exp)
BODIES(ln)
BODIES(sigmoid)
BODIES(tanh)

/* In double, rounded once: exact cases come out exact. */
static void pow_f32(void *dst, const void *a, const void *b, size_t n)
{
    float *y = dst;
    const float *base = a, *exponent = b;
    for (size_t i = 0; i < n; i++)
        y[i] = (float)pow(base[i], exponent[i]);
}

static void pow_f16(void *dst, const void *a, const void *b, size_t n)
{
    sa_half *y = dst;
    const sa_half *base = a, *exponent = b;
    for (size_t i = 0; i < n; i++)
        y[i] = sa_double_to_half(
            pow((double)sa_half_to_float(base[i]), (double)sa_half_to_float(exponent[i])));
}

/* Wraps; a negative exponent leaves what 1 / base ^ -exponent is as an integer. */
static void pow_i32(void *dst, const void *a, const void *b, size_t n)
{
    int32_t *y = dst;
    const int32_t *base = a, *exponent = b;
    for (size_t i = 0; i < n; i++) {
        uint32_t x = (uint32_t)base[i], product = 1;
        int32_t e = exponent[i];
        if (e < 0)
            product = base[i] == 1 ? 1 : base[i] == -1 ? (e & 1 ? (uint32_t)-1 : 1) : 0;
        for (; e > 0; e >>= 1, x *= x)
            product *= e & 1 ? x : 1;
        y[i] = (int32_t)product;
    }
}

void sa_isa_fill_math(sa_isa *isa)
{
    isa->pow[SA_F32] = pow_f32;
    isa->pow[SA_F16] = pow_f16;
    isa->pow[SA_I32] = pow_i32;
    isa->exp[SA_F32] = exp_f32;
    isa->exp[SA_F16] = exp_f16;
    isa->ln[SA_F32] = ln_f32;
    isa->ln[SA_F16] = ln_f16;
    isa->sigmoid[SA_F32] = sigmoid_f32;
    isa->sigmoid[SA_F16] = sigmoid_f16;
    isa->tanh[SA_F32] = tanh_f32;
    isa->tanh[SA_F16] = tanh_f16;
}
