/* Runs a few calls of the Ascend C door on one vector core and hands back what they left in UB, for
 * the tests of this folder: what goes in and what should come out are plain vectors. */
#ifndef TEST_ASCENDC_HARNESS_H
#define TEST_ASCENDC_HARNESS_H

#include "acl/acl.h"
#include "kernel_operator.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <setjmp.h>
#include <vector>

extern "C" {
#include <cmocka.h>
}

/* UB is one buffer of input and one of output; a body works on views of them. */
struct ub {
    AscendC::LocalTensor<uint8_t> in, out;

    template <class T>
    AscendC::LocalTensor<T> from(uint32_t byte) const
    {
        return in[byte].template ReinterpretCast<T>();
    }
    template <class T>
    AscendC::LocalTensor<T> to(uint32_t byte = 0) const
    {
        return out[byte].template ReinterpretCast<T>();
    }
};
using body = void (*)(const ub &);

__aicore__ inline void run_body(GM_ADDR in, GM_ADDR out, uint32_t in_bytes, uint32_t out_bytes,
                                body b)
{
    using namespace AscendC;
    TPipe pipe;
    TBuf<> in_buffer, out_buffer;
    GlobalTensor<uint8_t> from, to;
    from.SetGlobalBuffer(in);
    to.SetGlobalBuffer(out);
    pipe.InitBuffer(in_buffer, in_bytes ? in_bytes : 32);
    pipe.InitBuffer(out_buffer, out_bytes);
    ub u = {in_buffer.Get<uint8_t>(), out_buffer.Get<uint8_t>()};
    DataCopy(u.in, from, in_bytes);
    DataCopy(u.out, to, out_bytes);
    PipeBarrier<PIPE_ALL>();
    b(u);
    PipeBarrier<PIPE_ALL>();
    DataCopy(to, u.out, out_bytes);
    PipeBarrier<PIPE_ALL>();
}
SOFTASCEND_KERNEL(run_body, GM_ADDR, GM_ADDR, uint32_t, uint32_t, body)

static aclrtStream stream;

static int begin(void **)
{
    return aclInit(nullptr) || aclrtSetDevice(0) || aclrtCreateStream(&stream);
}
static int end(void **)
{
    return aclrtDestroyStream(stream) || aclrtResetDevice(0) || aclFinalize();
}

/* `out` goes in too: what a call leaves alone is seen. */
template <class In, class Out>
static std::vector<Out> run(const std::vector<In> &in, std::vector<Out> out, body b,
                            const char *what = "")
{
    size_t in_bytes = in.size() * sizeof(In), out_bytes = out.size() * sizeof(Out);
    void *din, *dout;
    aclrtMalloc(&din, in_bytes + 32, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&dout, out_bytes + 32, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(din, in_bytes, in.data(), in_bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(dout, out_bytes, out.data(), out_bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    ACLRT_LAUNCH_KERNEL(run_body)
    (1, stream, (GM_ADDR)din, (GM_ADDR)dout, (uint32_t)in_bytes, (uint32_t)out_bytes, b);
    if (aclrtSynchronizeStream(stream) != ACL_SUCCESS) {
        fail_msg("%s: %s", what, aclGetRecentErrMsg());
    }
    aclrtMemcpy(out.data(), out_bytes, dout, out_bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtFree(din);
    aclrtFree(dout);
    return out;
}

/* A number that is not too regular: -4 … 4 in steps of 1/32, exact in half. */
static inline double sample(uint32_t i)
{
    return ((double)((i * 2654435761u >> 16) % 257) - 128) / 32;
}
template <class T>
static std::vector<T> samples(uint32_t n, uint32_t seed = 0)
{
    std::vector<T> v(n);
    for (uint32_t i = 0; i < n; i++) {
        double s = sample(i + seed);
        v[i] = std::is_integral_v<T> ? (T)(s * 32) : (T)(float)s;
    }
    return v;
}

/* Equal to within `ulps` units of the last place of T (0: to the bit, of a correctly rounded
 * result). */
template <class T>
static void same(const std::vector<T> &got, const std::vector<double> &want, double ulps,
                 const char *what)
{
    assert_int_equal(got.size(), want.size());
    for (size_t i = 0; i < got.size(); i++) {
        double g = (double)got[i], w = want[i];
        constexpr int bits = std::is_same_v<T, half> ? 11 : std::is_same_v<T, bfloat16_t> ? 8 : 24;
        double step =
            std::is_integral_v<T>
                ? 1
                : std::ldexp(1.0, std::max(w == 0 ? -14 : std::ilogb(w), bits == 11 ? -14 : -126) -
                                      (bits - 1));
        bool both_nan = std::isnan(g) && std::isnan(w);
        if (!both_nan && g != w && !(std::fabs(g - w) <= (ulps + 0.5) * step)) {
            fail_msg("%s: element %zu is %.9g, expected %.9g", what, i, g, w);
        }
    }
}

/* Concatenates the bytes of vectors, each from a multiple of 32. */
template <class... V>
static std::vector<uint8_t> pack(const V &...vectors)
{
    std::vector<uint8_t> all;
    (
        [&](const auto &v) {
            const uint8_t *p = reinterpret_cast<const uint8_t *>(v.data());
            all.insert(all.end(), p, p + v.size() * sizeof v[0]);
            all.resize((all.size() + 31) / 32 * 32);
        }(vectors),
        ...);
    return all;
}

#endif
