/* What a position of the Ascend C door means (memory, pipes), and the flags that queues and kernels
 * share (kernel_operator.h). */
#ifndef ASCENDC_FLAGS_H
#define ASCENDC_FLAGS_H

#include "ascendc/tensor.h"

namespace softascend
{
constexpr const char *name_of(AscendC::TPosition p)
{
    using P = AscendC::TPosition;
    switch (p) {
    case P::GM:
        return "GM";
    case P::A1:
        return "A1";
    case P::A2:
        return "A2";
    case P::B1:
        return "B1";
    case P::B2:
        return "B2";
    case P::C1:
        return "C1";
    case P::C2:
        return "C2";
    case P::CO1:
        return "CO1";
    case P::CO2:
        return "CO2";
    case P::VECIN:
        return "VECIN";
    case P::VECOUT:
        return "VECOUT";
    case P::TSCM:
        return "TSCM";
    default:
        return "VECCALC";
    }
}

/* The pipe that fills a buffer whose life begins at `p`. */
constexpr sa_pipe filler(AscendC::TPosition p)
{
    using P = AscendC::TPosition;
    switch (p) {
    case P::A2:
    case P::B2:
    case P::C2:
        return SA_PIPE_MTE1;
    case P::CO1:
        return SA_PIPE_M;
    case P::VECOUT:
    case P::VECCALC:
    case P::CO2:
        return SA_PIPE_V;
    default:
        return SA_PIPE_MTE2;
    }
}

/* L0C leaves through UB on coupled chips, by FIX on split ones. */
constexpr sa_pipe co1_emptier = __NPU_ARCH__ == 2201 ? SA_PIPE_FIX : SA_PIPE_V;

/* The pipe that empties a buffer whose life ends at `p`. */
constexpr sa_pipe emptier(AscendC::TPosition p)
{
    using P = AscendC::TPosition;
    switch (p) {
    case P::A1:
    case P::B1:
    case P::C1:
    case P::TSCM:
        return SA_PIPE_MTE1;
    case P::A2:
    case P::B2:
    case P::C2:
        return SA_PIPE_M;
    case P::CO1:
        return co1_emptier;
    case P::GM:
    case P::VECOUT:
    case P::CO2:
        return SA_PIPE_MTE3;
    default:
        return SA_PIPE_V;
    }
}

/* Which flag ids of each pair of pipes are taken: queues and AllocEventID share the eight that a
 * pair has. One a block, in the block's TPipe. */
struct flags {
    uint8_t in_use[SA_PIPE_ALL][SA_PIPE_ALL] = {}; /* by queues: set and not yet waited for */
    uint8_t given[SA_PIPE_ALL][SA_PIPE_ALL] = {};  /* by AllocEventID */

    SA_INLINE int free_id(sa_pipe from, sa_pipe to) const
    {
        uint8_t taken = in_use[from][to] | given[from][to];
        return taken == 0xff ? -1 : __builtin_ctz(~(unsigned)taken);
    }
    /* Sets a free flag; -1 if there was none, then a barrier has ordered everything instead. */
    SA_INLINE int set(sa_pipe from, sa_pipe to)
    {
        int id = free_id(from, to);
        if (id < 0) {
            sa_barrier(sa_self(), SA_PIPE_ALL);
            return -1;
        }
        in_use[from][to] |= (uint8_t)(1 << id);
        sa_set_flag(sa_self(), from, to, (uint32_t)id);
        return id;
    }
    SA_INLINE void wait(sa_pipe from, sa_pipe to, int id)
    {
        if (id >= 0) {
            sa_wait_flag(sa_self(), from, to, (uint32_t)id);
            in_use[from][to] &= (uint8_t) ~(1 << id);
        }
    }
    /* No flag stays set behind a kernel's back. */
    SA_INLINE void wait_all()
    {
        for (int from = 0; from < SA_PIPE_ALL; from++) {
            for (int to = 0; to < SA_PIPE_ALL; to++) {
                while (in_use[from][to]) {
                    wait((sa_pipe)from, (sa_pipe)to, __builtin_ctz(in_use[from][to]));
                }
            }
        }
    }
};

constexpr sa_pipe event_from(AscendC::HardEvent event)
{
    return (sa_pipe)((int)event / 8);
}
constexpr sa_pipe event_to(AscendC::HardEvent event)
{
    return (sa_pipe)((int)event % 8);
}
} // namespace softascend

#endif
