/* The vocabulary of isa/math_text.h and isa/vector_text.h in AVX2, FMA and F16C. */
#ifndef SA_AVX2_WORDS_H
#define SA_AVX2_WORDS_H

#include <immintrin.h>
#include <math.h>
#include <stdint.h>

#define MATH_INLINE static inline __attribute__((always_inline))
#define MATH_INF INFINITY
#define MATH_NAN NAN

#define VF_LANES 8
#define MATH_WIDE 3
typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm; /* all bits of a lane */

#define F(c) _mm256_set1_ps(c)
#define I(c) _mm256_set1_epi32((int)(c))
#define vf_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define vf_add(a, b) _mm256_add_ps(a, b)
#define vf_sub(a, b) _mm256_sub_ps(a, b)
#define vf_mul(a, b) _mm256_mul_ps(a, b)
#define vf_div(a, b) _mm256_div_ps(a, b)
#define vf_sqrt(a) _mm256_sqrt_ps(a)
#define vf_above(a, b) _mm256_max_ps(a, b)
#define vf_below(a, b) _mm256_min_ps(a, b)
#define vf_lt(a, b) _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define vf_eq(a, b) _mm256_cmp_ps(a, b, _CMP_EQ_OQ)
#define vf_if(m, a, b) _mm256_blendv_ps(b, a, m)
#define vm_any(m) (_mm256_movemask_ps(m) != 0)
#define vf_bits(a) _mm256_castps_si256(a)
#define vf_of(a) _mm256_castsi256_ps(a)
#define vf_int(a) _mm256_cvtepi32_ps(a)
#define vi_sub(a, b) _mm256_sub_epi32(a, b)
#define vi_and(a, b) _mm256_and_si256(a, b)
#define vi_or(a, b) _mm256_or_si256(a, b)
#define vi_shl(a, n) _mm256_slli_epi32(a, n)
#define vi_sra(a, n) _mm256_srai_epi32(a, n)

#define vf_load(p) _mm256_loadu_ps(p)
#define vf_store(p, v) _mm256_storeu_ps(p, v)
#define vf_load_f16(p) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p)))
#define vf_store_f16(p, v)                                                                         \
    _mm_storeu_si128((__m128i *)(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#define vf_load_bf16(p) widen_bf16(_mm_loadu_si128((const __m128i *)(p)))
#define vf_store_bf16(p, v) _mm_storeu_si128((__m128i *)(p), narrow_bf16(v))

#define vf_stream(p, v) _mm256_stream_ps(p, v)
#define vf_stream_f16(p, v)                                                                        \
    _mm_stream_si128((__m128i *)(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#define vf_stream_bf16(p, v) _mm_stream_si128((__m128i *)(p), narrow_bf16(v))
#define vf_streamed() _mm_sfence()

#define vf_compare(a, b, PREDICATE) _mm256_cmp_ps(a, b, COMPARE_##PREDICATE)
#define COMPARE_LT _CMP_LT_OQ
#define COMPARE_GT _CMP_GT_OQ
#define COMPARE_EQ _CMP_EQ_OQ
#define COMPARE_LE _CMP_LE_OQ
#define COMPARE_GE _CMP_GE_OQ
#define COMPARE_NE _CMP_NEQ_UQ
#define vm_bits(m) ((uint32_t)_mm256_movemask_ps(m))

static inline vm vm_of(uint32_t bits)
{
    const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i set = _mm256_and_si256(_mm256_set1_epi32((int)bits), lane);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, lane));
}

/* p * 2^n in two factors, each a normal power of two: the first product is exact. */
MATH_INLINE vf vf_scale(vf p, vi n, vf whole)
{
    (void)whole;
    const vi bias = I(127);
    vi half = _mm256_srai_epi32(n, 1), rest = _mm256_sub_epi32(n, half);
    p = _mm256_mul_ps(p, vf_of(_mm256_slli_epi32(_mm256_add_epi32(half, bias), 23)));
    return _mm256_mul_ps(p, vf_of(_mm256_slli_epi32(_mm256_add_epi32(rest, bias), 23)));
}

static inline float vf_most(vf v)
{
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}

static inline float vf_total(vf v)
{
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}

static inline __m256 widen_bf16(__m128i v)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16));
}

/* To nearest even; NaN stays NaN. */
static inline __m128i narrow_bf16(__m256 v)
{
    __m256i bits = _mm256_castps_si256(v);
    __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    __m256i up = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
    __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    up = _mm256_srli_epi32(_mm256_blendv_epi8(up, quiet, nan), 16);
    __m256i packed = _mm256_packus_epi32(up, up); /* in 128-bit halves */
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08));
}

#endif
