/* A product on a coupled chip, where L0C leaves through UB: CO1 -> CO2 -> GM. Against float64, with
 * float32 and rounded float16 results, plain and with relu; the chip is SOFTASCEND_CHIP's. */
#include "acl/acl.h"
#include "kernel_operator.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace AscendC;

#if __NPU_ARCH__ != 2002 || __CCE_AICORE__ != 200
#error "built for another architecture"
#endif

/* All sizes are multiples of 16. */
struct shape {
    uint16_t m, k, n;
};

template <class C>
class product
{
  public:
    __aicore__ inline product(const shape &s) : s_(s)
    {
        pipe_.InitBuffer(a1_, 1, s.m * s.k * sizeof(half));
        pipe_.InitBuffer(b1_, 1, s.k * s.n * sizeof(half));
        pipe_.InitBuffer(a2_, 1, s.m * s.k * sizeof(half));
        pipe_.InitBuffer(b2_, 1, s.k * s.n * sizeof(half));
        pipe_.InitBuffer(co1_, 1, s.m * s.n * sizeof(float));
        pipe_.InitBuffer(co2_, 1, s.m * s.n * sizeof(C));
    }

    __aicore__ inline void run(GM_ADDR a, GM_ADDR b, GM_ADDR c, bool relu)
    {
        into_l1(a1_, a, s_.m, s_.k);
        into_l1(b1_, b, s_.k, s_.n);
        into_l0();
        multiply();
        leave(c, relu);
    }

  private:
    /* Row-major into columns of fractals: these chips copy a column of 16 at a time. */
    template <class Queue>
    __aicore__ inline void into_l1(Queue &queue, GM_ADDR gm, uint16_t rows, uint16_t cols)
    {
        GlobalTensor<half> from;
        from.SetGlobalBuffer((__gm__ half *)gm);
        auto to = queue.template AllocTensor<half>();
        for (int col = 0; col < cols; col += 16)
            DataCopy(to[col * rows], from[col],
                     DataCopyParams(rows, 1, static_cast<uint16_t>(cols / 16 - 1), 0));
        queue.EnQue(to);
    }

    __aicore__ inline void into_l0()
    {
        auto a1 = a1_.DeQue<half>(), b1 = b1_.DeQue<half>();
        auto a2 = a2_.AllocTensor<half>(), b2 = b2_.AllocTensor<half>();
        LoadData2dParams load;
        load.repeatTimes = s_.k / 16;
        load.srcStride = s_.m / 16;
        for (int row = 0; row < s_.m / 16; row++)
            LoadData(a2[row * 16 * s_.k], a1[row * 256], load);
        load.repeatTimes = s_.n / 16;
        load.srcStride = s_.k / 16;
        load.ifTranspose = true;
        for (int row = 0; row < s_.k / 16; row++)
            LoadData(b2[row * 16 * s_.n], b1[row * 256], load);
        a1_.FreeTensor(a1);
        b1_.FreeTensor(b1);
        a2_.EnQue(a2);
        b2_.EnQue(b2);
    }

    __aicore__ inline void multiply()
    {
        auto a2 = a2_.DeQue<half>(), b2 = b2_.DeQue<half>();
        auto c = co1_.AllocTensor<float>();
        MmadParams mmad;
        mmad.m = s_.m, mmad.n = s_.n, mmad.k = s_.k;
        Mmad(c, a2, b2, mmad);
        a2_.FreeTensor(a2);
        b2_.FreeTensor(b2);
        co1_.EnQue(c);
    }

    __aicore__ inline void leave(GM_ADDR c, bool relu)
    {
        auto from = co1_.DeQue<float>();
        auto to = co2_.AllocTensor<C>();
        DataCopyParams whole(1, static_cast<uint16_t>(s_.m * s_.n / 256), 0, 0);
        DataCopyEnhancedParams matrix;
        matrix.blockMode = BlockMode::BLOCK_MODE_MATRIX;
        matrix.isRelu = relu;
        DataCopy(to, from, whole, matrix);
        co1_.FreeTensor(from);
        co2_.EnQue(to);

        auto out = co2_.DeQue<C>();
        GlobalTensor<C> gm;
        gm.SetGlobalBuffer((__gm__ C *)c);
        constexpr uint16_t blocks = 16 * sizeof(C) / 32;
        for (int col = 0; col < s_.n; col += 16)
            DataCopy(
                gm[col], out[col * s_.m],
                DataCopyParams(s_.m, blocks, 0, static_cast<uint16_t>((s_.n / 16 - 1) * blocks)));
        co2_.FreeTensor(out);
    }

    shape s_;
    TPipe pipe_;
    TQue<TPosition::A1, 1> a1_;
    TQue<TPosition::B1, 1> b1_;
    TQue<TPosition::A2, 1> a2_;
    TQue<TPosition::B2, 1> b2_;
    TQue<TPosition::CO1, 1> co1_;
    TQue<TPosition::CO2, 1> co2_;
};

template <class C>
__global__ __aicore__ void multiply(GM_ADDR a, GM_ADDR b, GM_ADDR c, shape s, bool relu)
{
    product<C> p(s);
    p.run(a, b, c, relu);
}

static aclrtStream stream;

static void *on_device(const void *host, size_t bytes)
{
    void *p = nullptr;
    aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(p, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    return p;
}

/* Small integers and halves of them: every sum is exact in float32, so only C rounds. */
template <class C>
static bool right(const shape &s, bool relu)
{
    std::vector<half> a(s.m * s.k), b(s.k * s.n);
    std::vector<C> c(s.m * s.n);
    unsigned seed = 1;
    auto next = [&] {
        return (half)((float)((seed = seed * 1103515245 + 12345) >> 16 & 63) / 2 - 16);
    };
    for (half &x : a)
        x = next();
    for (half &x : b)
        x = next();
    void *da = on_device(a.data(), a.size() * sizeof(half));
    void *db = on_device(b.data(), b.size() * sizeof(half));
    void *dc = on_device(c.data(), c.size() * sizeof(C));
    multiply<C><<<1, nullptr, stream>>>((GM_ADDR)da, (GM_ADDR)db, (GM_ADDR)dc, s, relu);
    aclError error = aclrtSynchronizeStream(stream);
    if (error != ACL_SUCCESS) {
        std::printf("%d: %s\n", (int)error, aclGetRecentErrMsg());
        std::exit(error == 507015 ? 3 : 1);
    }
    aclrtMemcpy(c.data(), c.size() * sizeof(C), dc, c.size() * sizeof(C),
                ACL_MEMCPY_DEVICE_TO_HOST);
    int wrong = 0;
    for (int i = 0; i < s.m; i++)
        for (int j = 0; j < s.n; j++) {
            double sum = 0;
            for (int k = 0; k < s.k; k++)
                sum += (double)(float)a[i * s.k + k] * (double)(float)b[k * s.n + j];
            if (relu && sum < 0)
                sum = 0;
            wrong += (float)c[i * s.n + j] != (float)(C)(float)sum;
        }
    if (wrong)
        std::printf("%u x %u x %u, %u bytes, relu %d: %d wrong\n", s.m, s.k, s.n,
                    (unsigned)sizeof(C), relu, wrong);
    for (void *p : {da, db, dc})
        aclrtFree(p);
    return !wrong;
}

int main()
{
    const shape shapes[] = {
        {16, 16, 16}, {16, 32, 48}, {48, 16, 32}, {112, 80, 96}, {128, 256, 64}};
    bool all = true;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    for (const shape &s : shapes)
        for (bool relu : {false, true}) {
            all &= right<float>(s, relu);
            all &= right<half>(s, relu);
        }
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    std::printf(all ? "passed\n" : "failed\n");
    return !all;
}
