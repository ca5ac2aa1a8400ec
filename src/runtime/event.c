/* Events: a record is a task; it completes when its stream gets there. A record is counted, so that
 * an event may be recorded again while others still wait for the earlier record. */
#include "runtime/internal.h"

sa_table sa_events = {.kind = 3, .slot_bytes = sizeof(sa_event), .lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t sa_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The event of a handle, locked. */
static sa_event *enter(aclrtEvent handle, const char *what, aclError *code)
{
    if (!handle)
        *code = sa_fail(ACL_ERROR_INVALID_PARAM, "%s: event is null", what);
    else
        *code = sa_runtime_check();
    if (*code)
        return NULL;
    sa_event *e = sa_table_lock(&sa_events, handle);
    if (e && !e->destroyed)
        return e;
    if (e)
        sa_object_unlock(e);
    *code = sa_fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: %p is no event", what, handle);
    return NULL;
}

/* Unlocks the event, or frees it if this was its last use. */
static void leave(sa_event *e)
{
    if (e->destroyed && !e->tasks)
        sa_table_give(&sa_events, e);
    else
        sa_object_unlock(e);
}

static bool complete(const sa_event *e)
{
    return e->recorded && e->completed == e->recorded && !e->reset;
}

/* A stream that waits for a record that is complete, taken out of the list; NULL if none does. */
static sa_stream *take_waiter(sa_event *e)
{
    sa_stream **at = &e->waiters, *s;
    while ((s = *at) && s->wanted > e->completed)
        at = &s->next_waiter;
    if (s) {
        *at = s->next_waiter;
        s->listed = false;
    }
    return s;
}

void sa_event_complete(sa_stream *s, const sa_task *task)
{
    sa_event *e = task->u.event.event;
    pthread_mutex_lock(&e->object.lock);
    if (task->u.event.record > e->completed)
        e->completed = task->u.event.record;
    e->reset = false;
    e->time_ns = sa_now_ns();
    sa_stream *woken;
    while ((woken = take_waiter(e))) {
        sa_object_unlock(e);
        sa_object_unlock(s);
        sa_stream_unblock(woken, e);
        pthread_mutex_lock(&s->object.lock);
        pthread_mutex_lock(&e->object.lock);
    }
    e->tasks--;
    leave(e);
}

void sa_event_clear(const sa_task *task)
{
    sa_event *e = task->u.event.event;
    pthread_mutex_lock(&e->object.lock);
    e->reset = true;
    e->tasks--;
    leave(e);
}

bool sa_event_wait(sa_stream *s, const sa_task *task)
{
    sa_event *e = task->u.event.event;
    for (;;) {
        pthread_mutex_lock(&e->object.lock);
        bool done = e->completed >= task->u.event.record;
        if (!done) {
            s->blocked = true;
            s->blocked_on = e;
            if (!s->listed) {
                s->listed = true;
                s->wanted = task->u.event.record;
                s->next_waiter = e->waiters;
                e->waiters = s;
            }
        }
        sa_object_unlock(e);
        if (done)
            return true;
        /* This thread still counts as running the stream, so nobody else goes on meanwhile. */
        sa_object_unlock(s);
        sa_stream_kick(task->u.event.stream);
        pthread_mutex_lock(&s->object.lock);
        if (s->blocked || s->draining)
            return s->draining;
    }
}

void sa_event_release(const sa_task *task)
{
    sa_event *e = task->u.event.event;
    pthread_mutex_lock(&e->object.lock);
    e->tasks--;
    leave(e);
}

void sa_event_forget(sa_stream *s)
{
    sa_event *e = s->blocked_on;
    if (!e)
        return;
    pthread_mutex_lock(&e->object.lock);
    if (s->listed) {
        sa_stream **at = &e->waiters;
        while (*at != s)
            at = &(*at)->next_waiter;
        *at = s->next_waiter;
        s->listed = false;
    }
    sa_object_unlock(e);
}

void sa_events_end(void)
{
    for (uint32_t i = 0; i < sa_table_slots(&sa_events); i++) {
        sa_event *e = sa_table_at(&sa_events, i);
        if (!e)
            continue;
        e->destroyed = true;
        leave(e);
    }
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    aclError code;
    if (!event)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "create event: event is null");
    if (!flag || flag & ~(ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE))
        return sa_fail(ACL_ERROR_INVALID_PARAM, "create event: flag %#x", flag);
    if (!sa_context_current(&code))
        return code;
    sa_event *e = sa_table_take(&sa_events);
    if (!e)
        return sa_fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "no memory or number left for an event");
    e->flags = flag;
    e->tasks = 0;
    e->destroyed = e->reset = false;
    e->recorded = e->completed = 0;
    e->stream = NULL;
    *event = sa_object_handle(e);
    sa_object_unlock(e);
    return ACL_SUCCESS;
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    return aclrtCreateEventWithFlag(event, flag);
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
    return aclrtCreateEventWithFlag(event, ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS |
                                               ACL_EVENT_TIME_LINE);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    aclError code;
    sa_event *e = enter(event, "aclrtDestroyEvent", &code);
    if (!e)
        return code;
    e->destroyed = true;
    leave(e);
    return ACL_SUCCESS;
}

/* Appends a record or a reset. */
static aclError enqueue(aclrtEvent event, aclrtStream stream, sa_task_kind kind, const char *what)
{
    aclError code;
    if (!event)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "%s: event is null", what);
    sa_stream *s = sa_stream_enter(stream, what, &code);
    if (!s)
        return code;
    sa_task *task = sa_task_new(s, kind);
    if (!task) {
        sa_object_unlock(s);
        return sa_no_memory(what);
    }
    sa_event *e = enter(event, what, &code);
    if (!e) {
        sa_task_drop(s, task);
        sa_object_unlock(s);
        return code;
    }
    if (kind == SA_TASK_RECORD) {
        e->recorded++;
        e->stream = sa_object_handle(s);
        e->task = s->enqueued + 1;
    }
    e->tasks++;
    task->u.event.event = e;
    task->u.event.record = e->recorded;
    sa_object_unlock(e);
    sa_stream_push(s, task, false);
    return ACL_SUCCESS;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    return enqueue(event, stream, SA_TASK_RECORD, "aclrtRecordEvent");
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    return enqueue(event, stream, SA_TASK_RESET, "aclrtResetEvent");
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    aclError code;
    sa_event *e = enter(event, "aclrtStreamWaitEvent", &code);
    if (!e)
        return code;
    struct sa_task wanted = {.u.event = {e, e->recorded, e->stream}};
    e->tasks++;
    sa_object_unlock(e);
    sa_stream *s = sa_stream_enter(stream, "aclrtStreamWaitEvent", &code);
    if (s) {
        sa_task *task = sa_task_new(s, SA_TASK_WAIT);
        if (task) {
            task->u.event = wanted.u.event;
            sa_stream_push(s, task, false);
            return ACL_SUCCESS;
        }
        sa_object_unlock(s);
        code = sa_no_memory("aclrtStreamWaitEvent");
    }
    sa_event_release(&wanted);
    return code;
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    aclError code;
    if (timeout < -1)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "synchronise event: timeout is %d", timeout);
    struct timespec deadline = sa_deadline(timeout);
    sa_event *e = enter(event, "synchronise event", &code);
    if (!e)
        return code;
    aclrtStream stream = e->stream;
    uint64_t task = e->task;
    sa_object_unlock(e);
    sa_stream *s = stream ? sa_table_lock(&sa_streams, stream) : NULL;
    if (!s) /* never recorded, or the stream ended, its work done */
        return ACL_SUCCESS;
    code = sa_check_inside("synchronise event");
    if (!code && sa_stream_wait(s, task, timeout < 0 ? NULL : &deadline))
        code = sa_fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "synchronise event: the time is over");
    sa_object_unlock(s);
    return code;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    return aclrtSynchronizeEventWithTimeout(event, -1);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    aclError code;
    if (!status)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "query event: status is null");
    sa_event *e = enter(event, "query event", &code);
    if (!e)
        return code;
    bool done = complete(e);
    aclrtStream stream = e->stream;
    sa_object_unlock(e);
    if (!done && stream)
        sa_stream_kick(stream);
    *status = done ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    aclrtEventRecordedStatus recorded;
    if (!status)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "query event: status is null");
    aclError code = aclrtQueryEventStatus(event, &recorded);
    if (!code)
        *status = recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE ? ACL_EVENT_STATUS_COMPLETE
                                                                 : ACL_EVENT_STATUS_NOT_READY;
    return code;
}

static aclError time_of(aclrtEvent event, uint64_t *time_ns)
{
    aclError code;
    sa_event *e = enter(event, "event elapsed time", &code);
    if (!e)
        return code;
    if (!(e->flags & ACL_EVENT_TIME_LINE))
        code =
            sa_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                    "event elapsed time: event %p was created without ACL_EVENT_TIME_LINE", event);
    else if (!complete(e))
        code = sa_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                       "event elapsed time: event %p is not recorded and complete: synchronise "
                       "first",
                       event);
    *time_ns = e->time_ns;
    sa_object_unlock(e);
    return code;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    uint64_t start, end;
    if (!ms)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "event elapsed time: ms is null");
    aclError code = time_of(startEvent, &start);
    if (code || (code = time_of(endEvent, &end)))
        return code;
    if (end < start)
        return sa_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
                       "event elapsed time: the end was recorded before the start");
    *ms = (float)((double)(end - start) / 1e6);
    return ACL_SUCCESS;
}
