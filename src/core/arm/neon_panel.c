/* panel for NEON: blocks of 8 rows by 8 columns, 16 of the 32 registers. */
#include "core/arm/arm.h"

#include <arm_neon.h>
#include <string.h>

#define PANEL_LANES 4
#define PANEL_ROWS 8
#define PANEL_FEW 6
#define pv float32x4_t
#define pv_load(p) vld1q_f32(p)
#define pv_store(p, v) vst1q_f32(p, v)
#define pv_set1(x) vdupq_n_f32(x)
#define pv_zero() vdupq_n_f32(0)
#define pv_fma(a, b, c) vfmaq_f32(c, a, b)

static inline float32x4_t pv_load_some(const float *p, size_t n)
{
    float lanes[4] = {0};
    memcpy(lanes, p, n * sizeof *p);
    return vld1q_f32(lanes);
}

static inline void pv_store_some(float *p, float32x4_t v, size_t n)
{
    float lanes[4];
    vst1q_f32(lanes, v);
    memcpy(p, lanes, n * sizeof *p);
}
#include "core/isa/panel_text.h"

void sa_neon_fill_panel(sa_isa *isa)
{
    isa->panel = panel_body;
    isa->panel_runs = panel_runs_body;
    isa->panel_rows = PANEL_ROWS;
    isa->panel_cols = 2 * PANEL_LANES;
}
