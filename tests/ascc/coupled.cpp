/* A product on a coupled chip, where L0C leaves through UB: CO1 -> CO2 -> GM. Against float64, with
 * float32 and rounded float16 results of halves and scaled ones of int8, plain and with relu; the
 * chip is the one it was built for, or SOFTASCEND_CHIP's. */
#include "acl/acl.h"
#include "kernel_operator.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

using namespace AscendC;

#if __NPU_ARCH__ != 2002 || __CCE_AICORE__ != 200
#error "built for another architecture"
#endif

/* All sizes are multiples of 16, k of int8 of 32. B of int8 is [n, k]: only 2-byte elements are
 * transposed on the way to L0. */
struct shape {
    uint16_t m, k, n;
};

template <class In, class C>
class product
{
    using sum = std::conditional_t<std::is_same_v<In, int8_t>, int32_t, float>;
    static constexpr int C0 = 32 / sizeof(In);

  public:
    __aicore__ inline product(const shape &s) : s_(s)
    {
        pipe_.InitBuffer(a1_, 1, s.m * s.k * sizeof(In));
        pipe_.InitBuffer(b1_, 1, s.k * s.n * sizeof(In));
        pipe_.InitBuffer(a2_, 1, s.m * s.k * sizeof(In));
        pipe_.InitBuffer(b2_, 1, s.k * s.n * sizeof(In));
        pipe_.InitBuffer(co1_, 1, s.m * s.n * sizeof(sum));
        pipe_.InitBuffer(co2_, 1, s.m * s.n * sizeof(C));
    }

    __aicore__ inline void run(GM_ADDR a, GM_ADDR b, GM_ADDR c, float scale, bool relu)
    {
        into_l1(a1_, a, s_.m, s_.k);
        if constexpr (C0 == 32) {
            into_l1(b1_, b, s_.n, s_.k);
        } else {
            into_l1(b1_, b, s_.k, s_.n);
        }
        into_l0();
        multiply();
        leave(c, scale, relu);
    }

  private:
    /* Row-major into columns of fractals: these chips copy a column of 32 bytes at a time. */
    template <class Queue>
    __aicore__ inline void into_l1(Queue &queue, GM_ADDR gm, uint16_t rows, uint16_t cols)
    {
        GlobalTensor<In> from;
        from.SetGlobalBuffer((__gm__ In *)gm);
        auto to = queue.template AllocTensor<In>();
        for (int col = 0; col < cols; col += C0)
            DataCopy(to[col * rows], from[col],
                     DataCopyParams(rows, 1, static_cast<uint16_t>(cols / C0 - 1), 0));
        queue.EnQue(to);
    }

    __aicore__ inline void into_l0()
    {
        auto a1 = a1_.template DeQue<In>(), b1 = b1_.template DeQue<In>();
        auto a2 = a2_.template AllocTensor<In>(), b2 = b2_.template AllocTensor<In>();
        LoadData2dParams load;
        load.repeatTimes = static_cast<uint8_t>(s_.k / C0);
        load.srcStride = s_.m / 16;
        for (int row = 0; row < s_.m / 16; row++)
            LoadData(a2[row * 16 * s_.k], a1[row * 16 * C0], load);
        load.repeatTimes = s_.n / 16;
        load.srcStride = C0 == 32 ? 1 : s_.k / 16;
        load.ifTranspose = C0 == 16;
        for (int k = 0; k < s_.k / C0; k++)
            LoadData(b2[k * C0 * s_.n], b1[k * C0 * (C0 == 32 ? s_.n : 16)], load);
        a1_.FreeTensor(a1);
        b1_.FreeTensor(b1);
        a2_.EnQue(a2);
        b2_.EnQue(b2);
    }

    __aicore__ inline void multiply()
    {
        auto a2 = a2_.template DeQue<In>(), b2 = b2_.template DeQue<In>();
        auto c = co1_.template AllocTensor<sum>();
        MmadParams mmad;
        mmad.m = s_.m, mmad.n = s_.n, mmad.k = s_.k;
        Mmad(c, a2, b2, mmad);
        a2_.FreeTensor(a2);
        b2_.FreeTensor(b2);
        co1_.EnQue(c);
    }

    __aicore__ inline void leave(GM_ADDR c, float scale, bool relu)
    {
        auto from = co1_.template DeQue<sum>();
        auto to = co2_.template AllocTensor<C>();
        DataCopyParams whole(1, static_cast<uint16_t>(s_.m * s_.n / 256), 0, 0);
        DataCopyEnhancedParams matrix;
        matrix.blockMode = BlockMode::BLOCK_MODE_MATRIX;
        matrix.isRelu = relu;
        if (scale != 1) {
            matrix.deqScale = DeqScale::DEQ;
            matrix.deqValue = __builtin_bit_cast(uint32_t, scale);
        }
        DataCopy(to, from, whole, matrix);
        co1_.FreeTensor(from);
        co2_.EnQue(to);

        auto out = co2_.template DeQue<C>();
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

template <class In, class C>
__global__ __aicore__ void multiply(GM_ADDR a, GM_ADDR b, GM_ADDR c, shape s, float scale,
                                    bool relu)
{
    product<In, C> p(s);
    p.run(a, b, c, scale, relu);
}

static aclrtStream stream;

static void *on_device(const void *host, size_t bytes)
{
    void *p = nullptr;
    aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(p, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    return p;
}

/* Small integers and halves of them: every sum is exact in float32, so only the scale and C round.
 */
template <class In, class C>
static bool right(const shape &s, float scale, bool relu)
{
    constexpr bool integers = std::is_same_v<In, int8_t>;
    std::vector<In> a(s.m * s.k), b(s.k * s.n);
    std::vector<C> c(s.m * s.n);
    unsigned seed = 1;
    auto next = [&] {
        int n = (int)((seed = seed * 1103515245 + 12345) >> 16 & 63) - 32;
        return integers ? (In)n : (In)((float)n / 2);
    };
    for (In &x : a)
        x = next();
    for (In &x : b)
        x = next();
    void *da = on_device(a.data(), a.size() * sizeof(In));
    void *db = on_device(b.data(), b.size() * sizeof(In));
    void *dc = on_device(c.data(), c.size() * sizeof(C));
    multiply<In, C><<<1, nullptr, stream>>>((GM_ADDR)da, (GM_ADDR)db, (GM_ADDR)dc, s, scale, relu);
    aclError error = aclrtSynchronizeStream(stream);
    if (error != ACL_SUCCESS) {
        std::printf("%d: %s\n", (int)error, aclGetRecentErrMsg());
        std::exit(1);
    }
    aclrtMemcpy(c.data(), c.size() * sizeof(C), dc, c.size() * sizeof(C),
                ACL_MEMCPY_DEVICE_TO_HOST);
    int wrong = 0;
    for (int i = 0; i < s.m; i++)
        for (int j = 0; j < s.n; j++) {
            double sum = 0;
            for (int k = 0; k < s.k; k++)
                sum += (double)(float)a[i * s.k + k] *
                       (double)(float)b[integers ? j * s.k + k : k * s.n + j];
            sum *= (double)scale;
            if (relu && sum < 0)
                sum = 0;
            wrong += (float)c[i * s.n + j] != (float)(C)(float)sum;
        }
    if (wrong)
        std::printf("%u x %u x %u, %u to %u bytes, scale %g, relu %d: %d wrong\n", s.m, s.k, s.n,
                    (unsigned)sizeof(In), (unsigned)sizeof(C), (double)scale, relu, wrong);
    for (void *p : {da, db, dc})
        aclrtFree(p);
    return !wrong;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !std::strcmp(argv[1], "chip")) {
        std::printf("%s\n", aclrtGetSocName());
        return 0;
    }
    const shape shapes[] = {
        {16, 16, 16}, {16, 32, 48}, {48, 16, 32}, {112, 80, 96}, {128, 256, 64}};
    const shape of_int8[] = {{16, 32, 16}, {48, 64, 32}, {112, 96, 80}, {128, 256, 64}};
    bool all = true;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    for (const shape &s : shapes)
        for (bool relu : {false, true}) {
            all &= right<half, float>(s, 1, relu);
            all &= right<half, half>(s, 1, relu);
        }
    for (const shape &s : of_int8)
        for (bool relu : {false, true}) {
            all &= right<int8_t, half>(s, 0.0123f, relu);
            all &= right<int8_t, float>(s, 0.37f, relu);
            all &= right<int8_t, int32_t>(s, 1, relu);
        }
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    std::printf(all ? "passed\n" : "failed\n");
    return !all;
}
