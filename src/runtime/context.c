/* Contexts: a device with its default stream, current per thread. */
#include "runtime/internal.h"

sa_table sa_contexts = {
    .kind = 1, .slot_bytes = sizeof(sa_context), .lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local aclrtContext current;

void sa_context_make_current(aclrtContext context)
{
    current = context;
}

sa_context *sa_context_current(aclError *code)
{
    *code = sa_runtime_check();
    if (*code)
        return NULL;
    sa_context *c = sa_table_peek(&sa_contexts, current);
    if (!c)
        *code = sa_fail(ACL_ERROR_RT_CONTEXT_NULL,
                        current ? "this thread's current context was destroyed: set another one"
                                : "this thread has no current context: call aclrtSetDevice or "
                                  "aclrtSetCurrentContext first");
    return c;
}

aclError sa_context_new(int device, bool is_default, aclrtContext *context)
{
    *context = NULL;
    sa_context *c = sa_table_take(&sa_contexts);
    if (!c)
        return sa_no_memory("a context");
    c->device = device;
    c->is_default = is_default;
    aclError code = sa_stream_new(sa_object_handle(c), device, true, ACL_STREAM_FAST_LAUNCH,
                                  &c->default_stream);
    if (code) {
        sa_table_give(&sa_contexts, c);
        return code;
    }
    *context = sa_object_handle(c);
    sa_object_unlock(c);
    return ACL_SUCCESS;
}

aclError sa_context_end(aclrtContext context)
{
    sa_streams_end(context);
    sa_context *c = sa_table_lock(&sa_contexts, context);
    if (!c)
        return sa_fail(ACL_ERROR_RT_INVALID_HANDLE, "context %p does not exist", context);
    sa_table_give(&sa_contexts, c);
    sa_streams_end(context); /* what another thread created meanwhile */
    return ACL_SUCCESS;
}

void sa_contexts_end(void)
{
    for (uint32_t i = 0; i < sa_table_slots(&sa_contexts); i++) {
        sa_context *c = sa_table_at(&sa_contexts, i);
        if (!c)
            continue;
        aclrtContext handle = sa_object_handle(c);
        sa_object_unlock(c);
        sa_context_end(handle);
    }
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    if (!context)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateContext: context is null");
    aclError code = sa_runtime_check();
    if (code || (code = sa_device_check(deviceId)) ||
        (code = sa_context_new(deviceId, false, context)))
        return code;
    current = *context;
    return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context)
{
    if (!context)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtDestroyContext: context is null");
    aclError code = sa_runtime_check();
    if (code || (code = sa_check_inside("aclrtDestroyContext")))
        return code;
    sa_context *c = sa_table_lock(&sa_contexts, context);
    if (!c)
        return sa_fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtDestroyContext: %p is no context",
                       context);
    bool is_default = c->is_default;
    sa_object_unlock(c);
    if (is_default)
        return sa_fail(ACL_ERROR_INVALID_PARAM,
                       "aclrtDestroyContext: a device's default context ends with "
                       "aclrtResetDevice");
    code = sa_context_end(context);
    if (!code && current == context)
        current = NULL;
    return code;
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    if (!context)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtSetCurrentContext: context is null");
    aclError code = sa_runtime_check();
    if (code)
        return code;
    if (!sa_table_peek(&sa_contexts, context))
        return sa_fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtSetCurrentContext: %p is no context",
                       context);
    current = context;
    return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    aclError code;
    if (!context)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetCurrentContext: context is null");
    if (!sa_context_current(&code))
        return code;
    *context = current;
    return ACL_SUCCESS;
}
