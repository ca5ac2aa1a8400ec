/* The kernel of the softmax family. Flags, all 0: MTE2->V a tile is in; V->MTE2 its buffers are
 * read; V->MTE3 a result is there; MTE3->V it is out. 1: between V and S. */
#include "ops/elementwise/tile.h"
#include "ops/reduce/fold.h"
#include "ops/softmax/softmax.h"

#include <math.h>

typedef struct run {
    sa_core *core;
    const sa_softmax_job *p;
    char *raw[SA_SOFTMAX_INPUTS], *wide; /* a tile as it lies in GM; as fp32, before it is turned */
    float *x[SA_SOFTMAX_INPUTS];         /* tiles as the arithmetic reads them */
    float *e, *t;                        /* scratch tiles */
    char *out, *narrow;                  /* the result turned, and in its dtype */
    float *maximum, *sum, *log, *part, *loss; /* sum: 1 / sum before it is multiplied by */
    char *loss_out, *labels;
    /* the item in hand */
    uint32_t k, d;
    int64_t chunk; /* index of the tile's first element along d */
    int64_t first; /* of the slices */
    int64_t offset[1 + SA_SOFTMAX_INPUTS];
} run;

static bool is_cross_entropy(const sa_softmax_job *p)
{
    return p->kind == SA_CROSS_ENTROPY || p->kind == SA_SPARSE_CROSS_ENTROPY;
}

static bool rows(const run *r)
{
    return r->p->inside != r->p->turn;
}

static void take_buffers(run *r)
{
    const sa_softmax_job *p = r->p;
    sa_core *core = r->core;
    uint32_t n = p->k_tile * p->d_tile, e = (uint32_t)sa_dtype_bytes(p->dtype);
    bool converts = p->dtype != SA_F32;
    float **vectors[] = {&r->maximum, &r->sum, &r->log, &r->part, &r->loss};

    for (int i = 0; i < p->inputs; i++) {
        r->x[i] = sa_alloc(core, SA_UB, n * 4);
        r->raw[i] = converts || p->turn ? sa_alloc(core, SA_UB, n * e) : (char *)r->x[i];
    }
    if (converts && p->turn)
        r->wide = sa_alloc(core, SA_UB, n * 4);
    r->e = sa_alloc(core, SA_UB, n * 4);
    r->t = sa_alloc(core, SA_UB, n * 4);
    if (p->turn)
        r->out = sa_alloc(core, SA_UB, n * 4);
    if (converts)
        r->narrow = sa_alloc(core, SA_UB, n * e);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = sa_alloc(core, SA_UB, p->k_tile * 4);
    r->loss_out = sa_alloc(core, SA_UB, p->k_tile * e);
    r->labels = sa_alloc(core, SA_UB, p->k_tile * 8);
}

static void locate(run *r, int64_t item)
{
    const sa_softmax_job *p = r->p;
    const sa_loop *loop = &p->loop;
    int64_t rest = item / p->k_tiles, left;

    r->first = item % p->k_tiles * p->k_tile;
    left = loop->dims[p->k_dim] - r->first;
    r->k = left < p->k_tile ? (uint32_t)left : p->k_tile;
    for (int o = 0; o < loop->operands; o++)
        r->offset[o] = r->first * loop->strides[o][p->k_dim];
    for (int d = loop->rank - 1; d >= 0; d--) {
        if (d == p->k_dim)
            continue;
        for (int o = 0; o < loop->operands; o++)
            r->offset[o] += rest % loop->dims[d] * loop->strides[o][d];
        rest /= loop->dims[d];
    }
}

/* Brings chunk `index` of the inputs into x. */
static void load(run *r, int64_t index)
{
    const sa_softmax_job *p = r->p;
    sa_core *core = r->core;
    uint32_t e = (uint32_t)sa_dtype_bytes(p->dtype), n;

    r->chunk = index * p->d_tile;
    r->d = p->d - r->chunk < p->d_tile ? (uint32_t)(p->d - r->chunk) : p->d_tile;
    n = r->k * r->d;
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
    for (int i = 0; i < p->inputs; i++) {
        int64_t ks = p->loop.strides[i + 1][p->k_dim], ds = p->d_stride[i + 1];
        const char *gm = (const char *)p->loop.data[i + 1] + (r->offset[i + 1] + r->chunk * ds) * e;
        if (p->inside)
            sa_tile_in(core, r->raw[i], gm, e, ks, ds, r->k, r->d);
        else
            sa_tile_in(core, r->raw[i], gm, e, ds, ks, r->d, r->k);
    }
    sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 0);
    sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 0);
    sa_barrier(core, SA_PIPE_V);
    for (int i = 0; i < p->inputs; i++) {
        char *now = r->raw[i];
        if (p->dtype != SA_F32) {
            char *to = p->turn ? r->wide : (char *)r->x[i];
            sa_cast(core, SA_F32, to, p->dtype, now, SA_ROUND_NONE, n);
            sa_barrier(core, SA_PIPE_V);
            now = to;
        }
        if (p->turn) {
            sa_transpose(core, SA_F32, r->x[i], now, r->k, r->d);
            sa_barrier(core, SA_PIPE_V);
        }
    }
}

/* Ends the use of what load brought. */
static void release(const run *r)
{
    sa_set_flag(r->core, SA_PIPE_V, SA_PIPE_MTE2, 0);
}

/* vector = tile folded along d, joined with what it holds unless `first`. Barriers around. tile may
 * be destroyed if `scratch` is NULL. */
static void fold(const run *r, sa_fold f, float *vector, float *tile, float *scratch, bool first)
{
    sa_core *core = r->core;
    float *part = first ? vector : r->part;

    if (rows(r)) {
        sa_fold_rows(core, f, SA_F32, part, tile, r->k, r->d);
    } else {
        if (scratch) {
            sa_copy_ub(core, scratch, tile, r->k * r->d * 4);
            sa_barrier(core, SA_PIPE_V);
            tile = scratch;
        }
        sa_fold_down(core, f, SA_F32, tile, r->d, r->k);
        sa_copy_ub(core, part, tile, r->k * 4);
    }
    sa_barrier(core, SA_PIPE_V);
    if (!first) {
        sa_fold_pair(core, f, SA_F32, vector, vector, part, r->k);
        sa_barrier(core, SA_PIPE_V);
    }
}

/* dst = src - vector (or * vector), the vector's element for each slice. A barrier after. */
static void spread(const run *r, bool multiply, float *dst, const float *src, const float *vector)
{
    sa_core *core = r->core;

    if (rows(r)) {
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_S, 1);
        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_S, 1);
        for (uint32_t i = 0; i < r->k; i++) {
            size_t at = (size_t)i * r->d;
            double v = sa_get(core, SA_F32, vector, i);
            if (multiply)
                sa_muls(core, SA_F32, dst + at, src + at, v, r->d);
            else
                sa_adds(core, SA_F32, dst + at, src + at, -v, r->d);
        }
        sa_set_flag(core, SA_PIPE_S, SA_PIPE_V, 1);
        sa_wait_flag(core, SA_PIPE_S, SA_PIPE_V, 1);
    } else {
        for (uint32_t i = 0; i < r->d; i++) {
            size_t at = (size_t)i * r->k;
            if (multiply)
                sa_mul(core, SA_F32, dst + at, src + at, vector, r->k);
            else
                sa_sub(core, SA_F32, dst + at, src + at, vector, r->k);
        }
    }
    sa_barrier(core, SA_PIPE_V);
}

/* V -> GM: the tile `result`. */
static void store(const run *r, float *result)
{
    const sa_softmax_job *p = r->p;
    sa_core *core = r->core;
    uint32_t e = (uint32_t)sa_dtype_bytes(p->dtype);
    int64_t ks = p->loop.strides[0][p->k_dim], ds = p->d_stride[0];
    char *gm = (char *)p->loop.data[0] + (r->offset[0] + r->chunk * ds) * e;
    char *now = (char *)result;

    if (p->turn) {
        sa_transpose(core, SA_F32, r->out, now, r->d, r->k);
        sa_barrier(core, SA_PIPE_V);
        now = r->out;
    }
    if (p->dtype != SA_F32) {
        sa_cast(core, p->dtype, r->narrow, SA_F32, now, SA_ROUND_RINT, r->k * r->d);
        now = r->narrow;
    }
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    if (p->inside)
        sa_tile_out(core, gm, now, e, ks, ds, r->k, r->d);
    else
        sa_tile_out(core, gm, now, e, ds, ks, r->d, r->k);
    /* the buffers serve the next tile at once: the tail of a tile is not worth a second set */
    sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
    sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
}

void sa_softmax_check_label(sa_core *core, const sa_softmax_job *p, double label, int64_t slice)
{
    if (!(label >= 0 && label < (double)p->d))
        sa_fault(core, SA_ERR_AICORE_EXCEPTION,
                 "Received a label value of %.0f which is outside the valid range of [0, %lld): "
                 "labels[%lld]",
                 label, (long long)p->d, (long long)slice);
}

/* S: for each slice its label's term, and 1 off the result there. */
static void sparse_labels(const run *r, float *result, const float *x)
{
    const sa_softmax_job *p = r->p;
    sa_core *core = r->core;

    sa_set_flag(core, SA_PIPE_V, SA_PIPE_S, 1);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_S, 1);
    for (uint32_t i = 0; i < r->k; i++) {
        double label = sa_get(core, p->label_dtype, r->labels, i), at = label - (double)r->chunk;
        sa_softmax_check_label(core, p, label, r->first + i);
        if (at >= 0 && at < r->d) {
            uint32_t j = (uint32_t)at, index = rows(r) ? i * r->d + j : j * r->k + i;
            sa_set(core, SA_F32, r->loss, i,
                   sa_get(core, SA_F32, r->log, i) - sa_get(core, SA_F32, x, index));
            sa_set(core, SA_F32, result, index, sa_get(core, SA_F32, result, index) - 1);
        }
    }
    sa_set_flag(core, SA_PIPE_S, SA_PIPE_V, 1);
    sa_wait_flag(core, SA_PIPE_S, SA_PIPE_V, 1);
}

/* The result of the chunk in hand: x[0] holds x - maximum, e its exponential (not of backward). */
static void finish_chunk(const run *r, bool first)
{
    const sa_softmax_job *p = r->p;
    sa_core *core = r->core;
    uint32_t n = r->k * r->d;
    float *result = r->e;

    switch (p->kind) {
    case SA_SOFTMAX:
        spread(r, true, r->e, r->e, r->sum);
        break;
    case SA_LOG_SOFTMAX:
        spread(r, false, r->e, r->x[0], r->log);
        break;
    case SA_SOFTMAX_BACKWARD:
        spread(r, false, r->e, r->x[0], r->sum);
        sa_mul(core, SA_F32, r->e, r->e, r->x[1], n);
        break;
    case SA_CROSS_ENTROPY:
        spread(r, false, r->t, r->x[0], r->log);
        sa_mul(core, SA_F32, r->t, r->t, r->x[1], n);
        sa_barrier(core, SA_PIPE_V);
        fold(r, SA_FOLD_SUM, r->loss, r->t, NULL, first);
        spread(r, true, r->e, r->e, r->sum);
        sa_sub(core, SA_F32, r->e, r->e, r->x[1], n);
        break;
    case SA_SPARSE_CROSS_ENTROPY:
        spread(r, true, r->e, r->e, r->sum);
        sparse_labels(r, r->e, r->x[0]);
        break;
    }
    sa_barrier(core, SA_PIPE_V);
    store(r, result);
}

/* x[0] -= maximum; e = exp of it. */
static void exponentials(const run *r)
{
    spread(r, false, r->x[0], r->x[0], r->maximum);
    sa_exp(r->core, SA_F32, r->e, r->x[0], r->k * r->d);
    sa_barrier(r->core, SA_PIPE_V);
}

static void bring_labels(const run *r)
{
    const sa_softmax_job *p = r->p;
    uint32_t e = (uint32_t)sa_dtype_bytes(p->label_dtype);

    sa_tile_in(r->core, r->labels, (const char *)p->labels + r->first * p->label_stride * e, e,
               p->label_stride, 1, r->k, 1);
    sa_set_flag(r->core, SA_PIPE_MTE2, SA_PIPE_S, 0);
    sa_wait_flag(r->core, SA_PIPE_MTE2, SA_PIPE_S, 0);
}

static void store_loss(const run *r)
{
    const sa_softmax_job *p = r->p;
    sa_core *core = r->core;
    uint32_t e = (uint32_t)sa_dtype_bytes(p->dtype);
    char *now = (char *)r->loss;

    sa_barrier(core, SA_PIPE_V);
    if (p->kind == SA_CROSS_ENTROPY) {
        sa_muls(core, SA_F32, r->loss, r->loss, -1, r->k);
        sa_barrier(core, SA_PIPE_V);
    }
    if (p->dtype != SA_F32) {
        sa_cast(core, p->dtype, r->loss_out, SA_F32, r->loss, SA_ROUND_RINT, r->k);
        now = r->loss_out;
    }
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_tile_out(core, (char *)p->loss + r->first * p->loss_stride * e, now, e, p->loss_stride, 1,
                r->k, 1);
    sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
    sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
}

static void work_item(run *r)
{
    const sa_softmax_job *p = r->p;
    bool once = p->d_tiles == 1;

    if (p->kind == SA_SPARSE_CROSS_ENTROPY)
        bring_labels(r);
    for (int64_t c = 0; c < p->d_tiles && p->kind != SA_SOFTMAX_BACKWARD; c++) {
        load(r, c);
        fold(r, SA_FOLD_MAX, r->maximum, r->x[0], r->t, c == 0);
        if (!once)
            release(r);
    }
    for (int64_t c = 0; c < p->d_tiles; c++) {
        if (!once || p->kind == SA_SOFTMAX_BACKWARD)
            load(r, c);
        if (p->kind == SA_SOFTMAX_BACKWARD) {
            sa_mul(r->core, SA_F32, r->t, r->x[0], r->x[1], r->k * r->d);
            sa_barrier(r->core, SA_PIPE_V);
            fold(r, SA_FOLD_SUM, r->sum, r->t, NULL, c == 0);
        } else {
            exponentials(r);
            fold(r, SA_FOLD_SUM, r->sum, r->e, r->t, c == 0);
        }
        if (!once)
            release(r);
    }
    if (p->kind == SA_LOG_SOFTMAX || is_cross_entropy(p)) {
        sa_ln(r->core, SA_F32, r->log, r->sum, r->k);
        sa_barrier(r->core, SA_PIPE_V);
    }
    if (p->kind == SA_SOFTMAX || is_cross_entropy(p)) {
        sa_rec(r->core, SA_F32, r->sum, r->sum, r->k);
        sa_barrier(r->core, SA_PIPE_V);
    }
    for (int64_t c = 0; c < p->d_tiles; c++) {
        if (!once) {
            load(r, c);
            if (p->kind != SA_SOFTMAX_BACKWARD)
                exponentials(r);
        }
        finish_chunk(r, c == 0);
        release(r);
    }
    if (is_cross_entropy(p))
        store_loss(r);
}

void sa_softmax_kernel(sa_core *core, void *args)
{
    run r = {.core = core, .p = args};
    int64_t begin, count;

    if (sa_softmax_direct(core, args))
        return;
    sa_share(r.p->items, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    if (count == 0)
        return;
    take_buffers(&r);
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
    for (int64_t i = begin; i < begin + count; i++) {
        locate(&r, i);
        work_item(&r);
        if (r.p->kind == SA_SPARSE_CROSS_ENTROPY && i + 1 < begin + count) {
            sa_set_flag(core, SA_PIPE_S, SA_PIPE_MTE2, 0); /* the labels are read */
            sa_wait_flag(core, SA_PIPE_S, SA_PIPE_MTE2, 0);
        }
    }
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
}
