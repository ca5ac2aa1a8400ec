/* SigmoidTiling as a function of length, UB and bytes an element; backward uses it too. */
#include "ops/sigmoid/sigmoid.h"

#define TILE_MOST 32768
#define TILE_UNIT 64

sa_sigmoid_tiling sa_sigmoid_tile(int64_t total_length, uint32_t ub_bytes,
                                  uint32_t bytes_per_element)
{
    int64_t tile = ub_bytes / bytes_per_element / TILE_UNIT * TILE_UNIT;
    int64_t tiles;

    if (tile > TILE_MOST)
        tile = TILE_MOST;
    if (tile > total_length)
        tile = total_length;
    if (tile == 0)
        return (sa_sigmoid_tiling){0};
    tiles = (total_length - 1) / tile + 1;
    return (sa_sigmoid_tiling){total_length, tiles, (uint32_t)tile,
                               (uint32_t)(total_length - (tiles - 1) * tile)};
}
