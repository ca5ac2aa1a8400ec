/* The vector kernels of `./dev bench kernels`, as Ascend C is commonly written: queues of two
 * buffers, CopyIn, Compute, CopyOut. The tile is an argument, so that one kernel serves both the
 * best and the small tiles. */
#include "kernel_operator.h"

#include <type_traits>

using namespace AscendC;

constexpr uint32_t BUFFERS = 2;

/* Elements [begin, end) of this block, in whole 512-byte pieces. */
template <class T>
class Share
{
  public:
    __aicore__ inline explicit Share(uint32_t length)
    {
        constexpr uint32_t unit = 512 / sizeof(T);
        uint32_t units = (length + unit - 1) / unit, blocks = GetBlockNum();
        uint32_t each = units / blocks, more = units % blocks, i = GetBlockIdx();
        begin = (each * i + (i < more ? i : more)) * unit;
        end = begin + (each + (i < more)) * unit;
        end = end < length ? end : length;
    }
    uint32_t begin, end;
};

/* z = x + y */
class KernelAdd
{
  public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length, uint32_t tile)
    {
        tile_ = tile;
        x_.SetGlobalBuffer((__gm__ float *)x, length);
        y_.SetGlobalBuffer((__gm__ float *)y, length);
        z_.SetGlobalBuffer((__gm__ float *)z, length);
        pipe_.InitBuffer(in_x_, BUFFERS, tile * sizeof(float));
        pipe_.InitBuffer(in_y_, BUFFERS, tile * sizeof(float));
        pipe_.InitBuffer(out_, BUFFERS, tile * sizeof(float));
    }
    __aicore__ inline void Process(const Share<float> &share)
    {
        for (uint32_t at = share.begin; at < share.end; at += tile_) {
            uint32_t n = share.end - at < tile_ ? share.end - at : tile_;
            CopyIn(at, n);
            Compute(n);
            CopyOut(at, n);
        }
    }

  private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t n)
    {
        LocalTensor<float> x = in_x_.AllocTensor<float>(), y = in_y_.AllocTensor<float>();
        DataCopy(x, x_[at], n);
        DataCopy(y, y_[at], n);
        in_x_.EnQue(x);
        in_y_.EnQue(y);
    }
    __aicore__ inline void Compute(uint32_t n)
    {
        LocalTensor<float> x = in_x_.DeQue<float>(), y = in_y_.DeQue<float>();
        LocalTensor<float> z = out_.AllocTensor<float>();
        Add(z, x, y, n);
        out_.EnQue(z);
        in_x_.FreeTensor(x);
        in_y_.FreeTensor(y);
    }
    __aicore__ inline void CopyOut(uint32_t at, uint32_t n)
    {
        LocalTensor<float> z = out_.DeQue<float>();
        DataCopy(z_[at], z, n);
        out_.FreeTensor(z);
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, BUFFERS> in_x_, in_y_;
    TQue<TPosition::VECOUT, BUFFERS> out_;
    GlobalTensor<float> x_, y_, z_;
    uint32_t tile_ = 0;
};

/* y = sigmoid(x); bfloat16 in float, as the vector unit has no bfloat16 arithmetic. */
template <class T>
class KernelSigmoid
{
  public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t length, uint32_t tile)
    {
        tile_ = tile;
        x_.SetGlobalBuffer((__gm__ T *)x, length);
        y_.SetGlobalBuffer((__gm__ T *)y, length);
        pipe_.InitBuffer(in_, BUFFERS, tile * sizeof(T));
        pipe_.InitBuffer(out_, BUFFERS, tile * sizeof(T));
        if constexpr (wide) {
            pipe_.InitBuffer(wide_, tile * sizeof(float));
        }
    }
    __aicore__ inline void Process(const Share<T> &share)
    {
        for (uint32_t at = share.begin; at < share.end; at += tile_) {
            uint32_t n = share.end - at < tile_ ? share.end - at : tile_;
            LocalTensor<T> x = in_.template AllocTensor<T>();
            DataCopy(x, x_[at], n);
            in_.EnQue(x);
            Compute(n);
            LocalTensor<T> y = out_.template DeQue<T>();
            DataCopy(y_[at], y, n);
            out_.FreeTensor(y);
        }
    }

  private:
    static constexpr bool wide = std::is_same_v<T, bfloat16_t>;

    __aicore__ inline void Compute(uint32_t n)
    {
        LocalTensor<T> x = in_.template DeQue<T>(), y = out_.template AllocTensor<T>();
        if constexpr (wide) {
            LocalTensor<float> w = wide_.template Get<float>();
            Cast(w, x, RoundMode::CAST_NONE, n);
            PipeBarrier<PIPE_V>();
            Sigmoid(w, w, n);
            PipeBarrier<PIPE_V>();
            Cast(y, w, RoundMode::CAST_RINT, n);
        } else {
            Sigmoid(y, x, n);
        }
        out_.EnQue(y);
        in_.FreeTensor(x);
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, BUFFERS> in_;
    TQue<TPosition::VECOUT, BUFFERS> out_;
    TBuf<TPosition::VECCALC> wide_;
    GlobalTensor<T> x_, y_;
    uint32_t tile_ = 0;
};

/* Softmax along rows of `cols`, `tile` rows at a time. */
class KernelSoftmax
{
  public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t cols, uint32_t tile)
    {
        tile_ = tile;
        cols_ = cols;
        x_.SetGlobalBuffer((__gm__ float *)x, rows * cols);
        y_.SetGlobalBuffer((__gm__ float *)y, rows * cols);
        pipe_.InitBuffer(in_, BUFFERS, tile * cols * sizeof(float));
        pipe_.InitBuffer(out_, BUFFERS, tile * cols * sizeof(float));
        pipe_.InitBuffer(sum_, tile * 32);
        pipe_.InitBuffer(max_, tile * 32);
    }
    __aicore__ inline void Process(uint32_t rows)
    {
        uint32_t each = (rows + GetBlockNum() - 1) / GetBlockNum();
        uint32_t begin = each * GetBlockIdx(), end = begin + each < rows ? begin + each : rows;
        for (uint32_t row = begin; row < end; row += tile_) {
            uint32_t n = end - row < tile_ ? end - row : tile_;
            LocalTensor<float> x = in_.AllocTensor<float>();
            DataCopy(x, x_[row * cols_], n * cols_);
            in_.EnQue(x);
            Compute(n);
            LocalTensor<float> y = out_.DeQue<float>();
            DataCopy(y_[row * cols_], y, n * cols_);
            out_.FreeTensor(y);
        }
    }

  private:
    __aicore__ inline void Compute(uint32_t n)
    {
        LocalTensor<float> x = in_.DeQue<float>(), y = out_.AllocTensor<float>();
        SoftMaxShapeInfo shape;
        shape.srcM = shape.oriSrcM = n;
        shape.srcK = shape.oriSrcK = cols_;
        SoftMax<float>(y, sum_.Get<float>(), max_.Get<float>(), x, SoftMaxTiling(), shape);
        out_.EnQue(y);
        in_.FreeTensor(x);
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, BUFFERS> in_;
    TQue<TPosition::VECOUT, BUFFERS> out_;
    TBuf<TPosition::VECCALC> sum_, max_;
    GlobalTensor<float> x_, y_;
    uint32_t tile_ = 0, cols_ = 0;
};

extern "C" __global__ __aicore__ void add_f32(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length,
                                              uint32_t tile)
{
    KernelAdd op;
    op.Init(x, y, z, length, tile);
    op.Process(Share<float>(length));
}

template <class T>
__global__ __aicore__ void sigmoid(GM_ADDR x, GM_ADDR y, uint32_t length, uint32_t tile)
{
    KernelSigmoid<T> op;
    op.Init(x, y, length, tile);
    op.Process(Share<T>(length));
}

extern "C" __global__ __aicore__ void softmax_f32(GM_ADDR x, GM_ADDR y, uint32_t rows,
                                                  uint32_t cols, uint32_t tile)
{
    KernelSoftmax op;
    op.Init(x, y, rows, cols, tile);
    op.Process(rows);
}

/* What the benchmark calls. */
extern "C" void bench_add(uint32_t blocks, void *stream, GM_ADDR x, GM_ADDR y, GM_ADDR z,
                          uint32_t length, uint32_t tile)
{
    add_f32<<<blocks, nullptr, stream>>>(x, y, z, length, tile);
}
extern "C" void bench_sigmoid_f32(uint32_t blocks, void *stream, GM_ADDR x, GM_ADDR y,
                                  uint32_t length, uint32_t tile)
{
    sigmoid<float><<<blocks, nullptr, stream>>>(x, y, length, tile);
}
extern "C" void bench_sigmoid_f16(uint32_t blocks, void *stream, GM_ADDR x, GM_ADDR y,
                                  uint32_t length, uint32_t tile)
{
    sigmoid<half><<<blocks, nullptr, stream>>>(x, y, length, tile);
}
extern "C" void bench_sigmoid_bf16(uint32_t blocks, void *stream, GM_ADDR x, GM_ADDR y,
                                   uint32_t length, uint32_t tile)
{
    sigmoid<bfloat16_t><<<blocks, nullptr, stream>>>(x, y, length, tile);
}
extern "C" void bench_softmax(uint32_t blocks, void *stream, GM_ADDR x, GM_ADDR y, uint32_t rows,
                              uint32_t cols, uint32_t tile)
{
    softmax_f32<<<blocks, nullptr, stream>>>(x, y, rows, cols, tile);
}
