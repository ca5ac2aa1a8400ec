/* Activations and their derivatives on every backend: against float64 over every 4999th fp32 bit
 * pattern, the same bits on all backends, biases and odd widths. */
#include "backends.h"

typedef struct function {
    const char *name;
    double (*value)(double), (*slope)(double);
    double ulps, ulps_below; /* for x > 0, x < 0, where the result is normal */
} function;

static double sigmoid(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

static double none(double x)
{
    return x;
}
static double none_slope(double x)
{
    (void)x;
    return 1;
}
static double relu(double x)
{
    return x > 0 || x != x ? x : 0;
}
static double relu_slope(double x)
{
    return x > 0;
}
static double relu6(double x)
{
    return x > 6 ? 6 : relu(x);
}
static double relu6_slope(double x)
{
    return x > 0 && x < 6;
}
static double tanh_slope(double x)
{
    return 1 - tanh(x) * tanh(x);
}
static double sigmoid_slope(double x)
{
    return sigmoid(x) * sigmoid(-x);
}

static double phi(double x) /* the normal distribution up to x */
{
    return erfc(-x / sqrt(2)) / 2;
}
static double gelu(double x)
{
    return isinf(x) ? (x > 0 ? x : -0.0) : x * phi(x);
}
static double gelu_slope(double x)
{
    return isinf(x) ? x > 0 : phi(x) + x * exp(-x * x / 2) / sqrt(2 * M_PI);
}

static double gate(double x)
{
    return sigmoid(2 * sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
}
static double gelu_tanh(double x)
{
    return isinf(x) ? (x > 0 ? x : -0.0) : x * gate(x);
}
static double gelu_tanh_slope(double x)
{
    double inner = 2 * sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
    return fabs(x) > 1e3 ? x > 0 : gate(x) + x * gate(x) * (1 - gate(x)) * inner;
}
static double silu(double x)
{
    return isinf(x) ? (x > 0 ? x : -0.0) : x * sigmoid(x);
}
static double silu_slope(double x)
{
    return isinf(x) ? x > 0 : sigmoid(x) + x * sigmoid(x) * sigmoid(-x);
}

static const function functions[SA_ACTIVATIONS] = {
    [SA_ACTIVATE_NONE] = {"none", none, none_slope, 0, 0},
    [SA_ACTIVATE_RELU] = {"relu", relu, relu_slope, 0, 0},
    [SA_ACTIVATE_RELU6] = {"relu6", relu6, relu6_slope, 0, 0},
    [SA_ACTIVATE_TANH] = {"tanh", tanh, tanh_slope, 3, 3},
    [SA_ACTIVATE_SIGMOID] = {"sigmoid", sigmoid, sigmoid_slope, 2, 2},
    [SA_ACTIVATE_GELU] = {"gelu", gelu, gelu_slope, 2, 6},
    [SA_ACTIVATE_GELU_TANH] = {"gelu_tanh", gelu_tanh, gelu_tanh_slope, 6, 6},
    [SA_ACTIVATE_SILU] = {"silu", silu, silu_slope, 4, 4},
};

static double ulp(double y)
{
    int exponent;
    frexp(y, &exponent);
    return ldexp(1, (fabs(y) < 0x1p-126 ? -125 : exponent) - 24);
}

/* Where the exponential goes under, x times it loses digits: there a multiple of the smallest. */
static bool right(const function *f, double x, double y)
{
    double exact = f->value(x);
    if (isnan(exact) || isnan(y))
        return isnan(exact) && isnan(y);
    if (isinf(exact) || isinf(y))
        return exact == y;
    double bound = (x > 0 ? f->ulps : f->ulps_below) * ulp(exact);
    return fabs(y - exact) <= bound + (fabs(exact) < 0x1p-118 && bound > 0 ? 0x1p-141 : 0);
}

enum { CHUNK = 4096 };

static void same(const sa_isa *isa, const char *name, const float *x, const float *want,
                 const float *got, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bits_of(want[i]) != bits_of(got[i]) && !(isnan(want[i]) && isnan(got[i])))
            fail_msg("%s: %s(%a) is %a, generic has %a", isa->backend, name, (double)x[i],
                     (double)got[i], (double)want[i]);
}

static void test_values(void **state)
{
    static float x[CHUNK], y[CHUNK], other[CHUNK], slope[CHUNK];
    const sa_isa *generic = sa_isa_named("generic");
    (void)state;
    for (uint64_t bits = 0; bits < 1ull << 32;) {
        for (int i = 0; i < CHUNK; i++, bits += 4999)
            x[i] = float_of((uint32_t)bits);
        for (int k = 0; k < SA_ACTIVATIONS; k++) {
            const function *f = &functions[k];
            memcpy(y, x, sizeof x);
            generic->activate[k](y, CHUNK, 1, CHUNK, NULL);
            for (int i = 0; i < CHUNK; i++)
                slope[i] = 1;
            generic->activate_grad[k](slope, x, CHUNK);
            for (int i = 0; i < CHUNK; i++) {
                if (!right(f, x[i], y[i]))
                    fail_msg("%s(%a) is %a, float64 has %a", f->name, (double)x[i], (double)y[i],
                             f->value(x[i]));
                /* a derivative is a sum of terms of about 1 */
                if (!isnan(x[i]) && !(fabs((double)slope[i] - f->slope(x[i])) <= 8 * 0x1p-24))
                    fail_msg("%s'(%a) is %a, float64 has %a", f->name, (double)x[i],
                             (double)slope[i], f->slope(x[i]));
            }
            for (int b = 1; b < BACKEND_NAMES; b++) {
                const sa_isa *isa = sa_isa_named(backend_names[b]);
                if (!isa)
                    continue;
                memcpy(other, x, sizeof x);
                isa->activate[k](other, CHUNK, 1, CHUNK, NULL);
                same(isa, f->name, x, y, other, CHUNK);
                for (int i = 0; i < CHUNK; i++)
                    other[i] = 1;
                isa->activate_grad[k](other, x, CHUNK);
                same(isa, f->name, x, slope, other, CHUNK);
            }
        }
    }
}

/* A bias is added first; what lies between the rows stays. */
static void test_rows(void **state)
{
    enum { ROWS = 3, PITCH = 80 };
    static float start[ROWS * PITCH], got[ROWS * PITCH], bias[PITCH];
    (void)state;
    for (int b = 0; b < BACKEND_NAMES; b++) {
        const sa_isa *isa = sa_isa_named(backend_names[b]);
        for (size_t n = 0; isa && n < 70; n++) {
            for (size_t i = 0; i < ROWS * PITCH; i++)
                start[i] = (float)(int32_t)random_bits() * 0x1p-29f;
            for (size_t i = 0; i < PITCH; i++)
                bias[i] = (float)(int32_t)random_bits() * 0x1p-29f;
            for (int k = 0; k < SA_ACTIVATIONS; k++) {
                memcpy(got, start, sizeof got);
                isa->activate[k](got, PITCH, ROWS, n, bias);
                for (size_t i = 0; i < ROWS * PITCH; i++) {
                    float x = start[i], want = x;
                    if (i % PITCH < n) {
                        want = x + bias[i % PITCH];
                        isa->activate[k](&want, 1, 1, 1, NULL);
                    }
                    same(isa, functions[k].name, &x, &want, &got[i], 1);
                }
            }
        }
    }
}

static void test_known(void **state)
{
    static const struct {
        sa_activation kind;
        float x, y;
    } known[] = {
        {SA_ACTIVATE_GELU, -INFINITY, -0.0f},
        {SA_ACTIVATE_GELU, INFINITY, INFINITY},
        {SA_ACTIVATE_GELU, 0, 0},
        {SA_ACTIVATE_GELU, -1e30f, -0.0f},
        {SA_ACTIVATE_GELU_TANH, -INFINITY, -0.0f},
        {SA_ACTIVATE_GELU_TANH, INFINITY, INFINITY},
        {SA_ACTIVATE_GELU_TANH, 0, 0},
        {SA_ACTIVATE_GELU_TANH, 3e38f, 3e38f},
        {SA_ACTIVATE_SILU, -INFINITY, -0.0f},
        {SA_ACTIVATE_SILU, INFINITY, INFINITY},
        {SA_ACTIVATE_RELU, -INFINITY, 0},
        {SA_ACTIVATE_RELU6, INFINITY, 6},
        {SA_ACTIVATE_RELU, NAN, NAN},
        {SA_ACTIVATE_RELU6, NAN, NAN},
        {SA_ACTIVATE_GELU, NAN, NAN},
        {SA_ACTIVATE_GELU_TANH, NAN, NAN},
        {SA_ACTIVATE_SILU, NAN, NAN},
    };
    (void)state;
    for (int b = 0; b < BACKEND_NAMES; b++) {
        const sa_isa *isa = sa_isa_named(backend_names[b]);
        for (size_t i = 0; isa && i < sizeof known / sizeof *known; i++) {
            float y = known[i].x;
            isa->activate[known[i].kind](&y, 1, 1, 1, NULL);
            same(isa, functions[known[i].kind].name, &known[i].x, &known[i].y, &y, 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
