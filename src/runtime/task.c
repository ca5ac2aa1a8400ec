/* What each kind of task does. */
#include "runtime/internal.h"

#include <string.h>

_Thread_local sa_stream *sa_inside;

aclError sa_check_inside(const char *what)
{
    if (!sa_inside)
        return ACL_SUCCESS;
    return sa_fail(ACL_ERROR_RT_PARAM_INVALID,
                   "%s: called from a host function, whose stream would wait for itself", what);
}

static void run_kernel(sa_stream *s, sa_task *task)
{
    sa_error error; /* a kilobyte: not cleared for every launch */
    error.message[0] = '\0';
    sa_launch launch = {
        .kernel = task->u.launch.kernel,
        .name = task->u.launch.name,
        .args = task->u.launch.large ? task->u.launch.large : task->args,
        .blocks = task->u.launch.blocks,
        .type = task->u.launch.type,
        .device = s->device,
        .abandon = &s->abandon,
    };
    bool limited = sa_kernel_limit_ms();
    if (limited)
        s->kernel_since = sa_now_ns();
    sa_object_unlock(s);
    sa_status code = sa_launch_run(&launch, &error);
    pthread_mutex_lock(&s->object.lock);
    if (limited) {
        s->kernel_since = 0;
        if (!s->draining)
            __atomic_store_n(&s->abandon, false, __ATOMIC_RELAXED);
    }
    if (code)
        sa_stream_fail(s, code, error.message);
}

static void run_copy(const sa_task *task)
{
    size_t rows = task->u.copy.height;
    char *dst = task->u.copy.dst;
    const char *src = task->u.copy.src;
    for (size_t i = 0; i < rows; i++)
        memmove(dst + i * task->u.copy.dst_pitch, src + i * task->u.copy.src_pitch,
                task->u.copy.width);
}

static bool run_callback(sa_stream *s, sa_task *task)
{
    if (!task->u.callback.posted) {
        task->u.callback.posted = true;
        s->blocked = task->u.callback.block;
        s->blocked_on = NULL;
        if (sa_report_post(task->u.callback.report))
            return !s->blocked;
        s->blocked = false;
    }
    return true;
}

bool sa_task_run(sa_stream *s, sa_task *task)
{
    switch (task->kind) {
    case SA_TASK_KERNEL:
        run_kernel(s, task);
        return true;
    case SA_TASK_COPY:
        sa_object_unlock(s);
        run_copy(task);
        pthread_mutex_lock(&s->object.lock);
        return true;
    case SA_TASK_SET:
        sa_object_unlock(s);
        if (task->u.set.bytes)
            memset(task->u.set.dst, task->u.set.value, task->u.set.bytes);
        pthread_mutex_lock(&s->object.lock);
        return true;
    case SA_TASK_RECORD:
        sa_event_complete(s, task);
        return true;
    case SA_TASK_RESET:
        sa_event_clear(task);
        return true;
    case SA_TASK_WAIT:
        if (!sa_event_wait(s, task))
            return false;
        sa_event_release(task);
        return true;
    case SA_TASK_HOST: {
        sa_stream *outer = sa_inside;
        sa_object_unlock(s);
        sa_inside = s;
        task->u.host.function(task->u.host.data);
        sa_inside = outer;
        pthread_mutex_lock(&s->object.lock);
        return true;
    }
    case SA_TASK_CALLBACK:
        return run_callback(s, task);
    }
    return true;
}

void sa_task_skip(sa_stream *s, sa_task *task)
{
    switch (task->kind) {
    case SA_TASK_RECORD:
        sa_event_complete(s, task);
        break;
    case SA_TASK_RESET:
        sa_event_clear(task);
        break;
    case SA_TASK_WAIT:
        sa_event_release(task);
        break;
    case SA_TASK_CALLBACK:
        if (!task->u.callback.posted)
            sa_report_free(task->u.callback.report);
        break;
    default:
        break;
    }
}
