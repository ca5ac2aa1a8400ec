/* Calls the operators of the project beside it, as a C program does that links with the library and
 * AscendCL: values against double arithmetic, and what is refused, with its text. */
#include "acl/acl.h"
#include "aclnn_choose_by.h"
#include "aclnn_gather_add.h"
#include "aclnn_scale_shift.h"
#include "aclnn_step_by.h"
#include "aclnn_sum_and_max.h"
#include "aclnn_sum_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                 \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static void *device(size_t bytes)
{
    void *p = NULL;
    CHECK(aclrtMalloc(&p, bytes ? bytes : 1, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "%zu", bytes);
    return p;
}

static void *upload(const void *from, size_t bytes)
{
    void *p = device(bytes);
    aclrtMemcpy(p, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    return p;
}

/* A view of rank 2 (or 1, with rows 0). */
static aclTensor *tensor(aclDataType dtype, int64_t rows, int64_t columns, const int64_t *strides,
                         void *data)
{
    int64_t dims[] = {rows, columns}, storage = 1 << 20;
    const int64_t *from = rows ? dims : dims + 1;
    return aclCreateTensor(from, rows ? 2 : 1, dtype, strides, 0, ACL_FORMAT_ND, &storage, 1, data);
}

static aclrtStream stream;
static const char *said; /* the last call's message */
static const char *recent(void)
{
    const char *text = aclGetRecentErrMsg(); /* which forgets it */
    return text ? text : "";
}
#define RUN(op, status, ...)                                                                       \
    do {                                                                                           \
        uint64_t bytes_ = 1;                                                                       \
        aclOpExecutor *executor_ = NULL;                                                           \
        status = op##GetWorkspaceSize(__VA_ARGS__, &bytes_, &executor_);                           \
        void *workspace_ = bytes_ && !status ? device(bytes_) : NULL;                              \
        if (!status)                                                                               \
            status = op(workspace_, bytes_, executor_, stream);                                    \
        if (!status)                                                                               \
            status = aclrtSynchronizeStream(stream);                                               \
        said = recent();                                                                           \
        if (workspace_)                                                                            \
            aclrtFree(workspace_);                                                                 \
    } while (0)

static void test_scale_shift(void)
{
    static const int64_t lengths[] = {1, 2, 3, 31, 32, 33, 2047, 2049, 6144, 20011, 0};
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
        for (int half = 0; half < 2; half++) {
            size_t count = (size_t)lengths[n], size = half ? 2 : 4;
            aclFloat16 *halves = calloc(count + 1, 2);
            float *floats = calloc(count + 1, 4);
            for (size_t i = 0; i < count; i++) {
                floats[i] = (float)((int)(i * 37 % 101) - 50) / 4;
                halves[i] = aclFloatToFloat16(floats[i]);
            }
            void *in = half ? (void *)halves : floats;
            void *x = upload(in, count * size), *y = upload(in, (count + 1) * size);
            aclDataType dtype = half ? ACL_FLOAT16 : ACL_FLOAT;
            aclTensor *tx = tensor(dtype, 0, lengths[n], NULL, x);
            aclTensor *ty = tensor(dtype, 0, lengths[n], NULL, y);
            aclnnStatus s;
            RUN(aclnnScaleShift, s, tx, 1.5, 0.25, NULL, n & 1, 7, ty);
            CHECK(s == 0, "%lld elements: %d %s", (long long)lengths[n], s, said);
            aclrtMemcpy(in, (count + 1) * size, y, (count + 1) * size, ACL_MEMCPY_DEVICE_TO_HOST);
            for (size_t i = 0; i < count; i++) {
                double want = ((int)(i * 37 % 101) - 50) / 4.0 * (n & 1 ? -1.5 : 1.5) + 0.25;
                double got = half ? aclFloat16ToFloat(halves[i]) : floats[i];
                /* every value here has few bits: both dtypes hold it exactly */
                CHECK(got == want, "%zu of %zu, %zu bytes: %g, not %g", i, count, size, got, want);
                if (got != want)
                    break;
            }
            CHECK((half ? aclFloat16ToFloat(halves[count]) : floats[count]) == 0,
                  "wrote past %zu elements", count);
            aclDestroyTensor(tx);
            aclDestroyTensor(ty);
            aclrtFree(x);
            aclrtFree(y);
            free(halves);
            free(floats);
        }
}

/* x and y transposed: copies in and out are the library's. */
static void test_strided(void)
{
    enum { ROWS = 5, COLUMNS = 7 };
    float in[ROWS * COLUMNS], out[ROWS * COLUMNS] = {0};
    int64_t by_row[] = {1, ROWS}, by_column[] = {1, ROWS};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        in[i] = (float)i;
    void *x = upload(in, sizeof in), *y = upload(out, sizeof out);
    aclnnStatus s;
    RUN(aclnnScaleShift, s, tensor(ACL_FLOAT, ROWS, COLUMNS, by_row, x), 2.0, 1.0, "all", false, 1,
        tensor(ACL_FLOAT, ROWS, COLUMNS, by_column, y));
    CHECK(s == 0, "%d %s", s, said);
    aclrtMemcpy(out, sizeof out, y, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        CHECK(out[i] == 2 * in[i] + 1, "%d: %g", i, (double)out[i]);
}

static void test_keys(void)
{
    static const struct {
        int64_t by, step;
        aclDataType dtype;
        bool same;
    } cases[] = {{1, 1, ACL_INT32, false},
                 {2, 10, ACL_INT64, true},
                 {3, 100, ACL_INT64, false},
                 {3, 100, ACL_INT32, true}};
    int32_t in[] = {-3, 0, 5, 70000};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        void *x = upload(in, sizeof in), *y = device(64), *z = device(64);
        int64_t out[4] = {0}, long_dims = 4;
        int32_t same[4] = {0};
        aclnnStatus s;
        RUN(aclnnStepBy, s, tensor(ACL_INT32, 0, long_dims, NULL, x), cases[n].by,
            tensor(cases[n].dtype, 0, 4, NULL, y),
            cases[n].same ? tensor(ACL_INT32, 0, 4, NULL, z) : NULL);
        CHECK(s == 0, "case %zu: %d %s", n, s, said);
        aclrtMemcpy(out, sizeof out, y, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
        aclrtMemcpy(same, sizeof same, z, sizeof same, ACL_MEMCPY_DEVICE_TO_HOST);
        for (int i = 0; i < 4; i++) {
            int64_t got = cases[n].dtype == ACL_INT64 ? out[i] : ((int32_t *)out)[i];
            CHECK(got == in[i] + cases[n].step, "case %zu, %d: %lld", n, i, (long long)got);
            CHECK(!cases[n].same || same[i] == in[i], "case %zu, %d: %d", n, i, same[i]);
        }
    }
}

/* A kernel for each key: the preprocessor chose. */
static void test_keys_of_the_preprocessor(void)
{
    static const struct {
        int64_t key;
        aclDataType dtype;
        double want[3];
        const char *refused[4];
    } cases[] = {
        {10000000000000001, ACL_FLOAT, {12, 6, -2}, {NULL}},
        {10000000000000001, ACL_INT32, {12, 6, -2}, {NULL}},
        {10000000000000002, ACL_FLOAT, {32, 8, -24}, {NULL}},
        {10000000000000002, ACL_INT32, {32, 8, -24}, {NULL}},
        {7, ACL_FLOAT, {2, 0.5, -1.5}, {NULL}},
        {7,
         ACL_INT32,
         {0},
         {"aclnnChooseBy: the tiling function (choose_by.cpp:", "set the tiling key 7,",
          "kernel of ChooseBy has: 10000000000000001, 10000000000000002"}},
        {0,
         ACL_FLOAT,
         {0},
         {"set the tiling key 0,", "has: 7, 10000000000000001, 10000000000000002"}},
    };
    float floats[] = {8, 2, -6};
    int32_t integers[] = {8, 2, -6};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        bool real = cases[n].dtype == ACL_FLOAT;
        void *x = upload(real ? (void *)floats : integers, 12), *y = device(12);
        float got_floats[3] = {0};
        int32_t got_integers[3] = {0};
        aclnnStatus s;
        RUN(aclnnChooseBy, s, tensor(cases[n].dtype, 0, 3, NULL, x), cases[n].key, 4,
            tensor(cases[n].dtype, 0, 3, NULL, y));
        CHECK(s == (cases[n].refused[0] ? 161002 : 0), "case %zu: %d %s", n, s, said);
        for (size_t i = 0; cases[n].refused[i]; i++)
            CHECK(strstr(said, cases[n].refused[i]), "case %zu: \"%s\" is not in \"%s\"", n,
                  cases[n].refused[i], said);
        aclrtMemcpy(real ? (void *)got_floats : got_integers, 12, y, 12, ACL_MEMCPY_DEVICE_TO_HOST);
        for (int i = 0; i < 3 && !cases[n].refused[0]; i++) {
            double got = real ? (double)got_floats[i] : got_integers[i];
            CHECK(got == cases[n].want[i], "case %zu, %d: %g", n, i, got);
        }
    }
}

static void test_workspace(void)
{
    enum { COUNT = 1001 };
    float in[COUNT], sum = 0;
    int32_t max = 0;
    double want = 0;
    for (int i = 0; i < COUNT; i++) {
        in[i] = (float)(i * 7919 % COUNT) - 300; /* each of -300 … 700 once */
        want += in[i];
    }
    void *x = upload(in, sizeof in), *a = device(4), *b = device(4);
    aclnnStatus s;
    RUN(aclnnSumAndMax, s, tensor(ACL_FLOAT, 0, COUNT, NULL, x), tensor(ACL_FLOAT, 0, 1, NULL, a),
        aclCreateTensor(NULL, 0, ACL_INT32, NULL, 0, ACL_FORMAT_ND, NULL, 0, b));
    CHECK(s == 0, "%d %s", s, said);
    aclrtMemcpy(&sum, 4, a, 4, ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtMemcpy(&max, 4, b, 4, ACL_MEMCPY_DEVICE_TO_HOST);
    CHECK(sum == want && max == 700, "%g (%g), %d", (double)sum, want, max);

    uint64_t bytes = 0;
    aclOpExecutor *executor;
    s = aclnnSumAndMaxGetWorkspaceSize(tensor(ACL_FLOAT, 0, COUNT, NULL, x),
                                       tensor(ACL_FLOAT, 0, 1, NULL, a),
                                       tensor(ACL_INT32, 0, 1, NULL, b), &bytes, &executor);
    CHECK(s == 0 && bytes >= 512, "%d, %llu bytes", s, (unsigned long long)bytes);
    s = aclnnSumAndMax(NULL, 0, executor, stream);
    said = recent();
    CHECK(s == 161001 && strstr(said, "workspace is NULL"), "%d %s", s, said);
}

static void test_lists(void)
{
    float sum[] = {1, 2, 3}, one[] = {10, 20, 30}, two[] = {100, 200, 300},
          bias[] = {1000, 0, 5000};
    int64_t at[] = {2, 0, 2}, signs[] = {3, -1};
    int32_t hits[] = {7, 7, 7};
    float weights[] = {0.25f};
    for (int biased = 0; biased < 2; biased++)
        for (int given = 0; given < 2; given++) {
            float got[3];
            int32_t count[3];
            void *s = upload(sum, 12), *h = upload(hits, 12);
            aclTensor *list[] = {tensor(ACL_FLOAT, 0, 3, NULL, upload(one, 12)),
                                 tensor(ACL_FLOAT, 0, 3, NULL, upload(two, 12))};
            aclnnStatus status;
            RUN(aclnnGatherAdd, status, tensor(ACL_FLOAT, 0, 3, NULL, s),
                aclCreateTensorList((const aclTensor *const *)list, 2),
                biased ? tensor(ACL_FLOAT, 0, 3, NULL, upload(bias, 12)) : NULL,
                aclCreateIntArray(at, 3), given ? aclCreateFloatArray(weights, 1) : NULL,
                given ? aclCreateIntArray(signs, 2) : NULL, tensor(ACL_INT32, 0, 3, NULL, h));
            CHECK(status == 0, "%d %s", status, said);
            aclrtMemcpy(got, 12, s, 12, ACL_MEMCPY_DEVICE_TO_HOST);
            aclrtMemcpy(count, 12, h, 12, ACL_MEMCPY_DEVICE_TO_HOST);
            for (int i = 0; i < 3; i++) {
                double weight = given ? 0.25 * (3 * 3) * (-1 * -1) : 0.5 * 4;
                double want = sum[i] + weight * (one[i] + two[i]);
                int times = i == 2 ? 2 : i == 0;
                want += biased ? times * (double)bias[i] : 0;
                CHECK(got[i] == want && count[i] == times, "%d %d %d: %g (%g) %d", biased, given, i,
                      (double)got[i], want, count[i]);
            }
        }
}

/* Shapes and addresses come from the list alone. */
static void test_list_descriptions(void)
{
    static const int64_t shapes[][3] = {{5, 1, 1}, {2, 3, 4}, {0, 3, 1}, {1, 1, 1}};
    static const uint64_t ranks[] = {1, 3, 2, 0};
    enum { COUNT = 4 };
    float values[24], want[COUNT] = {0}, got[COUNT];
    aclTensor *list[COUNT];
    for (int i = 0; i < 24; i++)
        values[i] = (float)(i * i) + 0.5f;
    for (int i = 0; i < COUNT; i++) {
        int64_t size = shapes[i][0] * shapes[i][1] * shapes[i][2];
        for (int64_t n = 0; n < size; n++)
            want[i] += values[n];
        list[i] = aclCreateTensor(shapes[i], ranks[i], ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shapes[i],
                                  ranks[i], upload(values, sizeof values));
    }
    for (int count = 1; count <= COUNT; count++) {
        float *y = upload(values, sizeof values);
        aclnnStatus s;
        RUN(aclnnSumList, s, aclCreateTensorList((const aclTensor *const *)list, (uint64_t)count),
            tensor(ACL_FLOAT, 0, count, NULL, y));
        CHECK(s == 0, "%d: %d %s", count, s, said);
        aclrtMemcpy(got, sizeof got, y, sizeof got, ACL_MEMCPY_DEVICE_TO_HOST);
        for (int i = 0; i < count; i++)
            CHECK(got[i] == want[i], "%d of %d: %g, not %g", i, count, (double)got[i],
                  (double)want[i]);
    }
}

/* What is refused, and what the text must hold. */
static void test_refusals(void)
{
    float values[4] = {1, 2, 3, 4};
    void *x = upload(values, sizeof values), *y = device(64);
    aclTensor *f = tensor(ACL_FLOAT, 0, 4, NULL, x), *out = tensor(ACL_FLOAT, 0, 4, NULL, y);
    aclTensor *i32 = tensor(ACL_INT32, 0, 4, NULL, x), *none = tensor(ACL_FLOAT, 0, 4, NULL, NULL);
    const struct {
        const aclTensor *x, *out;
        const char *mode;
        int status;
        const char *text[6];
    } cases[] = {
        {NULL, out, NULL, 161001, {"aclnnScaleShift: x is NULL"}},
        {f, NULL, NULL, 161001, {"aclnnScaleShift: y is NULL"}},
        {none, out, NULL, 161001, {"x [4] has no data"}},
        {i32,
         out,
         NULL,
         161002,
         {"aclnnScaleShift: no kernel", "x int32 [4]", "y float32 [4]", "the OpDef has",
          "x float16, y float16"}},
        {f,
         out,
         "refuse",
         161002,
         {"aclnnScaleShift: the tiling function (scale_shift.cpp:", "returned GRAPH_FAILED",
          "x float32 [4]", "scale 2.5", "mode \"refuse\", negate true, count 9"}},
        {f, out, "throw", 161002, {"scale_shift.cpp:", "threw \"no such mode\"", "x float32 [4]"}},
        {f, out, "no blocks", 161002, {"block dim of 0", "SetBlockDim"}},
        {f, out, "large", 161002, {"data size of 1000000 bytes, the capacity is"}},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        aclnnStatus s;
        RUN(aclnnScaleShift, s, cases[n].x, 2.5, 1, cases[n].mode, true, 9, cases[n].out);
        CHECK(s == cases[n].status, "case %zu: %d %s", n, s, said);
        for (size_t i = 0; cases[n].text[i]; i++)
            CHECK(strstr(said, cases[n].text[i]), "case %zu: \"%s\" is not in \"%s\"", n,
                  cases[n].text[i], said);
    }
    /* no kernel for the key: found when it has run */
    aclnnStatus s;
    RUN(aclnnStepBy, s, i32, 4, tensor(ACL_INT32, 0, 4, NULL, y), NULL);
    CHECK(s == 507035 && strstr(said, "step_by") && strstr(said, "tiling key 4"), "%d %s", s, said);
    aclrtResetDevice(0);
    /* a tensor that the list has not */
    CHECK(aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0, "again");
    float marked[] = {0, 77};
    void *one = upload(marked, 4);
    aclTensor *list[] = {tensor(ACL_FLOAT, 0, 1, NULL, one)};
    RUN(aclnnSumList, s, aclCreateTensorList((const aclTensor *const *)list, 1),
        tensor(ACL_FLOAT, 0, 2, NULL, upload(marked, sizeof marked)));
    CHECK(s == 507035 && strstr(said, "ListTensorDesc::GetDataPtr: tensor 1 of a list of 1"),
          "%d %s", s, said);
    aclrtResetDevice(0);
}

int main(void)
{
    CHECK(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0, "start");
    test_scale_shift();
    test_strided();
    test_keys();
    test_keys_of_the_preprocessor();
    test_workspace();
    test_lists();
    test_list_descriptions();
    test_refusals();
    aclFinalize();
    printf(failures ? "%d checks failed\n" : "all checks passed\n", failures);
    return failures != 0;
}
