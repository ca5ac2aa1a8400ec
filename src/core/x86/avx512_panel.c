/* panel and pack for AVX-512: blocks of 14 rows by 32 columns, 28 of the 32 registers. */
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

/* Of four rows 4 i …, column 4 L + j becomes quarter L of r[4 i + j]; then quarters are sorted. */
static inline __attribute__((always_inline)) void vf_turn(__m512 r[16])
{
    __m512 t[16];
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm512_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    for (int j = 0; j < 4; j++) {
        t[4 * j] = _mm512_shuffle_f32x4(r[j], r[4 + j], 0x88);
        t[4 * j + 1] = _mm512_shuffle_f32x4(r[8 + j], r[12 + j], 0x88);
        t[4 * j + 2] = _mm512_shuffle_f32x4(r[j], r[4 + j], 0xdd);
        t[4 * j + 3] = _mm512_shuffle_f32x4(r[8 + j], r[12 + j], 0xdd);
    }
    for (int j = 0; j < 4; j++) {
        r[j] = _mm512_shuffle_f32x4(t[4 * j], t[4 * j + 1], 0x88);
        r[j + 4] = _mm512_shuffle_f32x4(t[4 * j + 2], t[4 * j + 3], 0x88);
        r[j + 8] = _mm512_shuffle_f32x4(t[4 * j], t[4 * j + 1], 0xdd);
        r[j + 12] = _mm512_shuffle_f32x4(t[4 * j + 2], t[4 * j + 3], 0xdd);
    }
}

#include "core/isa/pack_text.h"

void sa_avx512_fill_panel(sa_isa *isa)
{
    fill_pack(isa);
    isa->panel = panel_body;
    isa->panel_runs = panel_runs_body;
    isa->panel_rows = PANEL_ROWS;
    isa->panel_cols = 2 * PANEL_LANES;
}
