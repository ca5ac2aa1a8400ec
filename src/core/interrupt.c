#include "core/interrupt.h"
#include "core/launch.h"
#include "core/run.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 100, PLACES = 8 };

typedef struct member {
    pthread_t thread;
    bool listed;
    struct member *next, *previous;
} member;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static member *members; /* under lock */
static __thread member self __attribute__((tls_model("initial-exec")));

static struct {
    pthread_mutex_t lock;
    const volatile bool *_Atomic wanted; /* whose kernel: its `abandon`; NULL: nobody asks */
    sem_t found;
    const void *pc[PLACES];
    int count;
    sa_launch launch;
    uint32_t block;
} question = {.lock = PTHREAD_MUTEX_INITIALIZER};

void sa_interrupt_enlist(void)
{
    pthread_mutex_lock(&lock);
    self = (member){.thread = pthread_self(), .listed = true, .next = members};
    if (members)
        members->previous = &self;
    members = &self;
    pthread_mutex_unlock(&lock);
}

void sa_interrupt_discharge(void)
{
    pthread_mutex_lock(&lock);
    if (self.listed) {
        if (self.previous)
            self.previous->next = self.next;
        else
            members = self.next;
        if (self.next)
            self.next->previous = self.previous;
        self.listed = false;
    }
    pthread_mutex_unlock(&lock);
}

bool sa_interrupt_is_ours(const siginfo_t *info)
{
    return info->si_code == SI_TKILL && info->si_pid == getpid();
}

void sa_interrupt_all(void)
{
    pthread_mutex_lock(&lock);
    for (member *m = members; m; m = m->next)
        pthread_kill(m->thread, SA_INTERRUPT_SIGNAL);
    pthread_mutex_unlock(&lock);
}

void sa_launch_interrupt(void)
{
    sa_interrupt_all();
}

void sa_interrupt_note(const sa_fiber *fiber, const void *const *pc, int count)
{
    const volatile bool *wanted = fiber->core.abandon;
    if (atomic_load_explicit(&question.wanted, memory_order_relaxed) != wanted ||
        !atomic_compare_exchange_strong(&question.wanted, &wanted, NULL))
        return;
    question.count = count < PLACES ? count : PLACES;
    for (int i = 0; i < question.count; i++)
        question.pc[i] = pc[i];
    question.launch = *((run *)fiber->run)->launch;
    question.block = fiber->core.block_idx;
    sem_post(&question.found);
}

bool sa_launch_where(const volatile bool *abandon, char *text, size_t bytes)
{
    pthread_mutex_lock(&question.lock);
    sem_init(&question.found, 0, 0);
    atomic_store(&question.wanted, abandon);
    sa_interrupt_all();
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += WAIT_MS * 1000000L;
    deadline.tv_sec += deadline.tv_nsec / 1000000000;
    deadline.tv_nsec %= 1000000000;
    int rc;
    while ((rc = sem_timedwait(&question.found, &deadline)) && errno == EINTR)
        ;
    const volatile bool *asked = abandon;
    bool late = rc && !atomic_compare_exchange_strong(&question.wanted, &asked, NULL);
    while (late && sem_wait(&question.found)) /* the answer comes after all */
        ;
    bool found = !rc || late;
    if (found) {
        char kernel[128], line[192] = "?";
        sa_launch_name(&question.launch, kernel, sizeof kernel);
        bool users = false; /* not a header's of ours, nor the stub of a call */
        for (int i = 0; i < question.count && !users; i++)
            users = sa_source_line(question.pc[i], line, sizeof line);
        snprintf(text, bytes, "kernel %s, block %u, is at %s", kernel, question.block, line);
    }
    pthread_mutex_unlock(&question.lock);
    return found;
}
