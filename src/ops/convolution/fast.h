/* What the fast bodies share: maps as float32, where the panels read and write them. */
#ifndef SA_OPS_CONV_FAST_H
#define SA_OPS_CONV_FAST_H

#include "core/core.h"
#include "ops/convolution/conv.h"

/* A window on a map: its position (0, 0) is the map's (row, col). Strides in elements. */
typedef struct sa_conv_window {
    float *at;
    int64_t row, col;
} sa_conv_window;

/* Rows [y0, y1), columns [x0, x1), channels [c, c + channels) of an image: the map itself if it is
 * float32, else a copy in `scratch`, which goes past it. */
static inline sa_conv_window sa_conv_read(const sa_core *core, const sa_conv_map *m, sa_dtype dtype,
                                          int64_t image, int64_t y0, int64_t y1, int64_t x0,
                                          int64_t x1, int64_t c, int64_t channels, float **scratch)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(dtype), cols = x1 - x0;
    const char *from = m->data + (image * m->image + y0 * m->row + x0 * m->col + c) * bytes;
    sa_conv_window w = {(float *)from, m->row, m->col};

    if (dtype == SA_F32)
        return w;
    w = (sa_conv_window){*scratch, cols * channels, channels};
    for (int64_t y = y0; y < y1; y++, from += m->row * bytes) {
        bool whole = m->col == channels;
        int64_t runs = whole ? 1 : cols, n = whole ? cols * channels : channels;
        for (int64_t i = 0; i < runs && n > 0; i++, *scratch += n)
            core->isa->cast[SA_F32][dtype](*scratch, from + i * m->col * bytes, SA_ROUND_NONE,
                                           (size_t)n);
    }
    return w;
}

/* Between panels: leaves the kernel if its launch is to stop. */
static inline void sa_conv_attend(sa_core *core)
{
    if (!sa_core_quiet(core))
        sa_core_attend(core, __builtin_return_address(0));
}

#endif
