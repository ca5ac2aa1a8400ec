/* Elementwise instructions of two steps (add and clamp, multiply and add), shifts, exclusive or. */
#include "core/isa/body.h"

#define BINARY(name, D, expression)                                                                \
    static void name##_##D(void *dst, const void *va, const void *vb, size_t n)                    \
    {                                                                                              \
        storage_##D *out = dst;                                                                    \
        const storage_##D *pa = va, *pb = vb;                                                      \
        for (size_t i = 0; i < n; i++) {                                                           \
            const compute_##D a = load_##D(pa[i]), b = load_##D(pb[i]), d = load_##D(out[i]);      \
            (void)d;                                                                               \
            out[i] = store_##D((compute_##D)(expression));                                         \
        }                                                                                          \
    }
#define SCALAR(name, D, expression)                                                                \
    static void name##_##D(void *dst, const void *va, double scalar, size_t n)                     \
    {                                                                                              \
        storage_##D *out = dst;                                                                    \
        const storage_##D *pa = va;                                                                \
        const compute_##D b = scalar_##D(scalar);                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const compute_##D a = load_##D(pa[i]);                                                 \
            out[i] = store_##D((compute_##D)(expression));                                         \
        }                                                                                          \
    }
#define FLOATS(FORM, name, expression) FORM(name, F32, expression) FORM(name, F16, expression)
#define ARITH(FORM, name, expression, wrapping)                                                    \
    FLOATS(FORM, name, expression)                                                                 \
    FORM(name, I16, wrapping) FORM(name, I32, wrapping)
#define WORDS(FORM, name, expression)                                                              \
    FORM(name, I16, expression)                                                                    \
    FORM(name, U16, expression) FORM(name, I32, expression) FORM(name, U32, expression)
#define WRAP(a, op, b) ((uint64_t)(a)op(uint64_t)(b))
/* of a double that is to become fp16 in one rounding */
#define ONCE(x) sa_half_to_float(sa_double_to_half(x))
#define CLAMP(x) MAX_OF(x, 0)

WORDS(BINARY, xor, a ^ b)
BINARY(xor, U8, a ^ b)
FLOATS(BINARY, add_relu, CLAMP(a + b))
BINARY(add_relu, I16, CLAMP((int16_t)WRAP(a, +, b)))
FLOATS(BINARY, sub_relu, CLAMP(a - b))
BINARY(sub_relu, I16, CLAMP((int16_t)WRAP(a, -, b)))
FLOATS(BINARY, prelu, a > 0 ? a : a * b)
BINARY(mul_add_dst, F32, fmaf(a, b, d))
BINARY(mul_add_dst, F16, ONCE(fma((double)a, b, d)))
BINARY(fused_mul_add, F32, fmaf(a, d, b))
BINARY(fused_mul_add, F16, ONCE(fma((double)a, d, b)))
BINARY(fused_mul_add_relu, F32, CLAMP(fmaf(a, d, b)))
BINARY(fused_mul_add_relu, F16, CLAMP(ONCE(fma((double)a, d, b))))
FLOATS(BINARY, mod, fmodf(a, b))
BINARY(mod, I32, b == 0 ? 0 : b == -1 ? 0 : a % b)

FLOATS(SCALAR, divs, a / b)
FLOATS(SCALAR, rdivs, b / a)
ARITH(SCALAR, rsubs, b - a, WRAP(b, -, a))

/* Bits shifted out past the width are gone: a shift of the width or more leaves 0, or the sign. */
#define WIDTH(a) (8 * sizeof(a))
#define SHIFT(name, D, expression)                                                                 \
    static void name##_##D(void *dst, const void *va, double scalar, size_t n)                     \
    {                                                                                              \
        storage_##D *out = dst;                                                                    \
        const storage_##D *pa = va;                                                                \
        const unsigned width = WIDTH(*pa);                                                         \
        const unsigned b = scalar >= width ? width : scalar > 0 ? (unsigned)scalar : 0;            \
        for (size_t i = 0; i < n; i++) {                                                           \
            const int64_t a = pa[i];                                                               \
            out[i] = (storage_##D)(expression);                                                    \
        }                                                                                          \
    }
WORDS(SHIFT, shl, (uint64_t)a << b)
WORDS(SHIFT, shr, a >> b)
/* the last bit shifted out rounds up */
WORDS(SHIFT, shr_round, b ? (a >> b) + (a >> (b - 1) & 1) : a)

static void mul_add_dst_wide(void *dst, const void *va, const void *vb, size_t n)
{
    float *out = dst;
    const sa_half *a = va, *b = vb;
    for (size_t i = 0; i < n; i++) /* a product of two fp16 is exact in fp32 */
        out[i] += sa_half_to_float(a[i]) * sa_half_to_float(b[i]);
}

static void axpy_wide(void *dst, const void *va, double scalar, size_t n)
{
    float *out = dst;
    const sa_half *a = va;
    const float b = scalar_F16(scalar);
    for (size_t i = 0; i < n; i++)
        out[i] += sa_half_to_float(a[i]) * b;
}

void sa_isa_fill_fused(sa_isa *isa)
{
#define SET(name, D) isa->name[SA_##D] = name##_##D;
#define SET_FLOATS(name) SET(name, F32) SET(name, F16)
#define SET_WORDS(name) SET(name, I16) SET(name, U16) SET(name, I32) SET(name, U32)
    SET_WORDS(xor);
    SET(xor, U8);
    SET_FLOATS(add_relu);
    SET(add_relu, I16);
    SET_FLOATS(sub_relu);
    SET(sub_relu, I16);
    SET_FLOATS(prelu);
    SET_FLOATS(mul_add_dst);
    SET_FLOATS(fused_mul_add);
    SET_FLOATS(fused_mul_add_relu);
    SET_FLOATS(mod);
    SET(mod, I32);
    SET_FLOATS(divs);
    SET_FLOATS(rdivs);
    SET_FLOATS(rsubs);
    SET(rsubs, I16);
    SET(rsubs, I32);
    SET_WORDS(shl);
    SET_WORDS(shr);
    SET_WORDS(shr_round);
    isa->mul_add_dst_wide[SA_F32] = mul_add_dst_wide;
    isa->axpy_wide[SA_F32] = axpy_wide;
}
