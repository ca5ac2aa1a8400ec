/* bf16 on the CPU's matrix tiles (AMX): Mmad and the packed form that it wants.
 *
 * A fractal of packed L0 is 16 x 16 bf16 in the first 512 bytes of its place:
 *   L0A: [16 m][16 k], as in L1;  L0B: pairs along k, [8][16 n][2].
 * The int32 after them is a mark, NARROW; the loads of issue_load.c write the portable wide form,
 * whose elements have no such bit, and Mmad narrows those in place before it multiplies.
 * The mark says SUSPECT too if the fractal holds what a tile multiplies wrongly: tiles take
 * subnormal numbers for 0, in operands and sums. With every operand 0 or at least SMALLEST, what a
 * sum loses to that (2^-126) is below the rounding of its products. Mmad multiplies such fractals
 * one product after the other, like the portable body.
 *
 * Bound: |C - C64| <= 2 K 2^-24 (|A||B|), with the accumulator as one more product; a tile adds the
 * two products of a pair before it rounds, so the bits differ from the portable body's. */
#include "core/x86/avx512_words.h"
#include "core/x86/x86.h"

#include <string.h>

#define FRACTAL 1024 /* bytes from one to the next */
#define ROW 32       /* bytes of a row of a fractal in NZ */
#define SMALLEST ((127 - 51) << 7)

enum { NARROW = 1, SUSPECT = 2 };

static inline int32_t *mark_of(char *fractal)
{
    return (int32_t *)(void *)(fractal + 512);
}

static inline void mark(char *fractal, __mmask32 suspect)
{
    *mark_of(fractal) = NARROW | (suspect ? SUSPECT : 0);
}

/* Which of 32 bf16 are neither 0 nor at least 2^-51. */
static inline __mmask32 tiny(__m512i v)
{
    __m512i size = _mm512_and_si512(v, _mm512_set1_epi16(0x7FFF));
    __mmask32 nonzero = _mm512_test_epi16_mask(size, size);
    return _mm512_mask_cmplt_epu16_mask(nonzero, size, _mm512_set1_epi16(SMALLEST));
}

/* Rows r and r + 1 of 16 elements as 16 pairs. */
static inline __m512i pairs(const char *rows)
{
    __m512i low = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)rows));
    __m512i high = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(rows + ROW)));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

/* ---- one fractal: lanes (m, n) and k along the rows of L1, or the other way round */

static inline void copy_fractal(char *to, const char *from)
{
    __mmask32 suspect = 0;
    for (int i = 0; i < 512; i += 64) {
        __m512i v = _mm512_loadu_si512(from + i);
        suspect |= tiny(v);
        _mm512_storeu_si512(to + i, v);
    }
    mark(to, suspect);
}

static inline void pair_fractal(char *to, const char *from)
{
    __mmask32 suspect = 0;
    for (int i = 0; i < 8; i++) {
        __m512i v = pairs(from + 2 * i * ROW);
        suspect |= tiny(v);
        _mm512_storeu_si512(to + 64 * i, v);
    }
    mark(to, suspect);
}

/* Pairs along k, [8 k][16 m][2] -> [16 m][16 k] */
static inline void turn_pairs(char *to, const __m512i pair[8])
{
    _Alignas(64) int32_t flat[8 * 16];
    const __m256i column = _mm256_setr_epi32(0, 16, 32, 48, 64, 80, 96, 112);
    for (int i = 0; i < 8; i++)
        _mm512_store_si512(flat + 16 * i, pair[i]);
    for (int m = 0; m < 16; m++)
        _mm256_storeu_si256((__m256i *)(to + m * ROW), _mm256_i32gather_epi32(flat + m, column, 4));
    copy_fractal(to, to);
}

/* [16 k][16 m] -> [16 m][16 k] */
static inline void a_transposed(char *to, const char *from)
{
    __m512i pair[8];
    for (int i = 0; i < 8; i++)
        pair[i] = pairs(from + 2 * i * ROW);
    turn_pairs(to, pair);
}

/* The portable form, fp32 [16 k][16 lanes], in place. */
static void narrow(char *fractal, bool is_a)
{
    __m512i pair[8];
    __mmask32 suspect = 0;
    for (int i = 0; i < 8; i++) {
        __m512i even = _mm512_loadu_si512(fractal + 128 * i);
        __m512i odd = _mm512_loadu_si512(fractal + 128 * i + 64);
        pair[i] = _mm512_or_si512(_mm512_srli_epi32(even, 16),
                                  _mm512_and_si512(odd, _mm512_set1_epi32((int)0xFFFF0000)));
        suspect |= tiny(pair[i]);
    }
    if (is_a) {
        turn_pairs(fractal, pair);
        return;
    }
    for (int i = 0; i < 8; i++)
        _mm512_storeu_si512(fractal + 64 * i, pair[i]);
    mark(fractal, suspect);
}

/* [16 n][16 k] -> [8 k][16 n][2] */
static inline void b_transposed(char *to, const char *from)
{
    const __m512i column =
        _mm512_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120);
    __mmask32 suspect = 0;
    for (int i = 0; i < 8; i++) {
        __m512i v = _mm512_i32gather_epi32(column, (const int *)(const void *)from + i, 4);
        suspect |= tiny(v);
        _mm512_storeu_si512(to + 64 * i, v);
    }
    mark(to, suspect);
}

static void load_l0a(void *l0, const void *l1, size_t nz_rows, size_t row, size_t col, size_t m,
                     size_t k, bool transpose)
{
    size_t m1s = (m + 15) / 16, k1s = (k + 15) / 16, column = nz_rows * ROW;
    const char *from = (const char *)l1 + col / 16 * column + row * ROW;
    char *to = l0;
    for (size_t m1 = 0; m1 < m1s; m1++) {
        for (size_t k1 = 0; k1 < k1s; k1++, to += FRACTAL) {
            if (transpose)
                a_transposed(to, from + m1 * column + k1 * 16 * ROW);
            else
                copy_fractal(to, from + k1 * column + m1 * 16 * ROW);
        }
    }
}

static void load_l0b(void *l0, const void *l1, size_t nz_rows, size_t row, size_t col, size_t k,
                     size_t n, bool transpose)
{
    size_t n1s = (n + 15) / 16, k1s = (k + 15) / 16, column = nz_rows * ROW;
    const char *from = (const char *)l1 + col / 16 * column + row * ROW;
    for (size_t n1 = 0; n1 < n1s; n1++) {
        char *to = (char *)l0 + n1 * FRACTAL;
        for (size_t k1 = 0; k1 < k1s; k1++, to += n1s * FRACTAL) {
            if (transpose)
                b_transposed(to, from + k1 * column + n1 * 16 * ROW);
            else
                pair_fractal(to, from + n1 * column + k1 * 16 * ROW);
        }
    }
}

/* ---- Mmad */

/* Lanes and k as they are in L0; k only as far as it goes. */
typedef struct product {
    float *c;
    const char *a, *b;
    size_t m, k, m1s, k1s, n1s;
    bool accumulate;
} product;

/* Marks of `count` fractals, each narrow from now on. */
static int32_t look_at(const char *fractals, size_t count, bool is_a)
{
    int32_t marks = 0;
    for (size_t i = 0; i < count; i++) {
        char *at = (char *)fractals + i * FRACTAL;
        if (!(*mark_of(at) & NARROW))
            narrow(at, is_a);
        marks |= *mark_of(at);
    }
    return marks;
}

/* Product after product, in the portable body's order. */
static void multiply_exactly(const product *p)
{
    for (size_t n1 = 0; n1 < p->n1s; n1++) {
        for (size_t row = 0; row < p->m; row++) {
            float *c = p->c + (n1 * p->m1s * 16 + row) * 16;
            const char *a = p->a + row / 16 * p->k1s * FRACTAL + row % 16 * ROW;
            __m512 sum = p->accumulate ? _mm512_loadu_ps(c) : _mm512_setzero_ps();
            for (size_t k = 0; k < p->k; k++) {
                uint16_t x;
                memcpy(&x, a + k / 16 * FRACTAL + k % 16 * 2, 2);
                __m512i pair =
                    _mm512_loadu_si512(p->b + (k / 16 * p->n1s + n1) * FRACTAL + k % 16 / 2 * 64);
                __m512i y = k & 1 ? _mm512_and_si512(pair, _mm512_set1_epi32((int)0xFFFF0000))
                                  : _mm512_slli_epi32(pair, 16);
                __m512 wide = _mm512_castsi512_ps(_mm512_set1_epi32((int)((uint32_t)x << 16)));
                sum = _mm512_fmadd_ps(wide, _mm512_castsi512_ps(y), sum);
            }
            _mm512_storeu_ps(c, sum);
        }
    }
}

/* Tiles 0 to 3: C; 4, 5: A, 16 rows of 16; 6, 7: B, 8 rows of 16 pairs. */
static const struct {
    uint8_t palette, start, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} shapes = {.palette = 1,
            .row_bytes = {64, 64, 64, 64, 32, 32, 64, 64},
            .rows = {16, 16, 16, 16, 16, 16, 8, 8}};

/* The last fractals along k, where it ends inside them: zeros past it. */
typedef struct tail {
    _Alignas(64) char a[2][512], b[2][512];
} tail;

static void cut(const product *p, size_t m1, size_t n1, size_t rows, size_t cols, tail *t)
{
    size_t left = p->k % 16, k1 = p->k1s - 1;
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < rows; i++)
        for (size_t r = 0; r < 16; r++)
            memcpy(t->a[i] + r * ROW, p->a + ((m1 + i) * p->k1s + k1) * FRACTAL + r * ROW,
                   2 * left);
    for (size_t i = 0; i < cols; i++) {
        const char *b = p->b + (k1 * p->n1s + n1 + i) * FRACTAL;
        memcpy(t->b[i], b, left / 2 * 64);
        if (left & 1)
            _mm512_storeu_si512(
                t->b[i] + left / 2 * 64,
                _mm512_and_si512(_mm512_loadu_si512(b + left / 2 * 64), _mm512_set1_epi32(0xFFFF)));
    }
}

/* C blocks (m1, n1) and, with `down` and `across`, those below and beside. */
static inline __attribute__((always_inline)) void multiply_blocks(const product *p, size_t m1,
                                                                  size_t n1, bool down, bool across)
{
    float *c = p->c + (n1 * p->m1s + m1) * 256;
    size_t beside = p->m1s * 256, whole = p->k / 16;
    const char *a = p->a + m1 * p->k1s * FRACTAL, *b = p->b + n1 * FRACTAL;
    const char *a_down = a + p->k1s * FRACTAL;
    if (p->accumulate) {
        _tile_loadd(0, c, 64);
        if (across)
            _tile_loadd(1, c + beside, 64);
        if (down)
            _tile_loadd(2, c + 256, 64);
        if (down && across)
            _tile_loadd(3, c + beside + 256, 64);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
#define STEP(A0, A1, B0, B1)                                                                       \
    {                                                                                              \
        _tile_loadd(6, B0, 64);                                                                    \
        _tile_loadd(4, A0, ROW);                                                                   \
        _tile_dpbf16ps(0, 4, 6);                                                                   \
        if (across) {                                                                              \
            _tile_loadd(7, B1, 64);                                                                \
            _tile_dpbf16ps(1, 4, 7);                                                               \
        }                                                                                          \
        if (down) {                                                                                \
            _tile_loadd(5, A1, ROW);                                                               \
            _tile_dpbf16ps(2, 5, 6);                                                               \
        }                                                                                          \
        if (down && across)                                                                        \
            _tile_dpbf16ps(3, 5, 7);                                                               \
    }
    for (size_t k1 = 0; k1 < whole; k1++, a += FRACTAL, a_down += FRACTAL, b += p->n1s * FRACTAL)
        STEP(a, a_down, b, b + FRACTAL)
    if (p->k % 16) {
        tail t;
        cut(p, m1, n1, 1 + down, 1 + across, &t);
        STEP(t.a[0], t.a[1], t.b[0], t.b[1])
    }
#undef STEP
    _tile_stored(0, c, 64);
    if (across)
        _tile_stored(1, c + beside, 64);
    if (down)
        _tile_stored(2, c + 256, 64);
    if (down && across)
        _tile_stored(3, c + beside + 256, 64);
}

static void mmad(void *l0c, const void *l0a, const void *l0b, size_t m, size_t k, size_t n,
                 bool accumulate)
{
    product p = {l0c, l0a, l0b, m, k, (m + 15) / 16, (k + 15) / 16, (n + 15) / 16, accumulate};
    int32_t marks = look_at(l0a, p.m1s * p.k1s, true) | look_at(l0b, p.k1s * p.n1s, false);
    if (marks & SUSPECT) {
        multiply_exactly(&p);
        return;
    }
    _tile_loadconfig(&shapes);
    for (size_t n1 = 0; n1 < p.n1s; n1 += 2) {
        bool across = n1 + 1 < p.n1s;
        for (size_t m1 = 0; m1 < p.m1s; m1 += 2) {
            bool down = m1 + 1 < p.m1s;
            if (down && across)
                multiply_blocks(&p, m1, n1, true, true);
            else if (across)
                multiply_blocks(&p, m1, n1, false, true);
            else if (down)
                multiply_blocks(&p, m1, n1, true, false);
            else
                multiply_blocks(&p, m1, n1, false, false);
        }
    }
    _tile_release();
}

void sa_amx_fill_cube(sa_isa *isa)
{
    isa->load_l0a[SA_BF16] = load_l0a;
    isa->load_l0b[SA_BF16] = load_l0b;
    isa->mmad[SA_BF16] = mmad;
}
