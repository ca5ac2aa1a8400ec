/* Attention forward: a block of queries of one head meets the keys tile by tile. */
#include "core/core.h"
#include "ops/attention/attention.h"

#include <float.h>
#include <string.h>

typedef struct forward {
    const sa_attention *x;
    const sa_isa *isa;
    float *q;                  /* [q_block, size], scaled */
    float *k, *v;              /* a tile of keys, turned, and of values, in strips */
    float *s;                  /* [q_tile, k_tile] scores, then weights */
    float *o, *more;           /* [q_block, v_size], [q_tile, v_size] */
    float *max, *sum, *factor; /* [q_block], [q_block], [q_tile] */
    float *room;
} forward;

static float *take(sa_core *core, int64_t floats)
{
    return sa_alloc(core, SA_L1, (uint32_t)floats * (uint32_t)sizeof(float));
}

/* Queries [at, at + rows) of the block and a tile of keys. */
static void meet(forward *f, const sa_attention_tile *t, int64_t at, bool first)
{
    const sa_attention *x = f->x;
    float *o = f->o + at * x->v_size;
    size_t size = (size_t)x->size, v_size = (size_t)x->v_size;

    sa_attention_product(f->isa, f->s, x->k_tile, f->q + at * x->size, x->size, 1, f->k, x->size,
                         t->rows, size, t->cols, false);
    sa_attention_cover(f->isa, x, t, f->s, f->room);
    f->isa->attend(f->s, t->pitch, t->rows, t->cols, f->max + at, f->sum + at, f->factor);
    sa_attention_product(f->isa, first ? o : f->more, x->v_size, f->s, x->k_tile, 1, f->v,
                         x->k_tile, t->rows, t->cols, v_size, false);
    if (!first)
        f->isa->attend_blend(o, f->more, v_size, t->rows, v_size, f->factor);
}

static void leave(forward *f, int64_t batch, int64_t head, int64_t q, int64_t rows)
{
    const sa_attention *x = f->x;
    for (int64_t i = 0; i < rows; i++) {
        float *o = f->o + i * x->v_size;
        int64_t stat = ((batch * x->heads + head) * x->q_len + q + i) * SA_ATTENTION_STAT;
        f->isa->divs[SA_F32](o, o, (double)f->sum[i], (size_t)x->v_size);
        for (int j = 0; x->max && j < SA_ATTENTION_STAT; j++)
            x->max[stat + j] = f->max[i];
        for (int j = 0; x->sum && j < SA_ATTENTION_STAT; j++)
            x->sum[stat + j] = f->sum[i];
    }
    sa_attention_store(f->isa, x, sa_attention_row(x, &x->out, batch, q, head), x->out.row, f->o,
                       rows, x->v_size);
}

static void queries(sa_core *core, forward *f, int64_t unit)
{
    const sa_attention *x = f->x;
    int64_t blocks = (x->q_len + x->q_block - 1) / x->q_block;
    int64_t q = unit % blocks * x->q_block, head = unit / blocks % x->heads;
    int64_t batch = unit / blocks / x->heads, kv_head = head / (x->heads / x->kv_heads);
    int64_t rows = x->q_len - q < x->q_block ? x->q_len - q : x->q_block;
    bool late = x->causal && !x->mask.data; /* keys past the query are not even looked at */
    int64_t end = late && q + rows < x->k_len ? q + rows : x->k_len;

    sa_attention_load(f->isa, x, f->q, sa_attention_row(x, &x->q, batch, q, head), x->q.row, rows,
                      x->size);
    f->isa->muls[SA_F32](f->q, f->q, x->scale, (size_t)(rows * x->size));
    for (int64_t i = 0; i < rows; i++) {
        f->max[i] = -FLT_MAX;
        f->sum[i] = x->k_len > 0 ? 0 : 1; /* of no keys: the result is zeros */
    }
    if (x->k_len == 0)
        memset(f->o, 0, (size_t)(rows * x->v_size) * sizeof *f->o);
    for (int64_t k = 0; k < end; k += x->k_tile) {
        int64_t cols = end - k < x->k_tile ? end - k : x->k_tile;
        sa_attention_turned(f->isa, x, f->k, sa_attention_row(x, &x->k, batch, k, kv_head),
                            x->k.row, cols, x->size);
        sa_attention_strips(f->isa, x, f->v, x->k_tile,
                            sa_attention_row(x, &x->v, batch, k, kv_head), x->v.row, cols,
                            x->v_size);
        for (int64_t at = 0; at < rows; at += x->q_tile) {
            int64_t some = rows - at < x->q_tile ? rows - at : x->q_tile;
            int64_t seen = late && q + at + some - k < cols ? q + at + some - k : cols;
            sa_attention_tile t = {batch, head, q + at, k, (size_t)some, (size_t)seen, x->k_tile};
            if (seen > 0)
                meet(f, &t, at, k == 0);
        }
        if (!sa_core_quiet(core))
            sa_core_attend(core, __builtin_return_address(0));
    }
    leave(f, batch, head, q, rows);
}

void sa_attention_forward(sa_core *core, void *args)
{
    const sa_attention *x = args;
    int64_t begin, count, wide = sa_strips(x->v_size) * SA_STRIP;
    int64_t room = x->size > x->v_size ? x->size : x->v_size;
    forward f = {.x = x, .isa = sa_isa_active()};

    f.q = take(core, x->q_block * x->size);
    f.k = take(core, x->k_tile * x->size);
    f.v = take(core, x->k_tile * wide);
    f.s = take(core, (int64_t)x->q_tile * x->k_tile);
    f.o = take(core, x->q_block * x->v_size);
    f.more = take(core, x->q_tile * x->v_size);
    f.max = take(core, x->q_block);
    f.sum = take(core, x->q_block);
    f.factor = take(core, x->q_tile);
    f.room = take(core, 2 * room > x->k_tile ? 2 * room : x->k_tile);
    sa_share(x->units, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    for (int64_t i = begin; i < begin + count; i++)
        queries(core, &f, i);
}
