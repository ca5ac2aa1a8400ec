/* The kernel side of the elementwise engine: a block's tiles, in two sets of buffers, so that one
 * tile's moves run beside another's arithmetic.
 *
 * Flags, by buffer set (0, 1): MTE2->V a tile's inputs are in; V->MTE2 they are read; V->MTE3 the
 * result is there; MTE3->V it is out. Without V work (a plain copy) MTE2 and MTE3 meet directly.
 * Set 2 is the operands that stay for all tiles. */
#include "ops/elementwise/engine.h"
#include "ops/elementwise/tile.h"

#define RESIDENT 2

typedef struct buffers {
    char *raw[2]; /* as in GM; both the same if resident */
    char *turned; /* raw, transposed */
    char *as;     /* converted */
} buffers;

typedef struct run {
    sa_core *core;
    const sa_ew *p;
    buffers in[SA_LOOP_OPERANDS]; /* [0] unused */
    char *out[2], *out_as;
    bool relay; /* no V work: the result is the input's buffer */
} run;

typedef sa_ew_place place;

static uint32_t bytes_of(sa_dtype t)
{
    return (uint32_t)sa_dtype_bytes(t);
}

static bool is_float(sa_dtype t)
{
    return t == SA_F32 || t == SA_F16 || t == SA_BF16;
}

static void convert(sa_core *core, sa_dtype to, void *dst, sa_dtype from, const void *src,
                    uint32_t n)
{
    sa_round round = is_float(from) && !is_float(to) ? SA_ROUND_TRUNC : SA_ROUND_RINT;
    sa_cast(core, to, dst, from, src, round, n);
}

static void *take(const run *r, sa_dtype t)
{
    return sa_alloc(r->core, SA_UB, r->p->rows * r->p->cols * bytes_of(t));
}

void sa_ew_locate(const sa_ew *p, int64_t tile, sa_ew_place *at)
{
    if (p->tiles == 1) {
        *at = (sa_ew_place){.rows = p->rows, .cols = p->cols};
        return;
    }
    const sa_loop *loop = &p->loop;
    int64_t col = tile % p->col_tiles * p->cols, row = 0, rest = tile / p->col_tiles;
    int64_t cols = loop->dims[p->cols_dim] - col, rows = 1;

    if (p->rows_dim >= 0) {
        row = rest % p->row_tiles * p->rows;
        rest /= p->row_tiles;
        rows = loop->dims[p->rows_dim] - row;
    }
    at->cols = cols < p->cols ? (uint32_t)cols : p->cols;
    at->rows = rows < p->rows ? (uint32_t)rows : p->rows;
    for (int o = 0; o < loop->operands; o++)
        at->offset[o] = row * p->operand[o].row_stride + col * p->operand[o].col_stride;
    for (int d = loop->rank - 1; d >= 0 && rest > 0; d--) {
        if (d == p->cols_dim || d == p->rows_dim)
            continue;
        for (int o = 0; o < loop->operands; o++)
            at->offset[o] += rest % loop->dims[d] * loop->strides[o][d];
        rest /= loop->dims[d];
    }
}

static void load(const run *r, int o, char *ub, const place *at)
{
    const sa_ew_operand *x = &r->p->operand[o];
    uint32_t e = bytes_of(x->dtype), rows = at->rows, cols = at->cols;
    const char *gm = (const char *)r->p->loop.data[o] + at->offset[o] * e;

    if (x->kind == SA_EW_TURNED)
        sa_copy_in_2d(r->core, ub, rows * e, gm, x->col_stride * e, cols, rows * e);
    else
        sa_tile_in(r->core, ub, gm, e, x->row_stride, x->col_stride, rows, cols);
}

static void store(const run *r, const char *ub, const place *at)
{
    const sa_ew_operand *x = &r->p->operand[0];
    uint32_t e = bytes_of(x->dtype);
    char *gm = (char *)r->p->loop.data[0] + at->offset[0] * e;

    sa_tile_out(r->core, gm, ub, e, x->row_stride, x->col_stride, at->rows, at->cols);
}

/* n copies of the element at ub[0]: by way of the scalar pipe, which has 53 bits, or by doubling.
 */
static void spread(sa_core *core, sa_dtype t, char *ub, uint32_t n)
{
    uint32_t e = bytes_of(t);

    if (e < 8) {
        double value;
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_S, RESIDENT);
        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_S, RESIDENT);
        value = sa_get(core, t, ub, 0);
        sa_set_flag(core, SA_PIPE_S, SA_PIPE_V, RESIDENT);
        sa_wait_flag(core, SA_PIPE_S, SA_PIPE_V, RESIDENT);
        sa_fill(core, t, ub, value, n);
        return;
    }
    for (uint32_t done = 1; done < n; done *= 2) {
        uint32_t more = done < n - done ? done : n - done;
        sa_copy_ub(core, ub + (size_t)done * e, ub, more * e);
        sa_barrier(core, SA_PIPE_V);
    }
}

static void fill_constant(const run *r, char *ub, sa_dtype t, uint32_t n)
{
    const sa_ew *p = r->p;

    if (p->constant_low == 0) {
        sa_fill(r->core, t, ub, p->constant, n);
        return;
    }
    /* the first element as a sum, then spread: a sum of whole tiles would need a second one */
    sa_fill(r->core, t, ub, p->constant, 1);
    sa_fill(r->core, t, ub + bytes_of(t), p->constant_low, 1);
    sa_barrier(r->core, SA_PIPE_V);
    sa_add(r->core, t, ub, ub, ub + bytes_of(t), 1);
    sa_barrier(r->core, SA_PIPE_V);
    spread(r->core, t, ub, n);
}

/* Takes an input's buffers; brings in what stays. */
static void prepare(run *r, int o, bool straight)
{
    const sa_ew *p = r->p;
    const sa_ew_operand *x = &p->operand[o];
    buffers *b = &r->in[o];
    uint32_t n = p->rows * p->cols;
    bool converts = x->as != x->dtype;
    place at;

    if (x->kind == SA_EW_CONSTANT) {
        b->as = sa_alloc(r->core, SA_UB, (n + 1) * bytes_of(x->as));
        fill_constant(r, b->as, x->as, n);
        return;
    }
    if (x->kind == SA_EW_SCALAR) {
        char *one = b->as = take(r, x->as);
        if (converts)
            one = sa_alloc(r->core, SA_UB, 32);
        sa_copy_in(r->core, one, p->loop.data[o], bytes_of(x->dtype));
        sa_set_flag(r->core, SA_PIPE_MTE2, SA_PIPE_V, RESIDENT);
        sa_wait_flag(r->core, SA_PIPE_MTE2, SA_PIPE_V, RESIDENT);
        if (converts) {
            convert(r->core, x->as, b->as, x->dtype, one, 1);
            sa_barrier(r->core, SA_PIPE_V);
        }
        spread(r->core, x->as, b->as, n);
        return;
    }
    b->raw[0] = take(r, x->dtype);
    b->raw[1] = x->resident ? b->raw[0] : take(r, x->dtype);
    if (x->kind == SA_EW_TURNED && (!straight || converts))
        b->turned = take(r, x->dtype);
    if (converts && !straight)
        b->as = take(r, x->as);
    if (!x->resident)
        return;
    sa_ew_locate(p, 0, &at);
    load(r, o, b->raw[0], &at);
    sa_set_flag(r->core, SA_PIPE_MTE2, SA_PIPE_V, RESIDENT);
    sa_wait_flag(r->core, SA_PIPE_MTE2, SA_PIPE_V, RESIDENT);
    if (b->as)
        convert(r->core, x->as, b->as, x->dtype, b->raw[0], n);
}

/* V: from a tile as it lies in GM to one as the body reads it. `straight` (or NULL): where the last
 * step writes. Returns where the tile is. */
static const void *shape_input(const run *r, int o, int set, const place *at, char *straight)
{
    const sa_ew_operand *x = &r->p->operand[o];
    const buffers *b = &r->in[o];
    bool converts = x->as != x->dtype;
    const char *now = b->raw[set];

    if (x->resident && b->as)
        return b->as;
    if (x->kind == SA_EW_TURNED) {
        char *to = straight && !converts ? straight : b->turned;
        sa_transpose(r->core, x->dtype, to, now, at->cols, at->rows);
        now = to;
        if (converts)
            sa_barrier(r->core, SA_PIPE_V);
    }
    if (converts) {
        char *to = straight ? straight : b->as;
        convert(r->core, x->as, to, x->dtype, now, at->rows * at->cols);
        now = to;
    }
    return now;
}

static void compute(const run *r, sa_ew_body body, int set, const place *at, void *const *tmp)
{
    const sa_ew *p = r->p;
    const sa_ew_operand *out = &p->operand[0];
    sa_ew_tile t = {.core = r->core,
                    .dtype = p->operand[1].as,
                    .out = r->out_as ? r->out_as : r->out[set],
                    .scalar = p->scalar,
                    .n = at->rows * at->cols};

    if (!body) {
        const void *now = shape_input(r, 1, set, at, r->out[set]);
        if (now != r->out[set])
            sa_copy_ub(r->core, r->out[set], now, t.n * bytes_of(out->dtype));
        return;
    }
    for (int o = 1; o < p->loop.operands; o++)
        t.in[o - 1] = shape_input(r, o, set, at, NULL);
    for (int i = 0; i < SA_EW_TMPS; i++)
        t.tmp[i] = tmp[i];
    sa_barrier(r->core, SA_PIPE_V);
    body(&t);
    if (r->out_as) {
        sa_barrier(r->core, SA_PIPE_V);
        convert(r->core, out->dtype, r->out[set], out->as, r->out_as, t.n);
    }
}

void sa_ew_run(sa_core *core, const sa_ew *p, sa_ew_body body)
{
    run r = {.core = core, .p = p};
    void *tmp[SA_EW_TMPS] = {NULL};
    const sa_ew_operand *first = &p->operand[1];
    int64_t begin, count;
    bool loads = false;
    sa_pipe reader = SA_PIPE_V;

    if (p->slot && sa_ew_direct(core, p))
        return;
    sa_share(p->tiles, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    if (count == 0)
        return;
    for (int o = 1; o < p->loop.operands; o++) {
        prepare(&r, o, !body);
        loads |= !p->operand[o].resident;
    }
    r.relay = !body && !first->resident && first->kind != SA_EW_TURNED && first->as == first->dtype;
    if (r.relay)
        reader = SA_PIPE_MTE3;
    for (int i = 0; i < 2; i++)
        r.out[i] = r.relay ? r.in[1].raw[i] : take(&r, p->operand[0].dtype);
    if (body && p->operand[0].as != p->operand[0].dtype)
        r.out_as = take(&r, p->operand[0].as);
    for (int i = 0; i < SA_EW_TMPS; i++)
        if (p->tmp_bytes[i])
            tmp[i] = sa_alloc(core, SA_UB, p->rows * p->cols * (uint32_t)p->tmp_bytes[i]);

    for (int64_t i = 0; i < count; i++) {
        uint32_t set = i & 1;
        bool again = i + 2 < count; /* the set will be used once more */
        place at;

        sa_ew_locate(p, begin + i, &at);
        if (loads) {
            if (i >= 2)
                sa_wait_flag(core, reader, SA_PIPE_MTE2, set);
            for (int o = 1; o < p->loop.operands; o++)
                if (!p->operand[o].resident)
                    load(&r, o, r.in[o].raw[set], &at);
            sa_set_flag(core, SA_PIPE_MTE2, r.relay ? SA_PIPE_MTE3 : SA_PIPE_V, set);
            sa_wait_flag(core, SA_PIPE_MTE2, r.relay ? SA_PIPE_MTE3 : SA_PIPE_V, set);
        }
        if (!r.relay) {
            if (i >= 2)
                sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, set);
            sa_barrier(core, SA_PIPE_V);
            compute(&r, body, (int)set, &at, tmp);
            if (loads && again)
                sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, set);
            sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, set);
            sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, set);
        }
        store(&r, r.out[set], &at);
        if (again)
            sa_set_flag(core, SA_PIPE_MTE3, r.relay ? SA_PIPE_MTE2 : SA_PIPE_V, set);
    }
}
