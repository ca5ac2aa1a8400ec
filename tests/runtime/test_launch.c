/* Launches: blocks and arguments, codes, and kernels that fail. */
#include "fixture.h"

#include "softascend/core.h"

#include <stdio.h>

typedef struct mark_args {
    int32_t *out; /* one cell a block */
    int32_t base;
    char filler[4]; /* the large variant carries more behind it */
} mark_args;

/* out[block] = base + block, moved through the unified buffer. */
static void mark(sa_core *core, void *args)
{
    const mark_args *a = args;
    int32_t *ub = sa_alloc(core, SA_UB, 32);
    sa_set(core, SA_I32, ub, 0, a->base + (int)sa_block_idx(core));
    sa_set_flag(core, SA_PIPE_S, SA_PIPE_MTE3, 0);
    sa_wait_flag(core, SA_PIPE_S, SA_PIPE_MTE3, 0);
    sa_copy_out(core, a->out + sa_block_idx(core), ub, 4);
}

static void break_down(sa_core *core, void *args)
{
    sa_copy_in(core, sa_local(core, SA_UB, sa_local_bytes(core, SA_UB) - 4), args, 64);
}

static void give_up(sa_core *core, void *args)
{
    sa_fault(core, *(int *)args, "kernel gave up on purpose");
}

static void nothing(sa_core *core, void *args)
{
    (void)core, (void)args;
}

static void blocks_and_arguments(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {1, 2, 7, 48, 300};
    int32_t *out;
    struct {
        mark_args args;
        char more[2000];
    } large = {0};
    ok(aclrtMalloc((void **)&out, 300 * 4, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int lazy = 0; lazy < 2; lazy++)
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            for (int big = 0; big < 2; big++) {
                aclrtStream stream;
                ok(aclrtCreateStreamWithConfig(&stream, 0, lazy ? ACL_STREAM_FAST_SYNC : 0));
                ok(aclrtMemsetAsync(out, 1200, 0xff, 1200, stream));
                large.args.out = out;
                large.args.base = 1000 * (int)i;
                ok(sa_stream_launch(stream, mark, "mark", blocks[i], SA_AIV, &large,
                                    big ? sizeof large : sizeof large.args));
                large.args.base = -1; /* the launch has its own copy */
                ok(aclrtSynchronizeStream(stream));
                for (uint32_t b = 0; b < 300; b++)
                    assert_int_equal(out[b], b < blocks[i] ? 1000 * (int)i + (int)b : -1);
                ok(aclrtDestroyStream(stream));
            }
    ok(aclrtFree(out));
}

static void bad_arguments(void **state)
{
    (void)state;
    int value = 0;
    void *handle = &value;
    fails(sa_stream_launch(NULL, NULL, "k", 1, SA_AIV, NULL, 0), ACL_ERROR_INVALID_PARAM);
    fails(sa_stream_launch(NULL, nothing, "k", 0, SA_AIV, NULL, 0), ACL_ERROR_INVALID_PARAM);
    fails(sa_stream_launch(NULL, nothing, "k", 65536, SA_AIV, NULL, 0), ACL_ERROR_INVALID_PARAM);
    fails(sa_stream_launch(NULL, nothing, "k", 1, (sa_core_type)5, NULL, 0),
          ACL_ERROR_INVALID_PARAM);
    fails(sa_stream_launch(NULL, nothing, "k", 1, SA_AIV, NULL, 8), ACL_ERROR_INVALID_PARAM);
    fails(sa_stream_launch(NULL, nothing, "k", 1, SA_AIV, &value, SIZE_MAX),
          ACL_ERROR_INVALID_PARAM);
    fails(sa_stream_launch(handle, nothing, "k", 1, SA_AIV, NULL, 0), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtBinaryLoadFromFile("k.o", NULL, &handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    fails(aclrtBinaryLoadFromFile(NULL, NULL, &handle), ACL_ERROR_INVALID_PARAM);
    fails(aclrtBinaryGetFunction(handle, "k", &handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    fails(aclrtBinaryUnLoad(handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    fails(aclrtLaunchKernel(handle, 1, &value, 4, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    fails(aclrtLaunchKernel(NULL, 1, &value, 4, NULL), ACL_ERROR_INVALID_PARAM);
    ok(sa_stream_launch(NULL, nothing, NULL, 1, SA_AIV, NULL, 0));
    ok(aclrtSynchronizeStream(NULL));
}

/* The failure is answered at synchronisations until new work comes after it was answered; work
 * behind the failed kernel still runs, unless the stream stops on failure. */
static void failures(void **state)
{
    (void)state;
    static const struct {
        sa_kernel kernel;
        int code;
        const char *text;
    } cases[] = {{break_down, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "UB"},
                 {give_up, ACL_ERROR_RT_AICORE_TIMEOUT, "kernel gave up on purpose"}};
    aclrtStream stream, other;
    char to[8];
    for (int lazy = 0; lazy < 2; lazy++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            int code = cases[i].code;
            ok(aclrtCreateStreamWithConfig(&stream, 0, lazy ? ACL_STREAM_FAST_SYNC : 0));
            ok(aclrtCreateStream(&other));
            memset(to, 0, sizeof to);
            ok(sa_stream_launch(stream, cases[i].kernel, "broken", 3, SA_AIV, &code, sizeof code));
            ok(aclrtMemsetAsync(to, 7, 'x', 7, stream));
            fails(aclrtSynchronizeStream(stream), code);
            assert_string_equal(to, "xxxxxxx");
            assert_int_equal(aclrtSynchronizeStreamWithTimeout(stream, 60000), code);
            const char *text = aclGetRecentErrMsg();
            assert_non_null(text);
            if (!strstr(text, cases[i].text))
                fail_msg("the text does not say \"%s\": %s", cases[i].text, text);
            fails(aclrtSynchronizeDevice(), code);
            ok(aclrtSynchronizeStream(other)); /* another stream is well */
            ok(sa_stream_launch(stream, nothing, "well", 1, SA_AIV, NULL, 0));
            ok(aclrtSynchronizeStream(stream));

            ok(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
            memset(to, 0, sizeof to);
            ok(sa_stream_launch(stream, cases[i].kernel, "broken", 1, SA_AIV, &code, sizeof code));
            ok(aclrtMemsetAsync(to, 7, 'x', 7, stream));
            fails(aclrtSynchronizeStream(stream), code);
            ok(aclrtMemsetAsync(to, 7, 'x', 7, stream));
            fails(aclrtSynchronizeStream(stream), code);
            assert_string_equal(to, "");
            ok(aclrtStreamAbort(stream));
            ok(aclrtMemsetAsync(to, 7, 'x', 7, stream));
            ok(aclrtSynchronizeStream(stream));
            assert_string_equal(to, "xxxxxxx");
            ok(aclrtDestroyStream(other));
            ok(aclrtDestroyStream(stream));
        }
}

static void forever(sa_core *core, void *args)
{
    char *ub = sa_alloc(core, SA_UB, 64);
    for (;;)
        sa_copy_in(core, ub, args, 64);
}

/* A kernel without end is stopped by the limit, or by an abort. */
static void limits(void **state)
{
    (void)state;
    char args[64] = {0};
    aclrtStream stream;
    for (int lazy = 0; lazy < 2; lazy++) {
        ok(aclrtCreateStreamWithConfig(&stream, 0, lazy ? ACL_STREAM_FAST_SYNC : 0));
        ok(aclrtSetOpExecuteTimeOutWithMs(30));
        ok(sa_stream_launch(stream, forever, "forever", 1, SA_AIV, args, sizeof args));
        fails(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_TIMEOUT);
        ok(sa_stream_launch(stream, nothing, "nothing", 1, SA_AIV, NULL, 0));
        ok(aclrtSynchronizeStream(stream));
        ok(aclrtSetOpExecuteTimeOut(0));
        ok(sa_stream_launch(stream, forever, "forever", 1, SA_AIV, args, sizeof args));
        fails(aclrtSynchronizeStreamWithTimeout(stream, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        ok(aclrtStreamAbort(stream));
        ok(sa_stream_launch(stream, nothing, "nothing", 1, SA_AIV, NULL, 0));
        ok(aclrtSynchronizeStream(stream));
        ok(aclrtDestroyStream(stream));
    }
}

/* Enqueue and synchronise an empty kernel: printed, for the bench to be compared with. */
static void cost(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct timespec a, b;
    aclrtStream stream;
    char args[200] = {0};
    ok(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_SYNC));
    for (int round = 0; round < 2; round++) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < N; i++) {
            if (sa_stream_launch(stream, nothing, "nothing", 1, SA_AIV, args, sizeof args) ||
                aclrtSynchronizeStream(stream))
                fail();
        }
        clock_gettime(CLOCK_MONOTONIC, &b);
    }
    print_message("enqueue and synchronise an empty kernel: %.0f ns\n",
                  ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / N);
    ok(aclrtDestroyStream(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_arguments),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(failures),
        cmocka_unit_test(limits),
        cmocka_unit_test(cost),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
