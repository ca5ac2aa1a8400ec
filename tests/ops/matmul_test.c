/* aclnnMatmul against float64: |C - C64| <= 2 K eps32 (|A||B|) and half an ulp of the dtype; and
 * bit for bit against sums in the order of k, whether a kernel's instructions are watched or not.
 */
#include "aclnnop/aclnn_matmul.h"
#include "core/isa.h"
#include "support.h"

#include <pthread.h>

static const sa_dtype floats[] = {SA_F32, SA_F16, SA_BF16};

/* How a matrix lies in its storage. */
typedef enum layout {
    PLAIN,             /* rows one after the other */
    TRANSPOSED,        /* columns one after the other */
    PADDED,            /* rows with a gap, from an offset */
    TRANSPOSED_PADDED, /* columns with a gap, from an offset */
    SPREAD,            /* every second element, from an offset */
} layout;

typedef struct operand {
    sa_dtype dtype;
    int64_t batch, rows, cols, stride_row, stride_col, stride_batch, offset, storage;
    void *host, *device;
    aclTensor *tensor;
} operand;

/* batch 0: a matrix without a batch dimension. */
static operand make_operand(sa_dtype dtype, int64_t batch, int64_t rows, int64_t cols, layout l,
                            uint64_t *seed)
{
    operand x = {dtype, batch, rows, cols, cols, 1, 0, 0, 0, NULL, NULL, NULL};
    int64_t gap = l == PADDED || l == TRANSPOSED_PADDED ? 3 : 0;

    if (l == TRANSPOSED || l == TRANSPOSED_PADDED) {
        x.stride_row = 1;
        x.stride_col = rows + gap;
        x.stride_batch = cols * x.stride_col;
    } else {
        x.stride_row = l == SPREAD ? 2 * cols + 1 : cols + gap;
        x.stride_col = l == SPREAD ? 2 : 1;
        x.stride_batch = rows * x.stride_row;
    }
    x.offset = l == PLAIN || l == TRANSPOSED ? 0 : 5;
    x.storage = x.offset + x.stride_batch * (batch ? batch : 1) + 7;
    x.host = malloc((size_t)x.storage * sa_dtype_bytes(dtype));
    for (int64_t i = 0; i < x.storage; i++)
        ops_store(dtype, x.host, i, ops_random(seed));
    x.device = ops_upload(x.host, (size_t)x.storage * sa_dtype_bytes(dtype));
    const int64_t dims[] = {batch, rows, cols};
    const int64_t strides[] = {x.stride_batch, x.stride_row, x.stride_col};
    int from = batch == 0;
    x.tensor =
        ops_tensor(dtype, 3 - from, dims + from, strides + from, x.offset, x.storage, x.device);
    return x;
}

static void free_operand(operand *x)
{
    aclDestroyTensor(x->tensor);
    ops_free(x->device);
    free(x->host);
}

static int64_t place(const operand *x, int64_t batch, int64_t row, int64_t col)
{
    return x->offset + (x->batch > 1 ? batch * x->stride_batch : 0) + row * x->stride_row +
           col * x->stride_col;
}

/* Element by element; where out has none, nothing may have been written. */
static void compare(const operand *a, const operand *b, const operand *c)
{
    size_t bytes = sa_dtype_bytes(c->dtype);
    char *result = malloc((size_t)c->storage * bytes), *hit = calloc((size_t)c->storage, 1);
    char *want = malloc((size_t)c->storage * bytes);
    /* tiles of bf16 add up in another order */
    bool exact = a->dtype != SA_BF16 || strcmp(sa_isa_active()->backend, "amx") != 0;

    ops_download(result, c->device, (size_t)c->storage * bytes);
    for (int64_t z = 0; z < (c->batch ? c->batch : 1); z++)
        for (int64_t i = 0; i < c->rows; i++)
            for (int64_t j = 0; j < c->cols; j++) {
                double sum = 0, most = 0, have;
                float in_order = 0;
                for (int64_t k = 0; k < a->cols; k++) {
                    double x = ops_load(a->dtype, a->host, place(a, z, i, k));
                    double y = ops_load(b->dtype, b->host, place(b, z, k, j));
                    double product = x * y;
                    in_order = fmaf((float)x, (float)y, in_order);
                    sum += product;
                    most += fabs(product);
                }
                have = ops_load(c->dtype, result, place(c, z, i, j));
                hit[place(c, z, i, j)] = 1;
                ops_store(c->dtype, want, place(c, z, i, j), in_order);
                double bound = 2 * (double)a->cols * 0x1p-24 * most;
                if (c->dtype != SA_F32)
                    bound += ops_ulp(c->dtype, sum) / 2 * (1 + 0x1p-10);
                if (!(fabs(have - sum) <= bound))
                    fail_msg("%s [%lld,%lld]x[%lld,%lld]: C[%lld,%lld,%lld] is %.9g, float64 says "
                             "%.9g, off by %.3g, allowed %.3g",
                             sa_dtype_name(c->dtype), (long long)a->rows, (long long)a->cols,
                             (long long)b->rows, (long long)b->cols, (long long)z, (long long)i,
                             (long long)j, have, sum, fabs(have - sum), bound);
            }
    /* the same bits, however it was computed */
    for (int64_t i = 0; i < c->storage; i++)
        if (hit[i] && exact &&
            memcmp(result + i * (int64_t)bytes, want + i * (int64_t)bytes, bytes))
            fail_msg("%s [%lld,%lld]x[%lld,%lld]: element %lld is %.9g, multiply-adds in the order "
                     "of k give %.9g",
                     sa_dtype_name(c->dtype), (long long)a->rows, (long long)a->cols,
                     (long long)b->rows, (long long)b->cols, (long long)i,
                     ops_load(c->dtype, result, i), ops_load(c->dtype, want, i));
    free(want);
    for (int64_t i = 0; i < c->storage; i++)
        if (!hit[i] &&
            memcmp(result + i * (int64_t)bytes, (char *)c->host + i * (int64_t)bytes, bytes) != 0)
            fail_msg("element %lld, which is not in the output, was written", (long long)i);
    free(result);
    free(hit);
}

static void run(sa_dtype dtype, int64_t batch, int64_t m, int64_t n, int64_t k, layout la,
                layout lb, layout lc)
{
    uint64_t seed = (uint64_t)(m * 1000003 + n * 1009 + k);
    operand a = make_operand(dtype, batch, m, k, la, &seed);
    operand b = make_operand(dtype, batch, k, n, lb, &seed);
    operand c = make_operand(dtype, batch, m, n, lc, &seed);

    if (ops_has(dtype)) {
        OPS_OK(OPS_RUN(aclnnMatmul, a.tensor, b.tensor, c.tensor, 0));
        compare(&a, &b, &c);
    } else {
        OPS_REFUSED(161002, OPS_LACKS_BF16, OPS_RUN(aclnnMatmul, a.tensor, b.tensor, c.tensor, 0));
    }
    free_operand(&a);
    free_operand(&b);
    free_operand(&c);
}

static void small_sizes_and_transposes(void **state)
{
    static const int64_t sizes[] = {1, 7, 16, 17, 63};

    (void)state;
    for (size_t d = 0; d < 3; d++)
        for (int i = 0; i < 125; i++)
            for (int t = 0; t < 4; t++)
                run(floats[d], 0, sizes[i % 5], sizes[i / 5 % 5], sizes[i / 25],
                    t & 1 ? TRANSPOSED : PLAIN, t & 2 ? TRANSPOSED : PLAIN, PLAIN);
}

static void odd_sizes(void **state)
{
    static const int64_t sizes[][3] = {
        {1000, 1001, 3}, {3, 1001, 1000}, {1000, 3, 1001}, {129, 257, 300}, {1, 700, 500},
        {700, 1, 500},   {1, 1, 5000},    {31, 33, 1025},  {512, 16, 64},   {80, 1500, 600},
    };

    (void)state;
    for (size_t d = 0; d < 3; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int t = 0; t < 4; t++)
                run(floats[d], 0, sizes[i][0], sizes[i][1], sizes[i][2], t & 1 ? TRANSPOSED : PLAIN,
                    t & 2 ? TRANSPOSED : PLAIN, PLAIN);
}

static void strided_views(void **state)
{
    (void)state;
    for (size_t d = 0; d < 3; d++)
        for (int i = 0; i < 125; i++)
            run(floats[d], 0, 33, 50, 20, (layout)(i % 5), (layout)(i / 5 % 5), (layout)(i / 25));
}

static void batches(void **state)
{
    (void)state;
    for (size_t d = 0; d < 3; d++)
        for (int i = 0; i < 125; i++)
            run(floats[d], 1 + i % 4, 17, 18, 19, (layout)(i % 5), (layout)(i / 5 % 5),
                (layout)(i / 25));
}

/* One matrix against a batch of others. */
static void a_batch_of_one_is_shared(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int64_t batch = 0; batch < 2; batch++) {
        operand a = make_operand(SA_F32, 3, 20, 30, PLAIN, &seed);
        operand b = make_operand(SA_F32, batch, 30, 40, TRANSPOSED, &seed);
        operand c = make_operand(SA_F32, 3, 20, 40, PLAIN, &seed);
        OPS_OK(OPS_RUN(aclnnMatmul, a.tensor, b.tensor, c.tensor, 0));
        compare(&a, &b, &c);
        free_operand(&a);
        free_operand(&b);
        free_operand(&c);
    }
}

/* K = 0 gives zeros, also in rows with gaps; no element, nothing to do. */
static void empty_matrices(void **state)
{
    static const int64_t sizes[][3] = {{5, 7, 0}, {0, 7, 5}, {5, 0, 7}, {0, 0, 0}, {300, 70000, 0}};

    (void)state;
    for (size_t d = 0; d < 3; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int64_t batch = 0; batch < 3; batch += 2)
                for (layout l = PLAIN; l <= SPREAD; l++)
                    if (i != 4 || (batch == 0 && d == 1))
                        run(floats[d], batch, sizes[i][0], sizes[i][1], sizes[i][2], PLAIN, PLAIN,
                            l);
}

/* Infinities and NaN pass through and do not spread to other rows and columns. */
static void special_values(void **state)
{
    (void)state;
    for (size_t d = 0; d < 3 && ops_has(floats[d]); d++) {
        uint64_t seed = 3;
        const int64_t n = 20;
        operand a = make_operand(floats[d], 0, n, n, PLAIN, &seed);
        operand b = make_operand(floats[d], 0, n, n, PLAIN, &seed);
        operand c = make_operand(floats[d], 0, n, n, PLAIN, &seed);
        size_t bytes = sa_dtype_bytes(floats[d]);
        ops_store(floats[d], a.host, 3 * n + 4, INFINITY);
        ops_store(floats[d], a.host, 18 * n + 4, NAN);
        OPS_OK(aclrtMemcpy(a.device, (size_t)a.storage * bytes, a.host, (size_t)a.storage * bytes,
                           ACL_MEMCPY_HOST_TO_DEVICE));
        OPS_OK(OPS_RUN(aclnnMatmul, a.tensor, b.tensor, c.tensor, 0));
        ops_download(c.host, c.device, (size_t)c.storage * bytes);
        for (int64_t i = 0; i < n * n; i++) {
            double have = ops_load(floats[d], c.host, i);
            double times = ops_load(floats[d], b.host, 4 * n + i % n);
            if (i / n == 3)
                assert_true(have == (times > 0 ? INFINITY : -INFINITY));
            else if (i / n == 18)
                assert_true(isnan(have));
            else
                assert_true(isfinite(have));
        }
        free_operand(&a);
        free_operand(&b);
        free_operand(&c);
    }
}

/* A few operands of any size down to the subnormal ones, in A or in B: bodies that take those for 0
 * must not be used, wherever they are, nor change the sums made before. */
static void small_numbers(void **state)
{
    static const int64_t sizes[][3] = {{30, 40, 50}, {70, 40, 1000}, {100, 90, 1601}};

    (void)state;
    for (size_t d = 0; d < 3 && ops_has(floats[d]); d++)
        for (int i = 0; i < 12; i++) {
            uint64_t seed = (uint64_t)i + 1;
            const int64_t *size = sizes[i / 4];
            layout l = i & 1 ? TRANSPOSED : PLAIN;
            operand a = make_operand(floats[d], 0, size[0], size[2], l, &seed);
            operand b = make_operand(floats[d], 0, size[2], size[1], l, &seed);
            operand c = make_operand(floats[d], 0, size[0], size[1], PLAIN, &seed);
            operand *small = i & 2 ? &a : &b;
            for (int64_t j = small->rows * small->cols / 3; j < small->rows * small->cols; j += 997)
                ops_store(floats[d], small->host, j,
                          ldexp(ops_random(&seed), -(int)(ops_random(&seed) * 70 + 70)));
            /* a row of A whose results are subnormal */
            for (int64_t k = 0; k < size[2]; k++)
                ops_store(floats[d], a.host, place(&a, 0, 5, k), 0x1p-130 * (double)(1 + k % 3));
            size_t bytes = (size_t)a.storage * sa_dtype_bytes(floats[d]);
            OPS_OK(aclrtMemcpy(a.device, bytes, a.host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
            bytes = (size_t)b.storage * sa_dtype_bytes(floats[d]);
            OPS_OK(aclrtMemcpy(b.device, bytes, b.host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
            OPS_OK(OPS_RUN(aclnnMatmul, a.tensor, b.tensor, c.tensor, 0));
            compare(&a, &b, &c);
            free_operand(&a);
            free_operand(&b);
            free_operand(&c);
        }
}

static aclTensor *bare(sa_dtype dtype, int rank, int64_t d0, int64_t d1, int64_t d2)
{
    static char memory[1 << 16];
    const int64_t dims[] = {d0, d1, d2, 1};
    return ops_tensor(dtype, rank, dims, NULL, 0, 0, memory);
}

static void bad_arguments_are_named(void **state)
{
    static const int64_t two[] = {4, 4}, still[] = {0, 1};
    aclTensor *a = bare(SA_F32, 2, 64, 32, 0), *b = bare(SA_F32, 2, 32, 16, 0);
    aclTensor *c = bare(SA_F32, 2, 64, 16, 0), *b48 = bare(SA_F32, 2, 48, 16, 0);
    aclTensor *half = bare(SA_F16, 2, 32, 16, 0), *whole = bare(SA_I32, 2, 64, 32, 0);
    aclTensor *scalar = bare(SA_F32, 0, 0, 0, 0), *vector = bare(SA_F32, 1, 32, 0, 0);
    aclTensor *rank4 = bare(SA_F32, 4, 2, 2, 2), *batch2 = bare(SA_F32, 3, 2, 64, 32);
    aclTensor *batch3 = bare(SA_F32, 3, 3, 32, 16);
    aclTensor *no_data = ops_tensor(SA_F32, 2, (const int64_t[]){64, 32}, NULL, 0, 0, NULL);
    aclTensor *shared = ops_tensor(SA_F32, 2, two, still, 0, 4, (void *)64);
    aclTensor *four = bare(SA_F32, 2, 4, 4, 0);
    uint64_t bytes;
    aclOpExecutor *ex;
    const struct {
        aclTensor *a, *b, *c;
        int type, code;
        const char *text;
    } cases[] = {
        {NULL, b, c, 0, 161001, "aclnnMatmul: self is NULL"},
        {a, NULL, c, 0, 161001, "aclnnMatmul: mat2 is NULL"},
        {a, b, NULL, 0, 161001, "aclnnMatmul: out is NULL"},
        {no_data, b, c, 0, 161001, "aclnnMatmul: self [64, 32] has no data"},
        {a, b48, c, 0, 161002, "aclnnMatmul: k differs: self is [64, 32], mat2 is [48, 16]"},
        {a, half, c, 0, 161002, "dtypes differ: self is float32, mat2 is float16"},
        {whole, b, c, 0, 161002, "self is int32, it must be one of: float32, float16, bfloat16"},
        {scalar, b, c, 0, 161002, "self is [] of rank 0, it must be of rank 2 to 3"},
        {a, vector, c, 0, 161002, "mat2 is [32] of rank 1"},
        {rank4, b, c, 0, 161002, "self is [2, 2, 2, 1] of rank 4"},
        {batch2, batch3, c, 0, 161002, "batch differs: self is [2, 64, 32], mat2 is [3, 32, 16]"},
        {a, b, b, 0, 161002, "out is [32, 16], it must be [64, 16]"},
        {four, four, shared, 0, 161002, "strides [0, 1]: elements of an output share an address"},
        {a, b, c, 4, 161002, "cubeMathType is 4"},
        {a, b, c, -1, 161002, "cubeMathType is -1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ex = (aclOpExecutor *)&bytes;
        OPS_REFUSED(cases[i].code, cases[i].text,
                    aclnnMatmulGetWorkspaceSize(cases[i].a, cases[i].b, cases[i].c,
                                                (int8_t)cases[i].type, &bytes, &ex));
        assert_null(ex);
    }
    OPS_REFUSED(161001, "workspaceSize is NULL",
                aclnnMatmulGetWorkspaceSize(a, b, c, 0, NULL, &ex));
    OPS_REFUSED(161001, "executor is NULL", aclnnMatmulGetWorkspaceSize(a, b, c, 0, &bytes, NULL));
    aclTensor *all[] = {a,      b,     c,      b48,    half,    whole,  scalar,
                        vector, rank4, batch2, batch3, no_data, shared, four};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        aclDestroyTensor(all[i]);
}

static void *one_thread(void *argument)
{
    ops_thread_begin();
    for (int i = 0; i < 20; i++)
        run(floats[i % 3], 0, 40 + 7 * i, 130 - i, 50, (layout)(i % 5), TRANSPOSED, PLAIN);
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

/* matmul_test [PATTERN]: those whose name fits. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sizes_and_transposes),
        cmocka_unit_test(odd_sizes),
        cmocka_unit_test(strided_views),
        cmocka_unit_test(batches),
        cmocka_unit_test(a_batch_of_one_is_shared),
        cmocka_unit_test(empty_matrices),
        cmocka_unit_test(special_values),
        cmocka_unit_test(small_numbers),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(four_threads_at_once),
    };
    return cmocka_run_group_tests_name("matmul", tests, ops_setup, ops_teardown);
}
