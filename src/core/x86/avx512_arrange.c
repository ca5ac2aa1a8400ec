/* Transpositions of 4-byte elements by squares of 16 x 16, which move whole cache lines. */
#include "core/x86/x86.h"

#include <immintrin.h>

#define SQUARE 16

/* Column 4 L + j of rows 4 i … 4 i + 3 becomes quarter L of r[4 i + j]; then quarters are sorted.
 */
static inline void square(float *out, size_t out_pitch, const float *in, size_t in_pitch)
{
    __m512 r[16], t[16];
    for (int i = 0; i < 16; i++)
        r[i] = _mm512_loadu_ps(in + (size_t)i * in_pitch);
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
        __m512 even_low = _mm512_shuffle_f32x4(r[j], r[4 + j], 0x88);
        __m512 even_high = _mm512_shuffle_f32x4(r[8 + j], r[12 + j], 0x88);
        __m512 odd_low = _mm512_shuffle_f32x4(r[j], r[4 + j], 0xdd);
        __m512 odd_high = _mm512_shuffle_f32x4(r[8 + j], r[12 + j], 0xdd);
        float *row = out + (size_t)j * out_pitch;
        _mm512_storeu_ps(row, _mm512_shuffle_f32x4(even_low, even_high, 0x88));
        _mm512_storeu_ps(row + 4 * out_pitch, _mm512_shuffle_f32x4(odd_low, odd_high, 0x88));
        _mm512_storeu_ps(row + 8 * out_pitch, _mm512_shuffle_f32x4(even_low, even_high, 0xdd));
        _mm512_storeu_ps(row + 12 * out_pitch, _mm512_shuffle_f32x4(odd_low, odd_high, 0xdd));
    }
}

static void transpose_4_bytes(void *dst, const void *src, size_t rows, size_t cols)
{
    float *out = dst;
    const float *in = src;
    size_t whole_rows = rows / SQUARE * SQUARE, whole_cols = cols / SQUARE * SQUARE;
    for (size_t c = 0; c < whole_cols; c += SQUARE) {
        for (size_t r = 0; r < whole_rows; r += SQUARE)
            square(out + c * rows + r, rows, in + r * cols + c, cols);
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t c = r < whole_rows ? whole_cols : 0; c < cols; c++)
            out[c * rows + r] = in[r * cols + c];
}

void sa_avx512_fill_arrange(sa_isa *isa)
{
    isa->transpose[SA_F32] = isa->transpose[SA_I32] = isa->transpose[SA_U32] = transpose_4_bytes;
}
