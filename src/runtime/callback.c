/* Callbacks: a stream hands them to the thread that subscribed to it; host functions run in the
 * stream itself. */
#include "runtime/internal.h"

#include <errno.h>
#include <stdlib.h>

struct sa_report {
    aclrtCallback function;
    void *data;
    uint64_t thread;
    aclrtStream stream; /* whose task number `task` waits for the return, if `block` */
    uint64_t task;
    bool block;
    sa_report *next;
};

/* A thread that processes callbacks, as long as a stream names it or a report waits for it. */
typedef struct subscriber {
    uint64_t thread;
    int streams;
    sa_report *head, *tail;
    struct subscriber *next;
} subscriber;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_once_t once;
    subscriber *first;
} reports = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static void init_reports(void)
{
    sa_cond_init(&reports.changed);
}

static subscriber *find(uint64_t thread)
{
    subscriber *t = reports.first;
    while (t && t->thread != thread)
        t = t->next;
    return t;
}

static void forget_if_done(subscriber *t)
{
    if (t->streams || t->head)
        return;
    subscriber **at = &reports.first;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    free(t);
}

void sa_report_free(sa_report *report)
{
    free(report);
}

bool sa_report_post(sa_report *report)
{
    pthread_mutex_lock(&reports.lock);
    subscriber *t = find(report->thread);
    if (t) {
        report->next = NULL;
        if (t->tail)
            t->tail->next = report;
        else
            t->head = report;
        t->tail = report;
        pthread_cond_broadcast(&reports.changed);
    }
    pthread_mutex_unlock(&reports.lock);
    if (!t)
        free(report);
    return t;
}

void sa_callbacks_end(void)
{
    pthread_mutex_lock(&reports.lock);
    while (reports.first) {
        subscriber *t = reports.first;
        reports.first = t->next;
        while (t->head) {
            sa_report *report = t->head;
            t->head = report->next;
            free(report);
        }
        free(t);
        pthread_cond_broadcast(&reports.changed);
    }
    pthread_mutex_unlock(&reports.lock);
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    aclError code;
    pthread_once(&reports.once, init_reports);
    sa_stream *s = sa_stream_enter(stream, "aclrtSubscribeReport", &code);
    if (!s)
        return code;
    pthread_mutex_lock(&reports.lock);
    subscriber *t = find(threadId);
    if (s->subscribed) {
        code = sa_fail(ACL_ERROR_RT_STREAM_SUBSCRIBE,
                       "aclrtSubscribeReport: the stream is subscribed to by thread %llu",
                       (unsigned long long)s->subscriber);
    } else if (!t && !(t = calloc(1, sizeof *t))) {
        code = sa_no_memory("aclrtSubscribeReport");
    } else {
        if (!t->thread && !t->streams) {
            t->thread = threadId;
            t->next = reports.first;
            reports.first = t;
        }
        t->streams++;
        s->subscribed = true;
        s->subscriber = threadId;
    }
    pthread_mutex_unlock(&reports.lock);
    sa_object_unlock(s);
    return code;
}

void sa_stream_unsubscribe(sa_stream *s)
{
    if (!s->subscribed)
        return;
    s->subscribed = false;
    pthread_mutex_lock(&reports.lock);
    subscriber *t = find(s->subscriber);
    if (t) {
        t->streams--;
        forget_if_done(t);
    }
    pthread_cond_broadcast(&reports.changed);
    pthread_mutex_unlock(&reports.lock);
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    aclError code;
    sa_stream *s = sa_stream_enter(stream, "aclrtUnSubscribeReport", &code);
    if (!s)
        return code;
    if (!s->subscribed || s->subscriber != threadId)
        code = sa_fail(ACL_ERROR_RT_THREAD_SUBSCRIBE,
                       "aclrtUnSubscribeReport: thread %llu is not subscribed to the stream",
                       (unsigned long long)threadId);
    else
        sa_stream_unsubscribe(s);
    sa_object_unlock(s);
    return code;
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream)
{
    aclError code;
    if (!fn || (blockType != ACL_CALLBACK_BLOCK && blockType != ACL_CALLBACK_NO_BLOCK))
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtLaunchCallback: function %s, block type %d",
                       fn ? "given" : "null", blockType);
    sa_report *report = calloc(1, sizeof *report);
    if (!report)
        return sa_no_memory("a callback");
    sa_stream *s = sa_stream_enter(stream, "aclrtLaunchCallback", &code);
    sa_task *task = NULL;
    if (s && !s->subscribed)
        code = sa_fail(ACL_ERROR_RT_STREAM_NO_CB_REG,
                       "aclrtLaunchCallback: no thread has subscribed to the stream");
    else if (s && !(task = sa_task_new(s, SA_TASK_CALLBACK)))
        code = sa_no_memory("a callback");
    if (!task) {
        if (s)
            sa_object_unlock(s);
        free(report);
        return code;
    }
    *report = (sa_report){.function = fn,
                          .data = userData,
                          .thread = s->subscriber,
                          .stream = sa_object_handle(s),
                          .task = s->enqueued + 1,
                          .block = blockType == ACL_CALLBACK_BLOCK};
    task->u.callback.report = report;
    task->u.callback.block = report->block;
    sa_stream_push(s, task, true);
    return ACL_SUCCESS;
}

aclError aclrtProcessReport(int32_t timeout)
{
    if (timeout < -1 || !timeout)
        return sa_fail(ACL_ERROR_INVALID_PARAM,
                       "aclrtProcessReport: timeout is %d (milliseconds, or -1)", timeout);
    aclError code = sa_runtime_check();
    if (code)
        return code;
    pthread_once(&reports.once, init_reports);
    struct timespec deadline = sa_deadline(timeout);
    uint64_t self = (uint64_t)pthread_self();
    sa_report *report = NULL;
    int rc = 0;
    pthread_mutex_lock(&reports.lock);
    for (;;) {
        subscriber *t = find(self);
        if (!t) {
            code = sa_fail(ACL_ERROR_RT_THREAD_SUBSCRIBE,
                           "aclrtProcessReport: this thread has not subscribed to a stream");
            break;
        }
        if ((report = t->head)) {
            t->head = report->next;
            if (!t->head)
                t->tail = NULL;
            forget_if_done(t);
            break;
        }
        if (rc == ETIMEDOUT) {
            code = sa_fail(ACL_ERROR_RT_REPORT_TIMEOUT, "aclrtProcessReport: no callback in %d ms",
                           timeout);
            break;
        }
        if (timeout < 0)
            pthread_cond_wait(&reports.changed, &reports.lock);
        else
            rc = pthread_cond_timedwait(&reports.changed, &reports.lock, &deadline);
    }
    pthread_mutex_unlock(&reports.lock);
    if (!report)
        return code;
    report->function(report->data);
    if (report->block)
        sa_stream_unblock_callback(report->stream, report->task);
    free(report);
    return ACL_SUCCESS;
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtCallback fn, void *args)
{
    aclError code;
    if (!fn)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtLaunchHostFunc: the function is null");
    sa_stream *s = sa_stream_enter(stream, "aclrtLaunchHostFunc", &code);
    if (!s)
        return code;
    sa_task *task = sa_task_new(s, SA_TASK_HOST);
    if (!task) {
        sa_object_unlock(s);
        return sa_no_memory("a host function");
    }
    task->u.host.function = fn;
    task->u.host.data = args;
    sa_stream_push(s, task, true);
    return ACL_SUCCESS;
}
