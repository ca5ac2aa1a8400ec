/* Devices and contexts: which there are under which variables, codes, and what is current. */
#include "fixture.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Devices are found once a process, so each case is a child. */
typedef struct variables_case {
    const char *visible, *devices, *hbm, *chip;
    int count;
    const char *why; /* a part of the line on stderr; NULL: nothing is said */
} variables_case;

static const variables_case cases[] = {
    {NULL, NULL, NULL, NULL, 2, NULL},
    {NULL, NULL, "3M", NULL, 2, NULL},
    {NULL, "5", NULL, NULL, 5, NULL},
    {"0", NULL, NULL, NULL, 1, NULL},
    {"1,0", NULL, NULL, NULL, 2, NULL},
    {"0-3,6", "8", NULL, NULL, 5, NULL},
    {"", NULL, NULL, NULL, 0, "ASCEND_VISIBLE_DEVICES is empty"},
    {"zero", NULL, NULL, NULL, 0, "ASCEND_VISIBLE_DEVICES=\"zero\""},
    {"0,", NULL, NULL, NULL, 0, "ASCEND_VISIBLE_DEVICES"},
    {",0", NULL, NULL, NULL, 0, "ASCEND_VISIBLE_DEVICES"},
    {"0,0", NULL, NULL, NULL, 0, "different devices"},
    {"2", NULL, NULL, NULL, 0, "from 0 to 1"},
    {"1-0", NULL, NULL, NULL, 0, "ASCEND_VISIBLE_DEVICES"},
    {"-1", NULL, NULL, NULL, 0, "ASCEND_VISIBLE_DEVICES"},
    {"99999999999999999999", NULL, NULL, NULL, 0, "ASCEND_VISIBLE_DEVICES"},
    {NULL, "0", NULL, NULL, 0, "SOFTASCEND_DEVICES=\"0\""},
    {NULL, "many", NULL, NULL, 0, "SOFTASCEND_DEVICES"},
    {NULL, "65", NULL, NULL, 0, "from 1 to 64"},
    {NULL, NULL, "lots", NULL, 0, "SOFTASCEND_HBM_BYTES=\"lots\""},
    {NULL, NULL, "0", NULL, 0, "SOFTASCEND_HBM_BYTES"},
    {NULL, NULL, NULL, "Ascend000", 0, "Ascend000"},
};

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void variables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const variables_case *c = &cases[i];
        int pipe_ends[2], status, lines = 0;
        char text[2048];
        assert_int_equal(pipe(pipe_ends), 0);
        pid_t child = fork();
        if (!child) {
            const char *why;
            uint32_t count = 99;
            dup2(pipe_ends[1], 2);
            set("ASCEND_VISIBLE_DEVICES", c->visible);
            set("SOFTASCEND_DEVICES", c->devices);
            set("SOFTASCEND_HBM_BYTES", c->hbm);
            set("SOFTASCEND_CHIP", c->chip);
            int good = !aclInit(NULL) && !aclrtGetDeviceCount(&count) && count < 99 &&
                       sa_device_count(&why) == (int)count && !why == !c->why &&
                       aclrtSetDevice((int)count) == ACL_ERROR_RT_INVALID_DEVICEID &&
                       (!why || strstr(aclGetRecentErrMsg(), why));
            _exit(good ? (int)count : 98);
        }
        close(pipe_ends[1]);
        FILE *f = fdopen(pipe_ends[0], "r");
        size_t bytes = fread(text, 1, sizeof text - 1, f);
        text[bytes] = '\0';
        fclose(f);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), c->count);
        for (size_t k = 0; k < bytes; k++)
            lines += text[k] == '\n';
        assert_int_equal(lines, c->why ? 1 : 0);
        if (c->why)
            assert_non_null(strstr(text, c->why));
    }
}

static void bad_devices(void **state)
{
    (void)state;
    static const int32_t bad[] = {-1, 2, 64, INT32_MAX, INT32_MIN};
    aclrtContext context;
    aclrtDeviceStatus status;
    int64_t value;
    int32_t can;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fails(aclrtSetDevice(bad[i]), ACL_ERROR_RT_INVALID_DEVICEID);
        fails(aclrtResetDevice(bad[i]), ACL_ERROR_RT_INVALID_DEVICEID);
        fails(aclrtCreateContext(&context, bad[i]), ACL_ERROR_RT_INVALID_DEVICEID);
        fails(aclrtQueryDeviceStatus(bad[i], &status), ACL_ERROR_RT_INVALID_DEVICEID);
        fails(aclrtDeviceCanAccessPeer(&can, 0, bad[i]), ACL_ERROR_RT_INVALID_DEVICEID);
        fails(aclGetDeviceCapability((uint32_t)bad[i], ACL_DEVICE_INFO_L2_SIZE, &value),
              ACL_ERROR_RT_INVALID_DEVICEID);
    }
    fails(aclrtResetDevice(1), ACL_ERROR_RT_INVALID_DEVICEID); /* never set */
    fails(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtGetDevice(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtGetRunMode(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM);
}

static void figures(void **state)
{
    (void)state;
    aclrtRunMode mode;
    aclrtDeviceStatus status;
    int64_t value;
    int32_t can, device;
    ok(aclrtGetRunMode(&mode));
    assert_int_equal(mode, ACL_HOST);
    ok(aclrtQueryDeviceStatus(1, &status));
    assert_int_equal(status, ACL_RT_DEVICE_STATUS_NORMAL);
    ok(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
    assert_int_equal(value, 24);
    ok(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value));
    assert_int_equal(value, 48);
    ok(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value));
    assert_int_equal(value, 192 * MIB);
    fails(aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value), ACL_ERROR_INVALID_PARAM);
    ok(aclrtDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 1);
    ok(aclrtDeviceEnablePeerAccess(1, 0));
    fails(aclrtDeviceEnablePeerAccess(1, 1), ACL_ERROR_INVALID_PARAM);
    ok(aclrtDeviceDisablePeerAccess(1));
    ok(aclrtGetDevice(&device));
    assert_int_equal(device, 0);
    assert_non_null(sa_current_chip());
}

/* Each set needs its reset; the default context ends with the last. */
static void counted(void **state)
{
    (void)state;
    aclrtContext first, second, back;
    int32_t device;
    ok(aclrtGetCurrentContext(&back));
    ok(aclrtSetDevice(1));
    ok(aclrtGetCurrentContext(&first));
    ok(aclrtSetDevice(1));
    ok(aclrtGetCurrentContext(&second));
    assert_ptr_equal(first, second);
    ok(aclrtGetDevice(&device));
    assert_int_equal(device, 1);
    fails(aclrtDestroyContext(first), ACL_ERROR_INVALID_PARAM);
    ok(aclrtResetDevice(1));
    ok(aclrtSetCurrentContext(first));
    ok(aclrtResetDevice(1));
    fails(aclrtSetCurrentContext(first), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    fails(aclrtResetDevice(1), ACL_ERROR_RT_INVALID_DEVICEID);
    ok(aclrtSetCurrentContext(back));
}

static void *no_context(void *unused)
{
    void *p;
    aclrtStream stream;
    aclrtEvent event;
    aclrtContext context;
    size_t n;
    (void)unused;
    fails(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
    fails(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    fails(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL);
    fails(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
    fails(aclrtCreateEvent(&event), ACL_ERROR_RT_CONTEXT_NULL);
    fails(aclrtMalloc(&p, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    fails(aclrtMallocHost(&p, 8), ACL_ERROR_RT_CONTEXT_NULL);
    fails(aclrtMemcpy(&p, 8, &n, 8, ACL_MEMCPY_HOST_TO_HOST), ACL_ERROR_RT_CONTEXT_NULL);
    fails(aclrtMemset(&p, 8, 0, 8), ACL_ERROR_RT_CONTEXT_NULL);
    fails(aclrtGetMemInfo(ACL_HBM_MEM, &n, &n), ACL_ERROR_RT_CONTEXT_NULL);
    assert_null(sa_current_chip());
    return NULL;
}

static void per_thread(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, no_context, NULL), 0);
    pthread_join(thread, NULL);
}

static void contexts(void **state)
{
    (void)state;
    aclrtContext base, made, got;
    aclrtStream stream;
    ok(aclrtGetCurrentContext(&base));
    ok(aclrtCreateContext(&made, 0));
    ok(aclrtGetCurrentContext(&got));
    assert_ptr_equal(got, made);
    ok(aclrtCreateStream(&stream));
    ok(aclrtSetCurrentContext(base));
    fails(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    fails(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    ok(aclrtDestroyContext(made));
    fails(aclrtDestroyContext(made), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtSetCurrentContext(made), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtSetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtDestroyContext(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtGetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
    int local;
    void *const garbage[] = {&local, (void *)1, (void *)-1, (void *)0x1000000000000010, base};
    for (size_t i = 0; i < 4; i++)
        fails(aclrtSetCurrentContext(garbage[i]), ACL_ERROR_RT_INVALID_HANDLE);
    for (size_t i = 0; i < 5; i++) { /* a context is no stream and no event either */
        fails(aclrtSynchronizeStream(garbage[i]), ACL_ERROR_RT_INVALID_HANDLE);
        fails(aclrtDestroyEvent(garbage[i]), ACL_ERROR_RT_INVALID_HANDLE);
    }
    ok(aclrtCreateContext(&made, 0));
    ok(aclrtDestroyContext(made));
    fails(aclrtGetCurrentContext(&got), ACL_ERROR_RT_CONTEXT_NULL);
    ok(aclrtSetCurrentContext(base));
}

static int variables_first(void **state)
{
    (void)state;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(variables, variables_first, NULL),
        cmocka_unit_test_setup_teardown(bad_devices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(figures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(per_thread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(contexts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
