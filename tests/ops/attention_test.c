/* aclnnFlashAttentionScore: layouts and strides against float64, the gradient's against the first
 * layout's bits (its values: tests/python/test_attention.py), the statistics, what is refused. */
#include "views.h"

#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { B = 2, SQ = 9, SK = 70, N = 4, M = 2, D = 6, E = 5, MOST = B * SK * N * D };
static const double scale = 0.4;

static const struct {
    char name[8];
    int rank, b, s, n;
} layouts[] = {
    {"BSND", 4, 0, 1, 2}, {"BNSD", 4, 0, 2, 1}, {"BSH", 3, 0, 1, 2}, {"SBH", 3, 1, 0, 2}};

/* Element (b, s, n, d) of a tensor in layout l: row-major position. */
static int64_t place(size_t l, int64_t len, int64_t heads, int64_t size, int64_t b, int64_t s,
                     int64_t n, int64_t d)
{
    int64_t at[4] = {0}, dims[4] = {0};
    at[layouts[l].b] = b, dims[layouts[l].b] = B;
    at[layouts[l].s] = s, dims[layouts[l].s] = len;
    if (layouts[l].rank == 3)
        return ((at[0] * dims[1] + at[1]) * heads + n) * size + d;
    at[layouts[l].n] = n, dims[layouts[l].n] = heads;
    return ((at[0] * dims[1] + at[1]) * dims[2] + at[2]) * size + d;
}

typedef struct part {
    int64_t len, heads, size;
    double value[MOST]; /* [b, s, n, d] */
} part;

static part *filling; /* what fill reads, in which layout */
static size_t filling_layout;

static double fill(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    const part *p = filling;
    (void)dtype, (void)seed;
    for (int64_t b = 0, at = 0; b < B; b++)
        for (int64_t s = 0; s < p->len; s++)
            for (int64_t n = 0; n < p->heads; n++)
                for (int64_t d = 0; d < p->size; d++, at++)
                    if (place(filling_layout, p->len, p->heads, p->size, b, s, n, d) == i)
                        return p->value[at];
    return NAN;
}

static ops_view view_of(part *p, size_t l, ops_layout layout, bool output)
{
    int64_t dims[4] = {0};
    uint64_t seed = 1;
    dims[layouts[l].b] = B;
    dims[layouts[l].s] = p->len;
    dims[layouts[l].n] = layouts[l].rank == 3 ? p->heads * p->size : p->heads;
    if (layouts[l].rank == 4)
        dims[3] = p->size;
    filling = p;
    filling_layout = l;
    return ops_view_make(SA_F32, layouts[l].rank, dims, layout, output ? NULL : fill, &seed);
}

static void fetch(ops_view *v, part *p, size_t l, const char *what)
{
    ops_view_fetch(v, what);
    for (int64_t b = 0, at = 0; b < B; b++)
        for (int64_t s = 0; s < p->len; s++)
            for (int64_t n = 0; n < p->heads; n++)
                for (int64_t d = 0; d < p->size; d++, at++)
                    p->value[at] = ops_view_at(v, v->rank, v->dims,
                                               place(l, p->len, p->heads, p->size, b, s, n, d));
}

static part q = {SQ, N, D, {0}}, k = {SK, M, D, {0}}, v = {SK, M, E, {0}}, dy = {SQ, N, E, {0}};

static double at(const part *p, int64_t b, int64_t s, int64_t n, int64_t d)
{
    return p->value[((b * p->len + s) * p->heads + n) * p->size + d];
}

/* Scores, their largest and the sum of exponentials of one query. */
static void row(int64_t b, int64_t n, int64_t i, double score[SK], double *max, double *sum)
{
    *max = -INFINITY;
    *sum = 0;
    for (int64_t j = 0; j < SK; j++) {
        score[j] = 0;
        for (int64_t d = 0; d < D; d++)
            score[j] += scale * at(&q, b, i, n, d) * at(&k, b, j, n / (N / M), d);
        *max = fmax(*max, score[j]);
    }
    for (int64_t j = 0; j < SK; j++)
        *sum += exp(score[j] - *max);
}

static void near(double want, double got, double error, const char *what)
{
    if (!(fabs(got - want) <= error))
        fail_msg("%s: %.9g, not %.9g (%g allowed)", what, got, want, error);
}

/* D roundings in a score, doubled in a weight; SK in the sum: in units of 2^-24. */
static void check_values(const part *out, ops_view *max, ops_view *sum, const char *what)
{
    static const int64_t dims[] = {B, N, SQ, 8};
    double score[SK], m, s;
    for (int64_t b = 0; b < B; b++)
        for (int64_t n = 0; n < N; n++)
            for (int64_t i = 0; i < SQ; i++) {
                row(b, n, i, score, &m, &s);
                for (int64_t e = 0; e < 8; e++) {
                    int64_t stat = ((b * N + n) * SQ + i) * 8 + e;
                    near(m, ops_view_at(max, 4, dims, stat), 16 * 0x1p-24 * (1 + fabs(m)), what);
                    near(s, ops_view_at(sum, 4, dims, stat), 64 * 0x1p-24 * s, what);
                }
                for (int64_t e = 0; e < E; e++) {
                    double want = 0, most = 0;
                    for (int64_t j = 0; j < SK; j++) {
                        double term = exp(score[j] - m) / s * at(&v, b, j, n / (N / M), e);
                        want += term;
                        most += fabs(term);
                    }
                    near(want, at(out, b, i, n, e), 160 * 0x1p-24 * most, what);
                }
            }
}

static void run(size_t l, ops_layout in, ops_layout to, part results[4])
{
    static const int64_t stats[] = {B, N, SQ, 8};
    part *const inputs[] = {&q, &k, &v, &dy}, *const like[] = {&dy, &q, &k, &v};
    ops_view x[4], y[4];
    ops_view max = ops_view_make(SA_F32, 4, stats, OPS_PLAIN, NULL, NULL);
    ops_view sum = ops_view_make(SA_F32, 4, stats, OPS_PLAIN, NULL, NULL);
    char what[80], layout[8];

    snprintf(what, sizeof what, "%s, views %d and %d", layouts[l].name, (int)in, (int)to);
    memcpy(layout, layouts[l].name, sizeof layout);
    for (int i = 0; i < 4; i++) {
        x[i] = view_of(inputs[i], l, in, false);
        y[i] = view_of(like[i], l, to, true);
    }
    OPS_OK(OPS_RUN(aclnnFlashAttentionScore, x[0].t, x[1].t, x[2].t, NULL, NULL, NULL, NULL, NULL,
                   scale, 1, 0, 0, N, layout, 0, 0, max.t, sum.t, NULL, y[0].t));
    OPS_OK(OPS_RUN(aclnnFlashAttentionScoreGrad, x[0].t, x[1].t, x[2].t, x[3].t, NULL, NULL, NULL,
                   NULL, max.t, sum.t, NULL, y[0].t, NULL, scale, 1, 0, 0, N, layout, 0, 0, y[1].t,
                   y[2].t, y[3].t, NULL));
    ops_view_fetch(&max, what);
    ops_view_fetch(&sum, what);
    for (int i = 0; i < 4; i++) {
        results[i] = *like[i];
        fetch(&y[i], &results[i], l, what);
    }
    check_values(&results[0], &max, &sum, what);
    for (int i = 0; i < 4; i++) {
        ops_view_free(&x[i]);
        ops_view_free(&y[i]);
    }
    ops_view_free(&max);
    ops_view_free(&sum);
}

static void test_layouts(void **state)
{
    static part first[4], results[4];
    part *const inputs[] = {&q, &k, &v, &dy};
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < 4; i++)
        for (size_t e = 0; e < MOST; e++)
            inputs[i]->value[e] = (double)(float)(2 * ops_random(&seed));
    run(0, OPS_PLAIN, OPS_PLAIN, first);
    for (size_t l = 0; l < COUNT(layouts); l++)
        for (int layout = 0; layout < OPS_LAYOUTS; layout++) {
            run(l, (ops_layout)layout, (ops_layout)((layout + (int)l) % OPS_LAYOUTS), results);
            for (int i = 0; i < 4; i++)
                assert_memory_equal(first[i].value, results[i].value, sizeof first[i].value);
        }
}

/* ---- what is refused */

typedef struct arguments {
    sa_dtype key_dtype;
    int64_t key_heads, size, heads, mode, out_len;
    double keep;
    const char *layout;
    bool drop, padding, prefix, dpse;
} arguments;

static aclnnStatus ask(const arguments *a, bool grad)
{
    int64_t one = 1;
    const int64_t shape[] = {1, 3, 2, a->size}, keys[] = {1, 4, a->key_heads, a->size};
    const int64_t out[] = {1, a->out_len, 2, a->size}, stats[] = {1, 2, 3, 8};
    void *data = ops_upload(NULL, 1 << 16);
    aclTensor *x = ops_tensor(SA_F32, 4, shape, NULL, 0, 6 * a->size, data);
    aclTensor *y = ops_tensor(a->key_dtype, 4, keys, NULL, 0, 4 * a->key_heads * a->size, data);
    aclTensor *o = ops_tensor(SA_F32, 4, out, NULL, 0, 2 * a->out_len * a->size, data);
    aclTensor *s = ops_tensor(SA_F32, 4, stats, NULL, 0, 48, data);
    aclIntArray *prefix = a->prefix ? aclCreateIntArray(&one, 1) : NULL;
    char layout[8] = "";
    uint64_t bytes;
    aclOpExecutor *ex = NULL;
    snprintf(layout, sizeof layout, "%s", a->layout);
    aclnnStatus status =
        grad ? aclnnFlashAttentionScoreGradGetWorkspaceSize(
                   x, y, y, o, NULL, a->drop ? x : NULL, a->padding ? x : NULL, NULL, s, s, NULL, o,
                   prefix, 1, a->keep, 0, 0, a->heads, layout, 0, a->mode, x, y, y,
                   a->dpse ? x : NULL, &bytes, &ex)
             : aclnnFlashAttentionScoreGetWorkspaceSize(
                   x, y, y, NULL, a->drop ? x : NULL, a->padding ? x : NULL, NULL, prefix, 1,
                   a->keep, 0, 0, a->heads, layout, 0, a->mode, s, s, NULL, o, &bytes, &ex);
    if (!status)
        aclDestroyAclOpExecutor(ex);
    aclDestroyTensor(x);
    aclDestroyTensor(y);
    aclDestroyTensor(o);
    aclDestroyTensor(s);
    if (prefix)
        aclDestroyIntArray(prefix);
    ops_free(data);
    return status;
}

static void test_refusals(void **state)
{
    static const arguments good = {SA_F32, 2, 4, 2, 0, 3, 1, "BSND", 0, 0, 0, 0};
    arguments a;
    (void)state;
    for (int grad = 0; grad < 2; grad++) {
        OPS_OK(ask(&good, grad));
#define REFUSED(grad, field, value, text)                                                          \
    a = good;                                                                                      \
    a.field = value;                                                                               \
    OPS_REFUSED(161002, text, ask(&a, grad));
        REFUSED(grad, key_dtype, SA_F16, "query is float32, key is float16")
        REFUSED(grad, key_heads, 3, "[1, 4, 3, 4]")
        REFUSED(grad, size, 300, "300")
        REFUSED(grad, heads, 3, "headNum is 3")
        REFUSED(grad, mode, 4, "sparseMode is 4")
        REFUSED(grad, out_len, 5, "[1, 5, 2, 4]")
        REFUSED(grad, keep, 0.9, "keepProb is 0.9")
        REFUSED(grad, layout, "TND", "TND")
        REFUSED(grad, layout, "BSH", "rank 4")
        REFUSED(grad, drop, true, "dropMaskOptional")
        REFUSED(grad, padding, true, "paddingMaskOptional")
        REFUSED(grad, prefix, true, "prefixOptional")
    }
    REFUSED(true, dpse, true, "dpseOut")
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, ops_setup, ops_teardown);
}
