/* What one instruction costs on its pipe, from a chip's rates. */
#ifndef SA_TIMING_COST_H
#define SA_TIMING_COST_H

#include "chip/chip.h"
#include "timing/trace.h"

typedef struct sa_cost_cycles {
    double occupied; /* the pipe takes its next instruction after this */
    double latency;  /* and the result is there this much later */
} sa_cost_cycles;

/* An instruction that does not touch GM. */
sa_cost_cycles sa_cost_local(const sa_chip *chip, const sa_trace_block *block,
                             const sa_trace_event *event);

/* A move from or to GM: bytes a cycle that its local side lets through (0: as fast as
 * GM is). Its result is there move_start_cycles after its last byte. */
double sa_cost_move_rate(const sa_chip *chip, const sa_trace_event *event);

/* Multiply-adds a cycle of the cube for inputs of `dtype`. */
double sa_cost_cube_rate(const sa_chip *chip, sa_dtype dtype);

#endif
