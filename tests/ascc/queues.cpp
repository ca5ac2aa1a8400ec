/* Queues of every depth in whole kernels, in the loops of public ones: compiled with all warnings
 * as errors (what the compiler makes of the queue's inlined bookkeeping is ours to keep quiet), and
 * right: bytes are counted by the scalar unit, each block's counts are added up in GM. */
#include "acl/acl.h"
#include "kernel_operator.h"

#include <cstdio>
#include <cstring>

constexpr uint32_t BINS = 16, TILE = 1024, SIZE = 5000;

template <class T, int32_t depth, int32_t buffers>
__global__ __aicore__ void histogram(GM_ADDR x, GM_ADDR counts, uint32_t n)
{
    using namespace AscendC;
    TPipe pipe;
    TQue<TPosition::VECIN, depth> in;
    TBuf<> sums;
    pipe.InitBuffer(in, buffers, TILE * sizeof(T));
    pipe.InitBuffer(sums, BINS * sizeof(int32_t));
    GlobalTensor<T> from;
    GlobalTensor<int32_t> to;
    from.SetGlobalBuffer((__gm__ T *)x);
    to.SetGlobalBuffer((__gm__ int32_t *)counts);
    LocalTensor<int32_t> sum = sums.Get<int32_t>();
    Duplicate(sum, 0, BINS);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t at = GetBlockIdx() * TILE; at < n; at += GetBlockNum() * TILE) {
        const uint32_t count = min(TILE, n - at);
        LocalTensor<T> a = in.template AllocTensor<T>();
        DataCopyPad(a, from[at], DataCopyExtParams(1, count * sizeof(T), 0, 0, 0),
                    DataCopyPadExtParams<T>(false, 0, 0, 0));
        in.EnQue(a);
        a = in.template DeQue<T>();
        PipeBarrier<PIPE_ALL>();
        for (uint32_t i = 0; i < count; i++) {
            const int32_t bin = (int32_t)a.GetValue(i);
            sum.SetValue(bin, sum.GetValue(bin) + 1);
        }
        in.FreeTensor(a);
    }
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<int32_t>();
    DataCopy(to, sum, BINS);
    SetAtomicNone();
}

/* As many tensors in the queue as it may hold, taken out in order. */
template <int32_t depth>
__global__ __aicore__ void filled(GM_ADDR counts)
{
    using namespace AscendC;
    TPipe pipe;
    TQue<TPosition::VECOUT, depth> out;
    pipe.InitBuffer(out, depth, 32);
    GlobalTensor<int32_t> to;
    to.SetGlobalBuffer((__gm__ int32_t *)counts);
    for (int32_t round = 0; round < 5; round++) {
        for (int32_t i = 0; i < depth; i++) {
            LocalTensor<int32_t> a = out.template AllocTensor<int32_t>();
            Duplicate(a, round + i, 8);
            out.EnQue(a);
        }
        for (int32_t i = 0; i < depth; i++) {
            LocalTensor<int32_t> a = out.template DeQue<int32_t>();
            if (i == depth - 1) {
                DataCopy(to, a, 8);
                PipeBarrier<PIPE_ALL>();
            }
            out.FreeTensor(a);
        }
    }
}

static void *x, *y;
static int wrong;

static void expect(const char *what, int type, int depth, int at, int32_t want)
{
    const aclError error = aclrtSynchronizeStream(nullptr);
    const int32_t got = static_cast<int32_t *>(y)[at];
    if (error || got != want) {
        std::printf("%s, %d bytes, depth %d: %d of %d is %d, expected %d\n", what, type, depth,
                    (int)error, at, (int)got, (int)want);
        wrong = 1;
    }
}

template <class T, int32_t depth, int32_t buffers>
static void count()
{
    for (uint32_t i = 0; i < SIZE; i++) {
        static_cast<T *>(x)[i] = (T)(i * i % BINS);
    }
    std::memset(y, 0, BINS * 4);
    histogram<T, depth, buffers><<<3, nullptr, nullptr>>>((GM_ADDR)x, (GM_ADDR)y, SIZE);
    for (uint32_t bin = 0; bin < BINS; bin++) {
        int32_t want = 0;
        for (uint32_t i = 0; i < SIZE; i++) {
            want += i * i % BINS == bin;
        }
        expect("histogram", (int)sizeof(T), depth, (int)bin, want);
    }
}

template <int32_t depth>
static void deep()
{
    count<uint8_t, depth, 1>();
    count<uint8_t, depth, 2>();
    count<int16_t, depth, 2>();
    count<int32_t, depth, 4>();
    filled<depth><<<1, nullptr, nullptr>>>((GM_ADDR)y);
    expect("filled", 4, depth, 7, 4 + depth - 1);
}

int main()
{
    if (aclInit(nullptr) || aclrtSetDevice(0) ||
        aclrtMalloc(&x, SIZE * 4, ACL_MEM_MALLOC_HUGE_FIRST) ||
        aclrtMalloc(&y, 4096, ACL_MEM_MALLOC_HUGE_FIRST)) {
        return 1;
    }
    deep<1>();
    deep<2>();
    deep<3>();
    deep<4>();
    std::printf(wrong ? "failed\n" : "passed\n");
    return wrong;
}
