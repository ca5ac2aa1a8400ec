/* The threads that run ready streams. There are few, whatever the number of streams: one is started
 * when a stream becomes ready and none is idle. */
#include "runtime/internal.h"

#include <stdio.h>

enum { DISPATCHERS = 8, TURN = 64 /* tasks of one stream while others wait */ };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    sa_stream *head, *tail;
    pthread_t thread[DISPATCHERS];
    int threads, idle;
    atomic_bool ending;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};

static sa_stream *next_ready(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.idle++;
    while (!pool.head && !atomic_load(&pool.ending))
        pthread_cond_wait(&pool.ready, &pool.lock);
    pool.idle--;
    sa_stream *s = pool.head;
    if (s) {
        pool.head = s->next_ready;
        if (!pool.head)
            pool.tail = NULL;
    }
    pthread_mutex_unlock(&pool.lock);
    return s;
}

static void *dispatcher(void *unused)
{
    sa_stream *s;
    (void)unused;
    while ((s = next_ready())) {
        pthread_mutex_lock(&s->object.lock);
        s->queued = false;
        if (s->head && !s->running && !s->blocked)
            sa_stream_run(s, UINT64_MAX, TURN);
        sa_object_unlock(s);
    }
    return NULL;
}

static void start_dispatcher(void)
{
    char name[16];
    if (pthread_create(&pool.thread[pool.threads], NULL, dispatcher, NULL))
        return;
    snprintf(name, sizeof name, "sa-stream-%d", pool.threads);
    pthread_setname_np(pool.thread[pool.threads], name);
    pool.threads++;
}

bool sa_dispatch(sa_stream *s)
{
    bool taken;
    pthread_mutex_lock(&pool.lock);
    int waiting = 1;
    for (sa_stream *other = pool.head; other && waiting <= pool.idle; other = other->next_ready)
        waiting++;
    if (waiting > pool.idle && pool.threads < DISPATCHERS && !atomic_load(&pool.ending))
        start_dispatcher();
    taken = pool.threads > 0;
    if (taken) {
        s->next_ready = NULL;
        if (pool.tail)
            pool.tail->next_ready = s;
        else
            pool.head = s;
        pool.tail = s;
        if (pool.idle)
            pthread_cond_signal(&pool.ready);
    }
    pthread_mutex_unlock(&pool.lock);
    return taken;
}

void sa_dispatch_end(void)
{
    pthread_mutex_lock(&pool.lock);
    atomic_store(&pool.ending, true);
    pthread_cond_broadcast(&pool.ready);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.threads; i++)
        pthread_join(pool.thread[i], NULL);
    pthread_mutex_lock(&pool.lock);
    pool.threads = 0;
    atomic_store(&pool.ending, false);
    pthread_mutex_unlock(&pool.lock);
}
