/* panel and pack for AVX2: blocks of 6 rows by 16 columns, 12 of the 16 registers. */
#include "core/x86/avx2_words.h"
#include "core/x86/x86.h"

#include <string.h>

#define PANEL_LANES 8
#define PANEL_ROWS 6
#define PANEL_FEW 3
#define pv __m256
#define pv_load(p) _mm256_loadu_ps(p)
#define pv_store(p, v) _mm256_storeu_ps(p, v)
#define pv_set1(x) _mm256_set1_ps(x)
#define pv_zero() _mm256_setzero_ps()
#define pv_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
static const int32_t pv_lanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
#define pv_some(n) _mm256_loadu_si256((const __m256i *)(pv_lanes + 8 - (n)))
#define pv_load_some(p, n) _mm256_maskload_ps(p, pv_some(n))
#define pv_store_some(p, v, n) _mm256_maskstore_ps(p, pv_some(n), v)
#include "core/isa/panel_text.h"

#define vf_load_some(p, n) pv_load_some(p, n)

static inline __m128i some_16(const uint16_t *p, size_t n)
{
    uint16_t lanes[8] = {0};
    memcpy(lanes, p, n * sizeof *p);
    return _mm_loadu_si128((const __m128i *)lanes);
}
#define vf_load_some_f16(p, n) _mm256_cvtph_ps(some_16(p, n))
#define vf_load_some_bf16(p, n) widen_bf16(some_16(p, n))

static inline __attribute__((always_inline)) void vf_turn(__m256 r[8])
{
    __m256 t[8];
    for (int i = 0; i < 8; i += 2) { /* pairs of rows, then fours, within half a register */
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    for (int i = 0; i < 4; i++) {
        t[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
        t[i + 4] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
    }
    for (int i = 0; i < 8; i++)
        r[i] = t[i];
}

#include "core/isa/pack_text.h"

void sa_avx2_fill_panel(sa_isa *isa)
{
    fill_pack(isa);
    isa->panel = panel_body;
    isa->panel_runs = panel_runs_body;
    isa->panel_rows = PANEL_ROWS;
    isa->panel_cols = 2 * PANEL_LANES;
}
