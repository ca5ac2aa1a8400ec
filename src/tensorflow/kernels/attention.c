/* Attention, and its gradient from what it left. Operands are [batch, positions, heads, size]. */
#include <string.h>

#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"
#include "aclnnop/aclnn_logical_not.h"
#include "tensorflow/kernels/kernel.h"

static char layout[] = "BSND";

static void prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    TF_Bool causal = 0;
    float scale = 1;
    TF_OpKernelConstruction_GetAttrBool(c, "causal", &causal, status);
    if (TF_GetCode(status) == TF_OK)
        TF_OpKernelConstruction_GetAttrFloat(c, "scale", &scale, status);
    double wide = scale;
    k->flag[0] = causal;
    memcpy(&k->number[0], &wide, sizeof wide);
}

static double scale_of(const job *j)
{
    double scale;
    memcpy(&scale, &j->k->number[0], sizeof scale);
    return scale;
}

static const char *const names[] = {"query", "key", "value"};

static bool heads(job *j, const operand *o[3])
{
    for (int i = 0; i < 3; i++) {
        o[i] = tf_in(j, i);
        if (!j->failed && o[i]->rank != 4)
            tf_fail(j, TF_INVALID_ARGUMENT,
                    "%s must be [batch, positions, heads, size], and has shape %s", names[i],
                    tf_shape(j, o[i]->rank, o[i]->dims));
    }
    return !j->failed;
}

static aclTensor *whole(job *j, const operand *o)
{
    return tf_shaped(j, o, o->rank, o->dims);
}

/* Inputs from `first` on: a mask, true where a query sees a key; a bias. */
static void covers(job *j, int first, aclTensor **mask, aclTensor **bias)
{
    *mask = *bias = NULL;
    for (int i = first; i < j->inputs && !j->failed; i++) {
        const operand *o = tf_in(j, i);
        if (j->failed)
            return;
        if (o->type != TF_BOOL) {
            *bias = whole(j, o);
            continue;
        }
        const operand *hidden = tf_temp(j, TF_BOOL, o->rank, o->dims);
        *mask = whole(j, hidden);
        if (o->count > 0)
            TF_RUN(j, aclnnLogicalNot, tf_flat(j, o), tf_flat(j, hidden));
    }
}

static void attention(job *j)
{
    const operand *o[3];
    aclTensor *mask, *bias;
    if (!heads(j, o))
        return;
    const int64_t *q = o[0]->dims, *v = o[2]->dims;
    const operand *out = tf_out(j, 0, o[0]->type, 4, (int64_t[]){q[0], q[1], q[2], v[3]});
    const operand *max = tf_out(j, 1, TF_FLOAT, 4, (int64_t[]){q[0], q[2], q[1], 8});
    const operand *sum = tf_out(j, 2, TF_FLOAT, 4, (int64_t[]){q[0], q[2], q[1], 8});
    covers(j, 3, &mask, &bias);
    aclTensor *t[] = {whole(j, o[0]), whole(j, o[1]), whole(j, o[2])};
    aclTensor *results[] = {whole(j, max), whole(j, sum), whole(j, out)};
    TF_RUN(j, aclnnFlashAttentionScore, t[0], t[1], t[2], bias, NULL, NULL, mask, NULL, scale_of(j),
           1, INT32_MAX, INT32_MAX, q[2], layout, 0, j->k->flag[0] ? 2 : 0, results[0], results[1],
           NULL, results[2]);
}

static void attention_grad(job *j)
{
    const operand *o[3];
    aclTensor *mask, *bias;
    if (!heads(j, o))
        return;
    aclTensor *left[4], *t[3], *d[3]; /* left: attention, softmax_max, softmax_sum, gradient */
    for (int i = 0; i < 4; i++)
        left[i] = whole(j, tf_in(j, 3 + i));
    for (int i = 0; i < 3; i++) {
        t[i] = whole(j, o[i]);
        d[i] = whole(j, tf_out(j, i, o[i]->type, 4, o[i]->dims));
    }
    covers(j, 7, &mask, &bias);
    TF_RUN(j, aclnnFlashAttentionScoreGrad, t[0], t[1], t[2], left[3], bias, NULL, NULL, mask,
           left[1], left[2], NULL, left[0], NULL, scale_of(j), 1, INT32_MAX, INT32_MAX,
           o[0]->dims[2], layout, 0, j->k->flag[0] ? 2 : 0, d[0], d[1], d[2], NULL);
}

const kernel_def tf_kernels_attention[] = {
    {"AscendAttention", "T", T_FLOATS, attention, prepare, .on_cpu = true},
    {"AscendAttentionGrad", "T", T_FLOATS, attention_grad, prepare, .on_cpu = true},
    {NULL},
};
