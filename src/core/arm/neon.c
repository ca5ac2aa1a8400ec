/* The NEON backend: what overrides the portable bodies on aarch64, where NEON is always there. */
#include "core/arm/arm.h"
#include "core/backend.h"

#include <arm_neon.h>

/* ---- Mmad: blocks of 8 rows by 8 columns, 16 accumulators */

#define MMAD_LANES 4
#define MMAD_ROWS_MOST 8

#define MMAD(name) f32_##name
#define el float
#define mv float32x4_t
#define mv_load(p) vld1q_f32(p)
#define mv_store(p, v) vst1q_f32(p, v)
#define mv_set1(x) vdupq_n_f32(x)
#define mv_zero() vdupq_n_f32(0)
#define mv_muladd(a, b, c) vfmaq_f32(c, a, b)
#include "core/isa/mmad_text.h"
MMAD_SLOT(mmad_f32, 8, f32_body)
MMAD_SLOT(mmad_f16, 16, f32_body) /* bf16 too: both are fp32 in L0 */

#define MMAD(name) i32_##name
#define el int32_t
#define mv int32x4_t
#define mv_load(p) vld1q_s32(p)
#define mv_store(p, v) vst1q_s32(p, v)
#define mv_set1(x) vdupq_n_s32(x)
#define mv_zero() vdupq_n_s32(0)
#define mv_muladd(a, b, c) vmlaq_s32(c, a, b)
#include "core/isa/mmad_text.h"
MMAD_SLOT(mmad_i8, 32, i32_body)

/* ---- the vector bodies */

#define MATH_INLINE static inline __attribute__((always_inline))
#define MATH_INF INFINITY
#define MATH_NAN NAN

#define VF_LANES 4
typedef float32x4_t vf;
typedef uint32x4_t vi;
typedef uint32x4_t vm; /* all bits of a lane */

#define F(c) vdupq_n_f32(c)
#define I(c) vdupq_n_u32((uint32_t)(c))
#define vf_fma(a, b, c) vfmaq_f32(c, a, b)
#define vf_add(a, b) vaddq_f32(a, b)
#define vf_sub(a, b) vsubq_f32(a, b)
#define vf_mul(a, b) vmulq_f32(a, b)
#define vf_div(a, b) vdivq_f32(a, b)
#define vf_sqrt(a) vsqrtq_f32(a)
#define vf_lt(a, b) vcltq_f32(a, b)
#define vf_eq(a, b) vceqq_f32(a, b)
#define vf_if(m, a, b) vbslq_f32(m, a, b)
#define vm_any(m) (vmaxvq_u32(m) != 0)
#define vf_bits(a) vreinterpretq_u32_f32(a)
#define vf_of(a) vreinterpretq_f32_u32(a)
#define vf_int(a) vcvtq_f32_s32(vreinterpretq_s32_u32(a))
#define vi_sub(a, b) vsubq_u32(a, b)
#define vi_and(a, b) vandq_u32(a, b)
#define vi_or(a, b) vorrq_u32(a, b)
#define vi_shl(a, n) vshlq_n_u32(a, n)
#define vi_sra(a, n) vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(a), n))

/* NEON's own maximum and minimum prefer NaN to a number. */
MATH_INLINE vf vf_above(vf a, vf b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
MATH_INLINE vf vf_below(vf a, vf b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

/* In two factors, each a normal power of two: the first product is exact. */
MATH_INLINE vf vf_scale(vf p, vi n, vf whole)
{
    (void)whole;
    vi half = vi_sra(n, 1), rest = vsubq_u32(n, half);
    p = vmulq_f32(p, vf_of(vshlq_n_u32(vaddq_u32(half, I(127)), 23)));
    return vmulq_f32(p, vf_of(vshlq_n_u32(vaddq_u32(rest, I(127)), 23)));
}

#define vf_most(v) vmaxvq_f32(v)
MATH_INLINE float vf_total(vf v)
{
    float32x2_t sum = vadd_f32(vget_low_f32(v), vget_high_f32(v));
    return vget_lane_f32(sum, 0) + vget_lane_f32(sum, 1);
}
#define vf_load(p) vld1q_f32(p)
#define vf_store(p, v) vst1q_f32(p, v)
#define vf_load_f16(p) vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)))
#define vf_store_f16(p, v) vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(v)))
#define vf_load_bf16(p) vf_of(vshll_n_u16(vld1_u16(p), 16))
#define vf_store_bf16(p, v) vst1_u16(p, narrow_bf16(v))

#define vf_stream vf_store
#define vf_stream_f16 vf_store_f16
#define vf_stream_bf16 vf_store_bf16
#define vf_streamed()
#define vf_compare(a, b, PREDICATE) COMPARE_##PREDICATE(a, b)
#define COMPARE_LT(a, b) vcltq_f32(a, b)
#define COMPARE_GT(a, b) vcgtq_f32(a, b)
#define COMPARE_EQ(a, b) vceqq_f32(a, b)
#define COMPARE_LE(a, b) vcleq_f32(a, b)
#define COMPARE_GE(a, b) vcgeq_f32(a, b)
#define COMPARE_NE(a, b) vmvnq_u32(vceqq_f32(a, b))

static const uint32_t lane_bits[4] = {1, 2, 4, 8};

static inline uint32_t vm_bits(vm m)
{
    return vaddvq_u32(vandq_u32(m, vld1q_u32(lane_bits)));
}
static inline vm vm_of(uint32_t bits)
{
    return vtstq_u32(vdupq_n_u32(bits), vld1q_u32(lane_bits));
}

/* To nearest even; NaN stays NaN. */
static inline uint16x4_t narrow_bf16(float32x4_t v)
{
    vi bits = vf_bits(v), odd = vandq_u32(vshrq_n_u32(bits, 16), I(1));
    vi up = vaddq_u32(vaddq_u32(bits, I(0x7FFF)), odd);
    return vshrn_n_u32(vbslq_u32(vceqq_f32(v, v), up, vorrq_u32(bits, I(0x400000))), 16);
}

#include "core/isa/vector_text.h"

#include "core/isa/attention_text.h"

#include "core/isa/row_text.h"

#include "core/isa/activate_text.h"

bool sa_isa_fill_neon(sa_isa *isa)
{
    fill_vector(isa);
    sa_neon_fill_panel(isa);
    fill_attention(isa);
    fill_row(isa);
    fill_activate(isa);
    isa->mmad[SA_F32] = mmad_f32;
    isa->mmad[SA_F16] = isa->mmad[SA_BF16] = mmad_f16;
    isa->mmad[SA_I8] = mmad_i8;
    return true;
}
