/* The vocabulary of isa/math_text.h and isa/vector_text.h in AVX-512. */
#ifndef SA_AVX512_WORDS_H
#define SA_AVX512_WORDS_H

#include <immintrin.h>
#include <math.h>
#include <stdint.h>

#define MATH_INLINE static inline __attribute__((always_inline))
#define MATH_INF INFINITY
#define MATH_NAN NAN

#define VF_LANES 16
#define MATH_WIDE 3
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm;

#define F(c) _mm512_set1_ps(c)
#define I(c) _mm512_set1_epi32((int)(c))
#define vf_fma(a, b, c) _mm512_fmadd_ps(a, b, c)
#define vf_add(a, b) _mm512_add_ps(a, b)
#define vf_sub(a, b) _mm512_sub_ps(a, b)
#define vf_mul(a, b) _mm512_mul_ps(a, b)
#define vf_div(a, b) _mm512_div_ps(a, b)
#define vf_sqrt(a) _mm512_sqrt_ps(a)
#define vf_above(a, b) _mm512_max_ps(a, b)
#define vf_below(a, b) _mm512_min_ps(a, b)
#define vf_lt(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define vf_eq(a, b) _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define vf_if(m, a, b) _mm512_mask_blend_ps(m, b, a)
#define vm_any(m) ((m) != 0)
#define vf_bits(a) _mm512_castps_si512(a)
#define vf_of(a) _mm512_castsi512_ps(a)
#define vf_int(a) _mm512_cvtepi32_ps(a)
#define vi_sub(a, b) _mm512_sub_epi32(a, b)
#define vi_and(a, b) _mm512_and_si512(a, b)
#define vi_or(a, b) _mm512_or_si512(a, b)
#define vi_shl(a, n) _mm512_slli_epi32(a, n)
#define vi_sra(a, n) _mm512_srai_epi32(a, n)
#define vf_scale(p, n, whole) ((void)(n), _mm512_scalef_ps(p, whole))
#define vf_scale_live(m, p, whole) _mm512_maskz_scalef_ps(_knot_mask16(m), p, whole)

#define vf_most(v) _mm512_reduce_max_ps(v)
#define vf_load(p) _mm512_loadu_ps(p)
#define vf_store(p, v) _mm512_storeu_ps(p, v)
#define vf_load_f16(p) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(p)))
#define vf_store_f16(p, v)                                                                         \
    _mm256_storeu_si256((__m256i *)(p), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#define vf_load_bf16(p) widen_bf16(_mm256_loadu_si256((const __m256i *)(p)))
#define vf_store_bf16(p, v) _mm256_storeu_si256((__m256i *)(p), narrow_bf16(v))

/* The first n lanes, the others `other`; p need not have more. */
#define VF_FIRST(n) ((__mmask16)((1u << (n)) - 1))
#define vf_load_first(p, n, other) _mm512_mask_loadu_ps(other, VF_FIRST(n), p)
#define vf_load_f16_first(p, n, other)                                                             \
    _mm512_mask_cvtph_ps(other, VF_FIRST(n), _mm256_maskz_loadu_epi16(VF_FIRST(n), p))
#define vf_load_bf16_first(p, n, other)                                                            \
    _mm512_mask_blend_ps(VF_FIRST(n), other, widen_bf16(_mm256_maskz_loadu_epi16(VF_FIRST(n), p)))
#define vf_store_first(p, v, n) _mm512_mask_storeu_ps(p, VF_FIRST(n), v)
#define vf_store_f16_first(p, v, n)                                                                \
    _mm256_mask_storeu_epi16(p, VF_FIRST(n), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#define vf_store_bf16_first(p, v, n) _mm256_mask_storeu_epi16(p, VF_FIRST(n), narrow_bf16(v))

#define vf_stream(p, v) _mm512_stream_ps(p, v)
#define vf_stream_f16(p, v)                                                                        \
    _mm256_stream_si256((__m256i *)(p), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#define vf_stream_bf16(p, v) _mm256_stream_si256((__m256i *)(p), narrow_bf16(v))
#define vf_streamed() _mm_sfence()

#define vf_compare(a, b, PREDICATE) _mm512_cmp_ps_mask(a, b, COMPARE_##PREDICATE)
#define COMPARE_LT _CMP_LT_OQ
#define COMPARE_GT _CMP_GT_OQ
#define COMPARE_EQ _CMP_EQ_OQ
#define COMPARE_LE _CMP_LE_OQ
#define COMPARE_GE _CMP_GE_OQ
#define COMPARE_NE _CMP_NEQ_UQ
#define vm_bits(m) ((uint32_t)(m))
#define vm_of(bits) ((__mmask16)(bits))

static inline float vf_total(vf v)
{
    __m256 half = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}

static inline __m512 widen_bf16(__m256i v)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
}

/* To nearest even; NaN stays NaN. */
static inline __m256i narrow_bf16(__m512 v)
{
    __m512i bits = _mm512_castps_si512(v);
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    __m512i up = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)), odd);
    __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    up = _mm512_mask_or_epi32(up, nan, bits, _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(up, 16));
}

#endif
