/* exp, ln, sigmoid and tanh of every backend against float64: fp16 exhaustively, fp32 by every
 * 997th of its bit patterns, so thousands in each binade of either sign, and known values exactly.
 */
#include "backends.h"

static double sigmoid(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

typedef struct function {
    const char *name;
    double (*exact)(double);
    double ulps; /* where the result is normal */
    size_t slot; /* offset in sa_isa */
} function;

#define SLOT(name) offsetof(sa_isa, name)
static const function functions[] = {
    {"exp", exp, 2, SLOT(exp)},
    {"ln", log, 2, SLOT(ln)},
    {"sigmoid", sigmoid, 2, SLOT(sigmoid)},
    {"tanh", tanh, 3, SLOT(tanh)},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, CHUNK = 4096 };

static sa_body_UNARY body_of(const sa_isa *isa, const function *f, sa_dtype dtype)
{
    return ((const sa_body_UNARY *)(const void *)((const char *)isa + f->slot))[dtype];
}

/* A unit in the last place of `y` in a format of `bits` significant bits and smallest normal
 * 2^lowest. */
static double ulp(double y, int bits, int lowest)
{
    int exponent;
    frexp(y, &exponent);
    return ldexp(1, (fabs(y) < ldexp(1, lowest) ? lowest + 1 : exponent) - bits);
}

/* Is y what x should give? Infinities where the exact result rounds to one; NaN for NaN. */
static bool right(const function *f, double x, double y, int bits, int lowest, double largest)
{
    double exact = f->exact(x), unit = ulp(exact, bits, lowest);
    if (isnan(exact) || isnan(y))
        return isnan(exact) && isnan(y);
    if (isinf(exact) || isinf(y))
        return exact == y || (fabs(exact) >= largest && !signbit(exact) == !signbit(y));
    if (exact == 0 || x == 0)
        return y == exact && !signbit(y) == !signbit(exact);
    return fabs(y - exact) <= (fabs(exact) < ldexp(1, lowest) ? 1 : f->ulps) * unit;
}

static void test_fp32(void **state)
{
    (void)state;
    static float x[CHUNK], y[CHUNK];
    for (uint64_t bits = 0; bits < 1ull << 32;) {
        for (int i = 0; i < CHUNK; i++, bits += 997)
            x[i] = float_of((uint32_t)bits);
        for (int k = 0; k < FUNCTIONS; k++) {
            const function *f = &functions[k];
            sa_body_UNARY generic = body_of(sa_isa_named("generic"), f, SA_F32);
            generic(y, x, CHUNK);
            for (int i = 0; i < CHUNK; i++)
                if (!right(f, x[i], y[i], 24, -126, 0x1.fffffep127))
                    fail_msg("%s(%a) is %a, float64 has %a", f->name, (double)x[i], (double)y[i],
                             f->exact(x[i]));
            for (int b = 1; b < BACKEND_NAMES; b++) {
                const sa_isa *isa = sa_isa_named(backend_names[b]);
                static float other[CHUNK];
                if (!isa || body_of(isa, f, SA_F32) == generic)
                    continue;
                body_of(isa, f, SA_F32)(other, x, CHUNK);
                for (int i = 0; i < CHUNK; i++)
                    if (bits_of(other[i]) != bits_of(y[i]) && !(isnan(other[i]) && isnan(y[i])))
                        fail_msg("%s: %s(%a) is %a, generic has %a", isa->backend, f->name,
                                 (double)x[i], (double)other[i], (double)y[i]);
            }
        }
    }
}

static void test_fp16(void **state)
{
    (void)state;
    enum { ALL = 1 << 16 };
    static uint16_t x[ALL], y[ALL];
    for (int i = 0; i < ALL; i++)
        x[i] = (uint16_t)i;
    for (int b = 0; b < BACKEND_NAMES; b++) {
        const sa_isa *isa = sa_isa_named(backend_names[b]);
        for (int k = 0; isa && k < FUNCTIONS; k++) {
            function f = functions[k];
            f.ulps = 0.51; /* computed in fp32, then rounded once: all but correctly rounded */
            body_of(isa, &f, SA_F16)(y, x, ALL);
            for (int i = 0; i < ALL; i++) {
                double arg = small_float(x[i], 5), got = small_float(y[i], 5);
                if (!right(&f, arg, got, 11, -14, 65519))
                    fail_msg("%s: %s(%a) in fp16 is %a, float64 has %a", isa->backend, f.name, arg,
                             got, f.exact(arg));
            }
        }
    }
}

static void test_known(void **state)
{
    (void)state;
    static const struct {
        int function;
        float x, y;
    } known[] = {
        {0, 0, 1},
        {0, -0.0f, 1},
        {0, INFINITY, INFINITY},
        {0, -INFINITY, 0},
        {0, 88.8f, INFINITY},
        {0, -104, 0},
        {0, -103.98f, 0},
        {0, -103.97f, 0x1p-149f},
        {0, -1e9f, 0},
        {0, 1e38f, INFINITY},
        {1, 1, 0},
        {1, 0, -INFINITY},
        {1, -0.0f, -INFINITY},
        {1, INFINITY, INFINITY},
        {1, -1, NAN},
        {1, -INFINITY, NAN},
        {1, -0x1p-149f, NAN},
        {2, 0, 0.5f},
        {2, -0.0f, 0.5f},
        {2, INFINITY, 1},
        {2, -INFINITY, 0},
        {2, 1e30f, 1},
        {2, 59, 1},
        {2, 61, 1},
        {2, 95, 1},
        {2, -1e9f, 0},
        {2, -103.98f, 0},
        {2, -103.97f, 0x1p-149f},
        {2, 0x1p-149f, 0.5f},
        {3, 0, 0},
        {3, -0.0f, -0.0f},
        {3, INFINITY, 1},
        {3, -INFINITY, -1},
        {3, 20, 1},
        {3, 0x1p-149f, 0x1p-149f},
        {0, NAN, NAN},
        {1, NAN, NAN},
        {2, NAN, NAN},
        {3, NAN, NAN},
    };
    for (int b = 0; b < BACKEND_NAMES; b++) {
        const sa_isa *isa = sa_isa_named(backend_names[b]);
        for (size_t i = 0; isa && i < sizeof known / sizeof *known; i++) {
            const function *f = &functions[known[i].function];
            float x = known[i].x, y;
            body_of(isa, f, SA_F32)(&y, &x, 1);
            if (bits_of(y) != bits_of(known[i].y) && !(isnan(y) && isnan(known[i].y)))
                fail_msg("%s: %s(%a) is %a, not %a", isa->backend, f->name, (double)x, (double)y,
                         (double)known[i].y);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fp32),
        cmocka_unit_test(test_fp16),
        cmocka_unit_test(test_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
