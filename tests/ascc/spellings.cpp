/* Kernels as their authors spell things: without AscendC::, in the older namespace, with addresses
 * laid out by hand, with operators, with macros of their own. Every kernel fills 64 words. */
#include "acl/acl.h"
#include "kernel_operator_intf.h"
#include "lib/matrix/matmul/matmul.h"
#include "lib/matrix/matmul/tiling.h"

#include <cstdio>
#include <cstring>
#include <functional>

constexpr int32_t N = 64;
using Ints = AscendC::LocalTensor<int32_t>;

/* UB with x in it, and what fetches it back */
template <class T>
struct Buffers {
    AscendC::TPipe pipe;
    AscendC::TBuf<> from, to;
    AscendC::GlobalTensor<T> x, y;

    __aicore__ inline Buffers(GM_ADDR in, GM_ADDR out)
    {
        pipe.InitBuffer(from, N * sizeof(T));
        pipe.InitBuffer(to, N * sizeof(T));
        x.SetGlobalBuffer((__gm__ T *)in);
        y.SetGlobalBuffer((__gm__ T *)out);
        AscendC::DataCopy(from.Get<T>(), x, N);
        AscendC::PipeBarrier<PIPE_ALL>();
    }
    __aicore__ inline void Finish()
    {
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::DataCopy(y, to.Get<T>(), N);
    }
};

/* a name of the user's that the door has in AscendC; a type of that name stays usable */
namespace mine
{
template <class T>
struct Cast {
    T value;
};
enum Kind { Add, Sub };
} // namespace mine
template <class T>
class Gelu
{
  public:
    T one = 1;
};

extern "C" __global__ __aicore__ void without_namespace(GM_ADDR in, GM_ADDR out)
{
    Buffers<float> b(in, out);
    Gelu<float> gelu;
    mine::Cast<int> cast{mine::Sub};
    auto from = b.from.Get<float>(), to = b.to.Get<float>();
    Muls<float>(to, from, gelu.one + cast.value, N); /* 2x */
    auto event = GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_S);
    AscendC::SetFlag<AscendC::HardEvent::V_S>(event);
    AscendC::WaitFlag<AscendC::HardEvent::V_S>(event);
    int64_t least = min(int64_t(to.GetValue(3)), int64_t(100)), most = max(2, 3.5f) * 2;
    const float none = sqrt(6.25f) - abs(-2.5f) + abs(int64_t(-9)) - sqrt(81);
    Adds<float>(to, to, least + most + none, N); /* 2x + 6 + 7 */
    b.Finish();
}

extern "C" __global__ __aicore__ void with_operators(GM_ADDR in, GM_ADDR out)
{
    Buffers<float> b(in, out);
    auto x = b.from.Get<float>(), y = b.to.Get<float>();
    y = x + x;
    y = y * x;
    y = y - x; /* 2x² - x */
    AscendC::TBuf<> bits;
    b.pipe.InitBuffer(bits, 256);
    auto mask = bits.Get<uint8_t>();
    mask = x < y; /* all but 0 and 1 */
    AscendC::PipeBarrier<PIPE_ALL>();
    y.SetValue(0, mask.GetValue(0) + mask.GetValue(1));
    b.Finish();
}

extern "C" __global__ __aicore__ void by_hand(GM_ADDR in, GM_ADDR out)
{
    Ints a, b, c;
    a.address_.logicPos = static_cast<uint8_t>(AscendC::TPosition::VECIN);
    a.address_.bufferAddr = 4096;
    a.address_.dataLen = N * sizeof(int32_t);
    AscendC::TBuffAddr next = a.address_;
    next.bufferAddr += 2048;
    b.SetAddr(next);
    AscendC::GlobalTensor<int32_t> x, y;
    x.SetGlobalBuffer((__gm__ int32_t *)in);
    y.SetGlobalBuffer((__gm__ int32_t *)out);
    AscendC::DataCopy(a, x, N);
    AscendC::PipeBarrier<PIPE_ALL>();
    c.address_.bufferAddr = reinterpret_cast<uint64_t>(a.GetPhyAddr()); /* a pointer again */
    AscendC::Adds(b, c, a.GetValue(5), N);
    AscendC::PipeBarrier<PIPE_ALL>();
    __ubuf__ int32_t *ub = (__ubuf__ int32_t *)get_imm(6144);
    ub[1] = a.GetSize();
    copy_ubuf_to_gm(out, ub, 0, 1, N * sizeof(int32_t) / 32, 0, 0);
}

/* two to a byte: an offset is of elements */
extern "C" __global__ __aicore__ void four_bits(GM_ADDR in, GM_ADDR out)
{
    using namespace AscendC;
    GlobalTensor<int4b_t> x;
    x.SetGlobalBuffer((__gm__ int4b_t *)in);
    GlobalTensor<float> y;
    y.SetGlobalBuffer((__gm__ float *)out);
    TPipe pipe;
    TBuf<> packed, halves, floats;
    pipe.InitBuffer(packed, N / 2);
    pipe.InitBuffer(halves, N * 2);
    pipe.InitBuffer(floats, N * 4);
    DataCopy(packed.Get<int4b_t>(), x[N], N);
    PipeBarrier<PIPE_ALL>();
    Cast(halves.Get<half>(), packed.Get<int4b_t>(), RoundMode::CAST_NONE, N);
    Cast(floats.Get<float>(), halves.Get<half>(), RoundMode::CAST_NONE, N);
    PipeBarrier<PIPE_ALL>();
    DataCopy(y, floats.Get<float>(), N);
}

/* bits read as another type, as kernels do without a cast for it */
extern "C" __global__ __aicore__ void by_bits(__gm__ uint32_t *in, __gm__ uint32_t *out)
{
    for (int i = 0; i < N; i++) {
        uint32_t bits = in[i];
        *(float *)&bits += 1.0f;
        out[i] = bits;
    }
}

namespace tik2
{
class Halves
{
  public:
    __aicore__ void Init(GM_ADDR x, GM_ADDR y);
    GlobalTensor<int32_t> in, out;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> queue;
};
} // namespace tik2
using namespace tik2;

__aicore__ void Halves::Init(GM_ADDR x, GM_ADDR y)
{
    in.SetGlobalBuffer((__gm__ int32_t *)ParamOffset<int32_t>(x, N / 2), N / 2);
    out.SetGlobalBuffer((__gm__ int32_t *)ParamOffset<int32_t>(y, N / 2), N / 2);
    pipe.InitBuffer(queue, 1, N / 2 * sizeof(int32_t));
}

/* macros as older headers have them; tiling copied by hand */
#undef __aicore__
#define __aicore__ [aicore]
struct OwnTiling {
    int32_t more, zero;
};
inline __aicore__ int32_t Blocks(int32_t n)
{
    return (n + 31) / 32;
}
#define OWN_TILING_DATA(data, address)                                                             \
    __ubuf__ uint8_t *in_ub = (__ubuf__ uint8_t *)get_imm(0);                                      \
    copy_gm_to_ubuf(((__ubuf__ uint8_t *)(in_ub)), ((__gm__ uint8_t *)(address)), 0, 1,            \
                    Blocks(sizeof(OwnTiling)), 0, 0);                                              \
    pipe_barrier(PIPE_ALL);                                                                        \
    OwnTiling data = *(__ubuf__ OwnTiling *)in_ub;

extern "C" __global__ __aicore__ void older(__gm__ uint8_t *x, __gm__ uint8_t *y)
{
    OWN_TILING_DATA(tiling, x + 4 * 9);
    Halves op;
    op.Init(x, y);
    auto ub = op.queue.AllocTensor<int32_t>();
    DataCopy(ub, op.in, N / 2);
    op.queue.EnQue(ub);
    ub = op.queue.DeQue<int32_t>();
    Adds(ub, ub, tiling.more, N / 2);
    pipe_barrier(PIPE_ALL);
    DataCopy(op.out, ub, N / 2);
    op.queue.FreeTensor(ub);
}

static int wrong;

/* Runs `launch` on x = 0, 1, 2, …; word i of the result is want(i). */
template <class T>
static void check(const char *name, std::function<void(GM_ADDR, GM_ADDR)> launch,
                  std::function<double(double)> want)
{
    void *x, *y;
    aclrtMalloc(&x, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&y, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    for (int i = 0; i < N; i++) {
        static_cast<T *>(x)[i] = (T)i;
    }
    launch((GM_ADDR)x, (GM_ADDR)y);
    if (aclrtSynchronizeStream(nullptr)) {
        std::printf("%s: %s\n", name, aclGetRecentErrMsg());
        wrong = 1;
    }
    for (int i = 0; i < N; i++) {
        if ((double)static_cast<T *>(y)[i] != want(i)) {
            std::printf("%s: %d is %g, expected %g\n", name, i, (double)static_cast<T *>(y)[i],
                        want(i));
            wrong = 1;
        }
    }
    aclrtFree(x);
    aclrtFree(y);
}

int main()
{
    if (aclInit(nullptr) || aclrtSetDevice(0)) {
        return 1;
    }
    check<float>(
        "without_namespace",
        [](GM_ADDR x, GM_ADDR y) { without_namespace<<<1, nullptr, nullptr>>>(x, y); },
        [](double i) { return 2 * i + 13; });
    check<float>(
        "with_operators",
        [](GM_ADDR x, GM_ADDR y) { with_operators<<<1, nullptr, nullptr>>>(x, y); },
        [](double i) { return i ? 2 * i * i - i : 0xfc + 0xff; });
    check<int32_t>(
        "by_hand", [](GM_ADDR x, GM_ADDR y) { by_hand<<<1, nullptr, nullptr>>>(x, y); },
        [](double i) { return i == 1 ? N : i + 5; });
    check<float>(
        "four_bits",
        [](GM_ADDR x, GM_ADDR y) {
            for (int i = 0; i < N / 2; i++) {
                x[N / 2 + i] = (uint8_t)((2 * i) & 7) | (uint8_t)(((2 * i + 1) & 7) << 4);
            }
            four_bits<<<1, nullptr, nullptr>>>(x, y);
        },
        [](double i) { return (int)i & 7; });
    check<float>(
        "by_bits",
        [](GM_ADDR x, GM_ADDR y) {
            by_bits<<<1, nullptr, nullptr>>>((uint32_t *)x, (uint32_t *)y);
        },
        [](double i) { return i + 1; });
    check<int32_t>(
        "older", [](GM_ADDR x, GM_ADDR y) { older<<<2, nullptr, nullptr>>>(x, y); },
        [](double i) { return i + 9; });
    std::printf(wrong ? "failed\n" : "passed\n");
    aclrtResetDevice(0);
    aclFinalize();
    return wrong;
}
