/* z = x + y: the skeleton of every vector kernel. A block takes tiles; a tile is copied in, worked
 * on and copied out, by three pipes that run side by side, with queues between them.
 *
 *   ascc add.cpp -o add && ./add */
#include "../host.h"
#include "kernel_operator.h"

/* A move of 16 KB uses the bandwidth well, and 3 queues x 2 buffers x 16 KB are half of UB. */
constexpr uint32_t TILE_BYTES = 16 * 1024;
constexpr int32_t BUFFERS = 2; /* one is filled while the other is worked on */

template <typename T>
class KernelAdd
{
  public:
    __aicore__ inline KernelAdd() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint64_t length)
    {
        length_ = length;
        x_.SetGlobalBuffer((__gm__ T *)x, length);
        y_.SetGlobalBuffer((__gm__ T *)y, length);
        z_.SetGlobalBuffer((__gm__ T *)z, length);
        pipe_.InitBuffer(in_x_, BUFFERS, TILE_BYTES);
        pipe_.InitBuffer(in_y_, BUFFERS, TILE_BYTES);
        pipe_.InitBuffer(out_, BUFFERS, TILE_BYTES);
    }

    /* Tiles are dealt like cards, so any length goes with any number of blocks. The calls only
     * issue: while Compute waits for its tile, CopyIn of the next one is under way. */
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
    static constexpr uint32_t TILE = TILE_BYTES / sizeof(T); /* elements */

    /* DataCopyPad takes any number of bytes; DataCopy would want whole blocks of 32. */
    __aicore__ inline void CopyIn(uint64_t at, uint32_t n)
    {
        AscendC::LocalTensor<T> x = in_x_.template AllocTensor<T>();
        AscendC::LocalTensor<T> y = in_y_.template AllocTensor<T>();
        const AscendC::DataCopyExtParams one_row(1, n * sizeof(T), 0, 0, 0);
        const AscendC::DataCopyPadExtParams<T> no_padding(false, 0, 0, 0);
        AscendC::DataCopyPad(x, x_[at], one_row, no_padding);
        AscendC::DataCopyPad(y, y_[at], one_row, no_padding);
        in_x_.EnQue(x);
        in_y_.EnQue(y);
    }

    __aicore__ inline void Compute(uint32_t n)
    {
        AscendC::LocalTensor<T> x = in_x_.template DeQue<T>();
        AscendC::LocalTensor<T> y = in_y_.template DeQue<T>();
        AscendC::LocalTensor<T> z = out_.template AllocTensor<T>();
        AscendC::Add(z, x, y, n);
        out_.template EnQue<T>(z);
        in_x_.FreeTensor(x);
        in_y_.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t n)
    {
        AscendC::LocalTensor<T> z = out_.template DeQue<T>();
        AscendC::DataCopyPad(z_[at], z, AscendC::DataCopyExtParams(1, n * sizeof(T), 0, 0, 0));
        out_.FreeTensor(z);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> in_x_, in_y_;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS> out_;
    AscendC::GlobalTensor<T> x_, y_, z_;
    uint64_t length_ = 0;
};

extern "C" __global__ __aicore__ void add_f32(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint64_t length)
{
    KernelAdd<float> op;
    op.Init(x, y, z, length);
    op.Process();
}

extern "C" __global__ __aicore__ void add_f16(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint64_t length)
{
    KernelAdd<half> op;
    op.Init(x, y, z, length);
    op.Process();
}

int main(int argc, char **argv)
{
    example e = example_begin(argc, argv, "add", "z = x + y", "LENGTH=1000003", "f32|f16",
                              "half a unit in the last place");
    const uint64_t n = e.size[0];
    float *x = example_values(&e, n, -100, 100), *y = example_values(&e, n, -100, 100);
    float *z = example_room(n);
    uint8_t *x_gm = (uint8_t *)example_upload(&e, x, n);
    uint8_t *y_gm = (uint8_t *)example_upload(&e, y, n);
    uint8_t *z_gm = (uint8_t *)example_output(&e, n);

    if (e.f16) {
        add_f16<<<e.blocks, nullptr, e.stream>>>(x_gm, y_gm, z_gm, n);
    } else {
        add_f32<<<e.blocks, nullptr, e.stream>>>(x_gm, y_gm, z_gm, n);
    }
    example_download(&e, z, z_gm, n);

    for (uint64_t i = 0; i < n; i++) {
        double exact = (double)x[i] + y[i];
        example_expect(&e, i, z[i], exact, 0.5 * example_ulp(&e, exact));
    }
    CHECK(aclrtFree(x_gm));
    CHECK(aclrtFree(y_gm));
    CHECK(aclrtFree(z_gm));
    free(x), free(y), free(z);
    return example_end(&e);
}
