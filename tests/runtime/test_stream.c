/* Streams: order, overlap, codes, time-outs, failures, and how many there may be. */
#include "fixture.h"

static aclrtStream new_stream(uint32_t flags)
{
    aclrtStream stream;
    ok(aclrtCreateStreamWithConfig(&stream, 0, flags));
    return stream;
}

static const uint32_t kinds[] = {0, ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC,
                                 ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC};

static void bad_arguments(void **state)
{
    (void)state;
    aclrtStream stream;
    aclrtStreamStatus status;
    int32_t id;
    fails(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtCreateStreamWithConfig(&stream, 8, 0), ACL_ERROR_INVALID_PARAM);
    fails(aclrtCreateStreamWithConfig(&stream, 0, 0x80), ACL_ERROR_INVALID_PARAM);
    fails(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtDestroyStreamForce(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtSynchronizeStreamWithTimeout(NULL, -2), ACL_ERROR_INVALID_PARAM);
    fails(aclrtSynchronizeDeviceWithTimeout(-2), ACL_ERROR_INVALID_PARAM);
    fails(aclrtStreamQuery(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtStreamGetId(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtSetStreamFailureMode(NULL, 2), ACL_ERROR_INVALID_PARAM);
    ok(aclrtCreateStream(&stream));
    ok(aclrtStreamGetId(stream, &id));
    ok(aclrtStreamQuery(stream, &status));
    assert_int_equal(status, ACL_STREAM_STATUS_COMPLETE);
    ok(aclrtDestroyStream(stream));
    fails(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtDestroyStreamForce(stream), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtStreamQuery(stream, &status), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtStreamAbort(stream), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtMemsetAsync(&id, 4, 0, 4, stream), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtLaunchHostFunc(stream, free, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtSynchronizeStream((aclrtStream)(uintptr_t)0xdeadbeef), ACL_ERROR_RT_INVALID_HANDLE);
}

typedef struct step {
    int *counter, place;
} step;

static void take_step(void *data)
{
    step *s = data;
    s->place = (*s->counter)++;
}

static void in_order(void **state)
{
    (void)state;
    enum { N = 1000 };
    static step steps[N];
    for (size_t k = 0; k < 4; k++) {
        int counter = 0;
        aclrtStream stream = new_stream(kinds[k]);
        for (int i = 0; i < N; i++) {
            steps[i] = (step){&counter, -1};
            ok(aclrtLaunchHostFunc(stream, take_step, &steps[i]));
        }
        ok(aclrtSynchronizeStream(stream));
        for (int i = 0; i < N; i++)
            assert_int_equal(steps[i].place, i);
        ok(aclrtDestroyStream(stream));
    }
}

/* A stream that stands still does not hold up another one: a copy on the second ends while the
 * first is in the middle of its work. */
static void overlap(void **state)
{
    (void)state;
    char from[64] = "across", to[64] = "";
    aclrtStreamStatus status;
    aclrtStream busy = new_stream(0), copying = new_stream(0);
    gate g = {0};
    ok(aclrtLaunchHostFunc(busy, pass_gate, &g));
    wait_for(&g.reached);
    ok(aclrtMemcpyAsync(to, 64, from, 64, ACL_MEMCPY_HOST_TO_HOST, copying));
    do { /* nobody synchronises: the dispatchers do it */
        ok(aclrtStreamQuery(copying, &status));
        sleep_ms(1);
    } while (status != ACL_STREAM_STATUS_COMPLETE);
    assert_string_equal(to, "across");
    ok(aclrtStreamQuery(busy, &status));
    assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
    atomic_store(&g.open, 1);
    ok(aclrtSynchronizeStream(busy));
    ok(aclrtDestroyStream(busy));
    ok(aclrtDestroyStream(copying));
}

/* A lazy stream begins when somebody looks. */
static void lazy(void **state)
{
    (void)state;
    char to[8] = "";
    aclrtStreamStatus status;
    aclrtStream stream = new_stream(ACL_STREAM_FAST_SYNC);
    ok(aclrtMemsetAsync(to, 7, 'x', 7, stream));
    sleep_ms(20);
    assert_string_equal(to, "");
    do {
        ok(aclrtStreamQuery(stream, &status));
        sleep_ms(1);
    } while (status != ACL_STREAM_STATUS_COMPLETE);
    assert_string_equal(to, "xxxxxxx");
    ok(aclrtMemsetAsync(to, 7, 'y', 7, stream));
    ok(aclrtSynchronizeStreamWithTimeout(stream, 60000));
    assert_string_equal(to, "yyyyyyy");
    for (int i = 0; i < 5000; i++) /* a queue that grows long is started */
        ok(aclrtMemsetAsync(to, 7, 'a' + i % 26, 7, stream));
    ok(aclrtSynchronizeDevice());
    assert_int_equal(to[0], 'a' + 4999 % 26);
    ok(aclrtMemsetAsync(to, 7, 'z', 7, stream));
    ok(aclrtDestroyStream(stream)); /* waits */
    assert_string_equal(to, "zzzzzzz");
}

static void timeouts(void **state)
{
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        aclrtStream stream = new_stream(kinds[k]);
        gate g = {0};
        ok(aclrtLaunchHostFunc(stream, pass_gate, &g));
        fails(aclrtSynchronizeStreamWithTimeout(stream, 0), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        fails(aclrtSynchronizeStreamWithTimeout(stream, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        fails(aclrtSynchronizeDeviceWithTimeout(5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        atomic_store(&g.open, 1);
        ok(aclrtSynchronizeStreamWithTimeout(stream, 60000));
        ok(aclrtSynchronizeStreamWithTimeout(stream, -1));
        ok(aclrtDestroyStream(stream));
    }
}

static void *open_later(void *data)
{
    sleep_ms(20);
    atomic_store(&((gate *)data)->open, 1);
    return NULL;
}

/* What has begun is waited for; the rest never happens, and a stream that lives on is as new. */
static void abort_and_force(void **state)
{
    (void)state;
    for (int force = 0; force < 2; force++)
        for (int lazy_one = 0; lazy_one < 2; lazy_one++) {
            char to[8] = "";
            gate g = {0};
            pthread_t opener;
            aclrtStream stream = new_stream(lazy_one ? ACL_STREAM_FAST_SYNC : 0);
            ok(aclrtLaunchHostFunc(stream, pass_gate, &g));
            for (int i = 0; i < 100; i++)
                ok(aclrtMemsetAsync(to, 7, 'x', 7, stream));
            wait_for(&g.reached);
            assert_int_equal(pthread_create(&opener, NULL, open_later, &g), 0);
            ok(force ? aclrtDestroyStreamForce(stream) : aclrtStreamAbort(stream));
            assert_int_equal(atomic_load(&g.open), 1);
            assert_string_equal(to, "");
            pthread_join(opener, NULL);
            if (force) {
                fails(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
                continue;
            }
            ok(aclrtMemsetAsync(to, 7, 'z', 7, stream));
            ok(aclrtSynchronizeStream(stream));
            assert_string_equal(to, "zzzzzzz");
            ok(aclrtDestroyStream(stream));
        }
}

static void add_one(void *data)
{
    atomic_fetch_add((atomic_int *)data, 1);
}

static void thousand(void **state)
{
    (void)state;
    enum { STREAMS = 1000 };
    static aclrtStream streams[STREAMS];
    atomic_int count = 0;
    for (int i = 0; i < STREAMS; i++)
        streams[i] = new_stream(i % 2 ? ACL_STREAM_FAST_SYNC : 0);
    for (int round = 0; round < 5; round++)
        for (int i = 0; i < STREAMS; i++)
            ok(aclrtLaunchHostFunc(streams[i], add_one, &count));
    ok(aclrtSynchronizeDevice());
    assert_int_equal(count, 5 * STREAMS);
    for (int i = 0; i < STREAMS; i++)
        ok(aclrtDestroyStream(streams[i]));
    for (int i = 0; i < STREAMS; i++)
        fails(aclrtDestroyStream(streams[i]), ACL_ERROR_RT_INVALID_HANDLE);
}

static aclrtStream inside_stream;
static aclError inside_codes[3];

static void call_from_inside(void *unused)
{
    (void)unused;
    aclError code = aclrtSetDevice(0);
    inside_codes[0] = code ? code : aclrtSynchronizeStream(inside_stream);
    inside_codes[1] = aclrtDestroyStream(inside_stream);
    inside_codes[2] = aclrtResetDevice(0);
}

/* A host function that waits for its own stream is told so. */
static void inside(void **state)
{
    (void)state;
    inside_stream = new_stream(0);
    ok(aclrtLaunchHostFunc(inside_stream, call_from_inside, NULL));
    ok(aclrtSynchronizeStream(inside_stream));
    for (int i = 0; i < 3; i++)
        assert_int_equal(inside_codes[i], ACL_ERROR_RT_PARAM_INVALID);
    ok(aclrtResetDevice(0)); /* what the function set */
    ok(aclrtDestroyStream(inside_stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments), cmocka_unit_test(in_order),
        cmocka_unit_test(overlap),       cmocka_unit_test(lazy),
        cmocka_unit_test(timeouts),      cmocka_unit_test(abort_and_force),
        cmocka_unit_test(thousand),      cmocka_unit_test(inside),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
