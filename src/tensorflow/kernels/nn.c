/* Biases, softmax and the cross entropies. */
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_log_softmax.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/sann_softmax_cross_entropy.h"
#include "aclnnop/sann_sparse_softmax_cross_entropy.h"
#include "tensorflow/kernels/kernel.h"

/* flag[0]: channels come second (NCHW), not last. */
static void bias_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    int32_t list = 0, bytes = 0;
    char format[16] = "NHWC";
    TF_OpKernelConstruction_GetAttrSize(c, "data_format", &list, &bytes, status);
    if (TF_GetCode(status) == TF_OK && bytes > 0 && bytes < (int32_t)sizeof format) {
        TF_OpKernelConstruction_GetAttrString(c, "data_format", format, (size_t)bytes, status);
        k->flag[0] = strncmp(format, "NC", 2) == 0;
    }
}

/* x as [outer, channels, inner]. */
static void channels(job *j, const operand *x, const char *name, int64_t split[3])
{
    memset(split, 0, 3 * sizeof *split);
    if (j->failed)
        return;
    if (x->rank < 2) {
        tf_fail(j, TF_INVALID_ARGUMENT, "%s must have rank 2 or more, and has shape %s", name,
                tf_shape(j, x->rank, x->dims));
        return;
    }
    int c = j->k->flag[0] ? 1 : x->rank - 1;
    split[0] = tf_count(c, x->dims);
    split[1] = x->dims[c];
    split[2] = tf_count(x->rank - c - 1, x->dims + c + 1);
}

static void bias_add(job *j)
{
    const operand *x = tf_in(j, 0), *bias = tf_in(j, 1);
    int64_t split[3];
    channels(j, x, "value", split);
    if (!j->failed && (bias->rank != 1 || bias->dims[0] != split[1]))
        tf_fail(j, TF_INVALID_ARGUMENT,
                "Must provide as many biases as the channel dimension of the input tensor: bias is "
                "%s, value is %s",
                tf_shape(j, bias->rank, bias->dims), tf_shape(j, x->rank, x->dims));
    const operand *y = tf_out(j, 0, x->type, x->rank, x->dims);
    if (y->count == 0)
        return;
    int rank = split[2] == 1 ? 2 : 3;
    aclTensor *vx = tf_shaped(j, x, rank, split), *vy = tf_shaped(j, y, rank, split);
    aclTensor *vb = tf_shaped(j, bias, rank, (int64_t[]){1, split[1], 1});
    aclScalar *one = tf_scalar(j, x->type, 1);
    TF_RUN(j, aclnnAdd, vx, vb, one, vy);
}

static void bias_add_grad(job *j)
{
    const operand *x = tf_in(j, 0);
    int64_t split[3];
    channels(j, x, "out_backprop", split);
    const operand *y = tf_out(j, 0, x->type, 1, &split[1]);
    if (y->count == 0)
        return;
    aclTensor *out = tf_flat(j, y);
    if (x->count == 0) {
        aclScalar *zero = tf_scalar(j, x->type, 0);
        TF_RUN(j, aclnnInplaceFillScalar, out, zero);
        return;
    }
    int rank = split[2] == 1 ? 2 : 3;
    aclTensor *in = tf_shaped(j, x, rank, split);
    aclIntArray *axes = tf_array(j, (int64_t[]){0, 2}, rank - 1);
    TF_RUN(j, aclnnReduceSum, in, axes, false, tf_acl_type(x->type), out);
}

/* Allocates output 0 and describes both as [rows, last dimension]. */
static bool rows(job *j, aclTensor **in, aclTensor **out)
{
    const operand *x = tf_in(j, 0);
    if (!j->failed && x->rank < 1)
        tf_fail(j, TF_INVALID_ARGUMENT, "logits must have rank 1 or more, and are a scalar");
    const operand *y = tf_out(j, 0, x->type, x->rank, x->dims);
    if (j->failed || x->count == 0)
        return false;
    int64_t last = x->dims[x->rank - 1];
    const int64_t dims[] = {x->count / last, last};
    *in = tf_shaped(j, x, 2, dims);
    *out = tf_shaped(j, y, 2, dims);
    return true;
}

static void softmax(job *j)
{
    aclTensor *in, *out;
    if (rows(j, &in, &out))
        TF_RUN(j, aclnnSoftmax, in, -1, out);
}

static void log_softmax(job *j)
{
    aclTensor *in, *out;
    if (rows(j, &in, &out))
        TF_RUN(j, aclnnLogSoftmax, in, -1, out);
}

/* `o` itself, or its broadcast to dims in a temporary. */
static const operand *expand(job *j, const operand *o, const int64_t *dims)
{
    if (j->failed || (o->rank == 2 && o->dims[0] == dims[0] && o->dims[1] == dims[1]))
        return o;
    int64_t strides[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        int own = i - (2 - o->rank);
        if (own >= 0 && o->dims[own] != 1)
            strides[i] = own == o->rank - 1 ? 1 : o->dims[o->rank - 1];
    }
    const operand *copy = tf_temp(j, o->type, 2, dims);
    tf_copy(j, copy, 0, tf_strides(j, 2, dims), o, 0, strides, 2, dims);
    return copy;
}

static void cross_entropy(job *j)
{
    const operand *o[] = {tf_in(j, 0), tf_in(j, 1)};
    const int64_t *dims;
    int rank;
    if (j->failed)
        return;
    if (!tf_broadcast(j, 2, o, &rank, &dims) || rank != 2) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "logits and labels must broadcast to a matrix: logits are %s, labels are %s",
                tf_shape(j, o[0]->rank, o[0]->dims), tf_shape(j, o[1]->rank, o[1]->dims));
        return;
    }
    const operand *loss = tf_out(j, 0, o[0]->type, 1, dims);
    const operand *back = tf_out(j, 1, o[0]->type, 2, dims);
    if (!j->failed && dims[0] && !dims[1])
        tf_fail(j, TF_INVALID_ARGUMENT, "Must have at least one class, and logits are %s",
                tf_shape(j, o[0]->rank, o[0]->dims));
    if (j->failed || back->count == 0)
        return;
    aclTensor *logits = tf_shaped(j, expand(j, o[0], dims), 2, dims);
    aclTensor *labels = tf_shaped(j, expand(j, o[1], dims), 2, dims);
    aclTensor *vl = tf_flat(j, loss), *vb = tf_shaped(j, back, 2, dims);
    TF_RUN(j, sannSoftmaxCrossEntropy, logits, labels, vl, vb);
}

static void sparse_cross_entropy(job *j)
{
    const operand *logits = tf_in(j, 0), *labels = tf_in(j, 1);
    if (j->failed)
        return;
    if (logits->rank != 2 || labels->rank != 1 || labels->dims[0] != logits->dims[0]) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "logits must be [batch, classes] and labels [batch]: logits are %s, labels are %s",
                tf_shape(j, logits->rank, logits->dims), tf_shape(j, labels->rank, labels->dims));
        return;
    }
    if (logits->dims[0] && !logits->dims[1]) {
        tf_fail(j, TF_INVALID_ARGUMENT, "Must have at least one class, and logits are %s",
                tf_shape(j, 2, logits->dims));
        return;
    }
    const operand *loss = tf_out(j, 0, logits->type, 1, labels->dims);
    const operand *back = tf_out(j, 1, logits->type, 2, logits->dims);
    if (j->failed || back->count == 0)
        return;
    aclTensor *vx = tf_shaped(j, logits, 2, logits->dims), *vy = tf_flat(j, labels);
    aclTensor *vl = tf_flat(j, loss), *vb = tf_shaped(j, back, 2, logits->dims);
    TF_RUN(j, sannSparseSoftmaxCrossEntropy, vx, vy, vl, vb);
    tf_wait_for_values(j);
}

const kernel_def tf_kernels_nn[] = {
    {"BiasAdd", "T", T_FLOATS, bias_add, bias_prepare},
    {"BiasAddGrad", "T", T_FLOATS, bias_add_grad, bias_prepare},
    {"Softmax", "T", T_FLOATS, softmax},
    {"LogSoftmax", "T", T_FLOATS, log_softmax},
    {"SoftmaxCrossEntropyWithLogits", "T", T_FLOATS, cross_entropy},
    {"SparseSoftmaxCrossEntropyWithLogits", "T", T_FLOATS, sparse_cross_entropy, NULL, "Tlabels",
     T_INT32 | T_INT64},
    {NULL},
};
