/* The slot `panel` (isa.h) for a CPU with vectors: C in registers over all of k, in blocks of up to
 * PANEL_ROWS rows by two vectors of columns; of few rows by four, so that there are sums enough to
 * hide what a multiply-add waits for.
 *
 * Whoever includes this text defines the vocabulary first:
 *   pv                              a vector of floats
 *   pv_load(p), pv_store(p, v), pv_set1(x), pv_zero(), pv_fma(a, b, c): a * b + c
 *   pv_load_some(p, n), pv_store_some(p, v, n)   the first n lanes, 1 … PANEL_LANES; others are
 *                                                not touched, and read as anything
 *   PANEL_LANES, PANEL_ROWS         lanes of a vector, rows of the largest block: 14, 8 or 6
 *   PANEL_FEW                       the most rows of a block four vectors wide
 *   PANEL_ONCE                      if no panel_runs_body is wanted */
/* Rows of B that are fetched before their use: a strip comes from the second level cache. */
#define PANEL_AHEAD 16

#ifdef __clang__
#define PANEL_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PANEL_UNROLL _Pragma("GCC unroll 16")
#endif

/* How many runs of k there are, and the way from one to the next. */
typedef struct panel_run {
    size_t count;
    int64_t a, b;
} panel_run;

typedef void (*panel_block)(float *c, int64_t c_row, const float *a, int64_t a_step, int64_t b_row,
                            const float *b, size_t k, const panel_run *run, size_t cols,
                            bool accumulate);

/* The rest is known when it is compiled. side: A's rows lie side by side and a_step is from one k
 * to the next; else its columns do and a_step is from row to row. */
static inline __attribute__((always_inline)) void
panel_any(float *c, int64_t c_row, const float *a, int64_t a_step, int64_t b_row, const float *b,
          size_t k, const panel_run *run, size_t last, bool accumulate, const int rows,
          const int vectors, const bool side, const bool whole)
{
    const int end = vectors - 1;
    pv sum[14][4], right[4];
    /* three rows a pointer: what the addresses of a load can tell apart without more registers */
    const float *left[5];
    PANEL_UNROLL
    for (int i = 0; i < rows; i++) {
        PANEL_UNROLL
        for (int v = 0; v < vectors; v++) {
            const float *from = c + i * c_row + v * PANEL_LANES;
            sum[i][v] = !accumulate        ? pv_zero()
                        : whole || v < end ? pv_load(from)
                                           : pv_load_some(from, last);
            __builtin_prefetch(from, 1);
        }
    }
    for (size_t runs = run->count; runs; runs--, a += run->a, b += run->b) {
        const float *across = a, *down = b;
        PANEL_UNROLL
        for (int i = 0; i < rows; i += 3)
            left[i / 3] = a + i * a_step;
        for (size_t p = k; p; p--, down += b_row) {
            PANEL_UNROLL
            for (int v = 0; v < vectors; v++)
                right[v] = whole || v < end ? pv_load(down + v * PANEL_LANES)
                                            : pv_load_some(down + v * PANEL_LANES, last);
            if (rows > PANEL_FEW) {
                PANEL_UNROLL
                for (int v = 0; v < vectors; v++)
                    __builtin_prefetch(down + v * PANEL_LANES + PANEL_AHEAD * b_row);
            }
            PANEL_UNROLL
            for (int i = 0; i < rows; i++) {
                pv x = pv_set1(side ? across[i] : left[i / 3][i % 3 * a_step]);
                PANEL_UNROLL
                for (int v = 0; v < vectors; v++)
                    sum[i][v] = pv_fma(x, right[v], sum[i][v]);
            }
            across += a_step;
            PANEL_UNROLL
            for (int i = 0; i < rows; i += 3)
                left[i / 3]++;
        }
    }
    PANEL_UNROLL
    for (int i = 0; i < rows; i++) {
        PANEL_UNROLL
        for (int v = 0; v < vectors; v++) {
            float *to = c + i * c_row + v * PANEL_LANES;
            if (whole || v < end)
                pv_store(to, sum[i][v]);
            else
                pv_store_some(to, sum[i][v], last);
        }
    }
}

/* Columns (vectors - 1) * PANEL_LANES < cols <= vectors * PANEL_LANES. */
#define PANEL_BLOCK(rows, vectors, side)                                                           \
    static void panel_##rows##x##vectors##_##side(                                                 \
        float *c, int64_t c_row, const float *a, int64_t a_step, int64_t b_row, const float *b,    \
        size_t k, const panel_run *run, size_t cols, bool accumulate)                              \
    {                                                                                              \
        size_t last = cols - ((vectors)-1) * PANEL_LANES;                                          \
        if (last == PANEL_LANES)                                                                   \
            panel_any(c, c_row, a, a_step, b_row, b, k, run, last, accumulate, rows, vectors,      \
                      side, true);                                                                 \
        else                                                                                       \
            panel_any(c, c_row, a, a_step, b_row, b, k, run, last, accumulate, rows, vectors,      \
                      side, false);                                                                \
    }
#define PANEL_BLOCKS(rows, vectors) PANEL_BLOCK(rows, vectors, 0) PANEL_BLOCK(rows, vectors, 1)
#define PANEL_NAMES(rows, vectors) {panel_##rows##x##vectors##_0, panel_##rows##x##vectors##_1},

#define PANEL_UP_TO_3(X, vectors) X(1, vectors) X(2, vectors) X(3, vectors)
#define PANEL_UP_TO_6(X, vectors)                                                                  \
    PANEL_UP_TO_3(X, vectors) X(4, vectors) X(5, vectors) X(6, vectors)
#define PANEL_UP_TO_8(X, vectors) PANEL_UP_TO_6(X, vectors) X(7, vectors) X(8, vectors)
#define PANEL_UP_TO_14(X, vectors)                                                                 \
    PANEL_UP_TO_8(X, vectors)                                                                      \
    X(9, vectors)                                                                                  \
    X(10, vectors) X(11, vectors) X(12, vectors) X(13, vectors) X(14, vectors)
#define PANEL_UP_TO__(n) PANEL_UP_TO_##n
#define PANEL_UP_TO(n) PANEL_UP_TO__(n)

PANEL_UP_TO(PANEL_ROWS)
(PANEL_BLOCKS, 1) PANEL_UP_TO(PANEL_ROWS)(PANEL_BLOCKS, 2) PANEL_UP_TO(PANEL_FEW)(PANEL_BLOCKS, 3)
    PANEL_UP_TO(PANEL_FEW)(PANEL_BLOCKS, 4)

    /* by vectors - 1, rows - 1, side */
    static const panel_block panel_blocks[4][PANEL_ROWS][2] = {
        {PANEL_UP_TO(PANEL_ROWS)(PANEL_NAMES, 1)},
        {PANEL_UP_TO(PANEL_ROWS)(PANEL_NAMES, 2)},
        {PANEL_UP_TO(PANEL_FEW)(PANEL_NAMES, 3)},
        {PANEL_UP_TO(PANEL_FEW)(PANEL_NAMES, 4)},
};

static void panel_over(float *c, int64_t c_row, const float *a, int64_t a_row, int64_t a_k,
                       const float *b, int64_t b_row, size_t m, size_t k, const panel_run *run,
                       size_t n, bool accumulate)
{
    /* rows at a time: where neither lies side by side, one (any a_step will do) */
    size_t most = a_row != 1 && a_k != 1 ? 1 : PANEL_ROWS;
    size_t blocks = (m + most - 1) / most;
    size_t wide = (m <= PANEL_FEW ? 4 : 2) * PANEL_LANES;
    bool side = a_k != 1;
    for (size_t at = 0; at < n; at += wide) {
        size_t cols = n - at < wide ? n - at : wide;
        for (size_t block = 0, row = 0, rows; block < blocks; block++, row += rows) {
            rows = (m - row + blocks - block - 1) / (blocks - block);
            panel_blocks[(cols - 1) / PANEL_LANES][rows - 1][side](
                c + (int64_t)row * c_row + (int64_t)at, c_row, a + (int64_t)row * a_row,
                side ? a_k : a_row, b_row, b + at, k, run, cols, accumulate);
        }
    }
}

static void panel_body(float *c, int64_t c_row, const float *a, int64_t a_row, int64_t a_k,
                       const float *b, int64_t b_row, size_t m, size_t k, size_t n, bool accumulate)
{
    static const panel_run once = {1, 0, 0};
    panel_over(c, c_row, a, a_row, a_k, b, b_row, m, k, &once, n, accumulate);
}

#ifndef PANEL_ONCE
static void panel_runs_body(float *c, int64_t c_row, const float *a, int64_t a_row, int64_t a_k,
                            int64_t a_run, const float *b, int64_t b_row, int64_t b_run, size_t m,
                            size_t runs, size_t k, size_t n, bool accumulate)
{
    const panel_run run = {runs, a_run, b_run};
    panel_over(c, c_row, a, a_row, a_k, b, b_row, m, k, &run, n, accumulate);
}
#endif
