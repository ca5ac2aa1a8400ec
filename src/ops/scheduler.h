/* DynamicScheduler: deals the tiles of a matrix (or a batch of them) to cores.
 *
 * With T tiles and C cores every core gets floor(T / C) whole tiles; the T mod C that are left, the
 * tail, are cut into pieces until they fill the cores, so that no core idles while another has two
 * left. What a core gets is a function of the numbers alone: a record of a launch is the same on
 * every run, which a shared counter would not give. */
#ifndef SA_SCHEDULER_H
#define SA_SCHEDULER_H

#include <stdint.h>

typedef struct sa_scheduler {
    int64_t batch, rows, cols;
    uint32_t granule; /* tiles start and are cut at multiples of it */
    uint32_t cores;   /* that get anything */
    int64_t tiles_rows, tiles_cols;
    int64_t whole;                   /* tiles that each core gets uncut */
    int64_t tail;                    /* tiles that are cut; they come last */
    uint32_t split_rows, split_cols; /* pieces of a tail tile along each side */
} sa_scheduler;

/* Rows [row, row + rows) and columns [col, col + cols) of matrix `batch`. */
typedef struct sa_tile {
    int64_t batch, row, col;
    uint32_t rows, cols;
} sa_tile;

/* Plans tiles of at most tile_rows x tile_cols (multiples of granule), all within one granule of
 * the same size, on at most `cores` cores. A tail tile is cut into at most max_pieces. rows, cols,
 * batch >= 1. */
void sa_scheduler_make(sa_scheduler *s, int64_t batch, int64_t rows, int64_t cols,
                       uint32_t tile_rows, uint32_t tile_cols, uint32_t granule,
                       uint32_t max_pieces, uint32_t cores);

/* How many tiles and pieces `core` (0 … s->cores - 1) gets. */
int64_t sa_scheduler_count(const sa_scheduler *s, uint32_t core);

/* The `index`-th of them. */
sa_tile sa_scheduler_tile(const sa_scheduler *s, uint32_t core, int64_t index);

#endif
