/* aclnnSigmoid and its backward against float64. */
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "support.h"

#include <pthread.h>

static const sa_dtype floats[] = {SA_F32, SA_F16, SA_BF16};

static double sigmoid64(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* Ulps of the dtype, at the reference, that the result is off. Subnormal results of float32: 1 for
 * within one smallest normal. */
static double ulps_off(sa_dtype dtype, double have, double want)
{
    if (isnan(want) || isnan(have))
        return isnan(want) && isnan(have) ? 0 : INFINITY;
    if (dtype != SA_F16 && fabs(want) < 0x1p-126)
        return fabs(have - want) <= 0x1p-126 ? 0 : INFINITY;
    return fabs(have - want) / ops_ulp(dtype, want);
}

/* y = sigmoid(x), n contiguous elements of each. */
static void forward(sa_dtype dtype, const void *x, void *y, int64_t n)
{
    size_t bytes = (size_t)n * sa_dtype_bytes(dtype);
    void *in = ops_upload(x, bytes), *out = ops_upload(NULL, bytes);
    aclTensor *ti = ops_tensor(dtype, 1, &n, NULL, 0, 0, in);
    aclTensor *to = ops_tensor(dtype, 1, &n, NULL, 0, 0, out);

    OPS_OK(OPS_RUN(aclnnSigmoid, ti, to));
    ops_download(y, out, bytes);
    aclDestroyTensor(ti);
    aclDestroyTensor(to);
    ops_free(in);
    ops_free(out);
}

static void every_16_bit_number(void **state)
{
    static uint16_t x[65536], y[65536];

    (void)state;
    for (int i = 0; i < 65536; i++)
        x[i] = (uint16_t)i;
    for (int d = 1; d < 3; d++) {
        double worst = 0;
        forward(floats[d], x, y, 65536);
        for (int64_t i = 0; i < 65536; i++) {
            double at = ops_load(floats[d], x, i), have = ops_load(floats[d], y, i);
            double off = ulps_off(floats[d], have, sigmoid64(at));
            worst = off > worst ? off : worst;
            if (!(off <= 1))
                fail_msg("%s: sigmoid(%.9g) is %.9g, float64 says %.9g: %.2f ulp",
                         sa_dtype_name(floats[d]), at, have, sigmoid64(at), off);
        }
        print_message("%s: at most %.3f ulp\n", sa_dtype_name(floats[d]), worst);
    }
}

static void float32_over_its_range(void **state)
{
    enum { N = 1000003 };
    float *x = malloc(sizeof(float) * N), *y = malloc(sizeof(float) * N);
    uint64_t seed = 11;
    double worst = 0;

    (void)state;
    for (int i = 0; i < N; i++)
        x[i] = (float)(ops_random(&seed) * (i % 3 == 0 ? 110 : i % 3 == 1 ? 20 : 1));
    forward(SA_F32, x, y, N);
    for (int i = 0; i < N; i++) {
        double off = ulps_off(SA_F32, y[i], sigmoid64(x[i]));
        worst = off > worst ? off : worst;
        if (!(off <= 2))
            fail_msg("sigmoid(%.9g) is %.9g, float64 says %.9g: %.2f ulp", x[i], y[i],
                     sigmoid64(x[i]), off);
    }
    print_message("float32: at most %.3f ulp\n", worst);
    free(x);
    free(y);
}

static void special_values(void **state)
{
    static const struct {
        double x, y;
    } cases[] = {{INFINITY, 1}, {-INFINITY, 0}, {0.0, 0.5}, {-0.0, 0.5}, {NAN, NAN}};

    (void)state;
    for (size_t d = 0; d < 3; d++) {
        uint64_t x[5], y[5];
        for (int i = 0; i < 5; i++)
            ops_store(floats[d], x, i, cases[i].x);
        forward(floats[d], x, y, 5);
        for (int i = 0; i < 5; i++) {
            double have = ops_load(floats[d], y, i);
            assert_true(isnan(cases[i].y) ? isnan(have) : have == cases[i].y && !signbit(have));
        }
    }
}

static void sizes_around_tiles_and_blocks(void **state)
{
    static const int64_t sizes[] = {1,     7,     16,    17,     63,
                                    1024,  24575, 24576, 24577,  32767,
                                    32769, 65537, 98305, 500001, 1000 * 1001 * 3};

    (void)state;
    for (size_t d = 0; d < 3; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t bytes = (size_t)sizes[s] * sa_dtype_bytes(floats[d]);
            char *x = malloc(bytes), *y = malloc(bytes);
            uint64_t seed = s + 1;
            for (int64_t i = 0; i < sizes[s]; i++)
                ops_store(floats[d], x, i, 8 * ops_random(&seed));
            forward(floats[d], x, y, sizes[s]);
            for (int64_t i = 0; i < sizes[s]; i++) {
                double want = sigmoid64(ops_load(floats[d], x, i));
                double off = ulps_off(floats[d], ops_load(floats[d], y, i), want);
                if (!(off <= 2))
                    fail_msg("%s, %lld elements: element %lld is %.2f ulp off",
                             sa_dtype_name(floats[d]), (long long)sizes[s], (long long)i, off);
            }
            free(x);
            free(y);
        }
}

/* dims [3, 5, 70] in several orders, with gaps, and broadcast. */
static const struct {
    int rank;
    int64_t dims[8], strides[8], offset, storage;
    bool input_only;
} views[] = {
    {3, {3, 5, 70}, {350, 70, 1}, 0, 1050, false},
    {3, {3, 5, 70}, {1, 3, 15}, 0, 1050, false},
    {3, {3, 5, 70}, {5, 1, 15}, 2, 1052, false},
    {3, {3, 5, 70}, {400, 75, 1}, 9, 1250, false},
    {3, {3, 5, 70}, {800, 150, 2}, 1, 2400, false},
    {3, {3, 5, 70}, {0, 70, 1}, 0, 350, true},
    {3, {3, 5, 70}, {5, 1, 0}, 0, 15, true},
    {3, {3, 5, 70}, {0, 0, 0}, 4, 5, true},
    {0, {0}, {0}, 3, 4, false},
    {8, {2, 1, 3, 1, 2, 1, 2, 3}, {36, 9, 12, 5, 6, 1, 3, 1}, 0, 72, false},
    {8, {2, 2, 2, 2, 2, 2, 2, 2}, {1, 2, 4, 8, 16, 32, 64, 128}, 0, 256, false},
};
#define VIEWS (sizeof views / sizeof *views)

/* Storage index of a view's element in row-major order. */
static int64_t place(size_t v, int64_t index)
{
    int64_t at = views[v].offset;
    for (int i = views[v].rank - 1; i >= 0; i--) {
        at += index % views[v].dims[i] * views[v].strides[i];
        index /= views[v].dims[i];
    }
    return at;
}

static int64_t elements(size_t v)
{
    int64_t product = 1;
    for (int i = 0; i < views[v].rank; i++)
        product *= views[v].dims[i];
    return product;
}

typedef struct buffer {
    char *host;
    void *device;
    size_t bytes;
    aclTensor *tensor;
} buffer;

static buffer make_buffer(sa_dtype dtype, size_t v, uint64_t seed)
{
    buffer b = {.bytes = (size_t)views[v].storage * sa_dtype_bytes(dtype)};

    b.host = malloc(b.bytes);
    for (int64_t i = 0; i < views[v].storage; i++)
        ops_store(dtype, b.host, i, ops_random(&seed));
    b.device = ops_upload(b.host, b.bytes);
    b.tensor = ops_tensor(dtype, views[v].rank, views[v].dims, views[v].strides, views[v].offset,
                          views[v].storage, b.device);
    return b;
}

static void free_buffer(buffer *b)
{
    aclDestroyTensor(b->tensor);
    ops_free(b->device);
    free(b->host);
}

/* The result is g y (1 - y) in fp32, rounded once: three roundings of fp32 and one of the dtype. */
static bool backward_close(sa_dtype dtype, double have, double g, double y)
{
    double want = g * y * (1 - y), bound = 3 * fabs(want) * 0x1p-24 + 0x1p-149;
    return fabs(have - want) <= bound + (dtype == SA_F32 ? 0 : ops_ulp(dtype, want) * 0.5);
}

static void views_in_and_out(void **state)
{
    (void)state;
    for (size_t d = 0; d < 3; d++)
        for (size_t in = 0; in < VIEWS; in++)
            for (size_t out = 0; out < VIEWS; out++) {
                sa_dtype t = floats[d];
                if (views[out].input_only || views[in].rank != views[out].rank ||
                    memcmp(views[in].dims, views[out].dims, sizeof views[in].dims) != 0)
                    continue;
                buffer x = make_buffer(t, in, in + 1), y = make_buffer(t, out, 7);
                buffer g = make_buffer(t, out, 9), dx = make_buffer(t, out, 8);
                OPS_OK(OPS_RUN(aclnnSigmoid, x.tensor, y.tensor));
                OPS_OK(OPS_RUN(aclnnSigmoidBackward, g.tensor, x.tensor, dx.tensor));
                ops_download(y.host, y.device, y.bytes);
                ops_download(dx.host, dx.device, dx.bytes);
                for (int64_t i = 0; i < elements(in); i++) {
                    double at = ops_load(t, x.host, place(in, i));
                    double off = ulps_off(t, ops_load(t, y.host, place(out, i)), sigmoid64(at));
                    if (!(off <= 2))
                        fail_msg("%s, view %zu to %zu: element %lld is %.2f ulp off",
                                 sa_dtype_name(t), in, out, (long long)i, off);
                    if (!backward_close(t, ops_load(t, dx.host, place(out, i)),
                                        ops_load(t, g.host, place(out, i)), at))
                        fail_msg("backward, %s, view %zu to %zu: element %lld", sa_dtype_name(t),
                                 in, out, (long long)i);
                }
                free_buffer(&x);
                free_buffer(&y);
                free_buffer(&g);
                free_buffer(&dx);
            }
}

static void backward_sizes(void **state)
{
    static const int64_t sizes[] = {1, 7, 17, 63, 9791, 9793, 70000, 500001};

    (void)state;
    for (size_t d = 0; d < 3; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int64_t n = sizes[s];
            size_t bytes = (size_t)n * sa_dtype_bytes(floats[d]);
            char *g = malloc(bytes), *y = malloc(bytes), *dx = malloc(bytes);
            uint64_t seed = s + 1;
            for (int64_t i = 0; i < n; i++) {
                ops_store(floats[d], g, i, 100 * ops_random(&seed));
                ops_store(floats[d], y, i, 0.5 + 0.5 * ops_random(&seed));
            }
            void *dg = ops_upload(g, bytes), *dy = ops_upload(y, bytes);
            void *dd = ops_upload(NULL, bytes);
            aclTensor *tg = ops_tensor(floats[d], 1, &n, NULL, 0, 0, dg);
            aclTensor *ty = ops_tensor(floats[d], 1, &n, NULL, 0, 0, dy);
            aclTensor *td = ops_tensor(floats[d], 1, &n, NULL, 0, 0, dd);
            OPS_OK(OPS_RUN(aclnnSigmoidBackward, tg, ty, td));
            ops_download(dx, dd, bytes);
            for (int64_t i = 0; i < n; i++)
                if (!backward_close(floats[d], ops_load(floats[d], dx, i),
                                    ops_load(floats[d], g, i), ops_load(floats[d], y, i)))
                    fail_msg("%s, %lld elements: element %lld is %.9g", sa_dtype_name(floats[d]),
                             (long long)n, (long long)i, ops_load(floats[d], dx, i));
            aclDestroyTensor(tg);
            aclDestroyTensor(ty);
            aclDestroyTensor(td);
            ops_free(dg);
            ops_free(dy);
            ops_free(dd);
            free(g);
            free(y);
            free(dx);
        }
}

static void no_elements(void **state)
{
    static const int64_t dims[] = {3, 0, 2};
    aclTensor *a = ops_tensor(SA_F32, 3, dims, NULL, 0, 0, NULL);

    (void)state;
    OPS_OK(OPS_RUN(aclnnSigmoid, a, a));
    OPS_OK(OPS_RUN(aclnnSigmoidBackward, a, a, a));
    aclDestroyTensor(a);
}

static void bad_arguments_are_named(void **state)
{
    static char memory[256];
    static const int64_t four[] = {4}, five[] = {5}, still[] = {0};
    aclTensor *a = ops_tensor(SA_F32, 1, four, NULL, 0, 0, memory);
    aclTensor *b = ops_tensor(SA_F32, 1, five, NULL, 0, 0, memory);
    aclTensor *half = ops_tensor(SA_F16, 1, four, NULL, 0, 0, memory);
    aclTensor *whole = ops_tensor(SA_I32, 1, four, NULL, 0, 0, memory);
    aclTensor *shared = ops_tensor(SA_F32, 1, four, still, 0, 4, memory);
    aclTensor *bare = ops_tensor(SA_F32, 1, four, NULL, 0, 0, NULL);
    uint64_t n;
    aclOpExecutor *ex;

    (void)state;
    OPS_REFUSED(161001, "aclnnSigmoid: self is NULL",
                aclnnSigmoidGetWorkspaceSize(NULL, a, &n, &ex));
    OPS_REFUSED(161001, "aclnnSigmoid: out is NULL",
                aclnnSigmoidGetWorkspaceSize(a, NULL, &n, &ex));
    OPS_REFUSED(161001, "executor is NULL", aclnnSigmoidGetWorkspaceSize(a, a, &n, NULL));
    OPS_REFUSED(161001, "self [4] has no data", aclnnSigmoidGetWorkspaceSize(bare, a, &n, &ex));
    OPS_REFUSED(161002, "self is int32, it must be one of",
                aclnnSigmoidGetWorkspaceSize(whole, a, &n, &ex));
    OPS_REFUSED(161002, "dtypes differ: self is float32, out is float16",
                aclnnSigmoidGetWorkspaceSize(a, half, &n, &ex));
    OPS_REFUSED(161002, "shapes differ: self is [4], out is [5]",
                aclnnSigmoidGetWorkspaceSize(a, b, &n, &ex));
    OPS_REFUSED(161002, "share an address", aclnnSigmoidGetWorkspaceSize(a, shared, &n, &ex));
    OPS_REFUSED(161001, "output is NULL",
                aclnnSigmoidBackwardGetWorkspaceSize(a, NULL, a, &n, &ex));
    OPS_REFUSED(161002, "shapes differ: gradOutput is [4], output is [5]",
                aclnnSigmoidBackwardGetWorkspaceSize(a, b, a, &n, &ex));
    OPS_REFUSED(161002, "dtypes differ: gradOutput is float32, gradInput is float16",
                aclnnSigmoidBackwardGetWorkspaceSize(a, a, half, &n, &ex));
    aclDestroyTensor(a);
    aclDestroyTensor(b);
    aclDestroyTensor(half);
    aclDestroyTensor(whole);
    aclDestroyTensor(shared);
    aclDestroyTensor(bare);
}

static void *one_thread(void *argument)
{
    float x[3000], y[3000];

    ops_thread_begin();
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 3000; i++)
            x[i] = (float)(i - 1500) * 0.005f + (float)round;
        forward(SA_F32, x, y, 3000);
        for (int i = 0; i < 3000; i++)
            assert_true(ulps_off(SA_F32, y[i], sigmoid64(x[i])) <= 2);
    }
    ops_thread_end();
    return argument;
}

static void four_threads_at_once(void **state)
{
    pthread_t threads[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, one_thread, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_16_bit_number),  cmocka_unit_test(float32_over_its_range),
        cmocka_unit_test(special_values),       cmocka_unit_test(sizes_around_tiles_and_blocks),
        cmocka_unit_test(views_in_and_out),     cmocka_unit_test(backward_sizes),
        cmocka_unit_test(no_elements),          cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(four_threads_at_once),
    };
    return cmocka_run_group_tests_name("sigmoid", tests, ops_setup, ops_teardown);
}
