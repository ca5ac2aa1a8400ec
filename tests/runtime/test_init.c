/* Beginning and end: codes before, between and after aclInit and aclFinalize, and a library that
 * holds the runtime beside the program. */
#include "fixture.h"

#include <sys/wait.h>
#include <unistd.h>

static void before_init(void **state)
{
    (void)state;
    uint32_t count;
    aclrtContext context;
    aclrtStream stream;
    aclrtEvent event;
    aclrtRunMode mode;
    void *p;
    size_t bytes;
    float ms;
    fails(aclFinalize(), ACL_ERROR_UNINITIALIZE);
    fails(aclrtSetDevice(0), ACL_ERROR_UNINITIALIZE);
    fails(aclrtResetDevice(0), ACL_ERROR_UNINITIALIZE);
    fails(aclrtGetDeviceCount(&count), ACL_ERROR_UNINITIALIZE);
    fails(aclrtGetRunMode(&mode), ACL_ERROR_UNINITIALIZE);
    fails(aclrtCreateContext(&context, 0), ACL_ERROR_UNINITIALIZE);
    fails(aclrtGetCurrentContext(&context), ACL_ERROR_UNINITIALIZE);
    fails(aclrtCreateStream(&stream), ACL_ERROR_UNINITIALIZE);
    fails(aclrtSynchronizeStream(NULL), ACL_ERROR_UNINITIALIZE);
    fails(aclrtSynchronizeDevice(), ACL_ERROR_UNINITIALIZE);
    fails(aclrtCreateEvent(&event), ACL_ERROR_UNINITIALIZE);
    fails(aclrtEventElapsedTime(&ms, &ms, &ms), ACL_ERROR_UNINITIALIZE);
    fails(aclrtMalloc(&p, 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_UNINITIALIZE);
    fails(aclrtMallocHost(&p, 1), ACL_ERROR_UNINITIALIZE);
    fails(aclrtFree(&p), ACL_ERROR_UNINITIALIZE);
    fails(aclrtGetMemInfo(ACL_HBM_MEM, &bytes, &bytes), ACL_ERROR_UNINITIALIZE);
    fails(aclrtProcessReport(1), ACL_ERROR_UNINITIALIZE);
    fails(aclInit("/no/such/file.json"), ACL_ERROR_INVALID_FILE);
    fails(aclInit("/"), ACL_ERROR_INVALID_FILE);
}

static void twice(void **state)
{
    (void)state;
    ok(aclInit(NULL));
    fails(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    ok(aclFinalize());
    fails(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    fails(aclrtSetDevice(0), ACL_ERROR_UNINITIALIZE);
    ok(aclInit(""));
    ok(aclrtSetDevice(0));
    ok(aclFinalize());
}

static void finalize_ends_objects(void **state)
{
    (void)state;
    aclrtContext context;
    aclrtStream stream;
    aclrtEvent event;
    ok(aclInit(NULL));
    ok(aclrtCreateContext(&context, 0));
    ok(aclrtCreateStream(&stream));
    ok(aclrtCreateEvent(&event));
    ok(aclFinalize());
    ok(aclInit(NULL));
    fails(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtSetCurrentContext(context), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtSynchronizeStream(stream), ACL_ERROR_RT_CONTEXT_NULL);
    ok(aclFinalize());
}

static void library_beside_program(void **state)
{
    (void)state;
    aclrtStream stream;
    ok(sa_runtime_retain());
    ok(aclrtSetDevice(0));
    ok(aclrtCreateStream(&stream));
    ok(aclInit(NULL));
    ok(aclFinalize());
    ok(aclrtSynchronizeStream(stream));
    ok(aclrtDestroyStream(stream));
    ok(aclrtResetDevice(0));
    sa_runtime_release();
    fails(aclrtSetDevice(0), ACL_ERROR_UNINITIALIZE);
}

static void version_and_text(void **state)
{
    (void)state;
    int32_t major, minor, patch;
    ok(aclrtGetVersion(&major, &minor, &patch));
    assert_int_equal(major, 1);
    fails(aclrtGetVersion(NULL, &minor, &patch), ACL_ERROR_INVALID_PARAM);
    assert_null(aclGetRecentErrMsg());
    assert_string_equal(aclrtGetSocName(), "Ascend910B1");
}

/* A child of a process that uses the runtime is told so; one forked earlier would be free. */
static void forked(void **state)
{
    (void)state;
    void *p;
    aclrtStream stream;
    ok(aclInit(NULL));
    ok(aclrtSetDevice(0));
    ok(aclrtCreateStream(&stream));
    ok(aclrtMemsetAsync(NULL, 0, 0, 0, stream));
    ok(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    pid_t child = fork();
    if (!child) {
        int good =
            aclrtSynchronizeStream(stream) == ACL_ERROR_UNINITIALIZE &&
            strstr(aclGetRecentErrMsg(), "fork") && aclInit(NULL) == ACL_ERROR_UNINITIALIZE &&
            aclrtFree(p) == ACL_ERROR_UNINITIALIZE && aclFinalize() == ACL_ERROR_UNINITIALIZE;
        _exit(good ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    ok(aclrtFree(p));
    ok(aclrtSynchronizeStream(stream));
    ok(aclFinalize());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_init),           cmocka_unit_test(twice),
        cmocka_unit_test(finalize_ends_objects), cmocka_unit_test(library_beside_program),
        cmocka_unit_test(version_and_text),      cmocka_unit_test(forked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
