/* y = 1 / (1 + exp(-x)) for all three types that the Sigmoid article declares, with its tiling and
 * its names, made right. ../README.md says what was wrong.
 *
 *   ascc sigmoid.cpp -o sigmoid && ./sigmoid --dtype bf16 */
#include "../../host.h"
#include "kernel_operator.h"
#include "tiling/platform/platform_ascendc.h"

#include <type_traits>

constexpr int32_t BUFFERS = 2;

/* The article's, with lengths of 64 bits. The host copies it into GM, where the kernel reads it. */
struct SigmoidTiling {
    uint64_t totalLength;    /* elements */
    uint64_t tiles;          /* of tileLength, but for the last */
    uint32_t tileLength;     /* elements, whole 32-byte blocks */
    uint32_t lastTileLength; /* 1 to tileLength */
};

/* Bytes of UB that an element takes. fp32: x and y, twice each. The others: the same in 2 bytes,
 * and x and y once in fp32. */
static uint32_t BytesPerElement(uint32_t element)
{
    return element == 4 ? 4 * BUFFERS * 2 : 2 * BUFFERS * 2 + 2 * 4;
}

static SigmoidTiling CalculateTiling(uint64_t num_elements, uint32_t element)
{
    uint64_t ub = 0;
    platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreMemSize(
        platform_ascendc::CoreMemType::UB, ub);
    const uint64_t reserve = 32 * 1024; /* Sigmoid's own scratch on a card */
    const uint64_t fits = (ub - reserve) / BytesPerElement(element) / 32 * 32;

    SigmoidTiling tiling = {};
    tiling.totalLength = num_elements;
    tiling.tileLength =
        (uint32_t)(fits < 32768 ? fits : 32768); /* the article's 32 K, if they fit */
    tiling.tiles = (num_elements + tiling.tileLength - 1) / tiling.tileLength; /* 0 for none */
    tiling.lastTileLength = (uint32_t)(num_elements % tiling.tileLength);
    if (tiling.lastTileLength == 0) {
        tiling.lastTileLength = tiling.tileLength;
    }
    return tiling;
}

template <typename T>
class SigmoidKernel
{
  public:
    __aicore__ inline SigmoidKernel() {}

    __aicore__ inline void Init(GM_ADDR input, GM_ADDR output, const SigmoidTiling &t)
    {
        tiling = t;
        inputGm.SetGlobalBuffer((__gm__ T *)input, t.totalLength);
        outputGm.SetGlobalBuffer((__gm__ T *)output, t.totalLength);
        pipe.InitBuffer(inQueue, BUFFERS, t.tileLength * sizeof(T));
        pipe.InitBuffer(outQueue, BUFFERS, t.tileLength * sizeof(T));
        if constexpr (!std::is_same_v<T, float>) {
            pipe.InitBuffer(wideIn, t.tileLength * sizeof(float));
            pipe.InitBuffer(wideOut, t.tileLength * sizeof(float));
        }
    }

    __aicore__ inline void Process()
    {
        for (uint64_t i = AscendC::GetBlockIdx(); i < tiling.tiles; i += AscendC::GetBlockNum()) {
            const uint32_t n = i + 1 < tiling.tiles ? tiling.tileLength : tiling.lastTileLength;
            CopyIn(i * tiling.tileLength, n);
            Compute(n);
            CopyOut(i * tiling.tileLength, n);
        }
    }

  private:
    __aicore__ inline void CopyIn(uint64_t at, uint32_t n)
    {
        AscendC::LocalTensor<T> x = inQueue.template AllocTensor<T>();
        AscendC::DataCopyPad(x, inputGm[at], AscendC::DataCopyExtParams(1, n * sizeof(T), 0, 0, 0),
                             AscendC::DataCopyPadExtParams<T>(false, 0, 0, T(0)));
        inQueue.EnQue(x);
    }

    /* The library's Sigmoid, in fp32 for every type: bfloat16 has no vector arithmetic of its own,
     * and fp16 would round at each of the steps inside. */
    __aicore__ inline void Compute(uint32_t n)
    {
        AscendC::LocalTensor<T> x = inQueue.template DeQue<T>();
        AscendC::LocalTensor<T> y = outQueue.template AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Sigmoid(y, x, n);
        } else {
            AscendC::LocalTensor<float> wx = wideIn.template Get<float>();
            AscendC::LocalTensor<float> wy = wideOut.template Get<float>();
            AscendC::Cast(wx, x, AscendC::RoundMode::CAST_NONE, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Sigmoid(wy, wx, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(y, wy, AscendC::RoundMode::CAST_RINT, n);
        }
        outQueue.template EnQue<T>(y);
        inQueue.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t n)
    {
        AscendC::LocalTensor<T> y = outQueue.template DeQue<T>();
        AscendC::DataCopyPad(outputGm[at], y,
                             AscendC::DataCopyExtParams(1, n * sizeof(T), 0, 0, 0));
        outQueue.FreeTensor(y);
    }

    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> inQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS> outQueue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideIn, wideOut;
    AscendC::GlobalTensor<T> inputGm, outputGm;
    SigmoidTiling tiling;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR input, GM_ADDR output, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(SigmoidTiling, data, tiling);
    SigmoidKernel<T> kernel;
    kernel.Init(input, output, data);
    kernel.Process();
}

extern "C" __global__ __aicore__ void sigmoid_custom_f32(GM_ADDR input, GM_ADDR output,
                                                         GM_ADDR tiling)
{
    Run<float>(input, output, tiling);
}

extern "C" __global__ __aicore__ void sigmoid_custom_f16(GM_ADDR input, GM_ADDR output,
                                                         GM_ADDR tiling)
{
    Run<half>(input, output, tiling);
}

extern "C" __global__ __aicore__ void sigmoid_custom_bf16(GM_ADDR input, GM_ADDR output,
                                                          GM_ADDR tiling)
{
    Run<bfloat16_t>(input, output, tiling);
}

int main(int argc, char **argv)
{
    example e = example_begin(argc, argv, "sigmoid", "y = 1 / (1 + exp(-x))", "LENGTH=1000003",
                              "f32|f16|bf16", "4 fp32 units of y, and its rounding");
    const uint64_t n = e.size[0];
    float *x = example_values(&e, n, -30, 30), *y = example_room(n);
    const SigmoidTiling tiling = CalculateTiling(n, e.f16 || e.bf16 ? 2 : 4);
    uint8_t *x_gm = (uint8_t *)example_upload(&e, x, n);
    uint8_t *y_gm = (uint8_t *)example_output(&e, n);
    uint8_t *tiling_gm = (uint8_t *)example_device(sizeof tiling);
    CHECK(aclrtMemcpy(tiling_gm, sizeof tiling, &tiling, sizeof tiling, ACL_MEMCPY_HOST_TO_DEVICE));

    if (e.f16) {
        sigmoid_custom_f16<<<e.blocks, nullptr, e.stream>>>(x_gm, y_gm, tiling_gm);
    } else if (e.bf16) {
        sigmoid_custom_bf16<<<e.blocks, nullptr, e.stream>>>(x_gm, y_gm, tiling_gm);
    } else {
        sigmoid_custom_f32<<<e.blocks, nullptr, e.stream>>>(x_gm, y_gm, tiling_gm);
    }
    example_download(&e, y, y_gm, n);

    for (uint64_t i = 0; i < n; i++) {
        double exact = 1 / (1 + exp(-(double)x[i]));
        example_expect(&e, i, y[i], exact, example_units(&e, 4, exact, exact));
    }
    CHECK(aclrtFree(x_gm));
    CHECK(aclrtFree(y_gm));
    CHECK(aclrtFree(tiling_gm));
    free(x), free(y);
    return example_end(&e);
}
