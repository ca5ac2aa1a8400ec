/* aclrtMalloc and friends. */
#include "runtime/heap.h"
#include "runtime/internal.h"

static aclError device_malloc(const char *what, void **devPtr, size_t size,
                              aclrtMemMallocPolicy policy)
{
    aclError code;
    if (!devPtr || !size)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "%s: devPtr %s, size %zu", what,
                       devPtr ? "given" : "null", size);
    if ((int)policy < ACL_MEM_MALLOC_HUGE_FIRST || policy > ACL_MEM_MALLOC_NORMAL_ONLY_P2P)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "%s: policy is %d", what, policy);
    sa_context *c = sa_context_current(&code);
    if (!c)
        return code;
    bool normal = policy == ACL_MEM_MALLOC_NORMAL_ONLY || policy == ACL_MEM_MALLOC_NORMAL_ONLY_P2P;
    return sa_heap_take(c->device, size, !normal, false, devPtr);
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return device_malloc("aclrtMalloc", devPtr, size, policy);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return device_malloc("aclrtMallocAlign32", devPtr, size, policy);
}

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return device_malloc("aclrtMallocCached", devPtr, size, policy);
}

/* The host sees device memory through the same caches as the device does. */
static aclError cache_nothing(const char *what, void *devPtr, size_t size)
{
    aclError code;
    if (!devPtr || !size)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "%s: devPtr %p, size %zu", what, devPtr, size);
    return sa_context_current(&code) ? ACL_SUCCESS : code;
}

aclError aclrtMemFlush(void *devPtr, size_t size)
{
    return cache_nothing("aclrtMemFlush", devPtr, size);
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
    return cache_nothing("aclrtMemInvalidate", devPtr, size);
}

aclError aclrtFree(void *devPtr)
{
    if (!devPtr)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtFree: devPtr is null");
    aclError code = sa_runtime_check();
    if (code)
        return code;
    if (!sa_heap_give(SA_HEAP_DEVICE, devPtr))
        return sa_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "aclrtFree: %p is not the start of a device allocation (freed twice, or "
                       "shared, which sa_unified_free frees?)",
                       devPtr);
    return ACL_SUCCESS;
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    if (!hostPtr || !size)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: hostPtr %s, size %zu",
                       hostPtr ? "given" : "null", size);
    aclError code;
    if (!sa_context_current(&code))
        return code;
    return sa_heap_take(SA_HOST, size, false, false, hostPtr);
}

aclError aclrtFreeHost(void *hostPtr)
{
    if (!hostPtr)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtFreeHost: hostPtr is null");
    aclError code = sa_runtime_check();
    if (code)
        return code;
    if (!sa_heap_give(SA_HEAP_HOST, hostPtr))
        return sa_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "aclrtFreeHost: %p is not from aclrtMallocHost (freed twice?)", hostPtr);
    return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    aclError code;
    if (!free || !total || (int)attr < ACL_DDR_MEM || attr > ACL_HBM_MEM_P2P_NORMAL)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetMemInfo: attribute %d, free %s, total %s",
                       attr, free ? "given" : "null", total ? "given" : "null");
    sa_context *c = sa_context_current(&code);
    if (!c)
        return code;
    sa_device_memory(c->device, free, total);
    return ACL_SUCCESS;
}
