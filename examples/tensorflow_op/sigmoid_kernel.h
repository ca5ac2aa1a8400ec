/* y = 1 / (1 + exp(-x)) for float, half and bfloat16_t; in float, rounded once. */
#ifndef EXAMPLE_SIGMOID_KERNEL_H
#define EXAMPLE_SIGMOID_KERNEL_H

#include "kernel_operator.h"
#include "tiling.h"

#include <type_traits>

template <class T>
class SigmoidKernel
{
  public:
    __aicore__ inline SigmoidKernel(GM_ADDR x, GM_ADDR y, const SigmoidTiling &tiling)
        : tiling_(tiling)
    {
        x_.SetGlobalBuffer((__gm__ T *)x, tiling.length);
        y_.SetGlobalBuffer((__gm__ T *)y, tiling.length);
        pipe_.InitBuffer(in_, 2, tiling.tile * sizeof(T));
        pipe_.InitBuffer(out_, 2, tiling.tile * sizeof(T));
        pipe_.InitBuffer(wide_, tiling.tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        const uint64_t step = (uint64_t)AscendC::GetBlockNum() * tiling_.tile;
        for (uint64_t at = AscendC::GetBlockIdx() * (uint64_t)tiling_.tile; at < tiling_.length;
             at += step) {
            const uint64_t rest = tiling_.length - at;
            Tile(at, rest < tiling_.tile ? (uint32_t)rest : tiling_.tile);
        }
    }

  private:
    __aicore__ inline void Tile(uint64_t at, uint32_t n)
    {
        const AscendC::DataCopyExtParams bytes(1, n * sizeof(T), 0, 0, 0);
        AscendC::LocalTensor<T> x = in_.template AllocTensor<T>();
        AscendC::LocalTensor<T> y = out_.template AllocTensor<T>();
        AscendC::DataCopyPad(x, x_[at], bytes, AscendC::DataCopyPadExtParams<T>(false, 0, 0, T(0)));
        in_.EnQue(x);
        x = in_.template DeQue<T>();
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Sigmoid(y, x, n);
        } else {
            AscendC::LocalTensor<float> wide = wide_.template Get<float>();
            AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Sigmoid(wide, wide, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(y, wide, AscendC::RoundMode::CAST_RINT, n);
        }
        in_.FreeTensor(x);
        out_.EnQue(y);
        y = out_.template DeQue<T>();
        AscendC::DataCopyPad(y_[at], y, bytes);
        out_.FreeTensor(y);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
    AscendC::GlobalTensor<T> x_, y_;
    SigmoidTiling tiling_;
};

#endif
