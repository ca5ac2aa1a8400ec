/* The cube core's moves for AVX2: ND -> NZ, NZ -> packed L0, L0C -> GM. Same results as isa/cube.c,
 * whose bodies for int8 stay. */
#include "core/x86/avx2_words.h"
#include "core/x86/x86.h"

#include <string.h>

#define ROW_BYTES 32 /* of a fractal of NZ */

/* ---- ND -> NZ: two rows at a time, so that whole cache lines are written */

static void nd2nz(char *l1, size_t nz_rows, const char *gm, int64_t pitch, size_t rows,
                  size_t row_bytes)
{
    for (size_t r = 0; r < rows; r += 2, l1 += 2 * ROW_BYTES, gm += 2 * pitch) {
        bool two = r + 1 < rows;
        char *to = l1;
        for (size_t at = 0; at < row_bytes; at += ROW_BYTES, to += nz_rows * ROW_BYTES) {
            __m256i lines[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
            if (row_bytes - at >= ROW_BYTES) {
                lines[0] = _mm256_loadu_si256((const __m256i *)(gm + at));
                if (two)
                    lines[1] = _mm256_loadu_si256((const __m256i *)(gm + pitch + at));
            } else {
                memcpy(&lines[0], gm + at, row_bytes - at);
                if (two)
                    memcpy(&lines[1], gm + pitch + at, row_bytes - at);
            }
            _mm256_storeu_si256((__m256i *)to, lines[0]);
            if (two)
                _mm256_storeu_si256((__m256i *)(to + ROW_BYTES), lines[1]);
        }
    }
}

#define ND2NZ(bytes)                                                                               \
    static void nd2nz_##bytes(void *l1, size_t nz_rows, const void *gm, int64_t gm_pitch,          \
                              size_t rows, size_t cols)                                            \
    {                                                                                              \
        nd2nz(l1, nz_rows, gm, gm_pitch *(bytes), rows, cols *(bytes));                            \
    }
ND2NZ(1)
ND2NZ(2)
ND2NZ(4)

/* ---- NZ -> packed L0 */

/* In each 128-bit half: rows of 4 elements become columns. */
static inline void transpose_quads(__m256 r[4])
{
    __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(r[0], r[1]));
    __m256d b = _mm256_castps_pd(_mm256_unpackhi_ps(r[0], r[1]));
    __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(r[2], r[3]));
    __m256d d = _mm256_castps_pd(_mm256_unpackhi_ps(r[2], r[3]));
    r[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c));
    r[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
    r[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d));
    r[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
}

/* Four elements of rows j and j + 4, widened: a 128-bit half each. */
static inline __m256 quads_f32(const char *row)
{
    __m256 v = _mm256_castps128_ps256(_mm_loadu_ps((const float *)row));
    return _mm256_insertf128_ps(v, _mm_loadu_ps((const float *)(row + 4 * ROW_BYTES)), 1);
}
static inline __m128i quads_16(const char *row)
{
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)row),
                              _mm_loadl_epi64((const __m128i *)(row + 4 * ROW_BYTES)));
}
static inline __m256 quads_f16(const char *row)
{
    return _mm256_cvtph_ps(quads_16(row));
}
static inline __m256 quads_bf16(const char *row)
{
    return widen_bf16(quads_16(row));
}

/* Eight elements that lie side by side in L1, widened; `half` 1: the eight after them, which for
 * fp32 are in the next column of fractals. */
static inline __m256 line_f32(const char *at, size_t column_bytes, int half)
{
    return vf_load((const float *)(at + (half ? column_bytes : 0)));
}
static inline __m256 line_f16(const char *at, size_t column_bytes, int half)
{
    (void)column_bytes;
    return vf_load_f16(at + half * 16);
}
static inline __m256 line_bf16(const char *at, size_t column_bytes, int half)
{
    (void)column_bytes;
    return vf_load_bf16(at + half * 16);
}

/* One fractal whose lanes are rows in L1. `live`: which of 8 lanes to keep, in both halves. */
#define ROWS(name, C0)                                                                             \
    static inline void rows_##name(float *to, const char *from, const __m256 live[2])              \
    {                                                                                              \
        for (int half = 0; half < 2; half++)                                                       \
            for (int k = 0; k < C0; k += 4) {                                                      \
                __m256 r[4];                                                                       \
                for (int j = 0; j < 4; j++)                                                        \
                    r[j] = quads_##name(from + (half * 8 + j) * ROW_BYTES + k * (ROW_BYTES / C0)); \
                transpose_quads(r);                                                                \
                for (int j = 0; j < 4; j++)                                                        \
                    vf_store(to + (k + j) * 16 + half * 8, _mm256_and_ps(r[j], live[half]));       \
            }                                                                                      \
    }
ROWS(f32, 8)
ROWS(f16, 16)
ROWS(bf16, 16)

/* As load_… of isa/cube.c. */
#define LOAD(name, C0)                                                                             \
    static void load_##name(float *l0, const char *l1, size_t nz_rows, size_t row, size_t col,     \
                            size_t lanes, size_t k, bool lanes_along_columns, bool k_outermost)    \
    {                                                                                              \
        size_t k1s = (k + C0 - 1) / C0, blocks = (lanes + 15) / 16;                                \
        size_t column_bytes = nz_rows * ROW_BYTES;                                                 \
        l1 += (col / C0 * nz_rows + row) * ROW_BYTES;                                              \
        for (size_t b = 0; b < blocks; b++) {                                                      \
            size_t in_block = lanes - b * 16 < 16 ? lanes - b * 16 : 16;                           \
            uint32_t bits = (1u << in_block) - 1;                                                  \
            const __m256 live[2] = {vm_of(bits & 0xFF), vm_of(bits >> 8)};                         \
            for (size_t k1 = 0; k1 < k1s; k1++) {                                                  \
                float *to = l0 + (k_outermost ? k1 * blocks + b : b * k1s + k1) * C0 * 16;         \
                if (!lanes_along_columns) {                                                        \
                    rows_##name(to, l1 + k1 * column_bytes + b * 16 * ROW_BYTES, live);            \
                    continue;                                                                      \
                }                                                                                  \
                const char *from = l1 + b * 16 / C0 * column_bytes + k1 * C0 * ROW_BYTES;          \
                size_t ks = k - k1 * C0 < C0 ? k - k1 * C0 : C0;                                   \
                size_t beside = C0 == 16 || in_block > C0 ? column_bytes : 0;                      \
                for (size_t i = 0; i < ks; i++, from += ROW_BYTES, to += 16)                       \
                    for (int half = 0; half < 2; half++)                                           \
                        vf_store(to + half * 8,                                                    \
                                 _mm256_and_ps(line_##name(from, beside, half), live[half]));      \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void load_l0a_##name(void *l0, const void *l1, size_t nz_rows, size_t row, size_t col,  \
                                size_t m, size_t k, bool transpose)                                \
    {                                                                                              \
        load_##name(l0, l1, nz_rows, row, col, m, k, transpose, false);                            \
    }                                                                                              \
    static void load_l0b_##name(void *l0, const void *l1, size_t nz_rows, size_t row, size_t col,  \
                                size_t k, size_t n, bool transpose)                                \
    {                                                                                              \
        load_##name(l0, l1, nz_rows, row, col, n, k, !transpose, true);                            \
    }
LOAD(f32, 8)
LOAD(f16, 16)
LOAD(bf16, 16)

/* ---- L0C -> GM, rounded to nearest even */

#define FIXPIPE(name, T, save)                                                                     \
    static void fixpipe_##name(void *gm, int64_t gm_pitch, const void *l0c, size_t m, size_t n)    \
    {                                                                                              \
        size_t column = (m + 15) / 16 * 16 * 16;                                                   \
        for (size_t r = 0; r < m; r++) {                                                           \
            T *to = (T *)gm + (int64_t)r * gm_pitch;                                               \
            for (size_t c = 0; c < n; c += 8) {                                                    \
                vf v = vf_load((const float *)l0c + c / 16 * column + r * 16 + c % 16);            \
                if (n - c >= 8) {                                                                  \
                    save(to + c, v);                                                               \
                } else {                                                                           \
                    T rest[8];                                                                     \
                    save(rest, v);                                                                 \
                    memcpy(to + c, rest, (n - c) * sizeof(T));                                     \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
FIXPIPE(32, float, vf_store) /* int32 too */
FIXPIPE(f16, uint16_t, vf_store_f16)
FIXPIPE(bf16, uint16_t, vf_store_bf16)

void sa_avx2_fill_cube(sa_isa *isa)
{
    isa->nd2nz[SA_F32] = nd2nz_4;
    isa->nd2nz[SA_F16] = isa->nd2nz[SA_BF16] = nd2nz_2;
    isa->nd2nz[SA_I8] = nd2nz_1;
    isa->load_l0a[SA_F32] = load_l0a_f32;
    isa->load_l0b[SA_F32] = load_l0b_f32;
    isa->load_l0a[SA_F16] = load_l0a_f16;
    isa->load_l0b[SA_F16] = load_l0b_f16;
    isa->load_l0a[SA_BF16] = load_l0a_bf16;
    isa->load_l0b[SA_BF16] = load_l0b_bf16;
    isa->fixpipe[SA_F32] = isa->fixpipe[SA_I32] = fixpipe_32;
    isa->fixpipe[SA_F16] = fixpipe_f16;
    isa->fixpipe[SA_BF16] = fixpipe_bf16;
}
