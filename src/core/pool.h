/* The worker threads that help with launches, and waiting on a word. */
#ifndef SA_POOL_H
#define SA_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A piece of work that several threads may share. Lives in its owner until sa_pool_close returns.
 */
typedef struct sa_pool_job {
    void (*help)(struct sa_pool_job *job); /* on a worker: do a share of it */
    bool (*open)(struct sa_pool_job *job); /* is there anything left to take? */
    struct sa_pool_job *next, *previous;   /* pool.c's */
    atomic_uint helpers;                   /* workers inside help */
} sa_pool_job;

/* Offers `job` to up to `workers` workers. */
void sa_pool_offer(sa_pool_job *job, unsigned workers);

/* Takes the offer back and waits for workers that are still helping. */
void sa_pool_close(sa_pool_job *job);

/* Waits while *word is `old`: a short spin, then sleep, at most `timeout_us` (0: without limit).
 * May return early. */
void sa_word_wait(atomic_uint *word, unsigned old, unsigned timeout_us);
void sa_word_wake(atomic_uint *word);

static inline void sa_cpu_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
