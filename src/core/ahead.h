/* Fetching ahead: on the chip the next tile moves in while the vector unit works; a thread of this
 * CPU does one after the other, and waits for memory anew with every tile. So copy_in notes what
 * lies behind what it read, which most often is the next tile, and elementwise instructions fetch
 * it into the second-level cache between pieces of their work, no more lines at once than the CPU
 * has in flight. No value is affected; a prefetch of what is not there does nothing. */
#ifndef SA_AHEAD_H
#define SA_AHEAD_H

#include "core/core.h"

#define SA_AHEAD_LINE 64
#define SA_AHEAD_AT_ONCE 16 /* lines in flight: a core's buffers for lines that it waits for */
#define SA_AHEAD_PIECE 1024 /* bytes of a result between two helpings */
#define SA_AHEAD_MOST 1024  /* lines */

/* After a move of `bytes` from `from`. */
static inline void sa_ahead_note(sa_core *core, const void *from, uint64_t bytes)
{
    uint64_t lines = bytes / SA_AHEAD_LINE;
    if (lines < SA_AHEAD_AT_ONCE)
        return;
    core->ahead_last ^= 1;
    core->ahead[core->ahead_last].at = (uintptr_t)from + bytes;
    core->ahead[core->ahead_last].lines = lines < SA_AHEAD_MOST ? (uint32_t)lines : SA_AHEAD_MOST;
}

static inline bool sa_ahead_any(const sa_core *core)
{
    return core->ahead[0].lines | core->ahead[1].lines;
}

/* One helping, shared if two tiles are wanted. */
static inline void sa_ahead_fetch(sa_core *core)
{
    uint32_t share =
        core->ahead[0].lines && core->ahead[1].lines ? SA_AHEAD_AT_ONCE / 2 : SA_AHEAD_AT_ONCE;
    for (int i = 0; i < 2; i++) {
        uint32_t n = share < core->ahead[i].lines ? share : core->ahead[i].lines;
        core->ahead[i].lines -= n;
        for (; n; n--, core->ahead[i].at += SA_AHEAD_LINE)
            __builtin_prefetch((const void *)core->ahead[i].at, 0, 2);
    }
}

/* ---- bodies in pieces, a helping before each. Elements are independent, so the result is the
 * same. */

#define SA_AHEAD_PIECES(NEXT, ...)                                                                 \
    const uint32_t piece = SA_AHEAD_PIECE / (uint32_t)size;                                        \
    for (; sa_ahead_any(core) && n > piece; n -= piece) {                                          \
        sa_ahead_fetch(core);                                                                      \
        body(__VA_ARGS__, piece);                                                                  \
        dst += SA_AHEAD_PIECE;                                                                     \
        a += SA_AHEAD_PIECE;                                                                       \
        NEXT;                                                                                      \
    }                                                                                              \
    body(__VA_ARGS__, n);

static inline void sa_ahead_binary(sa_core *core, sa_body_BINARY body, char *dst, const char *a,
                                   const char *b, uint32_t n, uint64_t size)
{
    SA_AHEAD_PIECES(b += SA_AHEAD_PIECE, dst, a, b)
}

static inline void sa_ahead_unary(sa_core *core, sa_body_UNARY body, char *dst, const char *a,
                                  uint32_t n, uint64_t size)
{
    SA_AHEAD_PIECES((void)0, dst, a)
}

static inline void sa_ahead_scalar(sa_core *core, sa_body_SCALAR body, char *dst, const char *a,
                                   double scalar, uint32_t n, uint64_t size)
{
    SA_AHEAD_PIECES((void)0, dst, a, scalar)
}

#endif
