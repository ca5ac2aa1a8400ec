/* Tiles of attention: in from GM, widened and packed; out; what lies over the scores. */
#include "ops/attention/attention.h"

#include <float.h>
#include <string.h>

/* What a score that is put out becomes: finite, so that a row with nothing else weighs all alike
 * (Keras's rule and value). */
#define PUT_OUT (-0.7f * FLT_MAX)

static void widen(const sa_isa *isa, sa_dtype dtype, float *to, const char *from, int64_t n)
{
    if (dtype == SA_F32)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        isa->cast[SA_F32][dtype](to, from, SA_ROUND_NONE, (size_t)n);
}

void sa_attention_load(const sa_isa *isa, const sa_attention *x, float *to, const char *from,
                       int64_t row, int64_t rows, int64_t cols)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(x->dtype);
    for (int64_t i = 0; i < rows; i++)
        widen(isa, x->dtype, to + i * cols, from + i * row * bytes, cols);
}

void sa_attention_store(const sa_isa *isa, const sa_attention *x, char *to, int64_t row,
                        const float *from, int64_t rows, int64_t cols)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(x->dtype);
    for (int64_t i = 0; i < rows; i++)
        if (x->dtype == SA_F32)
            memcpy(to + i * row * bytes, from + i * cols, (size_t)cols * sizeof *from);
        else
            isa->cast[x->dtype][SA_F32](to + i * row * bytes, from + i * cols, SA_ROUND_RINT,
                                        (size_t)cols);
}

void sa_attention_strips(const sa_isa *isa, const sa_attention *x, float *to, int64_t tall,
                         const char *from, int64_t row, int64_t rows, int64_t cols)
{
    isa->pack[x->dtype](to, (size_t)tall * SA_STRIP, SA_STRIP, from, row, (size_t)cols,
                        (size_t)rows, false);
}

void sa_attention_turned(const sa_isa *isa, const sa_attention *x, float *to, const char *from,
                         int64_t row, int64_t rows, int64_t cols)
{
    isa->pack[x->dtype](to, (size_t)cols * SA_STRIP, SA_STRIP, from, row, (size_t)rows,
                        (size_t)cols, true);
}

void sa_attention_product(const sa_isa *isa, float *c, int64_t c_row, const float *a, int64_t a_row,
                          int64_t a_k, const float *b, int64_t tall, size_t m, size_t k, size_t n,
                          bool accumulate)
{
    for (size_t j = 0; j < n; j += SA_STRIP)
        isa->panel(c + j, c_row, a, a_row, a_k, b + (int64_t)j * tall, SA_STRIP, m, k,
                   n - j < SA_STRIP ? n - j : SA_STRIP, accumulate);
}

/* ---- what lies over the scores */

static const char *over_row(const sa_attention_over *o, const sa_attention_tile *t, int64_t i)
{
    const int64_t *s = o->strides;
    return o->data + (t->batch * s[0] + t->head * s[1] + (t->q + i) * s[2] + t->k * s[3]) *
                         (int64_t)sa_dtype_bytes(o->dtype);
}

static void add_bias(const sa_isa *isa, const sa_attention *x, const char *bias, float *row,
                     size_t n, float *room)
{
    const sa_attention_over *o = &x->bias;
    int64_t bytes = (int64_t)sa_dtype_bytes(o->dtype);
    if (o->strides[3] == 1) {
        widen(isa, o->dtype, room, bias, (int64_t)n);
    } else {
        for (size_t i = 0; i < n; i++)
            widen(isa, o->dtype, room + i, bias + (int64_t)i * o->strides[3] * bytes, 1);
    }
    isa->axpy[SA_F32](row, room, x->scale, n);
}

/* `value` where the mask or the order hides. */
static void put(const sa_isa *isa, const sa_attention *x, const sa_attention_tile *t, float *s,
                float value)
{
    for (size_t r = 0; r < t->rows; r++, s += t->pitch) {
        if (x->mask.data) {
            const uint8_t *mask = (const uint8_t *)over_row(&x->mask, t, (int64_t)r);
            int64_t step = x->mask.strides[3];
            if (step == 1)
                isa->attend_mask(s, mask, value, t->cols);
            else
                for (size_t i = 0; i < t->cols; i++)
                    s[i] = mask[(int64_t)i * step] ? value : s[i];
        }
        int64_t seen = t->q + (int64_t)r + 1 - t->k;
        if (x->causal && seen < (int64_t)t->cols)
            for (size_t i = seen > 0 ? (size_t)seen : 0; i < t->cols; i++)
                s[i] = value;
    }
}

void sa_attention_cover(const sa_isa *isa, const sa_attention *x, const sa_attention_tile *t,
                        float *scores, float *room)
{
    for (size_t r = 0; x->bias.data && r < t->rows; r++)
        add_bias(isa, x, over_row(&x->bias, t, (int64_t)r), scores + r * t->pitch, t->cols, room);
    if (x->mask.data || x->causal)
        put(isa, x, t, scores, PUT_OUT);
}

void sa_attention_uncover(const sa_isa *isa, const sa_attention *x, const sa_attention_tile *t,
                          float *gradient)
{
    if (x->mask.data)
        put(isa, x, t, gradient, 0);
}
