/* The high-level functions of the Ascend C door: elementwise mathematics, row sums, softmax and the
 * normalisations, against double. */
#include "harness.h"

using namespace AscendC;

struct math_case {
    const char *name;
    double (*f)(double);
    void (*call)(const LocalTensor<float> &, const LocalTensor<float> &,
                 const LocalTensor<uint8_t> &, uint32_t);
    bool unit; /* in (0, 1) */
};
#define MATH(Name, expression, unit)                                                               \
    {                                                                                              \
#Name, [](double a) -> double { return expression; },                                         \
     [](auto &d, auto &s, auto &t, uint32_t n) {                                                   \
         Name(d, s, t, n);                                                                         \
         Name(d[64], s, n);                                                                        \
     },                                                                                            \
     unit    \
    }
static const math_case maths[] = {
    MATH(Sigmoid, 1 / (1 + std::exp(-a)), false),
    MATH(Tanh, std::tanh(a), false),
    MATH(Silu, a / (1 + std::exp(-a)), false),
    MATH(Gelu, a / (1 + std::exp(-1.5957691216057308 * (a + 0.044715 * a * a * a))), false),
    MATH(FasterGelu, a / (1 + std::exp(-1.702 * a)), false),
    MATH(Erf, std::erf(a), false),
    MATH(Sin, std::sin(a), false),
    MATH(Cos, std::cos(a), false),
    MATH(Atan, std::atan(a), false),
    MATH(Asin, std::asin(a), true),
    MATH(Acosh, std::acosh(a + 1), false),
    MATH(Floor, std::floor(a), false),
    MATH(Ceil, std::ceil(a), false),
    MATH(Round, std::nearbyint(a), false),
    MATH(Trunc, std::trunc(a), false),
    MATH(Frac, a - std::trunc(a), false),
    MATH(Log, std::log(a), true),
    MATH(Log2, std::log2(a), true),
    MATH(Log10, std::log10(a), true),
    MATH(Sign,
         a > 0   ? 1
         : a < 0 ? -1
                 : 0,
         false),
};
static const math_case *current;

static void test_math(void **)
{
    for (const math_case &c : maths) {
        current = &c;
        std::vector<float> x = samples<float>(64);
        for (float &v : x) {
            v = c.unit ? (std::fabs(v) + 0.25f) / 8 : v;
            v = c.f(0) == std::acosh(1.0) && std::strcmp(c.name, "Acosh") == 0 ? std::fabs(v) + 1
                                                                               : v;
        }
        std::vector<float> got = run(
            x, std::vector<float>(128, -9),
            [](const ub &u) {
                current->call(u.to<float>(), u.from<float>(0), LocalTensor<uint8_t>(), 61);
            },
            c.name);
        for (int i = 0; i < 128; i++) {
            double a = x[i % 64];
            double want = i % 64 >= 61                        ? -9
                          : std::strcmp(c.name, "Acosh") == 0 ? std::acosh(a)
                                                              : c.f(a);
            if (!(std::fabs(got[i] - want) <= 4e-7 * std::fabs(want) + 1e-7)) {
                fail_msg("%s of %g: %.9g, expected %.9g", c.name, a, (double)got[i], want);
            }
        }
    }
}

static void test_two(void **)
{
    std::vector<float> x = samples<float>(64), y = samples<float>(64, 31);
    std::vector<float> got = run(pack(x, y), std::vector<float>(512, -9), [](const ub &u) {
        LocalTensor<float> a = u.from<float>(0), b = u.from<float>(256), d = u.to<float>();
        Abs(d, a, 64);
        PipeBarrier<PIPE_V>();
        Power(d[64], d, b, 61u);
        Power(d[128], d, 2.0f, 61u);
        Power(d[192], 2.0f, b, 61u);
        SwiGLU(d[256], a, b, 1.0f, 61u);
        ClampMax(d[320], a, 0.5f, 61u);
        ClampMin(d[384], a, 0.5f, 61u);
        Swish(d[448], a, 61u, 1.0f);
    });
    for (int i = 0; i < 61; i++) {
        double a = x[i], b = y[i];
        const double want[] = {std::pow(std::fabs(a), b),
                               a * a,
                               std::exp2(b),
                               a * b / (1 + std::exp(-b)),
                               std::fmin(a, 0.5),
                               std::fmax(a, 0.5),
                               a / (1 + std::exp(-a))};
        for (int f = 0; f < 7; f++) {
            double g = got[64 + f * 64 + i];
            if (g != want[f] && !(std::fabs(g - want[f]) <= 1e-6 * std::fabs(want[f]) + 1e-7)) {
                fail_msg("function %d of %g, %g: %.9g, expected %.9g", f, a, b, g, want[f]);
            }
        }
    }
}

/* Rows of 19 live elements, 24 apart. */
constexpr int ROWS = 5, COLS = 19, PITCH = 24;

static void test_rows(void **)
{
    std::vector<float> x = samples<float>(ROWS * PITCH), gamma = samples<float>(PITCH, 3),
                       beta = samples<float>(PITCH, 8);
    std::vector<float> got = run(pack(x, gamma, beta), std::vector<float>(1280), [](const ub &u) {
        LocalTensor<float> s = u.from<float>(0), g = u.from<float>(480), b = u.from<float>(576);
        LocalTensor<float> d = u.to<float>(), last = d[1200];
        SoftMaxTiling softmax = {};
        SoftMaxShapeInfo shape = {ROWS, PITCH, ROWS, COLS};
        SoftMax<float>(d, d[120], d[160], s, softmax, shape);
        LayerNormTiling norm = {};
        norm.bLength = 1, norm.sLength = ROWS, norm.hLength = PITCH, norm.originalHLength = COLS;
        LayerNorm(d[200], d[320], d[328], s, g, b, 1e-5f, norm);
        RmsNormTiling rms = {};
        rms.bLength = ROWS, rms.sLength = 1, rms.hLength = PITCH, rms.originalHLength = COLS;
        RmsNorm(d[336], s, g, 1e-5f, rms);
        SumParams sum;
        sum.outter = ROWS, sum.inner = PITCH, sum.n = COLS;
        Sum(d[456], s, sum);
        MeanParams mean;
        mean.outter = ROWS, mean.inner = PITCH, mean.n = COLS;
        Mean(d[464], s, mean);
        CumSumInfo cumsum;
        cumsum.outter = ROWS, cumsum.inner = PITCH;
        LocalTensor<float> sums = d[480];
        CumSum<float>(sums, last, s, cumsum);
    });
    for (int r = 0; r < ROWS; r++) {
        double max = -1e9, sum = 0, squares = 0, total = 0, variance = 0, running = 0;
        for (int c = 0; c < COLS; c++) {
            double v = x[r * PITCH + c];
            max = std::fmax(max, v), sum += v, squares += v * v;
        }
        for (int c = 0; c < COLS; c++) {
            double v = x[r * PITCH + c];
            total += std::exp(v - max), variance += (v - sum / COLS) * (v - sum / COLS) / COLS;
        }
        auto near = [&](const char *what, int at, double want) {
            if (!(std::fabs(got[at] - want) <= 2e-6 * std::fabs(want) + 2e-6)) {
                fail_msg("%s, row %d: %.9g, expected %.9g", what, r, (double)got[at], want);
            }
        };
        near("maximum", 160 + r * 8, max);
        near("sum of exponentials", 120 + r * 8 + 7, total);
        near("mean", 320 + r, sum / COLS);
        near("variance", 328 + r, variance);
        near("Sum", 456 + r, sum);
        near("Mean", 464 + r, sum / COLS);
        for (int c = 0; c < COLS; c++) {
            double v = x[r * PITCH + c];
            near("SoftMax", r * PITCH + c, std::exp(v - max) / total);
            near("LayerNorm", 200 + r * PITCH + c,
                 (v - sum / COLS) / std::sqrt(variance + 1e-5) * gamma[c] + beta[c]);
            near("RmsNorm", 336 + r * PITCH + c, v / std::sqrt(squares / COLS + 1e-5) * gamma[c]);
            running += v;
            near("CumSum", 480 + r * PITCH + c, running);
        }
    }
}

static void test_quant(void **)
{
    std::vector<int8_t> got = run(samples<half>(64), std::vector<int8_t>(64, 99), [](const ub &u) {
        AscendQuant(u.to<int8_t>(), u.from<half>(0), 32.0f, 1.0f, 61);
    });
    for (int i = 0; i < 64; i++) {
        double want = std::nearbyint(sample(i) * 32 + 1);
        assert_int_equal(got[i], i >= 61 ? 99 : want > 127 ? 127 : want < -128 ? -128 : (int)want);
    }
}

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(test_math), cmocka_unit_test(test_two),
                                cmocka_unit_test(test_rows), cmocka_unit_test(test_quant)};
    return cmocka_run_group_tests(tests, begin, end);
}
