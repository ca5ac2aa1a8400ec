/* Layer normalisation through UB, a row after the other in chunks. One tile at a time: what follows
 * waits for what went before. */
#include "ops/layer_norm/layer_norm.h"

#include <math.h>

#define CHUNK SA_LAYER_NORM_CHUNK
#define STRIP SA_LAYER_NORM_STRIP
#define WORDS 8 /* fp32 of a block of UB */

typedef struct run {
    sa_core *core;
    const sa_layer_norm_job *p;
    uint32_t bytes; /* of an element */
    char *raw;      /* a chunk as it lies in GM */
    float *x, *dy, *w, *b, *t, *sum;
} run;

void sa_layer_norm_statistics(const sa_layer_norm_job *p, float first, float second,
                              sa_row_norm *by)
{
    double n = (double)p->cols, rest = (double)first / n;
    double variance = (double)second / n - rest * rest;

    variance = variance < 0 ? 0 : variance;
    by->rest = (float)rest;
    by->mean = (float)((double)by->near + rest);
    by->rstd = (float)(1 / sqrt(variance + p->eps));
}

void sa_layer_norm_share(const sa_core *core, const sa_layer_norm_job *p, int64_t *begin,
                         int64_t *count)
{
    bool strips = p->kind == SA_LAYER_NORM_WEIGHTS;

    sa_share(strips ? p->cols : p->rows, strips ? STRIP : 1, sa_block_idx(core), sa_block_num(core),
             begin, count);
}

/* `after` waits for all that `before` was given. */
static void then(const run *r, sa_pipe before, sa_pipe after)
{
    sa_set_flag(r->core, before, after, 0);
    sa_wait_flag(r->core, before, after, 0);
}

static void barrier(const run *r)
{
    sa_barrier(r->core, SA_PIPE_V);
}

/* to = n elements at `from` as float32. V has read what they replace. */
static void load(const run *r, float *to, const void *from, sa_dtype t, uint32_t n)
{
    if (t == SA_F32) {
        sa_copy_in(r->core, to, from, n * 4);
        then(r, SA_PIPE_MTE2, SA_PIPE_V);
        return;
    }
    sa_copy_in(r->core, r->raw, from, n * (uint32_t)sa_dtype_bytes(t));
    then(r, SA_PIPE_MTE2, SA_PIPE_V);
    sa_cast(r->core, SA_F32, to, t, r->raw, SA_ROUND_NONE, n);
    then(r, SA_PIPE_V, SA_PIPE_MTE2); /* raw is free */
    barrier(r);
}

static void store(const run *r, void *to, sa_dtype t, const float *from, uint32_t n)
{
    const void *now = from;

    barrier(r);
    if (t != SA_F32) {
        sa_cast(r->core, t, r->raw, SA_F32, from, SA_ROUND_RINT, n);
        now = r->raw;
    }
    then(r, SA_PIPE_V, SA_PIPE_MTE3);
    sa_copy_out(r->core, to, now, n * (uint32_t)sa_dtype_bytes(t));
    then(r, SA_PIPE_MTE3, SA_PIPE_V);
    then(r, SA_PIPE_V, SA_PIPE_MTE2);
}

static uint32_t part(const sa_layer_norm_job *p, int64_t at)
{
    return (uint32_t)(p->cols - at < CHUNK ? p->cols - at : CHUNK);
}

/* Joins the sum of n elements to *sum. */
static void add_up(const run *r, const float *from, uint32_t n, bool first, float *sum)
{
    float more;

    barrier(r);
    sa_reduce_sum(r->core, SA_F32, r->sum, from, n);
    then(r, SA_PIPE_V, SA_PIPE_S);
    more = (float)sa_get(r->core, SA_F32, r->sum, 0);
    then(r, SA_PIPE_S, SA_PIPE_V);
    *sum = first ? more : *sum + more;
}

/* The row's single number to or from GM. */
static void put_one(const run *r, float *to, float value)
{
    if (!to)
        return;
    sa_set(r->core, SA_F32, r->sum, 0, (double)value);
    then(r, SA_PIPE_S, SA_PIPE_MTE3);
    sa_copy_out(r->core, to, r->sum, 4);
    then(r, SA_PIPE_MTE3, SA_PIPE_S);
    then(r, SA_PIPE_S, SA_PIPE_V);
}

static float get_one(const run *r, const float *from)
{
    float value;

    then(r, SA_PIPE_V, SA_PIPE_MTE2);
    sa_copy_in(r->core, r->sum, from, 4);
    then(r, SA_PIPE_MTE2, SA_PIPE_S);
    value = (float)sa_get(r->core, SA_F32, r->sum, 0);
    then(r, SA_PIPE_S, SA_PIPE_V);
    then(r, SA_PIPE_S, SA_PIPE_MTE2);
    return value;
}

/* x = chunk of the row, less `less`. */
static void load_less(const run *r, const char *row, int64_t at, float less)
{
    then(r, SA_PIPE_V, SA_PIPE_MTE2);
    load(r, r->x, row + at * r->bytes, r->p->dtype, part(r->p, at));
    sa_adds(r->core, SA_F32, r->x, r->x, -(double)less, part(r->p, at));
    barrier(r);
}

static void forward_row(const run *r, int64_t row)
{
    const sa_layer_norm_job *p = r->p;
    const char *x = p->x + row * p->cols * r->bytes;
    float sum = 0, first = 0, second = 0;
    sa_row_norm by = {0};

    for (int64_t at = 0; at < p->cols; at += CHUNK) {
        then(r, SA_PIPE_V, SA_PIPE_MTE2);
        load(r, r->x, x + at * r->bytes, p->dtype, part(p, at));
        add_up(r, r->x, part(p, at), at == 0, &sum);
    }
    by.near = (float)((double)sum / (double)p->cols);
    for (int64_t at = 0; at < p->cols; at += CHUNK) {
        load_less(r, x, at, by.near);
        add_up(r, r->x, part(p, at), at == 0, &first);
        sa_mul(r->core, SA_F32, r->t, r->x, r->x, part(p, at));
        add_up(r, r->t, part(p, at), at == 0, &second);
    }
    sa_layer_norm_statistics(p, first, second, &by);
    for (int64_t at = 0; at < p->cols; at += CHUNK) {
        uint32_t n = part(p, at);
        load_less(r, x, at, by.near);
        sa_adds(r->core, SA_F32, r->x, r->x, -(double)by.rest, n);
        barrier(r);
        sa_muls(r->core, SA_F32, r->x, r->x, (double)by.rstd, n);
        barrier(r);
        if (p->w) {
            load(r, r->w, p->w + at * (int64_t)sa_dtype_bytes(p->w_dtype), p->w_dtype, n);
            sa_mul(r->core, SA_F32, r->x, r->x, r->w, n);
            barrier(r);
        }
        if (p->b) {
            load(r, r->b, p->b + at * (int64_t)sa_dtype_bytes(p->b_dtype), p->b_dtype, n);
            sa_add(r->core, SA_F32, r->x, r->x, r->b, n);
        }
        store(r, p->out + (row * p->cols + at) * r->bytes, p->dtype, r->x, n);
    }
    put_one(r, p->mean ? p->mean + row : NULL, by.mean);
    put_one(r, p->rstd ? p->rstd + row : NULL, by.rstd);
}

/* x = (x - mean) * rstd, dy = dy * w. */
static void load_both(const run *r, int64_t row, int64_t at, const sa_row_norm *by)
{
    const sa_layer_norm_job *p = r->p;
    uint32_t n = part(p, at);

    load_less(r, p->x + row * p->cols * r->bytes, at, by->mean);
    sa_muls(r->core, SA_F32, r->x, r->x, (double)by->rstd, n);
    load(r, r->dy, p->dy + (row * p->cols + at) * r->bytes, p->dtype, n);
    if (p->w) {
        load(r, r->w, p->w + at * (int64_t)sa_dtype_bytes(p->w_dtype), p->w_dtype, n);
        sa_mul(r->core, SA_F32, r->dy, r->dy, r->w, n);
    }
    barrier(r);
}

static void backward_row(const run *r, int64_t row)
{
    const sa_layer_norm_job *p = r->p;
    float first = 0, second = 0;
    sa_row_norm by = {.mean = get_one(r, p->mean + row), .rstd = get_one(r, p->rstd + row)};

    for (int64_t at = 0; at < p->cols; at += CHUNK) {
        load_both(r, row, at, &by);
        add_up(r, r->dy, part(p, at), at == 0, &first);
        sa_mul(r->core, SA_F32, r->t, r->x, r->dy, part(p, at));
        add_up(r, r->t, part(p, at), at == 0, &second);
    }
    by.a = (float)((double)first / (double)p->cols);
    by.c = (float)((double)second / (double)p->cols);
    for (int64_t at = 0; at < p->cols; at += CHUNK) {
        uint32_t n = part(p, at);
        load_both(r, row, at, &by);
        sa_adds(r->core, SA_F32, r->dy, r->dy, -(double)by.a, n);
        sa_muls(r->core, SA_F32, r->x, r->x, (double)by.c, n);
        barrier(r);
        sa_sub(r->core, SA_F32, r->dy, r->dy, r->x, n);
        barrier(r);
        sa_muls(r->core, SA_F32, r->dy, r->dy, (double)by.rstd, n);
        store(r, p->out + (row * p->cols + at) * r->bytes, p->dtype, r->dy, n);
    }
}

/* Columns [at, at + n): w, b hold the sums so far, the two halves of t those of a group of rows. */
static void strip(const run *r, int64_t at, uint32_t n)
{
    const sa_layer_norm_job *p = r->p;
    sa_core *core = r->core;
    float *dw = r->t, *db = r->t + STRIP;

    sa_fill(core, SA_F32, r->w, 0, n);
    sa_fill(core, SA_F32, r->b, 0, n);
    for (int64_t row = 0; row < p->rows;) {
        int64_t end = row + SA_LAYER_NORM_GROUP < p->rows ? row + SA_LAYER_NORM_GROUP : p->rows;

        barrier(r);
        sa_fill(core, SA_F32, dw, 0, n);
        sa_fill(core, SA_F32, db, 0, n);
        for (; row < end; row++) {
            float mean = get_one(r, p->mean + row), rstd = get_one(r, p->rstd + row);
            int64_t here = (row * p->cols + at) * r->bytes;

            load(r, r->x, p->x + here, p->dtype, n);
            sa_adds(core, SA_F32, r->x, r->x, -(double)mean, n);
            barrier(r);
            sa_muls(core, SA_F32, r->x, r->x, (double)rstd, n);
            load(r, r->dy, p->dy + here, p->dtype, n);
            barrier(r);
            sa_mul(core, SA_F32, r->x, r->x, r->dy, n);
            barrier(r);
            sa_add(core, SA_F32, dw, dw, r->x, n);
            sa_add(core, SA_F32, db, db, r->dy, n);
            barrier(r);
        }
        sa_add(core, SA_F32, r->w, r->w, dw, n);
        sa_add(core, SA_F32, r->b, r->b, db, n);
    }
    if (p->dw)
        store(r, p->dw + at * (int64_t)sa_dtype_bytes(p->w_dtype), p->w_dtype, r->w, n);
    if (p->db)
        store(r, p->db + at * (int64_t)sa_dtype_bytes(p->b_dtype), p->b_dtype, r->b, n);
}

void sa_layer_norm_kernel(sa_core *core, void *args)
{
    const sa_layer_norm_job *p = args;
    run r = {.core = core, .p = p, .bytes = (uint32_t)sa_dtype_bytes(p->dtype)};
    float **rooms[] = {&r.x, &r.dy, &r.w, &r.b, &r.t};
    int64_t begin, count;

    if (sa_layer_norm_direct(core, p))
        return;
    sa_layer_norm_share(core, p, &begin, &count);
    if (count == 0)
        return;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        *rooms[i] = sa_alloc(core, SA_UB, CHUNK * 4);
    r.raw = sa_alloc(core, SA_UB, CHUNK * 2);
    r.sum = sa_alloc(core, SA_UB, WORDS * 4);
    if (p->kind == SA_LAYER_NORM_WEIGHTS) {
        for (int64_t at = begin; at < begin + count; at += STRIP)
            strip(&r, at, (uint32_t)(begin + count - at < STRIP ? begin + count - at : STRIP));
        return;
    }
    for (int64_t i = begin; i < begin + count; i++)
        if (p->kind == SA_LAYER_NORM)
            forward_row(&r, i);
        else
            backward_row(&r, i);
}
