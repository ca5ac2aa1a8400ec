/* panel for AVX2: blocks of 6 rows by 16 columns, 12 of the 16 registers. */
#include "core/x86/x86.h"

#include <immintrin.h>

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

void sa_avx2_fill_panel(sa_isa *isa)
{
    isa->panel = panel_body;
    isa->panel_rows = PANEL_ROWS;
    isa->panel_cols = 2 * PANEL_LANES;
}
