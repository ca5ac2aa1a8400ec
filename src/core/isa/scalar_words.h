/* The vocabulary of isa/math_text.h for one float: what the portable bodies compute with. */
#ifndef SA_SCALAR_WORDS_H
#define SA_SCALAR_WORDS_H

#include "core/isa/body.h"

#include <math.h>

#define MATH_INLINE static inline
#define MATH_INF INFINITY
#define MATH_NAN NAN

typedef float vf;
typedef uint32_t vi;
typedef bool vm;
#define F(c) (c)
#define I(c) (c)
#define vf_fma(a, b, c) fmaf(a, b, c)
#define vf_add(a, b) ((a) + (b))
#define vf_sub(a, b) ((a) - (b))
#define vf_mul(a, b) ((a) * (b))
#define vf_div(a, b) ((a) / (b))
#define vf_sqrt(a) sqrtf(a)
#define vf_lt(a, b) ((a) < (b))
#define vf_eq(a, b) ((a) == (b))
#define vf_if(m, a, b) ((m) ? (a) : (b))
#define vm_any(m) (m)
#define vf_bits sa_float_bits
#define vf_of sa_bits_float
#define vf_int(i) ((float)(int32_t)(i))
#define vi_sub(a, b) ((a) - (b))
#define vi_and(a, b) ((a) & (b))
#define vi_or(a, b) ((a) | (b))
#define vi_shl(a, n) ((a) << (n))
#define vi_sra(a, n) ((uint32_t)((int32_t)(a) >> (n)))

static inline float vf_above(float a, float b)
{
    return a > b ? a : b;
}
static inline float vf_below(float a, float b)
{
    return a < b ? a : b;
}

/* In two factors, each a normal power of two: the first product is exact. */
static inline float vf_scale(float p, uint32_t n, float whole)
{
    (void)whole;
    uint32_t half = vi_sra(n, 1);
    float first = vf_of((half + 127) << 23), second = vf_of((n - half + 127) << 23);
    return p * first * second;
}

#define VF_LANES 1
#define vf_load(p) (*(p))
#define vf_store(p, v) (*(p) = (v))
#define vf_load_f16(p) sa_half_to_float(*(p))
#define vf_store_f16(p, v) (*(p) = sa_float_to_half(v))
#define vf_load_bf16(p) sa_bf16_to_float(*(p))
#define vf_store_bf16(p, v) (*(p) = sa_float_to_bf16(v))
#define vf_stream vf_store
#define vf_stream_f16 vf_store_f16
#define vf_stream_bf16 vf_store_bf16
#define vf_streamed()
#define vf_most(v) (v)
#define vf_total(v) (v)

#endif
