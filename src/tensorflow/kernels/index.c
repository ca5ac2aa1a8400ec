/* Ops that move elements by index: gathers, segment sums, one-hot. */
#include "tensorflow/kernels/index.h"

#include <string.h>

#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_s_where.h"
#include "aclnnop/sann_unsorted_segment_sum.h"

/* A row-major window that starts `offset` elements in, as integers of the elements' size. */
static aclTensor *window(job *j, const operand *o, int64_t offset, int rank, const int64_t *dims)
{
    view v = {.rank = rank, .offset = offset};
    int64_t step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        v.dims[i] = dims[i];
        v.strides[i] = step;
        step *= dims[i];
    }
    return tf_moved(j, o, &v);
}

void tf_gather(job *j, const operand *params, const operand *indices, int64_t axis, int64_t batch)
{
    int a = tf_axis(j, "axis", axis, params->rank);
    if (j->failed)
        return;
    int64_t b = batch < 0 ? batch + indices->rank : batch;
    if (b < 0 || b > indices->rank || b > a ||
        memcmp(params->dims, indices->dims, (size_t)b * sizeof *params->dims)) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "batch_dims %lld must be at most axis %d and name dimensions that params, %s, and "
                "indices, %s, share",
                (long long)batch, a, tf_shape(j, params->rank, params->dims),
                tf_shape(j, indices->rank, indices->dims));
        return;
    }
    int tail = params->rank - a - 1, rank = a + indices->rank - (int)b + tail;
    int64_t *dims = tf_ints(j, rank);
    memcpy(dims, params->dims, (size_t)a * sizeof *dims);
    memcpy(dims + a, indices->dims + b, (size_t)(indices->rank - b) * sizeof *dims);
    memcpy(dims + rank - tail, params->dims + a + 1, (size_t)tail * sizeof *dims);
    const operand *y = tf_out(j, 0, params->type, rank, dims);
    if (j->failed || y->count == 0)
        return;
    int64_t batches = tf_count((int)b, params->dims), n = indices->count / batches;
    int64_t outer = tf_count(a - (int)b, params->dims + b), size = params->dims[a];
    int64_t inner = tf_count(tail, params->dims + a + 1);
    if (size == 0) {
        tf_fail(j, TF_INVALID_ARGUMENT, "indices[0] is not in [0, 0): params are %s",
                tf_shape(j, params->rank, params->dims));
        return;
    }
    for (int64_t i = 0; i < batches && !j->failed; i++) {
        aclTensor *self =
            window(j, params, i * outer * size * inner, 3, (int64_t[]){outer, size, inner});
        aclTensor *index =
            tf_viewed(j, indices, &(view){.rank = 1, .dims = {n}, .strides = {1}, .offset = i * n});
        aclTensor *out = window(j, y, i * outer * n * inner, 3, (int64_t[]){outer, n, inner});
        TF_RUN(j, aclnnGatherV2, self, 1, index, out);
    }
    tf_wait_for_values(j);
}

static void gather_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    TF_OpKernelConstruction_GetAttrInt64(c, "batch_dims", &k->number[0], status);
}

static void gather_v2(job *j)
{
    int64_t axis = tf_host_int(j, tf_in(j, 2), "axis");
    tf_gather(j, tf_in(j, 0), tf_in(j, 1), axis, j->k->number[0]);
}

static void gather(job *j)
{
    tf_gather(j, tf_in(j, 0), tf_in(j, 1), 0, 0);
}

static void segment_sum(job *j)
{
    const operand *x = tf_in(j, 0), *ids = tf_in(j, 1);
    int64_t n = tf_host_int(j, tf_in(j, 2), "num_segments");
    if (j->failed)
        return;
    if (n < 0 || ids->rank > x->rank ||
        memcmp(ids->dims, x->dims, (size_t)ids->rank * sizeof *ids->dims)) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "data.shape must start with segment_ids.shape, and num_segments be 0 or more: data "
                "is %s, segment_ids is %s, num_segments is %lld",
                tf_shape(j, x->rank, x->dims), tf_shape(j, ids->rank, ids->dims), (long long)n);
        return;
    }
    int tail = x->rank - ids->rank;
    int64_t *dims = tf_ints(j, tail + 1);
    dims[0] = n;
    memcpy(dims + 1, x->dims + ids->rank, (size_t)tail * sizeof *dims);
    const operand *y = tf_out(j, 0, x->type, tail + 1, dims);
    if (j->failed || y->count == 0)
        return;
    int64_t inner = tf_count(tail, dims + 1);
    aclTensor *data = tf_shaped(j, x, 2, (int64_t[]){ids->count, inner});
    aclTensor *index = tf_flat(j, ids);
    aclTensor *out = tf_shaped(j, y, 2, (int64_t[]){n, inner});
    TF_RUN(j, sannUnsortedSegmentSum, data, index, out);
    tf_wait_for_values(j);
}

static void one_hot_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    TF_OpKernelConstruction_GetAttrInt64(c, "axis", &k->number[0], status);
}

/* where(indices == 0 … depth-1, on, off) */
static void one_hot(job *j)
{
    const operand *x = tf_in(j, 0), *on = tf_in(j, 2), *off = tf_in(j, 3);
    int64_t depth = tf_host_int(j, tf_in(j, 1), "depth");
    if (j->failed)
        return;
    int64_t axis = j->k->number[0] == -1 ? x->rank : j->k->number[0];
    if (axis < 0 || axis > x->rank || depth < 0 || on->count != 1 || off->count != 1) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "needs axis -1 … %d, depth 0 or more, and scalars for on_value and off_value: axis "
                "is %lld, depth %lld, on_value %s, off_value %s",
                x->rank, (long long)j->k->number[0], (long long)depth,
                tf_shape(j, on->rank, on->dims), tf_shape(j, off->rank, off->dims));
        return;
    }
    int64_t *dims = tf_ints(j, x->rank + 1);
    memcpy(dims, x->dims, (size_t)axis * sizeof *dims);
    dims[axis] = depth;
    memcpy(dims + axis + 1, x->dims + axis, (size_t)(x->rank - axis) * sizeof *dims);
    const operand *y = tf_out(j, 0, on->type, x->rank + 1, dims);
    if (j->failed || y->count == 0)
        return;
    int64_t outer = tf_count((int)axis, x->dims),
            inner = tf_count(x->rank - (int)axis, x->dims + axis);
    const operand *numbers = tf_temp(j, x->type == TF_INT64 ? TF_INT64 : TF_INT32, 1, &depth);
    const operand *equal = tf_temp(j, TF_BOOL, 1, &y->count);
    if (j->failed)
        return;
    size_t bytes = (size_t)depth * TF_DataTypeSize(numbers->type);
    int64_t *values = tf_ints(j, depth);
    for (int64_t i = 0; i < depth; i++) {
        if (numbers->type == TF_INT64)
            values[i] = i;
        else
            ((int32_t *)values)[i] = (int32_t)i;
    }
    aclError e = aclrtMemcpy(numbers->data, bytes, values, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    if (e)
        tf_fail_acl(j, e);
    aclTensor *vx = tf_shaped(j, x, 3, (int64_t[]){outer, 1, inner});
    aclTensor *vn = tf_shaped(j, numbers, 3, (int64_t[]){1, depth, 1});
    aclTensor *ve = tf_shaped(j, equal, 3, (int64_t[]){outer, depth, inner});
    aclTensor *flat = tf_flat(j, equal), *out = tf_flat(j, y);
    aclTensor *von = tf_shaped(j, on, 1, (int64_t[]){1}),
              *voff = tf_shaped(j, off, 1, (int64_t[]){1});
    TF_RUN(j, aclnnEqTensor, vx, vn, ve);
    TF_RUN(j, aclnnSWhere, flat, von, voff, out);
}

#define INDEX (T_INT32 | T_INT64)

const kernel_def tf_kernels_index[] = {
    {"GatherV2", "Tparams", T_MOVES, gather_v2, gather_prepare, "Tindices", INDEX,
     .host = {"axis"}},
    {"Gather", "Tparams", T_MOVES, gather, NULL, "Tindices", INDEX},
    {"UnsortedSegmentSum", "T", T_FLOATS | INDEX, segment_sum, NULL, "Tindices", INDEX,
     .host = {"num_segments"}},
    {"OneHot", "T", T_MOVES, one_hot, one_hot_prepare, "TI", INDEX, .host = {"depth"}},
    {NULL},
};
