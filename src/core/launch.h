/* The one door between the runtime and the core: run a kernel's blocks and wait for them. */
#ifndef SA_LAUNCH_H
#define SA_LAUNCH_H

#include "chip/chip.h"
#include "softascend/core.h"
#include "softascend/status.h"

#include <stdbool.h>

typedef struct sa_launch {
    sa_kernel kernel;    /* called once a block, on a fiber */
    const char *name;    /* for messages, traces and checks; NULL: found from debug information */
    void *args;          /* passed to every block, unchanged; alive until sa_launch_run returns */
    uint32_t blocks;     /* 1 … 65535 */
    sa_core_type type;   /* which kind of core runs it */
    const sa_chip *chip; /* local sizes; NULL: the process's chip */
    int device;
    volatile bool *abandon; /* a watchdog sets it (__atomic): blocks stop at their next
                               instruction; or NULL */
} sa_launch;

/* Runs every block of `launch` on the calling thread and the idle workers of the pool, and returns
 * when all have ended. A kernel that faults ends its launch: the code (507015, 507035 …) is
 * returned and `error` holds the text with kernel, block and source line. Small launches stay on
 * the calling thread. Callable from any thread, from several at once, never from inside a kernel.
 */
SA_API sa_status sa_launch_run(const sa_launch *launch, sa_error *error);

/* A kernel that never comes to an instruction does not see that `abandon` is set: this ends it, if
 * it is in its own code just now. Call it again while it has not ended. */
SA_API void sa_launch_interrupt(void);

/* Where the launch with this `abandon` is: "kernel NAME, block N, is at FILE:LINE". False if no
 * block of it runs. The launch must not end meanwhile. */
SA_API bool sa_launch_where(const volatile bool *abandon, char *text, size_t bytes);

/* Threads that run blocks, the calling thread included: $SOFTASCEND_THREADS or the CPUs this
 * process may use. */
SA_API int sa_launch_threads(void);

#endif
