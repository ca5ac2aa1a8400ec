/* Which taps of a filter meet which positions of a map, and how the work falls into items. */
#include "ops/convolution/conv.h"

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

sa_conv_phase sa_conv_phase_of(const sa_conv_axis *a, bool backward, int64_t p)
{
    if (!backward)
        return (sa_conv_phase){a->out,  a->in, a->stride, -a->before, a->dilation,
                               a->taps, 0,     1,         0,          1};
    /* tap k of y = p + stride j reads dy at (y + before - k dilation) / stride, if that is whole:
     * for every q-th tap, from k on. The last of them is the lowest source. */
    int64_t g = gcd(a->stride, a->dilation), q = a->stride / g, k = 0, taps = 0;
    while (k < q && (p + a->before - k * a->dilation) % a->stride)
        k++;
    if (k < q && k < a->taps)
        taps = (a->taps - 1 - k) / q + 1;
    k += taps ? (taps - 1) * q : 0;
    return (sa_conv_phase){
        .size = p < a->in ? (a->in - 1 - p) / a->stride + 1 : 0,
        .src = a->out,
        .step = 1,
        .first = taps ? (p + a->before - k * a->dilation) / a->stride : 0,
        .each = a->dilation / g,
        .taps = taps,
        .dst_first = p,
        .dst_each = a->stride,
        .tap_first = k,
        .tap_each = -q,
    };
}

static void taps_at(const sa_conv_phase *p, int64_t j, int64_t *from, int64_t *to)
{
    int64_t at = j * p->step + p->first;
    *from = clamp(ceil_div(-at, p->each), 0, p->taps);
    *to = clamp(floor_div(p->src - 1 - at, p->each) + 1, *from, p->taps);
    if (*from == *to)
        *from = *to = 0;
}

int64_t sa_conv_taps(const sa_conv_phase *p, int64_t j, int64_t end, int64_t *from, int64_t *to)
{
    int64_t f, t;

    taps_at(p, j, from, to);
    do {
        if (++j >= end)
            break;
        taps_at(p, j, &f, &t);
    } while (f == *from && t == *to);
    return j;
}

/* ---- items */

static int64_t strips(const sa_conv_gather *g)
{
    return ceil_div(g->width, SA_CONV_STRIP);
}

int64_t sa_conv_phases(const sa_conv_axis *a, bool backward)
{
    return !backward ? 1 : a->stride < a->in ? a->stride : a->in;
}

int64_t sa_conv_packed(const sa_conv_gather *g)
{
    return g->groups * g->y.taps * g->x.taps * g->depth * strips(g) * SA_CONV_STRIP;
}

/* The taps of the phases before p along an axis. */
static int64_t taps_before(const sa_conv_axis *a, bool backward, int64_t p)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < p; i++)
        sum += sa_conv_phase_of(a, backward, i).taps;
    return sum;
}

sa_conv_item sa_conv_item_of(const sa_conv_gather *g, int64_t index)
{
    sa_conv_item item = {0};
    int64_t phases_y = sa_conv_phases(&g->y, g->backward);
    int64_t phases_x = sa_conv_phases(&g->x, g->backward);
    int64_t part = index % g->tiles_strips, px, py;

    item.strip = part * g->tile_strips;
    item.strips = clamp(strips(g) - item.strip, 0, g->tile_strips);
    index /= g->tiles_strips;
    item.col = index % g->tiles_x * g->tile_cols;
    index /= g->tiles_x;
    item.row = index % g->tiles_y * g->tile_rows;
    index /= g->tiles_y;
    px = index % phases_x;
    index /= phases_x;
    py = index % phases_y;
    index /= phases_y;
    item.group = index % g->groups;
    item.image = index / g->groups;
    item.y = sa_conv_phase_of(&g->y, g->backward, py);
    item.x = sa_conv_phase_of(&g->x, g->backward, px);
    item.rows = clamp(item.y.size - item.row, 0, g->tile_rows);
    item.cols = clamp(item.x.size - item.col, 0, g->tile_cols);
    item.packed =
        (item.group * g->y.taps * g->x.taps + taps_before(&g->y, g->backward, py) * g->x.taps +
         taps_before(&g->x, g->backward, px) * item.y.taps) *
        g->depth * strips(g) * SA_CONV_STRIP;
    return item;
}

bool sa_conv_next_piece(const sa_conv_item *item, sa_conv_piece *p)
{
    int64_t end_row = item->row + item->rows, end_col = item->col + item->cols;

    if (p->rows == 0 || p->col + p->cols == end_col) { /* the first, or the next line of pieces */
        p->row = p->rows ? p->row + p->rows : item->row;
        if (p->row == end_row || item->cols == 0)
            return false;
        p->rows = sa_conv_taps(&item->y, p->row, end_row, &p->t0, &p->t1) - p->row;
        p->col = item->col;
    } else {
        p->col += p->cols;
    }
    p->cols = sa_conv_taps(&item->x, p->col, end_col, &p->u0, &p->u1) - p->col;
    return true;
}

/* ---- the filter's gradient */

void sa_conv_positions(const sa_conv_axis *a, int64_t u, int64_t *from, int64_t *to)
{
    int64_t at = a->before - u * a->dilation;

    *from = clamp(ceil_div(at, a->stride), 0, a->out);
    *to = clamp(floor_div(a->in - 1 + at, a->stride) + 1, *from, a->out);
}

sa_conv_filter_item sa_conv_filter_item_of(const sa_conv_filter *f, int64_t index)
{
    sa_conv_filter_item item = {0};

    item.channel = index % f->tiles_depth * f->tile_depth;
    item.channels = clamp(f->depth - item.channel, 0, f->tile_depth);
    index /= f->tiles_depth;
    item.group = index % f->groups;
    item.part = index / f->groups;
    sa_share(f->images * f->dy.h, 1, (uint32_t)item.part, (uint32_t)f->parts, &item.row,
             &item.rows);
    return item;
}
