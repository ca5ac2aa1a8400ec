/* The gather kernel: the fast body where nothing watches, else the chip's instructions: lines of
 * positions with the same taps are the rows of A, as they lie in GM, one tap after the other. */
#include "core/core.h"
#include "ops/convolution/conv.h"
#include "ops/convolution/cube.h"

static uint32_t least(int64_t a, int64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

typedef struct line {
    int64_t row, col; /* the first position */
    uint32_t count;
    bool along_rows; /* goes down, from row to row */
} line;

static void add_taps(sa_conv_cube *c, const sa_conv_gather *g, const sa_conv_item *item,
                     const sa_conv_piece *p, const line *l, int64_t n0, uint32_t n)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(g->dtype);
    const sa_conv_map *s = &g->src;
    sa_conv_operand a = {.pitch = l->along_rows ? item->y.step * s->row : item->x.step * s->col};
    sa_conv_operand b = {.pitch = g->filter_out, .transposed = g->backward};

    for (int64_t t = p->t0; t < p->t1; t++)
        for (int64_t u = p->u0; u < p->u1; u++)
            for (int64_t k0 = 0; k0 < g->depth; k0 += SA_CONV_K) {
                int64_t y = l->row * item->y.step + item->y.first + t * item->y.each;
                int64_t x = l->col * item->x.step + item->x.first + u * item->x.each;
                int64_t tap = (item->y.tap_first + t * item->y.tap_each) * g->x.taps +
                              item->x.tap_first + u * item->x.tap_each;
                int64_t in = g->backward ? n0 : k0, out = g->backward ? k0 : n0;
                int64_t outputs = g->backward ? g->depth : g->width;

                a.gm = s->data + (item->image * s->image + y * s->row + x * s->col +
                                  item->group * g->depth + k0) *
                                     bytes;
                b.gm = g->filter +
                       ((tap * g->filter_in + in) * g->filter_out + item->group * outputs + out) *
                           bytes;
                sa_conv_cube_step(c, a, b, l->count, least(g->depth - k0, SA_CONV_K), n);
            }
}

static void one_line(sa_conv_cube *c, const sa_conv_gather *g, const sa_conv_item *item,
                     const sa_conv_piece *p, const line *l)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(g->dtype);
    const sa_conv_map *d = &g->dst;
    int64_t from = item->strip * SA_CONV_STRIP, to = from + item->strips * SA_CONV_STRIP;
    int64_t y = item->y.dst_first + l->row * item->y.dst_each;
    int64_t x = item->x.dst_first + l->col * item->x.dst_each;
    char *at = d->data +
               (item->image * d->image + y * d->row + x * d->col + item->group * g->width) * bytes;
    int64_t pitch = l->along_rows ? item->y.dst_each * d->row : item->x.dst_each * d->col;

    to = to < g->width ? to : g->width;
    for (int64_t n0 = from; n0 < to; n0 += SA_CONV_N) {
        uint32_t n = least(to - n0, SA_CONV_N);
        sa_conv_cube_sum(c);
        if (g->bias)
            sa_conv_cube_rows(c, g->bias + (item->group * g->width + n0) * bytes, l->count, n);
        add_taps(c, g, item, p, l, n0, n);
        sa_conv_cube_out(c, g->dtype, at + n0 * bytes, pitch, l->count, n);
    }
}

static void chip_item(sa_conv_cube *c, const sa_conv_gather *g, int64_t index)
{
    sa_conv_item item = sa_conv_item_of(g, index);
    sa_conv_piece p = {0};

    while (item.strips > 0 && sa_conv_next_piece(&item, &p)) {
        bool down = p.rows > p.cols;
        int64_t lines = down ? p.cols : p.rows, length = down ? p.rows : p.cols;
        for (int64_t i = 0; i < lines; i++)
            for (int64_t j = 0; j < length; j += SA_CONV_M) {
                line l = {p.row + (down ? j : i), p.col + (down ? i : j),
                          least(length - j, SA_CONV_M), down};
                one_line(c, g, &item, &p, &l);
            }
    }
}

void sa_conv_gather_kernel(sa_core *core, void *args)
{
    const sa_conv_gather *g = args;
    sa_conv_cube cube;
    int64_t begin, count;

    sa_share(g->items, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    if (g->packed && !core->observer) {
        for (int64_t i = 0; i < count; i++)
            sa_conv_gather_fast(core, g, begin + i, sa_block_idx(core));
        return;
    }
    sa_conv_cube_begin(&cube, core, g->dtype);
    for (int64_t i = 0; i < count; i++)
        chip_item(&cube, g, begin + i);
    sa_conv_cube_end(&cube);
}
