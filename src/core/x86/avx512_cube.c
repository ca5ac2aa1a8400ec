/* The cube core's moves for AVX-512: ND -> NZ, NZ -> packed L0, L0C -> GM. Same results as
 * isa/cube.c. */
#include "core/x86/avx512_words.h"
#include "core/x86/x86.h"

#include <string.h>

#define ROW_BYTES 32 /* of a fractal of NZ */

/* ---- ND -> NZ: eight rows at a time and two of them in a register, so that whole cache lines are
 * read and written, and four neighbours follow each other */

static inline __mmask64 mask_of(size_t bytes)
{
    return bytes >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << bytes) - 1;
}

static inline void two_rows(char *to, size_t column_bytes, const char *even, const char *odd,
                            size_t left_bytes, __mmask64 both)
{
    __mmask64 live = mask_of(left_bytes);
    __m512i a = _mm512_maskz_loadu_epi8(live, even);
    __m512i b = _mm512_maskz_loadu_epi8(live, odd);
    _mm512_mask_storeu_epi8(to, both, _mm512_shuffle_i64x2(a, b, 0x44));
    if (left_bytes > ROW_BYTES)
        _mm512_mask_storeu_epi8(to + column_bytes, both, _mm512_shuffle_i64x2(a, b, 0xEE));
}

static inline void pair(char *to, size_t column_bytes, const char *even, int64_t pitch)
{
    __m512i a = _mm512_loadu_si512(even), b = _mm512_loadu_si512(even + pitch);
    _mm512_storeu_si512(to, _mm512_shuffle_i64x2(a, b, 0x44));
    _mm512_storeu_si512(to + column_bytes, _mm512_shuffle_i64x2(a, b, 0xEE));
}

static void nd2nz(char *l1, size_t nz_rows, const char *gm, int64_t pitch, size_t rows,
                  size_t row_bytes)
{
    size_t column_bytes = nz_rows * ROW_BYTES, r = 0, at;
    for (; r + 8 <= rows; r += 8, l1 += 8 * ROW_BYTES, gm += 8 * pitch) {
        char *to = l1;
        for (at = 0; at + 64 <= row_bytes; at += 64, to += 2 * column_bytes) {
            pair(to, column_bytes, gm + at, pitch);
            pair(to + 2 * ROW_BYTES, column_bytes, gm + 2 * pitch + at, pitch);
            pair(to + 4 * ROW_BYTES, column_bytes, gm + 4 * pitch + at, pitch);
            pair(to + 6 * ROW_BYTES, column_bytes, gm + 6 * pitch + at, pitch);
        }
        for (int i = 0; i < 8 && at < row_bytes; i += 2)
            two_rows(to + i * ROW_BYTES, column_bytes, gm + i * pitch + at,
                     gm + (i + 1) * pitch + at, row_bytes - at, ~(__mmask64)0);
    }
    for (; r < rows; r += 2, l1 += 2 * ROW_BYTES, gm += 2 * pitch) {
        bool two = r + 1 < rows;
        char *to = l1;
        for (at = 0; at < row_bytes; at += 64, to += 2 * column_bytes)
            two_rows(to, column_bytes, gm + at, (two ? gm + pitch : gm) + at, row_bytes - at,
                     two ? ~(__mmask64)0 : 0xFFFFFFFFu);
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

/* In every 128-bit lane: rows of 4 elements become columns. */
static inline void transpose_quads(__m512 r[4])
{
    __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(r[0], r[1]));
    __m512d b = _mm512_castps_pd(_mm512_unpackhi_ps(r[0], r[1]));
    __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(r[2], r[3]));
    __m512d d = _mm512_castps_pd(_mm512_unpackhi_ps(r[2], r[3]));
    r[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    r[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    r[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    r[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
}

/* Four elements of rows j, j + 4, j + 8, j + 12, widened: a 128-bit lane each. */
static inline __m512 quads_f32(const char *row)
{
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps((const float *)row));
    v = _mm512_insertf32x4(v, _mm_loadu_ps((const float *)(row + 4 * ROW_BYTES)), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps((const float *)(row + 8 * ROW_BYTES)), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps((const float *)(row + 12 * ROW_BYTES)), 3);
}

static inline __m256i quads_16(const char *row)
{
    __m128i low = _mm_loadl_epi64((const __m128i *)row);
    __m128i high = _mm_loadl_epi64((const __m128i *)(row + 8 * ROW_BYTES));
    low = _mm_castpd_si128(
        _mm_loadh_pd(_mm_castsi128_pd(low), (const double *)(row + 4 * ROW_BYTES)));
    high = _mm_castpd_si128(
        _mm_loadh_pd(_mm_castsi128_pd(high), (const double *)(row + 12 * ROW_BYTES)));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

static inline __m512 quads_f16(const char *row)
{
    return _mm512_cvtph_ps(quads_16(row));
}
static inline __m512 quads_bf16(const char *row)
{
    return widen_bf16(quads_16(row));
}

static inline __m512 quads_i8(const char *row)
{
    int32_t v[4];
    for (int i = 0; i < 4; i++)
        memcpy(&v[i], row + 4 * i * ROW_BYTES, 4);
    return _mm512_castsi512_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)v)));
}

/* Sixteen elements that lie side by side in L1, widened; fp32 from two columns of fractals. */
static inline __m512 line_f32(const char *at, size_t column_bytes)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps((const float *)at)),
                              _mm256_loadu_ps((const float *)(at + column_bytes)), 1);
}
static inline __m512 line_f16(const char *at, size_t column_bytes)
{
    (void)column_bytes;
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)at));
}
static inline __m512 line_bf16(const char *at, size_t column_bytes)
{
    (void)column_bytes;
    return widen_bf16(_mm256_loadu_si256((const __m256i *)at));
}
static inline __m512 line_i8(const char *at, size_t column_bytes)
{
    (void)column_bytes;
    return _mm512_castsi512_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)at)));
}

/* One fractal whose lanes are rows in L1. `live`: lanes to keep. */
#define ROWS(name, C0)                                                                             \
    static inline void rows_##name(float *to, const char *from, __mmask16 live)                    \
    {                                                                                              \
        for (int k = 0; k < C0; k += 4, from += 4 * (ROW_BYTES / C0)) {                            \
            __m512 r[4] = {quads_##name(from), quads_##name(from + ROW_BYTES),                     \
                           quads_##name(from + 2 * ROW_BYTES),                                     \
                           quads_##name(from + 3 * ROW_BYTES)};                                    \
            transpose_quads(r);                                                                    \
            _mm512_storeu_ps(to, _mm512_maskz_mov_ps(live, r[0]));                                 \
            _mm512_storeu_ps(to + 16, _mm512_maskz_mov_ps(live, r[1]));                            \
            _mm512_storeu_ps(to + 32, _mm512_maskz_mov_ps(live, r[2]));                            \
            _mm512_storeu_ps(to + 48, _mm512_maskz_mov_ps(live, r[3]));                            \
            to += 64;                                                                              \
        }                                                                                          \
    }
ROWS(f32, 8)
ROWS(f16, 16)
ROWS(bf16, 16)
ROWS(i8, 32)

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
            __mmask16 live = (__mmask16)((1u << in_block) - 1);                                    \
            for (size_t k1 = 0; k1 < k1s; k1++) {                                                  \
                float *to = l0 + (k_outermost ? k1 * blocks + b : b * k1s + k1) * C0 * 16;         \
                if (!lanes_along_columns) {                                                        \
                    rows_##name(to, l1 + k1 * column_bytes + b * 16 * ROW_BYTES, live);            \
                    continue;                                                                      \
                }                                                                                  \
                const char *from = l1 + b * 16 / C0 * column_bytes + b * 16 % C0 * ROW_BYTES / C0; \
                from += k1 * C0 * ROW_BYTES;                                                       \
                size_t ks = k - k1 * C0 < C0 ? k - k1 * C0 : C0;                                   \
                size_t beside = C0 >= 16 || in_block > C0 ? column_bytes : 0;                      \
                for (size_t i = 0; i < ks; i++, from += ROW_BYTES, to += 16)                       \
                    _mm512_storeu_ps(to, _mm512_maskz_mov_ps(live, line_##name(from, beside)));    \
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
LOAD(i8, 32)

/* ---- L0C -> GM, rounded to nearest even */

#define NARROW_16(p, live, v)                                                                      \
    _mm256_mask_storeu_epi16(p, live, _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#define NARROW_BF16(p, live, v) _mm256_mask_storeu_epi16(p, live, narrow_bf16(v))

#define FIXPIPE(name, bytes, store)                                                                \
    static void fixpipe_##name(void *gm, int64_t gm_pitch, const void *l0c, size_t m, size_t n)    \
    {                                                                                              \
        size_t column = (m + 15) / 16 * 16 * 16;                                                   \
        for (size_t r = 0; r < m; r++) {                                                           \
            char *to = (char *)gm + (int64_t)r * gm_pitch * (bytes);                               \
            const float *from = (const float *)l0c + r * 16;                                       \
            for (size_t c = 0; c < n; c += 16, from += column, to += 16 * (bytes)) {               \
                __mmask16 live = n - c < 16 ? (__mmask16)((1u << (n - c)) - 1) : 0xFFFF;           \
                store(to, live, _mm512_loadu_ps(from));                                            \
            }                                                                                      \
        }                                                                                          \
    }
FIXPIPE(32, 4, _mm512_mask_storeu_ps) /* int32 too */
FIXPIPE(f16, 2, NARROW_16)
FIXPIPE(bf16, 2, NARROW_BF16)

void sa_avx512_fill_cube(sa_isa *isa)
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
    isa->load_l0a[SA_I8] = load_l0a_i8;
    isa->load_l0b[SA_I8] = load_l0b_i8;
    isa->fixpipe[SA_F32] = isa->fixpipe[SA_I32] = fixpipe_32;
    isa->fixpipe[SA_F16] = fixpipe_f16;
    isa->fixpipe[SA_BF16] = fixpipe_bf16;
}
