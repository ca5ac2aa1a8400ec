/* Layer normalisation and its gradients against float64. A first process is watched and runs the
 * chip's instructions; what nobody watches must give the same bits. */
#include "views.h"

#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define RESULTS 4096

static uint64_t *shared; /* of each result that the watched process got, in order */
static bool watched;
static size_t results;

/* That the bits of `v`, fetched, are those of the watched process. */
static void compare(ops_view *v, int rank, const int64_t *dims, const char *what)
{
    uint64_t hash = 14695981039346656037u;
    ops_view_fetch(v, what);
    for (int64_t i = 0; i < v->elements; i++) {
        double x = ops_view_at(v, rank, dims, i);
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    assert_true(results < RESULTS);
    if (watched)
        shared[results] = hash;
    else if (shared[results] != hash)
        fail_msg("%s: not the bits that the watched process got", what);
    results++;
}

static double mean_of_values;

static double value(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    (void)dtype;
    return mean_of_values + ops_random(seed) * (i % 5 ? 1 : 4);
}
static double small(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    (void)dtype, (void)i;
    return ops_random(seed) + 0.5;
}

static void near(sa_dtype t, double want, double got, double error, const char *what, int64_t i)
{
    if (fabs(got - want) <= error + 0.51 * ops_ulp(t, want))
        return;
    fail_msg("%s %s: element %lld is %.9g, not %.9g (%g allowed)", what, sa_dtype_name(t),
             (long long)i, got, want, error);
}

typedef struct problem {
    int rank, normal; /* dimensions, and how many of the last are normalised */
    int64_t dims[4];
    double mean;
} problem;

/* Float32's errors, in roundings of 2^-24: the difference, its square's sum (a tree of n / 64 + 6),
 * the root, two products, a sum; and the rest of the mean, of what differences keep of |x|. */
static void check(const problem *c, sa_dtype t, sa_dtype w_type, bool with_w, bool with_b,
                  ops_layout layout, uint64_t *seed)
{
    const double eps = 1e-3, unit = 0x1p-24;
    const int64_t *w_dims = c->dims + c->rank - c->normal;
    int64_t s_dims[4], rows = 1, n = 1;
    char what[200];
    for (int i = 0; i < c->rank; i++) {
        bool own = i >= c->rank - c->normal;
        s_dims[i] = own ? 1 : c->dims[i];
        *(own ? &n : &rows) *= c->dims[i];
    }
    mean_of_values = c->mean;
    ops_view x = ops_view_make(t, c->rank, c->dims, layout, value, seed);
    ops_view dy = ops_view_make(t, c->rank, c->dims, layout, small, seed);
    ops_view w = ops_view_make(w_type, c->normal, w_dims, layout, small, seed);
    ops_view b = ops_view_make(w_type, c->normal, w_dims, layout, small, seed);
    ops_view out = ops_view_make(t, c->rank, c->dims, layout, NULL, NULL);
    ops_view dx = ops_view_make(t, c->rank, c->dims, layout, NULL, NULL);
    ops_view dw = ops_view_make(w_type, c->normal, w_dims, layout, NULL, NULL);
    ops_view db = ops_view_make(w_type, c->normal, w_dims, layout, NULL, NULL);
    ops_view mean = ops_view_make(SA_F32, c->rank, s_dims, layout, NULL, NULL);
    ops_view rstd = ops_view_make(SA_F32, c->rank, s_dims, layout, NULL, NULL);
    aclIntArray *shape = aclCreateIntArray(w_dims, (uint64_t)c->normal);
    const bool all[] = {true, true, true};
    aclBoolArray *mask = aclCreateBoolArray(all, 3);
    snprintf(what, sizeof what, "layer norm %s by %d (%s, weight %d bias %d, layout %d)",
             ops_dims(c->rank, c->dims), c->normal, sa_dtype_name(w_type), with_w, with_b, layout);

    OPS_OK(OPS_RUN(aclnnLayerNorm, x.t, shape, with_w ? w.t : NULL, with_b ? b.t : NULL, eps, out.t,
                   mean.t, rstd.t));
    compare(&out, c->rank, c->dims, what);
    compare(&mean, c->rank, s_dims, what);
    compare(&rstd, c->rank, s_dims, what);
    OPS_OK(OPS_RUN(aclnnLayerNormBackward, dy.t, x.t, shape, mean.t, rstd.t, with_w ? w.t : NULL,
                   with_b ? b.t : NULL, mask, dx.t, dw.t, db.t));
    compare(&dx, c->rank, c->dims, what);
    compare(&dw, c->normal, w_dims, what);
    compare(&db, c->normal, w_dims, what);

    double *sum_w = calloc(4 * (size_t)n + 1, sizeof *sum_w), *sum_b = sum_w + n;
    double *most_w = sum_b + n, *most_b = most_w + n;
    for (int64_t r = 0; r < rows && n; r++) {
        double m = 0, v = 0, a = 0, h = 0, far = 0, most = 0;
        for (int64_t j = 0; j < n; j++)
            m += ops_view_at(&x, c->rank, c->dims, r * n + j) / (double)n;
        for (int64_t j = 0; j < n; j++) {
            double d = ops_view_at(&x, c->rank, c->dims, r * n + j) - m;
            v += d * d / (double)n;
            far = fmax(far, fabs(d));
        }
        double over = 1 / sqrt(v + eps), deep = (double)n / 64 + 12;
        near(SA_F32, m, ops_view_at(&mean, c->rank, s_dims, r), unit * fabs(far), what, r);
        near(SA_F32, over, ops_view_at(&rstd, c->rank, s_dims, r), unit * over * deep, what, r);
        /* what the gradients' formula sees */
        double m32 = ops_view_at(&mean, c->rank, s_dims, r);
        for (int64_t j = 0; j < n; j++) {
            int64_t i = r * n + j;
            double d = ops_view_at(&x, c->rank, c->dims, i) - m;
            double g = ops_view_at(&dy, c->rank, c->dims, i);
            double k = with_w ? ops_view_at(&w, c->normal, w_dims, j) : 1;
            double want = d * over * k + (with_b ? ops_view_at(&b, c->normal, w_dims, j) : 0);
            near(t, want, ops_view_at(&out, c->rank, c->dims, i),
                 unit * (fabs(d * over * k) * deep + far * over * fabs(k) * deep + fabs(want)),
                 what, i);
            d += m - m32;
            a += g * k / (double)n;
            h += g * k * d * over / (double)n;
            most += fabs(g * k) * (1 + far * over) / (double)n;
            sum_w[j] += g * d * over;
            sum_b[j] += g;
            most_w[j] += fabs(g * d * over);
            most_b[j] += fabs(g);
        }
        for (int64_t j = 0; j < n; j++) {
            int64_t i = r * n + j;
            double d = ops_view_at(&x, c->rank, c->dims, i) - m32;
            double g = ops_view_at(&dy, c->rank, c->dims, i);
            double k = with_w ? ops_view_at(&w, c->normal, w_dims, j) : 1;
            near(t, (g * k - a - d * over * h) * over, ops_view_at(&dx, c->rank, c->dims, i),
                 2 * unit * deep * over * (fabs(g * k) + most * (1 + far * over)), what, i);
        }
    }
    for (int64_t j = 0; j < n; j++) {
        double deep = (double)n / 64 + 12 + 64 + (double)rows / 64;
        near(w_type, sum_w[j], ops_view_at(&dw, c->normal, w_dims, j), unit * deep * most_w[j],
             what, j);
        near(w_type, sum_b[j], ops_view_at(&db, c->normal, w_dims, j), unit * deep * most_b[j],
             what, j);
    }
    free(sum_w);
    aclDestroyIntArray(shape);
    aclDestroyBoolArray(mask);
    ops_view *views[] = {&x, &dy, &w, &b, &out, &dx, &dw, &db, &mean, &rstd};
    for (size_t i = 0; i < COUNT(views); i++)
        ops_view_free(views[i]);
}

static void test_values(void **state)
{
    static const problem problems[] = {
        {1, 1, {17}, 0},       {2, 1, {1, 1}, 3},      {2, 1, {5, 64}, 0},
        {2, 1, {33, 129}, 1},  {2, 1, {3, 1000}, -10}, {2, 1, {4, 1024}, 1e4},
        {2, 1, {2, 9000}, 1},  {3, 2, {6, 5, 7}, 0},   {4, 1, {2, 3, 4, 50}, 0},
        {2, 1, {200, 300}, 1}, {3, 3, {3, 4, 5}, 1},   {2, 1, {0, 8}, 0},
        {2, 1, {3, 0}, 0},
    };
    static const sa_dtype floats[] = {SA_F32, SA_F16, SA_BF16};
    uint64_t seed = 1, turn = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(problems); i++)
        for (size_t t = 0; t < COUNT(floats); t++)
            for (int k = 0; k < 3; k++, turn++) {
                if (!ops_has(floats[t]) || (problems[i].mean > 100 && floats[t] != SA_F32))
                    continue;
                check(&problems[i], floats[t], k == 1 ? SA_F32 : floats[t], turn % 4 != 1,
                      turn % 4 != 2, k == 2 ? turn % OPS_LAYOUTS : OPS_PLAIN, &seed);
            }
}

static void test_refusals(void **state)
{
    static const int64_t dims[] = {2, 3}, one[] = {2, 1};
    static const bool two[] = {true, true};
    uint64_t seed = 1;
    (void)state;
    ops_view x = ops_view_make(SA_F32, 2, dims, OPS_PLAIN, small, &seed);
    ops_view half = ops_view_make(SA_F16, 2, dims, OPS_PLAIN, NULL, NULL);
    ops_view w = ops_view_make(SA_F32, 1, dims + 1, OPS_PLAIN, small, &seed);
    ops_view s = ops_view_make(SA_F32, 2, one, OPS_PLAIN, NULL, NULL);
    aclIntArray *last = aclCreateIntArray(dims + 1, 1), *first = aclCreateIntArray(dims, 1);
    aclBoolArray *mask = aclCreateBoolArray(two, 2);
#define RUN(...) OPS_RUN(aclnnLayerNorm, __VA_ARGS__)
    OPS_REFUSED(161001, "input", RUN(NULL, last, w.t, w.t, 1e-5, x.t, s.t, s.t));
    OPS_REFUSED(161001, "normalizedShape", RUN(x.t, NULL, w.t, w.t, 1e-5, x.t, s.t, s.t));
    OPS_REFUSED(161002, "normalizedShape is [2]", RUN(x.t, first, w.t, w.t, 1e-5, x.t, s.t, s.t));
    OPS_REFUSED(161002, "weightOptional", RUN(x.t, last, x.t, w.t, 1e-5, x.t, s.t, s.t));
    OPS_REFUSED(161002, "biasOptional", RUN(x.t, last, w.t, half.t, 1e-5, x.t, s.t, s.t));
    OPS_REFUSED(161002, "out", RUN(x.t, last, w.t, w.t, 1e-5, half.t, s.t, s.t));
    OPS_REFUSED(161002, "meanOutOptional", RUN(x.t, last, w.t, w.t, 1e-5, x.t, w.t, s.t));
    OPS_REFUSED(161002, "rstdOutOptional", RUN(x.t, last, w.t, w.t, 1e-5, x.t, s.t, half.t));
    OPS_REFUSED(
        161002, "outputMask has 2",
        OPS_RUN(aclnnLayerNormBackward, x.t, x.t, last, s.t, s.t, w.t, w.t, mask, x.t, w.t, w.t));
    OPS_REFUSED(
        161002, "gradOut",
        OPS_RUN(aclnnLayerNormBackward, w.t, x.t, last, s.t, s.t, w.t, w.t, mask, x.t, w.t, w.t));
    aclDestroyIntArray(last);
    aclDestroyIntArray(first);
    aclDestroyBoolArray(mask);
    ops_view_free(&x);
    ops_view_free(&half);
    ops_view_free(&w);
    ops_view_free(&s);
}

static int everything(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, ops_setup, ops_teardown);
}

int main(void)
{
    int status = 0;
    pid_t child;

    shared = mmap(NULL, RESULTS * sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    child = fork();
    if (child == 0) {
        setenv("SOFTASCEND_CHECK", "race,fail", 1);
        watched = true;
        _exit(everything());
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status)) {
        fprintf(stderr, "layer_norm: the watched process failed\n");
        return 1;
    }
    return everything();
}
