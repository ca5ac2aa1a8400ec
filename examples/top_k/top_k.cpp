/* The k largest of each row, in order, with where they were: a row of any length goes by in tiles;
 * each is sorted, and its best k are merged with the best k so far.
 *
 *   ascc top_k.cpp -o top_k && ./top_k 64 5000 10 */
#include "../host.h"
#include "kernel_operator.h"

#include <limits>

constexpr uint32_t TILE = 2048; /* elements of a row at a time, and the largest k */
constexpr int32_t BUFFERS = 2;

template <typename T>
class KernelTopK
{
  public:
    __aicore__ inline KernelTopK() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR values, GM_ADDR indices, uint64_t rows,
                                uint32_t columns, uint32_t k)
    {
        rows_ = rows, columns_ = columns, k_ = k;
        x_.SetGlobalBuffer((__gm__ T *)x, rows * columns);
        values_.SetGlobalBuffer((__gm__ T *)values, rows * k);
        indices_.SetGlobalBuffer((__gm__ uint32_t *)indices, rows * k);
        const uint32_t padded = (k + 31) / 32 * 32; /* Extract takes 32 pairs at a time */
        pipe_.InitBuffer(in_, BUFFERS, TILE * sizeof(T));
        pipe_.InitBuffer(out_values_, 1, padded * sizeof(T));
        pipe_.InitBuffer(out_indices_, 1, padded * sizeof(uint32_t));
        pipe_.InitBuffer(numbers_, TILE * sizeof(int32_t));
        pipe_.InitBuffer(sorted_, TILE * PAIR);
        pipe_.InitBuffer(scratch_, TILE * PAIR);
        pipe_.InitBuffer(best_, padded * PAIR);
        pipe_.InitBuffer(merged_, 2 * padded * PAIR);
    }

    __aicore__ inline void Process()
    {
        for (uint64_t row = AscendC::GetBlockIdx(); row < rows_; row += AscendC::GetBlockNum()) {
            for (uint32_t at = 0; at < columns_; at += TILE) {
                const uint32_t n = columns_ - at < TILE ? columns_ - at : TILE;
                CopyIn(row, at, n);
                Sort(at, n);
                Keep(at == 0);
            }
            CopyOut(row);
        }
    }

  private:
    static constexpr uint32_t PAIR = 8; /* bytes: a value and its index, as the sorter keeps them */
    static constexpr uint32_t BLOCK = 32 / sizeof(T);

    /* Padding fills up the last block of 32 bytes, with what is never among the largest. */
    __aicore__ inline void CopyIn(uint64_t row, uint32_t at, uint32_t n)
    {
        AscendC::LocalTensor<T> x = in_.template AllocTensor<T>();
        const uint8_t padding = (uint8_t)((BLOCK - n % BLOCK) % BLOCK);
        AscendC::DataCopyPad(x, x_[row * columns_ + at],
                             AscendC::DataCopyExtParams(1, n * sizeof(T), 0, 0, 0),
                             AscendC::DataCopyPadExtParams<T>(padding > 0, 0, padding, Lowest()));
        in_.EnQue(x);
    }

    __aicore__ inline T Lowest() { return (T)-std::numeric_limits<float>::infinity(); }

    /* sorted = the tile's values with their columns, all of it in order. */
    __aicore__ inline void Sort(uint32_t at, uint32_t n)
    {
        AscendC::LocalTensor<T> x = in_.template DeQue<T>(), scratch = scratch_.Get<T>(), all;
        AscendC::LocalTensor<int32_t> numbers = numbers_.Get<int32_t>();
        const uint32_t filled = (n + BLOCK - 1) / BLOCK * BLOCK;
        if (filled < TILE) {
            AscendC::Duplicate(x[filled], Lowest(), TILE - filled);
        }
        AscendC::CreateVecIndex(numbers, (int32_t)at, TILE);
        AscendC::PipeBarrier<PIPE_V>(); /* on other chips Concat moves values */
        AscendC::Concat(all, x, scratch, TILE / 32);
        AscendC::PipeBarrier<PIPE_V>(); /* there Sort reads what Concat wrote */
        AscendC::Sort<T, true>(sorted_.Get<T>(), all, numbers.ReinterpretCast<uint32_t>(), scratch,
                               TILE / 32);
        AscendC::PipeBarrier<PIPE_V>();
        in_.FreeTensor(x);
    }

    /* best = the k largest of best and sorted; both are in order, so that one merge does it. */
    __aicore__ inline void Keep(bool first)
    {
        const uint32_t elements = AscendC::GetSortLen<T>((k_ + 31) / 32 * 32);
        AscendC::LocalTensor<T> best = best_.Get<T>(), from = sorted_.Get<T>();
        if (!first) {
            const AscendC::MrgSortSrcList<T> runs(best, from, best, from);
            const uint16_t lengths[4] = {(uint16_t)k_, (uint16_t)k_, 0, 0};
            const AscendC::MrgSort4Info two(lengths, false, 0b0011, 1);
            from = merged_.Get<T>();
            AscendC::MrgSort(from, runs, two);
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::DataCopy(best, from, elements);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void CopyOut(uint64_t row)
    {
        AscendC::LocalTensor<T> values = out_values_.template AllocTensor<T>();
        AscendC::LocalTensor<uint32_t> indices = out_indices_.template AllocTensor<uint32_t>();
        AscendC::Extract(values, indices, best_.Get<T>(), (k_ + 31) / 32);
        out_values_.template EnQue<T>(values);
        out_indices_.template EnQue<uint32_t>(indices);
        values = out_values_.template DeQue<T>();
        indices = out_indices_.template DeQue<uint32_t>();
        AscendC::DataCopyPad(values_[row * k_], values,
                             AscendC::DataCopyExtParams(1, k_ * sizeof(T), 0, 0, 0));
        AscendC::DataCopyPad(indices_[row * k_], indices,
                             AscendC::DataCopyExtParams(1, k_ * sizeof(uint32_t), 0, 0, 0));
        out_values_.FreeTensor(values);
        out_indices_.FreeTensor(indices);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_values_, out_indices_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> numbers_, sorted_, scratch_, best_, merged_;
    AscendC::GlobalTensor<T> x_, values_;
    AscendC::GlobalTensor<uint32_t> indices_;
    uint64_t rows_ = 0;
    uint32_t columns_ = 0, k_ = 0;
};

extern "C" __global__ __aicore__ void top_k_f32(GM_ADDR x, GM_ADDR values, GM_ADDR indices,
                                                uint64_t rows, uint32_t columns, uint32_t k)
{
    KernelTopK<float> op;
    op.Init(x, values, indices, rows, columns, k);
    op.Process();
}

extern "C" __global__ __aicore__ void top_k_f16(GM_ADDR x, GM_ADDR values, GM_ADDR indices,
                                                uint64_t rows, uint32_t columns, uint32_t k)
{
    KernelTopK<half> op;
    op.Init(x, values, indices, rows, columns, k);
    op.Process();
}

static int descending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

int main(int argc, char **argv)
{
    example e = example_begin(argc, argv, "top_k", "the k largest of each row and their columns",
                              "ROWS=64 COLUMNS=5000 K=10", "f32|f16", "none, values are moved");
    const uint64_t rows = e.size[0], columns = e.size[1], k = e.size[2], n = rows * columns;
    if (k < 1 || k > columns || k > TILE || columns > UINT32_MAX - TILE) {
        fprintf(stderr, "top_k: K is 1 to COLUMNS, and at most %u\n", TILE);
        return 2;
    }
    float *x = example_values(&e, n, -8, 8), *values = example_room(rows * k);
    uint32_t *indices = (uint32_t *)example_room(rows * k);
    uint8_t *x_gm = (uint8_t *)example_upload(&e, x, n);
    uint8_t *values_gm = (uint8_t *)example_output(&e, rows * k);
    uint8_t *indices_gm = (uint8_t *)example_device(rows * k * sizeof *indices);

    if (e.f16) {
        top_k_f16<<<e.blocks, nullptr, e.stream>>>(x_gm, values_gm, indices_gm, rows,
                                                   (uint32_t)columns, (uint32_t)k);
    } else {
        top_k_f32<<<e.blocks, nullptr, e.stream>>>(x_gm, values_gm, indices_gm, rows,
                                                   (uint32_t)columns, (uint32_t)k);
    }
    example_download(&e, values, values_gm, rows * k);
    example_fetch(&e, indices, indices_gm, rows * k * sizeof *indices);

    /* Each value is what sorting gives, its index leads to it, and no index comes twice. */
    for (uint64_t row = 0; row < rows; row++) {
        float *in = x + row * columns, *sorted = example_room(columns);
        memcpy(sorted, in, columns * sizeof *in);
        qsort(sorted, columns, sizeof *sorted, descending);
        for (uint64_t i = row * k; i < row * k + k; i++) {
            float *found = in + (indices[i] < columns ? indices[i] : 0);
            example_expect(&e, i, values[i], sorted[i - row * k], 0);
            example_expect(&e, i, indices[i] < columns ? *found : NAN, values[i], 0);
            *found = NAN;
        }
        free(sorted);
    }
    CHECK(aclrtFree(x_gm));
    CHECK(aclrtFree(values_gm));
    CHECK(aclrtFree(indices_gm));
    free(x), free(values), free(indices);
    return example_end(&e);
}
