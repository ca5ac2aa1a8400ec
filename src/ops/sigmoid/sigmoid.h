/* What sigmoid's and its backward's host sides and kernels share. */
#ifndef SA_SIGMOID_H
#define SA_SIGMOID_H

#include "ops/op.h"

/* SigmoidTiling: totalLength elements as tiles of tileLength and a last one. Counts are 64-bit
 * where they count elements of GM. */
typedef struct sa_sigmoid_tiling {
    int64_t total_length, tiles;
    uint32_t tile_length, last_tile_length;
} sa_sigmoid_tiling;

/* tile_length is the lesser of 32 K elements and what `ub_bytes` holds at `bytes_per_element` (all
 * buffers together), a multiple of 64 elements; no longer than the total. */
sa_sigmoid_tiling sa_sigmoid_tile(int64_t total_length, uint32_t ub_bytes,
                                  uint32_t bytes_per_element);

/* Elements that are worth a block of their own; fewer stay on the calling thread. */
#define SA_SIGMOID_GRAIN 32768
/* Blocks begin at multiples of it. */
#define SA_SIGMOID_UNIT 256

#endif
