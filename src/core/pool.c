/* Worker threads. An idle worker spins for as long as TensorFlow takes from one op to the next,
 * then sleeps on a futex: to wake it takes longer than a small launch. After fork() the child
 * starts with no workers and makes its own when it first wants one. */
#define _GNU_SOURCE
#include "core/pool.h"
#include "core/interrupt.h"
#include "core/launch.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPINS 400       /* of sa_cpu_relax: 10 to 20 us */
#define IDLE_SPINS 4000 /* 50 to 150 us */
#define WORKERS_MOST 1023

static struct {
    pthread_mutex_t lock;
    sa_pool_job *jobs;  /* under lock: those on offer, newest first */
    unsigned workers;   /* under lock: threads there are */
    atomic_uint ticket; /* counts offers: what idle workers watch */
    atomic_uint asleep;
    /* under lock: what the first offer's thread may run on, the CPU that workers keep off, or -1;
     * their threads, 0 until they run */
    cpu_set_t allowed;
    int off;
    pid_t seats[WORKERS_MOST];
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .off = -1};

/* ---- words */

static long futex(atomic_uint *word, int op, unsigned value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, timeout, NULL, 0);
}

void sa_word_wait(atomic_uint *word, unsigned old, unsigned timeout_us)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != old)
            return;
        sa_cpu_relax();
    }
    struct timespec timeout = {timeout_us / 1000000, timeout_us % 1000000 * 1000L};
    futex(word, FUTEX_WAIT, old, timeout_us ? &timeout : NULL);
}

void sa_word_wake(atomic_uint *word)
{
    futex(word, FUTEX_WAKE, INT32_MAX, NULL);
}

/* ---- workers */

static int threads;
static pthread_once_t threads_once = PTHREAD_ONCE_INIT;

static void fork_prepare(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&pool.lock);
}

static void fork_child(void)
{
    pool.jobs = NULL; /* other threads' launches: those threads are not here */
    pool.workers = 0;
    pool.off = -1;
    atomic_store(&pool.asleep, 0);
    pthread_mutex_unlock(&pool.lock);
}

static void count_threads(void)
{
    const char *text = getenv("SOFTASCEND_THREADS");
    char *end;
    long wanted = text && *text ? strtol(text, &end, 10) : 0;
    if (text && *text && (*end || wanted < 1 || wanted > WORKERS_MOST + 1)) {
        fprintf(stderr, "softascend: SOFTASCEND_THREADS is '%s', not a number from 1 to 1024\n",
                text);
        wanted = 0;
    }
    cpu_set_t cpus;
    if (!wanted)
        wanted = sched_getaffinity(0, sizeof cpus, &cpus) ? sysconf(_SC_NPROCESSORS_ONLN)
                                                          : CPU_COUNT(&cpus);
    threads = (int)wanted;
    pthread_atfork(fork_prepare, fork_parent, fork_child);
}

int sa_launch_threads(void)
{
    pthread_once(&threads_once, count_threads);
    return threads;
}

/* A job with something left, entered as helper; NULL if there is none. */
static sa_pool_job *enter(void)
{
    pthread_mutex_lock(&pool.lock);
    sa_pool_job *job = pool.jobs;
    while (job && !job->open(job))
        job = job->next;
    if (job)
        atomic_fetch_add(&job->helpers, 1);
    pthread_mutex_unlock(&pool.lock);
    return job;
}

/* Under lock. Keeps workers off the CPU of the thread that they help. The system may wake them upon
 * it, as it may not know that CPUs share a cache (virtual machines do not say): they would stand
 * there behind that thread until the system balances, tens of milliseconds later. */
static void keep_off(unsigned first, unsigned count)
{
    if (pool.off < 0)
        return;
    cpu_set_t others = pool.allowed;
    CPU_CLR(pool.off, &others);
    if (!CPU_COUNT(&others))
        return;
    for (unsigned i = first; i < first + count; i++)
        if (pool.seats[i])
            sched_setaffinity(pool.seats[i], sizeof others, &others);
}

static void *worker(void *number)
{
    char name[16];
    snprintf(name, sizeof name, "sa-core-%u", (unsigned)(uintptr_t)number);
    pthread_setname_np(pthread_self(), name);
    pthread_mutex_lock(&pool.lock);
    pool.seats[(uintptr_t)number - 1] = (pid_t)syscall(SYS_gettid);
    keep_off((uintptr_t)number - 1, 1);
    pthread_mutex_unlock(&pool.lock);
    for (;;) {
        unsigned ticket = atomic_load(&pool.ticket);
        sa_pool_job *job = enter();
        if (job) {
            job->help(job);
            /* the owner may return as soon as this says so: only the address is used after it */
            if (atomic_fetch_sub(&job->helpers, 1) == 1)
                sa_word_wake(&job->helpers);
            continue;
        }
        for (int i = 0; i < IDLE_SPINS && atomic_load(&pool.ticket) == ticket; i++)
            sa_cpu_relax();
        atomic_fetch_add(&pool.asleep, 1);
        if (atomic_load(&pool.ticket) == ticket)
            futex(&pool.ticket, FUTEX_WAIT, ticket, NULL);
        atomic_fetch_sub(&pool.asleep, 1);
    }
    return NULL;
}

/* Under lock. Signals belong to the program's own threads, but for those that a kernel raises
 * itself (crash.c). */
static void start_workers(unsigned wanted)
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGABRT);
    sigdelset(&all, SA_INTERRUPT_SIGNAL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!pool.workers && sched_getaffinity(0, sizeof pool.allowed, &pool.allowed))
        CPU_ZERO(&pool.allowed);
    while (pool.workers < wanted) {
        pthread_t thread;
        pool.seats[pool.workers] = 0;
        if (pthread_create(&thread, NULL, worker, (void *)(uintptr_t)(pool.workers + 1)))
            break; /* fewer workers: slower, not wrong */
        pthread_detach(thread);
        pool.workers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Under lock. */
static void make_way(void)
{
    int cpu = sched_getcpu();
    if (cpu == pool.off || cpu < 0 || cpu >= CPU_SETSIZE)
        return;
    pool.off = cpu;
    keep_off(0, pool.workers);
}

void sa_pool_offer(sa_pool_job *job, unsigned workers)
{
    unsigned most = (unsigned)sa_launch_threads() - 1;
    if (workers > most)
        workers = most;
    pthread_mutex_lock(&pool.lock);
    if (pool.workers < workers)
        start_workers(workers);
    job->previous = NULL;
    job->next = pool.jobs;
    if (job->next)
        job->next->previous = job;
    else
        make_way();
    pool.jobs = job;
    pthread_mutex_unlock(&pool.lock);
    atomic_fetch_add(&pool.ticket, 1);
    if (atomic_load(&pool.asleep))
        futex(&pool.ticket, FUTEX_WAKE, workers, NULL);
}

void sa_pool_close(sa_pool_job *job)
{
    pthread_mutex_lock(&pool.lock);
    if (job->previous)
        job->previous->next = job->next;
    else
        pool.jobs = job->next;
    if (job->next)
        job->next->previous = job->previous;
    pthread_mutex_unlock(&pool.lock);
    unsigned helpers;
    while ((helpers = atomic_load(&job->helpers)))
        sa_word_wait(&job->helpers, helpers, 0);
}
