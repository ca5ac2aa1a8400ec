/* A launch in progress: what launch.c deals from and wait.c orders. */
#ifndef SA_RUN_H
#define SA_RUN_H

#include "core/fiber.h"
#include "core/pool.h"

#include <pthread.h>

#define SA_CROSS_FLAGS 16

/* A core's flags between cores: sets that it may wait for, sets of its own that others' have not
 * matched yet (by mode). */
typedef struct sa_cross {
    uint16_t flag[SA_CROSS_FLAGS], pending[3][SA_CROSS_FLAGS];
} sa_cross;

/* A mixed block's requests to its cube core, in the order they came, and which of its vector cores
 * send no more (request.c). */
typedef struct sa_mailbox {
    sa_request *first;
    uint32_t closed[2];
    bool ended[2];
} sa_mailbox;

typedef struct run {
    sa_pool_job job; /* first */
    const sa_launch *launch;
    const sa_chip *chip;
    const sa_isa *isa;
    const sa_observer *observer;
    void *observer_state;
    const volatile bool *abandon;
    uint32_t per_block, cores; /* cores of a block, of the launch: 1 each if it is not mixed */

    _Alignas(64) atomic_uint next; /* core to deal */
    _Alignas(64) atomic_uint ended;
    atomic_uint waiting;    /* parked until others do something */
    atomic_uint generation; /* counts releases */
    atomic_uint inside;     /* threads that take part */
    bool stop;              /* atomically; a block has faulted */

    pthread_mutex_t lock;
    sa_fiber *waiters;                /* under lock */
    uint32_t arrived[2];              /* under lock: in sync_kind, by kind */
    uint32_t arrived_everywhere;      /* under lock: in sync_all */
    sa_cross *cross;                  /* under lock: by core; NULL until one is set or waited for */
    sa_mailbox *mail;                 /* under lock: by block of a mixed launch */
    struct sa_scratch_piece *scratch; /* under lock: freed with the launch */
    sa_error *error;                  /* under lock: the caller's; the first fault */
} run;

/* Ends the launch: blocks leave at their next instruction. */
void sa_run_stop(run *r);

/* If all cores that have not ended wait, nobody can answer: says so and stops the launch. Called
 * after a core parked or ended. */
void sa_run_check_deadlock(run *r);

/* Attends, and shows an event of order to who watches. */
void sa_run_show(sa_core *core, sa_instr instr, uint32_t flag);

/* Waiting, for request.c too. Under the lock: puts the fiber on the list; lets the one at `place`
 * go on. sa_run_park comes once the lock is given back. */
void sa_run_wait_for(run *r, sa_fiber *fiber, sa_wait what, uint32_t flag);
void sa_run_release(run *r, sa_fiber **place);
void sa_run_park(sa_fiber *fiber);

/* A core of a mixed launch has ended: its cube core waits for it no more. */
void sa_run_core_ended(run *r, const sa_core *core);
void sa_run_free_scratch(run *r);

const char *sa_exception_name(sa_status code);

#endif
