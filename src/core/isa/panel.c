/* The portable body of the slot `panel` (isa.h): C row by row, and every row k by k. */
#include "core/backend.h"

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

void sa_isa_fill_panel(sa_isa *isa)
{
    isa->panel = panel;
    isa->panel_rows = 8;
    isa->panel_cols = 16;
}
