/* Binary elementwise operators against float64: broadcasting, views, dtypes, special values. */
#include "views.h"

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_bitwise_and_tensor.h"
#include "aclnnop/aclnn_bitwise_or_tensor.h"
#include "aclnnop/aclnn_bitwise_xor_tensor.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_floor_divide.h"
#include "aclnnop/aclnn_ge_tensor.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_le_tensor.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_logical_or.h"
#include "aclnnop/aclnn_lt_tensor.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_ne_tensor.h"
#include "aclnnop/aclnn_pow_tensor_tensor.h"
#include "aclnnop/aclnn_remainder.h"
#include "aclnnop/aclnn_sub.h"
#include "aclnnop/sann_div_no_nan.h"
#include "aclnnop/sann_squared_difference.h"

typedef struct shapes {
    int ra, rb, ro;
    int64_t a[8], b[8], o[8];
} shapes;

static const shapes shape_table[] = {
    {0, 0, 0, {0}, {0}, {0}},
    {0, 2, 2, {0}, {2, 3}, {2, 3}},
    {1, 1, 1, {7}, {7}, {7}},
    {1, 2, 2, {1}, {4, 3}, {4, 3}},
    {2, 1, 2, {3, 5}, {5}, {3, 5}},
    {2, 2, 2, {3, 1}, {1, 5}, {3, 5}},
    {2, 2, 2, {33, 17}, {33, 1}, {33, 17}},
    {2, 1, 2, {1000, 3}, {3}, {1000, 3}},
    {2, 2, 2, {333, 10}, {333, 1}, {333, 10}},
    {4, 2, 4, {2, 3, 4, 5}, {4, 1}, {2, 3, 4, 5}},
    {4, 3, 4, {2, 1, 4, 1}, {3, 1, 5}, {2, 3, 4, 5}},
    {3, 3, 3, {5, 1, 7}, {1, 6, 1}, {5, 6, 7}},
    {8, 8, 8, {2, 1, 2, 3, 1, 2, 1, 3}, {1, 2, 2, 1, 2, 2, 2, 1}, {2, 2, 2, 3, 2, 2, 2, 3}},
    {1, 1, 1, {70001}, {1}, {70001}},
    {2, 2, 2, {300, 257}, {300, 257}, {300, 257}},
    {2, 2, 2, {70, 1000}, {70, 1}, {70, 1000}},
    {2, 1, 2, {0, 3}, {3}, {0, 3}},
    {2, 2, 2, {5, 0}, {1, 1}, {5, 0}},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef aclnnStatus (*run_binary)(const aclTensor *a, const aclTensor *b, aclTensor *out);

#define RUN(op)                                                                                    \
    static aclnnStatus run_##op(const aclTensor *a, const aclTensor *b, aclTensor *out)            \
    {                                                                                              \
        return OPS_RUN(op, a, b, out);                                                             \
    }
RUN(aclnnMul)
RUN(aclnnDiv)
RUN(aclnnMaximum)
RUN(aclnnMinimum)
RUN(aclnnPowTensorTensor)
RUN(sannDivNoNan)
RUN(sannSquaredDifference)
RUN(aclnnEqTensor)
RUN(aclnnNeTensor)
RUN(aclnnLtTensor)
RUN(aclnnLeTensor)
RUN(aclnnGtTensor)
RUN(aclnnGeTensor)
RUN(aclnnLogicalAnd)
RUN(aclnnLogicalOr)
RUN(aclnnFloorDivide)
RUN(aclnnRemainderTensorTensor)
RUN(aclnnBitwiseAndTensor)
RUN(aclnnBitwiseOrTensor)
RUN(aclnnBitwiseXorTensor)

static aclnnStatus with_alpha(bool add, double alpha, const aclTensor *a, const aclTensor *b,
                              aclTensor *out)
{
    aclScalar *scalar = aclCreateScalar(&alpha, ACL_DOUBLE);
    aclnnStatus s =
        add ? OPS_RUN(aclnnAdd, a, b, scalar, out) : OPS_RUN(aclnnSub, a, b, scalar, out);
    aclDestroyScalar(scalar);
    return s;
}
static aclnnStatus run_add(const aclTensor *a, const aclTensor *b, aclTensor *out)
{
    return with_alpha(true, 1, a, b, out);
}
static aclnnStatus run_sub(const aclTensor *a, const aclTensor *b, aclTensor *out)
{
    return with_alpha(false, 1, a, b, out);
}
static aclnnStatus run_add_3(const aclTensor *a, const aclTensor *b, aclTensor *out)
{
    return with_alpha(true, 3, a, b, out);
}
static aclnnStatus run_sub_minus_2(const aclTensor *a, const aclTensor *b, aclTensor *out)
{
    return with_alpha(false, -2, a, b, out);
}

static double f_add(double a, double b)
{
    return a + b;
}
static double f_sub(double a, double b)
{
    return a - b;
}
static double f_add_3(double a, double b)
{
    return a + 3 * b;
}
static double f_sub_minus_2(double a, double b)
{
    return a + 2 * b;
}
static double f_mul(double a, double b)
{
    return a * b;
}
static double f_div(double a, double b)
{
    return a / b;
}
static double f_max(double a, double b)
{
    return a != a || b != b ? NAN : a > b ? a : b;
}
static double f_min(double a, double b)
{
    return a != a || b != b ? NAN : a < b ? a : b;
}
static double f_div_no_nan(double a, double b)
{
    return b == 0 ? 0 : a / b;
}
static double f_square(double a, double b)
{
    return (a - b) * (a - b);
}
static double f_eq(double a, double b)
{
    return a == b;
}
static double f_ne(double a, double b)
{
    return a != b;
}
static double f_lt(double a, double b)
{
    return a < b;
}
static double f_le(double a, double b)
{
    return a <= b;
}
static double f_gt(double a, double b)
{
    return a > b;
}
static double f_ge(double a, double b)
{
    return a >= b;
}
static double f_and(double a, double b)
{
    return a != 0 && b != 0;
}
static double f_or(double a, double b)
{
    return a != 0 || b != 0;
}

static const sa_dtype floats[] = {SA_F32, SA_F16, SA_BF16};
static const sa_dtype numbers[] = {SA_F32, SA_F16, SA_BF16, SA_I32, SA_I64};
static const sa_dtype equals[] = {SA_F32, SA_F16, SA_BF16, SA_I32, SA_I64, SA_BOOL};
static const sa_dtype bools[] = {SA_BOOL};

/* ulps of fp32; narrower types take one rounding more: half an ulp, from an fp32 result. */
static const struct binary {
    const char *name;
    run_binary run;
    double (*f)(double, double);
    const sa_dtype *dtypes;
    size_t dtype_count;
    double ulps;
    bool to_bool;
} binaries[] = {
    {"add", run_add, f_add, numbers, COUNT(numbers), 0, false},
    {"sub", run_sub, f_sub, numbers, COUNT(numbers), 0, false},
    {"mul", run_aclnnMul, f_mul, numbers, COUNT(numbers), 0, false},
    {"div", run_aclnnDiv, f_div, floats, COUNT(floats), 0, false},
    {"maximum", run_aclnnMaximum, f_max, numbers, COUNT(numbers), 0, false},
    {"minimum", run_aclnnMinimum, f_min, numbers, COUNT(numbers), 0, false},
    {"div_no_nan", run_sannDivNoNan, f_div_no_nan, floats, COUNT(floats), 0, false},
    /* the difference rounds, its square doubles that and rounds: 3 * 2^-24, at most 3 ulp */
    {"squared_difference", run_sannSquaredDifference, f_square, numbers, COUNT(numbers), 3, false},
    {"eq", run_aclnnEqTensor, f_eq, equals, COUNT(equals), 0, true},
    {"ne", run_aclnnNeTensor, f_ne, equals, COUNT(equals), 0, true},
    {"lt", run_aclnnLtTensor, f_lt, numbers, COUNT(numbers), 0, true},
    {"le", run_aclnnLeTensor, f_le, numbers, COUNT(numbers), 0, true},
    {"gt", run_aclnnGtTensor, f_gt, numbers, COUNT(numbers), 0, true},
    {"ge", run_aclnnGeTensor, f_ge, numbers, COUNT(numbers), 0, true},
    {"and", run_aclnnLogicalAnd, f_and, bools, 1, 0, true},
    {"or", run_aclnnLogicalOr, f_or, bools, 1, 0, true},
};

/* Small integers often meet, so that comparisons see equals and quotients zeros. */
static double value(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    double r = ops_random(seed);
    if (dtype == SA_BOOL)
        return r > 0;
    if (dtype == SA_I32 || dtype == SA_I64 || i % 3 == 0)
        return floor(r * 4);
    return r * 5;
}

static void check(const struct binary *op, const shapes *s, sa_dtype dtype, ops_layout la,
                  ops_layout lb, ops_layout lo, ops_fill fill, uint64_t *seed)
{
    ops_view a = ops_view_make(dtype, s->ra, s->a, la, fill, seed);
    ops_view b = ops_view_make(dtype, s->rb, s->b, lb, fill, seed);
    sa_dtype to = op->to_bool ? SA_BOOL : dtype;
    ops_view out = ops_view_make(to, s->ro, s->o, lo, NULL, NULL);
    char what[256];
    double ulps = op->ulps == 0 ? 0 : dtype == SA_F32 ? op->ulps : 0.51;

    snprintf(what, sizeof what, "%s %s %s %s (layouts %d %d %d)", op->name, sa_dtype_name(dtype),
             ops_dims(s->ra, s->a), ops_dims(s->rb, s->b), la, lb, lo);
    if (ops_has(dtype))
        OPS_OK(op->run(a.t, b.t, out.t));
    else
        OPS_REFUSED(161002, OPS_LACKS_BF16, op->run(a.t, b.t, out.t));
    ops_view_fetch(&out, what);
    for (int64_t i = 0; i < out.elements && ops_has(dtype); i++)
        ops_expect(to, op->f(ops_view_at(&a, s->ro, s->o, i), ops_view_at(&b, s->ro, s->o, i)),
                   ops_view_at(&out, s->ro, s->o, i), ulps, what, i);
    ops_view_free(&a);
    ops_view_free(&b);
    ops_view_free(&out);
}

static void test_shapes(void **state)
{
    uint64_t seed = 1, turn = 0;
    (void)state;
    for (size_t o = 0; o < COUNT(binaries); o++)
        for (size_t d = 0; d < binaries[o].dtype_count; d++)
            for (size_t s = 0; s < COUNT(shape_table); s++, turn++) {
                const struct binary *op = &binaries[o];
                sa_dtype t = op->dtypes[d];
                check(op, &shape_table[s], t, OPS_PLAIN, OPS_PLAIN, OPS_PLAIN, value, &seed);
                check(op, &shape_table[s], t, turn % OPS_LAYOUTS, turn / 2 % OPS_LAYOUTS,
                      turn / 3 % OPS_LAYOUTS, value, &seed);
            }
}

/* Every layout with every other, on one operator of each element size. */
static void test_layouts(void **state)
{
    static const sa_dtype sizes[] = {SA_F16, SA_F32, SA_I64};
    static const shapes some[] = {{2, 2, 2, {33, 17}, {33, 17}, {33, 17}},
                                  {3, 2, 3, {5, 40, 30}, {40, 1}, {5, 40, 30}},
                                  {2, 1, 2, {200, 300}, {300}, {200, 300}}};
    uint64_t seed = 2;
    (void)state;
    for (size_t s = 0; s < COUNT(some); s++)
        for (int l = 0; l < OPS_LAYOUTS * OPS_LAYOUTS * OPS_LAYOUTS; l++)
            check(&binaries[1], &some[s], sizes[l % 3], l % OPS_LAYOUTS,
                  l / OPS_LAYOUTS % OPS_LAYOUTS, l / OPS_LAYOUTS / OPS_LAYOUTS, value, &seed);
}

/* alpha rounds once in fp32, the sum once more: the error is of the terms' size. */
static void test_alpha(void **state)
{
    static const int64_t dims[] = {3, 70};
    static const struct {
        run_binary run;
        double (*f)(double, double);
    } ops[] = {{run_add_3, f_add_3}, {run_sub_minus_2, f_sub_minus_2}};
    uint64_t seed = 3;
    (void)state;
    for (size_t o = 0; o < 2; o++)
        for (size_t d = 0; d < COUNT(numbers); d++) {
            sa_dtype t = numbers[d];
            if (!ops_has(t))
                continue;
            ops_view a = ops_view_make(t, 2, dims, OPS_PADDED, value, &seed);
            ops_view b = ops_view_make(t, 1, dims + 1, OPS_SPACED, value, &seed);
            ops_view out = ops_view_make(t, 2, dims, OPS_PLAIN, NULL, NULL);
            OPS_OK(ops[o].run(a.t, b.t, out.t));
            ops_view_fetch(&out, "alpha");
            for (int64_t i = 0; i < out.elements; i++) {
                double x = ops_view_at(&a, 2, dims, i), y = ops_view_at(&b, 2, dims, i);
                double want = ops[o].f(x, y), got = ops_view_at(&out, 2, dims, i);
                if (t == SA_I32 || t == SA_I64)
                    assert_true(got == want);
                else if (fabs(got - want) > ops_ulp(t, want) * 0.51 + 0x1p-24 * 4 * fabs(y))
                    fail_msg("alpha, %s: %g, %g: %.9g, not %.9g", sa_dtype_name(t), x, y, got,
                             want);
            }
            ops_view_free(&a);
            ops_view_free(&b);
            ops_view_free(&out);
        }
}

static const double special[] = {0.0,       -0.0, 1,     -1,      2.5,   INFINITY,
                                 -INFINITY, NAN,  65504, 0x1p-24, 1e-40, 3e38};

static double special_value(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    (void)seed;
    double v = special[i % (int64_t)COUNT(special)];
    return dtype == SA_F32 || dtype == SA_F16 || dtype == SA_BF16 ? v
           : v == v && fabs(v) < 1e3                              ? floor(v)
                                                                  : 7;
}

static void test_special(void **state)
{
    static const shapes s = {2, 2, 2, {12, 1}, {1, 12}, {12, 12}};
    (void)state;
    for (size_t o = 0; o < COUNT(binaries); o++)
        for (size_t d = 0; d < binaries[o].dtype_count; d++)
            if (binaries[o].f != f_square && binaries[o].dtypes[d] != SA_BOOL)
                check(&binaries[o], &s, binaries[o].dtypes[d], OPS_PLAIN, OPS_PLAIN, OPS_PLAIN,
                      special_value, NULL);
}

/* Integers past a double's 53 bits, and sums and products that wrap. */
static void test_wide_integers(void **state)
{
    static const int64_t v[] = {INT64_MAX, INT64_MIN, (INT64_C(1) << 53) + 1, -3, 0};
    static const int64_t dims[] = {5, 1}, row[] = {1, 5}, both[] = {5, 5};
    int64_t got[25];
    uint64_t seed = 4;
    (void)state;
    ops_view a = ops_view_make(SA_I64, 2, dims, OPS_PLAIN, value, &seed);
    ops_view b = ops_view_make(SA_I64, 2, row, OPS_PLAIN, value, &seed);
    ops_view out = ops_view_make(SA_I64, 2, both, OPS_PLAIN, NULL, NULL);
    assert_int_equal(aclrtMemcpy(a.device, sizeof v, v, sizeof v, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    assert_int_equal(aclrtMemcpy(b.device, sizeof v, v, sizeof v, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    for (int op = 0; op < 5; op++) {
        static const run_binary runs[] = {run_add, run_sub, run_aclnnMul, run_aclnnMaximum,
                                          run_aclnnMinimum};
        OPS_OK(runs[op](a.t, b.t, out.t));
        ops_download(got, out.device, sizeof got);
        for (int i = 0; i < 25; i++) {
            uint64_t x = (uint64_t)v[i / 5], y = (uint64_t)v[i % 5];
            int64_t want = op == 0   ? (int64_t)(x + y)
                           : op == 1 ? (int64_t)(x - y)
                           : op == 2 ? (int64_t)(x * y)
                           : op == 3 ? (v[i / 5] > v[i % 5] ? v[i / 5] : v[i % 5])
                                     : (v[i / 5] < v[i % 5] ? v[i / 5] : v[i % 5]);
            assert_true(got[i] == want);
        }
    }
    /* alpha = 2^53 + 1 is exact too */
    int64_t alpha = (INT64_C(1) << 53) + 1;
    aclScalar *scalar = aclCreateScalar(&alpha, ACL_INT64);
    OPS_OK(OPS_RUN(aclnnAdd, a.t, b.t, scalar, out.t));
    ops_download(got, out.device, sizeof got);
    for (int i = 0; i < 25; i++)
        assert_true(got[i] == (int64_t)((uint64_t)v[i / 5] + (uint64_t)alpha * (uint64_t)v[i % 5]));
    aclDestroyScalar(scalar);
    ops_view_free(&a);
    ops_view_free(&b);
    ops_view_free(&out);
}

/* a ^ b: C's special cases, exact ones exact, within an ulp elsewhere (half, computed in double).
 */
static void test_pow(void **state)
{
    static const double base[] = {0,     -0.0, 1,   -1,  2,     -2,       3,         0.5, 0.9,
                                  0.999, 10,   -27, 1.5, 1e-20, INFINITY, -INFINITY, NAN, 7};
    static const double exponent[] = {0,        1,         2,   3,       0.5,  -0.5,
                                      -1,       -2,        -3,  1.0 / 3, 1000, 100.5,
                                      INFINITY, -INFINITY, NAN, 17,      0.25, -0.0};
    static const int64_t a_dims[] = {18, 1}, b_dims[] = {18}, dims[] = {18, 18};
    (void)state;
    for (size_t d = 0; d < COUNT(floats); d++) {
        sa_dtype t = floats[d];
        if (!ops_has(t))
            continue;
        ops_view a = ops_view_make(t, 2, a_dims, OPS_PLAIN, NULL, NULL);
        ops_view b = ops_view_make(t, 1, b_dims, OPS_PLAIN, NULL, NULL);
        ops_view out = ops_view_make(t, 2, dims, OPS_PLAIN, NULL, NULL);
        for (int i = 0; i < 18; i++) {
            ops_store(t, a.host, i, base[i]);
            ops_store(t, b.host, i, exponent[i]);
        }
        aclrtMemcpy(a.device, 18 * sa_dtype_bytes(t), a.host, 18 * sa_dtype_bytes(t),
                    ACL_MEMCPY_HOST_TO_DEVICE);
        aclrtMemcpy(b.device, 18 * sa_dtype_bytes(t), b.host, 18 * sa_dtype_bytes(t),
                    ACL_MEMCPY_HOST_TO_DEVICE);
        OPS_OK(run_aclnnPowTensorTensor(a.t, b.t, out.t));
        ops_view_fetch(&out, "pow");
        for (int i = 0; i < 324; i++)
            ops_expect(t, pow(ops_load(t, a.host, i / 18), ops_load(t, b.host, i % 18)),
                       ops_load(t, out.host, i), 0.51, "pow", i);
        ops_view_free(&a);
        ops_view_free(&b);
        ops_view_free(&out);
    }
}

/* Rounding down, and remainders of the divisor's sign. */
static void test_floor(void **state)
{
    static const double v[] = {0, 7, -7, 6, -6, 1, -1, 3, -3, 2147483647, -2147483648.0};
    static const int64_t a_dims[] = {11, 1}, b_dims[] = {10}, dims[] = {11, 10};
    uint64_t seed = 9;
    (void)state;
    for (size_t d = 0; d < COUNT(numbers); d++)
        for (int mod = 0; mod < 2; mod++) {
            sa_dtype t = numbers[d];
            if (!ops_has(t))
                continue;
            ops_view a = ops_view_make(t, 2, a_dims, OPS_PLAIN, value, &seed);
            ops_view b = ops_view_make(t, 1, b_dims, OPS_PLAIN, value, &seed);
            ops_view out = ops_view_make(t, 2, dims, OPS_PLAIN, NULL, NULL);
            bool wide = t != SA_F16 && t != SA_BF16;
            for (int i = 0; i < 11; i++) {
                ops_store(t, a.host, i, wide || i < 9 ? v[i] : i);
                if (i)
                    ops_store(t, b.host, i - 1, wide || i < 9 ? v[i] : i);
            }
            aclrtMemcpy(a.device, 11 * sa_dtype_bytes(t), a.host, 11 * sa_dtype_bytes(t),
                        ACL_MEMCPY_HOST_TO_DEVICE);
            aclrtMemcpy(b.device, 10 * sa_dtype_bytes(t), b.host, 10 * sa_dtype_bytes(t),
                        ACL_MEMCPY_HOST_TO_DEVICE);
            OPS_OK((mod ? run_aclnnRemainderTensorTensor : run_aclnnFloorDivide)(a.t, b.t, out.t));
            ops_view_fetch(&out, "floor");
            for (int i = 0; i < 110; i++) {
                double x = ops_load(t, a.host, i / 10), y = ops_load(t, b.host, i % 10);
                double want = mod ? x - floor(x / y) * y : floor(x / y);
                if (t == SA_I32 && want == 2147483648.0)
                    want = -want; /* wraps */
                ops_expect(t, want, ops_load(t, out.host, i), 0.51, mod ? "mod" : "div", i);
            }
            ops_view_free(&a);
            ops_view_free(&b);
            ops_view_free(&out);
        }
}

static void test_integer_division_by_zero(void **state)
{
    static const sa_dtype integers[] = {SA_I32, SA_I64};
    static const int64_t dims[] = {70000};
    uint64_t seed = 10;
    (void)state;
    for (size_t d = 0; d < 2; d++) {
        ops_view a = ops_view_make(integers[d], 1, dims, OPS_PLAIN, value, &seed);
        ops_view zeros = ops_view_make(integers[d], 1, dims, OPS_PLAIN, NULL, NULL);
        size_t e = sa_dtype_bytes(integers[d]);
        aclrtMemset(zeros.device, 70000 * e, 1, 70000 * e);
        aclrtMemset((char *)zeros.device + 69999 * e, e, 0, e); /* one is 0 */
        OPS_REFUSED(507015, "aclnnFloorDivide: Integer division by zero",
                    run_aclnnFloorDivide(a.t, zeros.t, a.t));
        OPS_REFUSED(507015, "aclnnRemainderTensorTensor: Integer division by zero",
                    run_aclnnRemainderTensorTensor(a.t, zeros.t, a.t));
        ops_view_free(&a);
        ops_view_free(&zeros);
    }
}

static void test_bits(void **state)
{
    static const sa_dtype integers[] = {SA_I8,  SA_U8,  SA_I16, SA_U16, SA_I32,
                                        SA_U32, SA_I64, SA_U64, SA_BOOL};
    static const run_binary runs[] = {run_aclnnBitwiseAndTensor, run_aclnnBitwiseOrTensor,
                                      run_aclnnBitwiseXorTensor};
    static const int64_t dims[] = {257};
    uint64_t seed = 11;
    uint8_t x[257 * 8], y[257 * 8], got[257 * 8];
    (void)state;
    for (size_t d = 0; d < COUNT(integers); d++) {
        size_t bytes = 257 * sa_dtype_bytes(integers[d]);
        ops_view a = ops_view_make(integers[d], 1, dims, OPS_PLAIN, NULL, NULL);
        ops_view b = ops_view_make(integers[d], 1, dims, OPS_PLAIN, NULL, NULL);
        ops_view out = ops_view_make(integers[d], 1, dims, OPS_PLAIN, NULL, NULL);
        for (size_t i = 0; i < bytes; i++) {
            uint8_t mask = integers[d] == SA_BOOL ? 1 : 255;
            x[i] = (uint8_t)(ops_random(&seed) * 127 + 128) & mask;
            y[i] = (uint8_t)(ops_random(&seed) * 127 + 128) & mask;
        }
        aclrtMemcpy(a.device, bytes, x, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
        aclrtMemcpy(b.device, bytes, y, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
        for (int op = 0; op < 3; op++) {
            OPS_OK(runs[op](a.t, b.t, out.t));
            ops_download(got, out.device, bytes);
            for (size_t i = 0; i < bytes; i++)
                assert_int_equal(got[i], op == 0   ? x[i] & y[i]
                                         : op == 1 ? x[i] | y[i]
                                                   : x[i] ^ y[i]);
        }
        ops_view_free(&a);
        ops_view_free(&b);
        ops_view_free(&out);
    }
}

static void test_in_place(void **state)
{
    static const int64_t dims[] = {130, 257};
    uint64_t seed = 6;
    (void)state;
    ops_view a = ops_view_make(SA_F32, 2, dims, OPS_PLAIN, value, &seed);
    ops_view b = ops_view_make(SA_F32, 1, dims + 1, OPS_PLAIN, value, &seed);
    float *before = malloc(sizeof *before * 130 * 257);
    memcpy(before, a.host, sizeof *before * 130 * 257);
    OPS_OK(run_aclnnMul(a.t, b.t, a.t));
    ops_view_fetch(&a, "in place");
    for (int64_t i = 0; i < a.elements; i++)
        assert_true(ops_load(SA_F32, a.host, i) == before[i] * ((float *)b.host)[i % 257]);
    free(before);
    ops_view_free(&a);
    ops_view_free(&b);
}

static void test_refusals(void **state)
{
    static const int64_t d23[] = {2, 3}, d4[] = {4}, d3[] = {3};
    uint64_t seed = 5;
    double one = 1;
    aclScalar *alpha = aclCreateScalar(&one, ACL_DOUBLE);
    (void)state;
    ops_view a = ops_view_make(SA_F32, 2, d23, OPS_PLAIN, value, &seed);
    ops_view four = ops_view_make(SA_F32, 1, d4, OPS_PLAIN, value, &seed);
    ops_view half = ops_view_make(SA_F16, 1, d3, OPS_PLAIN, value, &seed);
    ops_view row = ops_view_make(SA_F32, 1, d3, OPS_PLAIN, value, &seed);
    ops_view byte = ops_view_make(SA_U8, 1, d3, OPS_PLAIN, value, &seed);
    ops_view out = ops_view_make(SA_F32, 2, d23, OPS_PLAIN, NULL, NULL);
    OPS_REFUSED(161001, "self", OPS_RUN(aclnnAdd, NULL, row.t, alpha, out.t));
    OPS_REFUSED(161001, "alpha", OPS_RUN(aclnnAdd, a.t, row.t, NULL, out.t));
    OPS_REFUSED(161001, "out", OPS_RUN(aclnnMul, a.t, row.t, NULL));
    OPS_REFUSED(161001, "workspaceSize",
                aclnnMulGetWorkspaceSize(a.t, row.t, out.t, NULL, (aclOpExecutor **)&alpha));
    OPS_REFUSED(161002, "[4]", OPS_RUN(aclnnMul, a.t, four.t, out.t));
    OPS_REFUSED(161002, "aclnnMul", OPS_RUN(aclnnMul, a.t, half.t, out.t));
    OPS_REFUSED(161002, "uint8", OPS_RUN(aclnnMul, byte.t, byte.t, out.t));
    OPS_REFUSED(161002, "out", OPS_RUN(aclnnMul, row.t, row.t, out.t));
    OPS_REFUSED(161002, "out", OPS_RUN(aclnnLtTensor, a.t, row.t, out.t));
    ops_view *all[] = {&a, &four, &half, &row, &byte, &out};
    for (size_t i = 0; i < COUNT(all); i++)
        ops_view_free(all[i]);
    aclDestroyScalar(alpha);
}

/* binary_test [PATTERN]: those whose name fits. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_alpha),         cmocka_unit_test(test_special),
        cmocka_unit_test(test_wide_integers), cmocka_unit_test(test_pow),
        cmocka_unit_test(test_floor),         cmocka_unit_test(test_integer_division_by_zero),
        cmocka_unit_test(test_bits),          cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, ops_setup, ops_teardown);
}
