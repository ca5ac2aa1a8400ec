/* The kernel side of the reduction engine. Two input buffers, so that one tile's move runs beside
 * another's arithmetic. Flags: MTE2->V 0, 1 a tile is in; V->MTE2 0, 1 it is read; V->MTE3 0 a
 * result is there; MTE3->V 0 it is out. */
#include "ops/elementwise/tile.h"
#include "ops/reduce/reduce.h"

typedef struct run {
    sa_core *core;
    const sa_reduce *p;
    char *raw[2], *turned, *wide;       /* tiles */
    char *acc, *part, *out;             /* vectors of k_tile */
    char *index, *found, *best, *base;  /* of the index of an extreme */
    char *better, *unordered, *ordered; /* masks */
} run;

typedef struct item {
    int64_t in, out; /* offsets of its first element */
    uint32_t k;
    int64_t first_tile, tiles;
} item;

static uint32_t bytes_of(sa_dtype t)
{
    return (uint32_t)sa_dtype_bytes(t);
}

static void take_buffers(run *r)
{
    const sa_reduce *p = r->p;
    uint32_t tile = p->k_tile * p->r_tile, k = p->k_tile;
    sa_core *core = r->core;

    r->raw[0] = sa_alloc(core, SA_UB, tile * bytes_of(p->in_dtype));
    r->raw[1] = sa_alloc(core, SA_UB, tile * bytes_of(p->in_dtype));
    if (p->turn)
        r->turned = sa_alloc(core, SA_UB, tile * bytes_of(p->in_dtype));
    if (p->acc != p->in_dtype)
        r->wide = sa_alloc(core, SA_UB, tile * bytes_of(p->acc));
    r->acc = sa_alloc(core, SA_UB, k * bytes_of(p->acc));
    r->part = sa_alloc(core, SA_UB, k * bytes_of(p->acc));
    r->out = sa_alloc(core, SA_UB, k * bytes_of(p->out_dtype));
    if (!sa_fold_is_arg(p->fold))
        return;
    r->index = sa_alloc(core, SA_UB, k * 4);
    r->found = sa_alloc(core, SA_UB, k * 8);
    r->best = sa_alloc(core, SA_UB, k * 8);
    r->base = sa_alloc(core, SA_UB, k * 8);
    r->better = sa_alloc(core, SA_UB, k);
    r->unordered = sa_alloc(core, SA_UB, k);
    r->ordered = sa_alloc(core, SA_UB, k);
}

static void locate(const sa_reduce *p, int64_t index, item *at)
{
    int64_t split = index % p->splits, rest = index / p->splits, k = rest % p->k_tiles * p->k_tile;

    rest /= p->k_tiles;
    at->k = p->k - k < p->k_tile ? (uint32_t)(p->k - k) : p->k_tile;
    at->in = k * p->k_in;
    at->out = k * p->k_out + split * p->split_stride;
    for (int d = p->kept_rank - 1; d >= 0; d--) {
        at->in += rest % p->kept_dims[d] * p->kept_in[d];
        at->out += rest % p->kept_dims[d] * p->kept_out[d];
        rest /= p->kept_dims[d];
    }
    sa_share(p->tiles, 1, (uint32_t)split, (uint32_t)p->splits, &at->first_tile, &at->tiles);
}

/* MTE2; returns r of this tile and the index of its first element along the reduced dimension. */
static uint32_t load(const run *r, const item *at, int64_t tile, int set, int64_t *first)
{
    const sa_reduce *p = r->p;
    int64_t start = tile % p->r_tiles * p->r_tile, rest = tile / p->r_tiles;
    int64_t offset = at->in + start * p->r_in;
    uint32_t e = bytes_of(p->in_dtype);
    uint32_t rows = p->r - start < p->r_tile ? (uint32_t)(p->r - start) : p->r_tile;
    const char *gm;

    for (int d = p->reduced_rank - 1; d >= 0; d--) {
        offset += rest % p->reduced_dims[d] * p->reduced_in[d];
        rest /= p->reduced_dims[d];
    }
    gm = (const char *)p->in + offset * e;
    if (p->reduced_inside)
        sa_tile_in(r->core, r->raw[set], gm, e, p->k_in, p->r_in, at->k, rows);
    else
        sa_tile_in(r->core, r->raw[set], gm, e, p->r_in, p->k_in, rows, at->k);
    *first = start;
    return rows;
}

/* V: acc and best take over where this tile's row has a better extreme, or the first NaN. */
static void take_better(const run *r, uint32_t k)
{
    sa_core *core = r->core;
    sa_dtype t = r->p->acc;
    uint32_t mask_bytes = (k + 7) / 8;

    sa_compare(core, t, r->p->fold == SA_FOLD_ARG_MAX ? SA_GT : SA_LT, r->better, r->part, r->acc,
               k);
    sa_compare(core, t, SA_NE, r->unordered, r->part, r->part, k);
    sa_compare(core, t, SA_EQ, r->ordered, r->acc, r->acc, k);
    sa_barrier(core, SA_PIPE_V);
    sa_and(core, SA_U8, r->unordered, r->unordered, r->ordered, mask_bytes);
    sa_barrier(core, SA_PIPE_V);
    sa_or(core, SA_U8, r->better, r->better, r->unordered, mask_bytes);
    sa_barrier(core, SA_PIPE_V);
    sa_select(core, t, r->acc, r->better, r->part, r->acc, k);
    sa_select(core, SA_I64, r->best, r->better, r->found, r->best, k);
}

static void find_tile(const run *r, const char *tile, uint32_t k, uint32_t d, int64_t start,
                      bool first)
{
    sa_core *core = r->core;
    sa_dtype t = r->p->acc;
    char *found = first ? r->best : r->found;
    bool largest = r->p->fold == SA_FOLD_ARG_MAX;

    for (uint32_t i = 0; i < k; i++)
        (largest ? sa_arg_max : sa_arg_min)(core, t, r->index + i * 4,
                                            tile + (size_t)i * d * bytes_of(t), d);
    sa_fold_rows(core, largest ? SA_FOLD_MAX : SA_FOLD_MIN, t, first ? r->acc : r->part, tile, k,
                 d);
    sa_fill(core, SA_I64, r->base, (double)start, k);
    sa_barrier(core, SA_PIPE_V);
    sa_cast(core, SA_I64, found, SA_U32, r->index, SA_ROUND_NONE, k);
    sa_barrier(core, SA_PIPE_V);
    sa_add(core, SA_I64, found, found, r->base, k);
    if (!first) {
        sa_barrier(core, SA_PIPE_V);
        take_better(r, k);
    }
}

static void fold_tile(const run *r, char *tile, uint32_t k, uint32_t d, bool rows, bool first)
{
    const sa_reduce *p = r->p;
    const char *part = tile;

    if (rows) {
        part = first ? r->acc : r->part;
        sa_fold_rows(r->core, p->fold, p->acc, (void *)part, tile, k, d);
        if (first)
            return;
        sa_barrier(r->core, SA_PIPE_V);
    } else {
        sa_fold_down(r->core, p->fold, p->acc, tile, d, k);
    }
    if (first)
        sa_copy_ub(r->core, r->acc, part, k * bytes_of(p->acc));
    else
        sa_fold_pair(r->core, p->fold, p->acc, r->acc, r->acc, part, k);
}

static void work_tile(const run *r, int set, uint32_t k, uint32_t d, int64_t start, bool first)
{
    const sa_reduce *p = r->p;
    bool rows = p->reduced_inside != p->turn; /* [k, d] now */
    char *tile = r->raw[set];

    sa_barrier(r->core, SA_PIPE_V);
    if (p->turn) {
        sa_transpose(r->core, p->in_dtype, r->turned, tile, rows ? d : k, rows ? k : d);
        sa_barrier(r->core, SA_PIPE_V);
        tile = r->turned;
    }
    if (r->wide) {
        sa_cast(r->core, p->acc, r->wide, p->in_dtype, tile, SA_ROUND_RINT, k * d);
        sa_barrier(r->core, SA_PIPE_V);
        tile = r->wide;
    }
    if (sa_fold_is_arg(p->fold))
        find_tile(r, tile, k, d, start, first);
    else
        fold_tile(r, tile, k, d, rows, first);
}

/* The item's result, out of the accumulators. */
static void finish(const run *r, const item *at)
{
    const sa_reduce *p = r->p;
    sa_core *core = r->core;
    sa_dtype from = sa_fold_is_arg(p->fold) ? SA_I64 : p->acc;
    const char *result = sa_fold_is_arg(p->fold) ? r->best : r->acc;
    uint32_t e = bytes_of(p->out_dtype);

    sa_barrier(core, SA_PIPE_V);
    if (p->divisor != 0) {
        sa_fill(core, p->acc, r->part, p->divisor, at->k);
        sa_barrier(core, SA_PIPE_V);
        sa_div(core, p->acc, r->acc, r->acc, r->part, at->k);
        sa_barrier(core, SA_PIPE_V);
    }
    sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
    if (from == p->out_dtype)
        sa_copy_ub(core, r->out, result, at->k * e);
    else
        sa_cast(core, p->out_dtype, r->out, from, result, SA_ROUND_RINT, at->k);
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_tile_out(core, (char *)p->out + at->out * e, r->out, e, p->k_out, 1, at->k, 1);
    sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
}

void sa_reduce_run(sa_core *core, const sa_reduce *p)
{
    run r = {.core = core, .p = p};
    int64_t begin, count;
    int set = 0;

    sa_share(p->items * p->splits, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    if (count == 0)
        return;
    take_buffers(&r);
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 1);
    sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
    for (int64_t i = begin; i < begin + count; i++) {
        item at;
        locate(p, i, &at);
        for (int64_t t = 0; t < at.tiles; t++, set ^= 1) {
            int64_t start;
            uint32_t d;
            sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, (uint32_t)set);
            d = load(&r, &at, at.first_tile + t, set, &start);
            sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, (uint32_t)set);
            sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, (uint32_t)set);
            work_tile(&r, set, at.k, d, start, t == 0);
            sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, (uint32_t)set);
        }
        finish(&r, &at);
    }
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 1);
    sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
}
