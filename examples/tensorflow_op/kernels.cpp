/* The kernels that the ops launch, by type. */
#include "matmul_kernel.h"
#include "sigmoid_kernel.h"

#define KERNELS_OF(T)                                                                              \
    extern "C" __global__ __vector__ __aicore__ void sigmoid_##T(GM_ADDR x, GM_ADDR y,             \
                                                                 SigmoidTiling tiling)             \
    {                                                                                              \
        SigmoidKernel<T>(x, y, tiling).Process();                                                  \
    }

#define CUBE_KERNELS_OF(T)                                                                         \
    extern "C" __global__ __cube__ __aicore__ void matmul_##T(GM_ADDR a, GM_ADDR b, GM_ADDR c,     \
                                                              uint32_t m, uint32_t k, uint32_t n,  \
                                                              bool a_turned, bool b_turned)        \
    {                                                                                              \
        MatmulKernel<T>(a, b, c, m, k, n, a_turned, b_turned).Process();                           \
    }

KERNELS_OF(float)
KERNELS_OF(half)
KERNELS_OF(bfloat16_t)
CUBE_KERNELS_OF(half)
CUBE_KERNELS_OF(bfloat16_t)
