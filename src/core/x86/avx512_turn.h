/* A square of 16 x 16 elements of 4 bytes, turned in registers. */
#ifndef SA_AVX512_TURN_H
#define SA_AVX512_TURN_H

#include <immintrin.h>

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

#endif
