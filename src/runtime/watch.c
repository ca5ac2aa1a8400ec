/* The limit on a kernel's time: a thread that looks at the running kernels now and then and has
 * those abandoned that run too long. It is started by the first limit. */
#include "runtime/internal.h"

static struct {
    pthread_mutex_t lock;
    pthread_once_t once;
    pthread_cond_t changed;
    pthread_t thread;
    bool running, ending;
    _Atomic uint32_t limit_ms; /* 0: none */
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

uint32_t sa_kernel_limit_ms(void)
{
    return atomic_load_explicit(&watch.limit_ms, memory_order_relaxed);
}

static void abandon_late(uint64_t limit_ns)
{
    uint64_t now = sa_now_ns();
    bool late = false;
    for (uint32_t i = 0; i < sa_table_slots(&sa_streams); i++) {
        sa_stream *s = sa_table_at(&sa_streams, i);
        if (!s)
            continue;
        if (s->kernel_since && now > s->kernel_since + limit_ns) {
            __atomic_store_n(&s->abandon, true, __ATOMIC_RELAXED);
            late = true;
        }
        sa_object_unlock(s);
    }
    if (late)
        sa_launch_interrupt();
}

static void *look(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&watch.lock);
    while (!watch.ending) {
        uint32_t limit = atomic_load(&watch.limit_ms);
        if (!limit) {
            pthread_cond_wait(&watch.changed, &watch.lock);
            continue;
        }
        struct timespec next = sa_deadline(limit < 80 ? 10 : limit > 8000 ? 1000 : limit / 8);
        pthread_cond_timedwait(&watch.changed, &watch.lock, &next);
        pthread_mutex_unlock(&watch.lock);
        abandon_late((uint64_t)limit * 1000000);
        pthread_mutex_lock(&watch.lock);
    }
    pthread_mutex_unlock(&watch.lock);
    return NULL;
}

static void init_watch(void)
{
    sa_cond_init(&watch.changed);
}

static aclError set_limit(uint32_t limit_ms)
{
    aclError code = ACL_SUCCESS;
    pthread_once(&watch.once, init_watch);
    pthread_mutex_lock(&watch.lock);
    if (limit_ms && !watch.running) {
        watch.running = !pthread_create(&watch.thread, NULL, look, NULL);
        if (watch.running)
            pthread_setname_np(watch.thread, "sa-watch");
        else
            code = sa_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
                           "set op execute time-out: no thread can be had to watch it");
    }
    if (!code)
        atomic_store(&watch.limit_ms, limit_ms);
    pthread_cond_signal(&watch.changed);
    pthread_mutex_unlock(&watch.lock);
    return code;
}

void sa_watch_end(void)
{
    pthread_once(&watch.once, init_watch);
    pthread_mutex_lock(&watch.lock);
    bool running = watch.running;
    watch.ending = true;
    pthread_cond_signal(&watch.changed);
    pthread_mutex_unlock(&watch.lock);
    if (running)
        pthread_join(watch.thread, NULL);
    pthread_mutex_lock(&watch.lock);
    watch.running = watch.ending = false;
    atomic_store(&watch.limit_ms, 0);
    pthread_mutex_unlock(&watch.lock);
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)
{
    aclError code = sa_runtime_check();
    return code ? code : set_limit(timeout);
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    aclError code = sa_runtime_check();
    return code ? code : set_limit(timeout > UINT32_MAX / 1000 ? UINT32_MAX : timeout * 1000);
}
