/* C = A B + bias by the high-level Matmul: the host's tiling class cuts the product for the chip,
 * the kernel's object does the rest. The kernel is mixed, as the class has it: what is below runs
 * on vector cores, two for each cube core, which serves them in REGIST_MATMUL_OBJ.
 *
 *   ascc matmul_class.cpp -o matmul_class && ./matmul_class 1000 700 500 --dtype f16 */
#include "../host.h"
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tiling/tiling_api.h"

#ifdef ASCENDC_CUBE_ONLY
constexpr int32_t CORES_OF_A_BLOCK = 1;
#else
constexpr int32_t CORES_OF_A_BLOCK = 2;
#endif

/* This core's part of C: the tiling deals shares of singleCoreM x singleCoreN, rows first. */
template <class T>
__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                const TCubeTiling &tiling)
{
    using Operand = AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, T>;
    using Bias = AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>;
    AscendC::TPipe pipe;
    AscendC::Matmul<Operand, Operand, Operand, Bias, AscendC::CFG_MDL> mm;
    REGIST_MATMUL_OBJ(&pipe, AscendC::GetSysWorkSpacePtr(), mm, &tiling);

    const int32_t high = (tiling.M + tiling.singleCoreM - 1) / tiling.singleCoreM;
    const int32_t core = AscendC::GetBlockIdx();
    const int32_t row = core % high * tiling.singleCoreM, col = core / high * tiling.singleCoreN;
    if (core >= tiling.usedCoreNum) {
        return;
    }
    AscendC::GlobalTensor<T> a_, b_, c_;
    AscendC::GlobalTensor<float> bias_;
    a_.SetGlobalBuffer((__gm__ T *)a + (uint64_t)row * tiling.Ka);
    b_.SetGlobalBuffer((__gm__ T *)b + col);
    c_.SetGlobalBuffer((__gm__ T *)c + (uint64_t)row * tiling.N + col);
    bias_.SetGlobalBuffer((__gm__ float *)bias + col);
    mm.SetTensorA(a_);
    mm.SetTensorB(b_);
    mm.SetBias(bias_);
    mm.SetTail(tiling.M - row < tiling.singleCoreM ? tiling.M - row : tiling.singleCoreM,
               tiling.N - col < tiling.singleCoreN ? tiling.N - col : tiling.singleCoreN);
    mm.IterateAll(c_);
    mm.End();
}

extern "C" __global__ __aicore__ void matmul_f32(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                                 TCubeTiling tiling)
{
    Multiply<float>(a, b, bias, c, tiling);
}

extern "C" __global__ __aicore__ void matmul_f16(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                                 TCubeTiling tiling)
{
    Multiply<half>(a, b, bias, c, tiling);
}

extern "C" __global__ __aicore__ void matmul_bf16(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                                  TCubeTiling tiling)
{
    Multiply<bfloat16_t>(a, b, bias, c, tiling);
}

static TCubeTiling tiling_of(const example *e, int32_t m, int32_t k, int32_t n)
{
    using namespace matmul_tiling;
    const DataType type = e->f16    ? DataType::DT_FLOAT16
                          : e->bf16 ? DataType::DT_BF16
                                    : DataType::DT_FLOAT;
    MultiCoreMatmulTiling cut(*platform_ascendc::PlatformAscendCManager::GetInstance());
    TCubeTiling tiling;
    cut.SetDim((int32_t)e->blocks * CORES_OF_A_BLOCK);
    cut.SetAType(TPosition::GM, CubeFormat::ND, type);
    cut.SetBType(TPosition::GM, CubeFormat::ND, type);
    cut.SetCType(TPosition::GM, CubeFormat::ND, type);
    cut.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    cut.SetShape(m, n, k);
    cut.SetOrgShape(m, n, k);
    cut.SetBias(true);
    cut.SetBufferSpace(-1, -1, -1);
    if (cut.GetTiling(tiling) == -1) {
        exit(1);
    }
    return tiling;
}

int main(int argc, char **argv)
{
    example e = example_begin(argc, argv, "matmul_class", "C = A B + bias", "M=300 K=500 N=400",
                              "f32|f16|bf16", "K roundings of fp32, one of the result");
    const uint32_t m = (uint32_t)e.size[0], k = (uint32_t)e.size[1], n = (uint32_t)e.size[2];
    float *a = example_values(&e, (uint64_t)m * k, -1, 1);
    float *b = example_values(&e, (uint64_t)k * n, -1, 1), *c = example_room((uint64_t)m * n);
    float *bias = example_values(&e, n, -4, 4);
    uint8_t *a_gm = (uint8_t *)example_upload(&e, a, (uint64_t)m * k);
    uint8_t *b_gm = (uint8_t *)example_upload(&e, b, (uint64_t)k * n);
    uint8_t *c_gm = (uint8_t *)example_output(&e, (uint64_t)m * n);
    uint8_t *bias_gm = (uint8_t *)example_device(n * sizeof(float)); /* fp32 for every type */
    CHECK(aclrtMemcpy(bias_gm, n * sizeof(float), bias, n * sizeof(float),
                      ACL_MEMCPY_HOST_TO_DEVICE));

    const TCubeTiling tiling = tiling_of(&e, (int32_t)m, (int32_t)k, (int32_t)n);
    if (e.f16) {
        matmul_f16<<<e.blocks, nullptr, e.stream>>>(a_gm, b_gm, bias_gm, c_gm, tiling);
    } else if (e.bf16) {
        matmul_bf16<<<e.blocks, nullptr, e.stream>>>(a_gm, b_gm, bias_gm, c_gm, tiling);
    } else {
        matmul_f32<<<e.blocks, nullptr, e.stream>>>(a_gm, b_gm, bias_gm, c_gm, tiling);
    }
    example_download(&e, c, c_gm, (uint64_t)m * n);

    for (uint64_t i = 0; i < (uint64_t)m * n; i++) {
        double sum = (double)bias[i % n], size = fabs(sum);
        for (uint32_t at = 0; at < k; at++) {
            const double product = (double)a[i / n * k + at] * (double)b[(uint64_t)at * n + i % n];
            sum += product, size += fabs(product);
        }
        example_expect(&e, i, c[i], sum, example_units(&e, k + 1, size, sum));
    }
    for (uint8_t *gm : {a_gm, b_gm, c_gm, bias_gm}) {
        CHECK(aclrtFree(gm));
    }
    free(a), free(b), free(c), free(bias);
    return example_end(&e);
}
