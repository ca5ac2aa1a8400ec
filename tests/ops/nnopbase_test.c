/* Descriptions and executors: what is refused, what is answered, and NULL everywhere. */
#include "aclnnop/aclnn_sigmoid.h"
#include "support.h"

static void bad_tensors_are_refused(void **state)
{
    static const int64_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const struct {
        int64_t dims[3], strides[3], offset, storage[2];
        uint64_t rank, storage_rank;
        int dtype;
        const char *text;
    } cases[] = {
        {{2, -3}, {3, 1}, 0, {6}, 2, 1, ACL_FLOAT, "shape [2, -3]: dimension 1 is -3"},
        {{2, 3}, {3, 1}, 0, {-6}, 2, 1, ACL_FLOAT, "storage [-6]: dimension 0 is -6"},
        {{2, 3},
         {3, 1},
         0,
         {5},
         2,
         1,
         ACL_FLOAT,
         "shape [2, 3], strides [3, 1], offset 0 touches elements 0 to 5 of a storage [5]"},
        {{2, 3}, {3, 1}, 1, {2, 3}, 2, 2, ACL_FLOAT, "touches elements 1 to 6 of a storage [2, 3]"},
        {{2, 3}, {3, 1}, -1, {2, 3}, 2, 2, ACL_FLOAT, "touches elements -1 to 4"},
        {{2, 3}, {-3, 1}, 0, {2, 3}, 2, 2, ACL_FLOAT, "touches elements -3 to 2"},
        {{2, 2}, {INT64_MAX, 1}, 1, {4}, 2, 1, ACL_FLOAT, "more bytes than 64 bits count"},
        {{2}, {INT64_MAX / 4}, 0, {INT64_MAX}, 1, 1, ACL_FLOAT, "more bytes than 64 bits count"},
        {{INT64_MAX, INT64_MAX},
         {0, 0},
         0,
         {1},
         2,
         1,
         ACL_FLOAT,
         "has more elements than 64 bits count"},
        {{2}, {1}, 0, {2}, 1, 1, ACL_STRING, "unsupported data type 13"},
        {{2}, {1}, 0, {2}, 1, 1, -1, "unsupported data type -1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(aclCreateTensor(cases[i].dims, cases[i].rank, (aclDataType)cases[i].dtype,
                                    cases[i].strides, cases[i].offset, ACL_FORMAT_ND,
                                    cases[i].storage, cases[i].storage_rank, NULL));
        if (!strstr(aclGetRecentErrMsg(), cases[i].text))
            fail_msg("\"%s\" lacks \"%s\"", aclGetRecentErrMsg(), cases[i].text);
    }
    assert_null(aclCreateTensor(ones, 9, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, ones, 9, NULL));
    assert_non_null(strstr(aclGetRecentErrMsg(), "rank 9, the highest is 8"));
    assert_null(aclCreateTensor(ones, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, ones, 9, NULL));
    assert_null(aclCreateTensor(NULL, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, ones, 1, NULL));
    assert_non_null(strstr(aclGetRecentErrMsg(), "viewDims is NULL, its count is 2"));
    assert_null(aclCreateTensor(ones, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 1, NULL));
}

static void good_tensors_answer(void **state)
{
    static const int64_t dims[] = {2, 3, 4}, storage[] = {100}, empty[] = {3, 0, 5};
    static const int64_t eight[] = {1, 2, 1, 2, 1, 2, 1, 2}, reversed[] = {-1};
    int64_t *shape, *strides, offset;
    uint64_t rank;
    aclDataType dtype;
    aclFormat format;
    aclTensor *t = aclCreateTensor(dims, 3, ACL_BF16, NULL, 7, ACL_FORMAT_NHWC, storage, 1, NULL);

    (void)state;
    assert_non_null(t);
    OPS_OK(aclGetViewShape(t, &shape, &rank));
    assert_int_equal(rank, 3);
    assert_memory_equal(shape, dims, sizeof dims);
    OPS_OK(aclGetViewStrides(t, &strides, &rank));
    assert_memory_equal(strides, ((int64_t[]){12, 4, 1}), sizeof dims);
    OPS_OK(aclGetViewOffset(t, &offset));
    assert_int_equal(offset, 7);
    OPS_OK(aclGetDataType(t, &dtype));
    assert_int_equal(dtype, ACL_BF16);
    OPS_OK(aclGetFormat(t, &format));
    assert_int_equal(format, ACL_FORMAT_NHWC);
    free(shape);
    free(strides);
    OPS_OK(aclDestroyTensor(t));

    t = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL); /* a scalar */
    assert_non_null(t);
    OPS_OK(aclGetViewShape(t, &shape, &rank));
    assert_int_equal(rank, 0);
    free(shape);
    OPS_OK(aclDestroyTensor(t));
    /* no elements touch nothing, wherever they are */
    t = aclCreateTensor(empty, 3, ACL_FLOAT, NULL, 50, ACL_FORMAT_ND, empty, 3, NULL);
    assert_non_null(t);
    OPS_OK(aclDestroyTensor(t));
    t = aclCreateTensor(eight, 8, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, eight, 8, NULL);
    assert_non_null(t);
    OPS_OK(aclDestroyTensor(t));
    /* backwards, but inside */
    t = aclCreateTensor(storage, 1, ACL_FLOAT, reversed, 99, ACL_FORMAT_ND, storage, 1, NULL);
    assert_non_null(t);
    OPS_OK(aclDestroyTensor(t));
}

static void null_is_refused(void **state)
{
    static const int64_t one[] = {1};
    aclTensor *t = aclCreateTensor(one, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, one, 1, NULL);
    const aclTensor *hole[] = {t, NULL};
    int64_t *dims;
    uint64_t n;

    (void)state;
    assert_int_equal(aclDestroyTensor(NULL), 161001);
    assert_int_equal(aclDestroyScalar(NULL), 161001);
    assert_int_equal(aclDestroyIntArray(NULL), 161001);
    assert_int_equal(aclDestroyFloatArray(NULL), 161001);
    assert_int_equal(aclDestroyBoolArray(NULL), 161001);
    assert_int_equal(aclDestroyTensorList(NULL), 161001);
    assert_int_equal(aclDestroyAclOpExecutor(NULL), 161001);
    assert_int_equal(aclSetAclOpExecutorRepeatable(NULL), 161001);
    assert_int_equal(aclGetIntArraySize(NULL, &n), 161001);
    assert_int_equal(aclGetTensorListSize(NULL, &n), 161001);
    assert_int_equal(aclGetViewShape(NULL, &dims, &n), 161001);
    assert_int_equal(aclGetViewShape(t, NULL, &n), 161001);
    assert_int_equal(aclGetViewStrides(t, &dims, NULL), 161001);
    assert_int_equal(aclGetViewOffset(t, NULL), 161001);
    assert_int_equal(aclGetDataType(NULL, NULL), 161001);
    assert_int_equal(aclGetFormat(t, NULL), 161001);
    assert_null(aclCreateScalar(NULL, ACL_FLOAT));
    assert_null(aclCreateIntArray(NULL, 2));
    assert_null(aclCreateFloatArray(NULL, 2));
    assert_null(aclCreateBoolArray(NULL, 2));
    assert_null(aclCreateTensorList(hole, 2));
    assert_null(aclCreateTensorList(NULL, 2));
    assert_null(aclCreateIntArray(one, UINT64_MAX));
    aclDestroyTensor(t);
}

static void arrays_and_lists(void **state)
{
    static const int64_t one[] = {1};
    const aclTensor *tensors[] = {
        aclCreateTensor(one, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, one, 1, NULL),
        aclCreateTensor(one, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, one, 1, NULL)};
    aclIntArray *ints = aclCreateIntArray((const int64_t[]){1, 2, 3}, 3);
    aclIntArray *none = aclCreateIntArray(NULL, 0);
    aclTensorList *list = aclCreateTensorList(tensors, 2);
    uint64_t n;

    (void)state;
    OPS_OK(aclGetIntArraySize(ints, &n));
    assert_int_equal(n, 3);
    OPS_OK(aclGetIntArraySize(none, &n));
    assert_int_equal(n, 0);
    OPS_OK(aclGetTensorListSize(list, &n));
    assert_int_equal(n, 2);
    OPS_OK(aclDestroyIntArray(ints));
    OPS_OK(aclDestroyIntArray(none));
    OPS_OK(aclDestroyTensorList(list)); /* and its tensors */
    double value = 2.5;
    aclScalar *scalar = aclCreateScalar(&value, ACL_DOUBLE);
    assert_non_null(scalar);
    OPS_OK(aclDestroyScalar(scalar));
    assert_null(aclCreateScalar(&value, ACL_STRING));
}

static void an_executor_runs_once_or_is_repeatable(void **state)
{
    static const int64_t n = 5, every_second = 2;
    float x[10] = {0};
    void *in = ops_upload(x, sizeof x), *out = ops_upload(x, sizeof x);
    aclTensor *ti = ops_tensor(SA_F32, 1, &n, &every_second, 0, 10, in);
    aclTensor *to = ops_tensor(SA_F32, 1, &n, NULL, 0, 0, out);
    aclOpExecutor *ex, *once;
    uint64_t bytes;
    void *workspace;

    (void)state;
    OPS_OK(aclnnSigmoidGetWorkspaceSize(ti, to, &bytes, &ex));
    assert_true(bytes > 0);
    workspace = ops_upload(NULL, bytes);
    OPS_OK(aclSetAclOpExecutorRepeatable(ex));
    OPS_REFUSED(161001, "workspace is NULL", aclnnSigmoid(NULL, bytes, ex, ops_stream()));
    OPS_REFUSED(161002, "workspaceSize is 1", aclnnSigmoid(workspace, 1, ex, ops_stream()));
    for (int i = 0; i < 3; i++) {
        float y[5];
        for (int j = 0; j < 10; j++)
            x[j] = i == 0 ? 0 : i == 1 ? 100 : -200;
        OPS_OK(aclrtMemcpy(in, sizeof x, x, sizeof x, ACL_MEMCPY_HOST_TO_DEVICE));
        OPS_OK(aclnnSigmoid(workspace, bytes, ex, ops_stream()));
        OPS_OK(aclrtSynchronizeStream(ops_stream()));
        ops_download(y, out, sizeof y);
        for (int j = 0; j < 5; j++)
            assert_true(y[j] == (i == 0 ? 0.5f : i == 1 ? 1.0f : 0.0f));
    }
    OPS_OK(aclDestroyAclOpExecutor(ex));

    OPS_OK(aclnnSigmoidGetWorkspaceSize(ti, to, &bytes, &once));
    OPS_OK(aclnnSigmoid(workspace, bytes, once, ops_stream()));
    OPS_REFUSED(161002, "the executor has run already",
                aclnnSigmoid(workspace, bytes, once, ops_stream()));
    OPS_REFUSED(161001, "executor is NULL", aclnnSigmoid(workspace, bytes, NULL, ops_stream()));
    OPS_OK(aclrtSynchronizeStream(ops_stream()));
    aclDestroyTensor(ti);
    aclDestroyTensor(to);
    ops_free(in);
    ops_free(out);
    ops_free(workspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_tensors_are_refused),
        cmocka_unit_test(good_tensors_answer),
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(arrays_and_lists),
        cmocka_unit_test(an_executor_runs_once_or_is_repeatable),
    };
    return cmocka_run_group_tests_name("nnopbase", tests, ops_setup, ops_teardown);
}
