/* Mmad for AVX-512: blocks of 8 rows by 32 columns, 16 accumulators. */
#include "core/x86/x86.h"

#include <immintrin.h>

#define MMAD_LANES 16
#define MMAD_ROWS_MOST 8

#define MMAD(name) f32_##name
#define el float
#define mv __m512
#define mv_load(p) _mm512_loadu_ps(p)
#define mv_store(p, v) _mm512_storeu_ps(p, v)
#define mv_set1(x) _mm512_set1_ps(x)
#define mv_zero() _mm512_setzero_ps()
#define mv_muladd(a, b, c) _mm512_fmadd_ps(a, b, c)
#include "core/isa/mmad_text.h"
MMAD_SLOT(mmad_f32, 8, f32_body)
MMAD_SLOT(mmad_f16, 16, f32_body) /* bf16 too: both are fp32 in L0 */

#define MMAD(name) i32_##name
#define el int32_t
#define mv __m512i
#define mv_load(p) _mm512_loadu_si512(p)
#define mv_store(p, v) _mm512_storeu_si512(p, v)
#define mv_set1(x) _mm512_set1_epi32(x)
#define mv_zero() _mm512_setzero_si512()
#define mv_muladd(a, b, c) _mm512_add_epi32(_mm512_mullo_epi32(a, b), c)
#include "core/isa/mmad_text.h"
MMAD_SLOT(mmad_i8, 32, i32_body)

void sa_avx512_fill_mmad(sa_isa *isa)
{
    isa->mmad[SA_F32] = mmad_f32;
    isa->mmad[SA_F16] = isa->mmad[SA_BF16] = mmad_f16;
    isa->mmad[SA_I8] = mmad_i8;
}
