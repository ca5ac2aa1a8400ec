/* Transpositions by squares of 8 x 8 that fit the registers; bits are moved, so the bodies are the
 * portable ones' equals. A strip of 8 columns is read down, so that 8 rows are written through. */
#include "core/x86/x86.h"

#include <immintrin.h>

#define SQUARE 8

static inline void square_4_bytes(float *out, size_t out_pitch, const float *in, size_t in_pitch)
{
    __m256 r[8], t[8];
    for (int i = 0; i < 8; i++)
        r[i] = _mm256_loadu_ps(in + (size_t)i * in_pitch);
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
        _mm256_storeu_ps(out + (size_t)i * out_pitch, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
        _mm256_storeu_ps(out + (size_t)(i + 4) * out_pitch,
                         _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
    }
}

static inline void square_2_bytes(uint16_t *out, size_t out_pitch, const uint16_t *in,
                                  size_t in_pitch)
{
    __m128i r[8], t[8];
    for (int i = 0; i < 8; i++)
        r[i] = _mm_loadu_si128((const __m128i *)(in + (size_t)i * in_pitch));
    for (int i = 0; i < 4; i++) { /* row i beside row i + 4; three times, and all are sorted */
        t[2 * i] = _mm_unpacklo_epi16(r[i], r[i + 4]);
        t[2 * i + 1] = _mm_unpackhi_epi16(r[i], r[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        r[2 * i] = _mm_unpacklo_epi16(t[i], t[i + 4]);
        r[2 * i + 1] = _mm_unpackhi_epi16(t[i], t[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        _mm_storeu_si128((__m128i *)(out + (size_t)(2 * i) * out_pitch),
                         _mm_unpacklo_epi16(r[i], r[i + 4]));
        _mm_storeu_si128((__m128i *)(out + (size_t)(2 * i + 1) * out_pitch),
                         _mm_unpackhi_epi16(r[i], r[i + 4]));
    }
}

#define TRANSPOSE(bytes, type)                                                                     \
    static void transpose_##bytes##_bytes(void *dst, const void *src, size_t rows, size_t cols)    \
    {                                                                                              \
        type *out = dst;                                                                           \
        const type *in = src;                                                                      \
        size_t whole_rows = rows / SQUARE * SQUARE, whole_cols = cols / SQUARE * SQUARE;           \
        for (size_t c = 0; c < whole_cols; c += SQUARE) {                                          \
            for (size_t r = 0; r < whole_rows; r += SQUARE)                                        \
                square_##bytes##_bytes(out + c * rows + r, rows, in + r * cols + c, cols);         \
        }                                                                                          \
        for (size_t r = 0; r < rows; r++)                                                          \
            for (size_t c = r < whole_rows ? whole_cols : 0; c < cols; c++)                        \
                out[c * rows + r] = in[r * cols + c];                                              \
    }
TRANSPOSE(4, float)
TRANSPOSE(2, uint16_t)

void sa_avx2_fill_arrange(sa_isa *isa)
{
    isa->transpose[SA_F32] = isa->transpose[SA_I32] = isa->transpose[SA_U32] = transpose_4_bytes;
    isa->transpose[SA_F16] = isa->transpose[SA_BF16] = transpose_2_bytes;
    isa->transpose[SA_I16] = isa->transpose[SA_U16] = transpose_2_bytes;
}
