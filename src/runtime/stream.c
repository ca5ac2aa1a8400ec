/* Streams as AscendCL has them; queue.c runs them. */
#include "runtime/internal.h"

#include <stdlib.h>

static bool init_slot(void *slot)
{
    sa_stream *s = slot;
    return sa_cond_init(&s->changed);
}

sa_table sa_streams = {.kind = 2,
                       .slot_bytes = sizeof(sa_stream),
                       .init = init_slot,
                       .lock = PTHREAD_MUTEX_INITIALIZER};

aclError sa_stream_new(aclrtContext context, int device, bool is_default, uint32_t flags,
                       aclrtStream *stream)
{
    sa_stream *s = sa_table_take(&sa_streams);
    if (!s)
        return sa_fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "no memory or number left for a stream");
    s->context = context;
    s->device = device;
    s->is_default = is_default;
    s->flags = flags;
    s->stop_on_failure = s->closing = s->subscribed = false;
    *stream = sa_object_handle(s);
    sa_object_unlock(s);
    return ACL_SUCCESS;
}

static void end_locked(sa_stream *s, bool force)
{
    s->closing = true;
    if (force || s->late)
        sa_stream_drain(s);
    else
        sa_stream_wait(s, s->enqueued, NULL);
    while (s->spare) {
        sa_task *task = s->spare;
        s->spare = task->next;
        free(task);
    }
    s->spares = 0;
    sa_stream_unsubscribe(s);
    s->error = ACL_SUCCESS;
    free(s->message);
    s->message = NULL;
    sa_table_give(&sa_streams, s);
}

aclError sa_stream_end(aclrtStream stream, bool force)
{
    aclError code;
    sa_stream *s = sa_stream_enter(stream, "destroy stream", &code);
    if (!s)
        return code;
    if (s->is_default)
        code = sa_fail(ACL_ERROR_INVALID_PARAM,
                       "destroy stream: a context's default stream ends with its context");
    else
        code = sa_check_inside("destroy stream");
    if (code)
        sa_object_unlock(s);
    else
        end_locked(s, force);
    return code;
}

void sa_streams_end(aclrtContext context)
{
    for (uint32_t i = 0; i < sa_table_slots(&sa_streams); i++) {
        sa_stream *s = sa_table_at(&sa_streams, i);
        if (!s)
            continue;
        if (s->context == context && !s->closing)
            end_locked(s, false);
        else
            sa_object_unlock(s);
    }
}

sa_stream *sa_stream_enter(aclrtStream handle, const char *what, aclError *code)
{
    sa_context *c = sa_context_current(code);
    if (!c)
        return NULL;
    sa_stream *s = sa_table_lock(&sa_streams, handle ? handle : c->default_stream);
    if (!s) {
        *code = sa_fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: %p is no stream", what, handle);
        return NULL;
    }
    if (s->closing)
        *code =
            sa_fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: stream %p is being destroyed", what, handle);
    else if (s->context != sa_object_handle(c))
        *code = sa_fail(ACL_ERROR_RT_STREAM_CONTEXT,
                        "%s: stream %p belongs to another context than the thread's current one",
                        what, handle);
    if (!*code)
        return s;
    sa_object_unlock(s);
    return NULL;
}

aclError sa_streams_wait(int device, aclrtContext context, const struct timespec *deadline)
{
    aclError first = ACL_SUCCESS;
    for (uint32_t i = 0; i < sa_table_slots(&sa_streams); i++) {
        sa_stream *s = sa_table_at(&sa_streams, i);
        if (!s)
            continue;
        if ((device >= 0 ? s->device == device : s->context == context)) {
            aclrtStream handle = sa_object_handle(s);
            aclError code = sa_stream_wait(s, s->enqueued, deadline);
            if (code) {
                sa_stream_late(s);
                sa_object_unlock(s);
                return code;
            }
            if (sa_object_handle(s) == handle && !first)
                first = sa_stream_report(s);
        }
        sa_object_unlock(s);
    }
    return first;
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    aclError code;
    if (!stream)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "create stream: stream is null");
    if (priority > 7 || flag & ~(ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC))
        return sa_fail(ACL_ERROR_INVALID_PARAM,
                       "create stream: priority %u, flag %#x (0 to 7, ACL_STREAM_FAST_*)", priority,
                       flag);
    sa_context *c = sa_context_current(&code);
    if (!c)
        return code;
    return sa_stream_new(sa_object_handle(c), c->device, false, flag, stream);
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    return aclrtCreateStreamWithConfig(stream, 0, 0);
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    if (!stream)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtDestroyStream: stream is null");
    return sa_stream_end(stream, false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    if (!stream)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtDestroyStreamForce: stream is null");
    return sa_stream_end(stream, true);
}

static aclError synchronize(aclrtStream stream, const struct timespec *deadline)
{
    aclError code;
    sa_stream *s = sa_stream_enter(stream, "synchronise stream", &code);
    if (!s)
        return code;
    aclrtStream self = sa_object_handle(s);
    code = sa_check_inside("synchronise stream");
    if (!code)
        code = sa_stream_wait(s, s->enqueued, deadline);
    if (code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
        sa_stream_late(s);
    else if (!code && sa_object_handle(s) == self) /* nobody destroyed it meanwhile */
        code = sa_stream_report(s);
    sa_object_unlock(s);
    return code;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    return synchronize(stream, NULL);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    if (timeout < -1)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "synchronise stream: timeout is %d", timeout);
    if (timeout == -1)
        return synchronize(stream, NULL);
    struct timespec deadline = sa_deadline(timeout);
    return synchronize(stream, &deadline);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    aclError code;
    if (!status)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtStreamQuery: status is null");
    sa_stream *s = sa_stream_enter(stream, "query stream", &code);
    if (!s)
        return code;
    sa_stream_schedule(s);
    *status = s->done == s->enqueued ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    sa_object_unlock(s);
    return ACL_SUCCESS;
}

aclError aclrtStreamAbort(aclrtStream stream)
{
    aclError code;
    sa_stream *s = sa_stream_enter(stream, "abort stream", &code);
    if (!s)
        return code;
    code = sa_check_inside("abort stream");
    if (!code)
        sa_stream_drain(s);
    sa_object_unlock(s);
    return code;
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    aclError code;
    if (mode > ACL_STOP_ON_FAILURE)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "set stream failure mode: mode is %llu",
                       (unsigned long long)mode);
    sa_stream *s = sa_stream_enter(stream, "set stream failure mode", &code);
    if (!s)
        return code;
    s->stop_on_failure = mode == ACL_STOP_ON_FAILURE;
    sa_object_unlock(s);
    return ACL_SUCCESS;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    aclError code;
    if (!streamId)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtStreamGetId: streamId is null");
    sa_stream *s = sa_stream_enter(stream, "get stream id", &code);
    if (!s)
        return code;
    *streamId = (int32_t)s->object.index;
    sa_object_unlock(s);
    return ACL_SUCCESS;
}
