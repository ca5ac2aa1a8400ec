/* Which cores a kernel runs on, by its mark or by KERNEL_TASK_TYPE, how they are numbered there,
 * and flags between them in every mode. Public documentation: a vector core of a mixed kernel has
 * block index aic * ratio + sub; GetBlockNum counts blocks, not cores. */
#include "acl/acl.h"
#include "kernel_operator.h"

#include <cstdio>
#include <cstring>

using namespace AscendC;

constexpr int CORES = 16, WORDS = 4;

/* What every core says of itself: cube cores in the first half of `out`, vector cores behind. */
__aicore__ inline void tell(int32_t *out)
{
    int32_t *at = out + ((ASCEND_IS_AIC ? 0 : CORES) + GetBlockIdx()) * WORDS;
    at[0]++;
    at[1] = (int32_t)GetSubBlockIdx();
    at[2] = (int32_t)GetTaskRation();
    at[3] = (int32_t)GetBlockNum();
}

#define KIND(name, type)                                                                           \
    extern "C" __global__ __aicore__ void name(int32_t *out)                                       \
    {                                                                                              \
        KERNEL_TASK_TYPE_DEFAULT(type);                                                            \
        tell(out);                                                                                 \
    }
KIND(aiv_only, KERNEL_TYPE_AIV_ONLY)
KIND(aic_only, KERNEL_TYPE_AIC_ONLY)
KIND(aiv_1_0, KERNEL_TYPE_MIX_AIV_1_0)
KIND(aic_1_0, KERNEL_TYPE_MIX_AIC_1_0)
KIND(mix_1_1, KERNEL_TYPE_MIX_AIC_1_1)
KIND(mix_1_2, KERNEL_TYPE_MIX_AIC_1_2)
extern "C" __mix__(1, 1) __global__ __aicore__ void marked_1_1(int32_t *out)
{
    tell(out);
}
extern "C" __mix__(1, 2) __global__ __aicore__ void marked_1_2(int32_t *out)
{
    tell(out);
}
extern "C" __mix__(1, 0) __global__ __aicore__ void marked_1_0(int32_t *out)
{
    tell(out);
}
extern "C" __mix__(0, 1) __global__ __aicore__ void marked_0_1(int32_t *out)
{
    tell(out);
}

/* ---- flags: each core adds 1 before it sets, and after it waits reads what the others added */

__aicore__ inline void meet(int32_t *sum, int32_t *seen, uint16_t flag, int mode)
{
    for (int round = 0; round < 3; round++) {
        __atomic_add_fetch(sum, 1, __ATOMIC_SEQ_CST);
        if (mode == 0) {
            CrossCoreSetFlag<0, PIPE_MTE3>(flag);
        } else {
            CrossCoreSetFlag<1, PIPE_MTE3>(flag);
        }
        CrossCoreWaitFlag(flag);
        seen[round] = __atomic_load_n(sum, __ATOMIC_SEQ_CST);
        /* once more, so that nobody adds before all have read */
        if (mode == 0) {
            CrossCoreSetFlag<0, PIPE_MTE3>(flag);
        } else {
            CrossCoreSetFlag<1, PIPE_MTE3>(flag);
        }
        CrossCoreWaitFlag(flag);
    }
}

/* Mode 0: among all cores of a kind. */
extern "C" __mix__(1, 2) __global__ __aicore__ void mode_0(int32_t *out)
{
    int kind = ASCEND_IS_AIC ? 0 : 1;
    meet(out + kind, out + 8 + (kind * CORES + GetBlockIdx()) * WORDS, 1, 0);
}

/* Mode 1: between the vector cores of a block. */
extern "C" __mix__(1, 2) __global__ __aicore__ void mode_1(int32_t *out)
{
    if ASCEND_IS_AIV {
        meet(out + GetBlockIdx() / 2, out + 8 + (CORES + GetBlockIdx()) * WORDS, 2, 1);
    }
}

/* Mode 2: a cube core and its vector cores, both ways, three rounds. */
__aicore__ inline void there_and_back(int32_t *out)
{
    const int ratio = (int)GetTaskRation(), me = (int)GetBlockIdx();
    int32_t *cube = out + (ASCEND_IS_AIC ? me : me / ratio) * WORDS;
    int32_t *vector = out + CORES * WORDS;
    for (int round = 1; round <= 3; round++) {
        if ASCEND_IS_AIC {
            cube[0] = round * 10;
            CrossCoreSetFlag<2, PIPE_FIX>(3);
            CrossCoreWaitFlag<2>(4);
            cube[1] = 0;
            for (int i = 0; i < ratio; i++) {
                cube[1] += vector[(me * ratio + i) * WORDS];
            }
        }
        if ASCEND_IS_AIV {
            CrossCoreWaitFlag<2>(3);
            vector[me * WORDS] = cube[0] + me;
            CrossCoreSetFlag<2, PIPE_MTE3>(4);
        }
    }
}
extern "C" __mix__(1, 1) __global__ __aicore__ void mode_2_1_1(int32_t *out)
{
    there_and_back(out);
}
extern "C" __mix__(1, 2) __global__ __aicore__ void mode_2_1_2(int32_t *out)
{
    there_and_back(out);
}

/* SyncAll: of the vector cores, then of all. Cube cores do not hold up the first. */
extern "C" __mix__(1, 2) __global__ __aicore__ void sync(int32_t *out)
{
    int32_t *seen = out + 8 + ((ASCEND_IS_AIC ? 0 : CORES) + GetBlockIdx()) * WORDS;
    if ASCEND_IS_AIV {
        __atomic_add_fetch(out, 1, __ATOMIC_SEQ_CST);
        SyncAll<true>();
        seen[0] = __atomic_load_n(out, __ATOMIC_SEQ_CST);
    }
    __atomic_add_fetch(out + 1, 1, __ATOMIC_SEQ_CST);
    SyncAll<false>();
    seen[1] = __atomic_load_n(out + 1, __ATOMIC_SEQ_CST);
}

/* ---- the host's side */

static int wrong;
static int32_t *gm;

static void clear()
{
    std::memset(gm, 0, 4096);
}

static void finish(const char *what)
{
    int code = aclrtSynchronizeStream(nullptr);
    if (code) {
        std::printf("%s: %d: %s\n", what, code, aclGetRecentErrMsg());
        wrong = 1;
    }
}

static void same(const char *what, int core, const char *field, int32_t got, int32_t want)
{
    if (got != want) {
        std::printf("%s, core %d: %s is %d, not %d\n", what, core, field, got, want);
        wrong = 1;
    }
}

/* Five blocks: `cubes` and `vectors` cores of a block, and the ratio they are told. */
static void told(const char *what, int cubes, int vectors, int ratio)
{
    finish(what);
    const int blocks = 5;
    for (int core = 0; core < CORES; core++) {
        const int32_t *c = gm + core * WORDS, *v = gm + (CORES + core) * WORDS;
        bool is_cube = core < blocks * cubes, is_vector = core < blocks * vectors;
        same(what, core, "cube runs", c[0], is_cube);
        same(what, core, "vector runs", v[0], is_vector);
        same(what, core, "its sub-block", v[1], is_vector ? core % (vectors ? vectors : 1) : 0);
        same(what, core, "the cube's ratio", c[2], is_cube ? ratio : 0);
        same(what, core, "the vector's ratio", v[2], is_vector ? ratio : 0);
        same(what, core, "blocks", is_cube ? c[3] : is_vector ? v[3] : blocks, blocks);
    }
    clear();
}

static void met(const char *what, int from, int cores, int group)
{
    for (int core = 0; core < cores; core++)
        for (int round = 0; round < 3; round++)
            same(what, core, "sum", gm[8 + (from + core) * WORDS + round], group * (round + 1));
}

static void answered(const char *what, int ratio)
{
    finish(what);
    for (int block = 0; block < 3; block++) {
        int sum = 0;
        for (int i = 0; i < ratio; i++) {
            int core = block * ratio + i;
            same(what, core, "value", gm[(CORES + core) * WORDS], 30 + core);
            sum += 30 + core;
        }
        same(what, block, "sum", gm[block * WORDS + 1], sum);
    }
    clear();
}

int main()
{
    void *memory;
    if (aclInit(nullptr) || aclrtSetDevice(0) ||
        aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST)) {
        return 1;
    }
    gm = (int32_t *)memory;
    clear();
#define TOLD(kernel, cubes, vectors, ratio)                                                        \
    kernel<<<5, nullptr, nullptr>>>(gm);                                                           \
    told(#kernel, cubes, vectors, ratio)
    TOLD(aiv_only, 0, 1, 1);
    TOLD(aic_only, 1, 0, 1);
    TOLD(aiv_1_0, 0, 1, 1);
    TOLD(aic_1_0, 1, 0, 1);
    TOLD(mix_1_1, 1, 1, 1);
    TOLD(mix_1_2, 1, 2, 2);
    TOLD(marked_1_1, 1, 1, 1);
    TOLD(marked_1_2, 1, 2, 2);
    TOLD(marked_1_0, 1, 0, 1);
    TOLD(marked_0_1, 0, 1, 1);

    mode_0<<<4, nullptr, nullptr>>>(gm);
    finish("mode 0");
    met("mode 0, cube", 0, 4, 4);
    met("mode 0, vector", CORES, 8, 8);
    clear();
    mode_1<<<4, nullptr, nullptr>>>(gm);
    finish("mode 1");
    met("mode 1", CORES, 8, 2);
    clear();
    mode_2_1_1<<<3, nullptr, nullptr>>>(gm);
    answered("mode 2, 1:1", 1);
    mode_2_1_2<<<3, nullptr, nullptr>>>(gm);
    answered("mode 2, 1:2", 2);
    sync<<<4, nullptr, nullptr>>>(gm);
    finish("sync");
    for (int core = 0; core < 8; core++) {
        same("SyncAll<true>", core, "sum", gm[8 + (CORES + core) * WORDS], 8);
        same("SyncAll<false>", core, "sum", gm[8 + (CORES + core) * WORDS + 1], 12);
    }
    for (int core = 0; core < 4; core++)
        same("SyncAll<false>, cube", core, "sum", gm[8 + core * WORDS + 1], 12);

    aclrtFree(memory);
    aclrtResetDevice(0);
    aclFinalize();
    std::printf(wrong ? "failed\n" : "passed\n");
    return wrong;
}
