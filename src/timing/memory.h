/* GM behind the cores: what of a move is in L2, and how HBM and L2 bandwidth is shared. */
#ifndef SA_TIMING_MEMORY_H
#define SA_TIMING_MEMORY_H

#include "chip/chip.h"
#include "timing/trace.h"

/* Lines of 512 bytes, filled by sectors of 128; first in, first out. */
typedef struct sa_l2 sa_l2;

/* `most_lines`: how many lines may be touched at most, so that a small kernel needs a small table.
 */
sa_l2 *sa_l2_create(const sa_chip *chip, uint64_t most_lines);

/* Lines that an access touches at most. */
uint64_t sa_l2_most_lines(const sa_trace_access *access);
void sa_l2_destroy(sa_l2 *l2);

/* Touches the bytes of an access; answers how many bytes HBM moves for it, in whole sectors. */
uint64_t sa_l2_touch(sa_l2 *l2, const sa_trace_access *access);

/* A move that is under way: first its HBM bytes, then its L2 bytes. */
typedef struct sa_transfer {
    double hbm_left, l2_left;
    double limit; /* bytes a cycle of the core's own path, 0: none */
    bool write;
} sa_transfer;

typedef struct sa_shares { /* bytes a cycle for each of the moves under way */
    double hbm, l2_read, l2_write;
} sa_shares;

/* Each core may take what its path lets through; what all share is split evenly. */
sa_shares sa_share_bandwidth(const sa_chip *chip, int hbm_moves, int l2_reads, int l2_writes);

static inline double sa_transfer_rate(const sa_transfer *t, const sa_shares *shares)
{
    double rate = t->hbm_left > 0 ? shares->hbm : t->write ? shares->l2_write : shares->l2_read;
    return t->limit > 0 && t->limit < rate ? t->limit : rate;
}

#endif
