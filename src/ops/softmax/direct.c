/* The softmax family without the way through UB: rows from GM to GM, each read from memory once and
 * left to the second-level cache between its passes. Same bits as run.c, whose chunks these are. */
#include "core/core.h"
#include "ops/common/rows.h"
#include "ops/softmax/softmax.h"

#include <math.h>

/* Exponentials that are kept between the passes; of a longer row they are computed again. */
#define KEPT 32768

typedef struct rows {
    sa_core *core;
    const sa_softmax_job *p;
    int64_t bytes; /* of an element */
    bool past, kept;
    float *e;
    /* the row in hand */
    char *out;
    const char *in[SA_SOFTMAX_INPUTS];
    float max, sum, log;
} rows;

/* n elements from `at` on: a chunk of the row. */
typedef struct chunk {
    int64_t at;
    size_t n;
    char *out;
    const char *in[SA_SOFTMAX_INPUTS];
    float *e;
} chunk;

static bool next(const rows *r, chunk *c)
{
    const sa_softmax_job *p = r->p;

    c->at += (int64_t)c->n;
    c->n = (size_t)(p->d - c->at < p->d_tile ? p->d - c->at : p->d_tile);
    c->out = r->out + c->at * r->bytes;
    for (int i = 0; i < p->inputs; i++)
        c->in[i] = r->in[i] + c->at * r->bytes;
    c->e = r->e + (r->kept ? c->at : 0);
    return c->n > 0;
}

/* Largest element, and the sum of exponentials. `soon`: the next row. */
static void statistics(rows *r, const char *soon)
{
    const sa_isa *isa = r->core->isa;
    const sa_dtype t = r->p->dtype;

    r->max = -INFINITY;
    for (chunk c = {0}; next(r, &c);) {
        float most = isa->row_max[t](c.in[0], c.n);
        r->max = most > r->max ? most : r->max;
    }
    for (chunk c = {0}; next(r, &c);) {
        float sum = isa->row_exp[t](c.e, c.in[0], c.n, r->max, soon + c.at * r->bytes);
        r->sum = c.at ? r->sum + sum : sum;
    }
}

static void softmax_row(rows *r, const char *soon)
{
    const sa_isa *isa = r->core->isa;
    const sa_dtype t = r->p->dtype;

    statistics(r, soon);
    for (chunk c = {0}; next(r, &c);) {
        if (!r->kept)
            isa->row_exp[t](c.e, c.in[0], c.n, r->max, c.in[0]);
        isa->row_scale[t](c.out, c.e, NULL, c.n, 1 / r->sum, r->past);
    }
}

static void log_row(rows *r, const char *soon)
{
    const sa_isa *isa = r->core->isa;
    const sa_dtype t = r->p->dtype;

    statistics(r, soon);
    isa->ln[SA_F32](&r->log, &r->sum, 1);
    for (chunk c = {0}; next(r, &c);)
        isa->row_log[t](c.out, c.in[0], c.n, r->max, r->log, r->past);
}

static void backward_row(rows *r)
{
    const sa_isa *isa = r->core->isa;
    const sa_dtype t = r->p->dtype;
    float dot = 0;

    for (chunk c = {0}; next(r, &c);) {
        float part = isa->row_dot[t](c.in[0], c.in[1], c.n);
        dot = c.at ? dot + part : part;
    }
    for (chunk c = {0}; next(r, &c);)
        isa->row_grad[t](c.out, c.in[0], c.in[1], c.n, dot, r->past);
}

static void store(const rows *r, void *to, float value)
{
    sa_dtype t = r->p->dtype;

    if (t == SA_F32)
        *(float *)to = value;
    else
        r->core->isa->cast[t][SA_F32](to, &value, SA_ROUND_RINT, 1);
}

static float fetch(const rows *r, const void *from)
{
    sa_dtype t = r->p->dtype;
    float value;

    if (t == SA_F32)
        return *(const float *)from;
    r->core->isa->cast[SA_F32][t](&value, from, SA_ROUND_NONE, 1);
    return value;
}

static void entropy_row(rows *r, int64_t slice, const char *soon)
{
    const sa_softmax_job *p = r->p;
    const sa_isa *isa = r->core->isa;
    const sa_dtype t = p->dtype;
    const bool sparse = p->kind == SA_SPARSE_CROSS_ENTROPY;
    int64_t label = 0;
    float loss = 0, over;

    if (sparse) {
        label = p->label_dtype == SA_I64 ? ((const int64_t *)p->labels)[slice * p->label_stride]
                                         : ((const int32_t *)p->labels)[slice * p->label_stride];
        sa_softmax_check_label(r->core, p, (double)label, slice);
    }
    statistics(r, soon);
    isa->ln[SA_F32](&r->log, &r->sum, 1);
    over = 1 / r->sum;
    for (chunk c = {0}; next(r, &c);) {
        if (!r->kept)
            isa->row_exp[t](c.e, c.in[0], c.n, r->max, c.in[0]);
        if (!sparse) {
            float part = isa->row_log_dot[t](c.in[0], c.in[1], c.n, r->max, r->log);
            loss = c.at ? loss + part : part;
        } else if (label >= c.at && label - c.at < (int64_t)c.n) {
            loss = r->log - (fetch(r, c.in[0] + (label - c.at) * r->bytes) - r->max);
        }
        isa->row_scale[t](c.out, c.e, sparse ? NULL : c.in[1], c.n, over, r->past);
        if (sparse && label >= c.at && label - c.at < (int64_t)c.n)
            store(r, c.out + (label - c.at) * r->bytes, c.e[label - c.at] * over - 1);
    }
    store(r, (char *)p->loss + slice * p->loss_stride * r->bytes, sparse ? loss : -loss);
}

static void place(rows *r, int64_t slice)
{
    const sa_softmax_job *p = r->p;

    r->out = (char *)p->loop.data[0] + sa_loop_offset(&p->loop, 0, 0, slice) * r->bytes;
    for (int i = 0; i < p->inputs; i++)
        r->in[i] = (const char *)p->loop.data[i + 1] +
                   sa_loop_offset(&p->loop, i + 1, 0, slice) * r->bytes;
}

bool sa_softmax_direct(sa_core *core, const sa_softmax_job *p)
{
    rows r = {.core = core, .p = p, .bytes = (int64_t)sa_dtype_bytes(p->dtype)};
    int64_t begin, count, since = 0;

    if (core->observer || p->turn || !core->isa->row_max[p->dtype])
        return false; /* many short rows are faster side by side, turned */
    for (int o = 0; o <= p->inputs; o++)
        if (p->d_stride[o] != 1 && p->d > 1)
            return false;
    sa_share(p->loop.elements, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    if (count == 0)
        return true;
    r.past = p->loop.elements * p->d * r.bytes > SA_ROWS_PAST_BYTES;
    r.kept = p->d <= KEPT;
    if (p->kind != SA_SOFTMAX_BACKWARD)
        r.e = sa_alloc(core, SA_UB, (uint32_t)(r.kept ? p->d : p->d_tile) * 4);
    for (int64_t i = begin; i < begin + count; i++) {
        const char *soon;
        int64_t after;

        since += p->d * r.bytes;
        if (since >= SA_ROWS_PIECE) {
            since = 0;
            if (!sa_core_quiet(core))
                sa_core_attend(core, __builtin_return_address(0));
        }
        place(&r, i);
        after = i + 1 < begin + count ? i + 1 : i;
        soon = (const char *)p->loop.data[1] + sa_loop_offset(&p->loop, 1, 0, after) * r.bytes;
        if (!r.past)
            sa_rows_claim((char *)p->loop.data[0] + sa_loop_offset(&p->loop, 0, 0, after) * r.bytes,
                          p->d * r.bytes);
        switch (p->kind) {
        case SA_SOFTMAX:
            softmax_row(&r, soon);
            break;
        case SA_LOG_SOFTMAX:
            log_row(&r, soon);
            break;
        case SA_SOFTMAX_BACKWARD:
            backward_row(&r);
            break;
        case SA_CROSS_ENTROPY:
        case SA_SPARSE_CROSS_ENTROPY:
            entropy_row(&r, i, soon);
            break;
        }
    }
    return true;
}
