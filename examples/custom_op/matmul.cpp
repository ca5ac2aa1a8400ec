/* c = a b, for softascend.load_ascendc: docs/custom-op.md walks through it. The dimensions come by
 * their names; DTYPE_A is the dtype that it is compiled for. */
#include "../tensorflow_op/matmul_kernel.h"

extern "C" __global__ __cube__ __aicore__ void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m,
                                                      uint32_t k, uint32_t n)
{
    MatmulKernel<DTYPE_A>(a, b, c, m, k, n, false, false).Process();
}
