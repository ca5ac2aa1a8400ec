/* A stream's queue: in order, one task at a time, on whichever thread gets to it first.
 *
 * A thread that synchronises runs the tasks itself; otherwise a dispatcher does. `running` says
 * that some thread is in the head task, `blocked` that the head waits for an event or a callback;
 * with neither set, whoever holds the lock may go on. */
#include "runtime/internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    LAZY_DEPTH = 256, /* a lazy stream with more tasks is started */
    DRAIN_MS = 10,    /* between looks at a kernel that shall stop */
};

aclError sa_no_memory(const char *what)
{
    return sa_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory left for %s", what);
}

struct timespec sa_deadline(int32_t timeout_ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (timeout_ms > 0) {
        t.tv_sec += timeout_ms / 1000;
        t.tv_nsec += timeout_ms % 1000 * 1000000L;
        if (t.tv_nsec >= 1000000000L) {
            t.tv_sec++;
            t.tv_nsec -= 1000000000L;
        }
    }
    return t;
}

bool sa_cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic))
        return false;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    bool ok = !pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return ok;
}

sa_task *sa_task_new(sa_stream *s, sa_task_kind kind)
{
    sa_task *task = s->spare;
    if (task) {
        s->spare = task->next;
        s->spares--;
    } else if (!(task = aligned_alloc(_Alignof(sa_task), sizeof *task))) {
        return NULL;
    }
    task->next = NULL;
    task->kind = kind;
    memset(&task->u, 0, sizeof task->u);
    return task;
}

void sa_task_drop(sa_stream *s, sa_task *task)
{
    if (task->kind == SA_TASK_KERNEL)
        free(task->u.launch.large);
    if (s->spares < SA_SPARE_TASKS) {
        task->next = s->spare;
        s->spare = task;
        s->spares++;
    } else {
        free(task);
    }
}

static void clear_error(sa_stream *s)
{
    s->error = ACL_SUCCESS;
    s->reported = false;
    free(s->message);
    s->message = NULL;
}

void sa_stream_fail(sa_stream *s, aclError code, const char *message)
{
    if (s->error || s->draining)
        return;
    s->error = code;
    s->reported = false;
    s->message = strdup(message); /* NULL: the code alone */
}

aclError sa_stream_report(sa_stream *s)
{
    if (!s->error)
        return ACL_SUCCESS;
    s->reported = true;
    return sa_fail(s->error, "%s", s->message ? s->message : "a task of the stream failed");
}

void sa_stream_schedule(sa_stream *s)
{
    if (!s->head)
        return;
    s->eager = true;
    if (s->queued || s->running || s->blocked)
        return;
    s->queued = true;
    if (!sa_dispatch(s)) {
        s->queued = false;
        sa_stream_run(s, UINT64_MAX, INT_MAX);
    }
}

void sa_stream_push(sa_stream *s, sa_task *task, bool now)
{
    if (s->error && s->reported && !s->stop_on_failure)
        clear_error(s);
    if (s->tail)
        s->tail->next = task;
    else
        s->head = task;
    s->tail = task;
    s->enqueued++;
    if (now || !(s->flags & ACL_STREAM_FAST_SYNC) || s->enqueued - s->done > LAZY_DEPTH)
        sa_stream_schedule(s);
    sa_object_unlock(s);
}

void sa_stream_run(sa_stream *s, uint64_t target, int most)
{
    s->running = true;
    while (s->head && s->done < target && most-- > 0) {
        sa_task *task = s->head;
        if (s->draining || (s->error && s->stop_on_failure))
            sa_task_skip(s, task);
        else if (!sa_task_run(s, task))
            break;
        s->head = task->next;
        if (!s->head)
            s->tail = NULL;
        sa_task_drop(s, task);
        s->done++;
        if (s->waiters)
            pthread_cond_broadcast(&s->changed);
    }
    s->running = false;
    if (s->waiters)
        pthread_cond_broadcast(&s->changed);
    if (!s->head)
        s->eager = false;
    else if (s->eager)
        sa_stream_schedule(s);
}

aclError sa_stream_late(sa_stream *s)
{
    char where[256];
    bool kernel = s->running && s->head->kind == SA_TASK_KERNEL &&
                  sa_launch_where(&s->abandon, where, sizeof where);
    s->late = true;
    return sa_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                   "synchronise stream: the time is over, %llu tasks are left%s%s; "
                   "aclrtStreamAbort drops them, aclrtDestroyStream and aclrtResetDevice now too",
                   (unsigned long long)(s->enqueued - s->done), kernel ? "; " : "",
                   kernel ? where : "");
}

aclError sa_stream_wait(sa_stream *s, uint64_t target, const struct timespec *deadline)
{
    while (s->done < target) {
        if (!s->running && !s->blocked) {
            if (!deadline) {
                sa_stream_run(s, target, INT_MAX);
                continue;
            }
            sa_stream_schedule(s);
            if (s->done >= target)
                break;
        }
        int rc;
        s->waiters++;
        if (deadline)
            rc = pthread_cond_timedwait(&s->changed, &s->object.lock, deadline);
        else
            rc = pthread_cond_wait(&s->changed, &s->object.lock);
        s->waiters--;
        if (rc == ETIMEDOUT && s->done < target)
            return ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    }
    s->late = false;
    return ACL_SUCCESS;
}

static void unblock(sa_stream *s)
{
    s->blocked = false;
    s->blocked_on = NULL;
    if (s->waiters)
        pthread_cond_broadcast(&s->changed);
    sa_stream_schedule(s);
}

void sa_stream_unblock(sa_stream *s, const sa_event *event)
{
    pthread_mutex_lock(&s->object.lock);
    if (s->blocked && s->blocked_on == event)
        unblock(s);
    sa_object_unlock(s);
}

void sa_stream_unblock_callback(aclrtStream stream, uint64_t task)
{
    sa_stream *s = sa_table_lock(&sa_streams, stream);
    if (!s)
        return;
    if (s->blocked && !s->blocked_on && s->done + 1 == task)
        unblock(s);
    sa_object_unlock(s);
}

void sa_stream_kick(aclrtStream stream)
{
    sa_stream *s = sa_table_lock(&sa_streams, stream);
    if (!s)
        return;
    sa_stream_schedule(s);
    sa_object_unlock(s);
}

void sa_stream_drain(sa_stream *s)
{
    s->draining = true;
    __atomic_store_n(&s->abandon, true, __ATOMIC_RELAXED);
    if (s->blocked) {
        sa_event_forget(s);
        s->blocked = false;
        s->blocked_on = NULL;
    }
    while (s->done < s->enqueued) {
        struct timespec soon = sa_deadline(DRAIN_MS);
        if (sa_stream_wait(s, s->enqueued, &soon))
            sa_launch_interrupt();
    }
    s->late = false;
    __atomic_store_n(&s->abandon, false, __ATOMIC_RELAXED);
    s->draining = false;
    clear_error(s);
}
