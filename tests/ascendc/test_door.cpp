/* The first names of the Ascend C door: values, and queues that are used wrongly. */
#include "acl/acl.h"
#include "ascendc/kernel_operator.h"

#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

extern "C" {
#include <cmocka.h>
}

using namespace AscendC;

/* ---- half and bfloat16_t against double arithmetic */

static double half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    double v = exponent == 31 ? (mantissa ? NAN : INFINITY)
               : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                              : std::ldexp(mantissa, -24);
    return h & 0x8000 ? -v : v;
}

/* The nearest value with `bits` of significand and exponents from `least`, ties to even. */
static double round_to(double v, int bits, int least)
{
    if (v == 0 || !std::isfinite(v)) {
        return v;
    }
    int exponent = std::ilogb(v);
    int step = (exponent < least ? least : exponent) - (bits - 1);
    return std::ldexp(std::nearbyint(std::ldexp(v, -step)), step);
}

static void test_half(void **)
{
    for (uint32_t h = 0; h < 65536; h++) {
        half stored;
        stored.bits = (uint16_t)h;
        double expected = half_value((uint16_t)h);
        float value = stored;
        assert_true(std::isnan(expected) ? std::isnan(value) : value == expected);
        assert_true(std::isnan(expected) || std::signbit(value) == std::signbit(expected));
    }
    for (uint64_t i = 0; i < 1u << 22; i++) {
        uint32_t bits = (uint32_t)(i * 1021); /* a prime: all exponents, all kinds of mantissas */
        float value;
        memcpy(&value, &bits, sizeof value);
        double expected = round_to(value, 11, -14);
        if (std::fabs(expected) > 65504) {
            expected = std::copysign(INFINITY, expected);
        }
        float got = half(value);
        if (!(std::isnan(value) ? std::isnan(got) : got == expected)) {
            fail_msg("half(%a) is %a, expected %a", value, got, expected);
        }
        got = bfloat16_t(value);
        expected = round_to(value, 8, -126);
        if (std::fabs(expected) > 0x1.fep127) {
            expected = std::copysign(INFINITY, expected);
        }
        if (!(std::isnan(value) ? std::isnan(got) : got == expected)) {
            fail_msg("bfloat16_t(%a) is %a, expected %a", value, got, expected);
        }
    }
}

/* ---- kernels */

constexpr uint32_t N = 96;
using In = TQue<TPosition::VECIN, 2>;
using Out = TQue<TPosition::VECOUT, 1>;

/* Runs `compute` on x and y and gives z. */
template <class T, class F>
static void elementwise(GM_ADDR x, GM_ADDR y, GM_ADDR z, F compute)
{
    TPipe pipe;
    In in_x, in_y;
    Out out;
    GlobalTensor<T> gx, gy, gz;
    gx.SetGlobalBuffer((T *)x, N);
    gy.SetGlobalBuffer((T *)y, N);
    gz.SetGlobalBuffer((T *)z, N);
    pipe.InitBuffer(in_x, 1, N * sizeof(T));
    pipe.InitBuffer(in_y, 1, N * sizeof(T));
    pipe.InitBuffer(out, 1, N * sizeof(T));
    LocalTensor<T> lx = in_x.AllocTensor<T>(), ly = in_y.AllocTensor<T>();
    DataCopy(lx, gx, N);
    DataCopy(ly, gy[0], N);
    in_x.EnQue(lx);
    in_y.EnQue(ly);
    lx = in_x.DeQue<T>();
    ly = in_y.DeQue<T>();
    LocalTensor<T> lz = out.AllocTensor<T>();
    compute(lz, lx, ly);
    out.EnQue(lz);
    in_x.FreeTensor(lx);
    in_y.FreeTensor(ly);
    lz = out.DeQue<T>();
    DataCopy(gz, lz, N);
    out.FreeTensor(lz);
}

enum { ADD, SUB, MUL, DIV, MAX, MIN, ADDS, MULS, RELU, EXP, DUPLICATE, CAST, SCALAR, OPS };

template <class T>
static void one_op(GM_ADDR x, GM_ADDR y, GM_ADDR z, int op)
{
    using L = LocalTensor<T>;
    elementwise<T>(x, y, z, [op](const L &d, const L &a, const L &b) {
        switch (op) {
        case ADD:
            return Add(d, a, b, N);
        case SUB:
            return Sub(d, a, b, N);
        case MUL:
            return Mul(d, a, b, N);
        case DIV:
            return Div(d, a, b, N);
        case MAX:
            return Max(d, a, b, N);
        case MIN:
            return Min(d, a, b, N);
        case ADDS:
            return Adds(d, a, (T)1.5f, N);
        case MULS:
            return Muls(d, a, (T)1.5f, N);
        case RELU:
            return Relu(d, a, N);
        case EXP:
            return Exp(d, a, N);
        case DUPLICATE:
            return Duplicate(d, (T)2.5f, N);
        case CAST: { /* to int32 and back, with another view of the same buffer */
            LocalTensor<int32_t> whole = d.template ReinterpretCast<int32_t>();
            if constexpr (sizeof(T) == 4) {
                Cast(whole, a, RoundMode::CAST_TRUNC, N);
                PipeBarrier<PIPE_V>();
                Cast(d, whole, RoundMode::CAST_NONE, N);
            }
            return;
        }
        case SCALAR: /* one element at a time */
            SetFlag<HardEvent::MTE2_S>(0);
            WaitFlag<HardEvent::MTE2_S>(0);
            for (uint32_t i = 0; i < a.GetSize() && i < N; i++) {
                d.SetValue(i, a[i].GetValue(0));
            }
            SetFlag<HardEvent::S_MTE3>(0);
            WaitFlag<HardEvent::S_MTE3>(0);
            return;
        }
    });
}

extern "C" __global__ __aicore__ void op_float(GM_ADDR x, GM_ADDR y, GM_ADDR z, int op)
{
    one_op<float>(x, y, z, op);
}
SOFTASCEND_KERNEL(op_float, GM_ADDR, GM_ADDR, GM_ADDR, int)

extern "C" __global__ __aicore__ void op_half(GM_ADDR x, GM_ADDR y, GM_ADDR z, int op)
{
    one_op<half>(x, y, z, op);
}
SOFTASCEND_KERNEL(op_half, GM_ADDR, GM_ADDR, GM_ADDR, int)

static double expected_of(int op, double a, double b)
{
    switch (op) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case DIV:
        return a / b;
    case MAX:
        return a > b ? a : b;
    case MIN:
        return a < b ? a : b;
    case ADDS:
        return a + 1.5;
    case MULS:
        return a * 1.5;
    case RELU:
        return a > 0 ? a : 0;
    case EXP:
        return std::exp(a);
    case DUPLICATE:
        return 2.5;
    case CAST:
        return std::trunc(a);
    default:
        return a;
    }
}

static aclrtStream stream;

template <class T, class K>
static void test_type(K kernel, int op, int bits, int least, double ulp)
{
    std::vector<T> x(N), y(N), z(N);
    for (uint32_t i = 0; i < N; i++) {
        x[i] = ((float)i - 40) / 8;
        y[i] = ((float)(i % 17) - 8.5f) / 2;
    }
    size_t bytes = N * sizeof(T);
    void *device[3];
    for (void *&d : device) {
        assert_int_equal(aclrtMalloc(&d, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    }
    aclrtMemcpy(device[0], bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(device[1], bytes, y.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    assert_int_equal(
        kernel(1, stream, (GM_ADDR)device[0], (GM_ADDR)device[1], (GM_ADDR)device[2], op), 0);
    if (aclrtSynchronizeStream(stream) != ACL_SUCCESS) {
        fail_msg("op %d: %s", op, aclGetRecentErrMsg());
    }
    aclrtMemcpy(z.data(), bytes, device[2], bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    for (uint32_t i = 0; i < N; i++) {
        double exact = expected_of(op, (float)x[i], (float)y[i]);
        double rounded = round_to(exact, bits, least);
        double step = std::ldexp(1.0, std::ilogb(exact == 0 ? 1 : exact) - (bits - 1));
        if (!(std::fabs((float)z[i] - rounded) <= (op == EXP ? ulp * step : 0))) {
            fail_msg("op %d of %a and %a: %a, expected %a", op, (float)x[i], (float)y[i],
                     (float)z[i], rounded);
        }
    }
    for (void *d : device) {
        aclrtFree(d);
    }
}

static void test_ops(void **)
{
    for (int op = 0; op < OPS; op++) {
        test_type<float>(aclrtlaunch_op_float, op, 24, -126, 2);
        if (op != CAST) {
            test_type<half>(aclrtlaunch_op_half, op, 11, -14, 1);
        }
    }
}

/* ---- queues used wrongly: a message that names the call and the kernel's line */

enum { TOO_MANY_ALLOC, TOO_MANY_ENQUE, EMPTY_DEQUE, FREE_TWICE, FOREIGN, TOO_LARGE_UB, TBUF_LARGE };
static int line;

extern "C" __global__ __aicore__ void misuse(int what)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in, other;
    TBuf<> buf;
    pipe.InitBuffer(in, 2, 64);
    pipe.InitBuffer(other, 1, 64);
    pipe.InitBuffer(buf, 64);
    LocalTensor<float> a, b;
    switch (what) {
    case TOO_MANY_ALLOC:
        a = in.AllocTensor<float>();
        b = in.AllocTensor<float>();
        line = __LINE__ + 1;
        in.AllocTensor<float>();
        return;
    case TOO_MANY_ENQUE:
        a = in.AllocTensor<float>();
        b = in.AllocTensor<float>();
        in.EnQue(a);
        line = __LINE__ + 1;
        in.EnQue(b);
        return;
    case EMPTY_DEQUE:
        line = __LINE__ + 1;
        in.DeQue<float>();
        return;
    case FREE_TWICE:
        a = in.AllocTensor<float>();
        in.FreeTensor(a);
        line = __LINE__ + 1;
        in.FreeTensor(a);
        return;
    case FOREIGN:
        a = in.AllocTensor<float>();
        line = __LINE__ + 1;
        other.EnQue(a);
        return;
    case TOO_LARGE_UB:
        line = __LINE__ + 1;
        pipe.InitBuffer(buf, 200 << 10);
        return;
    case TBUF_LARGE:
        line = __LINE__ + 1;
        buf.Get<float>(17);
        return;
    }
}
SOFTASCEND_KERNEL(misuse, int)

static void test_misuse(void **)
{
    static const struct {
        int what;
        const char *text;
    } cases[] = {
        {TOO_MANY_ALLOC, "TQue<VECIN>::AllocTensor: all 2 buffers are in use"},
        {TOO_MANY_ENQUE, "TQue<VECIN>::EnQue: the queue's depth is 1 and 1 tensors wait in it"},
        {EMPTY_DEQUE, "TQue<VECIN>::DeQue: the queue is empty"},
        {FREE_TWICE, "TQue<VECIN>::FreeTensor: this tensor is free already"},
        {FOREIGN, "TQue<VECIN>::EnQue: the tensor is not one that this queue gave out"},
        {TOO_LARGE_UB, "UB"},
        {TBUF_LARGE, "TBuf::Get: 17 elements of 4 bytes asked for, the buffer has 64 bytes"},
    };
    for (const auto &c : cases) {
        aclrtStream own;
        assert_int_equal(aclrtCreateStream(&own), ACL_SUCCESS);
        assert_int_equal(ACLRT_LAUNCH_KERNEL(misuse)(1, own, c.what), 0);
        assert_int_equal(aclrtSynchronizeStream(own), 507035);
        const char *message = aclGetRecentErrMsg();
        char where[64];
        std::snprintf(where, sizeof where, "test_door.cpp:%d", line);
        if (!message || !std::strstr(message, c.text) || !std::strstr(message, where)) {
            fail_msg("expected '%s' and %s in: %s", c.text, where, message ? message : "(none)");
        }
        aclrtDestroyStream(own);
    }
}

/* ---- more buffers than a pair of pipes has flags */

extern "C" __global__ __aicore__ void many_buffers(GM_ADDR x, GM_ADDR z)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 12> in;
    TBuf<> sum;
    GlobalTensor<float> gx, gz;
    gx.SetGlobalBuffer((float *)x, 12 * 8);
    gz.SetGlobalBuffer((float *)z, 8);
    pipe.InitBuffer(in, 12, 32);
    pipe.InitBuffer(sum, 32);
    LocalTensor<float> total = sum.Get<float>();
    Duplicate(total, 0.0f, 8);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 12; i++) {
            LocalTensor<float> l = in.AllocTensor<float>();
            DataCopy(l, gx[i * 8], 8);
            in.EnQue(l);
        }
        for (int i = 0; i < 12; i++) {
            LocalTensor<float> l = in.DeQue<float>();
            PipeBarrier<PIPE_V>();
            Add(total, total, l, 8);
            in.FreeTensor(l);
        }
    }
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(gz, total, 8);
}
SOFTASCEND_KERNEL(many_buffers, GM_ADDR, GM_ADDR)

static void test_many_buffers(void **)
{
    float x[12 * 8], z[8];
    for (int i = 0; i < 12 * 8; i++) {
        x[i] = (float)i;
    }
    void *dx, *dz;
    aclrtMalloc(&dx, sizeof x, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&dz, sizeof z, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(dx, sizeof x, x, sizeof x, ACL_MEMCPY_HOST_TO_DEVICE);
    ACLRT_LAUNCH_KERNEL(many_buffers)(1, stream, (GM_ADDR)dx, (GM_ADDR)dz);
    if (aclrtSynchronizeStream(stream) != ACL_SUCCESS) {
        fail_msg("%s", aclGetRecentErrMsg());
    }
    aclrtMemcpy(z, sizeof z, dz, sizeof z, ACL_MEMCPY_DEVICE_TO_HOST);
    for (int j = 0; j < 8; j++) {
        assert_true(z[j] == 2 * (8 * 66 + 12 * j)); /* twice the sum over i of 8 i + j */
    }
    aclrtFree(dx);
    aclrtFree(dz);
}

static int begin(void **)
{
    return aclInit(nullptr) || aclrtSetDevice(0) || aclrtCreateStream(&stream);
}

static int end(void **)
{
    return aclrtDestroyStream(stream) || aclrtResetDevice(0) || aclFinalize();
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_ops),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_many_buffers),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
