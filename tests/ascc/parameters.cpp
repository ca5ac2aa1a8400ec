/* Parameters of kernels as C++ lets one write them: attributes before and behind, arrays, defaults.
 */
#include "acl/acl.h"
#include "kernel_operator.h"
#include <cstdio>

struct pair {
    int a, b;
};

extern "C" __global__ __aicore__ void sum([[maybe_unused]] __gm__ int32_t *out, int32_t list[4],
                                          float f __attribute__((unused)),
                                          const struct pair p [[maybe_unused]],
                                          __attribute__((unused)) unsigned long long z = 1)
{
    out[0] = list[3] + p.a + (int32_t)z;
}

int main()
{
    void *memory;
    if (aclInit(nullptr) || aclrtSetDevice(0) ||
        aclrtMalloc(&memory, 256, ACL_MEM_MALLOC_HUGE_FIRST)) {
        return 1;
    }
    int32_t *gm = (int32_t *)memory, first;
    gm[11] = 1;
    sum<<<1, nullptr, nullptr>>>(gm, gm + 8, 1.0f, pair{2, 0}, 2);
    aclrtSynchronizeStream(nullptr);
    first = gm[0];
    aclrtlaunch_sum(1, nullptr, memory, gm + 8, 1.0f, pair{2, 0}, 3);
    aclrtSynchronizeStream(nullptr);
    std::printf("%d %d\n", first, gm[0]);
}
