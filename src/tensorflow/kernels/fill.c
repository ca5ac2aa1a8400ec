/* Tensors of one value. */
#include "aclnnop/aclnn_fill_scalar.h"
#include "tensorflow/kernels/kernel.h"

static void fill(job *j)
{
    const operand *shape = tf_in(j, 0), *value = tf_in(j, 1);
    if (!j->failed && shape->rank != 1)
        tf_fail(j, TF_INVALID_ARGUMENT, "dims must be a vector of int32 or int64, and has shape %s",
                tf_shape(j, shape->rank, shape->dims));
    if (!j->failed && value->count != 1)
        tf_fail(j, TF_INVALID_ARGUMENT, "value must be a scalar, and has shape %s",
                tf_shape(j, value->rank, value->dims));
    const int64_t *dims = tf_host_ints(j, shape);
    int rank = (int)shape->count;
    const operand *y = tf_out(j, 0, value->type, rank, dims);
    if (!j->failed)
        tf_copy(j, y, 0, &(int64_t){1}, value, 0, &(int64_t){0}, 1, &y->count);
}

static void like(job *j, double value)
{
    const operand *x = tf_in(j, 0);
    const operand *y = tf_out(j, 0, x->type, x->rank, x->dims);
    if (y->count == 0)
        return;
    aclTensor *out = tf_flat(j, y);
    aclScalar *v = tf_scalar(j, x->type, value);
    TF_RUN(j, aclnnInplaceFillScalar, out, v);
}

static void zeros_like(job *j)
{
    like(j, 0);
}

static void ones_like(job *j)
{
    like(j, 1);
}

const kernel_def tf_kernels_fill[] = {
    {"Fill", "T", T_MOVES & ~T_INT32, fill, .host = {"dims"}},
    {"Fill", "T", T_INT32, fill, NULL, "index_type", T_INT64, .host = {"dims", "value", "output"},
     .on_host = true},
    {"ZerosLike", "T", T_FLOATS | T_INT64 | T_BOOL, zeros_like},
    {"OnesLike", "T", T_FLOATS | T_INT64 | T_BOOL, ones_like},
    {NULL},
};
