/* Callbacks: who processes them, blocking and not, and codes. */
#include "fixture.h"

static void bad_arguments(void **state)
{
    (void)state;
    uint64_t self = (uint64_t)pthread_self();
    aclrtStream stream;
    ok(aclrtCreateStream(&stream));
    fails(aclrtLaunchCallback(free, NULL, ACL_CALLBACK_BLOCK, stream),
          ACL_ERROR_RT_STREAM_NO_CB_REG);
    fails(aclrtUnSubscribeReport(self, stream), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    fails(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    ok(aclrtSubscribeReport(self, stream));
    fails(aclrtSubscribeReport(self, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    fails(aclrtUnSubscribeReport(self + 1, stream), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    fails(aclrtLaunchCallback(NULL, NULL, ACL_CALLBACK_BLOCK, stream), ACL_ERROR_INVALID_PARAM);
    fails(aclrtLaunchCallback(free, NULL, (aclrtCallbackBlockType)9, stream),
          ACL_ERROR_INVALID_PARAM);
    fails(aclrtLaunchHostFunc(stream, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtProcessReport(0), ACL_ERROR_INVALID_PARAM);
    fails(aclrtProcessReport(-2), ACL_ERROR_INVALID_PARAM);
    fails(aclrtProcessReport(5), ACL_ERROR_RT_REPORT_TIMEOUT);
    ok(aclrtUnSubscribeReport(self, stream));
    fails(aclrtProcessReport(5), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    ok(aclrtDestroyStream(stream));
    fails(aclrtSubscribeReport(self, stream), ACL_ERROR_RT_INVALID_HANDLE);
}

typedef struct listener {
    pthread_t thread;
    atomic_int stop, ran;
    pthread_t on; /* where the latest callback ran */
} listener;

static void *listen(void *data)
{
    listener *l = data;
    while (!atomic_load(&l->stop))
        (void)aclrtProcessReport(10); /* times out, or is not subscribed yet */
    return NULL;
}

static void called(void *data)
{
    listener *l = data;
    l->on = pthread_self();
    atomic_fetch_add(&l->ran, 1);
}

static void other_thread(void **state)
{
    (void)state;
    enum { CALLS = 50 };
    for (int lazy = 0; lazy < 2; lazy++) {
        listener l = {0};
        aclrtStream stream;
        ok(aclrtCreateStreamWithConfig(&stream, 0, lazy ? ACL_STREAM_FAST_SYNC : 0));
        assert_int_equal(pthread_create(&l.thread, NULL, listen, &l), 0);
        ok(aclrtSubscribeReport((uint64_t)l.thread, stream));
        for (int i = 1; i <= CALLS; i++) {
            ok(aclrtLaunchCallback(called, &l, ACL_CALLBACK_BLOCK, stream));
            if (i % 5)
                continue;
            ok(aclrtSynchronizeStream(stream)); /* waits for the callbacks */
            assert_int_equal(atomic_load(&l.ran), i);
            assert_true(pthread_equal(l.on, l.thread));
        }
        for (int i = 0; i < CALLS; i++)
            ok(aclrtLaunchCallback(called, &l, ACL_CALLBACK_NO_BLOCK, stream));
        while (atomic_load(&l.ran) < 2 * CALLS)
            sleep_ms(1);
        ok(aclrtUnSubscribeReport((uint64_t)l.thread, stream));
        atomic_store(&l.stop, 1);
        pthread_join(l.thread, NULL);
        ok(aclrtDestroyStream(stream));
    }
}

/* A blocking callback holds the stream until it has returned. */
static void blocks_the_stream(void **state)
{
    (void)state;
    listener l = {0};
    char to[8] = "";
    aclrtStreamStatus status;
    aclrtStream stream;
    ok(aclrtCreateStream(&stream));
    ok(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
    ok(aclrtLaunchCallback(called, &l, ACL_CALLBACK_BLOCK, stream));
    ok(aclrtMemsetAsync(to, 7, 'x', 7, stream));
    fails(aclrtSynchronizeStreamWithTimeout(stream, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_string_equal(to, "");
    ok(aclrtProcessReport(-1));
    assert_int_equal(l.ran, 1);
    do {
        ok(aclrtStreamQuery(stream, &status));
        sleep_ms(1);
    } while (status != ACL_STREAM_STATUS_COMPLETE);
    assert_string_equal(to, "xxxxxxx");
    /* Without anybody left to process it a callback is dropped, and the stream goes on. */
    gate g = {0};
    ok(aclrtLaunchHostFunc(stream, pass_gate, &g));
    ok(aclrtLaunchCallback(called, &l, ACL_CALLBACK_BLOCK, stream));
    ok(aclrtUnSubscribeReport((uint64_t)pthread_self(), stream));
    atomic_store(&g.open, 1);
    ok(aclrtSynchronizeStream(stream));
    assert_int_equal(l.ran, 1);
    ok(aclrtDestroyStream(stream));
}

/* A stream whose callback nobody processes can be aborted. */
static void aborted(void **state)
{
    (void)state;
    listener l = {0};
    aclrtStream stream;
    ok(aclrtCreateStream(&stream));
    ok(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
    for (int i = 0; i < 3; i++)
        ok(aclrtLaunchCallback(called, &l, ACL_CALLBACK_BLOCK, stream));
    fails(aclrtSynchronizeStreamWithTimeout(stream, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    ok(aclrtStreamAbort(stream));
    ok(aclrtSynchronizeStream(stream));
    ok(aclrtProcessReport(1)); /* the one that was handed out */
    ok(aclrtDestroyStreamForce(stream));
    fails(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(other_thread),
        cmocka_unit_test(blocks_the_stream),
        cmocka_unit_test(aborted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
