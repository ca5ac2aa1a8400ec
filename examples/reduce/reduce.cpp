/* sum = x[0] + x[1] + …: blocks that work together. Each block adds up its tiles element by element
 * and leaves one number in a workspace; when all have, block 0 adds those up the same way. The
 * order of additions depends on the number of blocks only, so that the same launch gives the same
 * bits every time; an atomic add per block (SetAtomicAdd) would be shorter, but in the order of
 * arrival.
 *
 *   ascc reduce.cpp -o reduce && ./reduce */
#include "../host.h"
#include "kernel_operator.h"

#include <type_traits>

constexpr uint32_t TILE = 4096; /* elements */
constexpr int32_t BUFFERS = 2;
constexpr uint32_t SLOT = 8; /* floats of the workspace a block has: no two blocks share 32 bytes */

template <typename T>
class KernelReduce
{
  public:
    __aicore__ inline KernelReduce() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR sum, GM_ADDR workspace, uint64_t length)
    {
        length_ = length;
        x_.SetGlobalBuffer((__gm__ T *)x, length);
        sum_.SetGlobalBuffer((__gm__ float *)sum, 1);
        workspace_.SetGlobalBuffer((__gm__ float *)workspace, AscendC::GetBlockNum() * SLOT);
        pipe_.InitBuffer(in_, BUFFERS, TILE * sizeof(float));
        pipe_.InitBuffer(out_, 1, SLOT * sizeof(float));
        pipe_.InitBuffer(total_, TILE * sizeof(float));
        pipe_.InitBuffer(work_, TILE * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        const uint32_t block = AscendC::GetBlockIdx(), blocks = AscendC::GetBlockNum();
        Sum(x_, length_, block, blocks);
        CopyOut(workspace_[block * SLOT], SLOT);
        AscendC::SyncAll(); /* what all blocks wrote has arrived in GM */
        if (block == 0) {
            Sum(workspace_, (uint64_t)blocks * SLOT, 0, 1);
            CopyOut(sum_, 1);
        }
    }

  private:
    /* total[i] = the sum of the i-th elements of this block's tiles, then all of it to one number
     * in the out queue. Nothing here waits for a scalar, so the tiles stream at full speed. */
    template <typename U>
    __aicore__ inline void Sum(const AscendC::GlobalTensor<U> &x, uint64_t length, uint32_t first,
                               uint32_t step)
    {
        AscendC::LocalTensor<float> total = total_.Get<float>();
        AscendC::Duplicate(total, 0.0f, TILE);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint64_t at = (uint64_t)first * TILE; at < length; at += (uint64_t)step * TILE) {
            const uint32_t n = length - at < TILE ? (uint32_t)(length - at) : TILE;
            AscendC::LocalTensor<U> tile = in_.template AllocTensor<U>();
            AscendC::DataCopyPad(tile, x[at], AscendC::DataCopyExtParams(1, n * sizeof(U), 0, 0, 0),
                                 AscendC::DataCopyPadExtParams<U>(false, 0, 0, 0));
            in_.EnQue(tile);
            tile = in_.template DeQue<U>();
            if constexpr (std::is_same_v<U, float>) {
                AscendC::Add(total, total, tile, n);
            } else { /* an fp16 sum would stop growing at 2048 ones */
                AscendC::LocalTensor<float> wide = work_.Get<float>();
                AscendC::Cast(wide, tile, AscendC::RoundMode::CAST_NONE, n);
                AscendC::PipeBarrier<PIPE_V>();
                AscendC::Add(total, total, wide, n);
            }
            AscendC::PipeBarrier<PIPE_V>();
            in_.FreeTensor(tile);
        }
        AscendC::LocalTensor<float> out = out_.template AllocTensor<float>();
        AscendC::Duplicate(out, 0.0f, SLOT); /* the slot's other numbers are added too */
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ReduceSum(out, total, work_.Get<float>(), TILE);
        out_.template EnQue<float>(out);
    }

    __aicore__ inline void CopyOut(const AscendC::GlobalTensor<float> &to, uint32_t n)
    {
        AscendC::LocalTensor<float> out = out_.template DeQue<float>();
        AscendC::DataCopyPad(to, out, AscendC::DataCopyExtParams(1, n * sizeof(float), 0, 0, 0));
        out_.FreeTensor(out);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> total_, work_;
    AscendC::GlobalTensor<T> x_;
    AscendC::GlobalTensor<float> sum_, workspace_;
    uint64_t length_ = 0;
};

/* SyncAll needs all blocks on cores at once: on a card, launch no more than it has vector cores. */
extern "C" __global__ __aicore__ void reduce_f32(GM_ADDR x, GM_ADDR sum, GM_ADDR workspace,
                                                 uint64_t length)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    KernelReduce<float> op;
    op.Init(x, sum, workspace, length);
    op.Process();
}

extern "C" __global__ __aicore__ void reduce_f16(GM_ADDR x, GM_ADDR sum, GM_ADDR workspace,
                                                 uint64_t length)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    KernelReduce<half> op;
    op.Init(x, sum, workspace, length);
    op.Process();
}

int main(int argc, char **argv)
{
    /* No rounding error hides a lost element: x are eighths, and fp32 holds their sums exactly. */
    example e = example_begin(argc, argv, "reduce", "sum = x[0] + x[1] + ..., in fp32",
                              "LENGTH=1000003", "f32|f16", "none, x are eighths");
    const uint64_t n = e.size[0];
    float *x = example_values(&e, n, -8, 8), sum = 0;
    double exact = 0;
    for (uint64_t i = 0; i < n; i++) {
        x[i] = rintf(x[i]) / 8;
        exact += x[i];
    }
    uint8_t *x_gm = (uint8_t *)example_upload(&e, x, n);
    uint8_t *workspace = (uint8_t *)example_device(e.blocks * SLOT * sizeof(float));
    uint8_t *sum_gm = (uint8_t *)example_device(sizeof sum);

    if (e.f16) {
        reduce_f16<<<e.blocks, nullptr, e.stream>>>(x_gm, sum_gm, workspace, n);
    } else {
        reduce_f32<<<e.blocks, nullptr, e.stream>>>(x_gm, sum_gm, workspace, n);
    }
    example_fetch(&e, &sum, sum_gm, sizeof sum);

    example_expect(&e, 0, sum, exact, 0);
    CHECK(aclrtFree(x_gm));
    CHECK(aclrtFree(workspace));
    CHECK(aclrtFree(sum_gm));
    free(x);
    return example_end(&e);
}
