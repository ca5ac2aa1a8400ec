/* The refusals that operators share: each names the operator, the argument and the values. */
#include "ops/op.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

aclnnStatus sa_refuse(const char *op, const char *format, ...)
{
    char text[SA_MESSAGE_BYTES];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return sa_fail(ACLNN_ERR_PARAM_INVALID, "%s: %s", op, text);
}

aclnnStatus sa_check_pointer(const char *op, const char *arg, const void *pointer)
{
    return pointer ? ACLNN_SUCCESS : sa_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL", op, arg);
}

static aclnnStatus refuse_dtype(const char *op, const char *arg, sa_dtype dtype, uint64_t dtypes)
{
    char list[SA_MESSAGE_BYTES / 2] = "";

    for (int t = 0; t < SA_DTYPE_END; t++)
        if ((dtypes & SA_DTYPE_BIT(t)) && sa_dtype_bytes((sa_dtype)t)) {
            size_t at = strlen(list);
            snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "",
                     sa_dtype_name((sa_dtype)t));
        }
    return sa_refuse(op, "%s is %s, it must be one of: %s", arg, sa_dtype_name(dtype), list);
}

aclnnStatus sa_check_tensor(const char *op, const char *arg, const aclTensor *t, uint64_t dtypes)
{
    char text[SA_SHAPE_TEXT];

    if (!t)
        return sa_check_pointer(op, arg, t);
    if (!(dtypes & SA_DTYPE_BIT(t->dtype)))
        return refuse_dtype(op, arg, t->dtype, dtypes);
    const sa_chip *chip = t->dtype == SA_BF16 ? sa_chip_default() : NULL;
    if (chip && !chip->split)
        return sa_refuse(op,
                         "%s is bfloat16, which %s, a coupled chip, does not have; split chips "
                         "(Ascend910B) have: use float16 or float32",
                         arg, chip->name);
    if (!t->data && t->elements > 0)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s %s has no data", op, arg,
                       sa_shape_text(text, t->rank, t->dims));
    return ACLNN_SUCCESS;
}

aclnnStatus sa_check_output(const char *op, const char *arg, const aclTensor *t, uint64_t dtypes)
{
    char dims[SA_SHAPE_TEXT], strides[SA_SHAPE_TEXT];
    aclnnStatus status = sa_check_tensor(op, arg, t, dtypes);

    if (status || t->elements == 0)
        return status;
    for (int i = 0; i < t->rank; i++)
        if (t->dims[i] > 1 && t->strides[i] == 0)
            return sa_refuse(op, "%s %s with strides %s: elements of an output share an address",
                             arg, sa_shape_text(dims, t->rank, t->dims),
                             sa_shape_text(strides, t->rank, t->strides));
    return ACLNN_SUCCESS;
}

aclnnStatus sa_check_same_dtype(const char *op, const char *arg_a, const aclTensor *a,
                                const char *arg_b, const aclTensor *b)
{
    if (a->dtype == b->dtype)
        return ACLNN_SUCCESS;
    return sa_refuse(op, "dtypes differ: %s is %s, %s is %s", arg_a, sa_dtype_name(a->dtype), arg_b,
                     sa_dtype_name(b->dtype));
}

static bool same_dims(int rank_a, const int64_t *a, int rank_b, const int64_t *b)
{
    return rank_a == rank_b && memcmp(a, b, sizeof *a * (size_t)rank_a) == 0;
}

aclnnStatus sa_check_same_shape(const char *op, const char *arg_a, const aclTensor *a,
                                const char *arg_b, const aclTensor *b)
{
    char text_a[SA_SHAPE_TEXT], text_b[SA_SHAPE_TEXT];

    if (same_dims(a->rank, a->dims, b->rank, b->dims))
        return ACLNN_SUCCESS;
    return sa_refuse(op, "shapes differ: %s is %s, %s is %s", arg_a,
                     sa_shape_text(text_a, a->rank, a->dims), arg_b,
                     sa_shape_text(text_b, b->rank, b->dims));
}

aclnnStatus sa_check_shape(const char *op, const char *arg, const aclTensor *t, int rank,
                           const int64_t *dims)
{
    char have[SA_SHAPE_TEXT], want[SA_SHAPE_TEXT];

    if (same_dims(t->rank, t->dims, rank, dims))
        return ACLNN_SUCCESS;
    return sa_refuse(op, "%s is %s, it must be %s", arg, sa_shape_text(have, t->rank, t->dims),
                     sa_shape_text(want, rank, dims));
}

aclnnStatus sa_check_rank(const char *op, const char *arg, const aclTensor *t, int low, int high)
{
    char text[SA_SHAPE_TEXT];

    if (low <= t->rank && t->rank <= high)
        return ACLNN_SUCCESS;
    sa_shape_text(text, t->rank, t->dims);
    if (low == high)
        return sa_refuse(op, "%s is %s of rank %d, it must be of rank %d", arg, text, t->rank, low);
    return sa_refuse(op, "%s is %s of rank %d, it must be of rank %d to %d", arg, text, t->rank,
                     low, high);
}

aclnnStatus sa_check_dim(const char *op, const char *arg, int64_t dim, int rank, int *out)
{
    int dims = rank > 0 ? rank : 1;

    if (-dims <= dim && dim < dims) {
        *out = (int)(dim < 0 ? dim + dims : dim);
        return ACLNN_SUCCESS;
    }
    return sa_refuse(op, "%s is %lld, it must lie in [%d, %d]", arg, (long long)dim, -dims,
                     dims - 1);
}
