/* Unified memory: one allocation that host and device both address, so that nothing is copied
 * between them. An extension of ours, exported by libascendcl beside AscendCL's public calls; all
 * functions answer an aclError, and a failure leaves a text for aclGetRecentErrMsg.
 *
 * A shared pointer may be given wherever device memory is asked for (aclnn tensors, kernels,
 * workspaces) and, in the copies and sets of AscendCL, for either side. The host may read and write
 * it whenever no task that uses it is under way: synchronise the stream first. */
#ifndef SOFTASCEND_UNIFIED_H
#define SOFTASCEND_UNIFIED_H

#include "softascend/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `bytes` > 0, aligned to 512, uninitialised, charged to the current context's device; pages are
 * committed when they are first used or prefetched. 107002: no context. 207001: the device or the
 * host has no more. */
SA_API int sa_unified_allocate_shared(void **pointer, size_t bytes);

/* `pointer` is what sa_unified_allocate_shared gave. Tasks that use it must be over, but prefetches
 * need not. 107000: it is no such pointer, or was freed before. aclrtFree refuses shared memory. */
SA_API int sa_unified_free(void *pointer);

/* A task in the order of `stream` (NULL: the current context's default stream): commits the pages
 * of [pointer, pointer + bytes) and brings its lines into the caches that the cores read through,
 * on as many threads as it is worth. The range lies anywhere in one shared allocation. 107000: it
 * does not, or that was freed; 100000: it is longer than what is left there, or empty. */
SA_API int sa_unified_prefetch_to_device(void *pointer, size_t bytes, void *stream);

/* The same on the way back: when it is over, so is what came before it in the stream, and the lines
 * are where the host reads. */
SA_API int sa_unified_prefetch_to_host(void *pointer, size_t bytes, void *stream);

/* Whether `pointer` lies in a shared allocation, and of which device (`device` may be NULL; -1 if
 * it does not). */
SA_API int sa_unified_query(const void *pointer, bool *shared, int32_t *device);

#ifdef __cplusplus
}

#include "acl/acl.h"

#include <stdexcept>
#include <string>

/* The same two calls by the names of UnifiedMemoryManager; a failure throws std::runtime_error. */
class UnifiedMemoryManager
{
  public:
    static void *AllocateShared(size_t size)
    {
        void *pointer = nullptr;
        Check(sa_unified_allocate_shared(&pointer, size));
        return pointer;
    }
    static void PrefetchToDevice(void *pointer, size_t size, aclrtStream stream = nullptr)
    {
        Check(sa_unified_prefetch_to_device(pointer, size, stream));
    }
    static void Free(void *pointer) { Check(sa_unified_free(pointer)); }

  private:
    static void Check(int code)
    {
        if (code == ACL_SUCCESS)
            return;
        const char *text = aclGetRecentErrMsg();
        throw std::runtime_error(text ? text : "AscendCL answered " + std::to_string(code));
    }
};
#endif

#endif
