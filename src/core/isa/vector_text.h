/* Vector bodies over the vocabulary of math_text.h, for backends whose vf holds VF_LANES floats.
 *
 * fp16 is converted, computed in fp32 and rounded once; so are the portable bodies. Compilers make
 * good code of the portable fp32 and integer arithmetic themselves (see the backend's portable.c);
 * here is what they cannot. Besides math_text.h's words:
 *
 *   vf_load, vf_store                  float * to and from vf
 *   vf_load_f16, vf_store_f16          the same with conversion from uint16_t *; and _bf16
 *   vf_stream, _f16, _bf16, vf_streamed()  stores past the caches, where aligned; after the last
 *   vf_div, vf_sqrt, vf_abs
 *   vf_compare(a, b, LT)               a condition: LT GT EQ LE GE NE
 *   vm_bits(m), vm_of(bits)            a condition as VF_LANES bits, lane 0 lowest */
#include "core/isa/body.h"

#include "core/isa/apply_text.h"
#include "core/isa/math_text.h"

#define BINARY(name, T, load, save, expression)                                                    \
    static void name(void *dst, const void *va, const void *vb, size_t n)                          \
    {                                                                                              \
        T *out = dst;                                                                              \
        const T *pa = va, *pb = vb;                                                                \
        size_t i = 0;                                                                              \
        for (; i + VF_LANES <= n; i += VF_LANES) {                                                 \
            vf a = load(pa + i), b = load(pb + i);                                                 \
            save(out + i, expression);                                                             \
        }                                                                                          \
        if (i < n) {                                                                               \
            T rest_a[VF_LANES] = {0}, rest_b[VF_LANES] = {0};                                      \
            memcpy(rest_a, pa + i, (n - i) * sizeof(T));                                           \
            memcpy(rest_b, pb + i, (n - i) * sizeof(T));                                           \
            vf a = load(rest_a), b = load(rest_b);                                                 \
            save(rest_a, expression);                                                              \
            memcpy(out + i, rest_a, (n - i) * sizeof(T));                                          \
        }                                                                                          \
    }
#define SCALAR(name, T, load, save, scalar_of, expression)                                         \
    static void name(void *dst, const void *va, double scalar, size_t n)                           \
    {                                                                                              \
        T *out = dst;                                                                              \
        const T *pa = va;                                                                          \
        const vf b = F(scalar_of(scalar));                                                         \
        size_t i = 0;                                                                              \
        for (; i + VF_LANES <= n; i += VF_LANES) {                                                 \
            vf a = load(pa + i);                                                                   \
            save(out + i, expression);                                                             \
        }                                                                                          \
        if (i < n) {                                                                               \
            T rest[VF_LANES] = {0};                                                                \
            memcpy(rest, pa + i, (n - i) * sizeof(T));                                             \
            vf a = load(rest);                                                                     \
            save(rest, expression);                                                                \
            memcpy(out + i, rest, (n - i) * sizeof(T));                                            \
        }                                                                                          \
    }

/* NaN wins, of equals the second: MAX_OF, MIN_OF of body.h. */
MATH_INLINE vf max_of(vf a, vf b)
{
    return vf_if(vf_eq(a, a), vf_above(a, b), a);
}
MATH_INLINE vf min_of(vf a, vf b)
{
    return vf_if(vf_eq(a, a), vf_below(a, b), a);
}

#ifndef MATH_WIDE
#include "core/isa/math_bodies_text.h"
#endif

#define UNARY_F16(name, expression)                                                                \
    UNARY(name##_f16, sa_half, vf_load_f16, vf_store_f16, expression)
#define BINARY_F16(name, expression)                                                               \
    BINARY(name##_f16, sa_half, vf_load_f16, vf_store_f16, expression)
#define SCALAR_F16(name, expression)                                                               \
    SCALAR(name##_f16, sa_half, vf_load_f16, vf_store_f16, scalar_F16, expression)
BINARY_F16(add, vf_add(a, b))
BINARY_F16(sub, vf_sub(a, b))
BINARY_F16(mul, vf_mul(a, b))
BINARY_F16(div, vf_div(a, b))
BINARY_F16(max, max_of(a, b))
BINARY_F16(min, min_of(a, b))
UNARY_F16(sqrt, vf_sqrt(a))
UNARY_F16(rec, vf_div(F(1.0f), a))
UNARY_F16(relu, max_of(a, F(0.0f)))
SCALAR_F16(adds, vf_add(a, b))
SCALAR_F16(muls, vf_mul(a, b))
SCALAR_F16(maxs, max_of(a, b))
SCALAR_F16(mins, min_of(a, b))
SCALAR_F16(lrelu, vf_if(vf_lt(F(0.0f), a), a, vf_mul(a, b)))

/* ---- casts; rounding modes that programs seldom ask for stay portable */

#define CAST(name, to, from, T, S, load, save, portable)                                           \
    static void name(void *dst, const void *src, sa_round round, size_t n)                         \
    {                                                                                              \
        T *out = dst;                                                                              \
        const S *in = src;                                                                         \
        if (portable) {                                                                            \
            sa_isa_named("generic")->cast[to][from](dst, src, round, n);                           \
            return;                                                                                \
        }                                                                                          \
        size_t i = 0;                                                                              \
        for (; i + VF_LANES <= n; i += VF_LANES)                                                   \
            save(out + i, load(in + i));                                                           \
        if (i < n) {                                                                               \
            S rest[VF_LANES] = {0};                                                                \
            T done[VF_LANES];                                                                      \
            memcpy(rest, in + i, (n - i) * sizeof(S));                                             \
            save(done, load(rest));                                                                \
            memcpy(out + i, done, (n - i) * sizeof(T));                                            \
        }                                                                                          \
    }
CAST(cast_f32_f16, SA_F32, SA_F16, float, sa_half, vf_load_f16, vf_store, false)
CAST(cast_f32_bf16, SA_F32, SA_BF16, float, sa_bf16, vf_load_bf16, vf_store, false)
CAST(cast_f16_f32, SA_F16, SA_F32, sa_half, float, vf_load, vf_store_f16, round > SA_ROUND_RINT)
CAST(cast_bf16_f32, SA_BF16, SA_F32, sa_bf16, float, vf_load, vf_store_bf16, round > SA_ROUND_RINT)

/* ---- reductions: reduce.c's order, 64 lanes and halving */

enum { VECTORS = 64 / VF_LANES };

#define REDUCE(name, T, load, save, neutral, OP)                                                   \
    static void name(void *dst, const void *src, size_t n)                                         \
    {                                                                                              \
        const T *in = src;                                                                         \
        vf lane[VECTORS];                                                                          \
        for (int v = 0; v < VECTORS; v++)                                                          \
            lane[v] = F(neutral);                                                                  \
        for (; n >= 64; n -= 64, in += 64)                                                         \
            for (int v = 0; v < VECTORS; v++)                                                      \
                lane[v] = OP(lane[v], load(in + v * VF_LANES));                                    \
        for (int v = 0; n; v++) {                                                                  \
            size_t here = n < VF_LANES ? n : VF_LANES;                                             \
            T rest[VF_LANES];                                                                      \
            for (int l = 0; l < VF_LANES; l++)                                                     \
                rest[l] = save(neutral);                                                           \
            memcpy(rest, in, here * sizeof(T));                                                    \
            lane[v] = OP(lane[v], load(rest));                                                     \
            n -= here;                                                                             \
            in += here;                                                                            \
        }                                                                                          \
        for (int h = VECTORS / 2; h; h /= 2)                                                       \
            for (int v = 0; v < h; v++)                                                            \
                lane[v] = OP(lane[v], lane[v + h]);                                                \
        float last[2 * VF_LANES] = {0};                                                            \
        for (int h = VF_LANES / 2; h; h /= 2) {                                                    \
            vf_store(last, lane[0]);                                                               \
            lane[0] = OP(lane[0], vf_load(last + h));                                              \
        }                                                                                          \
        vf_store(last, lane[0]);                                                                   \
        *(T *)dst = save(last[0]);                                                                 \
    }
#define SAVE_F32(x) (x)
REDUCE(reduce_sum_f32, float, vf_load, SAVE_F32, 0.0f, vf_add)
REDUCE(reduce_max_f32, float, vf_load, SAVE_F32, -INFINITY, max_of)
REDUCE(reduce_min_f32, float, vf_load, SAVE_F32, INFINITY, min_of)
REDUCE(reduce_sum_f16, sa_half, vf_load_f16, sa_float_to_half, 0.0f, vf_add)
REDUCE(reduce_max_f16, sa_half, vf_load_f16, sa_float_to_half, -INFINITY, max_of)
REDUCE(reduce_min_f16, sa_half, vf_load_f16, sa_float_to_half, INFINITY, min_of)

/* ---- comparisons and selection by their bits */

/* Of 4 lanes, two vectors share a byte of the mask. */
static inline void put_bits(uint8_t *mask, size_t i, size_t n, uint32_t bits)
{
    bits &= n - i < 32 ? (1u << (n - i)) - 1 : ~0u;
    for (size_t j = 0; j < VF_LANES && i + j < n; j += 8)
        mask[(i + j) / 8] = (uint8_t)((i % 8 ? mask[i / 8] : 0) | bits >> j << i % 8);
}

static inline uint32_t get_bits(const uint8_t *mask, size_t i, size_t n)
{
    uint32_t bits = 0;
    for (size_t j = 0; j < VF_LANES && i + j < n; j += 8)
        bits |= (uint32_t)(mask[(i + j) / 8] >> i % 8) << j;
    return bits;
}

#define COMPARE_LOOP(T, load, right, PREDICATE)                                                    \
    for (size_t i = 0; i < n; i += VF_LANES) {                                                     \
        T rest_a[VF_LANES] = {0}, rest_b[VF_LANES] = {0};                                          \
        const T *a = pa + i, *b = pb + i;                                                          \
        if (n - i < VF_LANES) {                                                                    \
            a = memcpy(rest_a, a, (n - i) * sizeof(T));                                            \
            b = right ? memcpy(rest_b, b, (n - i) * sizeof(T)) : b;                                \
        }                                                                                          \
        vm m = vf_compare(load(a), right ? load(b) : scalar, PREDICATE);                           \
        put_bits(mask, i, n, vm_bits(m));                                                          \
    }                                                                                              \
    break
#define COMPARE_SWITCH(T, load, right)                                                             \
    switch (cmp) {                                                                                 \
    case SA_LT:                                                                                    \
        COMPARE_LOOP(T, load, right, LT);                                                          \
    case SA_GT:                                                                                    \
        COMPARE_LOOP(T, load, right, GT);                                                          \
    case SA_EQ:                                                                                    \
        COMPARE_LOOP(T, load, right, EQ);                                                          \
    case SA_LE:                                                                                    \
        COMPARE_LOOP(T, load, right, LE);                                                          \
    case SA_GE:                                                                                    \
        COMPARE_LOOP(T, load, right, GE);                                                          \
    case SA_NE:                                                                                    \
        COMPARE_LOOP(T, load, right, NE);                                                          \
    }
#define COMPARE(name, T, load, scalar_of)                                                          \
    static void compare_##name(void *mask, const void *va, const void *vb, sa_cmp cmp, size_t n)   \
    {                                                                                              \
        const T *pa = va, *pb = vb;                                                                \
        const vf scalar = F(0.0f);                                                                 \
        COMPARE_SWITCH(T, load, true)                                                              \
    }                                                                                              \
    static void compares_##name(void *mask, const void *va, double right, sa_cmp cmp, size_t n)    \
    {                                                                                              \
        const T *pa = va, *pb = va;                                                                \
        const vf scalar = F(scalar_of(right));                                                     \
        COMPARE_SWITCH(T, load, false)                                                             \
    }
COMPARE(f32, float, vf_load, scalar_F32)
COMPARE(f16, sa_half, vf_load_f16, scalar_F16)

/* Bits are moved, so fp32 stands for every 32-bit dtype. */
static void select_32(void *dst, const void *mask, const void *va, const void *vb, size_t n)
{
    float *out = dst;
    const float *pa = va, *pb = vb;
    size_t i = 0;
    for (; i + VF_LANES <= n; i += VF_LANES)
        vf_store(out + i, vf_if(vm_of(get_bits(mask, i, n)), vf_load(pa + i), vf_load(pb + i)));
    for (; i < n; i++)
        memcpy(out + i, ((const uint8_t *)mask)[i / 8] >> i % 8 & 1 ? pa + i : pb + i, 4);
}

static void fill_vector(sa_isa *isa)
{
#define SET_F16(name) isa->name[SA_F16] = name##_f16;
#define SET(name) isa->name[SA_F32] = name##_f32, isa->name[SA_F16] = name##_f16;
    SET(reduce_sum)
    SET(reduce_max)
    SET(reduce_min)
    SET(compare)
    SET(compares)
    SET_F16(add)
    SET_F16(sub)
    SET_F16(mul)
    SET_F16(div)
    SET_F16(max)
    SET_F16(min)
    SET_F16(sqrt)
    SET_F16(rec)
    SET_F16(relu)
    SET_F16(adds)
    SET_F16(muls)
    SET_F16(maxs)
    SET_F16(mins)
    SET_F16(lrelu)
#ifndef MATH_WIDE
    fill_math(isa);
#endif
    isa->select[SA_F32] = isa->select[SA_I32] = isa->select[SA_U32] = select_32;
    isa->cast[SA_F32][SA_F16] = cast_f32_f16;
    isa->cast[SA_F32][SA_BF16] = cast_f32_bf16;
    isa->cast[SA_F16][SA_F32] = cast_f16_f32;
    isa->cast[SA_BF16][SA_F32] = cast_bf16_f32;
}
