/* Gathers from variables and sparse updates of them: what embeddings need. */
#include <stdio.h>
#include <string.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_sub.h"
#include "aclnnop/sann_unsorted_segment_sum.h"
#include "tensorflow/bridge.h"
#include "tensorflow/kernels/index.h"

/* The variable of input 0 as an operand, locked until it is closed. */
static bool lock_variable(job *j, bool writing, sa_variable *v, operand *o)
{
    if (j->failed)
        return false;
    const sa_bridge *bridge = tf_bridge();
    if (!bridge->open_variable) {
        tf_fail(j, TF_UNIMPLEMENTED, "no way to a variable's tensor: %s", bridge->why_not);
        return false;
    }
    bridge->open_variable(j->ctx, 0, writing, v, j->status);
    if (TF_GetCode(j->status) != TF_OK) {
        char text[1024];
        TF_Code code = TF_GetCode(j->status);
        snprintf(text, sizeof text, "%s", TF_Message(j->status));
        tf_fail(j, code, "%s", text);
        return false;
    }
    *o = (operand){NULL, v->data, v->type, v->rank, v->dims, tf_count(v->rank, v->dims)};
    if (v->type != j->k->type) {
        tf_fail(j, TF_INVALID_ARGUMENT, "the variable is %s, and the op's dtype %s",
                tf_type(v->type), tf_type(j->k->type));
        tf_bridge()->close_variable(v);
        return false;
    }
    return true;
}

static void gather_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    TF_OpKernelConstruction_GetAttrInt64(c, "batch_dims", &k->number[0], status);
}

static void resource_gather(job *j)
{
    sa_variable v;
    operand params;
    const operand *indices = tf_in(j, 1);
    if (!lock_variable(j, false, &v, &params))
        return;
    int64_t batch = j->k->number[0];
    tf_gather(j, &params, indices, batch < 0 ? batch + indices->rank : batch, batch);
    tf_wait(j);
    tf_bridge()->close_variable(&v);
}

/* variable[indices] += or -= updates: rows that occur more than once are summed first. */
static void scatter(job *j, bool subtract)
{
    sa_variable v;
    operand var;
    const operand *indices = tf_in(j, 1), *updates = tf_in(j, 2);
    if (!lock_variable(j, true, &v, &var))
        return;
    bool good = var.rank >= 1;
    int tail = var.rank - 1;
    bool scalar = updates->rank == 0;
    if (good && !scalar)
        good = updates->rank == indices->rank + tail &&
               !memcmp(updates->dims, indices->dims, (size_t)indices->rank * 8) &&
               !memcmp(updates->dims + indices->rank, var.dims + 1, (size_t)tail * 8);
    if (!good)
        tf_fail(j, TF_INVALID_ARGUMENT,
                "updates must have shape indices.shape + variable.shape[1:], or be a scalar: "
                "variable is %s, indices %s, updates %s",
                tf_shape(j, var.rank, var.dims), tf_shape(j, indices->rank, indices->dims),
                tf_shape(j, updates->rank, updates->dims));
    int64_t n = indices->count;
    if (!j->failed && var.count && n) {
        int64_t inner = tf_count(tail, var.dims + 1);
        const int64_t wide[] = {n, inner};
        if (scalar) {
            const operand *all = tf_temp(j, var.type, 2, wide);
            tf_copy(j, all, 0, &(int64_t){1}, updates, 0, &(int64_t){0}, 1, &(int64_t){n * inner});
            updates = all;
        }
        const operand *sums = tf_temp(j, var.type, var.rank, var.dims);
        aclTensor *data = tf_shaped(j, updates, 2, wide), *ids = tf_flat(j, indices);
        aclTensor *sum = tf_shaped(j, sums, 2, (int64_t[]){var.dims[0], inner});
        TF_RUN(j, sannUnsortedSegmentSum, data, ids, sum);
        tf_wait_for_values(j);
        aclTensor *target = tf_flat(j, &var), *change = tf_flat(j, sums);
        aclScalar *one = tf_scalar(j, var.type, 1);
        if (subtract)
            TF_RUN(j, aclnnSub, target, change, one, target);
        else
            TF_RUN(j, aclnnAdd, target, change, one, target);
    }
    tf_wait(j);
    tf_bridge()->close_variable(&v);
}

static void scatter_add(job *j)
{
    scatter(j, false);
}

static void scatter_subtract(job *j)
{
    scatter(j, true);
}

#define INDEX (T_INT32 | T_INT64)

const kernel_def tf_kernels_variable[] = {
    {"ResourceGather", "dtype", T_FLOATS | INDEX, resource_gather, gather_prepare, "Tindices",
     INDEX, .host = {"resource"}},
    {"ResourceScatterAdd", "dtype", T_FLOATS | INDEX, scatter_add, NULL, "Tindices", INDEX,
     .host = {"resource"}},
    {"ResourceScatterSub", "dtype", T_FLOATS | INDEX, scatter_subtract, NULL, "Tindices", INDEX,
     .host = {"resource"}},
    {NULL},
};
