/* y = exp(x - max) / sum of exp(x - max), along rows of any length: vector results that the scalar
 * unit reads, and a sum that is corrected as the maximum grows, so that the maximum needs no pass
 * of its own ("online softmax", which flash attention is built on).
 *
 *   ascc softmax.cpp -o softmax && ./softmax 64 5000 */
#include "../host.h"
#include "kernel_operator.h"

#include <limits>
#include <type_traits>

constexpr uint32_t TILE = 4096; /* elements of a row at a time */
constexpr int32_t BUFFERS = 2;

template <typename T>
class KernelSoftmax
{
  public:
    __aicore__ inline KernelSoftmax() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint64_t rows, uint64_t columns)
    {
        rows_ = rows, columns_ = columns;
        x_.SetGlobalBuffer((__gm__ T *)x, rows * columns);
        y_.SetGlobalBuffer((__gm__ T *)y, rows * columns);
        pipe_.InitBuffer(in_, BUFFERS, TILE * sizeof(T));
        pipe_.InitBuffer(out_, BUFFERS, TILE * sizeof(T));
        pipe_.InitBuffer(work_, TILE * sizeof(float));
        pipe_.InitBuffer(reduce_, TILE / 8 * sizeof(float)); /* for ReduceMax and ReduceSum */
        pipe_.InitBuffer(results_, 3 * 32);                  /* three of a block each */
    }

    __aicore__ inline void Process()
    {
        for (uint64_t row = AscendC::GetBlockIdx(); row < rows_; row += AscendC::GetBlockNum()) {
            float max = -std::numeric_limits<float>::infinity(), sum = 0;
            for (uint64_t at = 0; at < columns_; at += TILE) {
                Statistics(CopyIn(row, at), max, sum);
            }
            for (uint64_t at = 0; at < columns_; at += TILE) {
                const uint32_t n = CopyIn(row, at);
                Normalize(n, max, sum);
                CopyOut(row, at, n);
            }
        }
    }

  private:
    __aicore__ inline uint32_t CopyIn(uint64_t row, uint64_t at)
    {
        const uint32_t n = columns_ - at < TILE ? (uint32_t)(columns_ - at) : TILE;
        AscendC::LocalTensor<T> x = in_.template AllocTensor<T>();
        AscendC::DataCopyPad(x, x_[row * columns_ + at],
                             AscendC::DataCopyExtParams(1, n * sizeof(T), 0, 0, 0),
                             AscendC::DataCopyPadExtParams<T>(false, 0, 0, 0));
        in_.EnQue(x);
        return n;
    }

    /* w = exp(x - max) in fp32; max is a scalar that is known when the instruction is issued. */
    __aicore__ inline void Exponentials(const AscendC::LocalTensor<float> &w, uint32_t n, float max)
    {
        AscendC::Adds(w, w, -max, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(w, w, n);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline AscendC::LocalTensor<float> Widen(uint32_t n)
    {
        AscendC::LocalTensor<T> x = in_.template DeQue<T>();
        AscendC::LocalTensor<float> w = work_.Get<float>();
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Adds(w, x, 0.0f, n);
        } else {
            AscendC::Cast(w, x, AscendC::RoundMode::CAST_NONE, n);
        }
        AscendC::PipeBarrier<PIPE_V>();
        in_.FreeTensor(x);
        return w;
    }

    /* GetValue runs on the scalar unit, which does not wait for the vector pipe by itself. */
    __aicore__ inline void WaitForVector()
    {
        const int32_t id = pipe_.FetchEventID(AscendC::HardEvent::V_S);
        AscendC::SetFlag<AscendC::HardEvent::V_S>(id);
        AscendC::WaitFlag<AscendC::HardEvent::V_S>(id);
    }

    __aicore__ inline void Statistics(uint32_t n, float &max, float &sum)
    {
        AscendC::LocalTensor<float> w = Widen(n), reduce = reduce_.Get<float>();
        AscendC::LocalTensor<float> tile_max = results_.Get<float>(), tile_sum = tile_max[8],
                                    shrink = tile_max[16];
        AscendC::ReduceMax(tile_max, w, reduce, n);
        WaitForVector();
        const float old = max, now = tile_max.GetValue(0);
        max = now > old ? now : old;

        AscendC::Duplicate(shrink, old - max, 8); /* exp is the vector unit's: of 8 at least */
        Exponentials(w, n, max);
        AscendC::ReduceSum(tile_sum, w, reduce, n);
        AscendC::Exp(shrink, shrink, 8);
        WaitForVector();
        sum = sum * shrink.GetValue(0) + tile_sum.GetValue(0);
    }

    __aicore__ inline void Normalize(uint32_t n, float max, float sum)
    {
        AscendC::LocalTensor<float> w = Widen(n);
        AscendC::LocalTensor<T> y = out_.template AllocTensor<T>();
        Exponentials(w, n, max);
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Muls(y, w, 1.0f / sum, n);
        } else {
            AscendC::Muls(w, w, 1.0f / sum, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(y, w, AscendC::RoundMode::CAST_RINT, n);
        }
        AscendC::PipeBarrier<PIPE_V>(); /* w is free for the next tile */
        out_.template EnQue<T>(y);
    }

    __aicore__ inline void CopyOut(uint64_t row, uint64_t at, uint32_t n)
    {
        AscendC::LocalTensor<T> y = out_.template DeQue<T>();
        AscendC::DataCopyPad(y_[row * columns_ + at], y,
                             AscendC::DataCopyExtParams(1, n * sizeof(T), 0, 0, 0));
        out_.FreeTensor(y);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_, reduce_, results_;
    AscendC::GlobalTensor<T> x_, y_;
    uint64_t rows_ = 0, columns_ = 0;
};

extern "C" __global__ __aicore__ void softmax_f32(GM_ADDR x, GM_ADDR y, uint64_t rows,
                                                  uint64_t columns)
{
    KernelSoftmax<float> op;
    op.Init(x, y, rows, columns);
    op.Process();
}

extern "C" __global__ __aicore__ void softmax_f16(GM_ADDR x, GM_ADDR y, uint64_t rows,
                                                  uint64_t columns)
{
    KernelSoftmax<half> op;
    op.Init(x, y, rows, columns);
    op.Process();
}

int main(int argc, char **argv)
{
    /* x - max is rounded: a relative error of exp that grows with |x - max|. The rest is exp, the
     * sum (a tree in each tile), the reciprocal and a product. */
    example e =
        example_begin(argc, argv, "softmax", "y = softmax(x) along rows", "ROWS=64 COLUMNS=5000",
                      "f32|f16", "16 + |x - max| fp32 units of y, and its rounding");
    const uint64_t rows = e.size[0], columns = e.size[1], n = rows * columns;
    float *x = example_values(&e, n, -8, 8), *y = example_room(n);
    uint8_t *x_gm = (uint8_t *)example_upload(&e, x, n);
    uint8_t *y_gm = (uint8_t *)example_output(&e, n);

    if (e.f16) {
        softmax_f16<<<e.blocks, nullptr, e.stream>>>(x_gm, y_gm, rows, columns);
    } else {
        softmax_f32<<<e.blocks, nullptr, e.stream>>>(x_gm, y_gm, rows, columns);
    }
    example_download(&e, y, y_gm, n);

    for (uint64_t row = 0; row < n; row += columns) {
        double max = -INFINITY, sum = 0;
        for (uint64_t i = row; i < row + columns; i++) {
            max = fmax(max, x[i]);
        }
        for (uint64_t i = row; i < row + columns; i++) {
            sum += exp(x[i] - max);
        }
        for (uint64_t i = row; i < row + columns; i++) {
            double exact = exp(x[i] - max) / sum, units = 16 + fabs(x[i] - max);
            example_expect(&e, i, y[i], exact, example_units(&e, units, exact, exact));
        }
    }
    CHECK(aclrtFree(x_gm));
    CHECK(aclrtFree(y_gm));
    free(x), free(y);
    return example_end(&e);
}
