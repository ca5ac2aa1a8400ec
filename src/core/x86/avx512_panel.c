/* panel and pack for AVX-512: blocks of 14 rows by 32 columns, 28 of the 32 registers. */
#include "core/x86/avx512_turn.h"
#include "core/x86/avx512_words.h"
#include "core/x86/x86.h"

#define PANEL_LANES 16
#define PANEL_ROWS 14
#define PANEL_FEW 6
#define pv __m512
#define pv_load(p) _mm512_loadu_ps(p)
#define pv_store(p, v) _mm512_storeu_ps(p, v)
#define pv_set1(x) _mm512_set1_ps(x)
#define pv_zero() _mm512_setzero_ps()
#define pv_fma(a, b, c) _mm512_fmadd_ps(a, b, c)
#define pv_some(n) ((__mmask16)(0xFFFFu >> (16 - (n))))
#define pv_load_some(p, n) _mm512_maskz_loadu_ps(pv_some(n), p)
#define pv_store_some(p, v, n) _mm512_mask_storeu_ps(p, pv_some(n), v)
#include "core/isa/panel_text.h"

#define vf_load_some(p, n) pv_load_some(p, n)
#define vf_load_some_f16(p, n) _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(pv_some(n), p))
#define vf_load_some_bf16(p, n) widen_bf16(_mm256_maskz_loadu_epi16(pv_some(n), p))

#include "core/isa/pack_text.h"

void sa_avx512_fill_panel(sa_isa *isa)
{
    fill_pack(isa);
    isa->panel = panel_body;
    isa->panel_runs = panel_runs_body;
    isa->panel_rows = PANEL_ROWS;
    isa->panel_cols = 2 * PANEL_LANES;
}
