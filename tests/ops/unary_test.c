/* Functions of one operand, gradients, casts, copies, fills, permutations, selection. */
#include "views.h"

#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_isfinite.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_logical_not.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_s_where.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const sa_dtype numbers[] = {SA_F32, SA_F16, SA_BF16, SA_I32, SA_I64};
static const sa_dtype boolean[] = {SA_BOOL};

#define RUN(op)                                                                                    \
    static aclnnStatus run_##op(const aclTensor *a, aclTensor *out)                                \
    {                                                                                              \
        return OPS_RUN(op, a, out);                                                                \
    }
RUN(aclnnAbs)
RUN(aclnnExp)
RUN(aclnnIsFinite)
RUN(aclnnLog)
RUN(aclnnLogicalNot)
RUN(aclnnNeg)
RUN(aclnnReciprocal)
RUN(aclnnRelu)
RUN(aclnnRsqrt)
RUN(aclnnSqrt)
RUN(aclnnTanh)

static double f_neg(double x)
{
    return -x;
}
static double f_relu(double x)
{
    return x != x ? x : x > 0 ? x : 0;
}
static double f_rec(double x)
{
    return 1 / x;
}
static double f_rsqrt(double x)
{
    return 1 / sqrt(x);
}
static double f_finite(double x)
{
    return isfinite(x) != 0;
}
static double f_not(double x)
{
    return x == 0;
}

/* ulps in fp32; fp16 and bf16 take half an ulp and what is left of fp32's. */
static const struct {
    const char *name;
    aclnnStatus (*run)(const aclTensor *, aclTensor *);
    double (*f)(double);
    const sa_dtype *dtypes;
    size_t dtype_count;
    double ulps;
    bool to_bool;
} unaries[] = {
    {"abs", run_aclnnAbs, fabs, numbers, 5, 0, false},
    {"neg", run_aclnnNeg, f_neg, numbers, 5, 0, false},
    {"relu", run_aclnnRelu, f_relu, numbers, 5, 0, false},
    {"exp", run_aclnnExp, exp, numbers, 3, 2, false},
    {"log", run_aclnnLog, log, numbers, 3, 2, false},
    {"tanh", run_aclnnTanh, tanh, numbers, 3, 3, false},
    {"sqrt", run_aclnnSqrt, sqrt, numbers, 3, 0, false},
    {"reciprocal", run_aclnnReciprocal, f_rec, numbers, 3, 0, false},
    {"rsqrt", run_aclnnRsqrt, f_rsqrt, numbers, 3, 1, false},
    {"isfinite", run_aclnnIsFinite, f_finite, numbers, 3, 0, true},
    {"not", run_aclnnLogicalNot, f_not, boolean, 1, 0, true},
};

static double value(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    static const double special[] = {0.0, -0.0, 1,     -1,   INFINITY, -INFINITY,
                                     NAN, 0.5,  65504, 1e-3, 80,       -80};
    double r = ops_random(seed);
    if (dtype == SA_BOOL)
        return r > 0;
    if (dtype == SA_U8)
        return floor((r + 1) * 127);
    if (dtype != SA_F32 && dtype != SA_F16 && dtype != SA_BF16)
        return floor(r * 100);
    return i < (int64_t)COUNT(special) ? special[i] : r * (i % 3 ? 2 : 20);
}
static double plain(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    return value(dtype, i + 100, seed);
}

static const struct {
    int rank;
    int64_t dims[8];
} shapes[] = {{0, {0}},         {1, {0}},     {1, {13}},      {2, {33, 17}},
              {3, {5, 40, 30}}, {1, {70001}}, {2, {300, 257}}};

static void test_unary(void **state)
{
    uint64_t seed = 1, turn = 0;
    char what[160];
    (void)state;
    for (size_t o = 0; o < COUNT(unaries); o++)
        for (size_t t = 0; t < unaries[o].dtype_count; t++)
            for (size_t s = 0; s < COUNT(shapes); s++, turn++) {
                sa_dtype dtype = unaries[o].dtypes[t], to = unaries[o].to_bool ? SA_BOOL : dtype;
                double ulps = unaries[o].ulps == 0 ? 0 : dtype == SA_F32 ? unaries[o].ulps : 0.51;
                ops_view in = ops_view_make(dtype, shapes[s].rank, shapes[s].dims,
                                            turn % OPS_LAYOUTS, value, &seed);
                ops_view out = ops_view_make(to, shapes[s].rank, shapes[s].dims,
                                             turn / 2 % OPS_LAYOUTS, NULL, NULL);
                snprintf(what, sizeof what, "%s %s", unaries[o].name,
                         ops_dims(shapes[s].rank, shapes[s].dims));
                OPS_OK(unaries[o].run(in.t, out.t));
                ops_view_fetch(&out, what);
                for (int64_t i = 0; i < out.elements; i++)
                    ops_expect(to, unaries[o].f(ops_view_at(&in, in.rank, in.dims, i)),
                               ops_view_at(&out, in.rank, in.dims, i), ulps, what, i);
                ops_view_free(&in);
                ops_view_free(&out);
            }
}

static void test_backward(void **state)
{
    static const int64_t dims[] = {37, 130};
    uint64_t seed = 2;
    double threshold = 0.25;
    aclScalar *scalar = aclCreateScalar(&threshold, ACL_DOUBLE);
    (void)state;
    for (int t = 0; t < 3; t++)
        for (int l = 0; l < OPS_LAYOUTS; l++) {
            ops_view g = ops_view_make(numbers[t], 2, dims, l, plain, &seed);
            ops_view x = ops_view_make(numbers[t], 2, dims, (l + 2) % OPS_LAYOUTS, plain, &seed);
            ops_view a = ops_view_make(numbers[t], 2, dims, OPS_PLAIN, NULL, NULL);
            ops_view b = ops_view_make(numbers[t], 2, dims, OPS_PADDED, NULL, NULL);
            OPS_OK(OPS_RUN(aclnnTanhBackward, g.t, x.t, a.t));
            OPS_OK(OPS_RUN(aclnnThresholdBackward, g.t, x.t, scalar, b.t));
            ops_view_fetch(&a, "tanh backward");
            ops_view_fetch(&b, "threshold backward");
            for (int64_t i = 0; i < a.elements; i++) {
                double dy = ops_view_at(&g, 2, dims, i), y = ops_view_at(&x, 2, dims, i);
                double want = dy * (1 - y * y), got = ops_view_at(&a, 2, dims, i);
                /* four roundings, of factors 1 - y and 1 + y that are themselves not small */
                if (fabs(got - want) > 0.51 * ops_ulp(numbers[t], want) +
                                           fabs(dy) * (1 + fabs(y)) * (1 + fabs(y)) * 0x1p-22)
                    fail_msg("tanh backward: %g %g: %g, not %g", dy, y, got, want);
                ops_expect(numbers[t], y > threshold ? dy : 0, ops_view_at(&b, 2, dims, i), 0,
                           "threshold backward", i);
            }
            ops_view_free(&g);
            ops_view_free(&x);
            ops_view_free(&a);
            ops_view_free(&b);
        }
    aclDestroyScalar(scalar);
}

static double converted(sa_dtype to, double v)
{
    static const struct {
        sa_dtype t;
        double low, high;
    } ranges[] = {{SA_I8, -128, 127},
                  {SA_U8, 0, 255},
                  {SA_I16, -32768, 32767},
                  {SA_I32, INT32_MIN, INT32_MAX},
                  {SA_I64, -0x1p63, 0x1p63}};
    if (to == SA_BOOL)
        return v != 0;
    for (size_t i = 0; i < COUNT(ranges); i++)
        if (ranges[i].t == to)
            return v != v               ? 0
                   : v < ranges[i].low  ? ranges[i].low
                   : v > ranges[i].high ? ranges[i].high
                                        : trunc(v);
    return v;
}

/* Integers that do not fit wrap, floats saturate; the test's integers fit but for -100 … -1 in U8.
 */
static void test_cast_and_copy(void **state)
{
    static const sa_dtype types[] = {SA_F32, SA_F16, SA_BF16, SA_I8,  SA_U8,
                                     SA_I16, SA_I32, SA_I64,  SA_BOOL};
    static const int64_t dims[] = {33, 1, 17}, wide[] = {33, 9, 17};
    uint64_t seed = 3, turn = 0;
    (void)state;
    for (size_t f = 0; f < COUNT(types); f++)
        for (size_t t = 0; t < COUNT(types); t++, turn++) {
            bool from_float = f < 3, wraps = types[t] == SA_U8 && !from_float;
            ops_view in = ops_view_make(types[f], 3, dims, turn % OPS_LAYOUTS, value, &seed);
            ops_view out = ops_view_make(types[t], 3, dims, turn / 2 % OPS_LAYOUTS, NULL, NULL);
            ops_view copy = ops_view_make(types[t], 3, wide, turn / 3 % OPS_LAYOUTS, NULL, NULL);
            OPS_OK(OPS_RUN(aclnnCast, in.t, (aclDataType)types[t], out.t));
            OPS_OK(OPS_RUN(aclnnInplaceCopy, copy.t, in.t));
            ops_view_fetch(&out, "cast");
            ops_view_fetch(&copy, "copy");
            for (int64_t i = 0; i < copy.elements; i++) {
                double v = ops_view_at(&in, 3, wide, i);
                double want = wraps                                    ? (double)(uint8_t)(int64_t)v
                              : types[t] == SA_I8 && types[f] == SA_U8 ? (double)(int8_t)(uint8_t)v
                                                                       : converted(types[t], v);
                ops_expect(types[t], want, ops_view_at(&out, 3, wide, i), 0, "cast", i);
                ops_expect(types[t], want, ops_view_at(&copy, 3, wide, i), 0, "copy", i);
            }
            ops_view_free(&in);
            ops_view_free(&out);
            ops_view_free(&copy);
        }
}

static void test_permute_and_where(void **state)
{
    static const sa_dtype types[] = {SA_BOOL, SA_F16, SA_F32, SA_I64, SA_F64};
    static const struct {
        int rank;
        int64_t dims[4], order[4];
    } permutations[] = {{0, {0}, {0}},
                        {2, {300, 257}, {1, 0}},
                        {3, {5, 40, 30}, {2, 0, 1}},
                        {3, {5, 40, 30}, {0, 2, -2}},
                        {4, {4, 6, 8, 16}, {0, 2, 1, 3}},
                        {4, {4, 6, 8, 16}, {3, 2, 1, 0}},
                        {2, {0, 3}, {1, 0}}};
    uint64_t seed = 4, turn = 0;
    (void)state;
    for (size_t p = 0; p < COUNT(permutations); p++)
        for (size_t t = 0; t < COUNT(types); t++, turn++) {
            int rank = permutations[p].rank;
            int64_t out_dims[4];
            for (int i = 0; i < rank; i++)
                out_dims[i] = permutations[p].dims[(permutations[p].order[i] + rank) % rank];
            aclIntArray *order = aclCreateIntArray(permutations[p].order, (uint64_t)rank);
            ops_view in = ops_view_make(types[t], rank, permutations[p].dims, turn % OPS_LAYOUTS,
                                        value, &seed);
            ops_view out =
                ops_view_make(types[t], rank, out_dims, turn / 2 % OPS_LAYOUTS, NULL, NULL);
            OPS_OK(OPS_RUN(aclnnPermute, in.t, order, out.t));
            ops_view_fetch(&out, "permute");
            for (int64_t i = 0; i < out.elements; i++) {
                int64_t rest = i, at = in.offset;
                for (int d = rank - 1; d >= 0; d--) {
                    at += rest % out_dims[d] * in.strides[(permutations[p].order[d] + rank) % rank];
                    rest /= out_dims[d];
                }
                ops_expect(types[t], ops_load(types[t], in.host, at),
                           ops_view_at(&out, rank, out_dims, i), 0, "permute", i);
            }
            if (rank == 3) { /* condition [40, 1], self whole, other a row */
                ops_view c = ops_view_make(SA_BOOL, 2, (const int64_t[]){out_dims[1], 1}, OPS_PLAIN,
                                           value, &seed);
                ops_view row =
                    ops_view_make(types[t], 1, out_dims + 2, turn % OPS_LAYOUTS, value, &seed);
                ops_view chosen =
                    ops_view_make(types[t], 3, out_dims, turn / 3 % OPS_LAYOUTS, NULL, NULL);
                OPS_OK(OPS_RUN(aclnnSWhere, c.t, out.t, row.t, chosen.t));
                ops_view_fetch(&chosen, "where");
                for (int64_t i = 0; i < chosen.elements; i++)
                    ops_expect(types[t],
                               ops_view_at(ops_view_at(&c, 3, out_dims, i) != 0 ? &out : &row, 3,
                                           out_dims, i),
                               ops_view_at(&chosen, 3, out_dims, i), 0, "where", i);
                ops_view_free(&c);
                ops_view_free(&row);
                ops_view_free(&chosen);
            }
            aclDestroyIntArray(order);
            ops_view_free(&in);
            ops_view_free(&out);
        }
}

static void test_fill(void **state)
{
    static const sa_dtype types[] = {SA_F32,  SA_F16, SA_BF16, SA_F64,
                                     SA_BOOL, SA_U8,  SA_I32,  SA_I64};
    static const int64_t dims[] = {40, 513};
    int64_t big = (INT64_C(1) << 60) + 12345;
    aclScalar *wide = aclCreateScalar(&big, ACL_INT64);
    uint64_t turn = 0;
    double v = 3;
    aclScalar *scalar = aclCreateScalar(&v, ACL_DOUBLE);
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++)
        for (int l = 0; l < OPS_LAYOUTS; l++, turn++) {
            ops_view out = ops_view_make(types[t], 2, dims, l, NULL, NULL);
            OPS_OK(OPS_RUN(aclnnInplaceFillScalar, out.t, scalar));
            ops_view_fetch(&out, "fill");
            for (int64_t i = 0; i < out.elements; i++)
                ops_expect(types[t], types[t] == SA_BOOL ? 1 : 3, ops_view_at(&out, 2, dims, i), 0,
                           "fill", i);
            if (types[t] == SA_I64) {
                OPS_OK(OPS_RUN(aclnnInplaceFillScalar, out.t, wide));
                ops_view_fetch(&out, "fill");
                for (int64_t i = 0; i < out.elements; i++)
                    assert_true(((int64_t *)(void *)out.host)[ops_view_index(&out, 2, dims, i)] ==
                                big);
            }
            ops_view_free(&out);
        }
    aclDestroyScalar(scalar);
    aclDestroyScalar(wide);
}

/* Offsets past 2^31: two far apart elements of a reservation of which only their pages are used. */
static void test_far_apart(void **state)
{
    const int64_t dims[] = {2, 3}, strides[] = {(INT64_C(1) << 31) + 5, 1};
    const int64_t bytes = strides[0] + 64;
    unsigned char got[3], *memory = NULL;
    uint64_t seed = 5;
    (void)state;
    OPS_OK(aclrtMalloc((void **)&memory, (size_t)bytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    aclTensor *far = ops_tensor(SA_U8, 2, dims, strides, 0, bytes, memory);
    ops_view in = ops_view_make(SA_U8, 2, dims, OPS_REVERSED, value, &seed);
    ops_view back = ops_view_make(SA_U8, 2, dims, OPS_PLAIN, NULL, NULL);
    OPS_OK(OPS_RUN(aclnnInplaceCopy, far, in.t));
    ops_download(got, memory + strides[0], sizeof got);
    for (int i = 0; i < 3; i++)
        assert_int_equal(got[i], (int)ops_view_at(&in, 2, dims, 3 + i));
    OPS_OK(OPS_RUN(aclnnInplaceCopy, back.t, far));
    ops_view_fetch(&back, "far apart");
    for (int64_t i = 0; i < 6; i++)
        ops_expect(SA_U8, ops_view_at(&in, 2, dims, i), ops_view_at(&back, 2, dims, i), 0,
                   "far apart", i);
    aclDestroyTensor(far);
    ops_view_free(&in);
    ops_view_free(&back);
    OPS_OK(aclrtFree(memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unary),         cmocka_unit_test(test_backward),
        cmocka_unit_test(test_cast_and_copy), cmocka_unit_test(test_permute_and_where),
        cmocka_unit_test(test_fill),          cmocka_unit_test(test_far_apart),
    };
    return cmocka_run_group_tests(tests, ops_setup, ops_teardown);
}
