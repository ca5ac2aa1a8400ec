/* Reductions. Neighbouring dimensions that are reduced alike are one dimension to the operator, so
 * that any rank fits. */
#include <math.h>
#include <string.h>

#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_any.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_prod.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "tensorflow/kernels/kernel.h"

/* The input as groups of dimensions, alternately kept and reduced. */
typedef struct reduction {
    const operand *in, *out;
    int groups, axes;
    int64_t size[TF_MAX_VIEW_RANK], axis[TF_MAX_VIEW_RANK]; /* axis: numbers of reduced groups */
    int64_t reduced;                                        /* how many elements make one */
} reduction;

static void reduce_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    TF_Bool keep = 0;
    TF_OpKernelConstruction_GetAttrBool(c, "keep_dims", &keep, status);
    k->flag[0] = keep;
}

/* Checks the axes, allocates the output; false if nothing is left to compute: the job failed, the
 * output is empty, or it is the input itself. */
static bool begin(job *j, reduction *r)
{
    const operand *x = r->in = tf_in(j, 0), *axes = tf_in(j, 1);
    const int64_t *list = tf_host_ints(j, axes);
    if (j->failed)
        return false;
    bool *is_reduced = (bool *)tf_ints(j, x->rank / 8 + 1);
    memset(is_reduced, 0, (size_t)x->rank);
    for (int64_t i = 0; i < axes->count; i++) {
        int a = tf_axis(j, "reduction axis", list[i], x->rank);
        if (!j->failed && is_reduced[a])
            tf_fail(j, TF_INVALID_ARGUMENT, "reduction axes %s name dimension %d twice",
                    tf_shape(j, (int)axes->count, list), a);
        if (j->failed)
            return false;
        is_reduced[a] = true;
    }
    int64_t *dims = tf_ints(j, x->rank);
    int rank = 0;
    r->groups = r->axes = 0;
    r->reduced = 1;
    bool last = false, over = false;
    for (int i = 0; i < x->rank; i++) {
        if (!is_reduced[i] || j->k->flag[0])
            dims[rank++] = is_reduced[i] ? 1 : x->dims[i];
        if (is_reduced[i])
            r->reduced *= x->dims[i];
        if (x->dims[i] == 1)
            continue;
        if (r->groups && last == is_reduced[i]) {
            r->size[r->groups - 1] *= x->dims[i];
        } else if (r->groups == TF_MAX_VIEW_RANK) {
            over = true;
        } else {
            last = is_reduced[i];
            if (last)
                r->axis[r->axes++] = r->groups;
            r->size[r->groups++] = x->dims[i];
        }
    }
    if (over) {
        tf_fail(j, TF_UNIMPLEMENTED,
                "reducing shape %s over axes %s needs more than 8 dimensions, which is what the "
                "NPU's operators take",
                tf_shape(j, x->rank, x->dims), tf_shape(j, (int)axes->count, list));
        return false;
    }
    if (r->axes == 0) {
        tf_out_is_in(j, 0, 0, rank, dims);
        return false;
    }
    r->out = tf_out(j, 0, x->type, rank, dims);
    return !j->failed && r->out->count > 0;
}

/* The result of reducing nothing. */
static bool neutral(job *j, const reduction *r, double value)
{
    if (r->reduced)
        return false;
    aclTensor *out = tf_flat(j, r->out);
    aclScalar *v = NULL;
    if (r->out->type == TF_INT64 && isinf(value)) {
        v = tf_scalar(j, TF_INT64, 0);
        int64_t limit = value < 0 ? INT64_MIN : INT64_MAX;
        if (!j->failed)
            v = aclCreateScalar(&limit, ACL_INT64);
        TF_RUN(j, aclnnInplaceFillScalar, out, v);
        if (v)
            aclDestroyScalar(v);
        return true;
    }
    v = tf_scalar(j, r->out->type, value);
    TF_RUN(j, aclnnInplaceFillScalar, out, v);
    return true;
}

typedef struct views {
    aclTensor *in, *out;
    aclIntArray *axes;
} views;

static views describe(job *j, const reduction *r)
{
    int64_t kept[TF_MAX_VIEW_RANK];
    int n = 0;
    for (int g = 0, a = 0; g < r->groups; g++) {
        if (a < r->axes && r->axis[a] == g)
            a++;
        else
            kept[n++] = r->size[g];
    }
    return (views){tf_shaped(j, r->in, r->groups, r->size), tf_shaped(j, r->out, n, kept),
                   tf_array(j, r->axis, r->axes)};
}

static void sum(job *j)
{
    reduction r;
    if (!begin(j, &r) || neutral(j, &r, 0))
        return;
    views v = describe(j, &r);
    TF_RUN(j, aclnnReduceSum, v.in, v.axes, false, tf_acl_type(r.in->type), v.out);
}

static void mean(job *j)
{
    reduction r;
    if (!begin(j, &r) || neutral(j, &r, NAN))
        return;
    views v = describe(j, &r);
    TF_RUN(j, aclnnMean, v.in, v.axes, false, tf_acl_type(r.in->type), v.out);
}

static void maximum(job *j)
{
    reduction r;
    if (!begin(j, &r) || neutral(j, &r, -INFINITY))
        return;
    views v = describe(j, &r);
    TF_RUN(j, aclnnAmax, v.in, v.axes, false, v.out);
}

static void minimum(job *j)
{
    reduction r;
    if (!begin(j, &r) || neutral(j, &r, INFINITY))
        return;
    views v = describe(j, &r);
    TF_RUN(j, aclnnAmin, v.in, v.axes, false, v.out);
}

static void all(job *j)
{
    reduction r;
    if (!begin(j, &r) || neutral(j, &r, 1))
        return;
    views v = describe(j, &r);
    TF_RUN(j, aclnnAll, v.in, v.axes, false, v.out);
}

static void any(job *j)
{
    reduction r;
    if (!begin(j, &r) || neutral(j, &r, 0))
        return;
    views v = describe(j, &r);
    TF_RUN(j, aclnnAny, v.in, v.axes, false, v.out);
}

/* The operator reduces one dimension a time: the last group first, so that numbers stay right. */
static void product(job *j)
{
    reduction r;
    if (!begin(j, &r) || neutral(j, &r, 1))
        return;
    aclDataType type = tf_acl_type(r.in->type);
    const operand *from = r.in;
    int64_t size[TF_MAX_VIEW_RANK];
    int groups = r.groups;
    memcpy(size, r.size, sizeof size);
    for (int a = r.axes - 1; a >= 0; a--) {
        int axis = (int)r.axis[a];
        aclTensor *in = tf_shaped(j, from, groups, size);
        memmove(size + axis, size + axis + 1, (size_t)(groups - axis - 1) * sizeof *size);
        groups--;
        const operand *to = a ? tf_temp(j, r.in->type, groups, size) : r.out;
        aclTensor *out = tf_shaped(j, to, groups, size);
        TF_RUN(j, aclnnProdDim, in, axis, false, type, out);
        from = to;
    }
}

/* Sums and products of shapes, in host memory. */
static void on_host(job *j, bool multiply)
{
    reduction r;
    if (!begin(j, &r))
        return;
    const int32_t *x = r.in->data;
    int32_t *y = r.out->data;
    int64_t strides[TF_MAX_VIEW_RANK] = {0}, at[TF_MAX_VIEW_RANK] = {0}, step = 1;
    for (int g = r.groups - 1, a = r.axes - 1; g >= 0; g--) {
        if (a >= 0 && r.axis[a] == g) {
            a--;
            continue;
        }
        strides[g] = step;
        step *= r.size[g];
    }
    for (int64_t i = 0; i < r.out->count; i++)
        y[i] = multiply;
    for (int64_t i = 0; i < r.in->count; i++) {
        int64_t k = 0;
        for (int g = 0; g < r.groups; g++)
            k += at[g] * strides[g];
        y[k] =
            (int32_t)(multiply ? (uint32_t)y[k] * (uint32_t)x[i] : (uint32_t)y[k] + (uint32_t)x[i]);
        for (int g = r.groups - 1; g >= 0 && ++at[g] == r.size[g]; g--)
            at[g] = 0;
    }
}

static void sum_on_host(job *j)
{
    on_host(j, false);
}

static void product_on_host(job *j)
{
    on_host(j, true);
}

static void arg_extreme(job *j, bool largest)
{
    const operand *x = tf_in(j, 0);
    int64_t given = tf_host_int(j, tf_in(j, 1), "dimension");
    int axis = tf_axis(j, "dimension", given, x->rank);
    if (j->failed)
        return;
    int64_t outer = tf_count(axis, x->dims), n = x->dims[axis];
    int64_t inner = tf_count(x->rank - axis - 1, x->dims + axis + 1);
    if (n == 0) {
        tf_fail(j, TF_INVALID_ARGUMENT, "Reduction axis %d is empty in shape %s", axis,
                tf_shape(j, x->rank, x->dims));
        return;
    }
    int64_t *dims = tf_ints(j, x->rank);
    memcpy(dims, x->dims, (size_t)axis * sizeof *dims);
    memcpy(dims + axis, x->dims + axis + 1, (size_t)(x->rank - axis - 1) * sizeof *dims);
    const operand *y = tf_out(j, 0, j->k->type2, x->rank - 1, dims);
    if (y->count == 0)
        return;
    aclTensor *in = tf_shaped(j, x, 3, (int64_t[]){outer, n, inner});
    aclTensor *out = tf_shaped(j, y, 2, (int64_t[]){outer, inner});
    if (largest)
        TF_RUN(j, aclnnArgMax, in, 1, false, out);
    else
        TF_RUN(j, aclnnArgMin, in, 1, false, out);
}

static void arg_max(job *j)
{
    arg_extreme(j, true);
}

static void arg_min(job *j)
{
    arg_extreme(j, false);
}

#define NUMBERS (T_FLOATS | T_INT64)
#define AXES                                                                                       \
    {                                                                                              \
        "reduction_indices"                                                                        \
    }
#define AXES_ON_HOST                                                                               \
    {                                                                                              \
        "reduction_indices", "input", "output"                                                     \
    }

const kernel_def tf_kernels_reduce[] = {
    {"Sum", "T", NUMBERS, sum, reduce_prepare, .host = AXES},
    {"Sum", "T", T_INT32, sum_on_host, reduce_prepare, .host = AXES_ON_HOST, .on_host = true},
    {"Prod", "T", NUMBERS, product, reduce_prepare, .host = AXES},
    {"Prod", "T", T_INT32, product_on_host, reduce_prepare, .host = AXES_ON_HOST, .on_host = true},
    {"Mean", "T", T_FLOATS, mean, reduce_prepare, .host = AXES},
    {"Max", "T", NUMBERS, maximum, reduce_prepare, .host = AXES},
    {"Min", "T", NUMBERS, minimum, reduce_prepare, .host = AXES},
    {"All", NULL, 0, all, reduce_prepare, .host = AXES},
    {"Any", NULL, 0, any, reduce_prepare, .host = AXES},
    {"ArgMax", "T", T_FLOATS | T_INT32 | T_INT64, arg_max, NULL, "output_type", T_INT32 | T_INT64,
     .host = {"dimension"}},
    {"ArgMin", "T", T_FLOATS | T_INT32 | T_INT64, arg_min, NULL, "output_type", T_INT32 | T_INT64,
     .host = {"dimension"}},
    {NULL},
};
