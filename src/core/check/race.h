/* The race check of one launch, apart from its callbacks: what tests feed with events. */
#ifndef SA_RACE_H
#define SA_RACE_H

#include "core/check/clocks.h"
#include "core/check/report.h"
#include "core/check/touches.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct sa_race_launch {
    char kernel[128];
    sa_core_type type;
    atomic_uint races;
    atomic_bool ordered_by_flags;
    /* blocks are not compared with each other */ /* each time that one happened */
    pthread_mutex_t lock;
    sa_touches gm; /* of all blocks so far; guarded by lock */
} sa_race_launch;

typedef struct sa_race_block {
    sa_race_launch *launch;
    uint32_t block;
    uint32_t phase; /* SyncAlls so far */
    uintptr_t base[SA_MEMORIES];
    sa_clocks clocks;
    sa_touches touches[SA_MEMORIES];
} sa_race_block;

sa_race_launch *sa_race_launch_create(const char *kernel, sa_core_type type);
void sa_race_launch_destroy(sa_race_launch *launch);
sa_race_block *sa_race_block_create(sa_race_launch *launch, uint32_t block,
                                    const uintptr_t base[SA_MEMORIES]);
void sa_race_issue(sa_race_block *block, const sa_event *event);
/* Compares the block's GM accesses with those of the launch's other blocks and ends the block. */
void sa_race_block_destroy(sa_race_block *block);

#endif
