/* Reductions against float64: every set of dimensions, layout and dtype, sizes past a tile. */
#include "views.h"

#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_any.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_prod.h"
#include "aclnnop/aclnn_reduce_sum.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef enum kind { SUM, MEAN, AMAX, AMIN, ALL, ANY, PROD, ARGMAX, ARGMIN } kind;
static bool is_arg(kind k)
{
    return k == ARGMAX || k == ARGMIN;
}
static const char *const names[] = {"sum", "mean", "amax",   "amin",  "all",
                                    "any", "prod", "argmax", "argmin"};

static aclnnStatus run(kind k, const aclTensor *self, const aclIntArray *dims, int64_t dim,
                       bool keep, sa_dtype dtype, aclTensor *out)
{
    switch (k) {
    case SUM:
        return OPS_RUN(aclnnReduceSum, self, dims, keep, (aclDataType)dtype, out);
    case MEAN:
        return OPS_RUN(aclnnMean, self, dims, keep, (aclDataType)dtype, out);
    case AMAX:
        return OPS_RUN(aclnnAmax, self, dims, keep, out);
    case AMIN:
        return OPS_RUN(aclnnAmin, self, dims, keep, out);
    case ALL:
        return OPS_RUN(aclnnAll, self, dims, keep, out);
    case ANY:
        return OPS_RUN(aclnnAny, self, dims, keep, out);
    case PROD:
        return OPS_RUN(aclnnProdDim, self, dim, keep, (aclDataType)dtype, out);
    case ARGMIN:
        return OPS_RUN(aclnnArgMin, self, dim, keep, out);
    default:
        return OPS_RUN(aclnnArgMax, self, dim, keep, out);
    }
}

/* Products stay near 1, booleans mix, the rest lies in [-1, 1) or is a small integer. */
static bool for_product;
static double value(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    double r = ops_random(seed);
    (void)i;
    if (dtype == SA_BOOL)
        return r > -0.8;
    if (dtype == SA_I32 || dtype == SA_I64)
        return for_product ? (r > 0.9 ? 2 : r > 0 ? 1 : -1) : floor(r * 100);
    return for_product ? 1 + r * 0.05 : r;
}

static void reduce(kind k, sa_dtype dtype, int rank, const int64_t *dims, unsigned over, bool keep,
                   ops_layout layout, ops_layout out_layout, uint64_t *seed)
{
    int64_t list[8], out_dims[8], reduced = 1, kept[8];
    int n = 0, out_rank = 0;
    sa_dtype to = is_arg(k) ? (over & 1 ? SA_I64 : SA_I32) : dtype;
    char what[256];
    double *acc, *sum_abs;
    int64_t *arg;
    aclIntArray *array;
    bool is_float = dtype == SA_F32 || dtype == SA_F16 || dtype == SA_BF16;

    for_product = k == PROD;
    for (int d = 0; d < rank; d++) {
        bool gone = over >> d & 1;
        if (gone) {
            list[n++] = d % 2 ? d : d - rank;
            reduced *= dims[d];
        }
        if (!gone || keep)
            out_dims[out_rank++] = gone ? 1 : dims[d];
        kept[d] = gone ? 1 : dims[d];
    }
    ops_view in = ops_view_make(dtype, rank, dims, layout, value, seed);
    ops_view out = ops_view_make(to, out_rank, out_dims, out_layout, NULL, NULL);
    snprintf(what, sizeof what, "%s %s %s over %x keep %d (layouts %d %d)", names[k],
             sa_dtype_name(dtype), ops_dims(rank, dims), over, keep, layout, out_layout);
    array = aclCreateIntArray(list, (uint64_t)n);
    if (!ops_has(dtype)) {
        OPS_REFUSED(161002, OPS_LACKS_BF16, run(k, in.t, array, n ? list[0] : 0, keep, to, out.t));
        aclDestroyIntArray(array);
        ops_view_free(&in);
        ops_view_free(&out);
        return;
    }
    OPS_OK(run(k, in.t, array, n ? list[0] : 0, keep, to, out.t));
    aclDestroyIntArray(array);
    ops_view_fetch(&out, what);
    acc = malloc(sizeof *acc * (size_t)(out.elements + 1));
    sum_abs = calloc((size_t)(out.elements + 1), sizeof *sum_abs);
    arg = calloc((size_t)(out.elements + 1), sizeof *arg);
    for (int64_t i = 0; i < out.elements; i++)
        acc[i] = k == SUM || k == MEAN || k == ANY ? 0
                 : k == PROD || k == ALL           ? 1
                 : k == AMIN || k == ARGMIN        ? INFINITY
                                                   : -INFINITY;
    for (int64_t i = 0; i < in.elements; i++) {
        double v = ops_view_at(&in, rank, dims, i);
        int64_t rest = i, at = 0, step = 1, along = 0;
        for (int d = rank - 1; d >= 0; d--) {
            if (kept[d] != 1 || dims[d] == 1)
                at += rest % dims[d] * step;
            else
                along = rest % dims[d];
            step *= kept[d];
            rest /= dims[d];
        }
        sum_abs[at] += fabs(v);
        if (k == SUM || k == MEAN)
            acc[at] += v;
        else if (k == PROD)
            acc[at] *= v;
        else if (k == AMIN)
            acc[at] = v < acc[at] ? v : acc[at];
        else if (k == ALL)
            acc[at] = acc[at] != 0 && v != 0;
        else if (k == ANY)
            acc[at] = acc[at] != 0 || v != 0;
        else if (k == ARGMIN ? v < acc[at] : v > acc[at]) {
            acc[at] = v;
            arg[at] = along;
        }
    }
    for (int64_t i = 0; i < out.elements; i++) {
        double want = k == MEAN ? acc[i] / (double)reduced : is_arg(k) ? (double)arg[i] : acc[i];
        double got = ops_view_at(&out, out_rank, out_dims, i), slack = 0;
        /* a tree of fp32 additions: log2(n) + tiles in sequence, generously 40 roundings of the
         * absolute sum; a product as many relative ones as factors */
        if (is_float && (k == SUM || k == MEAN))
            slack = 0x1p-24 * 40 * sum_abs[i] / (k == MEAN ? (double)reduced : 1);
        if (is_float && k == PROD)
            slack = 0x1p-24 * (double)(reduced + 2) * fabs(want);
        if (slack > 0 && fabs(got - want) <= slack + 0.51 * ops_ulp(dtype, want))
            continue;
        ops_expect(to, want, got, 0, what, i);
    }
    free(acc);
    free(sum_abs);
    free(arg);
    ops_view_free(&in);
    ops_view_free(&out);
}

static const struct {
    int rank;
    int64_t dims[8];
} shapes[] = {
    {0, {0}},
    {1, {1}},
    {1, {7}},
    {1, {100003}},
    {2, {64, 10}},
    {2, {10, 64}},
    {2, {333, 257}},
    {2, {3, 40000}},
    {2, {40000, 3}},
    {3, {7, 33, 20}},
    {3, {1, 50, 1}},
    {4, {5, 6, 7, 8}},
    {5, {2, 3, 1, 4, 5}},
    {8, {2, 1, 3, 2, 2, 1, 2, 3}},
    {2, {0, 3}},
    {3, {4, 0, 2}},
    {2, {2, 300000}},
};

static const sa_dtype all_types[] = {SA_F32, SA_F16, SA_BF16, SA_I32, SA_I64};

static void over_everything(kind k, const sa_dtype *types, size_t type_count, bool single)
{
    uint64_t seed = 7 + k, turn = 0;

    for (size_t s = 0; s < COUNT(shapes); s++)
        for (unsigned over = 0; over < 1u << shapes[s].rank; over++) {
            int64_t reduced = 1;
            if (over == 0 && shapes[s].rank > 0) /* no dimensions means all of them */
                continue;
            if (single && (over & (over - 1)))
                continue;
            if (shapes[s].rank == 8 && over % 7)
                continue;
            for (int d = 0; d < shapes[s].rank; d++)
                reduced *= over >> d & 1 ? shapes[s].dims[d] : 1;
            for (size_t t = 0; t < type_count; t++, turn++) {
                if (reduced == 0 && (k == AMAX || k == AMIN || is_arg(k)))
                    continue; /* below */
                if (k == PROD && reduced > 1000 && (types[t] == SA_I32 || types[t] == SA_I64))
                    continue;
                reduce(k, types[t], shapes[s].rank, shapes[s].dims, over, turn & 1,
                       turn % OPS_LAYOUTS, turn / 2 % OPS_LAYOUTS, &seed);
            }
        }
}

static void test_sum(void **state)
{
    (void)state;
    over_everything(SUM, all_types, 5, false);
}
static void test_mean(void **state)
{
    (void)state;
    over_everything(MEAN, all_types, 3, false);
}
static void test_amax(void **state)
{
    (void)state;
    over_everything(AMAX, all_types, 5, false);
}
static void test_amin(void **state)
{
    (void)state;
    over_everything(AMIN, all_types, 5, false);
}
static void test_prod(void **state)
{
    (void)state;
    over_everything(PROD, all_types, 5, true);
}
static void test_argmax(void **state)
{
    (void)state;
    over_everything(ARGMAX, all_types, 5, true);
    over_everything(ARGMIN, all_types, 5, true);
}
static void test_all_any(void **state)
{
    static const sa_dtype boolean[] = {SA_BOOL};
    (void)state;
    over_everything(ALL, boolean, 1, false);
    over_everything(ANY, boolean, 1, false);
}

/* The extremes of nothing, and NaN. */
static void test_edges(void **state)
{
    static const int64_t empty[] = {2, 0}, two[] = {2}, row[] = {2, 3};
    static const sa_dtype types[] = {SA_F32, SA_I32, SA_I64};
    uint64_t seed = 1;
    int64_t one = 1;
    aclIntArray *dims = aclCreateIntArray(&one, 1);
    (void)state;
    for (int t = 0; t < 3; t++)
        for (int low = 0; low < 2; low++) {
            static const double most[] = {INFINITY, INT32_MAX, 0x1p63};
            ops_view in = ops_view_make(types[t], 2, empty, OPS_PLAIN, value, &seed);
            ops_view out = ops_view_make(types[t], 1, two, OPS_PLAIN, NULL, NULL);
            OPS_OK(run(low ? AMAX : AMIN, in.t, dims, 1, false, types[t], out.t));
            ops_view_fetch(&out, "empty");
            assert_true(ops_load(types[t], out.host, 1) ==
                        (low ? (t ? -most[t] - (t == 1) : -most[t]) : most[t]));
            ops_view_free(&in);
            ops_view_free(&out);
        }
    const float values[] = {1, NAN, 3, NAN, 2, NAN};
    ops_view in = ops_view_make(SA_F32, 2, row, OPS_PLAIN, value, &seed);
    ops_view out = ops_view_make(SA_F32, 1, two, OPS_PLAIN, NULL, NULL);
    ops_view index = ops_view_make(SA_I64, 1, two, OPS_PLAIN, NULL, NULL);
    aclrtMemcpy(in.device, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE);
    OPS_OK(run(AMAX, in.t, dims, 1, false, SA_F32, out.t));
    OPS_OK(run(ARGMAX, in.t, NULL, 1, false, SA_I64, index.t));
    ops_view_fetch(&out, "NaN");
    ops_view_fetch(&index, "NaN");
    assert_true(isnan(((float *)out.host)[0]) && isnan(((float *)out.host)[1]));
    assert_int_equal(((int64_t *)index.host)[0], 1);
    assert_int_equal(((int64_t *)index.host)[1], 0);
    ops_view_free(&in);
    ops_view_free(&out);
    ops_view_free(&index);
    aclDestroyIntArray(dims);
}

static void test_refusals(void **state)
{
    static const int64_t dims[] = {2, 3}, three[] = {3};
    static const int64_t twice[] = {1, -1}, far[] = {2};
    uint64_t seed = 1;
    aclIntArray *a = aclCreateIntArray(twice, 2), *b = aclCreateIntArray(far, 1);
    (void)state;
    ops_view in = ops_view_make(SA_F32, 2, dims, OPS_PLAIN, value, &seed);
    ops_view out = ops_view_make(SA_F32, 1, three, OPS_PLAIN, NULL, NULL);
    ops_view whole = ops_view_make(SA_I32, 1, three, OPS_PLAIN, NULL, NULL);
    OPS_REFUSED(161002, "twice", run(SUM, in.t, a, 0, false, SA_F32, out.t));
    OPS_REFUSED(161002, "dims", run(SUM, in.t, b, 0, false, SA_F32, out.t));
    OPS_REFUSED(161002, "out", run(SUM, in.t, NULL, 0, false, SA_F32, out.t));
    OPS_REFUSED(161002, "int32", run(SUM, in.t, NULL, 0, false, SA_F32, whole.t));
    OPS_REFUSED(161001, "self", run(AMAX, NULL, NULL, 0, false, SA_F32, out.t));
    aclDestroyIntArray(a);
    aclDestroyIntArray(b);
    ops_view_free(&in);
    ops_view_free(&out);
    ops_view_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum),      cmocka_unit_test(test_mean),
        cmocka_unit_test(test_amax),     cmocka_unit_test(test_amin),
        cmocka_unit_test(test_prod),     cmocka_unit_test(test_argmax),
        cmocka_unit_test(test_all_any),  cmocka_unit_test(test_edges),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, ops_setup, ops_teardown);
}
