/* Vector clocks of a core's pipes (clocks.h). */
#include "core/check/clocks.h"

#include <string.h>

static void join(sa_clock *to, const sa_clock *from)
{
    for (int p = 0; p < SA_PIPES; p++) {
        if (to->epoch[p] < from->epoch[p]) {
            to->epoch[p] = from->epoch[p];
        }
    }
}

static bool valid(sa_pipe from, sa_pipe to, uint32_t id)
{
    return (unsigned)from < SA_PIPES && (unsigned)to < SA_PIPES && id < SA_FLAG_IDS;
}

void sa_clocks_init(sa_clocks *clocks)
{
    memset(clocks, 0, sizeof(*clocks));
    for (int p = 0; p < SA_PIPES; p++) {
        clocks->epoch[p] = 1;
    }
}

void sa_clocks_set_flag(sa_clocks *clocks, sa_pipe from, sa_pipe to, uint32_t id)
{
    if (!valid(from, to, id)) {
        return;
    }
    sa_clock message = clocks->known[from];
    message.epoch[from] = clocks->epoch[from]++;
    uint8_t count = clocks->flag[from][to][id].count;
    if (count == SA_FLAG_PENDING) { /* nobody waits for these: keep the oldest */
        return;
    }
    uint8_t slot = (clocks->flag[from][to][id].first + count) % SA_FLAG_PENDING;
    clocks->flag[from][to][id].message[slot] = message;
    clocks->flag[from][to][id].count++;
}

void sa_clocks_wait_flag(sa_clocks *clocks, sa_pipe from, sa_pipe to, uint32_t id)
{
    if (!valid(from, to, id) || clocks->flag[from][to][id].count == 0) {
        return; /* the core itself stops a wait that nothing answers */
    }
    uint8_t first = clocks->flag[from][to][id].first;
    join(&clocks->known[to], &clocks->flag[from][to][id].message[first]);
    clocks->flag[from][to][id].first = (first + 1) % SA_FLAG_PENDING;
    clocks->flag[from][to][id].count--;
    if (to == SA_PIPE_S) {
        /* The scalar pipe issues for all: what it waited for is finished for whatever comes after.
         * Its own stores are not: they need a flag like any other pipe's. */
        sa_clock heard = clocks->known[SA_PIPE_S];
        heard.epoch[SA_PIPE_S] = 0;
        for (int q = 0; q < SA_PIPES; q++) {
            join(&clocks->known[q], &heard);
        }
    }
}

void sa_clocks_barrier(sa_clocks *clocks, sa_pipe pipe)
{
    if (pipe != SA_PIPE_ALL) {
        clocks->known[pipe].epoch[pipe] = clocks->epoch[pipe]++;
        return;
    }
    for (int p = 0; p < SA_PIPES; p++) {
        for (int q = 0; q < SA_PIPES; q++) {
            clocks->known[q].epoch[p] = clocks->epoch[p];
        }
        clocks->epoch[p]++;
    }
}
