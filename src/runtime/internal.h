/* What the runtime's files share.
 *
 * Order of locks: context or device, stream, event, then those that take no other (the
 * dispatchers', the handle tables', the allocator's, the subscribers'). */
#ifndef SA_RUNTIME_INTERNAL_H
#define SA_RUNTIME_INTERNAL_H

#include "runtime/object.h"
#include "runtime/runtime.h"

#include <time.h>

enum { SA_MAX_DEVICES = 64, SA_INLINE_ARGS = 640, SA_SPARE_TASKS = 16 };

/* ---- init.c ---- */

/* 0 if acl* may be used; else the code (100001) with its text. */
aclError sa_runtime_check(void);

/* ---- device.c ---- */

/* 107001 and a text unless `device` is one of ours. */
aclError sa_device_check(int32_t device);
/* Bytes that device memory may take, and took. */
aclError sa_device_charge(int device, size_t bytes);
void sa_device_discharge(int device, size_t bytes);
void sa_device_memory(int device, size_t *free_bytes, size_t *total);
/* Gives every device back (the end of the runtime). */
void sa_devices_end(void);

/* ---- limit.c: host memory that this process may still take, cgroups included ---- */
uint64_t sa_host_available(void);
/* Reads "512M"; false if it is nonsense. */
bool sa_parse_bytes(const char *text, uint64_t *bytes);

/* ---- context.c ---- */

typedef struct sa_context {
    sa_object object;
    int device;
    bool is_default;
    aclrtStream default_stream;
} sa_context;

extern sa_table sa_contexts;

/* A context with its default stream; NULL handle and a code when memory is short. */
aclError sa_context_new(int device, bool is_default, aclrtContext *context);
aclError sa_context_end(aclrtContext context);
void sa_context_make_current(aclrtContext context);
/* The thread's context, unlocked; NULL with `code` and text (100001, 107002). */
sa_context *sa_context_current(aclError *code);
/* Ends every context (the end of the runtime). */
void sa_contexts_end(void);

/* ---- task.c: what streams do ---- */

typedef enum sa_task_kind {
    SA_TASK_KERNEL,
    SA_TASK_COPY,
    SA_TASK_SET,
    SA_TASK_RECORD,
    SA_TASK_RESET,
    SA_TASK_WAIT,
    SA_TASK_HOST,
    SA_TASK_CALLBACK,
} sa_task_kind;

typedef struct sa_report sa_report;

typedef struct sa_task {
    struct sa_task *next;
    sa_task_kind kind;
    union {
        struct {
            sa_kernel kernel;
            const char *name;
            void *large; /* arguments that do not fit below, or NULL */
            uint32_t blocks;
            sa_core_type type;
        } launch;
        struct {
            char *dst;
            const char *src;
            size_t dst_pitch, src_pitch, width, height;
        } copy;
        struct {
            void *dst;
            int value;
            size_t bytes;
        } set;
        struct {
            struct sa_event *event; /* held: it outlives the task */
            uint64_t record;        /* which record of the event */
            aclrtStream stream;     /* WAIT: the stream that records it */
        } event;
        struct {
            aclrtCallback function;
            void *data;
        } host;
        struct {
            sa_report *report;
            bool block, posted;
        } callback;
    } u;
    _Alignas(64) unsigned char args[SA_INLINE_ARGS];
} sa_task;

/* ---- stream.c and queue.c ---- */

typedef struct sa_stream {
    sa_object object;
    pthread_cond_t changed; /* `done` or `blocked` changed, for those who wait */
    aclrtContext context;
    int device;
    bool is_default, closing;
    uint32_t flags;
    bool stop_on_failure;

    sa_task *head, *tail, *spare;
    int spares;
    uint64_t enqueued, done; /* tasks, counted from the slot's start */
    bool running;            /* a thread is in the head task */
    bool blocked;            /* the head waits for an event or a callback */
    bool draining;           /* what has not begun is dropped */
    bool eager;              /* lazy, but somebody asked: runs until it is empty */
    int waiters;
    bool late;             /* a wait for it has timed out: who destroys it need not wait */
    volatile bool abandon; /* the running kernel stops at its next instruction */
    uint64_t kernel_since; /* when it began, if there is a limit; else 0 */

    struct sa_event *blocked_on; /* with `blocked`; NULL: a callback */
    bool listed;                 /* these three: that event's lock. In its list … */
    uint64_t wanted;             /* … for this record of it */
    struct sa_stream *next_waiter;

    bool queued; /* in the dispatchers' list */
    struct sa_stream *next_ready;

    aclError error; /* the first failure; 0: none */
    bool reported;
    char *message; /* its text, or NULL */

    uint64_t subscriber; /* the thread that processes callbacks */
    bool subscribed;
} sa_stream;

extern sa_table sa_streams;

aclError sa_stream_new(aclrtContext context, int device, bool is_default, uint32_t flags,
                       aclrtStream *stream);
/* Waits for the stream's work (force: drops what has not begun), then frees it. */
aclError sa_stream_end(aclrtStream stream, bool force);

/* The stream of a handle in the current context (NULL: its default one), locked. On failure NULL,
 * with the code and text. */
sa_stream *sa_stream_enter(aclrtStream handle, const char *what, aclError *code);

/* A task to fill for a locked stream; NULL when memory is short. */
sa_task *sa_task_new(sa_stream *s, sa_task_kind kind);
void sa_task_drop(sa_stream *s, sa_task *task);
/* Appends the task, starts the stream's work as its flags ask, and unlocks the stream. `now`: start
 * it even if the stream is lazy. */
void sa_stream_push(sa_stream *s, sa_task *task, bool now);
aclError sa_no_memory(const char *what);

/* Runs the locked stream's tasks on this thread until `target` are done or it is blocked; at most
 * `most` of them. The stream stays locked on return and is unlocked while a task runs. */
void sa_stream_run(sa_stream *s, uint64_t target, int most);
/* Waits until `target` tasks of the locked stream are done. deadline NULL: without limit, and this
 * thread runs the work when nobody else does. 0 or ACL_ERROR_RT_STREAM_SYNC_TIMEOUT. */
aclError sa_stream_wait(sa_stream *s, uint64_t target, const struct timespec *deadline);
/* A wait of the user's timed out: says so, with where the kernel is, and notes it. Returns the
 * code. */
aclError sa_stream_late(sa_stream *s);
/* Lets the dispatchers have the locked stream if it has work. */
void sa_stream_schedule(sa_stream *s);
/* What blocked `stream` is over: `event`, or a callback if NULL. */
void sa_stream_unblock(sa_stream *s, const struct sa_event *event);
/* The same for the callback that is task number `task` of `stream`. */
void sa_stream_unblock_callback(aclrtStream stream, uint64_t task);
/* Starts the stream of a handle, if it lives and has work. */
void sa_stream_kick(aclrtStream stream);
/* The locked stream's error, with its text set for the calling thread; 0 if there is none. */
aclError sa_stream_report(sa_stream *s);
/* All streams of a device, or of a context (device < 0). */
aclError sa_streams_wait(int device, aclrtContext context, const struct timespec *deadline);
/* Frees the streams of a context. */
void sa_streams_end(aclrtContext context);

/* Does what the task says; true unless it blocks the stream. Called with the stream locked, which
 * it unlocks around work that takes time. */
bool sa_task_run(sa_stream *s, sa_task *task);
/* Leaves the task out: only what others wait for happens. */
void sa_task_skip(sa_stream *s, sa_task *task);
/* Drops what has not begun and waits for what has; the locked stream is then empty. */
void sa_stream_drain(sa_stream *s);
void sa_stream_fail(sa_stream *s, aclError code, const char *message);

/* The stream whose host function this thread is in, or NULL. */
extern _Thread_local sa_stream *sa_inside;
/* A code and text if this thread is in a host function, which cannot wait for its own stream. */
aclError sa_check_inside(const char *what);

struct timespec sa_deadline(int32_t timeout_ms);
/* A condition whose deadlines are sa_deadline's. */
bool sa_cond_init(pthread_cond_t *condition);

/* ---- dispatch.c: the threads that run ready streams ---- */

/* Takes the stream (locked, `queued` set). False if there is no thread and none can be had. */
bool sa_dispatch(sa_stream *s);
/* Ends the threads; they come back when needed. */
void sa_dispatch_end(void);

/* ---- watch.c: the limit on a kernel's time ---- */

uint32_t sa_kernel_limit_ms(void); /* 0: none */
void sa_watch_end(void);

/* ---- event.c ---- */

typedef struct sa_event {
    sa_object object;
    uint32_t flags;
    uint32_t tasks;               /* that hold this event */
    bool destroyed;               /* goes when no task holds it */
    bool reset;                   /* counts as never recorded */
    uint64_t recorded, completed; /* records */
    uint64_t time_ns;             /* of the latest completed record */
    aclrtStream stream;           /* of the latest record, and its task there */
    uint64_t task;
    sa_stream *waiters;
} sa_event;

extern sa_table sa_events;

/* Task bodies, called with the stream locked, which they may unlock in between. */
void sa_event_complete(sa_stream *s, const sa_task *task);
void sa_event_clear(const sa_task *task);
/* True if the record is complete; false: the stream is blocked until it is. */
bool sa_event_wait(sa_stream *s, const sa_task *task);
/* The task no longer needs its event. */
void sa_event_release(const sa_task *task);
/* Takes the locked stream out of the list of the event that it waits for. */
void sa_event_forget(sa_stream *s);
uint64_t sa_now_ns(void);
/* Destroys every event (the end of the runtime). */
void sa_events_end(void);

/* ---- callback.c ---- */

/* Hands the report to its thread; false (and the report is freed) if there is none. */
bool sa_report_post(sa_report *report);
/* Ends the locked stream's subscription, if it has one. */
void sa_stream_unsubscribe(sa_stream *s);
void sa_report_free(sa_report *report);
void sa_callbacks_end(void);

/* ---- after a fork ---- */
extern atomic_bool sa_forked;

#endif
