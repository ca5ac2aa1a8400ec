/* aclnnFlashAttentionScore and its gradient: what is refused, and the views that bodies read. */
#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"

#include "ops/attention/attention.h"

#include <math.h>
#include <string.h>

#define SIZE_MOST 256
#define TRIANGLE 2048 /* side of the mask that stands for all causal ones */

/* What the two operators' arguments have in common. */
typedef struct call {
    const char *op;
    aclOpExecutor *ex;
    const char *layout;
    bool heads_apart; /* N and D are dimensions of their own */
    int b, s, n;      /* which dimension is which; n, without heads_apart, holds N and D */
    int rank;
    sa_attention x;
    int points; /* of what was copied to or comes from the workspace */
    struct {
        size_t field; /* in sa_attention */
        uint64_t offset;
    } point[10];
    int results; /* outputs that leave through the workspace */
    struct {
        const aclTensor *out;
        uint64_t offset;
    } result[3];
} call;

static aclnnStatus read_layout(call *c, const char *text)
{
    static const struct {
        const char *name;
        int rank, b, s, n;
    } layouts[] = {
        {"BSH", 3, 0, 1, 2}, {"SBH", 3, 1, 0, 2}, {"BSND", 4, 0, 1, 2}, {"BNSD", 4, 0, 2, 1}};
    for (size_t i = 0; text && i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(text, layouts[i].name) == 0) {
            c->layout = layouts[i].name;
            c->rank = layouts[i].rank;
            c->heads_apart = c->rank == 4;
            c->b = layouts[i].b;
            c->s = layouts[i].s;
            c->n = layouts[i].n;
            return ACLNN_SUCCESS;
        }
    return sa_refuse(c->op, "inputLayout is %s, it must be BSH, SBH, BSND or BNSD",
                     text ? text : "NULL");
}

static aclnnStatus check_options(const call *c, const aclTensor *drop, const aclTensor *padding,
                                 const aclIntArray *prefix, double scale, double keep, int64_t mode)
{
    if (drop && drop->elements > 0)
        return sa_refuse(c->op, "dropMaskOptional is not supported, it must be NULL");
    if (padding && padding->elements > 0)
        return sa_refuse(c->op, "paddingMaskOptional is not supported, it must be NULL");
    if (prefix && prefix->size > 0)
        return sa_refuse(c->op, "prefixOptional is not supported, it must be NULL");
    if (keep != 1)
        return sa_refuse(c->op, "keepProb is %g; without dropout, which is not supported, it is 1",
                         keep);
    if (mode != 0 && mode != 2)
        return sa_refuse(c->op, "sparseMode is %lld, it must be 0 or 2 (causal)", (long long)mode);
    if (!isfinite(scale))
        return sa_refuse(c->op, "scaleValue is %g", scale);
    return ACLNN_SUCCESS;
}

/* The shape of `t` is batch, s, heads, size in the layout's order. */
static aclnnStatus check_rows(const call *c, const char *arg, const aclTensor *t, int64_t s,
                              int64_t heads, int64_t size)
{
    int64_t want[4];
    want[c->b] = c->x.batch;
    want[c->s] = s;
    want[c->n] = c->heads_apart ? heads : heads * size;
    if (c->heads_apart)
        want[3] = size;
    return sa_check_shape(c->op, arg, t, c->rank, want);
}

/* Batch, lengths, heads and sizes from query, key and value. */
static aclnnStatus read_shapes(call *c, const aclTensor *q, const aclTensor *k, const aclTensor *v,
                               int64_t heads)
{
    static const char *const names[] = {"query", "key", "value"};
    const aclTensor *t[] = {q, k, v};
    char a[SA_SHAPE_TEXT], b[SA_SHAPE_TEXT];
    sa_attention *x = &c->x;
    aclnnStatus s = ACLNN_SUCCESS;

    for (int i = 0; !s && i < 3; i++) {
        s = sa_check_tensor(c->op, names[i], t[i], SA_DTYPES_FLOAT);
        if (!s)
            s = sa_check_rank(c->op, names[i], t[i], c->rank, c->rank);
        if (!s)
            s = sa_check_same_dtype(c->op, "query", q, names[i], t[i]);
    }
    if (s)
        return s;
    if (heads < 1 || q->dims[c->n] % heads || (c->heads_apart && q->dims[c->n] != heads))
        return sa_refuse(c->op, "headNum is %lld, query is %s (%s)", (long long)heads,
                         sa_shape_text(a, q->rank, q->dims), c->layout);
    x->dtype = q->dtype;
    x->batch = q->dims[c->b];
    x->q_len = q->dims[c->s];
    x->k_len = k->dims[c->s];
    x->heads = heads;
    x->size = c->heads_apart ? q->dims[3] : q->dims[2] / heads;
    x->kv_heads = c->heads_apart ? k->dims[c->n] : x->size ? k->dims[2] / x->size : 0;
    if (x->kv_heads < 1 || heads % x->kv_heads)
        return sa_refuse(
            c->op, "key is %s (%s): its number of heads must divide query's, %lld of %lld",
            sa_shape_text(a, k->rank, k->dims), c->layout, (long long)heads, (long long)x->size);
    x->v_size = c->heads_apart ? v->dims[3] : v->dims[2] / x->kv_heads;
    if (x->size < 1 || x->size > SIZE_MOST || x->v_size < 1 || x->v_size > SIZE_MOST)
        return sa_refuse(c->op,
                         "a head has %lld elements in query %s, %lld in value %s; it must "
                         "have 1 to %d",
                         (long long)x->size, sa_shape_text(a, q->rank, q->dims),
                         (long long)x->v_size, sa_shape_text(b, v->rank, v->dims), SIZE_MOST);
    s = check_rows(c, "key", k, x->k_len, x->kv_heads, x->size);
    return s ? s : check_rows(c, "value", v, x->k_len, x->kv_heads, x->v_size);
}

static void point_to(call *c, size_t field, uint64_t offset)
{
    c->point[c->points].field = field;
    c->point[c->points++].offset = offset;
}

static sa_attention_rows rows_of(const call *c, const aclTensor *t, int64_t size)
{
    return (sa_attention_rows){sa_tensor_data(t), t->strides[c->b], t->strides[c->s],
                               c->heads_apart ? t->strides[c->n] : size};
}

static bool rows_contiguous(const aclTensor *t)
{
    return t->strides[t->rank - 1] == 1 || t->dims[t->rank - 1] == 1;
}

#define FIELD(name) offsetof(sa_attention, name)

/* What bodies read in rows: the tensor itself, or a copy whose rows are contiguous. */
static aclnnStatus in_rows(call *c, size_t field, const aclTensor *t, int64_t size)
{
    sa_attention_rows *rows = (sa_attention_rows *)((char *)&c->x + field);
    aclTensor flat;
    bool copied;
    uint64_t at;
    aclnnStatus s;

    if (rows_contiguous(t)) {
        *rows = rows_of(c, t, size);
        return ACLNN_SUCCESS;
    }
    s = sa_plan_contiguous(c->ex, c->op, t, t->rank, t->dims, &flat, &copied, &at);
    if (s)
        return s;
    flat.offset = 0;
    *rows = rows_of(c, &flat, size);
    if (copied)
        point_to(c, field + offsetof(sa_attention_rows, data), at);
    return ACLNN_SUCCESS;
}

/* What they write in rows. */
static void out_rows(call *c, size_t field, const aclTensor *t, int64_t size)
{
    sa_attention_rows *rows = (sa_attention_rows *)((char *)&c->x + field);
    aclTensor flat = *t;
    bool apart = false;
    uint64_t at;

    if (!rows_contiguous(t))
        sa_plan_result(c->ex, t, &flat, &apart, &at);
    *rows = rows_of(c, &flat, size);
    if (apart) {
        point_to(c, field + offsetof(sa_attention_rows, data), at);
        c->result[c->results].out = t;
        c->result[c->results++].offset = at;
    }
}

/* Bias or mask: of rank 2 [Sq, Skv] or 4 [B, N, Sq, Skv], each dimension 1 or that. */
static aclnnStatus read_over(call *c, const char *arg, const aclTensor *t, uint64_t dtypes,
                             sa_attention_over *over)
{
    const int64_t full[] = {c->x.batch, c->x.heads, c->x.q_len, c->x.k_len};
    char have[SA_SHAPE_TEXT], want[SA_SHAPE_TEXT];
    bool fits = true;
    aclnnStatus s;

    if (!t)
        return ACLNN_SUCCESS;
    s = sa_check_tensor(c->op, arg, t, dtypes);
    if (s)
        return s;
    over->dtype = t->dtype;
    for (int i = 0; i < t->rank && i < 4; i++) {
        int64_t dim = t->dims[t->rank - 1 - i];
        fits = fits && (dim == 1 || dim == full[3 - i]);
        over->strides[3 - i] = dim == 1 ? 0 : t->strides[t->rank - 1 - i];
    }
    if (!fits || (t->rank != 2 && t->rank != 4))
        return sa_refuse(c->op, "%s is %s, it must broadcast to %s, or to its last two dimensions",
                         arg, sa_shape_text(have, t->rank, t->dims), sa_shape_text(want, 4, full));
    over->data = t->elements ? sa_tensor_data(t) : NULL;
    return ACLNN_SUCCESS;
}

static aclnnStatus read_covers(call *c, const aclTensor *shift, const aclTensor *mask, int64_t mode)
{
    bool triangle = mask && mode == 2 && mask->rank == 2 && mask->dims[0] == TRIANGLE &&
                    mask->dims[1] == TRIANGLE;
    aclnnStatus s = read_over(c, "realShiftOptional", shift,
                              SA_DTYPE_BIT(c->x.dtype) | SA_DTYPE_BIT(SA_F32), &c->x.bias);
    c->x.causal = mode == 2;
    if (!s && !triangle)
        s = read_over(c, "attenMaskOptional", mask, SA_DTYPE_BIT(SA_BOOL) | SA_DTYPE_BIT(SA_U8),
                      &c->x.mask);
    return s;
}

/* softmaxMax or softmaxSum. */
static aclnnStatus read_statistic(const call *c, const char *arg, const aclTensor *t, bool output,
                                  float **data)
{
    const int64_t want[] = {c->x.batch, c->x.heads, c->x.q_len, SA_ATTENTION_STAT};
    aclnnStatus s = output ? sa_check_output(c->op, arg, t, SA_DTYPE_BIT(SA_F32))
                           : sa_check_tensor(c->op, arg, t, SA_DTYPE_BIT(SA_F32));
    if (!s)
        s = sa_check_shape(c->op, arg, t, 4, want);
    if (!s && t->elements > 0 && !sa_tensor_contiguous(t))
        s = sa_refuse(c->op, "%s must be contiguous", arg);
    if (!s)
        *data = sa_tensor_data(t);
    return s;
}

static aclnnStatus check_like(const call *c, const char *arg, const aclTensor *t, bool output,
                              int64_t len, int64_t heads, int64_t size)
{
    aclnnStatus s = output ? sa_check_output(c->op, arg, t, SA_DTYPE_BIT(c->x.dtype))
                           : sa_check_tensor(c->op, arg, t, SA_DTYPE_BIT(c->x.dtype));
    return s ? s : check_rows(c, arg, t, len, heads, size);
}

static aclnnStatus launch(call *c, bool backward)
{
    sa_attention *copy = NULL;
    aclnnStatus s = sa_attention_plan(c->ex, c->op, &c->x, backward, &copy);

    for (int i = 0; !s && i < c->points; i++)
        s = sa_op_point(c->ex, (char *)copy + c->point[i].field, c->point[i].offset);
    for (int i = 0; !s && i < c->results; i++)
        s = sa_plan_scatter(c->ex, c->op, c->result[i].out, true, c->result[i].offset);
    return s;
}

aclnnStatus aclnnFlashAttentionScoreGetWorkspaceSize(
    const aclTensor *query, const aclTensor *key, const aclTensor *value,
    const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
    const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
    const aclIntArray *prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor *softmaxMaxOut, const aclTensor *softmaxSumOut,
    const aclTensor *softmaxOutOut, const aclTensor *attentionOutOut, uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    call c = {.op = "aclnnFlashAttentionScore", .x.scale = scaleValue};
    aclnnStatus s = sa_op_begin(c.op, workspaceSize, executor, &c.ex);

    (void)preTokens, (void)nextTokens, (void)innerPrecise, (void)softmaxOutOut;
    if (!s)
        s = read_layout(&c, inputLayout);
    if (!s)
        s = check_options(&c, dropMaskOptional, paddingMaskOptional, prefixOptional, scaleValue,
                          keepProb, sparseMode);
    if (!s)
        s = read_shapes(&c, query, key, value, headNum);
    if (!s)
        s = read_covers(&c, realShiftOptional, attenMaskOptional, sparseMode);
    if (!s && softmaxMaxOut)
        s = read_statistic(&c, "softmaxMaxOut", softmaxMaxOut, true, &c.x.max);
    if (!s && softmaxSumOut)
        s = read_statistic(&c, "softmaxSumOut", softmaxSumOut, true, &c.x.sum);
    if (!s)
        s = check_like(&c, "attentionOutOut", attentionOutOut, true, c.x.q_len, c.x.heads,
                       c.x.v_size);
    if (!s && attentionOutOut->elements > 0) {
        s = in_rows(&c, FIELD(q), query, c.x.size);
        if (!s)
            s = in_rows(&c, FIELD(k), key, c.x.size);
        if (!s)
            s = in_rows(&c, FIELD(v), value, c.x.v_size);
        if (!s) {
            out_rows(&c, FIELD(out), attentionOutOut, c.x.v_size);
            s = launch(&c, false);
        }
    }
    return sa_op_end(c.ex, s, workspaceSize, executor);
}

SA_OP_RUN(aclnnFlashAttentionScore)

aclnnStatus aclnnFlashAttentionScoreGradGetWorkspaceSize(
    const aclTensor *query, const aclTensor *keyIn, const aclTensor *value, const aclTensor *dy,
    const aclTensor *pseShiftOptional, const aclTensor *dropMaskOptional,
    const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
    const aclTensor *softmaxMaxOptional, const aclTensor *softmaxSumOptional,
    const aclTensor *softmaxInOptional, const aclTensor *attentionInOptional,
    const aclIntArray *prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor *dqOut, const aclTensor *dkOut, const aclTensor *dvOut,
    const aclTensor *dpseOut, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    call c = {.op = "aclnnFlashAttentionScoreGrad", .x.scale = scaleValue};
    aclnnStatus s = sa_op_begin(c.op, workspaceSize, executor, &c.ex);

    (void)preTokens, (void)nextTokens, (void)innerPrecise, (void)softmaxInOptional;
    if (!s)
        s = read_layout(&c, inputLayout);
    if (!s)
        s = check_options(&c, dropMaskOptional, paddingMaskOptional, prefixOptional, scaleValue,
                          keepProb, sparseMode);
    if (!s && dpseOut && dpseOut->elements > 0)
        s = sa_refuse(c.op, "dpseOut is not supported, it must be NULL");
    if (!s)
        s = read_shapes(&c, query, keyIn, value, headNum);
    if (!s)
        s = read_covers(&c, pseShiftOptional, attenMaskOptional, sparseMode);
    if (!s)
        s = read_statistic(&c, "softmaxMaxOptional", softmaxMaxOptional, false, &c.x.max);
    if (!s)
        s = read_statistic(&c, "softmaxSumOptional", softmaxSumOptional, false, &c.x.sum);
    if (!s)
        s = check_like(&c, "dy", dy, false, c.x.q_len, c.x.heads, c.x.v_size);
    if (!s)
        s = check_like(&c, "attentionInOptional", attentionInOptional, false, c.x.q_len, c.x.heads,
                       c.x.v_size);
    if (!s)
        s = check_like(&c, "dqOut", dqOut, true, c.x.q_len, c.x.heads, c.x.size);
    if (!s)
        s = check_like(&c, "dkOut", dkOut, true, c.x.k_len, c.x.kv_heads, c.x.size);
    if (!s)
        s = check_like(&c, "dvOut", dvOut, true, c.x.k_len, c.x.kv_heads, c.x.v_size);
    if (!s && (dqOut->elements > 0 || dkOut->elements > 0)) {
        s = in_rows(&c, FIELD(q), query, c.x.size);
        if (!s)
            s = in_rows(&c, FIELD(k), keyIn, c.x.size);
        if (!s)
            s = in_rows(&c, FIELD(v), value, c.x.v_size);
        if (!s)
            s = in_rows(&c, FIELD(dy), dy, c.x.v_size);
        if (!s)
            s = in_rows(&c, FIELD(out), attentionInOptional, c.x.v_size);
        if (!s) {
            out_rows(&c, FIELD(dq), dqOut, c.x.size);
            out_rows(&c, FIELD(dk), dkOut, c.x.size);
            out_rows(&c, FIELD(dv), dvOut, c.x.v_size);
            s = launch(&c, true);
        }
    }
    return sa_op_end(c.ex, s, workspaceSize, executor);
}

SA_OP_RUN(aclnnFlashAttentionScoreGrad)
