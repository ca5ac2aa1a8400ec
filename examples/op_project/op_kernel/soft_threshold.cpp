/* The kernel of y = sign(x) max(|x| - threshold, 0) = x - min(max(x, -threshold), threshold):
 * compiled once for each dtype of the OpDef, DTYPE_X. */
#include "kernel_operator.h"

using namespace AscendC;

class KernelSoftThreshold
{
  public:
    __aicore__ inline KernelSoftThreshold() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t length, uint32_t tile,
                                float threshold)
    {
        length_ = length, tile_ = tile, threshold_ = threshold;
        x_.SetGlobalBuffer((__gm__ DTYPE_X *)x, length);
        y_.SetGlobalBuffer((__gm__ DTYPE_Y *)y, length);
        pipe_.InitBuffer(in_, 2, tile * sizeof(DTYPE_X));
        pipe_.InitBuffer(out_, 2, tile * sizeof(DTYPE_Y));
        pipe_.InitBuffer(work_, tile * sizeof(DTYPE_X));
    }

    /* Tiles are dealt to the blocks like cards. */
    template <bool copies>
    __aicore__ inline void Process()
    {
        for (uint64_t at = (uint64_t)GetBlockIdx() * tile_; at < length_;
             at += (uint64_t)GetBlockNum() * tile_) {
            const uint32_t n = length_ - at < tile_ ? (uint32_t)(length_ - at) : tile_;
            CopyIn(at, n);
            Compute<copies>(n);
            CopyOut(at, n);
        }
    }

  private:
    __aicore__ inline void CopyIn(uint64_t at, uint32_t n)
    {
        LocalTensor<DTYPE_X> x = in_.AllocTensor<DTYPE_X>();
        DataCopyPad(x, x_[at], DataCopyExtParams(1, n * sizeof(DTYPE_X), 0, 0, 0),
                    DataCopyPadExtParams<DTYPE_X>(false, 0, 0, 0));
        in_.EnQue(x);
    }

    template <bool copies>
    __aicore__ inline void Compute(uint32_t n)
    {
        LocalTensor<DTYPE_X> x = in_.DeQue<DTYPE_X>();
        LocalTensor<DTYPE_Y> y = out_.AllocTensor<DTYPE_Y>();
        if constexpr (copies) {
            Adds(y, x, (DTYPE_X)0, n);
        } else {
            LocalTensor<DTYPE_X> clipped = work_.Get<DTYPE_X>();
            PipeBarrier<PIPE_V>(); /* the last tile's Sub has read it */
            Mins(clipped, x, (DTYPE_X)threshold_, n);
            PipeBarrier<PIPE_V>();
            Maxs(clipped, clipped, (DTYPE_X)-threshold_, n);
            PipeBarrier<PIPE_V>();
            Sub(y, x, clipped, n);
        }
        out_.EnQue(y);
        in_.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t n)
    {
        LocalTensor<DTYPE_Y> y = out_.DeQue<DTYPE_Y>();
        DataCopyPad(y_[at], y, DataCopyExtParams(1, n * sizeof(DTYPE_Y), 0, 0, 0));
        out_.FreeTensor(y);
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    TBuf<TPosition::VECCALC> work_;
    GlobalTensor<DTYPE_X> x_;
    GlobalTensor<DTYPE_Y> y_;
    uint64_t length_ = 0;
    uint32_t tile_ = 0;
    float threshold_ = 0;
};

extern "C" __global__ __aicore__ void soft_threshold(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                     GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelSoftThreshold op;
    op.Init(x, y, data.length, data.tile, data.threshold);
    if (TILING_KEY_IS(1)) {
        op.Process<false>();
    } else if (TILING_KEY_IS(0)) {
        op.Process<true>();
    }
}
