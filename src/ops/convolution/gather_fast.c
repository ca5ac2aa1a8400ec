/* The fast body of a gather: direct convolution. Neighbouring pixels are the rows of a panel as
 * they lie in the map, one tap's channels (or a row of taps, which lie side by side) its depth, so
 * that no matrix of patches is made. The filter's strips come from the caches. */
#include "ops/convolution/fast.h"

#include <string.h>

#define K_MOST 256       /* depth of a panel: 32 KiB of the packed filter */
#define STRIP_MOST 65536 /* elements of a strip that may be read for each line */
#define LINE_LEAST 28    /* positions that are worth it */

typedef struct work {
    const sa_conv_gather *g;
    const sa_conv_item *item;
    sa_body_PANEL panel;
    sa_body_PANEL_RUNS runs;
    sa_body_CAST widen, narrow; /* NULL: float32 */
    sa_conv_window src, dst;    /* src: at (src_y, src_x); dst: at the item's first position */
    int64_t src_y, src_x, src_y1, src_x1;
} work;

static float *dst_at(const work *w, const sa_conv_piece *p, int64_t strip)
{
    return w->dst.at + (p->row - w->item->row) * w->dst.row + (p->col - w->item->col) * w->dst.col +
           strip * SA_CONV_STRIP;
}

/* Before the first panel: the bias or zero. */
static void start(const work *w, const sa_conv_piece *p, float *c, int64_t strip, int64_t n)
{
    const sa_conv_gather *g = w->g;
    float row[SA_CONV_STRIP] = {0};

    if (g->bias) {
        int64_t at = w->item->group * g->width + (w->item->strip + strip) * SA_CONV_STRIP;
        const char *bias = g->bias + at * (int64_t)sa_dtype_bytes(g->dtype);
        if (w->widen)
            w->widen(row, bias, SA_ROUND_NONE, (size_t)n);
        else
            memcpy(row, bias, (size_t)n * 4);
    }
    for (int64_t y = 0; y < p->rows; y++)
        for (int64_t x = 0; x < p->cols; x++)
            memcpy(c + y * w->dst.row + x * w->dst.col, row, (size_t)n * 4);
}

/* The lines of a piece: those along which more positions lie. */
typedef struct lines {
    int64_t count, length;                          /* lines, positions of one */
    int64_t dst_line, dst_step, src_line, src_step; /* to the next, in elements */
} lines;

static lines lines_of(const work *w, const sa_conv_piece *p)
{
    int64_t down = w->item->y.step * w->src.row, along = w->item->x.step * w->src.col;

    if (p->rows > p->cols)
        return (lines){p->cols, p->rows, w->dst.col, w->dst.row, along, down};
    return (lines){p->rows, p->cols, w->dst.row, w->dst.col, down, along};
}

/* Every tap's products for lines [from, to) of a piece, in the order (t, u, channel). */
static void add_taps(const work *w, const sa_conv_piece *p, const lines *l, int64_t from,
                     int64_t to, float *c, const float *packed, int64_t n, bool accumulate)
{
    const sa_conv_phase *y = &w->item->y, *x = &w->item->x;
    int64_t depth = w->g->depth, t_step = x->taps * depth * SA_CONV_STRIP;
    /* a row of taps is one run where they and their pixels lie side by side */
    bool whole = x->each == 1 && w->src.col == depth;
    int64_t runs = whole ? 1 : p->u1 - p->u0, run = whole ? (p->u1 - p->u0) * depth : depth;
    int64_t pieces = (run + K_MOST - 1) / K_MOST, most = (run + pieces - 1) / pieces;
    const float *b = packed + (p->t0 * x->taps + p->u0) * depth * SA_CONV_STRIP;
    const float *a = w->src.at +
                     (p->row * y->step + y->first + p->t0 * y->each - w->src_y) * w->src.row +
                     (p->col * x->step + x->first + p->u0 * x->each - w->src_x) * w->src.col;

    c += from * l->dst_line;
    a += from * l->src_line;
    if (whole && pieces == 1 && to - from == 1) {
        w->runs(c, l->dst_step, a, l->src_step, 1, y->each * w->src.row, b, SA_CONV_STRIP, t_step,
                (size_t)l->length, (size_t)(p->t1 - p->t0), (size_t)run, (size_t)n, accumulate);
        return;
    }
    for (int64_t t = 0; t < p->t1 - p->t0; t++, a += y->each * w->src.row, b += t_step)
        for (int64_t u = 0; u < runs; u++)
            for (int64_t k = 0; k < run; k += most, accumulate = true)
                for (int64_t i = 0; i < to - from; i++)
                    w->panel(c + i * l->dst_line, l->dst_step,
                             a + u * x->each * w->src.col + k + i * l->src_line, l->src_step, 1,
                             b + (u * depth + k) * SA_CONV_STRIP, SA_CONV_STRIP, (size_t)l->length,
                             (size_t)(run - k < most ? run - k : most), (size_t)n, accumulate);
}

static void piece(sa_core *core, const work *w, const sa_conv_piece *p)
{
    const sa_conv_gather *g = w->g;
    int64_t size = w->item->y.taps * w->item->x.taps * g->depth * SA_CONV_STRIP;
    bool nothing = p->t0 == p->t1 || p->u0 == p->u1 || g->depth == 0;
    lines l = lines_of(w, p);
    /* A line at a time, so that it and its sums stay in the first-level cache; where strips are too
     * large to be read for each, or lines are short, all together. */
    int64_t at_once = size > STRIP_MOST || l.length < LINE_LEAST ? l.count : 1;

    for (int64_t i = 0; i < l.count; i += at_once)
        for (int64_t s = 0; s < w->item->strips; s++) {
            int64_t left = g->width - (w->item->strip + s) * SA_CONV_STRIP;
            int64_t n = left < SA_CONV_STRIP ? left : SA_CONV_STRIP;
            float *c = dst_at(w, p, s);
            if (i == 0 && (g->bias || nothing))
                start(w, p, c, s, n);
            if (!nothing)
                add_taps(w, p, &l, i, i + at_once, c,
                         g->packed + w->item->packed + (w->item->strip + s) * size, n,
                         g->bias != NULL);
            sa_conv_attend(core);
        }
}

/* The range of src that positions [from, from + count) of an axis read. */
static void reach(const sa_conv_phase *p, int64_t from, int64_t count, int64_t *low, int64_t *high)
{
    int64_t end = (from + count - 1) * p->step + p->first + (p->taps - 1) * p->each + 1;

    *low = from * p->step + p->first;
    *low = *low < 0 ? 0 : *low > p->src ? p->src : *low;
    *high = end > p->src ? p->src : end;
    *high = *high < *low || p->taps == 0 ? *low : *high;
}

static int64_t most_of(const sa_conv_axis *a, bool backward, int64_t tile)
{
    int64_t most = 0, low, high;
    for (int64_t i = 0; i < sa_conv_phases(a, backward); i++) {
        sa_conv_phase p = sa_conv_phase_of(a, backward, i);
        for (int64_t at = 0; at < p.size; at += tile) {
            reach(&p, at, p.size - at < tile ? p.size - at : tile, &low, &high);
            most = high - low > most ? high - low : most;
        }
    }
    return most;
}

int64_t sa_conv_gather_scratch(const sa_conv_gather *g)
{
    if (g->dtype == SA_F32)
        return 0;
    return (most_of(&g->y, g->backward, g->tile_rows) * most_of(&g->x, g->backward, g->tile_cols) *
                g->depth +
            g->tile_rows * g->tile_cols * g->tile_strips * SA_CONV_STRIP) *
           4;
}

void sa_conv_gather_fast(sa_core *core, const sa_conv_gather *g, int64_t index, uint32_t block)
{
    sa_conv_item item = sa_conv_item_of(g, index);
    int64_t bytes = (int64_t)sa_dtype_bytes(g->dtype);
    float *scratch = (float *)(g->scratch + block * g->scratch_bytes);
    work w = {.g = g, .item = &item, .panel = core->isa->panel, .runs = core->isa->panel_runs};
    sa_conv_piece p = {0};
    int64_t channel = item.strip * SA_CONV_STRIP;
    int64_t channels = g->width - channel < item.strips * SA_CONV_STRIP
                           ? g->width - channel
                           : item.strips * SA_CONV_STRIP;

    if (item.rows == 0 || item.cols == 0 || item.strips == 0)
        return;
    reach(&item.y, item.row, item.rows, &w.src_y, &w.src_y1);
    reach(&item.x, item.col, item.cols, &w.src_x, &w.src_x1);
    w.src = sa_conv_read(core, &g->src, g->dtype, item.image, w.src_y, w.src_y1, w.src_x, w.src_x1,
                         item.group * g->depth, g->depth, &scratch);
    const sa_conv_map *d = &g->dst;
    int64_t down = item.y.dst_each * d->row, along = item.x.dst_each * d->col;
    char *out = d->data +
                (item.image * d->image + (item.y.dst_first + item.row * item.y.dst_each) * d->row +
                 (item.x.dst_first + item.col * item.x.dst_each) * d->col + item.group * g->width +
                 channel) *
                    bytes;
    if (g->dtype == SA_F32) {
        w.dst = (sa_conv_window){(float *)out, down, along};
    } else {
        w.widen = core->isa->cast[SA_F32][g->dtype];
        w.narrow = core->isa->cast[g->dtype][SA_F32];
        w.dst = (sa_conv_window){scratch, item.cols * channels, channels};
    }
    while (sa_conv_next_piece(&item, &p))
        piece(core, &w, &p);
    for (int64_t y = 0; w.narrow && y < item.rows; y++)
        for (int64_t x = 0; x < item.cols; x++)
            w.narrow(out + (y * down + x * along) * bytes, w.dst.at + y * w.dst.row + x * w.dst.col,
                     SA_ROUND_RINT, (size_t)channels);
}
