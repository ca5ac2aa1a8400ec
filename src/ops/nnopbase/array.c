/* aclIntArray, aclFloatArray, aclBoolArray: counted copies of a caller's array; aclTensorList. */
#include "ops/op.h"

#include <stdlib.h>
#include <string.h>

static void *make(const char *function, size_t head, const void *value, uint64_t size, size_t item)
{
    uint64_t *array;
    size_t bytes;

    if (!value && size) {
        sa_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: value is NULL, size is %llu", function,
                (unsigned long long)size);
        return NULL;
    }
    if (__builtin_mul_overflow(size, item, &bytes) || __builtin_add_overflow(bytes, head, &bytes)) {
        sa_fail(ACLNN_ERR_PARAM_INVALID, "%s: size %llu is more than memory holds", function,
                (unsigned long long)size);
        return NULL;
    }
    array = malloc(bytes);
    if (!array) {
        sa_fail(SA_ERR_OUT_OF_MEMORY, "%s: out of host memory (%zu bytes)", function, bytes);
        return NULL;
    }
    *array = size; /* every kind begins with its size */
    if (size)
        memcpy((char *)array + head, value, bytes - head);
    return array;
}

static aclnnStatus destroy(const char *function, const void *array)
{
    if (!array)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: the argument is NULL", function);
    free((void *)array);
    return ACLNN_SUCCESS;
}

static aclnnStatus give_size(const char *function, const uint64_t *array, uint64_t *size)
{
    if (!array || !size)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: an argument is NULL", function);
    *size = *array;
    return ACLNN_SUCCESS;
}

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)
{
    return make("aclCreateIntArray", offsetof(aclIntArray, value), value, size, sizeof *value);
}

aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)
{
    return make("aclCreateFloatArray", offsetof(aclFloatArray, value), value, size, sizeof *value);
}

aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)
{
    return make("aclCreateBoolArray", offsetof(aclBoolArray, value), value, size, sizeof *value);
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array)
{
    return destroy("aclDestroyIntArray", array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray *array)
{
    return destroy("aclDestroyFloatArray", array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray *array)
{
    return destroy("aclDestroyBoolArray", array);
}

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)
{
    return give_size("aclGetIntArraySize", array ? &array->size : NULL, size);
}

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
{
    for (uint64_t i = 0; value && i < size; i++)
        if (!value[i]) {
            sa_fail(ACLNN_ERR_PARAM_NULLPTR, "aclCreateTensorList: tensor %llu is NULL",
                    (unsigned long long)i);
            return NULL;
        }
    return make("aclCreateTensorList", offsetof(aclTensorList, value), value, size, sizeof *value);
}

aclnnStatus aclDestroyTensorList(const aclTensorList *list)
{
    for (uint64_t i = 0; list && i < list->size; i++)
        aclDestroyTensor(list->value[i]);
    return destroy("aclDestroyTensorList", list);
}

aclnnStatus aclGetTensorListSize(const aclTensorList *list, uint64_t *size)
{
    return give_size("aclGetTensorListSize", list ? &list->size : NULL, size);
}
