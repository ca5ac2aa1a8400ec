/* What the convolutions' host side and their kernels share.
 *
 * Everything is NHWC here: maps [n, h, w, channels] whose channels lie side by side, the filter
 * [kh, kw, channels of a group, outputs] row-major. There are two kinds of work:
 *
 *   gather   dst[n, y, x, :] = (bias) + sum over taps (t, u) of src[n, y', x', :] filter[t, u]:
 *            the forward convolution, and the gradient of its input, which gathers from dy with the
 *            filter turned round. With a stride that gradient falls into phases: the positions
 *            y = p (mod stride) see only some of the filter's rows, at distances that are whole.
 *   filter   dw[t, u, c, o] = sum over positions of x[position of the tap, c] dy[position, o].
 *
 * Order of sums, the same on the chip and in the fast bodies: gather adds (t, u, channel) in rising
 * order; taps that fall outside of the map are left out. filter adds rows, then positions in a row,
 * within each of `parts` shares of the rows; then the shares are added in order. */
#ifndef SA_OPS_CONV_H
#define SA_OPS_CONV_H

#include "ops/op.h"

/* Pixels [h, w] of n images; strides in elements. */
typedef struct sa_conv_map {
    char *data;
    int64_t h, w, channels;
    int64_t image, row, col;
} sa_conv_map;

/* One axis (rows or columns) of the forward convolution. */
typedef struct sa_conv_axis {
    int64_t in, out, taps, stride, dilation, before; /* before: padding ahead of the map */
} sa_conv_axis;

/* One axis of a phase of a gather: position j of dst (index dst_first + j dst_each) reads, for tap
 * t, src at j step + first + t each, if that lies in [0, src). */
typedef struct sa_conv_phase {
    int64_t size, src, step, first, each, taps;
    int64_t dst_first, dst_each;
    int64_t tap_first, tap_each; /* the tap's index in the filter */
} sa_conv_phase;

typedef struct sa_conv_gather {
    sa_dtype dtype;
    bool backward;
    sa_conv_axis y, x;
    int64_t images, groups;
    int64_t depth, width;          /* of a group: channels of src, of dst */
    int64_t filter_in, filter_out; /* the filter's last two dimensions */
    sa_conv_map src, dst;
    const char *filter, *bias; /* bias: of dst's channels, or NULL */
    float *packed;             /* what sa_conv_pack made; NULL if a watcher sees the chip's way */
    char *scratch;             /* of every block, for dtypes of 16 bits */
    int64_t scratch_bytes;     /* of one */
    /* an item: a tile of positions of one phase of an image, of one group, for some strips */
    int64_t tile_rows, tile_cols, tile_strips;
    int64_t tiles_y, tiles_x, tiles_strips, items;
} sa_conv_gather;

typedef struct sa_conv_filter {
    sa_dtype dtype;
    sa_conv_axis y, x;
    int64_t images, groups;
    int64_t depth, width; /* of a group: channels of src, of dy */
    sa_conv_map src, dy;
    char *out;     /* [parts][kh, kw, depth, outputs], float32 */
    char *scratch; /* as above */
    int64_t scratch_bytes;
    int64_t parts;                   /* shares of the rows */
    int64_t tile_depth, tiles_depth; /* channels of an item */
    int64_t items;                   /* parts x groups x tiles_depth */
} sa_conv_filter;

/* The sum of the parts, in the gradient's dtype. */
typedef struct sa_conv_sum {
    sa_dtype dtype;
    int64_t parts, elements;
    const char *in;
    char *out;
} sa_conv_sum;

/* ---- geometry.c */

/* Phase p of an axis, and how many there are: of the forward convolution one. */
int64_t sa_conv_phases(const sa_conv_axis *axis, bool backward);
sa_conv_phase sa_conv_phase_of(const sa_conv_axis *axis, bool backward, int64_t p);

/* Taps [*from, *to) of position j lie in the map; the answer is the first position after j, at most
 * `end`, whose taps are others. */
int64_t sa_conv_taps(const sa_conv_phase *p, int64_t j, int64_t end, int64_t *from, int64_t *to);

/* A part of an item whose positions all have the same taps. */
typedef struct sa_conv_piece {
    int64_t row, rows, col, cols; /* positions of the phase */
    int64_t t0, t1, u0, u1;
} sa_conv_piece;

/* An item of a gather, taken apart. */
typedef struct sa_conv_item {
    sa_conv_phase y, x;
    int64_t image, group;
    int64_t row, rows, col, cols; /* rows or cols 0: nothing */
    int64_t strip, strips;
    int64_t packed; /* where the group's and phase's filter begins in `packed` */
} sa_conv_item;

sa_conv_item sa_conv_item_of(const sa_conv_gather *g, int64_t index);

/* Steps through an item's pieces, row by row. Starts with *row = *col = 0; false at the end. */
bool sa_conv_next_piece(const sa_conv_item *item, sa_conv_piece *piece);

/* Positions [*from, *to) of dy's rows whose tap u lies in the map. */
void sa_conv_positions(const sa_conv_axis *axis, int64_t u, int64_t *from, int64_t *to);

/* An item of the filter's gradient: its share of the rows of all images, its channels. */
typedef struct sa_conv_filter_item {
    int64_t part, row, rows, group, channel, channels;
} sa_conv_filter_item;

sa_conv_filter_item sa_conv_filter_item_of(const sa_conv_filter *f, int64_t index);

/* Columns that the filter is packed in, and the panels multiply. */
#define SA_CONV_STRIP 32

/* Elements of `packed`. */
int64_t sa_conv_packed(const sa_conv_gather *g);

/* ---- kernels */

void sa_conv_gather_kernel(sa_core *core, void *args);
void sa_conv_filter_kernel(sa_core *core, void *args);
/* On vector cores: the filter in strips (args: sa_conv_gather), only when nothing watches; the sum.
 */
void sa_conv_pack_kernel(sa_core *core, void *args);
void sa_conv_sum_kernel(sa_core *core, void *args);

/* The fast bodies: item `index` with block `block`'s scratch. */
void sa_conv_gather_fast(sa_core *core, const sa_conv_gather *g, int64_t index, uint32_t block);
void sa_conv_filter_fast(sa_core *core, const sa_conv_filter *f, int64_t index, uint32_t block);

/* Bytes of one block's scratch that the fast bodies need. */
int64_t sa_conv_gather_scratch(const sa_conv_gather *g);
int64_t sa_conv_filter_scratch(const sa_conv_filter *f);

#endif
