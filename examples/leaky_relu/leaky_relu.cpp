/* y = x > 0 ? x : slope * x: a parameter by value, and the tile as large as the chip allows, worked
 * out by the kernel's host side (its "tiling") and handed over in a struct.
 *
 *   ascc leaky_relu.cpp -o leaky_relu && ./leaky_relu */
#include "../host.h"
#include "kernel_operator.h"
#include "tiling/platform/platform_ascendc.h"

constexpr int32_t BUFFERS = 2;

/* What the host decides and every block reads. A struct by value costs nothing at a launch;
 * operator projects put it into GM instead and read it with GET_TILING_DATA. */
struct LeakyReluTiling {
    uint64_t length;
    uint32_t tile; /* elements, whole 32-byte blocks */
    float slope;
};

template <typename T>
class KernelLeakyRelu
{
  public:
    __aicore__ inline KernelLeakyRelu() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const LeakyReluTiling &tiling)
    {
        tiling_ = tiling;
        x_.SetGlobalBuffer((__gm__ T *)x, tiling.length);
        y_.SetGlobalBuffer((__gm__ T *)y, tiling.length);
        pipe_.InitBuffer(in_, BUFFERS, tiling.tile * sizeof(T));
        pipe_.InitBuffer(out_, BUFFERS, tiling.tile * sizeof(T));
    }

    __aicore__ inline void Process()
    {
        const uint64_t tile = tiling_.tile, length = tiling_.length;
        const uint64_t step = AscendC::GetBlockNum() * tile;
        for (uint64_t at = AscendC::GetBlockIdx() * tile; at < length; at += step) {
            const uint32_t n = (uint32_t)(length - at < tile ? length - at : tile);
            CopyIn(at, n);
            Compute(n);
            CopyOut(at, n);
        }
    }

  private:
    __aicore__ inline void CopyIn(uint64_t at, uint32_t n)
    {
        AscendC::LocalTensor<T> x = in_.template AllocTensor<T>();
        AscendC::DataCopyPad(x, x_[at], AscendC::DataCopyExtParams(1, n * sizeof(T), 0, 0, 0),
                             AscendC::DataCopyPadExtParams<T>(false, 0, 0, 0));
        in_.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t n)
    {
        AscendC::LocalTensor<T> x = in_.template DeQue<T>();
        AscendC::LocalTensor<T> y = out_.template AllocTensor<T>();
        AscendC::LeakyRelu(y, x, (T)tiling_.slope, n); /* a scalar operand has the tensor's type */
        out_.template EnQue<T>(y);
        in_.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t n)
    {
        AscendC::LocalTensor<T> y = out_.template DeQue<T>();
        AscendC::DataCopyPad(y_[at], y, AscendC::DataCopyExtParams(1, n * sizeof(T), 0, 0, 0));
        out_.FreeTensor(y);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS> out_;
    AscendC::GlobalTensor<T> x_, y_;
    LeakyReluTiling tiling_;
};

extern "C" __global__ __aicore__ void leaky_relu_f32(GM_ADDR x, GM_ADDR y, LeakyReluTiling tiling)
{
    KernelLeakyRelu<float> op;
    op.Init(x, y, tiling);
    op.Process();
}

extern "C" __global__ __aicore__ void leaky_relu_f16(GM_ADDR x, GM_ADDR y, LeakyReluTiling tiling)
{
    KernelLeakyRelu<half> op;
    op.Init(x, y, tiling);
    op.Process();
}

/* Two queues of two buffers share UB, but no tile is larger than a block's share: else some blocks
 * would have nothing to do. */
static LeakyReluTiling tiling_of(uint64_t length, uint32_t blocks, uint32_t element, float slope)
{
    uint64_t ub = 0;
    platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreMemSize(
        platform_ascendc::CoreMemType::UB, ub);
    const uint64_t most = (ub - 8 * 1024) / (2 * BUFFERS), share = (length / blocks + 1) * element;
    const uint64_t bytes = share < most ? share : most;
    return {length, (uint32_t)((bytes + 31) / 32 * 32 / element), slope};
}

int main(int argc, char **argv)
{
    example e = example_begin(argc, argv, "leaky_relu", "y = x > 0 ? x : x / 8", "LENGTH=1000003",
                              "f32|f16", "half a unit in the last place");
    const float slope = 0.125f; /* fp16 holds it exactly */
    const uint64_t n = e.size[0];
    float *x = example_values(&e, n, -10, 10), *y = example_room(n);
    uint8_t *x_gm = (uint8_t *)example_upload(&e, x, n);
    uint8_t *y_gm = (uint8_t *)example_output(&e, n);

    const LeakyReluTiling tiling = tiling_of(n, e.blocks, e.f16 ? 2 : 4, slope);
    if (e.f16) {
        leaky_relu_f16<<<e.blocks, nullptr, e.stream>>>(x_gm, y_gm, tiling);
    } else {
        leaky_relu_f32<<<e.blocks, nullptr, e.stream>>>(x_gm, y_gm, tiling);
    }
    example_download(&e, y, y_gm, n);

    for (uint64_t i = 0; i < n; i++) {
        double exact = x[i] > 0 ? x[i] : (double)slope * x[i];
        example_expect(&e, i, y[i], exact, 0.5 * example_ulp(&e, exact));
    }
    CHECK(aclrtFree(x_gm));
    CHECK(aclrtFree(y_gm));
    free(x), free(y);
    return example_end(&e);
}
