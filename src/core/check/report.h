/* What the race check says: one report per cause, to stderr, and a summary at exit. */
#ifndef SA_RACE_REPORT_H
#define SA_RACE_REPORT_H

#include "core/check/touches.h"

typedef struct sa_race {
    const char *kernel;
    sa_core_type type;
    uint32_t block; /* of the later touch */
    bool across;    /* two blocks on the same GM bytes, not two pipes of one core */
    sa_memory memory;
    uintptr_t memory_base; /* of a local memory: reports give offsets */
    const sa_touch *earlier, *later;
    uintptr_t from, to; /* the bytes they share first */
} sa_race;

/* Prints the race unless its pair of source lines was reported before. Thread-safe. */
void sa_race_report(const sa_race *race);

#endif
