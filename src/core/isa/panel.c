/* The portable bodies of the slots `panel` and `panel_runs` (C row by row, and every row k by k)
 * and `pack` (isa.h). */
#include "core/backend.h"
#include "core/isa/half.h"

#include <math.h>

static void panel(float *c, int64_t c_row, const float *a, int64_t a_row, int64_t a_k,
                  const float *b, int64_t b_row, size_t m, size_t k, size_t n, bool accumulate)
{
    for (size_t i = 0; i < m; i++, c += c_row, a += a_row) {
        const float *row = b;
        if (!accumulate)
            for (size_t j = 0; j < n; j++)
                c[j] = 0;
        for (size_t p = 0; p < k; p++, row += b_row) {
            float x = a[(int64_t)p * a_k];
            for (size_t j = 0; j < n; j++)
                c[j] = fmaf(x, row[j], c[j]);
        }
    }
}

static void panel_runs(float *c, int64_t c_row, const float *a, int64_t a_row, int64_t a_k,
                       int64_t a_run, const float *b, int64_t b_row, int64_t b_run, size_t m,
                       size_t runs, size_t k, size_t n, bool accumulate)
{
    for (; runs; runs--, a += a_run, b += b_run, accumulate = true)
        panel(c, c_row, a, a_row, a_k, b, b_row, m, k, n, accumulate);
}

#define PACK(name, T, widen)                                                                       \
    static void pack_##name(float *to, size_t strip, size_t width, const void *source,             \
                            int64_t pitch, size_t lanes, size_t k, bool across)                    \
    {                                                                                              \
        const T *from = source;                                                                    \
        for (size_t lane = 0; lane < lanes; lane++) {                                              \
            float *out = to + lane / width * strip + lane % width;                                 \
            const T *in = from + (across ? (int64_t)lane * pitch : (int64_t)lane);                 \
            for (size_t p = 0; p < k; p++, in += across ? 1 : pitch)                               \
                out[p * width] = widen(*in);                                                       \
        }                                                                                          \
    }
#define SAME(x) (x)
PACK(f32, float, SAME)
PACK(f16, sa_half, sa_half_to_float)
PACK(bf16, sa_bf16, sa_bf16_to_float)

void sa_isa_fill_panel(sa_isa *isa)
{
    isa->panel = panel;
    isa->panel_runs = panel_runs;
    isa->pack[SA_F32] = pack_f32;
    isa->pack[SA_F16] = pack_f16;
    isa->pack[SA_BF16] = pack_bf16;
    isa->panel_rows = 8;
    isa->panel_cols = 16;
}
