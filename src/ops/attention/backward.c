/* Attention backward: the weights are computed again from the rows' maxima and sums, tile by tile.
 *
 * With P the weights, G = dO V^T and D = rowsum(dO O): dS = P (G - D); dV = P^T dO, dK = dS^T
 * (scale Q), dQ = scale dS K. One block owns a key head with all its queries, so that everything is
 * added up in one order and nobody waits: for each tile of keys all queries pass by. */
#include "core/core.h"
#include "ops/attention/attention.h"

#include <string.h>

typedef struct backward {
    const sa_attention *x;
    const sa_isa *isa;
    /* of the heads that share the keys, in GM */
    float *q, *dy, *dq;          /* [group, q_len, size or v_size] float32; q is scaled */
    float *max, *over_sum, *dot; /* [group, q_len] */
    /* of a tile of keys, in L1: turned or in strips */
    float *k_turned, *v_turned, *k, *dk, *dv;
    float *s, *g; /* [q_tile, k_tile] */
    float *room;
} backward;

static float *take(sa_core *core, int64_t floats)
{
    return sa_alloc(core, SA_L1, (uint32_t)floats * (uint32_t)sizeof(float));
}

static float dot(const sa_isa *isa, float *room, const float *a, const float *b, int64_t n)
{
    float sum;
    isa->mul[SA_F32](room, a, b, (size_t)n);
    isa->reduce_sum[SA_F32](&sum, room, (size_t)n);
    return sum;
}

/* What the queries of one head bring along. */
static void prepare(backward *b, int64_t batch, int64_t head, int64_t member)
{
    const sa_attention *x = b->x;
    int64_t at = member * x->q_len, stat = (batch * x->heads + head) * x->q_len;
    float *q = b->q + at * x->size, *dy = b->dy + at * x->v_size;
    int64_t one = x->out.row * (int64_t)sa_dtype_bytes(x->dtype);

    sa_attention_load(b->isa, x, q, sa_attention_row(x, &x->q, batch, 0, head), x->q.row, x->q_len,
                      x->size);
    b->isa->muls[SA_F32](q, q, x->scale, (size_t)(x->q_len * x->size));
    sa_attention_load(b->isa, x, dy, sa_attention_row(x, &x->dy, batch, 0, head), x->dy.row,
                      x->q_len, x->v_size);
    memset(b->dq + at * x->size, 0, (size_t)(x->q_len * x->size) * sizeof *b->dq);
    const char *out = sa_attention_row(x, &x->out, batch, 0, head);
    for (int64_t i = 0; i < x->q_len; i++) {
        sa_attention_load(b->isa, x, b->room + x->v_size, out + i * one, x->out.row, 1, x->v_size);
        b->dot[at + i] = dot(b->isa, b->room, b->room + x->v_size, dy + i * x->v_size, x->v_size);
        b->max[at + i] = x->max[(stat + i) * SA_ATTENTION_STAT];
        b->over_sum[at + i] = 1 / x->sum[(stat + i) * SA_ATTENTION_STAT];
    }
}

/* A tile of queries, from row `at` of the group, and the tile of keys. */
static void meet(backward *b, const sa_attention_tile *t, int64_t at)
{
    const sa_attention *x = b->x;
    size_t size = (size_t)x->size, v_size = (size_t)x->v_size;
    const float *q = b->q + at * x->size, *dy = b->dy + at * x->v_size;
    int64_t pitch = (int64_t)t->pitch;

    sa_attention_product(b->isa, b->s, pitch, q, x->size, 1, b->k_turned, x->size, t->rows, size,
                         t->cols, false);
    sa_attention_product(b->isa, b->g, pitch, dy, x->v_size, 1, b->v_turned, x->v_size, t->rows,
                         v_size, t->cols, false);
    sa_attention_cover(b->isa, x, t, b->s, b->room);
    b->isa->attend_grad(b->s, b->g, t->pitch, t->rows, t->cols, b->max + at, b->over_sum + at,
                        b->dot + at);
    sa_attention_uncover(b->isa, x, t, b->g);
    b->isa->panel(b->dv, x->v_size, b->s, 1, pitch, dy, x->v_size, t->cols, t->rows, v_size, true);
    b->isa->panel(b->dk, x->size, b->g, 1, pitch, q, x->size, t->cols, t->rows, size, true);
    sa_attention_product(b->isa, b->dq + at * x->size, x->size, b->g, pitch, 1, b->k, x->k_tile,
                         t->rows, t->cols, size, true);
}

static void keys(sa_core *core, backward *b, int64_t batch, int64_t kv_head, int64_t k)
{
    const sa_attention *x = b->x;
    int64_t cols = x->k_len - k < x->k_tile ? x->k_len - k : x->k_tile;
    int64_t group = x->heads / x->kv_heads;
    const char *key = sa_attention_row(x, &x->k, batch, k, kv_head);
    bool late = x->causal && !x->mask.data;

    sa_attention_turned(b->isa, x, b->k_turned, key, x->k.row, cols, x->size);
    sa_attention_strips(b->isa, x, b->k, x->k_tile, key, x->k.row, cols, x->size);
    sa_attention_turned(b->isa, x, b->v_turned, sa_attention_row(x, &x->v, batch, k, kv_head),
                        x->v.row, cols, x->v_size);
    memset(b->dk, 0, (size_t)(cols * x->size) * sizeof *b->dk);
    memset(b->dv, 0, (size_t)(cols * x->v_size) * sizeof *b->dv);
    for (int64_t member = 0; member < group; member++)
        for (int64_t q = 0; q < x->q_len; q += x->q_tile) {
            int64_t some = x->q_len - q < x->q_tile ? x->q_len - q : x->q_tile;
            int64_t seen = late && q + some - k < cols ? q + some - k : cols;
            sa_attention_tile t = {
                batch, kv_head * group + member, q, k, (size_t)some, (size_t)seen, x->k_tile};
            if (seen > 0)
                meet(b, &t, member * x->q_len + q);
            if (!sa_core_quiet(core))
                sa_core_attend(core, __builtin_return_address(0));
        }
    sa_attention_store(b->isa, x, sa_attention_row(x, &x->dk, batch, k, kv_head), x->dk.row, b->dk,
                       cols, x->size);
    sa_attention_store(b->isa, x, sa_attention_row(x, &x->dv, batch, k, kv_head), x->dv.row, b->dv,
                       cols, x->v_size);
}

void sa_attention_backward(sa_core *core, void *args)
{
    const sa_attention *x = args;
    int64_t begin, count, group = x->heads / x->kv_heads, rows = group * x->q_len;
    int64_t wide = sa_strips(x->size) * SA_STRIP;
    int64_t room = x->size > x->v_size ? x->size : x->v_size;
    backward b = {.x = x, .isa = sa_isa_active()};

    b.q = (float *)(x->work + sa_block_idx(core) * x->work_bytes);
    b.dq = b.q + rows * x->size;
    b.dy = b.dq + rows * x->size;
    b.max = b.dy + rows * x->v_size;
    b.over_sum = b.max + rows;
    b.dot = b.over_sum + rows;
    b.k_turned = take(core, x->k_tile * x->size);
    b.v_turned = take(core, x->k_tile * x->v_size);
    b.k = take(core, x->k_tile * wide);
    b.dk = take(core, x->k_tile * x->size);
    b.dv = take(core, x->k_tile * x->v_size);
    b.s = take(core, (int64_t)x->q_tile * x->k_tile);
    b.g = take(core, (int64_t)x->q_tile * x->k_tile);
    b.room = take(core, 2 * room > x->k_tile ? 2 * room : x->k_tile);
    sa_share(x->units, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    for (int64_t i = begin; i < begin + count; i++) {
        int64_t batch = i / x->kv_heads, kv_head = i % x->kv_heads;
        for (int64_t member = 0; member < group; member++)
            prepare(&b, batch, kv_head * group + member, member);
        for (int64_t k = 0; k < x->k_len; k += x->k_tile)
            keys(core, &b, batch, kv_head, k);
        b.isa->muls[SA_F32](b.dq, b.dq, x->scale, (size_t)(rows * x->size));
        for (int64_t member = 0; member < group; member++)
            sa_attention_store(b.isa, x,
                               sa_attention_row(x, &x->dq, batch, 0, kv_head * group + member),
                               x->dq.row, b.dq + member * x->q_len * x->size, x->q_len, x->size);
    }
}
