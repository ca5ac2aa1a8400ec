/* Bias and activation over rows of float32, and the activations' derivatives: what sits between
 * the products of dense layers. Over math_text.h's vocabulary, every backend with the same bits.
 *
 * Units in the last place off float64, where the result is a normal number: gelu 2 for x > 0, 6
 * below (its tail keeps its digits, as 1 + erf would not); gelu_tanh 6, silu 4; relu none. */
#include <string.h>

/* Phi(-a), the normal distribution's tail, for a in [0, 40]; e = exp(-a^2 / 2), whose exponent's
 * rounding is made good. Phi(-a) / e is t P(t) with t = 1 / (1 + 0.28 a), P off by 9.8e-9. */
MATH_INLINE vf math_normal_tail(vf a, vf *e)
{
    vf square = vf_mul(a, a);
    vf rest = vf_fma(a, a, vf_sub(F(0.0f), square));
    vf power = math_exp_falling(vf_mul(square, F(-0.5f)));
    *e = vf_fma(power, vf_mul(rest, F(-0.5f)), power);
    vf t = vf_div(F(1.0f), vf_fma(a, F(0x1.1eb852p-2f), F(1.0f)));
    vf p = F(-0x1.9d24eep-7f);
    p = vf_fma(p, t, F(0x1.6fc674p-4f));
    p = vf_fma(p, t, F(-0x1.e5a234p-3f));
    p = vf_fma(p, t, F(0x1.13d01cp-2f));
    p = vf_fma(p, t, F(-0x1.1f2452p-3f));
    p = vf_fma(p, t, F(0x1.18498ep-3f));
    p = vf_fma(p, t, F(0x1.07130cp-4f));
    p = vf_fma(p, t, F(0x1.b4e34cp-4f));
    p = vf_fma(p, t, F(0x1.c806bap-4f));
    p = vf_fma(p, t, F(0x1.c99a96p-4f));
    return vf_mul(vf_mul(p, t), *e);
}

MATH_INLINE vf math_absolute(vf x)
{
    return vf_of(vi_and(vf_bits(x), I(0x7FFFFFFFu)));
}

/* Phi(x), |x| <= 40; e = exp(-x^2 / 2). Near 0 it is 1/2 + x R(x^2), R off by 1.2e-8. */
MATH_INLINE vf math_normal(vf x, vf *e)
{
    vf a = math_absolute(x), tail = math_normal_tail(a, e), square = vf_mul(x, x);
    vf near = F(0x1.a246fep-14f);
    near = vf_fma(near, square, F(-0x1.34b846p-10f));
    near = vf_fma(near, square, F(0x1.46bba8p-7f));
    near = vf_fma(near, square, F(-0x1.1057fcp-4f));
    near = vf_fma(near, square, F(0x1.988454p-2f));
    near = vf_fma(x, near, F(0.5f));
    vf far = vf_if(vf_lt(x, F(0.0f)), tail, vf_sub(F(1.0f), tail));
    return vf_if(vf_lt(a, F(0.85f)), near, far);
}

/* x Phi(x). Below -40 it is -0. */
MATH_INLINE vf math_gelu(vf x)
{
    vf e, low = vf_above(F(-40.0f), x);
    return vf_mul(low, math_normal(vf_below(F(40.0f), low), &e));
}

/* Phi(x) + x phi(x) */
MATH_INLINE vf math_gelu_slope(vf x)
{
    vf e, mid = vf_below(F(40.0f), vf_above(F(-40.0f), x));
    vf phi = math_normal(mid, &e);
    return vf_fma(vf_mul(mid, F(0x1.988454p-2f)), e, phi); /* 1 / sqrt(2 pi) */
}

/* sigmoid(z), z = 2 sqrt(2 / pi) (x + 0.044715 x^3) rounded, made good for what that leaves out. */
#define GELU_LINEAR 0x1.988454p+0f
#define GELU_LINEAR_REST -0x1.857936p-25f
#define GELU_CUBIC 0x1.2444f2p-4f
#define GELU_CUBIC_REST 0x1.49b16ap-29f
MATH_INLINE vf math_gelu_gate(vf x)
{
    vf square = vf_mul(x, x);
    vf cubic = vf_mul(square, F(GELU_CUBIC)), w = vf_add(cubic, F(GELU_LINEAR));
    vf z = vf_mul(x, w), linear = vf_sub(w, cubic); /* what of w is not from cubic */
    vf rest = vf_add(vf_sub(cubic, vf_sub(w, linear)), vf_sub(F(GELU_LINEAR), linear));
    rest = vf_add(rest, vf_fma(square, F(GELU_CUBIC), vf_sub(F(0.0f), cubic)));
    rest = vf_add(rest, vf_fma(square, F(GELU_CUBIC_REST), F(GELU_LINEAR_REST)));
    rest = vf_fma(vf_fma(x, x, vf_sub(F(0.0f), square)), F(GELU_CUBIC), rest);
    rest = vf_fma(x, rest, vf_fma(x, w, vf_sub(F(0.0f), z)));
    vf s = math_sigmoid(z);
    return vf_fma(vf_sub(s, vf_mul(s, s)), rest, s);
}

/* Beyond +-16 the gate is 0 or 1. */
MATH_INLINE vf math_gelu_tanh(vf x)
{
    vf low = vf_above(F(-16.0f), x);
    return vf_mul(low, math_gelu_gate(vf_below(F(16.0f), low)));
}

MATH_INLINE vf math_gelu_tanh_slope(vf x)
{
    vf mid = vf_below(F(16.0f), vf_above(F(-16.0f), x));
    vf s = math_gelu_gate(mid);
    vf inner = vf_fma(vf_mul(mid, mid), F(3 * GELU_CUBIC), F(GELU_LINEAR));
    vf rest = math_gelu_gate(vf_sub(F(0.0f), mid)); /* 1 - s, without its loss of digits */
    return vf_fma(vf_mul(mid, inner), vf_mul(s, rest), s);
}

/* Below -104 the sigmoid is 0. */
MATH_INLINE vf math_silu(vf x)
{
    return vf_mul(vf_above(F(-150.0f), x), math_sigmoid(x));
}

MATH_INLINE vf math_silu_slope(vf x)
{
    vf mid = vf_below(F(150.0f), vf_above(F(-150.0f), x));
    vf s = math_sigmoid(mid), rest = math_sigmoid(vf_sub(F(0.0f), mid));
    return vf_fma(mid, vf_mul(s, rest), s);
}

/* NaN stays. */
MATH_INLINE vf math_relu(vf x)
{
    return vf_above(F(0.0f), x);
}

MATH_INLINE vf math_relu_slope(vf x)
{
    return vf_if(vf_lt(F(0.0f), x), F(1.0f), F(0.0f));
}

MATH_INLINE vf math_relu6(vf x)
{
    return vf_below(F(6.0f), vf_above(F(0.0f), x));
}

MATH_INLINE vf math_relu6_slope(vf x)
{
    return vf_if(vf_lt(F(0.0f), x), vf_if(vf_lt(x, F(6.0f)), F(1.0f), F(0.0f)), F(0.0f));
}

MATH_INLINE vf math_tanh_slope(vf x)
{
    vf y = math_tanh(x);
    return vf_fma(vf_sub(F(0.0f), y), y, F(1.0f));
}

MATH_INLINE vf math_sigmoid_slope(vf x)
{
    vf s = math_sigmoid(x);
    return vf_sub(s, vf_mul(s, s));
}

#define math_none(x) (x)
#define math_none_slope(x) F(1.0f)

#define ACTIVATE(name)                                                                             \
    static void activate_##name(float *rows, size_t pitch, size_t m, size_t n, const float *bias)  \
    {                                                                                              \
        for (; m > 0; m--, rows += pitch) {                                                        \
            size_t i = 0;                                                                          \
            for (; i + VF_LANES <= n; i += VF_LANES) {                                             \
                vf x = vf_load(rows + i);                                                          \
                x = bias ? vf_add(x, vf_load(bias + i)) : x;                                       \
                vf_store(rows + i, math_##name(x));                                                \
            }                                                                                      \
            if (i < n) {                                                                           \
                float rest[VF_LANES] = {0}, more[VF_LANES] = {0};                                  \
                memcpy(rest, rows + i, (n - i) * sizeof *rest);                                    \
                if (bias)                                                                          \
                    memcpy(more, bias + i, (n - i) * sizeof *more);                                \
                vf x = vf_load(rest);                                                              \
                x = bias ? vf_add(x, vf_load(more)) : x;                                           \
                vf_store(rest, math_##name(x));                                                    \
                memcpy(rows + i, rest, (n - i) * sizeof *rest);                                    \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void activate_grad_##name(float *g, const float *x, size_t n)                           \
    {                                                                                              \
        size_t i = 0;                                                                              \
        for (; i + VF_LANES <= n; i += VF_LANES) {                                                 \
            vf at = vf_load(x + i);                                                                \
            (void)at;                                                                              \
            vf_store(g + i, vf_mul(vf_load(g + i), math_##name##_slope(at)));                      \
        }                                                                                          \
        if (i < n) {                                                                               \
            float rest[VF_LANES] = {0}, more[VF_LANES] = {0};                                      \
            memcpy(rest, g + i, (n - i) * sizeof *rest);                                           \
            memcpy(more, x + i, (n - i) * sizeof *more);                                           \
            vf at = vf_load(more);                                                                 \
            (void)at;                                                                              \
            vf_store(rest, vf_mul(vf_load(rest), math_##name##_slope(at)));                        \
            memcpy(g + i, rest, (n - i) * sizeof *rest);                                           \
        }                                                                                          \
    }
ACTIVATE(none)
ACTIVATE(relu)
ACTIVATE(relu6)
ACTIVATE(tanh)
ACTIVATE(sigmoid)
ACTIVATE(gelu)
ACTIVATE(gelu_tanh)
ACTIVATE(silu)

static void fill_activate(sa_isa *isa)
{
#define SET_ACTIVATE(kind, name)                                                                   \
    isa->activate[kind] = activate_##name, isa->activate_grad[kind] = activate_grad_##name;
    SET_ACTIVATE(SA_ACTIVATE_NONE, none)
    SET_ACTIVATE(SA_ACTIVATE_RELU, relu)
    SET_ACTIVATE(SA_ACTIVATE_RELU6, relu6)
    SET_ACTIVATE(SA_ACTIVATE_TANH, tanh)
    SET_ACTIVATE(SA_ACTIVATE_SIGMOID, sigmoid)
    SET_ACTIVATE(SA_ACTIVATE_GELU, gelu)
    SET_ACTIVATE(SA_ACTIVATE_GELU_TANH, gelu_tanh)
    SET_ACTIVATE(SA_ACTIVATE_SILU, silu)
}
