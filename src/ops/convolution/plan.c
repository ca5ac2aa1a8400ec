/* How the work is cut, and which operands are copied first. */
#include "ops/convolution/plan.h"

#include "core/observe.h"
#include "runtime/runtime.h"

#define POSITIONS 448 /* of an item, about: their sums stay in the second-level cache */
#define COLS_MOST 128
#define SCRATCH_MOST (INT64_C(1) << 20) /* of a block, about */
#define MACS_MOST (INT64_C(1) << 26)    /* of an item: a few milliseconds */
#define SUMS_MOST (INT64_C(192) << 10)  /* bytes of an item's sums in the filter's gradient */
#define PARTS_MOST (INT64_C(8) << 20)   /* bytes of all parts */
#define PARTS 16
#define PACK_GRAIN 131072 /* elements that are worth a block */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* Pieces of at most `most`, nearly equal. */
static int64_t even(int64_t total, int64_t most)
{
    return ceil_div(total, ceil_div(total, most));
}

/* A map as the kernels read it: `t` itself if its channels lie side by side, else a copy. */
typedef struct operand {
    aclTensor flat;
    bool in_workspace;
    uint64_t at;
} operand;

static bool readable(const aclTensor *t)
{
    return t->dims[3] == 1 || t->strides[3] == 1;
}

static aclnnStatus bring(aclOpExecutor *ex, const char *op, const aclTensor *t, bool as_is,
                         operand *o)
{
    *o = (operand){.flat = *t};
    if (!as_is)
        return sa_plan_contiguous(ex, op, t, t->rank, t->dims, &o->flat, &o->in_workspace, &o->at);
    o->flat.data = sa_tensor_data(t);
    o->flat.offset = 0;
    return ACLNN_SUCCESS;
}

static sa_conv_map map_of(const operand *o)
{
    const aclTensor *t = &o->flat;
    return (sa_conv_map){t->data,       t->dims[1],    t->dims[2],   t->dims[3],
                         t->strides[0], t->strides[1], t->strides[2]};
}

/* ---- gather */

static void cut(sa_conv_gather *g, int64_t cores)
{
    int64_t strips = ceil_div(g->width, SA_CONV_STRIP), tiles, macs, parts;
    int64_t rows = sa_conv_phase_of(&g->y, g->backward, 0).size;
    int64_t cols = sa_conv_phase_of(&g->x, g->backward, 0).size;

    g->tile_strips = strips;
    g->tile_cols = even(cols, COLS_MOST);
    g->tile_rows = POSITIONS / g->tile_cols;
    g->tile_rows = even(rows, g->tile_rows < 1 ? 1 : g->tile_rows);
    while (sa_conv_gather_scratch(g) > SCRATCH_MOST && g->tile_rows * g->tile_cols > 1) {
        if (g->tile_rows > 1)
            g->tile_rows = ceil_div(g->tile_rows, 2);
        else
            g->tile_cols = ceil_div(g->tile_cols, 2);
    }
    g->tiles_y = ceil_div(rows, g->tile_rows);
    g->tiles_x = ceil_div(cols, g->tile_cols);
    tiles = g->images * g->groups * g->tiles_y * g->tiles_x * sa_conv_phases(&g->y, g->backward) *
            sa_conv_phases(&g->x, g->backward);
    macs = g->tile_rows * g->tile_cols * g->y.taps * g->x.taps * g->depth;
    macs = macs > INT64_MAX / 65536 ? INT64_MAX : macs * least(g->width, 65536);
    parts = ceil_div(macs, MACS_MOST);
    if (parts < ceil_div(2 * cores, tiles))
        parts = ceil_div(2 * cores, tiles);
    g->tile_strips = ceil_div(strips, least(parts < 1 ? 1 : parts, strips));
    g->tiles_strips = ceil_div(strips, g->tile_strips);
    g->items = tiles * g->tiles_strips;
}

/* Plans the launch that packs the filter; the fast bodies alone read what it leaves. */
static aclnnStatus plan_pack(aclOpExecutor *ex, const sa_chip *chip, const char *op,
                             const sa_conv_gather *g, const operand *filter, uint64_t packed)
{
    sa_conv_gather *copy;
    void *args;
    aclnnStatus s =
        sa_op_launch(ex, sa_conv_pack_kernel, op, SA_AIV,
                     sa_blocks(chip, SA_AIV, sa_conv_packed(g), PACK_GRAIN), g, sizeof *g, &args);

    copy = args;
    if (!s && filter->in_workspace)
        s = sa_op_point(ex, &copy->filter, filter->at);
    return s ? s : sa_op_point(ex, &copy->packed, packed);
}

aclnnStatus sa_conv_plan_gather(aclOpExecutor *ex, const sa_conv_shape *shape, bool backward,
                                const aclTensor *src, const aclTensor *filter,
                                const aclTensor *bias, const aclTensor *dst)
{
    const sa_chip *chip = sa_current_chip();
    sa_conv_gather g = {.dtype = src->dtype,
                        .backward = backward,
                        .y = shape->y,
                        .x = shape->x,
                        .images = src->dims[0],
                        .groups = shape->groups,
                        .depth = src->dims[3] / shape->groups,
                        .width = dst->dims[3] / shape->groups,
                        .filter_in = filter->dims[2],
                        .filter_out = filter->dims[3],
                        .bias = bias ? sa_tensor_data(bias) : NULL};
    sa_conv_gather *copy;
    operand from, weights, result = {.flat = *dst};
    bool watched = sa_observer_active() != NULL;
    uint64_t packed = 0, scratch;
    uint32_t blocks;
    void *args;
    aclnnStatus s;

    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    if (dst->elements == 0)
        return ACLNN_SUCCESS;
    s = bring(ex, shape->op, src, readable(src), &from);
    if (!s)
        s = bring(ex, shape->op, filter, false, &weights);
    if (s)
        return s;
    if (readable(dst))
        s = bring(ex, shape->op, dst, true, &result);
    else
        sa_plan_result(ex, dst, &result.flat, &result.in_workspace, &result.at);
    g.src = map_of(&from);
    g.dst = map_of(&result);
    g.filter = weights.flat.data;
    cut(&g, chip->ai_cores);
    blocks = (uint32_t)least(g.items, chip->ai_cores);
    if (!watched) {
        packed = sa_op_workspace(ex, (uint64_t)sa_conv_packed(&g) * 4);
        s = plan_pack(ex, chip, shape->op, &g, &weights, packed);
        g.scratch_bytes = sa_conv_gather_scratch(&g);
    }
    scratch = sa_op_workspace(ex, (uint64_t)g.scratch_bytes * blocks);
    if (!s)
        s = sa_op_launch(ex, sa_conv_gather_kernel, shape->op, SA_AIC, blocks, &g, sizeof g, &args);
    if (s)
        return s;
    copy = args;
    if (from.in_workspace)
        s = sa_op_point(ex, &copy->src.data, from.at);
    if (!s && weights.in_workspace)
        s = sa_op_point(ex, &copy->filter, weights.at);
    if (!s && result.in_workspace)
        s = sa_op_point(ex, &copy->dst.data, result.at);
    if (!s && !watched)
        s = sa_op_point(ex, &copy->packed, packed);
    if (!s && g.scratch_bytes)
        s = sa_op_point(ex, &copy->scratch, scratch);
    return s ? s : sa_plan_scatter(ex, shape->op, dst, result.in_workspace, result.at);
}

/* ---- the filter's gradient */

static void share(sa_conv_filter *f)
{
    int64_t taps = f->y.taps * f->x.taps, rows = f->images * f->dy.h;
    int64_t bytes = taps * f->width * 4, most = SUMS_MOST / bytes;

    f->tile_depth = even(f->depth, most < 16 ? 16 : most);
    f->tiles_depth = ceil_div(f->depth, f->tile_depth);
    f->parts = ceil_div(PARTS, f->groups * f->tiles_depth);
    f->parts = least(f->parts, PARTS_MOST / (bytes * f->depth * f->groups));
    f->parts = least(f->parts, rows);
    f->parts = f->parts < 1 ? 1 : f->parts;
    f->items = f->parts * f->groups * f->tiles_depth;
}

static aclnnStatus plan_sum(aclOpExecutor *ex, const sa_chip *chip, const char *op,
                            const sa_conv_filter *f, uint64_t parts, const operand *result)
{
    const aclTensor *t = &result->flat;
    sa_conv_sum sum = {t->dtype, f->parts, t->elements, NULL, t->data};
    sa_conv_sum *copy;
    void *args;
    aclnnStatus s =
        sa_op_launch(ex, sa_conv_sum_kernel, op, SA_AIV, sa_blocks(chip, SA_AIV, t->elements, 4096),
                     &sum, sizeof sum, &args);

    copy = args;
    if (!s)
        s = sa_op_point(ex, &copy->in, parts);
    return s || !result->in_workspace ? s : sa_op_point(ex, &copy->out, result->at);
}

aclnnStatus sa_conv_plan_filter(aclOpExecutor *ex, const sa_conv_shape *shape, const aclTensor *src,
                                const aclTensor *dy, const aclTensor *out)
{
    const sa_chip *chip = sa_current_chip();
    sa_conv_filter f = {.dtype = src->dtype,
                        .y = shape->y,
                        .x = shape->x,
                        .images = src->dims[0],
                        .groups = shape->groups,
                        .depth = out->dims[2],
                        .width = out->dims[3] / shape->groups};
    sa_conv_filter *copy;
    operand x, y, result = {0};
    uint64_t parts = 0, scratch;
    uint32_t blocks;
    bool direct;
    void *args;
    aclnnStatus s;

    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    if (out->elements == 0)
        return ACLNN_SUCCESS;
    s = bring(ex, shape->op, src, readable(src), &x);
    if (!s)
        s = bring(ex, shape->op, dy, readable(dy), &y);
    if (s)
        return s;
    sa_plan_result(ex, out, &result.flat, &result.in_workspace, &result.at);
    f.src = map_of(&x);
    f.dy = map_of(&y);
    share(&f);
    direct = f.parts == 1 && f.dtype == SA_F32;
    if (direct)
        f.out = result.flat.data;
    else
        parts = sa_op_workspace(ex, (uint64_t)(f.parts * out->elements) * 4);
    blocks = (uint32_t)least(f.items, chip->ai_cores);
    f.scratch_bytes = sa_observer_active() ? 0 : sa_conv_filter_scratch(&f);
    scratch = sa_op_workspace(ex, (uint64_t)f.scratch_bytes * blocks);
    s = sa_op_launch(ex, sa_conv_filter_kernel, shape->op, SA_AIC, blocks, &f, sizeof f, &args);
    if (s)
        return s;
    copy = args;
    if (x.in_workspace)
        s = sa_op_point(ex, &copy->src.data, x.at);
    if (!s && y.in_workspace)
        s = sa_op_point(ex, &copy->dy.data, y.at);
    if (!s && (!direct || result.in_workspace))
        s = sa_op_point(ex, &copy->out, direct ? result.at : parts);
    if (!s && f.scratch_bytes)
        s = sa_op_point(ex, &copy->scratch, scratch);
    if (!s && !direct)
        s = plan_sum(ex, chip, shape->op, &f, parts, &result);
    return s ? s : sa_plan_scatter(ex, shape->op, out, result.in_workspace, result.at);
}
