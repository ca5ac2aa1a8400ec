/* aclDataBuffer: an address and a length; and the sizes of element types. */
#include "acl/acl_base.h"
#include "softascend/dtype.h"
#include "softascend/status.h"

#include <stdlib.h>

struct aclDataBuffer {
    void *data;
    size_t size;
};

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
    aclDataBuffer *buffer = malloc(sizeof *buffer);
    if (!buffer) {
        sa_fail(ACL_ERROR_BAD_ALLOC, "aclCreateDataBuffer: out of memory");
        return NULL;
    }
    buffer->data = data;
    buffer->size = size;
    return buffer;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
    if (!dataBuffer)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclDestroyDataBuffer: dataBuffer is null");
    free((void *)dataBuffer);
    return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
    if (!dataBuffer)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclUpdateDataBuffer: dataBuffer is null");
    dataBuffer->data = data;
    dataBuffer->size = size;
    return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? dataBuffer->data : NULL;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? dataBuffer->size : 0;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)
{
    return (uint32_t)aclGetDataBufferSizeV2(dataBuffer);
}

size_t aclDataTypeSize(aclDataType dataType)
{
    switch (dataType) {
    case ACL_COMPLEX32:
        return 4;
    case ACL_COMPLEX64:
        return 8;
    case ACL_COMPLEX128:
        return 16;
    default:
        return sa_dtype_bytes((sa_dtype)dataType);
    }
}
