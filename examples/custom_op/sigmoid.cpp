/* y = 1 / (1 + exp(-x)), for softascend.load_ascendc: docs/custom-op.md walks through it. DTYPE_X
 * is the dtype that it is compiled for. */
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 4096; /* elements */

extern "C" __global__ __aicore__ void sigmoid(GM_ADDR x, GM_ADDR y, uint32_t n)
{
    GlobalTensor<DTYPE_X> from, to;
    from.SetGlobalBuffer((__gm__ DTYPE_X *)x, n);
    to.SetGlobalBuffer((__gm__ DTYPE_X *)y, n);
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 2> out;
    TBuf<TPosition::VECCALC> room;
    pipe.InitBuffer(in, 2, TILE * sizeof(DTYPE_X));
    pipe.InitBuffer(out, 2, TILE * sizeof(DTYPE_X));
    pipe.InitBuffer(room, TILE * sizeof(float));
    LocalTensor<float> wide = room.Get<float>();

    for (uint32_t at = GetBlockIdx() * TILE; at < n; at += GetBlockNum() * TILE) {
        const uint32_t count = n - at < TILE ? n - at : TILE;
        const DataCopyExtParams bytes(1, count * sizeof(DTYPE_X), 0, 0, 0);
        LocalTensor<DTYPE_X> a = in.AllocTensor<DTYPE_X>(), b = out.AllocTensor<DTYPE_X>();
        DataCopyPad(a, from[at], bytes, DataCopyPadExtParams<DTYPE_X>(false, 0, 0, DTYPE_X(0)));
        in.EnQue(a);
        a = in.DeQue<DTYPE_X>();
        if constexpr (sizeof(DTYPE_X) == sizeof(float)) {
            Sigmoid(b, a, count);
        } else { /* in float, rounded once */
            Cast(wide, a, RoundMode::CAST_NONE, count);
            PipeBarrier<PIPE_V>();
            Sigmoid(wide, wide, count);
            PipeBarrier<PIPE_V>();
            Cast(b, wide, RoundMode::CAST_RINT, count);
        }
        in.FreeTensor(a);
        out.EnQue(b);
        b = out.DeQue<DTYPE_X>();
        DataCopyPad(to[at], b, bytes);
        out.FreeTensor(b);
    }
}
