/* A fiber: the stack and the core that a block runs on. It belongs to one block from its start to
 * its end and stays on one thread; idle ones are pooled last in, first out, so that the memory a
 * block gets is hot. */
#ifndef SA_FIBER_H
#define SA_FIBER_H

#include "core/core.h"

typedef enum sa_fiber_state {
    SA_FIBER_RUNNING,
    SA_FIBER_ENDED,     /* the kernel returned */
    SA_FIBER_PARKED,    /* waits for other blocks */
    SA_FIBER_FAULTED,   /* left for good: fault_* say why */
    SA_FIBER_ABANDONED, /* left for good because the launch has stopped */
} sa_fiber_state;

typedef enum sa_wait {
    SA_WAIT_ALL,
    SA_WAIT_KIND,
    SA_WAIT_FLAG,
    SA_WAIT_TURN,
    SA_WAIT_REQUEST, /* a cube core, for one of its vector cores to ask it for something */
    SA_WAIT_ANSWER,
} sa_wait;

typedef struct sa_fiber {
    sa_core core; /* first: a core's address is its fiber's */
    sa_fiber_state state;
    void *sp, *home_sp; /* stack pointers of whichever side is not running */
    sa_kernel kernel;
    void *args;

    sa_status fault_code;
    const void *pc; /* call site of the fault, or of the call that parked */
    char fault_text[512];

    void *run; /* launch.c's: the launch in progress */
    /* what a parked fiber waits for, and whether it has come (wait.c) */
    sa_wait wait;
    uint32_t wait_flag;
    atomic_bool released;
    struct sa_fiber *next, *next_waiting;

    uint32_t memory_bytes[SA_MEMORIES]; /* as mapped; core.local says what its kind of core has */
    uint8_t *stack;                     /* lowest address */
    size_t stack_bytes, map_bytes;
    void *scratch; /* scratch.c */
    size_t scratch_bytes;
    unsigned thread_fp;     /* the thread's floating-point control while the fiber runs */
    void *fake_stack;       /* address sanitizer: the fiber's while it is away */
    const void *home_stack; /*   and the thread's stack */
    size_t home_stack_bytes;
    void *tsan, *tsan_home; /* thread sanitizer */
} sa_fiber;

/* An idle fiber whose core has the chip's memories; NULL if there is no memory for one. */
sa_fiber *sa_fiber_take(const sa_chip *chip);
void sa_fiber_give(sa_fiber *fiber);

/* Runs `fiber` until it leaves; its state says how. The thread's floating-point state is put aside
 * meanwhile. */
void sa_fiber_resume(sa_fiber *fiber);

/* From inside: back to the thread. Returns when resumed, which only a parked fiber is. */
void sa_fiber_leave(sa_fiber *fiber, sa_fiber_state state);

/* The address that a kernel returns to. */
extern const char sa_fiber_called[];

/* The fiber that the calling thread is running, or NULL. */
sa_fiber *sa_fiber_current(void);

#endif
