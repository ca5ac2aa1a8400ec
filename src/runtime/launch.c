/* Launches: kernels of ours, and the public door for kernels in device binaries. */
#include "runtime/internal.h"

#include <stdlib.h>
#include <string.h>

aclError sa_stream_launch(aclrtStream stream, sa_kernel kernel, const char *name, uint32_t blocks,
                          sa_core_type type, const void *args, size_t args_bytes)
{
    aclError code;
    void *large = NULL;
    if (!name)
        name = "kernel";
    if (!kernel || blocks < 1 || blocks > 65535 || (unsigned)type > SA_MIX_1_2 ||
        (args_bytes && !args) || args_bytes > SIZE_MAX / 2)
        return sa_fail(ACL_ERROR_INVALID_PARAM,
                       "launch %s: kernel %s, %u blocks (1 to 65535), core type %d, %zu bytes of "
                       "arguments at %p",
                       name, kernel ? "given" : "null", blocks, type, args_bytes, args);
    if (args_bytes > SA_INLINE_ARGS) {
        large = aligned_alloc(64, (args_bytes + 63) & ~(size_t)63);
        if (!large)
            return sa_no_memory("a launch's arguments");
        memcpy(large, args, args_bytes);
    }
    sa_stream *s = sa_stream_enter(stream, name, &code);
    if (!s) {
        free(large);
        return code;
    }
    sa_task *task = sa_task_new(s, SA_TASK_KERNEL);
    if (!task) {
        sa_object_unlock(s);
        free(large);
        return sa_no_memory("a launch");
    }
    task->u.launch.kernel = kernel;
    task->u.launch.name = name;
    task->u.launch.blocks = blocks;
    task->u.launch.type = type;
    task->u.launch.large = large;
    if (!large && args_bytes)
        memcpy(task->args, args, args_bytes);
    sa_stream_push(s, task, false);
    return ACL_SUCCESS;
}

static aclError no_binaries(const char *what)
{
    return sa_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "%s: device binaries run on real cards only; here a kernel is compiled for the "
                   "host and launched by its own address",
                   what);
}

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle)
{
    (void)options;
    if (!binPath || !binHandle)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtBinaryLoadFromFile: null pointer");
    return no_binaries("aclrtBinaryLoadFromFile");
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
                                aclrtFuncHandle *funcHandle)
{
    if (!binHandle || !kernelName || !funcHandle)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtBinaryGetFunction: null pointer");
    return no_binaries("aclrtBinaryGetFunction");
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
    if (!binHandle)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtBinaryUnLoad: null pointer");
    return no_binaries("aclrtBinaryUnLoad");
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t blockDim, const void *argsData,
                           size_t argsSize, aclrtStream stream)
{
    (void)blockDim, (void)argsSize, (void)stream;
    if (!funcHandle || !argsData)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtLaunchKernel: null pointer");
    return no_binaries("aclrtLaunchKernel");
}
