/* The elementwise calls of the Ascend C door in their three forms: a count, repeats under a count
 * mask, repeats under a bit mask, with strides; and the mask registers. Values from double. */
#include "harness.h"

using namespace AscendC;

/* ---- every call as a case: what it computes, in double */

struct binary_case {
    const char *name;
    double (*f)(double, double, double);
    void (*count)(const LocalTensor<float> &, const LocalTensor<float> &,
                  const LocalTensor<float> &, int32_t);
    void (*first)(const LocalTensor<float> &, const LocalTensor<float> &,
                  const LocalTensor<float> &, uint64_t, uint8_t, const BinaryRepeatParams &);
    void (*bits)(const LocalTensor<float> &, const LocalTensor<float> &, const LocalTensor<float> &,
                 const uint64_t *, uint8_t, const BinaryRepeatParams &);
    double ulps;
};
#define BINARY(Name, expression, ulps)                                                             \
    {                                                                                              \
#Name,                                                                                        \
     [](double a, double b, double d) -> double { (void)a, (void)b, (void)d; return expression; }, \
     [](auto &x, auto &y, auto &z, int32_t n) { Name(x, y, z, n); },                               \
     [](auto &x, auto &y, auto &z, uint64_t m, uint8_t t, auto &p) { Name(x, y, z, m, t, p); },    \
     [](auto &x, auto &y, auto &z, const uint64_t *m, uint8_t t, auto &p) {                        \
         Name(x, y, z, m, t, p);                                                                   \
     },                                                                                            \
     ulps    \
    }
static const binary_case binaries[] = {
    BINARY(Add, a + b, 0),
    BINARY(Sub, a - b, 0),
    BINARY(Mul, a *b, 0),
    BINARY(Div, a / b, 0),
    BINARY(Max, a > b ? a : b, 0),
    BINARY(Min, a < b ? a : b, 0),
    BINARY(AddRelu, a + b > 0 ? a + b : 0, 0),
    BINARY(SubRelu, a - b > 0 ? a - b : 0, 0),
    BINARY(MulAddDst, a *b + d, 0),
    BINARY(FusedMulAdd, a *d + b, 0),
};

static const binary_case *current;
constexpr uint32_t N = 3 * 64;

static void check_binary(const char *form, body b, bool (*live)(uint32_t),
                         uint32_t (*source)(uint32_t))
{
    std::vector<float> x = samples<float>(2 * N), y = samples<float>(2 * N, 1000);
    for (float &v : y) {
        v += v == 0 ? 0.5f : 0; /* for Div */
    }
    std::vector<float> before = samples<float>(N, 77);
    std::vector<float> got = run(pack(x, y), before, b, current->name);
    std::vector<double> want(N);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t s = source(i);
        want[i] = live(i) ? current->f(x[s], y[s], before[i]) : before[i];
    }
    char what[64];
    std::snprintf(what, sizeof what, "%s, %s", current->name, form);
    same(got, want, current->ulps, what);
}

static void test_binary(void **)
{
    auto straight = [](uint32_t i) { return i; };
    for (const binary_case &c : binaries) {
        current = &c;
        check_binary(
            "count 101",
            [](const ub &u) {
                current->count(u.to<float>(), u.from<float>(0), u.from<float>(2 * N * 4), 101);
            },
            [](uint32_t i) { return i < 101; }, straight);
        check_binary(
            "first 37 of 3 repeats",
            [](const ub &u) {
                current->first(u.to<float>(), u.from<float>(0), u.from<float>(2 * N * 4), 37, 3,
                               {1, 1, 1, 8, 8, 8});
            },
            [](uint32_t i) { return i % 64 < 37; }, straight);
        check_binary(
            "bits of 2 repeats, sources two blocks apart",
            [](const ub &u) {
                const uint64_t mask[2] = {0xf0f0aaaa5555ff01, 0};
                current->bits(u.to<float>(), u.from<float>(0), u.from<float>(2 * N * 4), mask, 2,
                              {1, 2, 2, 8, 16, 16});
            },
            [](uint32_t i) { return i < 128 && (0xf0f0aaaa5555ff01 >> i % 64 & 1); },
            [](uint32_t i) { return i / 8 * 16 + i % 8; });
        check_binary(
            "counter mode: 150 elements",
            [](const ub &u) {
                SetMaskCount();
                SetVectorMask<float, MaskMode::COUNTER>(150);
                current->first(u.to<float>(), u.from<float>(0), u.from<float>(2 * N * 4), 150, 1,
                               {1, 1, 1, 8, 8, 8});
                SetMaskNorm();
                ResetMask();
            },
            [](uint32_t i) { return i < 150; }, straight);
    }
}

/* ---- unary and scalar calls, in half and float */

struct unary_case {
    const char *name;
    double (*f)(double, double);
    void (*call)(const ub &, bool is_half, int form);
    double ulps;
    bool positive;
};
template <class T, class Call>
static void unary_form(const ub &u, Call call, int form)
{
    LocalTensor<T> d = u.to<T>(), s = u.from<T>(0);
    const uint64_t mask[2] = {0x123456789abcdef1, 0xfedcba9876543211};
    switch (form) {
    case 0:
        return call(d, s, (int32_t)97);
    case 1:
        return call(d, s, (uint64_t)(sizeof(T) == 2 ? 101 : 61), (uint8_t)2,
                    UnaryRepeatParams(1, 1, 8, 8));
    default:
        return call(d, s, mask, (uint8_t)2, UnaryRepeatParams(1, 1, 8, 4));
    }
}
template <class T>
static uint32_t unary_source(uint32_t i, int form, bool *live)
{
    constexpr uint32_t lanes = 256 / sizeof(T);
    const uint64_t mask[2] = {0x123456789abcdef1, 0xfedcba9876543211};
    *live = form == 0   ? i < 97
            : form == 1 ? i < 2 * lanes && i % lanes < (sizeof(T) == 2 ? 101 : 61)
                        : i < 2 * lanes && (mask[i % lanes / 64] >> i % 64 & 1);
    return form == 2 ? i / lanes * (lanes / 2) + i % lanes : i;
}
#define UNARY(Name, expression, ulps, positive, ...)                                               \
    {                                                                                              \
#Name, [](double a, double d) -> double { (void)d; return expression; },                      \
     [](const ub &u, bool is_half, int form) {                                                     \
         auto call = [](auto &d, auto &s, auto... rest) { Name(d, s __VA_ARGS__, rest...); };      \
         is_half ? unary_form<half>(u, call, form) : unary_form<float>(u, call, form);             \
     },                                                                                            \
     ulps, positive    \
    }
static const unary_case unaries[] = {
    UNARY(Abs, std::fabs(a), 0, false),
    UNARY(Exp, std::exp(a), 1, false),
    UNARY(Ln, std::log(a), 1, true),
    UNARY(Sqrt, std::sqrt(a), 0, true),
    UNARY(Rsqrt, 1 / std::sqrt(a), 1, true),
    UNARY(Reciprocal, 1 / a, 1, true),
    UNARY(Relu, a > 0 ? a : 0, 0, false),
    UNARY(Adds, a + 1.5, 0, false, , 1.5f),
    UNARY(Muls, a * 1.5, 0, false, , 1.5f),
    UNARY(Maxs, a > 0.25 ? a : 0.25, 0, false, , 0.25f),
    UNARY(Mins, a < 0.25 ? a : 0.25, 0, false, , 0.25f),
    UNARY(LeakyRelu, a > 0 ? a : a * 0.125, 0, false, , 0.125f),
    UNARY(Axpy, d + a * 0.5, 0, false, , 0.5f),
};
static const unary_case *unary;
static int form_of;

template <class T>
static void check_unary()
{
    const uint32_t n = 2 * 256 / sizeof(T) + 32;
    std::vector<T> x = samples<T>(n), before = samples<T>(n, 5);
    for (T &v : x) {
        v = unary->positive ? (T)(float)(std::fabs((float)v) + 0.125f) : v;
    }
    body b = std::is_same_v<T, half> ? (body)[](const ub &u)
    {
        unary->call(u, true, form_of);
    }
                                     : (body)[](const ub &u)
                                     {
                                         unary->call(u, false, form_of);
                                     };
                                     std::vector<T> got = run(x, before, b, unary->name);
                                     std::vector<double> want(n);
                                     for (uint32_t i = 0; i < n; i++) {
                                         bool live;
                                         uint32_t s = unary_source<T>(i, form_of, &live);
                                         want[i] = live ? unary->f((float)x[s], (float)before[i])
                                                        : (float)before[i];
                                     }
                                     char what[64];
                                     std::snprintf(what, sizeof what, "%s<%s>, form %d",
                                                   unary->name, sa_dtype_name(softascend::dtype<T>),
                                                   form_of);
                                     same(got, want, unary->ulps, what);
}

static void test_unary(void **)
{
    for (const unary_case &c : unaries) {
        for (form_of = 0; form_of < 3; form_of++) {
            unary = &c;
            check_unary<float>();
            check_unary<half>();
        }
    }
}

/* ---- integers: And, Or, Not, shifts */

static void test_integers(void **)
{
    std::vector<int16_t> x = samples<int16_t>(96), y = samples<int16_t>(96, 9);
    std::vector<int16_t> got = run(pack(x, y), std::vector<int16_t>(6 * 96), [](const ub &u) {
        LocalTensor<int16_t> a = u.from<int16_t>(0), b = u.from<int16_t>(192);
        And(u.to<int16_t>(0 * 192), a, b, 93);
        Or(u.to<int16_t>(1 * 192), a, b, 93);
        Not(u.to<int16_t>(2 * 192), a, 93);
        ShiftLeft(u.to<int16_t>(3 * 192), a, (int16_t)3, 93);
        ShiftRight(u.to<int16_t>(4 * 192), a, (int16_t)2, 93);
        Add(u.to<int16_t>(5 * 192), a, b, 93);
    });
    for (int i = 0; i < 93; i++) {
        assert_int_equal(got[i], x[i] & y[i]);
        assert_int_equal(got[96 + i], x[i] | y[i]);
        assert_int_equal(got[192 + i], (int16_t)~x[i]);
        assert_int_equal(got[288 + i], (int16_t)(x[i] * 8));
        assert_int_equal(got[384 + i], x[i] >> 2);
        assert_int_equal(got[480 + i], (int16_t)(x[i] + y[i]));
    }
}

/* ---- casts: every mode, and the widths that repeats of two sizes have */

static void test_cast(void **)
{
    const float values[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 2.25f, -2.75f, 1e10f};
    static const struct {
        RoundMode mode;
        int32_t want[7];
    } modes[] = {
        {RoundMode::CAST_RINT, {0, 2, 2, 0, -2, 2, -3}},
        {RoundMode::CAST_FLOOR, {0, 1, 2, -1, -2, 2, -3}},
        {RoundMode::CAST_CEIL, {1, 2, 3, 0, -1, 3, -2}},
        {RoundMode::CAST_ROUND, {1, 2, 3, -1, -2, 2, -3}},
        {RoundMode::CAST_TRUNC, {0, 1, 2, 0, -1, 2, -2}},
    };
    static RoundMode mode;
    for (const auto &m : modes) {
        mode = m.mode;
        std::vector<int32_t> got =
            run(std::vector<float>(values, values + 8), std::vector<int32_t>(8),
                [](const ub &u) { Cast(u.to<int32_t>(), u.from<float>(0), mode, 8); });
        for (int i = 0; i < 7; i++) {
            assert_int_equal(got[i], m.want[i]);
        }
        assert_int_equal(got[7], INT32_MAX);
    }
    /* a repeat is 64 elements: 128 bytes of half, 256 of float */
    std::vector<float> x = samples<float>(128);
    std::vector<half> h = run(x, std::vector<half>(128), [](const ub &u) {
        Cast(u.to<half>(), u.from<float>(0), RoundMode::CAST_NONE, 60, 2, {1, 1, 4, 8});
    });
    for (int i = 0; i < 128; i++) {
        assert_true((float)h[i] == (i % 64 < 60 ? x[i] : 0));
    }
    std::vector<half> from = samples<half>(128);
    std::vector<float> wide = run(from, std::vector<float>(128), [](const ub &u) {
        Cast(u.to<float>(), u.from<half>(0), RoundMode::CAST_NONE, 64, 2, {1, 1, 8, 4});
    });
    for (int i = 0; i < 128; i++) {
        assert_true(wide[i] == (float)from[i]);
    }
    /* int4, two a byte */
    std::vector<float> back = run(samples<half>(64), std::vector<float>(64), [](const ub &u) {
        LocalTensor<int4b_t> nibbles = u.to<int4b_t>(128);
        LocalTensor<half> halves = u.to<half>(0);
        Cast(nibbles, u.from<half>(0), RoundMode::CAST_ROUND, 32);
        Cast(halves, nibbles, RoundMode::CAST_NONE, 32);
        Cast(u.to<float>(128), halves, RoundMode::CAST_NONE, 32);
    });
    for (int i = 0; i < 32; i++) {
        assert_true(back[32 + i] == std::round(sample(i)));
    }
}

/* ---- Duplicate, Copy, and instructions that take the mask from the registers */

static void test_registers(void **)
{
    std::vector<half> got =
        run(samples<half>(256), std::vector<half>(256, half(9)), [](const ub &u) {
            LocalTensor<half> d = u.to<half>(), s = u.from<half>(0);
            SetVectorMask<half, MaskMode::NORMAL>(0, 0xff00);
            Adds<half, false>(d, s, half(1), MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
            ResetMask();
            Duplicate(d[128], half(3), 20, 1, 1, 8);
            const uint64_t bits[2] = {5, 0};
            Duplicate(d[160], half(4), bits, 1, 1, 8);
            Copy(d[192], s[16], 33, 1, {1, 1, 8, 8});
        });
    std::vector<half> x = samples<half>(256);
    for (int i = 0; i < 256; i++) {
        float want = i >= 8 && i < 16           ? (float)x[i] + 1
                     : i >= 128 && i < 148      ? 3
                     : i == 160 || i == 162     ? 4
                     : i >= 192 && i < 192 + 33 ? (float)x[16 + i - 192]
                                                : 9;
        if ((float)got[i] != want) {
            fail_msg("element %d is %g, expected %g", i, (float)got[i], want);
        }
    }
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_binary),    cmocka_unit_test(test_unary),
        cmocka_unit_test(test_integers),  cmocka_unit_test(test_cast),
        cmocka_unit_test(test_registers),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
