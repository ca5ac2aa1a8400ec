/* The kernel of the filter's gradient: for each tap the map's rows, read transposed, by those of
 * dy. As in gather.c, the fast body where nothing watches. */
#include "core/core.h"
#include "ops/convolution/conv.h"
#include "ops/convolution/cube.h"

static uint32_t least(int64_t a, int64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* What the rows [begin, begin + count) of dy add to tap (t, u), channels [c0, c0 + m), outputs [n0,
 * n0 + n) of a group. */
static void add_rows(sa_conv_cube *c, const sa_conv_filter *f, int64_t begin, int64_t count,
                     int64_t t, int64_t u, int64_t src_channel, uint32_t m, int64_t dy_channel,
                     uint32_t n)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(f->dtype), from, to;
    const sa_conv_map *s = &f->src, *d = &f->dy;
    sa_conv_operand a = {.pitch = f->x.stride * s->col, .transposed = true};
    sa_conv_operand b = {.pitch = d->col};

    sa_conv_positions(&f->x, u, &from, &to);
    for (int64_t r = begin; r < begin + count; r++) {
        int64_t image = r / d->h, row = r % d->h;
        int64_t y = row * f->y.stride + t * f->y.dilation - f->y.before;
        if (y < 0 || y >= s->h)
            continue;
        for (int64_t j = from; j < to; j += SA_CONV_K) {
            int64_t x = j * f->x.stride + u * f->x.dilation - f->x.before;
            a.gm = s->data + (image * s->image + y * s->row + x * s->col + src_channel) * bytes;
            b.gm = d->data + (image * d->image + row * d->row + j * d->col + dy_channel) * bytes;
            sa_conv_cube_step(c, a, b, m, least(to - j, SA_CONV_K), n);
        }
    }
}

static void chip_item(sa_conv_cube *c, const sa_conv_filter *f, int64_t index)
{
    sa_conv_filter_item item = sa_conv_filter_item_of(f, index);
    int64_t outputs = f->groups * f->width;
    float *out = (float *)f->out + item.part * f->y.taps * f->x.taps * f->depth * outputs;

    for (int64_t tap = 0; tap < f->y.taps * f->x.taps; tap++)
        for (int64_t c0 = item.channel; c0 < item.channel + item.channels; c0 += SA_CONV_M)
            for (int64_t n0 = 0; n0 < f->width; n0 += SA_CONV_N) {
                uint32_t m = least(item.channel + item.channels - c0, SA_CONV_M);
                uint32_t n = least(f->width - n0, SA_CONV_N);
                int64_t o = item.group * f->width + n0;

                sa_conv_cube_sum(c);
                add_rows(c, f, item.row, item.rows, tap / f->x.taps, tap % f->x.taps,
                         item.group * f->depth + c0, m, o, n);
                sa_conv_cube_out(c, SA_F32, (char *)(out + (tap * f->depth + c0) * outputs + o),
                                 outputs, m, n);
            }
}

void sa_conv_filter_kernel(sa_core *core, void *args)
{
    const sa_conv_filter *f = args;
    sa_conv_cube cube;
    int64_t begin, count;

    sa_share(f->items, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    if (!core->observer) {
        for (int64_t i = 0; i < count; i++)
            sa_conv_filter_fast(core, f, begin + i, sa_block_idx(core));
        return;
    }
    sa_conv_cube_begin(&cube, core, f->dtype);
    for (int64_t i = 0; i < count; i++)
        chip_item(&cube, f, begin + i);
    sa_conv_cube_end(&cube);
}

/* ---- the sum of the parts */

#define CHUNK 4096 /* elements in UB */

void sa_conv_sum_kernel(sa_core *core, void *args)
{
    const sa_conv_sum *s = args;
    float *sum = sa_alloc(core, SA_UB, CHUNK * 4), *part = sa_alloc(core, SA_UB, CHUNK * 4);
    char *narrow = s->dtype == SA_F32 ? (char *)sum : sa_alloc(core, SA_UB, CHUNK * 2);
    int64_t begin, count;

    sa_share(s->elements, 64, sa_block_idx(core), sa_block_num(core), &begin, &count);
    sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, 0);
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
    for (int64_t at = begin; at < begin + count; at += CHUNK) {
        uint32_t n = least(begin + count - at, CHUNK);

        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, 0);
        for (int64_t p = 0; p < s->parts; p++) {
            const char *from = s->in + (p * s->elements + at) * 4;
            sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
            sa_copy_in(core, p ? part : sum, from, n * 4);
            sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 0);
            sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 0);
            if (p)
                sa_add(core, SA_F32, sum, sum, part, n);
            sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
            sa_barrier(core, SA_PIPE_V);
        }
        if (s->dtype != SA_F32)
            sa_cast(core, s->dtype, narrow, SA_F32, sum, SA_ROUND_RINT, n);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
        sa_copy_out(core, s->out + at * (int64_t)sa_dtype_bytes(s->dtype), narrow,
                    n * (uint32_t)sa_dtype_bytes(s->dtype));
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, 0);
    }
    sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
}
