/* C in blocks, as GotoBLAS has it: a block of B (kc x nc) is packed once and stays in the second
 * level cache; a few rows of A (panel_rows x kc) are packed, once for all columns of a float32 C,
 * and stay in the first, while the strips of B stream past them. What is too small to earn that is
 * read where it lies. bfloat16 is packed by pairs of k for CPUs with dots of pairs, and widened
 * where an operand is too small for those.
 */
#include "core/gemm.h"
#include "core/core.h"
#include "core/scratch.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* Floats between strips of B: strips shall not all begin in one set of a cache. */
#define STRIP_GAP 32
/* k of a block of B; more gains nothing. */
#define KC_MOST 512
/* Rows of A that are kept packed for all columns. */
#define ROWS_KEPT 2048
/* Rows whose sums wait in float32 for the last of k, where C is narrower. */
#define ROWS_WAITING 1024
/* Up to so many rows B is read where it lies. */
#define ROWS_DIRECT 64
/* Bytes of a cache's line. */
#define LINE 64
/* k at a time of few rows: so many rows of B are read side by side, each a stream. */
#define K_STREAMS 16

typedef struct plan {
    const sa_gemm_args *x;
    const sa_isa *isa;
    int64_t rows_most, a_width, b_width; /* of the register block; lanes of a packed row */
    bool pairs;                          /* of k in 4 bytes (isa.h), where operands allow it */
    bool far_a;                          /* A is more than the second level cache holds */
    int64_t kc, nc, mc;                  /* of a block */
    int64_t slot;                        /* floats between packed blocks of A; 0: one place */
    int64_t tile_row;                    /* floats from row to row */
    float *a, *b, *tile;                 /* scratch; tile: sums of a C that is not float32 */
    int64_t bytes, out_bytes;            /* of an element of A or B, of C */
} plan;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* The smallest multiple of `unit` that cuts n into no more pieces than `limit` does. */
static int64_t even(int64_t n, int64_t limit, int64_t unit)
{
    return ceil_div(ceil_div(n, ceil_div(n, limit)), unit) * unit;
}

static struct {
    int64_t first, second; /* bytes of a core's data caches */
} caches;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void measure_caches(void)
{
    caches.first = most(sysconf(_SC_LEVEL1_DCACHE_SIZE), 16 << 10);
    caches.second = most(sysconf(_SC_LEVEL2_CACHE_SIZE), 256 << 10);
}

static const char *at_a(const plan *g, int64_t row, int64_t k)
{
    return (const char *)g->x->a + (row * g->x->a_row + k * g->x->a_k) * g->bytes;
}

static const char *at_b(const plan *g, int64_t k, int64_t col)
{
    return (const char *)g->x->b + (k * g->x->b_k + col * g->x->b_col) * g->bytes;
}

static char *at_c(const plan *g, int64_t row, int64_t col)
{
    return (char *)g->x->c + (row * g->x->c_row + col) * g->out_bytes;
}

static inline void attend(sa_core *core, const void *pc)
{
    if (!sa_core_quiet(core))
        sa_core_attend(core, pc);
}

/* Rows of finished sums become C's. */
static void finish_rows(const plan *g, float *sums, int64_t pitch, int64_t row, int64_t rows,
                        int64_t col, int64_t cols)
{
    const sa_gemm_args *x = g->x;
    if (x->finish)
        x->finish(x->context, sums, pitch, rows, cols, row, col);
    for (int64_t i = 0; i < rows && x->out != SA_F32; i++)
        g->isa->cast[x->out][SA_F32](at_c(g, row + i, col), sums + i * pitch, SA_ROUND_NONE,
                                     (size_t)cols);
}

/* ---- B where it lies: float32, row-major */

static void multiply_direct(sa_core *core, const plan *g, const sa_gemm_part *p, const void *pc)
{
    const sa_gemm_args *x = g->x;
    int64_t ks = p->rows <= g->rows_most / 2 ? K_STREAMS : KC_MOST;
    float *c = (float *)at_c(g, p->row, p->col);
    if (x->k == 0)
        g->isa->panel(c, x->c_row, NULL, 1, 1, NULL, 1, (size_t)p->rows, 0, (size_t)p->cols,
                      x->accumulate);
    for (int64_t k = 0, kc; k < x->k; k += kc) {
        kc = least(ks, x->k - k);
        attend(core, pc);
        g->isa->panel(c, x->c_row, (const float *)at_a(g, p->row, k), x->a_row, x->a_k,
                      (const float *)at_b(g, k, p->col), x->b_k, (size_t)p->rows, (size_t)kc,
                      (size_t)p->cols, k > 0 || x->accumulate);
    }
    if (x->finish)
        x->finish(x->context, c, x->c_row, p->rows, p->cols, p->row, p->col);
}

/* ---- both packed */

/* Floats from strip to strip of B. */
static int64_t strip_of(const plan *g, bool pairs)
{
    return (pairs ? ceil_div(g->kc, 2) : g->kc) * g->b_width + STRIP_GAP;
}

/* Floats from row to row of A that is packed as rows: an odd number of cache lines. */
static int64_t row_of(int64_t kc, bool pairs)
{
    return (ceil_div(kc, pairs ? 32 : 16) | 1) * 16;
}

/* Whether rows of A need not be turned: copied side by side they do as well. */
static bool along(const plan *g, bool pairs)
{
    return g->x->a_k == 1 && (pairs || g->x->dtype == SA_F32);
}

/* False: an operand is not fit for pairs. */
static bool pack(const plan *g, bool pairs, float *to, int64_t strip, int64_t width,
                 const void *from, int64_t pitch, int64_t lanes, int64_t kc, bool across)
{
    if (pairs)
        return g->isa->pack_pairs(to, (size_t)strip, (size_t)width, from, pitch, (size_t)lanes,
                                  (size_t)kc, across);
    g->isa->pack[g->x->dtype](to, (size_t)strip, (size_t)width, from, pitch, (size_t)lanes,
                              (size_t)kc, across);
    return true;
}

static bool pack_b(const plan *g, bool pairs, int64_t k, int64_t kc, int64_t col, int64_t cols)
{
    bool across = g->x->b_k == 1;
    return pack(g, pairs, g->b, strip_of(g, pairs), g->b_width, at_b(g, k, col),
                across ? g->x->b_col : g->x->b_k, cols, kc, across);
}

static bool pack_a(const plan *g, bool pairs, float *to, int64_t row, int64_t rows, int64_t k,
                   int64_t kc)
{
    bool across = g->x->a_k == 1, rowwise = along(g, pairs);
    int64_t pitch = rowwise ? row_of(kc, pairs) : 0;
    if (rowwise && !pairs) {
        for (int64_t i = 0; i < rows; i++)
            memcpy(to + i * pitch, at_a(g, row + i, k), (size_t)kc * sizeof(float));
        return true;
    }
    return pack(g, pairs, to, pitch, rowwise ? 0 : g->a_width, at_a(g, row, k),
                across ? g->x->a_row : g->x->a_k, rows, kc, across);
}

/* Lines of memory that will be wanted soon: `rows` runs of `bytes`, `pitch` bytes apart. */
typedef struct lines {
    const char *at;
    int64_t rows, bytes, pitch, row, byte;
} lines;

static void fetch_lines(lines *l, int64_t count)
{
    for (; count > 0 && l->row < l->rows; count--) {
        __builtin_prefetch(l->at + l->row * l->pitch + l->byte, 0, 2);
        if ((l->byte += LINE) >= l->bytes) {
            l->byte = 0;
            l->row++;
        }
    }
}

static lines lines_of_a(const plan *g, int64_t row, int64_t rows, int64_t k, int64_t kc)
{
    const sa_gemm_args *x = g->x;
    bool across = x->a_k == 1;
    return (lines){.at = at_a(g, row, k),
                   .rows = across ? rows : kc,
                   .bytes = (across ? kc : rows) * g->bytes,
                   .pitch = (across ? x->a_row : x->a_k) * g->bytes};
}

static void fetch_sums(const float *c, int64_t c_row, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j += LINE / (int64_t)sizeof(float))
            __builtin_prefetch(c + i * c_row + j, 1);
}

/* B's strips stream past a block of A's packed rows. Meanwhile what the next products read is
 * fetched: sums of the next strip, and `next`, the `below` rows of A that follow. */
static void multiply_rows(const plan *g, bool pairs, const float *a, int64_t rows, int64_t kc,
                          int64_t cols, float *c, int64_t c_row, bool accumulate, int64_t below,
                          lines next)
{
    sa_body_PANEL panel = pairs ? g->isa->panel_pairs : g->isa->panel;
    bool rowwise = along(g, pairs);
    int64_t steps = pairs ? ceil_div(kc, 2) : kc, strip = strip_of(g, pairs);
    int64_t a_row = rowwise ? row_of(kc, pairs) : 1, a_k = rowwise ? 1 : g->a_width;
    int64_t share = next.rows * (next.bytes / LINE + 1) / ceil_div(cols, g->b_width) + 1;
    const float *b = g->b;
    for (int64_t col = 0; col < cols; col += g->b_width, b += strip) {
        int64_t after = col + g->b_width;
        if (accumulate && after < cols)
            fetch_sums(c + after, c_row, rows, least(g->b_width, cols - after));
        else if (accumulate)
            fetch_sums(c + rows * c_row, c_row, below, least(g->b_width, cols));
        fetch_lines(&next, share);
        panel(c + col, c_row, a, a_row, a_k, b, g->b_width, (size_t)rows, (size_t)steps,
              (size_t)least(g->b_width, cols - col), accumulate);
    }
}

/* The products of one block of B. `fresh`: A's rows of these k are not packed yet. */
static void multiply_block(sa_core *core, const plan *g, const sa_gemm_part *p, int64_t k,
                           int64_t kc, bool fresh, const void *pc)
{
    const sa_gemm_args *x = g->x;
    bool narrow = x->out != SA_F32, more = k > 0 || x->accumulate;
    int64_t blocks = ceil_div(p->rows, g->rows_most);
    bool pairs = g->pairs && pack_b(g, true, k, kc, p->col, p->cols);
    if (!pairs)
        pack_b(g, false, k, kc, p->col, p->cols);
    for (int64_t block = 0, at = 0, rows; block < blocks; block++, at += rows) {
        int64_t left = blocks - block - 1;
        rows = ceil_div(p->rows - at, left + 1);
        int64_t below = left ? ceil_div(p->rows - at - rows, left) : 0;
        attend(core, pc);
        float *c = narrow && g->kc < x->k ? g->tile + at * g->tile_row
                   : narrow               ? g->tile
                                          : (float *)at_c(g, p->row + at, p->col);
        int64_t c_row = narrow ? g->tile_row : x->c_row;
        float *a = g->a + block * g->slot;
        lines next = {0};
        if (fresh) {
            if (!pack_a(g, pairs, a, p->row + at, rows, k, kc)) {
                pairs = !pack_b(g, false, k, kc, p->col, p->cols);
                pack_a(g, pairs, a, p->row + at, rows, k, kc);
            }
            if (!pairs || g->far_a)
                next = lines_of_a(g, p->row + at + rows, below, k, kc);
        }
        multiply_rows(g, pairs, a, rows, kc, p->cols, c, c_row, more, below, next);
        if (k + kc == x->k)
            finish_rows(g, c, c_row, p->row + at, rows, p->col, p->cols);
    }
}

static void multiply_packed(sa_core *core, plan *g, const sa_gemm_part *p, const void *pc)
{
    const sa_gemm_args *x = g->x;
    bool narrow = x->out != SA_F32;
    /* pairs begin at sums of 0, as those of another product might be subnormal */
    g->pairs = x->dtype == SA_BF16 && g->isa->panel_pairs && !x->accumulate;
    g->far_a = p->rows * x->k * g->bytes > caches.second;
    /* Sums of a narrow C wait for the last of k, so k goes within columns; else columns go within
     * k, and A is packed once for all of them: then fewer of them at once cost little. */
    bool keep = !narrow && !g->pairs;
    int64_t floats_a = caches.first / (int64_t)sizeof(float) * (keep ? 4 : 3) / 6;
    int64_t floats_b = caches.second * 3 / 4 / (int64_t)sizeof(float);
    if (p->rows <= ROWS_DIRECT) /* B comes by but once or twice: no more than is at hand */
        floats_b = caches.first / 2 / (int64_t)sizeof(float);
    g->kc = even(x->k, least(floats_a / g->a_width, KC_MOST) * (g->pairs ? 2 : 1), 8);
    g->nc = even(p->cols, most(floats_b / strip_of(g, g->pairs), 1) * g->b_width, g->b_width);
    keep = keep && g->nc < p->cols;
    g->mc = narrow && g->kc < x->k ? even(p->rows, ROWS_WAITING, g->rows_most)
            : keep                 ? even(p->rows, ROWS_KEPT, g->rows_most)
                                   : p->rows;
    g->tile_row = g->nc + STRIP_GAP;

    int64_t place = most(g->kc, row_of(g->kc, false)) * g->a_width;
    g->slot = keep ? place : 0;
    int64_t a = keep ? ceil_div(g->mc, g->rows_most) * place : place;
    int64_t b = g->nc / g->b_width * strip_of(g, false);
    int64_t tile = (g->kc < x->k ? g->mc : g->rows_most) * g->tile_row;
    g->a = sa_core_scratch(core, (size_t)(a + b + (narrow ? tile : 0)) * sizeof(float));
    g->b = g->a + a;
    g->tile = g->b + b;
    int64_t wide = keep ? p->cols : g->nc; /* columns of a pass over rows and k */
    for (int64_t pass = 0; pass < p->cols; pass += wide) {
        int64_t end = least(pass + wide, p->cols);
        for (int64_t row = 0; row < p->rows; row += g->mc) {
            for (int64_t k = 0; k < x->k; k += g->kc) {
                for (int64_t col = pass; col < end; col += g->nc) {
                    sa_gemm_part block = {p->row + row, least(g->mc, p->rows - row), p->col + col,
                                          least(g->nc, end - col)};
                    multiply_block(core, g, &block, k, least(g->kc, x->k - k), !keep || col == pass,
                                   pc);
                }
            }
        }
    }
}

void sa_gemm(sa_core *core, const sa_gemm_args *x, const sa_gemm_part *part)
{
    const sa_isa *isa = core->isa;
    const void *pc = __builtin_return_address(0);
    plan g = {.x = x,
              .isa = isa,
              .rows_most = (int64_t)isa->panel_rows,
              .a_width = ((int64_t)isa->panel_rows + 7) / 8 * 8,
              .b_width = (int64_t)isa->panel_cols,
              .bytes = (int64_t)sa_dtype_bytes(x->dtype),
              .out_bytes = (int64_t)sa_dtype_bytes(x->out)};
    if (part->rows <= 0 || part->cols <= 0)
        return;
    pthread_once(&once, measure_caches);
    if (x->dtype == SA_F32 && x->out == SA_F32 && x->b_col == 1 &&
        (part->rows <= ROWS_DIRECT || x->k * part->cols <= caches.second / 16))
        multiply_direct(core, &g, part, pc);
    else
        multiply_packed(core, &g, part, pc);
}

/* ---- shares */

/* What a part of rows x cols takes, in multiply-adds: its products in whole register blocks, and
 * its operands, each element of which costs as much as some products; most of A where that is kept
 * packed beyond the second level cache. */
static double cost_of(const sa_core *core, const sa_gemm_args *x, int64_t rows, int64_t cols)
{
    int64_t bytes = x->m * x->k * (int64_t)sizeof(float);
    const double element = 24, of_a = x->dtype == SA_F32 && bytes > caches.second ? 2 : 0.5;
    double high =
        (double)ceil_div(rows, (int64_t)core->isa->panel_rows) * (double)core->isa->panel_rows;
    double wide =
        (double)ceil_div(cols, (int64_t)core->isa->panel_cols) * (double)core->isa->panel_cols;
    return high * wide + element * (of_a * high + wide);
}

/* Part `index` of `parts` of n, cut at multiples of `unit`. */
static void cut(int64_t n, int64_t unit, uint32_t index, uint32_t parts, int64_t *from,
                int64_t *count)
{
    int64_t units = ceil_div(n, unit);
    *from = least(units * index / parts * unit, n);
    *count = least(units * (index + 1) / parts * unit, n) - *from;
}

sa_gemm_part sa_gemm_share(const sa_core *core, const sa_gemm_args *x, uint32_t index,
                           uint32_t parts)
{
    uint32_t high = 1;
    double best = 0;
    pthread_once(&once, measure_caches);
    for (uint32_t h = 1; h <= parts; h++) {
        if (parts % h)
            continue;
        double cost = cost_of(core, x, ceil_div(x->m, h), ceil_div(x->n, parts / h));
        if (h == 1 || cost < best) {
            best = cost;
            high = h;
        }
    }
    sa_gemm_part p;
    cut(x->m, x->m < (int64_t)(high * core->isa->panel_rows) ? 1 : (int64_t)core->isa->panel_rows,
        index / (parts / high), high, &p.row, &p.rows);
    cut(x->n, (int64_t)core->isa->panel_cols, index % (parts / high), parts / high, &p.col,
        &p.cols);
    return p;
}
