/* Layer normalisation over the last dimension, and its gradients. */
#include <string.h>

#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "tensorflow/kernels/kernel.h"

static void prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    float epsilon = 0;
    TF_OpKernelConstruction_GetAttrFloat(c, "epsilon", &epsilon, status);
    double wide = epsilon;
    memcpy(&k->number[0], &wide, sizeof wide);
}

/* x as [rows, cols]; gamma (and beta) must have cols elements. */
static bool shapes(job *j, const operand *x, const operand *gamma, const operand *beta,
                   int64_t dims[2])
{
    if (j->failed)
        return false;
    if (x->rank < 1) {
        tf_fail(j, TF_INVALID_ARGUMENT, "x must have rank 1 or more, and is a scalar");
        return false;
    }
    dims[1] = x->dims[x->rank - 1];
    dims[0] = tf_count(x->rank - 1, x->dims);
    for (int i = 0; i < 2; i++) {
        const operand *o = i ? beta : gamma;
        if (o && (o->rank != 1 || o->dims[0] != dims[1])) {
            tf_fail(j, TF_INVALID_ARGUMENT, "%s must be [%lld], as x is %s, and is %s",
                    i ? "beta" : "gamma", (long long)dims[1], tf_shape(j, x->rank, x->dims),
                    tf_shape(j, o->rank, o->dims));
            return false;
        }
    }
    return true;
}

static void layer_norm(job *j)
{
    const operand *x = tf_in(j, 0), *gamma = tf_in(j, 1), *beta = tf_in(j, 2);
    int64_t dims[2];
    if (!shapes(j, x, gamma, beta, dims))
        return;
    const operand *y = tf_out(j, 0, x->type, x->rank, x->dims);
    const operand *mean = tf_out(j, 1, TF_FLOAT, x->rank - 1, x->dims);
    const operand *rstd = tf_out(j, 2, TF_FLOAT, x->rank - 1, x->dims);
    if (j->failed || x->count == 0)
        return;
    const int64_t one[] = {dims[0], 1};
    double epsilon;
    memcpy(&epsilon, &j->k->number[0], sizeof epsilon);
    aclIntArray *shape = tf_array(j, &dims[1], 1);
    aclTensor *vx = tf_shaped(j, x, 2, dims), *vy = tf_shaped(j, y, 2, dims);
    aclTensor *w = tf_flat(j, gamma), *b = tf_flat(j, beta);
    aclTensor *m = tf_shaped(j, mean, 2, one), *r = tf_shaped(j, rstd, 2, one);
    TF_RUN(j, aclnnLayerNorm, vx, shape, w, b, epsilon, vy, m, r);
}

static void layer_norm_grad(job *j)
{
    const operand *dy = tf_in(j, 0), *x = tf_in(j, 1), *mean = tf_in(j, 2), *rstd = tf_in(j, 3);
    const operand *gamma = tf_in(j, 4);
    int64_t dims[2];
    if (!shapes(j, x, gamma, NULL, dims))
        return;
    if (dy->count != x->count || mean->count != dims[0] || rstd->count != dims[0]) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "gradient %s, mean %s and rstd %s must be those of x, which is %s",
                tf_shape(j, dy->rank, dy->dims), tf_shape(j, mean->rank, mean->dims),
                tf_shape(j, rstd->rank, rstd->dims), tf_shape(j, x->rank, x->dims));
        return;
    }
    const operand *dx = tf_out(j, 0, x->type, x->rank, x->dims);
    const operand *dw = tf_out(j, 1, gamma->type, 1, &dims[1]);
    const operand *db = tf_out(j, 2, gamma->type, 1, &dims[1]);
    if (j->failed || dims[1] == 0)
        return;
    aclTensor *vw = tf_flat(j, dw), *vb = tf_flat(j, db);
    if (x->count == 0) {
        aclScalar *zero = tf_scalar(j, gamma->type, 0);
        TF_RUN(j, aclnnInplaceFillScalar, vw, zero);
        TF_RUN(j, aclnnInplaceFillScalar, vb, zero);
        return;
    }
    const int64_t one[] = {dims[0], 1};
    aclIntArray *shape = tf_array(j, &dims[1], 1);
    aclBoolArray *mask = tf_bools(j, (const bool[]){true, true, true}, 3);
    aclTensor *vdy = tf_shaped(j, dy, 2, dims), *vx = tf_shaped(j, x, 2, dims);
    aclTensor *vdx = tf_shaped(j, dx, 2, dims), *w = tf_flat(j, gamma);
    aclTensor *m = tf_shaped(j, mean, 2, one), *r = tf_shaped(j, rstd, 2, one);
    TF_RUN(j, aclnnLayerNormBackward, vdy, vx, shape, m, r, w, NULL, mask, vdx, vw, vb);
}

const kernel_def tf_kernels_layer_norm[] = {
    {"AscendLayerNorm", "T", T_FLOATS, layer_norm, prepare, "U", T_FLOATS, .on_cpu = true},
    {"AscendLayerNormGrad", "T", T_FLOATS, layer_norm_grad, NULL, "U", T_FLOATS, .on_cpu = true},
    {NULL},
};
