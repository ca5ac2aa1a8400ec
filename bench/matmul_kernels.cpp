/* Matmul kernels in Ascend C beside aclnnMatmul, in one process and by turns: by cube instructions
 * (kernels/cube.cpp), by the high-level class on cube cores and in a mixed kernel, each with the
 * tiling that the host's class makes. Prints GFLOPS and each one's share of aclnnMatmul's.
 *
 *   ascc -O2 bench/matmul_kernels.cpp -lopapi -lnnopbase -o matmul_kernels && ./matmul_kernels
 * [SIZE] */
#include "acl/acl.h"
#include "aclnnop/aclnn_matmul.h"
#include "kernels/cube.cpp"
#include "lib/matmul_intf.h"
#include "tiling/tiling_api.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

__aicore__ inline void multiply(GM_ADDR a, GM_ADDR b, GM_ADDR c, const TCubeTiling &tiling)
{
    using Operand = AscendC::MatmulType<AscendC::TPosition::GM, AscendC::CubeFormat::ND, half>;
    AscendC::TPipe pipe;
    AscendC::Matmul<Operand, Operand, Operand> mm;
    REGIST_MATMUL_OBJ(&pipe, AscendC::GetSysWorkSpacePtr(), mm, &tiling);
    const int32_t high = (tiling.M + tiling.singleCoreM - 1) / tiling.singleCoreM;
    const int32_t core = GetBlockIdx();
    const int32_t row = core % high * tiling.singleCoreM, col = core / high * tiling.singleCoreN;
    if (core >= tiling.usedCoreNum) {
        return;
    }
    GlobalTensor<half> a_, b_, c_;
    a_.SetGlobalBuffer((__gm__ half *)a + (uint64_t)row * tiling.Ka);
    b_.SetGlobalBuffer((__gm__ half *)b + col);
    c_.SetGlobalBuffer((__gm__ half *)c + (uint64_t)row * tiling.N + col);
    mm.SetTensorA(a_);
    mm.SetTensorB(b_);
    mm.SetTail(std::min(tiling.M - row, tiling.singleCoreM),
               std::min(tiling.N - col, tiling.singleCoreN));
    mm.IterateAll(c_);
    mm.End();
}

extern "C" __global__ __aicore__ void class_on_cube(GM_ADDR a, GM_ADDR b, GM_ADDR c,
                                                    TCubeTiling tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    multiply(a, b, c, tiling);
}
extern "C" __global__ __aicore__ void class_mixed(GM_ADDR a, GM_ADDR b, GM_ADDR c,
                                                  TCubeTiling tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    multiply(a, b, c, tiling);
}

static TCubeTiling tiling_of(int32_t n, int32_t cores)
{
    using namespace matmul_tiling;
    MultiCoreMatmulTiling cut(*platform_ascendc::PlatformAscendCManager::GetInstance());
    TCubeTiling tiling;
    cut.SetDim(cores);
    cut.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    cut.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    cut.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    cut.SetShape(n, n, n);
    cut.SetOrgShape(n, n, n);
    if (cut.GetTiling(tiling) == -1) {
        exit(1);
    }
    return tiling;
}

#define CHECK(call)                                                                                \
    if (int error = (int)(call)) {                                                                 \
        std::fprintf(stderr, "%s: error %d: %s\n", #call, error, aclGetRecentErrMsg());            \
        exit(1);                                                                                   \
    }

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoi(argv[1]) : 1024, shape[] = {n, n}, strides[] = {n, 1};
    const size_t bytes = (size_t)n * n * 2;
    aclrtStream stream;
    void *gm[3];
    if (n < 16 || n % 16) {
        std::fprintf(stderr, "Usage: %s [SIZE], a multiple of 16\n", argv[0]);
        return 2;
    }
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    aclTensor *tensor[3];
    std::vector<half> host((size_t)n * n);
    for (int i = 0; i < 3; i++) {
        for (size_t j = 0; j < host.size(); j++) {
            host[j] = half((float)((j * 7 + (size_t)i) % 17) / 16 - 0.5f);
        }
        CHECK(aclrtMalloc(&gm[i], bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMemcpy(gm[i], bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
        tensor[i] =
            aclCreateTensor(shape, 2, ACL_FLOAT16, strides, 0, ACL_FORMAT_ND, shape, 2, gm[i]);
    }
    uint8_t *a = (uint8_t *)gm[0], *b = (uint8_t *)gm[1], *c = (uint8_t *)gm[2];
    const uint32_t cores = platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();
    const TCubeTiling on_cube = tiling_of((int32_t)n, (int32_t)cores);
    const TCubeTiling mixed = tiling_of((int32_t)n, (int32_t)cores * 2);

    const struct {
        const char *name;
        std::function<void()> run;
    } kernels[] = {
        {"aclnnMatmul",
         [&] {
             uint64_t workspace;
             aclOpExecutor *executor;
             CHECK(aclnnMatmulGetWorkspaceSize(tensor[0], tensor[1], tensor[2], 1, &workspace,
                                               &executor));
             CHECK(aclnnMatmul(nullptr, workspace, executor, stream));
         }},
        {"cube instructions",
         [&] {
             bench_matmul(cores, stream, a, b, c, (uint32_t)n, (uint32_t)n, (uint32_t)n, 128, 256,
                          256, 64);
         }},
        {"Matmul class, cube cores",
         [&] { class_on_cube<<<on_cube.usedCoreNum, nullptr, stream>>>(a, b, c, on_cube); }},
        {"Matmul class, mixed",
         [&] { class_mixed<<<(mixed.usedCoreNum + 1) / 2, nullptr, stream>>>(a, b, c, mixed); }},
    };
    constexpr int COUNT = 4, ROUNDS = 31;
    std::vector<double> seconds[COUNT];
    std::vector<half> first((size_t)n * n);
    for (int round = -2; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            auto begin = std::chrono::steady_clock::now();
            kernels[i].run();
            CHECK(aclrtSynchronizeStream(stream));
            double took =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            if (round >= 0) {
                seconds[i].push_back(took);
            } else { /* all compute the same bits */
                CHECK(aclrtMemcpy(i ? host.data() : first.data(), bytes, gm[2], bytes,
                                  ACL_MEMCPY_DEVICE_TO_HOST));
                if (i && std::memcmp(host.data(), first.data(), bytes)) {
                    std::fprintf(stderr, "%s gives another result\n", kernels[i].name);
                    return 1;
                }
                CHECK(aclrtMemset(gm[2], bytes, 0, bytes));
            }
        }
    }
    double base = 0;
    for (int i = 0; i < COUNT; i++) {
        std::sort(seconds[i].begin(), seconds[i].end());
        const double median = seconds[i][ROUNDS / 2], rate = 2e-9 * (double)n * n * n / median;
        base = i ? base : rate;
        std::printf("%-26s %8.3f ms %8.1f GFLOPS  %.2f of aclnnMatmul\n", kernels[i].name,
                    median * 1e3, rate, rate / base);
    }
    for (int i = 0; i < 3; i++) {
        aclDestroyTensor(tensor[i]);
        CHECK(aclrtFree(gm[i]));
    }
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
