/* y = 1 / (1 + exp(-x)): several dependent instructions a tile, a constant that outlives the tiles,
 * and fp16 that is computed in fp32.
 *
 *   ascc sigmoid.cpp -o sigmoid && ./sigmoid */
#include "../host.h"
#include "kernel_operator.h"

#include <type_traits>

constexpr uint32_t TILE = 4096; /* elements: 16 KB of fp32 */
constexpr int32_t BUFFERS = 2;

template <typename T>
class KernelSigmoid
{
  public:
    __aicore__ inline KernelSigmoid() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint64_t length)
    {
        length_ = length;
        x_.SetGlobalBuffer((__gm__ T *)x, length);
        y_.SetGlobalBuffer((__gm__ T *)y, length);
        pipe_.InitBuffer(in_, BUFFERS, TILE * sizeof(T));
        pipe_.InitBuffer(out_, BUFFERS, TILE * sizeof(T));
        /* TBuf: memory that only the vector pipe uses needs no queue, and one buffer is enough */
        pipe_.InitBuffer(work_, TILE * sizeof(float));
        pipe_.InitBuffer(ones_, TILE * sizeof(float));
        AscendC::Duplicate(ones_.Get<float>(), 1.0f, TILE);
    }

    __aicore__ inline void Process()
    {
        const uint64_t step = (uint64_t)AscendC::GetBlockNum() * TILE;
        for (uint64_t at = (uint64_t)AscendC::GetBlockIdx() * TILE; at < length_; at += step) {
            const uint32_t n = length_ - at < TILE ? (uint32_t)(length_ - at) : TILE;
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

    /* A pipe starts its instructions in order, but does not wait for one before it starts the next:
     * an instruction that reads the last one's result comes after a barrier. */
    __aicore__ inline void Compute(uint32_t n)
    {
        AscendC::LocalTensor<T> x = in_.template DeQue<T>();
        AscendC::LocalTensor<T> y = out_.template AllocTensor<T>();
        AscendC::LocalTensor<float> w = work_.Get<float>();
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Muls(w, x, -1.0f, n);
        } else { /* in fp16 each of the four steps would round to 11 bits, and exp(12) overflow */
            AscendC::Cast(w, x, AscendC::RoundMode::CAST_NONE, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Muls(w, w, -1.0f, n);
        }
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(w, w, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(w, w, 1.0f, n);
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Div(y, ones_.Get<float>(), w, n);
        } else {
            AscendC::Div(w, ones_.Get<float>(), w, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(y, w, AscendC::RoundMode::CAST_RINT, n);
        }
        AscendC::PipeBarrier<PIPE_V>(); /* the next tile writes w again */
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
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_, ones_;
    AscendC::GlobalTensor<T> x_, y_;
    uint64_t length_ = 0;
};

extern "C" __global__ __aicore__ void sigmoid_f32(GM_ADDR x, GM_ADDR y, uint64_t length)
{
    KernelSigmoid<float> op;
    op.Init(x, y, length);
    op.Process();
}

extern "C" __global__ __aicore__ void sigmoid_f16(GM_ADDR x, GM_ADDR y, uint64_t length)
{
    KernelSigmoid<half> op;
    op.Init(x, y, length);
    op.Process();
}

int main(int argc, char **argv)
{
    /* exp and div may be a unit off each, the sum and the cast half a unit: y stays within 4 */
    example e = example_begin(argc, argv, "sigmoid", "y = 1 / (1 + exp(-x))", "LENGTH=1000003",
                              "f32|f16", "4 fp32 units of y, and its rounding");
    const uint64_t n = e.size[0];
    float *x = example_values(&e, n, -30, 30), *y = example_room(n);
    uint8_t *x_gm = (uint8_t *)example_upload(&e, x, n);
    uint8_t *y_gm = (uint8_t *)example_output(&e, n);

    if (e.f16) {
        sigmoid_f16<<<e.blocks, nullptr, e.stream>>>(x_gm, y_gm, n);
    } else {
        sigmoid_f32<<<e.blocks, nullptr, e.stream>>>(x_gm, y_gm, n);
    }
    example_download(&e, y, y_gm, n);

    for (uint64_t i = 0; i < n; i++) {
        double exact = 1 / (1 + exp(-(double)x[i]));
        example_expect(&e, i, y[i], exact, example_units(&e, 4, exact, exact));
    }
    CHECK(aclrtFree(x_gm));
    CHECK(aclrtFree(y_gm));
    free(x), free(y);
    return example_end(&e);
}
