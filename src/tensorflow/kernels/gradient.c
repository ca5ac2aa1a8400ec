/* Gradients of elementwise ops, from the output that the forward pass left (or, for relu, either).
 */
#include <string.h>

#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "tensorflow/kernels/kernel.h"

/* Two inputs of one shape and an output of the same; false if there is nothing to compute. */
static bool pair(job *j, const char *first, const char *second, aclTensor **v)
{
    const operand *a = tf_in(j, 0), *b = tf_in(j, 1);
    if (!j->failed && (a->rank != b->rank || memcmp(a->dims, b->dims, (size_t)a->rank * 8)))
        tf_fail(j, TF_INVALID_ARGUMENT, "shapes differ: %s is %s, %s is %s", first,
                tf_shape(j, a->rank, a->dims), second, tf_shape(j, b->rank, b->dims));
    const operand *out = tf_out(j, 0, a->type, a->rank, a->dims);
    v[0] = tf_flat(j, a);
    v[1] = tf_flat(j, b);
    v[2] = tf_flat(j, out);
    return !j->failed && a->count > 0;
}

static void relu_grad(job *j)
{
    aclTensor *v[3];
    if (!pair(j, "gradients", "features", v))
        return;
    aclScalar *zero = tf_scalar(j, TF_FLOAT, 0);
    TF_RUN(j, aclnnThresholdBackward, v[0], v[1], zero, v[2]);
}

static void sigmoid_grad(job *j)
{
    aclTensor *v[3];
    if (pair(j, "y", "dy", v))
        TF_RUN(j, aclnnSigmoidBackward, v[1], v[0], v[2]);
}

static void tanh_grad(job *j)
{
    aclTensor *v[3];
    if (pair(j, "y", "dy", v))
        TF_RUN(j, aclnnTanhBackward, v[1], v[0], v[2]);
}

/* One number of the inputs' dtype that all elements share. */
static aclTensor *constant(job *j, TF_DataType type, uint16_t half, uint16_t bfloat, float value)
{
    const operand *o = tf_temp(j, type, 0, NULL);
    if (j->failed)
        return NULL;
    const void *bits = type == TF_FLOAT ? (const void *)&value : type == TF_HALF ? &half : &bfloat;
    size_t bytes = TF_DataTypeSize(type);
    aclError e = aclrtMemcpy(o->data, bytes, bits, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    if (e)
        tf_fail_acl(j, e);
    return tf_shaped(j, o, 1, &(int64_t){1});
}

/* y = sqrt(x): dx = dy / (2 y) */
static void sqrt_grad(job *j)
{
    aclTensor *v[3];
    if (!pair(j, "y", "dy", v))
        return;
    aclTensor *half = constant(j, tf_in(j, 0)->type, 0x3800, 0x3f00, 0.5f);
    TF_RUN(j, aclnnMul, v[1], half, v[2]);
    TF_RUN(j, aclnnDiv, v[2], v[0], v[2]);
}

/* y = 1 / sqrt(x): dx = -dy y^3 / 2 */
static void rsqrt_grad(job *j)
{
    aclTensor *v[3];
    if (!pair(j, "y", "dy", v))
        return;
    aclTensor *minus_half = constant(j, tf_in(j, 0)->type, 0xb800, 0xbf00, -0.5f);
    TF_RUN(j, aclnnMul, v[0], v[0], v[2]);
    TF_RUN(j, aclnnMul, v[2], v[0], v[2]);
    TF_RUN(j, aclnnMul, v[2], v[1], v[2]);
    TF_RUN(j, aclnnMul, v[2], minus_half, v[2]);
}

/* y = 1 / x: dx = -dy y^2 */
static void reciprocal_grad(job *j)
{
    aclTensor *v[3];
    if (!pair(j, "y", "dy", v))
        return;
    TF_RUN(j, aclnnMul, v[0], v[0], v[2]);
    TF_RUN(j, aclnnMul, v[2], v[1], v[2]);
    TF_RUN(j, aclnnNeg, v[2], v[2]);
}

const kernel_def tf_kernels_gradient[] = {
    {"ReluGrad", "T", T_FLOATS, relu_grad},      {"SigmoidGrad", "T", T_FLOATS, sigmoid_grad},
    {"TanhGrad", "T", T_FLOATS, tanh_grad},      {"SqrtGrad", "T", T_FLOATS, sqrt_grad},
    {"RsqrtGrad", "T", T_FLOATS, rsqrt_grad},    {"ReciprocalGrad", "T", T_FLOATS, reciprocal_grad},
    {"InvGrad", "T", T_FLOATS, reciprocal_grad}, {NULL},
};
