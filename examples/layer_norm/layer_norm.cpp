/* y = (x - mean) / sqrt(variance + epsilon) * gamma + beta, along rows of any length: a row is read
 * three times (mean, variance, result), because sums of squares minus squared sums lose all digits
 * where the mean is large. Rows that fit a tile come from L2 the second and third time.
 *
 *   ascc layer_norm.cpp -o layer_norm && ./layer_norm 64 5000 */
#include "../host.h"
#include "kernel_operator.h"

#include <type_traits>

constexpr uint32_t TILE = 4096; /* elements of a row at a time */
constexpr int32_t BUFFERS = 2;
constexpr float EPSILON = 1e-5f;

template <typename T>
class KernelLayerNorm
{
  public:
    __aicore__ inline KernelLayerNorm() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint64_t rows,
                                uint64_t columns)
    {
        rows_ = rows, columns_ = columns;
        x_.SetGlobalBuffer((__gm__ T *)x, rows * columns);
        gamma_.SetGlobalBuffer((__gm__ T *)gamma, columns);
        beta_.SetGlobalBuffer((__gm__ T *)beta, columns);
        y_.SetGlobalBuffer((__gm__ T *)y, rows * columns);
        pipe_.InitBuffer(in_, 3, TILE * sizeof(T)); /* x, gamma and beta of a tile */
        pipe_.InitBuffer(out_, BUFFERS, TILE * sizeof(T));
        pipe_.InitBuffer(work_, TILE * sizeof(float));
        pipe_.InitBuffer(more_, TILE * sizeof(float)); /* gamma and beta; the reductions' scratch */
        pipe_.InitBuffer(result_, 32);
    }

    __aicore__ inline void Process()
    {
        for (uint64_t row = AscendC::GetBlockIdx(); row < rows_; row += AscendC::GetBlockNum()) {
            const uint64_t begin = row * columns_;
            float sum = 0, squares = 0;
            for (uint64_t at = 0; at < columns_; at += TILE) {
                const uint32_t n = Length(at);
                sum += Sum(Widen(work_, x_[begin + at], n), n);
            }
            const float mean = sum / (float)columns_;
            for (uint64_t at = 0; at < columns_; at += TILE) {
                const uint32_t n = Length(at);
                AscendC::LocalTensor<float> w = Widen(work_, x_[begin + at], n);
                Center(w, mean, n);
                AscendC::Mul(w, w, w, n);
                squares += Sum(w, n);
            }
            const float scale = InverseRoot(squares / (float)columns_ + EPSILON);
            for (uint64_t at = 0; at < columns_; at += TILE) {
                Result(begin, at, mean, scale);
            }
        }
    }

  private:
    __aicore__ inline uint32_t Length(uint64_t at)
    {
        return columns_ - at < TILE ? (uint32_t)(columns_ - at) : TILE;
    }

    /* A tile from GM, in fp32. */
    __aicore__ inline AscendC::LocalTensor<float>
    Widen(AscendC::TBuf<AscendC::TPosition::VECCALC> &to, const AscendC::GlobalTensor<T> &from,
          uint32_t n)
    {
        AscendC::LocalTensor<T> x = in_.template AllocTensor<T>();
        AscendC::DataCopyPad(x, from, AscendC::DataCopyExtParams(1, n * sizeof(T), 0, 0, 0),
                             AscendC::DataCopyPadExtParams<T>(false, 0, 0, 0));
        in_.EnQue(x);
        x = in_.template DeQue<T>();
        AscendC::LocalTensor<float> w = to.Get<float>();
        AscendC::PipeBarrier<PIPE_V>(); /* who read w last is done */
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Adds(w, x, 0.0f, n);
        } else {
            AscendC::Cast(w, x, AscendC::RoundMode::CAST_NONE, n);
        }
        in_.FreeTensor(x);
        return w;
    }

    __aicore__ inline void Center(const AscendC::LocalTensor<float> &w, float mean, uint32_t n)
    {
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(w, w, -mean, n);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /* Of n values in UB, as a scalar: the scalar unit waits for the vector pipe (V_S). */
    __aicore__ inline float Sum(const AscendC::LocalTensor<float> &w, uint32_t n)
    {
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ReduceSum(result_.Get<float>(), w, more_.Get<float>(), n);
        return First();
    }

    __aicore__ inline float InverseRoot(float x)
    {
        AscendC::LocalTensor<float> r = result_.Get<float>();
        AscendC::Duplicate(r, x, 8);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sqrt(r, r, 8);
        return 1.0f / First();
    }

    __aicore__ inline float First()
    {
        const int32_t id = pipe_.FetchEventID(AscendC::HardEvent::V_S);
        AscendC::SetFlag<AscendC::HardEvent::V_S>(id);
        AscendC::WaitFlag<AscendC::HardEvent::V_S>(id);
        return result_.Get<float>().GetValue(0);
    }

    __aicore__ inline void Result(uint64_t begin, uint64_t at, float mean, float scale)
    {
        const uint32_t n = Length(at);
        AscendC::LocalTensor<float> w = Widen(work_, x_[begin + at], n);
        Center(w, mean, n);
        AscendC::Muls(w, w, scale, n);
        AscendC::LocalTensor<float> more = Widen(more_, gamma_[at], n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(w, w, more, n);
        more = Widen(more_, beta_[at], n);
        AscendC::LocalTensor<T> y = out_.template AllocTensor<T>();
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Add(y, w, more, n);
        } else {
            AscendC::Add(w, w, more, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(y, w, AscendC::RoundMode::CAST_RINT, n);
        }
        out_.template EnQue<T>(y);
        y = out_.template DeQue<T>();
        AscendC::DataCopyPad(y_[begin + at], y,
                             AscendC::DataCopyExtParams(1, n * sizeof(T), 0, 0, 0));
        out_.FreeTensor(y);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 3> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_, more_, result_;
    AscendC::GlobalTensor<T> x_, gamma_, beta_, y_;
    uint64_t rows_ = 0, columns_ = 0;
};

extern "C" __global__ __aicore__ void layer_norm_f32(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta,
                                                     GM_ADDR y, uint64_t rows, uint64_t columns)
{
    KernelLayerNorm<float> op;
    op.Init(x, gamma, beta, y, rows, columns);
    op.Process();
}

extern "C" __global__ __aicore__ void layer_norm_f16(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta,
                                                     GM_ADDR y, uint64_t rows, uint64_t columns)
{
    KernelLayerNorm<half> op;
    op.Init(x, gamma, beta, y, rows, columns);
    op.Process();
}

int main(int argc, char **argv)
{
    /* A sum of a tile has 12 levels; x - mean is off by units of x, not of the difference. */
    example e = example_begin(argc, argv, "layer_norm", "y = layer norm of x along rows",
                              "ROWS=64 COLUMNS=5000", "f32|f16",
                              "16 fp32 units of what y is made of, and its rounding");
    const uint64_t rows = e.size[0], columns = e.size[1], n = rows * columns;
    float *x = example_values(&e, n, 8, 12), *y = example_room(n);
    float *gamma = example_values(&e, columns, -2, 2), *beta = example_values(&e, columns, -2, 2);
    uint8_t *x_gm = (uint8_t *)example_upload(&e, x, n);
    uint8_t *gamma_gm = (uint8_t *)example_upload(&e, gamma, columns);
    uint8_t *beta_gm = (uint8_t *)example_upload(&e, beta, columns);
    uint8_t *y_gm = (uint8_t *)example_output(&e, n);

    if (e.f16) {
        layer_norm_f16<<<e.blocks, nullptr, e.stream>>>(x_gm, gamma_gm, beta_gm, y_gm, rows,
                                                        columns);
    } else {
        layer_norm_f32<<<e.blocks, nullptr, e.stream>>>(x_gm, gamma_gm, beta_gm, y_gm, rows,
                                                        columns);
    }
    example_download(&e, y, y_gm, n);

    for (uint64_t row = 0; row < n; row += columns) {
        double mean = 0, variance = 0;
        for (uint64_t i = 0; i < columns; i++) {
            mean += x[row + i] / (double)columns;
        }
        for (uint64_t i = 0; i < columns; i++) {
            variance += pow(x[row + i] - mean, 2) / (double)columns;
        }
        for (uint64_t i = 0; i < columns; i++) {
            double scale = gamma[i] / sqrt(variance + EPSILON);
            double exact = (x[row + i] - mean) * scale + beta[i];
            double parts = (fabs(x[row + i]) + fabs(mean)) * fabs(scale) + fabs(beta[i]);
            example_expect(&e, row + i, y[row + i], exact, example_units(&e, 16, parts, exact));
        }
    }
    CHECK(aclrtFree(x_gm));
    CHECK(aclrtFree(gamma_gm));
    CHECK(aclrtFree(beta_gm));
    CHECK(aclrtFree(y_gm));
    free(x), free(gamma), free(beta), free(y);
    return example_end(&e);
}
