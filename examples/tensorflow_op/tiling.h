/* What the host decides for the sigmoid kernel, and the kernel is told. */
#ifndef EXAMPLE_TILING_H
#define EXAMPLE_TILING_H

#include <cstdint>

struct SigmoidTiling {
    uint64_t length; /* elements */
    uint32_t tile;   /* elements: two of them in, two out, and one in float fit UB */
};

inline SigmoidTiling sigmoid_tiling(uint64_t length)
{
    return {length, 8192};
}

#endif
