/* A kernel that dereferences a wild pointer, overflows its stack or divides by zero ends as a fault
 * of its launch, with its source line; the process lives. */
#ifndef SA_CRASH_H
#define SA_CRASH_H

/* Makes the calling thread ready for it: called before it resumes a fiber, cheap from the second
 * time on. The first call of all installs the handlers; faults that are no fiber's go on to the
 * handlers that were there before. */
void sa_crash_guard_thread(void);

#endif
