/* Kernels that choose their core by the preprocessor: the cube half and the vector half are other
 * code under the same names, helpers, templates and globals included. */
#include "acl/acl.h"
#include "kernel_operator.h"

#include <cstdio>
#include <vector>

struct Noisy {
    Noisy() { std::printf("constructed\n"); }
} noisy; /* one object of the program has it: once */

#ifdef __DAV_C220_CUBE__
constexpr int32_t CORE = 100;
inline int32_t helper(int32_t a)
{
    return a + 1;
}
#elif defined(__DAV_C220_VEC__)
constexpr int32_t CORE = 200;
inline int32_t helper(int32_t a)
{
    return a + 2;
}
#else
constexpr int32_t CORE = 300;
inline int32_t helper(int32_t a)
{
    return a + 3;
}
#endif

template <class T>
T twice(T a)
{
    static T calls;
    calls = 2 * a + helper(CORE);
    return calls;
}

/* word 0 … from the cube half, 64 … from the vector half */
static constexpr int32_t PART = CORE == 100 ? 0 : CORE == 200 ? 64 : 128;

extern "C" __global__ __aicore__ void both(int32_t *out, int32_t a, float f, double d, int64_t e,
                                           int64_t g, int64_t h, int64_t i, int64_t j)
{
#if defined(__DAV_C220_CUBE__) || defined(__DAV_C220_VEC__)
    out[PART + AscendC::GetBlockIdx()] = twice(a) + (int32_t)(f + d + e + g + h + i + j);
#endif
}

namespace space
{
template <class T, int N>
__global__ __aicore__ void templated(int32_t *out, T a)
{
#ifdef __DAV_C220_CUBE__
    out[AscendC::GetBlockIdx()] = helper((int32_t)a) + N;
#endif
#ifdef __DAV_C220_VEC__
    out[64 + AscendC::GetBlockIdx()] = helper((int32_t)a) + 2 * N;
#endif
}
} // namespace space

/* the same text for both: a vector kernel, which runs once */
extern "C" __global__ __aicore__ void single(int32_t *out)
{
    out[64 + AscendC::GetBlockIdx()] += 1;
}

extern "C" __global__ __aicore__ void marked(int32_t *out)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
#ifdef __DAV_C220_CUBE__
    out[AscendC::GetBlockIdx()] = 3;
#else
    out[64 + AscendC::GetBlockIdx()] = 4;
#endif
}

/* there and back: only halves that run side by side get through */
extern "C" __global__ __aicore__ void flags(int32_t *out)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
#ifdef __DAV_C220_CUBE__
    sa_cross_wait(sa_self(), SA_PIPE_S, 1);
    out[sa_block_idx(sa_self())] = out[64 + 2 * sa_block_idx(sa_self())] + 1;
#endif
#ifdef __DAV_C220_VEC__
    out[64 + sa_block_idx(sa_self())] = 5;
    sa_cross_set(sa_self(), 2, SA_PIPE_S, 1);
#endif
}

static int wrong;

static void expect(const char *what, int32_t *words, int32_t cube, int32_t vector)
{
    int code = aclrtSynchronizeStream(nullptr);
    if (code || words[0] != cube || words[1] != cube || words[64] != vector ||
        (vector && words[67] != vector) || words[128]) {
        std::printf("%s: code %d, cube %d %d, vector %d %d, other %d\n", what, code, words[0],
                    words[1], words[64], words[67], words[128]);
        wrong = 1;
    }
    for (int i = 0; i < 192; i++) {
        words[i] = 0;
    }
}

int main()
{
    void *memory;
    if (aclInit(nullptr) || aclrtSetDevice(0) ||
        aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST)) {
        return 1;
    }
    int32_t *gm = (int32_t *)memory;
    for (int i = 0; i < 192; i++) {
        gm[i] = 0;
    }
    both<<<2, nullptr, nullptr>>>(gm, 10, 1.0f, 2.0, 3, 4, 5, 6, 7);
    expect("both", gm, 20 + 101 + 28, 20 + 202 + 28);
    space::templated<float, 7><<<2, nullptr, nullptr>>>(gm, 5.0f);
    expect("templated", gm, 6 + 7, 7 + 14);
    single<<<4, nullptr, nullptr>>>(gm);
    expect("single", gm, 0, 1);
    marked<<<2, nullptr, nullptr>>>(gm);
    expect("marked", gm, 3, 0);
    flags<<<2, nullptr, nullptr>>>(gm);
    expect("flags", gm, 6, 5);
    if (helper(0) != 3 || twice(1) != 305) {
        std::printf("host: %d %d\n", helper(0), twice(1));
        wrong = 1;
    }
    std::printf(wrong ? "failed\n" : "passed\n");
    return wrong;
}
