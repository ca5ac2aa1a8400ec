/* Mmad for AVX2: blocks of 6 rows by 16 columns, 12 accumulators. */
#include "core/x86/x86.h"

#include <immintrin.h>

#define MMAD_LANES 8
#define MMAD_ROWS_MOST 6

#define MMAD(name) f32_##name
#define el float
#define mv __m256
#define mv_load(p) _mm256_loadu_ps(p)
#define mv_store(p, v) _mm256_storeu_ps(p, v)
#define mv_set1(x) _mm256_set1_ps(x)
#define mv_zero() _mm256_setzero_ps()
#define mv_muladd(a, b, c) _mm256_fmadd_ps(a, b, c)
#include "core/isa/mmad_text.h"
MMAD_SLOT(mmad_f32, 8, f32_body)
MMAD_SLOT(mmad_f16, 16, f32_body) /* bf16 too: both are fp32 in L0 */

#define MMAD(name) i32_##name
#define el int32_t
#define mv __m256i
#define mv_load(p) _mm256_loadu_si256((const __m256i *)(p))
#define mv_store(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define mv_set1(x) _mm256_set1_epi32(x)
#define mv_zero() _mm256_setzero_si256()
#define mv_muladd(a, b, c) _mm256_add_epi32(_mm256_mullo_epi32(a, b), c)
#include "core/isa/mmad_text.h"
MMAD_SLOT(mmad_i8, 32, i32_body)

void sa_avx2_fill_mmad(sa_isa *isa)
{
    isa->mmad[SA_F32] = mmad_f32;
    isa->mmad[SA_F16] = isa->mmad[SA_BF16] = mmad_f16;
    isa->mmad[SA_I8] = mmad_i8;
}
