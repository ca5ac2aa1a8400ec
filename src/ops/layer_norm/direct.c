/* Layer normalisation from GM to GM: a row is read from memory once and lies in the first-level
 * cache for its second and third pass. */
#include "ops/common/rows.h"
#include "ops/layer_norm/layer_norm.h"

#include <string.h>

#define CHUNK SA_LAYER_NORM_CHUNK
#define STRIP SA_LAYER_NORM_STRIP

typedef struct direct {
    sa_core *core;
    const sa_isa *isa;
    const sa_layer_norm_job *p;
    int64_t bytes; /* of an element */
    bool past;
    float *w, *b; /* room for a chunk that is not float32 */
    sa_row_norm by;
} direct;

static size_t part(const sa_layer_norm_job *p, int64_t at)
{
    return (size_t)(p->cols - at < CHUNK ? p->cols - at : CHUNK);
}

/* n elements of weight or bias from `at` on, as float32; converted once where a row is a chunk. */
static const float *floats(const direct *r, const char *from, sa_dtype t, float *room, int64_t at,
                           size_t n, bool first)
{
    if (!from || t == SA_F32)
        return from ? (const float *)from + at : NULL;
    if (first || r->p->cols > CHUNK)
        r->isa->cast[SA_F32][t](room, from + at * (int64_t)sa_dtype_bytes(t), SA_ROUND_NONE, n);
    return room;
}

static void forward_row(direct *r, int64_t row, bool first, int64_t soon)
{
    const sa_layer_norm_job *p = r->p;
    const sa_dtype t = p->dtype;
    const char *x = p->x + row * p->cols * r->bytes;
    const char *next = p->x + soon * p->cols * r->bytes;
    char *out = p->out + row * p->cols * r->bytes;
    float sum = 0, sums[2] = {0};

    for (int64_t at = 0; at < p->cols; at += CHUNK) {
        float more = r->isa->row_sum[t](x + at * r->bytes, part(p, at));
        sum = at ? sum + more : more;
    }
    r->by.near = (float)((double)sum / (double)p->cols);
    for (int64_t at = 0; at < p->cols; at += CHUNK) {
        float more[2];
        r->isa->row_moments[t](x + at * r->bytes, part(p, at), r->by.near, more,
                               next + at * r->bytes);
        for (int i = 0; i < 2; i++)
            sums[i] = at ? sums[i] + more[i] : more[i];
    }
    sa_layer_norm_statistics(p, sums[0], sums[1], &r->by);
    for (int64_t at = 0; at < p->cols; at += CHUNK) {
        r->by.w = floats(r, p->w, p->w_dtype, r->w, at, part(p, at), first);
        r->by.b = floats(r, p->b, p->b_dtype, r->b, at, part(p, at), first);
        r->isa->row_norm[t](out + at * r->bytes, x + at * r->bytes, part(p, at), &r->by, r->past);
    }
    if (p->mean)
        p->mean[row] = r->by.mean;
    if (p->rstd)
        p->rstd[row] = r->by.rstd;
}

static void backward_row(direct *r, int64_t row, bool first)
{
    const sa_layer_norm_job *p = r->p;
    const sa_dtype t = p->dtype;
    int64_t from = row * p->cols * r->bytes;
    float sums[2] = {0};

    r->by.mean = p->mean[row];
    r->by.rstd = p->rstd[row];
    for (int64_t at = 0; at < p->cols; at += CHUNK) {
        int64_t here = from + at * r->bytes;
        float more[2];
        r->by.w = floats(r, p->w, p->w_dtype, r->w, at, part(p, at), first);
        r->isa->row_norm_dots[t](p->dy + here, p->x + here, part(p, at), &r->by, more);
        for (int i = 0; i < 2; i++)
            sums[i] = at ? sums[i] + more[i] : more[i];
    }
    r->by.a = (float)((double)sums[0] / (double)p->cols);
    r->by.c = (float)((double)sums[1] / (double)p->cols);
    for (int64_t at = 0; at < p->cols; at += CHUNK) {
        int64_t here = from + at * r->bytes;
        r->by.w = floats(r, p->w, p->w_dtype, r->w, at, part(p, at), false);
        r->isa->row_norm_grad[t](p->out + here, p->dy + here, p->x + here, part(p, at), &r->by,
                                 r->past);
    }
}

static void leave(const direct *r, char *to, sa_dtype t, const float *from, int64_t at, size_t n)
{
    if (!to)
        return;
    to += at * (int64_t)sa_dtype_bytes(t);
    if (t == SA_F32)
        memcpy(to, from, n * 4);
    else
        r->isa->cast[t][SA_F32](to, from, SA_ROUND_RINT, n);
}

/* Columns [at, at + n) of the gradients of weight and bias. */
static void strip(direct *r, int64_t at, size_t n)
{
    const sa_layer_norm_job *p = r->p;
    _Alignas(64) float all[2][STRIP] = {0}, some[2][STRIP];

    for (int64_t row = 0; row < p->rows;) {
        int64_t end = row + SA_LAYER_NORM_GROUP < p->rows ? row + SA_LAYER_NORM_GROUP : p->rows;

        if (!sa_core_quiet(r->core))
            sa_core_attend(r->core, __builtin_return_address(0));
        memset(some, 0, sizeof some);
        for (; row < end; row++) {
            int64_t here = (row * p->cols + at) * r->bytes;
            r->by.mean = p->mean[row];
            r->by.rstd = p->rstd[row];
            r->isa->row_norm_add[p->dtype](p->dw ? some[0] : NULL, p->db ? some[1] : NULL,
                                           p->dy + here, p->x + here, n, &r->by);
        }
        for (int i = 0; i < 2; i++)
            r->isa->add[SA_F32](all[i], all[i], some[i], n);
    }
    leave(r, p->dw, p->w_dtype, all[0], at, n);
    leave(r, p->db, p->b_dtype, all[1], at, n);
}

bool sa_layer_norm_direct(sa_core *core, const sa_layer_norm_job *p)
{
    direct r = {.core = core, .isa = core->isa, .p = p, .bytes = (int64_t)sa_dtype_bytes(p->dtype)};
    int64_t begin, count, since = 0;

    if (core->observer || !core->isa->row_max[p->dtype])
        return false;
    sa_layer_norm_share(core, p, &begin, &count);
    if (p->kind == SA_LAYER_NORM_WEIGHTS) {
        for (int64_t at = begin; at < begin + count; at += STRIP)
            strip(&r, at, (size_t)(begin + count - at < STRIP ? begin + count - at : STRIP));
        return true;
    }
    r.past = p->rows * p->cols * r.bytes > SA_ROWS_PAST_BYTES;
    if (count && p->w && p->w_dtype != SA_F32)
        r.w = sa_alloc(core, SA_UB, (uint32_t)part(p, 0) * 4);
    if (count && p->b && p->b_dtype != SA_F32)
        r.b = sa_alloc(core, SA_UB, (uint32_t)part(p, 0) * 4);
    for (int64_t i = begin; i < begin + count; i++) {
        since += p->cols * r.bytes;
        if (since >= SA_ROWS_PIECE) {
            since = 0;
            if (!sa_core_quiet(core))
                sa_core_attend(core, __builtin_return_address(0));
        }
        if (p->kind == SA_LAYER_NORM)
            forward_row(&r, i, i == begin, i + 1 < begin + count ? i + 1 : i);
        else
            backward_row(&r, i, i == begin);
    }
    return true;
}
