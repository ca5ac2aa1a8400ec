/* Kernels that never come to the core's instructions, like for (;;) {}: a signal to the threads
 * that run kernels tells where each is, and ends those that shall stop. */
#ifndef SA_INTERRUPT_H
#define SA_INTERRUPT_H

#include "core/fiber.h"

#include <signal.h>

#define SA_INTERRUPT_SIGNAL SIGURG /* ignored by default, blocked by nobody */

/* A thread that runs fibers: in the list from its first to its end. */
void sa_interrupt_enlist(void);
void sa_interrupt_discharge(void);

/* In the handler of the signal: whether it was sent by the functions below. */
bool sa_interrupt_is_ours(const siginfo_t *info);

/* `fiber`, of the calling thread, is at these, the innermost first: the answer, if somebody asks.
 * Safe in the handler. */
void sa_interrupt_note(const sa_fiber *fiber, const void *const *pc, int count);

/* Sends the signal once: fibers whose launch has been abandoned or has stopped leave, where they
 * are in the kernel's own code. Those elsewhere go on: call again. */
void sa_interrupt_all(void);

#endif
