/* What operators that go row by row from GM to GM share. */
#ifndef SA_OPS_COMMON_ROWS_H
#define SA_OPS_COMMON_ROWS_H

#include <stdint.h>

/* A result of more than this overruns what caches hold of it and the operand: it leaves past
 * them. */
#define SA_ROWS_PAST_BYTES (INT64_C(16) << 20)
/* How much passes between two looks at whether the launch was abandoned. */
#define SA_ROWS_PIECE (INT64_C(1) << 20)

/* Fetches what is to be written next, so that the stores find it in the first-level cache. */
static inline void sa_rows_claim(char *row, int64_t bytes)
{
    for (int64_t i = 0; i < bytes && i < 8192; i += 64)
        __builtin_prefetch(row + i, 1);
}

#endif
