/* The fast body of the filter's gradient: for each tap, the map's pixels read down a channel are
 * the rows of a panel, dy's pixels its depth. A few rows at a time, so that they and a tap's sums
 * stay in the caches. */
#include "ops/convolution/fast.h"

#include <string.h>

#define K_MOST 256        /* pixels of a panel */
#define ROWS_MOST 8       /* of dy, at a time */
#define ROWS_BYTES 524288 /* that they and the map's take, about */

typedef struct work {
    const sa_conv_filter *f;
    sa_conv_filter_item item;
    sa_body_PANEL_RUNS runs;
    int64_t image, row, rows; /* of dy */
    int64_t src_y;            /* src is at (src_y, 0) */
    sa_conv_window src, dy;
} work;

/* Rows of dy at a time: a function of the shape. */
static int64_t rows_at_once(const sa_conv_filter *f)
{
    int64_t row = (f->src.w * f->tile_depth * f->y.stride + f->dy.w * f->width) * 4;
    int64_t rows = row > 0 ? ROWS_BYTES / row : ROWS_MOST;
    return rows < 1 ? 1 : rows > ROWS_MOST ? ROWS_MOST : rows;
}

int64_t sa_conv_filter_scratch(const sa_conv_filter *f)
{
    int64_t rows = rows_at_once(f);
    int64_t high = (rows - 1) * f->y.stride + (f->y.taps - 1) * f->y.dilation + 1;
    if (f->dtype == SA_F32)
        return 0;
    high = high < f->src.h ? high : f->src.h;
    return (high * f->src.w * f->tile_depth + rows * f->dy.w * f->width) * 4;
}

/* Adds a tap's products of the rows in hand to c [channels, width]. */
static void tap(const work *w, int64_t t, int64_t u, float *c, int64_t outputs)
{
    const sa_conv_filter *f = w->f;
    int64_t from, to;

    sa_conv_positions(&f->x, u, &from, &to);
    /* the rows whose tap lies in the map: [first, end) */
    int64_t y = w->row * f->y.stride + t * f->y.dilation - f->y.before, first = 0, end = w->rows;
    while (first < end && y + first * f->y.stride < 0)
        first++;
    while (first < end && y + (end - 1) * f->y.stride >= f->src.h)
        end--;
    bool whole = to - from <= K_MOST;
    for (int64_t r = first; r < end; r += whole ? end - first : 1)
        for (int64_t j = from; j < to; j += K_MOST) {
            int64_t x = j * f->x.stride + u * f->x.dilation - f->x.before;
            w->runs(c, outputs,
                    w->src.at + (y + r * f->y.stride - w->src_y) * w->src.row + x * w->src.col, 1,
                    f->x.stride * w->src.col, f->y.stride * w->src.row,
                    w->dy.at + r * w->dy.row + j * w->dy.col, w->dy.col, w->dy.row,
                    (size_t)w->item.channels, whole ? (size_t)(end - first) : 1,
                    (size_t)(to - j < K_MOST ? to - j : K_MOST), (size_t)f->width, true);
        }
}

void sa_conv_filter_fast(sa_core *core, const sa_conv_filter *f, int64_t index, uint32_t block)
{
    work w = {.f = f, .item = sa_conv_filter_item_of(f, index), .runs = core->isa->panel_runs};
    int64_t outputs = f->groups * f->width, taps = f->y.taps * f->x.taps;
    int64_t most = rows_at_once(f), end = w.item.row + w.item.rows;
    float *out = (float *)f->out + w.item.part * taps * f->depth * outputs +
                 w.item.channel * outputs + w.item.group * f->width;

    for (int64_t i = 0; i < taps; i++)
        for (int64_t c = 0; c < w.item.channels; c++)
            memset(out + (i * f->depth + c) * outputs, 0, (size_t)f->width * 4);
    for (int64_t r = w.item.row; r < end; r += w.rows) {
        float *scratch = (float *)(f->scratch + block * f->scratch_bytes);
        int64_t high;

        w.image = r / f->dy.h;
        w.row = r % f->dy.h;
        w.rows = f->dy.h - w.row < most ? f->dy.h - w.row : most;
        w.rows = end - r < w.rows ? end - r : w.rows;
        w.src_y = w.row * f->y.stride - f->y.before;
        high = w.src_y + (w.rows - 1) * f->y.stride + (f->y.taps - 1) * f->y.dilation + 1;
        w.src_y = w.src_y < 0 ? 0 : w.src_y;
        high = high < f->src.h ? high : f->src.h;
        w.src = sa_conv_read(core, &f->src, f->dtype, w.image, w.src_y, high, 0, f->src.w,
                             w.item.group * f->depth + w.item.channel, w.item.channels, &scratch);
        w.dy = sa_conv_read(core, &f->dy, f->dtype, w.image, w.row, w.row + w.rows, 0, f->dy.w,
                            w.item.group * f->width, f->width, &scratch);
        for (int64_t i = 0; i < taps; i++) {
            tap(&w, i / f->x.taps, i % f->x.taps, out + i * f->depth * outputs, outputs);
            sa_conv_attend(core);
        }
    }
}
