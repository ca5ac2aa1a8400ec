/* Who knows that whom has finished: vector clocks of one core's pipes.
 *
 * A pipe's time is cut into epochs; it moves on when the pipe tells others how far it is
 * (sa_set_flag, sa_barrier). An access of pipe p in epoch e is finished for pipe q once q has heard
 * of epoch e of p. Accesses of one epoch cannot be told apart by anybody, so the store may merge
 * them. */
#ifndef SA_CLOCKS_H
#define SA_CLOCKS_H

#include "softascend/core.h"

#define SA_PIPES SA_PIPE_ALL
#define SA_FLAG_IDS 8
#define SA_FLAG_PENDING 4

typedef struct sa_clock {
    uint32_t epoch[SA_PIPES];
} sa_clock;

typedef struct sa_clocks {
    uint32_t epoch[SA_PIPES]; /* in which each pipe is, from 1 */
    sa_clock known[SA_PIPES]; /* known[q].epoch[p]: the last epoch of p that q knows as finished */
    /* what a set flag carries until its wait takes it, first in first out */
    struct {
        sa_clock message[SA_FLAG_PENDING];
        uint8_t first, count;
    } flag[SA_PIPES][SA_PIPES][SA_FLAG_IDS];
} sa_clocks;

void sa_clocks_init(sa_clocks *clocks);
void sa_clocks_set_flag(sa_clocks *clocks, sa_pipe from, sa_pipe to, uint32_t id);
void sa_clocks_wait_flag(sa_clocks *clocks, sa_pipe from, sa_pipe to, uint32_t id);
void sa_clocks_barrier(sa_clocks *clocks, sa_pipe pipe);

/* Is what `pipe` did in `epoch` finished for what `later` issues now? */
static inline bool sa_clocks_ordered(const sa_clocks *clocks, sa_pipe pipe, uint32_t epoch,
                                     sa_pipe later)
{
    return clocks->known[later].epoch[pipe] >= epoch;
}

#endif
