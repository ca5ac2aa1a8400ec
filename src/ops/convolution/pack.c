/* The filter as the gather's fast body reads it: strips of SA_CONV_STRIP of dst's channels,
 * float32, group by group, phase by phase; in a strip [tap][channel of src][SA_CONV_STRIP]. The way
 * back reads it transposed, its taps from the last to the first. */
#include "ops/convolution/fast.h"

/* One tap of one strip. */
static void pack_tap(const sa_core *core, const sa_conv_gather *g, const char *tap, int64_t group,
                     int64_t strip, float *to)
{
    int64_t first = strip * SA_CONV_STRIP, left = g->width - first;
    int64_t at = g->backward ? first * g->filter_out + group * g->depth : group * g->width + first;

    core->isa->pack[g->dtype](to, 0, SA_CONV_STRIP, tap + at * (int64_t)sa_dtype_bytes(g->dtype),
                              g->filter_out, (size_t)(left < SA_CONV_STRIP ? left : SA_CONV_STRIP),
                              (size_t)g->depth, g->backward);
}

void sa_conv_pack_kernel(sa_core *core, void *args)
{
    const sa_conv_gather *g = args;
    int64_t phases_y = sa_conv_phases(&g->y, g->backward), begin, count, at = 0;
    int64_t phases_x = sa_conv_phases(&g->x, g->backward);
    int64_t strips = (g->width + SA_CONV_STRIP - 1) / SA_CONV_STRIP;

    sa_share(g->groups * g->y.taps * g->x.taps * strips, 1, sa_block_idx(core), sa_block_num(core),
             &begin, &count);
    for (int64_t i = 0; i < g->groups * phases_y * phases_x && at < begin + count; i++) {
        sa_conv_phase y = sa_conv_phase_of(&g->y, g->backward, i / phases_x % phases_y);
        sa_conv_phase x = sa_conv_phase_of(&g->x, g->backward, i % phases_x);
        int64_t taps = y.taps * x.taps, units = taps * strips, from = begin - at, to;
        from = from < 0 ? 0 : from;
        to = begin + count - at < units ? begin + count - at : units;
        for (int64_t unit = from; unit < to; unit++) {
            int64_t t = unit % taps / x.taps, u = unit % taps % x.taps;
            int64_t tap = (y.tap_first + t * y.tap_each) * g->x.taps + x.tap_first + u * x.tap_each;
            pack_tap(core, g,
                     g->filter +
                         tap * g->filter_in * g->filter_out * (int64_t)sa_dtype_bytes(g->dtype),
                     i / phases_x / phases_y, unit / taps,
                     g->packed + (at + unit) * g->depth * SA_CONV_STRIP);
        }
        at += units;
    }
}
