/* C = leaky_relu(A B) as a mixed kernel: the cube core of a block multiplies, block by block of C,
 * and its two vector cores take each as it comes, apply the function and write it out. The vector
 * cores run what is below; the cube core serves them in REGIST_MATMUL_OBJ.
 *
 *   ascc matmul_leakyrelu.cpp -o matmul_leakyrelu && ./matmul_leakyrelu 1000 700 500 */
#include "../host.h"
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tiling/tiling_api.h"

struct Tiling {
    TCubeTiling cube;
    float slope;
};

template <class T>
class KernelMatmulLeakyRelu
{
  public:
    __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, const Tiling &tiling)
    {
        const TCubeTiling &cube = tiling.cube;
        const int32_t core = AscendC::GetBlockIdx();
        const int32_t high = (cube.M + cube.singleCoreM - 1) / cube.singleCoreM;
        const int32_t row = core % high * cube.singleCoreM, col = core / high * cube.singleCoreN;
        tiling_ = tiling;
        m_ = Least(cube.M - row, cube.singleCoreM), n_ = Least(cube.N - col, cube.singleCoreN);
        a_.SetGlobalBuffer((__gm__ T *)a + (uint64_t)row * cube.Ka);
        b_.SetGlobalBuffer((__gm__ T *)b + col);
        c_.SetGlobalBuffer((__gm__ float *)c + (uint64_t)row * cube.N + col);
    }

    __aicore__ inline void Process(AscendC::TPipe *pipe)
    {
        const TCubeTiling &cube = tiling_.cube;
        pipe->InitBuffer(out_, 1, cube.baseM * cube.baseN * sizeof(float));
        mm.SetTensorA(a_);
        mm.SetTensorB(b_);
        mm.SetTail(m_, n_);
        for (int32_t i = 0; mm.template Iterate<true>(); i++) {
            Compute();
            CopyOut(i);
        }
        mm.End();
    }

    using Operand = AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, T>;
    using Result = AscendC::MatmulType<AscendC::TPosition::VECIN, CubeFormat::ND, float>;
    AscendC::Matmul<Operand, Operand, Result> mm;

  private:
    __aicore__ static inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }

    /* A block of C comes to UB with its rows baseN apart. */
    __aicore__ inline void Compute()
    {
        AscendC::LocalTensor<float> c = out_.template AllocTensor<float>();
        mm.template GetTensorC<true>(c, false, true);
        AscendC::LeakyRelu(c, c, tiling_.slope, tiling_.cube.baseM * tiling_.cube.baseN);
        out_.EnQue(c);
    }

    /* Blocks come along M first. */
    __aicore__ inline void CopyOut(int32_t block)
    {
        const TCubeTiling &cube = tiling_.cube;
        const int32_t high = (m_ + cube.baseM - 1) / cube.baseM;
        const int32_t row = block % high * cube.baseM, col = block / high * cube.baseN;
        const int32_t rows = Least(m_ - row, cube.baseM), cols = Least(n_ - col, cube.baseN);
        AscendC::LocalTensor<float> c = out_.template DeQue<float>();
        AscendC::DataCopyExtParams out;
        out.blockCount = rows;
        out.blockLen = cols * sizeof(float);
        out.srcStride = (cube.baseN - (cols + 7) / 8 * 8) / 8; /* blocks of 32 bytes */
        out.dstStride = (cube.N - cols) * sizeof(float);
        AscendC::DataCopyPad(c_[(uint64_t)row * cube.N + col], c, out);
        out_.FreeTensor(c);
    }

    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
    AscendC::GlobalTensor<T> a_, b_;
    AscendC::GlobalTensor<float> c_;
    Tiling tiling_;
    int32_t m_, n_;
};

template <class T>
__aicore__ inline void Run(GM_ADDR a, GM_ADDR b, GM_ADDR c, const Tiling &tiling)
{
    AscendC::TPipe pipe;
    KernelMatmulLeakyRelu<T> op;
    REGIST_MATMUL_OBJ(&pipe, AscendC::GetSysWorkSpacePtr(), op.mm, &tiling.cube);
    if (AscendC::GetBlockIdx() >= tiling.cube.usedCoreNum) {
        return;
    }
    op.Init(a, b, c, tiling);
    op.Process(&pipe);
}

extern "C" __global__ __aicore__ void matmul_leakyrelu_f16(GM_ADDR a, GM_ADDR b, GM_ADDR c,
                                                           Tiling tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Run<half>(a, b, c, tiling);
}

extern "C" __global__ __aicore__ void matmul_leakyrelu_f32(GM_ADDR a, GM_ADDR b, GM_ADDR c,
                                                           Tiling tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Run<float>(a, b, c, tiling);
}

static Tiling tiling_of(const example *e, int32_t m, int32_t k, int32_t n, float slope)
{
    using namespace matmul_tiling;
    const DataType type = e->f16 ? DataType::DT_FLOAT16 : DataType::DT_FLOAT;
    MultiCoreMatmulTiling cut(*platform_ascendc::PlatformAscendCManager::GetInstance());
    Tiling tiling = {{}, slope};
    cut.SetDim((int32_t)e->blocks * 2); /* vector cores */
    cut.SetAType(TPosition::GM, CubeFormat::ND, type);
    cut.SetBType(TPosition::GM, CubeFormat::ND, type);
    cut.SetCType(TPosition::VECIN, CubeFormat::ND, DataType::DT_FLOAT);
    cut.SetShape(m, n, k);
    cut.SetOrgShape(m, n, k);
    cut.SetFixSplit(128, 256, -1); /* a block of C fits UB */
    cut.SetTraverse(MatrixTraverse::FIRSTM);
    if (cut.GetTiling(tiling.cube) == -1) {
        exit(1);
    }
    return tiling;
}

int main(int argc, char **argv)
{
    example e = example_begin(argc, argv, "matmul_leakyrelu", "C = leaky_relu(A B)",
                              "M=300 K=500 N=400", "f16|f32", "K + 1 roundings of fp32");
    const float slope = 0.001f;
    const uint32_t m = (uint32_t)e.size[0], k = (uint32_t)e.size[1], n = (uint32_t)e.size[2];
    const uint64_t size_c = (uint64_t)m * n;
    float *a = example_values(&e, (uint64_t)m * k, -1, 1);
    float *b = example_values(&e, (uint64_t)k * n, -1, 1), *c = example_room(size_c);
    uint8_t *a_gm = (uint8_t *)example_upload(&e, a, (uint64_t)m * k);
    uint8_t *b_gm = (uint8_t *)example_upload(&e, b, (uint64_t)k * n);
    uint8_t *c_gm = (uint8_t *)example_device(size_c * sizeof(float));

    const Tiling tiling = tiling_of(&e, (int32_t)m, (int32_t)k, (int32_t)n, slope);
    if (e.f16) {
        matmul_leakyrelu_f16<<<e.blocks, nullptr, e.stream>>>(a_gm, b_gm, c_gm, tiling);
    } else {
        matmul_leakyrelu_f32<<<e.blocks, nullptr, e.stream>>>(a_gm, b_gm, c_gm, tiling);
    }
    example_fetch(&e, c, c_gm, size_c * sizeof(float));

    for (uint64_t i = 0; i < size_c; i++) {
        double sum = 0, size = 0;
        for (uint32_t at = 0; at < k; at++) {
            const double product = (double)a[i / n * k + at] * (double)b[(uint64_t)at * n + i % n];
            sum += product, size += fabs(product);
        }
        const double exact = sum > 0 ? sum : (double)slope * sum;
        /* near 0 the sign may differ from the exact one */
        example_expect(&e, i, c[i], exact, (k + 1) * 0x1p-23 * size);
    }
    for (uint8_t *gm : {a_gm, b_gm, c_gm}) {
        CHECK(aclrtFree(gm));
    }
    free(a), free(b), free(c);
    return example_end(&e);
}
