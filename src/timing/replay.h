/* Replays a recorded launch on a chip's rates (docs/timing.md says what is modelled). */
#ifndef SA_TIMING_REPLAY_H
#define SA_TIMING_REPLAY_H

#include "chip/chip.h"
#include "timing/trace.h"

#define SA_PIPES SA_PIPE_ALL

typedef struct sa_timing {
    double cycles, us;
    uint32_t cores;               /* that ran blocks */
    double busy_cycles[SA_PIPES]; /* sums over the cores */
    double cube_peak_share;       /* of all the chip's cubes, 0 … 1 */
    double tflops;                /* of the cube: two for a multiply-add */
    uint64_t macs;
    uint64_t gm_read_bytes, gm_write_bytes, hbm_bytes;
    char note[256]; /* what a chip would do otherwise; "" if nothing */
} sa_timing;

/* The same launch and chip give the same cycles on every machine. A record whose blocks wait for
 * what never comes: SA_ERR_INVALID_FILE and a message that names block, pipe and source line. */
SA_API sa_status sa_replay(const sa_trace_launch *launch, const sa_chip *chip, sa_timing *timing);

#endif
