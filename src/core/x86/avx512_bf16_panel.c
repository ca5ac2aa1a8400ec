/* panel_pairs and pack_pairs for AVX-512 BF16: blocks of 14 rows by 32 columns, 28 of the 32
 * registers.
 *
 * A dot of pairs is two fused multiply-adds, each rounded to nearest, the upper half's first; so a
 * pair has its first k in the upper half, and an element is summed in the order of `panel`, bit for
 * bit. Subnormal numbers count as 0 in it, operands and sums. With all operands 0 or at least
 * 2^-56, whose last bits are 2^-63 or more, sums are multiples of 2^-126: none is subnormal. */
#include "core/x86/avx512_turn.h"
#include "core/x86/avx512_words.h"
#include "core/x86/x86.h"

#define PANEL_LANES 16
#define PANEL_ROWS 14
#define PANEL_FEW 6
#define PANEL_ONCE
#define pv __m512
#define pv_load(p) _mm512_loadu_ps(p)
#define pv_store(p, v) _mm512_storeu_ps(p, v)
#define pv_set1(x) _mm512_set1_ps(x)
#define pv_zero() _mm512_setzero_ps()
#define pv_fma(a, b, c) _mm512_dpbf16_ps(c, (__m512bh)(a), (__m512bh)(b))
#define pv_some(n) ((__mmask16)(0xFFFFu >> (16 - (n))))
#define pv_load_some(p, n) _mm512_maskz_loadu_ps(pv_some(n), p)
#define pv_store_some(p, v, n) _mm512_mask_storeu_ps(p, pv_some(n), v)
#include "core/isa/panel_text.h"

#define SMALLEST ((127 - 56) << 7)
#define COLUMN_PAIRS 4 /* pairs of rows that are read side by side */

/* The least of sizes less one, so that 0 is the largest. */
static inline __m512i least_size(__m512i least, __m512i v)
{
    __m512i size = _mm512_and_si512(v, _mm512_set1_epi16(0x7FFF));
    return _mm512_min_epu16(least, _mm512_sub_epi16(size, _mm512_set1_epi16(1)));
}

static inline bool large_enough(__m512i least)
{
    return !_mm512_cmplt_epu16_mask(least, _mm512_set1_epi16(SMALLEST - 1));
}

static inline __m512i pair_16(__m256i first, __m256i second)
{
    return _mm512_or_si512(_mm512_slli_epi32(_mm512_cvtepu16_epi32(first), 16),
                           _mm512_cvtepu16_epi32(second));
}

/* Two rows, k and k + 1 (NULL: zeros), `live` lanes of a strip. */
static inline __m512i pair_rows(float *to, const uint16_t *first, const uint16_t *second,
                                size_t live, __m512i least)
{
    const __m512i low =
        _mm512_set_epi16(15, 47, 14, 46, 13, 45, 12, 44, 11, 43, 10, 42, 9, 41, 8, 40, 7, 39, 6, 38,
                         5, 37, 4, 36, 3, 35, 2, 34, 1, 33, 0, 32);
    const __m512i high = _mm512_add_epi16(low, _mm512_set1_epi16(16));
    size_t i = 0;
    for (; second && i + 32 <= live; i += 32) {
        __m512i a = _mm512_loadu_si512(first + i), b = _mm512_loadu_si512(second + i);
        least = least_size(least_size(least, a), b);
        _mm512_storeu_si512(to + i, _mm512_permutex2var_epi16(a, low, b));
        _mm512_storeu_si512(to + i + 16, _mm512_permutex2var_epi16(a, high, b));
    }
    for (; i < live; i += 16) {
        __mmask16 some = pv_some(live - i < 16 ? live - i : 16);
        __m256i a = _mm256_maskz_loadu_epi16(some, first + i);
        __m256i b = second ? _mm256_maskz_loadu_epi16(some, second + i) : _mm256_setzero_si256();
        __m512i v = pair_16(a, b);
        least = least_size(least, v);
        _mm512_storeu_si512(to + i, v);
    }
    return least;
}

static bool pack_down(float *to, size_t strip, size_t width, const uint16_t *from, int64_t pitch,
                      size_t lanes, size_t k)
{
    __m512i least = _mm512_set1_epi16(-1);
    for (size_t p = 0, rows; p < k; p += rows, from += (int64_t)rows * pitch) {
        rows = k - p < 2 * COLUMN_PAIRS ? k - p : 2 * COLUMN_PAIRS;
        float *at = to + p / 2 * width;
        for (size_t lane = 0; lane < lanes; lane += width, at += strip) {
            size_t live = lanes - lane < width ? lanes - lane : width;
            for (size_t r = 0; r < rows; r += 2) {
                const uint16_t *row = from + (int64_t)r * pitch + lane;
                least = pair_rows(at + r / 2 * width, row, r + 1 < rows ? row + pitch : NULL, live,
                                  least);
            }
        }
    }
    return large_enough(least);
}

/* Lanes stay rows. */
static bool pack_along(float *to, size_t strip, const uint16_t *from, int64_t pitch, size_t lanes,
                       size_t k)
{
    __m512i least = _mm512_set1_epi16(-1);
    for (; lanes; lanes--, from += pitch, to += strip) {
        for (size_t p = 0; p < k; p += 32) {
            size_t live = k - p < 32 ? k - p : 32;
            __m512i v = _mm512_maskz_loadu_epi16(0xFFFFFFFFu >> (32 - live), from + p);
            least = least_size(least, v);
            _mm512_storeu_si512(to + p / 2, _mm512_rol_epi32(v, 16));
        }
    }
    return large_enough(least);
}

/* Up to 16 rows of `ks` <= 32 elements become vectors of pairs. */
static inline __attribute__((always_inline)) __m512i turn_pairs(float *to, size_t width,
                                                                const uint16_t *from, int64_t pitch,
                                                                size_t lanes, size_t ks,
                                                                __m512i least)
{
    __m512 r[16];
    __mmask32 some = (__mmask32)(0xFFFFFFFFu >> (32 - ks));
    for (size_t i = 0; i < 16; i++) {
        const uint16_t *row = from + (int64_t)(i < lanes ? i : lanes - 1) * pitch;
        __m512i v = ks == 32 ? _mm512_loadu_si512(row) : _mm512_maskz_loadu_epi16(some, row);
        least = least_size(least, v);
        r[i] = _mm512_castsi512_ps(_mm512_rol_epi32(v, 16));
    }
    vf_turn(r);
    for (size_t i = 0; i < (ks + 1) / 2; i++)
        _mm512_storeu_ps(to + i * width, r[i]);
    return least;
}

static bool pack_pairs(float *to, size_t strip, size_t width, const void *source, int64_t pitch,
                       size_t lanes, size_t k, bool across)
{
    const uint16_t *from = source;
    __m512i least = _mm512_set1_epi16(-1);
    if (width == 0)
        return pack_along(to, strip, from, pitch, lanes, k);
    if (!across)
        return pack_down(to, strip, width, from, pitch, lanes, k);
    for (size_t lane = 0; lane < lanes; lane += 16) {
        const uint16_t *rows = from + (int64_t)lane * pitch;
        float *out = to + lane / width * strip + lane % width;
        size_t live = lanes - lane < 16 ? lanes - lane : 16;
        for (size_t p = 0; p < k; p += 32) {
            if (live == 16 && k - p >= 32)
                least = turn_pairs(out + p / 2 * width, width, rows + p, pitch, 16, 32, least);
            else
                least = turn_pairs(out + p / 2 * width, width, rows + p, pitch, live,
                                   k - p < 32 ? k - p : 32, least);
        }
    }
    return large_enough(least);
}

/* Whether this CPU's dots are those multiply-adds, in that order: products that each other order,
 * or an unrounded sum, would round otherwise. */
static bool in_order(void)
{
    static const uint16_t pairs[][4] = {
        /* first, by; second, by */
        {0x3F81, 0x3F81, 0xBF80, 0x3F80}, {0x3F80, 0x3380, 0x3F80, 0x3380},
        {0x4B81, 0x3F83, 0xCB81, 0x3F83}, {0x3F93, 0x3FA7, 0x3381, 0x3F85},
        {0x3381, 0x3F85, 0x3F93, 0x3FA7}, {0xBFAB, 0x3FC3, 0x33F7, 0x3FFB},
    };
    static const float sums[] = {0, 1, -1, 0x1.000002p0f, 0x1.fffffep-1f, 0x1.234566p3f, 0x1p-24f};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (size_t j = 0; j < sizeof sums / sizeof *sums; j++) {
            const uint16_t *p = pairs[i];
            __m512 left =
                _mm512_castsi512_ps(_mm512_set1_epi32((int)((uint32_t)p[0] << 16 | p[2])));
            __m512 right =
                _mm512_castsi512_ps(_mm512_set1_epi32((int)((uint32_t)p[1] << 16 | p[3])));
            float wide[4], sum = sums[j];
            for (int e = 0; e < 4; e++) {
                uint32_t bits = (uint32_t)p[e] << 16;
                __builtin_memcpy(&wide[e], &bits, 4);
            }
            sum = fmaf(wide[2], wide[3], fmaf(wide[0], wide[1], sum));
            if (_mm512_cvtss_f32(pv_fma(left, right, _mm512_set1_ps(sums[j]))) != sum)
                return false;
        }
    }
    return true;
}

bool sa_avx512_bf16_fill_panel(sa_isa *isa)
{
    isa->pack_pairs = pack_pairs;
    isa->panel_pairs = panel_body;
    return in_order();
}
