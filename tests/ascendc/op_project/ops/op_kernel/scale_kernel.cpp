#include "kernel_operator.h"
using namespace AscendC;

#if ORIG_DTYPE_X == DT_FLOAT16
constexpr int32_t EXPECTED_BYTES = 2;
#else
constexpr int32_t EXPECTED_BYTES = 4;
#endif
static_assert(sizeof(DTYPE_X) == EXPECTED_BYTES && FORMAT_Y == FORMAT_ND, "");

class Kernel
{
  public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const TilingData &tiling)
    {
        uint32_t share = (tiling.length + GetBlockNum() - 1) / GetBlockNum(),
                 begin = share * GetBlockIdx();
        length = begin >= tiling.length          ? 0
                 : tiling.length - begin < share ? tiling.length - begin
                                                 : share;
        tile = tiling.tile[2];
        scale = tiling.range.negate ? -tiling.range.scale : tiling.range.scale;
        shift = tiling.shift;
        in.SetGlobalBuffer((__gm__ DTYPE_X *)x + begin, length);
        out.SetGlobalBuffer((__gm__ DTYPE_Y *)y + begin, length);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(DTYPE_X));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(DTYPE_Y));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t at = 0; at < length; at += tile) {
            uint32_t n = length - at < tile ? length - at : tile;
            DataCopyExtParams params{1, (uint32_t)(n * sizeof(DTYPE_X)), 0, 0, 0};
            LocalTensor<DTYPE_X> x = inQueue.AllocTensor<DTYPE_X>();
            DataCopyPad(x, in[at], params, DataCopyPadExtParams<DTYPE_X>{false, 0, 0, 0});
            inQueue.EnQue(x);
            x = inQueue.DeQue<DTYPE_X>();
            LocalTensor<DTYPE_Y> y = outQueue.AllocTensor<DTYPE_Y>();
            Muls(y, x, (DTYPE_X)scale, n);
            PipeBarrier<PIPE_V>();
            Adds(y, y, (DTYPE_X)shift, n);
            outQueue.EnQue(y);
            inQueue.FreeTensor(x);
            y = outQueue.DeQue<DTYPE_Y>();
            DataCopyPad(out[at], y, params);
            outQueue.FreeTensor(y);
        }
    }

  private:
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> inQueue;
    TQue<QuePosition::VECOUT, 2> outQueue;
    GlobalTensor<DTYPE_X> in;
    GlobalTensor<DTYPE_Y> out;
    uint32_t length, tile;
    float scale, shift;
};

extern "C" __global__ __aicore__ void scale_shift(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                  GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    Kernel kernel;
    kernel.Init(x, y, data);
    kernel.Process();
}
