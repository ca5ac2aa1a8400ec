/* aclTensor: a view of device memory, checked when it is made, so that operators need not doubt it.
 */
#include "ops/op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *sa_shape_text(char text[SA_SHAPE_TEXT], int rank, const int64_t *dims)
{
    size_t at = (size_t)snprintf(text, SA_SHAPE_TEXT, "[");
    for (int i = 0; i < rank; i++)
        at += (size_t)snprintf(text + at, SA_SHAPE_TEXT - at, i ? ", %lld" : "%lld",
                               (long long)dims[i]);
    snprintf(text + at, SA_SHAPE_TEXT - at, "]");
    return text;
}

bool sa_tensor_contiguous(const aclTensor *t)
{
    int64_t expected = 1;
    if (t->elements == 0)
        return true;
    for (int i = t->rank - 1; i >= 0; i--) {
        if (t->dims[i] != 1 && t->strides[i] != expected)
            return false;
        expected *= t->dims[i];
    }
    return true;
}

/* Copies a shape and multiplies it out; refuses negative dimensions and overflow. */
static aclnnStatus take_shape(const char *what, int64_t *to, const int64_t *dims, int rank,
                              int64_t *elements)
{
    char text[SA_SHAPE_TEXT];
    int64_t product = 1;
    bool empty = false, overflow = false;

    for (int i = 0; i < rank; i++) {
        to[i] = dims[i];
        if (dims[i] < 0)
            return sa_fail(ACLNN_ERR_PARAM_INVALID, "aclCreateTensor: %s %s: dimension %d is %lld",
                           what, sa_shape_text(text, rank, dims), i, (long long)dims[i]);
        if (dims[i] == 0)
            empty = true;
        else if (__builtin_mul_overflow(product, dims[i], &product))
            overflow = true;
    }
    if (overflow && !empty)
        return sa_fail(ACLNN_ERR_PARAM_INVALID,
                       "aclCreateTensor: %s %s has more elements than 64 bits count", what,
                       sa_shape_text(text, rank, dims));
    *elements = empty ? 0 : product;
    return ACLNN_SUCCESS;
}

/* Lowest and highest element that the view touches, counted from the start of its data. */
static bool view_extent(const aclTensor *t, int64_t *low, int64_t *high)
{
    *low = *high = t->offset;
    for (int i = 0; i < t->rank; i++) {
        int64_t reach;
        if (__builtin_mul_overflow(t->dims[i] - 1, t->strides[i], &reach) ||
            __builtin_add_overflow(reach < 0 ? *low : *high, reach, reach < 0 ? low : high))
            return false;
    }
    return true;
}

/* "shape [2, 3], strides [3, 1], offset 0", for messages. */
#define VIEW_TEXT (2 * SA_SHAPE_TEXT + 64)
static const char *view_text(char text[VIEW_TEXT], const aclTensor *t)
{
    char dims[SA_SHAPE_TEXT], strides[SA_SHAPE_TEXT];

    snprintf(text, VIEW_TEXT, "shape %s, strides %s, offset %lld",
             sa_shape_text(dims, t->rank, t->dims), sa_shape_text(strides, t->rank, t->strides),
             (long long)t->offset);
    return text;
}

static aclnnStatus check_extent(const aclTensor *t, bool storage_known, int64_t storage_elements)
{
    char view[VIEW_TEXT], storage[SA_SHAPE_TEXT];
    int64_t low, high, bytes;

    if (t->elements == 0)
        return ACLNN_SUCCESS;
    if (!view_extent(t, &low, &high) ||
        __builtin_mul_overflow(high, (int64_t)sa_dtype_bytes(t->dtype), &bytes) ||
        __builtin_add_overflow(bytes, (int64_t)sa_dtype_bytes(t->dtype), &bytes))
        return sa_fail(ACLNN_ERR_PARAM_INVALID,
                       "aclCreateTensor: %s: more bytes than 64 bits count", view_text(view, t));
    if (low < 0 || (storage_known && high >= storage_elements))
        return sa_fail(ACLNN_ERR_PARAM_INVALID,
                       "aclCreateTensor: %s touches elements %lld to %lld of a storage %s of %lld "
                       "elements",
                       view_text(view, t), (long long)low, (long long)high,
                       sa_shape_text(storage, t->storage_rank, t->storage_dims),
                       (long long)storage_elements);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_counts(const int64_t *viewDims, uint64_t viewDimsNum,
                                const int64_t *storageDims, uint64_t storageDimsNum,
                                aclDataType dataType)
{
    if (viewDimsNum > SA_MAX_RANK || storageDimsNum > SA_MAX_RANK)
        return sa_fail(
            ACLNN_ERR_PARAM_INVALID, "aclCreateTensor: rank %llu, the highest is %d",
            (unsigned long long)(viewDimsNum > SA_MAX_RANK ? viewDimsNum : storageDimsNum),
            SA_MAX_RANK);
    if ((!viewDims && viewDimsNum) || (!storageDims && storageDimsNum))
        return sa_fail(
            ACLNN_ERR_PARAM_NULLPTR, "aclCreateTensor: %s is NULL, its count is %llu",
            !viewDims && viewDimsNum ? "viewDims" : "storageDims",
            (unsigned long long)(!viewDims && viewDimsNum ? viewDimsNum : storageDimsNum));
    if (sa_dtype_bytes((sa_dtype)dataType) == 0)
        return sa_fail(ACLNN_ERR_PARAM_INVALID, "aclCreateTensor: unsupported data type %d",
                       (int)dataType);
    return ACLNN_SUCCESS;
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t *stride, int64_t offset, aclFormat format,
                           const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData)
{
    aclTensor *t = NULL;
    int64_t storage_elements = 0, expected = 1;

    if (check_counts(viewDims, viewDimsNum, storageDims, storageDimsNum, dataType))
        return NULL;
    t = malloc(sizeof *t);
    if (!t) {
        sa_fail(SA_ERR_OUT_OF_MEMORY, "aclCreateTensor: out of host memory");
        return NULL;
    }
    *t = (aclTensor){.rank = (int)viewDimsNum,
                     .storage_rank = (int)storageDimsNum,
                     .dtype = (sa_dtype)dataType,
                     .format = format,
                     .offset = offset,
                     .data = tensorData};
    if (take_shape("shape", t->dims, viewDims, t->rank, &t->elements) ||
        take_shape("storage", t->storage_dims, storageDims, t->storage_rank, &storage_elements))
        goto fail;
    for (int i = t->rank - 1; i >= 0; i--) {
        t->strides[i] = stride ? stride[i] : expected;
        if (t->dims[i] > 0 && t->elements > 0)
            expected *= t->dims[i];
    }
    if (check_extent(t, storageDims != NULL || t->rank == 0, storage_elements))
        goto fail;
    return t;
fail:
    free(t);
    return NULL;
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    if (!tensor)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "aclDestroyTensor: tensor is NULL");
    free((void *)tensor);
    return ACLNN_SUCCESS;
}

static aclnnStatus give_array(const char *function, const aclTensor *tensor, const int64_t *from,
                              int64_t **to, uint64_t *count)
{
    if (!tensor || !to || !count)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: an argument is NULL", function);
    *to = malloc(sizeof(int64_t) * (size_t)(tensor->rank ? tensor->rank : 1));
    if (!*to)
        return sa_fail(SA_ERR_OUT_OF_MEMORY, "%s: out of host memory", function);
    memcpy(*to, from, sizeof(int64_t) * (size_t)tensor->rank);
    *count = (uint64_t)tensor->rank;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)
{
    return give_array("aclGetViewShape", tensor, tensor ? tensor->dims : NULL, viewDims,
                      viewDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)
{
    return give_array("aclGetViewStrides", tensor, tensor ? tensor->strides : NULL, stridesValue,
                      stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)
{
    if (!tensor || !offset)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "aclGetViewOffset: an argument is NULL");
    *offset = tensor->offset;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType)
{
    if (!tensor || !dataType)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "aclGetDataType: an argument is NULL");
    *dataType = (aclDataType)tensor->dtype;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)
{
    if (!tensor || !format)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "aclGetFormat: an argument is NULL");
    *format = tensor->format;
    return ACLNN_SUCCESS;
}
