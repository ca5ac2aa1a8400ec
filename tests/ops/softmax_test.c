/* Softmax, its logarithm and gradient, and both cross entropies against float64. A first process
 * is watched and runs the chip's instructions; what nobody watches must give the same bits. */
#include "views.h"

#include "aclnnop/aclnn_log_softmax.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "aclnnop/sann_softmax_cross_entropy.h"
#include "aclnnop/sann_sparse_softmax_cross_entropy.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESULTS 4096

static uint64_t *shared; /* of each result that the watched process got, in order */
static bool watched;
static size_t results;

/* That the bits of `v`, fetched, are those of the watched process. */
static void compare(const ops_view *v, int rank, const int64_t *dims, const char *what)
{
    uint64_t hash = 14695981039346656037u;
    for (int64_t i = 0; i < v->elements; i++) {
        double x = ops_view_at(v, rank, dims, i);
        uint64_t bits = 0;
        if (x == x)
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

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const sa_dtype floats[] = {SA_F32, SA_F16, SA_BF16};

static double value(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    (void)dtype;
    return ops_random(seed) * (i % 5 ? 3 : 12);
}
static double positive(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    (void)dtype, (void)i;
    return (ops_random(seed) + 1) / 20;
}

/* Row-major position of element j of slice s along dimension `dim`. */
static int64_t place(int rank, const int64_t *dims, int dim, int64_t s, int64_t j)
{
    int64_t inner = 1;
    for (int d = dim + 1; d < rank; d++)
        inner *= dims[d];
    return (s / inner * dims[dim] + j) * inner + s % inner;
}

static void near(sa_dtype t, double want, double got, double error, const char *what, int64_t i)
{
    if (want != want ? got != got : fabs(got - want) <= error + 0.51 * ops_ulp(t, want))
        return;
    fail_msg("%s %s: element %lld is %.9g, not %.9g (%g allowed)", what, sa_dtype_name(t),
             (long long)i, got, want, error);
}

/* fp32's relative error: x - m rounds (|x - m| ulp in the exponent), exp 2, the sum 16, the
 * quotient 2 roundings of 2^-24. */
static void check(int kind, sa_dtype t, int rank, const int64_t *dims, int dim, ops_layout layout,
                  ops_layout out_layout, uint64_t *seed)
{
    int64_t d = dims[dim], slices = 1;
    char what[200];
    for (int i = 0; i < rank; i++)
        slices *= i == dim ? 1 : dims[i];
    ops_view x = ops_view_make(t, rank, dims, layout, value, seed);
    ops_view y = ops_view_make(t, rank, dims, layout, positive, seed);
    ops_view out = ops_view_make(t, rank, dims, out_layout, NULL, NULL);
    snprintf(what, sizeof what, "kind %d %s dim %d (layouts %d %d)", kind, ops_dims(rank, dims),
             dim, layout, out_layout);
    if (kind == 0)
        OPS_OK(OPS_RUN(aclnnSoftmax, x.t, dim - rank, out.t));
    else if (kind == 1)
        OPS_OK(OPS_RUN(aclnnLogSoftmax, x.t, dim, out.t));
    else
        OPS_OK(OPS_RUN(aclnnSoftmaxBackward, x.t, y.t, dim, out.t));
    ops_view_fetch(&out, what);
    compare(&out, rank, dims, what);
    for (int64_t s = 0; s < slices; s++) {
        double m = -INFINITY, sum = 0, dot = 0, dots = 0;
        for (int64_t j = 0; j < d; j++) {
            double v = ops_view_at(&x, rank, dims, place(rank, dims, dim, s, j));
            double w = ops_view_at(&y, rank, dims, place(rank, dims, dim, s, j));
            m = v > m ? v : m;
            dot += v * w;
            dots += fabs(v * w);
        }
        for (int64_t j = 0; j < d; j++)
            sum += exp(ops_view_at(&x, rank, dims, place(rank, dims, dim, s, j)) - m);
        for (int64_t j = 0; j < d; j++) {
            int64_t i = place(rank, dims, dim, s, j);
            double v = ops_view_at(&x, rank, dims, i), w = ops_view_at(&y, rank, dims, i), want,
                   error;
            if (kind == 0) {
                want = exp(v - m) / sum;
                error = want * 0x1p-24 * (20 + fabs(v - m));
            } else if (kind == 1) {
                want = v - m - log(sum);
                error = 0x1p-24 * (20 + 2 * fabs(v - m) + 4 * log(sum));
            } else {
                want = w * (v - dot);
                error = 0x1p-24 * fabs(w) * (4 * fabs(v) + 20 * dots);
            }
            near(t, want, ops_view_at(&out, rank, dims, i), error, what, i);
        }
    }
    ops_view_free(&x);
    ops_view_free(&y);
    ops_view_free(&out);
}

static void test_softmax(void **state)
{
    static const struct {
        int rank;
        int64_t dims[4];
    } shapes[] = {{1, {1}},       {1, {17}},       {2, {64, 10}},    {2, {10, 64}},
                  {2, {7, 1000}}, {2, {3, 50000}}, {3, {5, 33, 20}}, {4, {2, 3, 40, 40}},
                  {2, {0, 3}},    {2, {3000, 12}}, {2, {50000, 3}}};
    uint64_t seed = 1, turn = 0;
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (size_t s = 0; s < COUNT(shapes); s++)
            for (int dim = 0; dim < shapes[s].rank; dim++)
                for (size_t t = 0; t < 3; t++, turn++) {
                    if (!ops_has(floats[t]))
                        continue;
                    check(kind, floats[t], shapes[s].rank, shapes[s].dims, dim, OPS_PLAIN,
                          OPS_PLAIN, &seed);
                    check(kind, floats[t], shapes[s].rank, shapes[s].dims, dim, turn % OPS_LAYOUTS,
                          turn / 2 % OPS_LAYOUTS, &seed);
                }
}

static void entropy(bool sparse, sa_dtype t, sa_dtype label_type, int64_t b, int64_t c,
                    ops_layout layout, uint64_t *seed)
{
    const int64_t dims[] = {b, c};
    ops_view x = ops_view_make(t, 2, dims, layout, value, seed);
    ops_view labels = sparse ? ops_view_make(label_type, 1, dims, layout, NULL, NULL)
                             : ops_view_make(t, 2, dims, layout, positive, seed);
    ops_view loss = ops_view_make(t, 1, dims, layout, NULL, NULL);
    ops_view back = ops_view_make(t, 2, dims, layout, NULL, NULL);
    char what[160];
    snprintf(what, sizeof what, "cross entropy %d %s layout %d", sparse, ops_dims(2, dims), layout);
    for (int64_t i = 0; sparse && i < b; i++)
        ops_store(label_type, labels.host, ops_view_index(&labels, 1, dims, i),
                  (double)((i * 7919) % c));
    if (sparse)
        aclrtMemcpy(labels.device, (size_t)labels.storage * sa_dtype_bytes(label_type), labels.host,
                    (size_t)labels.storage * sa_dtype_bytes(label_type), ACL_MEMCPY_HOST_TO_DEVICE);
    OPS_OK(sparse ? OPS_RUN(sannSparseSoftmaxCrossEntropy, x.t, labels.t, loss.t, back.t)
                  : OPS_RUN(sannSoftmaxCrossEntropy, x.t, labels.t, loss.t, back.t));
    ops_view_fetch(&loss, what);
    ops_view_fetch(&back, what);
    compare(&loss, 1, dims, what);
    compare(&back, 2, dims, what);
    for (int64_t i = 0; i < b; i++) {
        double m = -INFINITY, sum = 0, want = 0, scale = 0;
        int64_t label = sparse ? (int64_t)ops_view_at(&labels, 1, dims, i) : 0;
        for (int64_t j = 0; j < c; j++)
            m = fmax(m, ops_view_at(&x, 2, dims, i * c + j));
        for (int64_t j = 0; j < c; j++)
            sum += exp(ops_view_at(&x, 2, dims, i * c + j) - m);
        for (int64_t j = 0; j < c; j++) {
            double v = ops_view_at(&x, 2, dims, i * c + j) - m, p = exp(v) / sum;
            double y = sparse ? j == label : ops_view_at(&labels, 2, dims, i * c + j);
            want += y != 0 ? y * (log(sum) - v) : 0;
            scale += fabs(y) * (log(sum) + fabs(v));
            near(t, p - y, ops_view_at(&back, 2, dims, i * c + j),
                 0x1p-24 * ((20 + fabs(v)) * p + fabs(y)), what, i * c + j);
        }
        near(t, want, ops_view_at(&loss, 1, dims, i), 0x1p-24 * (20 + 40 * scale), what, i);
    }
    ops_view_free(&x);
    ops_view_free(&labels);
    ops_view_free(&loss);
    ops_view_free(&back);
}

static void test_cross_entropy(void **state)
{
    static const int64_t shapes[][2] = {{64, 10},   {1, 1},    {5, 1000}, {3, 30000},
                                        {1000, 10}, {2000, 3}, {0, 5}};
    uint64_t seed = 2, turn = 0;
    (void)state;
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t t = 0; t < 3; t++)
            for (int l = 0; l < 2; l++, turn++) {
                if (!ops_has(floats[t]))
                    continue;
                entropy(false, floats[t], SA_F32, shapes[s][0], shapes[s][1],
                        l ? turn % OPS_LAYOUTS : OPS_PLAIN, &seed);
                entropy(true, floats[t], l ? SA_I64 : SA_I32, shapes[s][0], shapes[s][1],
                        l ? turn / 2 % OPS_LAYOUTS : OPS_PLAIN, &seed);
            }
}

/* A label that is none stops the kernel, which names it. */
static void test_bad_label(void **state)
{
    static const int64_t dims[] = {2, 3};
    static const int64_t wrong[2][2] = {{1, 3}, {-1, 0}};
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 2; i++) {
        ops_view x = ops_view_make(SA_F32, 2, dims, OPS_PLAIN, value, &seed);
        ops_view out = ops_view_make(SA_F32, 2, dims, OPS_PLAIN, NULL, NULL);
        ops_view loss = ops_view_make(SA_F32, 1, dims, OPS_PLAIN, NULL, NULL);
        ops_view labels = ops_view_make(SA_I64, 1, dims, OPS_PLAIN, NULL, NULL);
        aclrtMemcpy(labels.device, sizeof wrong[i], wrong[i], sizeof wrong[i],
                    ACL_MEMCPY_HOST_TO_DEVICE);
        OPS_REFUSED(507015, i ? "label value of -1" : "label value of 3",
                    OPS_RUN(sannSparseSoftmaxCrossEntropy, x.t, labels.t, loss.t, out.t));
        ops_view_free(&x);
        ops_view_free(&out);
        ops_view_free(&loss);
        ops_view_free(&labels);
    }
}

static void test_refusals(void **state)
{
    static const int64_t dims[] = {2, 3};
    uint64_t seed = 1;
    (void)state;
    ops_view x = ops_view_make(SA_F32, 2, dims, OPS_PLAIN, value, &seed);
    ops_view out = ops_view_make(SA_F32, 2, dims, OPS_PLAIN, NULL, NULL);
    ops_view half = ops_view_make(SA_F16, 2, dims, OPS_PLAIN, NULL, NULL);
    ops_view loss = ops_view_make(SA_F32, 1, dims, OPS_PLAIN, NULL, NULL);
    OPS_REFUSED(161002, "dim", OPS_RUN(aclnnSoftmax, x.t, 2, out.t));
    OPS_REFUSED(161002, "float16", OPS_RUN(aclnnSoftmax, x.t, 0, half.t));
    OPS_REFUSED(161001, "out", OPS_RUN(aclnnLogSoftmax, x.t, 0, NULL));
    OPS_REFUSED(161002, "labels",
                OPS_RUN(sannSparseSoftmaxCrossEntropy, x.t, loss.t, loss.t, out.t));
    OPS_REFUSED(161001, "loss", OPS_RUN(sannSoftmaxCrossEntropy, x.t, x.t, NULL, out.t));
    ops_view_free(&x);
    ops_view_free(&out);
    ops_view_free(&half);
    ops_view_free(&loss);
}

static int everything(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_cross_entropy),
        cmocka_unit_test(test_bad_label),
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
        fprintf(stderr, "softmax: the watched process failed\n");
        return 1;
    }
    return everything();
}
