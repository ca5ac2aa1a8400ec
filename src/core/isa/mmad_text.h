/* Mmad on packed L0 (isa.h) for a CPU with vectors: register-blocked, in cube.c's order of sums.
 *
 * Whoever includes this text defines the vocabulary first (undefined at its end):
 *   MMAD(name)             the names made here: MMAD(body), MMAD(strip) …
 *   el, mv                 an element (float, int32) and a vector of them
 *   mv_load, mv_store, mv_set1(element), mv_zero(), mv_muladd(a, b, c): a * b + c
 *   MMAD_LANES             elements in a vector: 4, 8 or 16
 *   MMAD_ROWS_MOST         rows of accumulators in the largest block: 8 or 6
 *
 * Columns of C are worked through in strips of two vectors. A strip of B is copied together first:
 * its fractals lie a large power of two apart, which a first-level cache cannot hold side by side.
 * Then a block of rows keeps its accumulators in registers over a slice of k. */
#undef MMAD_SLOT
#undef MMAD_SLICE
#undef MMAD_WIDTH
#define MMAD_SLICE 128 /* k: a strip of B takes at most half of 32 KiB */
#define MMAD_WIDTH (2 * MMAD_LANES)

#define MMAD_1(X) X(0)
#define MMAD_2(X) MMAD_1(X) X(1)
#define MMAD_4(X) MMAD_2(X) X(2) X(3)
#define MMAD_6(X) MMAD_4(X) X(4) X(5)
#define MMAD_8(X) MMAD_6(X) X(6) X(7)

#define MMAD_FIRST(i)                                                                              \
    mv left##i = accumulate ? mv_load(c + i * 16) : mv_zero();                                     \
    mv right##i = accumulate ? mv_load(c + beside + i * 16) : mv_zero();                           \
    __builtin_prefetch(c + (i + MMAD_ROWS_MOST) * 16, 1);                                          \
    __builtin_prefetch(c + beside + (i + MMAD_ROWS_MOST) * 16, 1);
#define MMAD_STEP(i)                                                                               \
    {                                                                                              \
        mv x = mv_set1(a[i]);                                                                      \
        left##i = mv_muladd(x, left, left##i);                                                     \
        right##i = mv_muladd(x, right, right##i);                                                  \
    }
#define MMAD_LAST(i)                                                                               \
    mv_store(c + i * 16, left##i);                                                                 \
    mv_store(c + beside + i * 16, right##i);

#define MMAD_FIRST_ONE(i) mv left##i = accumulate ? mv_load(c + i * 16) : mv_zero();
#define MMAD_STEP_ONE(i) left##i = mv_muladd(mv_set1(a[i]), left, left##i);
#define MMAD_LAST_ONE(i) mv_store(c + i * 16, left##i);

/* `rows` rows of C by two vectors (`beside`: from one to the other in L0C) or by one. */
#define MMAD_BLOCK(rows)                                                                           \
    static __attribute__((noinline)) void MMAD(block##rows)(                                       \
        el * c, size_t beside, const el *a, const el *b, size_t k, bool accumulate)                \
    {                                                                                              \
        if (beside) {                                                                              \
            MMAD_##rows(MMAD_FIRST);                                                               \
            for (; k; k--, a += 16, b += MMAD_WIDTH) {                                             \
                mv left = mv_load(b), right = mv_load(b + MMAD_LANES);                             \
                MMAD_##rows(MMAD_STEP)                                                             \
            }                                                                                      \
            MMAD_##rows(MMAD_LAST);                                                                \
        } else {                                                                                   \
            MMAD_##rows(MMAD_FIRST_ONE);                                                           \
            for (; k; k--, a += 16, b += MMAD_WIDTH) {                                             \
                mv left = mv_load(b);                                                              \
                MMAD_##rows(MMAD_STEP_ONE);                                                        \
            }                                                                                      \
            MMAD_##rows(MMAD_LAST_ONE);                                                            \
        }                                                                                          \
    }
MMAD_BLOCK(1)
MMAD_BLOCK(2)
MMAD_BLOCK(4)
#if MMAD_ROWS_MOST == 8
MMAD_BLOCK(8)
#define MMAD_MOST MMAD(block8)
#else
MMAD_BLOCK(6)
#define MMAD_MOST MMAD(block6)
#endif

/* Rows 0 … m-1 of a strip; none past m is computed. a_block: elements from 16 rows of A to the next
 * 16. */
static void MMAD(strip)(el *c, size_t beside, const el *a, size_t a_block, const el *b, size_t m,
                        size_t k, bool accumulate)
{
    for (size_t row = 0, rows; row < m; row += rows) {
        size_t left = 16 - row % 16;
        left = m - row < left ? m - row : left;
        el *to = c + row * 16;
        const el *from = a + row / 16 * a_block + row % 16;
        if (left >= MMAD_ROWS_MOST) {
            rows = MMAD_ROWS_MOST;
            MMAD_MOST(to, beside, from, b, k, accumulate);
        } else if (left >= 4) {
            rows = 4;
            MMAD(block4)(to, beside, from, b, k, accumulate);
        } else if (left >= 2) {
            rows = 2;
            MMAD(block2)(to, beside, from, b, k, accumulate);
        } else {
            rows = 1;
            MMAD(block1)(to, beside, from, b, k, accumulate);
        }
    }
}

static void MMAD(body)(void *l0c, const void *l0a, const void *l0b, size_t m, size_t k, size_t n,
                       bool accumulate, size_t c0)
{
    _Alignas(64) el strip[MMAD_SLICE * MMAD_WIDTH];
    size_t n1s = (n + 15) / 16, c_block = (m + 15) / 16 * 256;
    size_t a_block = (k + c0 - 1) / c0 * c0 * 16;
    size_t jump = n1s * c0 * 16, k0 = 0; /* jump: from a fractal of B to the one below */
    do {
        size_t ks = k - k0 < MMAD_SLICE ? k - k0 : MMAD_SLICE;
        for (size_t n0 = 0; n0 < n; n0 += MMAD_WIDTH) {
            bool two = n - n0 > MMAD_LANES;
            size_t right = n0 + MMAD_LANES;
            const el *b0 = (const el *)l0b + n0 / 16 * c0 * 16 + n0 % 16;
            const el *b1 = two ? (const el *)l0b + right / 16 * c0 * 16 + right % 16 : b0;
            size_t in_fractal = k0 % c0;
            b0 += k0 / c0 * jump + in_fractal * 16;
            b1 += k0 / c0 * jump + in_fractal * 16;
            for (el *to = strip, *end = strip + ks * MMAD_WIDTH; to < end; to += MMAD_WIDTH) {
                mv_store(to, mv_load(b0));
                mv_store(to + MMAD_LANES, mv_load(b1));
                in_fractal = in_fractal + 1 < c0 ? in_fractal + 1 : 0;
                b0 += in_fractal ? 16 : jump - (c0 - 1) * 16;
                b1 += in_fractal ? 16 : jump - (c0 - 1) * 16;
            }
            el *c = (el *)l0c + n0 / 16 * c_block + n0 % 16;
            size_t beside = right / 16 * c_block + right % 16 - (n0 / 16 * c_block + n0 % 16);
            MMAD(strip)
            (c, two ? beside : 0, (const el *)l0a + k0 * 16, a_block, strip, m, ks,
             accumulate || k0);
        }
        k0 += ks;
    } while (k0 < k);
}

/* A slot's body: name, its dtype's C0, and the body of the vocabulary. */
#define MMAD_SLOT(name, C0, body)                                                                  \
    static void name(void *l0c, const void *l0a, const void *l0b, size_t m, size_t k, size_t n,    \
                     bool accumulate)                                                              \
    {                                                                                              \
        body(l0c, l0a, l0b, m, k, n, accumulate, C0);                                              \
    }

#undef MMAD_1
#undef MMAD_2
#undef MMAD_4
#undef MMAD_6
#undef MMAD_8
#undef MMAD_FIRST
#undef MMAD_STEP
#undef MMAD_LAST
#undef MMAD_FIRST_ONE
#undef MMAD_STEP_ONE
#undef MMAD_LAST_ONE
#undef MMAD_BLOCK
#undef MMAD_MOST
#undef MMAD
#undef el
#undef mv
#undef mv_load
#undef mv_store
#undef mv_set1
#undef mv_zero
#undef mv_muladd
