/* Events: order between streams, states, times and codes. */
#include "fixture.h"

static aclrtStream new_stream(uint32_t flags)
{
    aclrtStream stream;
    ok(aclrtCreateStreamWithConfig(&stream, 0, flags));
    return stream;
}

static aclrtEvent new_event(void)
{
    aclrtEvent event;
    ok(aclrtCreateEvent(&event));
    return event;
}

static void bad_arguments(void **state)
{
    (void)state;
    aclrtEvent event, plain;
    aclrtEventRecordedStatus status;
    float ms;
    int local;
    fails(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtCreateEventWithFlag(&event, 0), ACL_ERROR_INVALID_PARAM);
    fails(aclrtCreateEventWithFlag(&event, 0x100), ACL_ERROR_INVALID_PARAM);
    fails(aclrtDestroyEvent(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtDestroyEvent(&local), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtRecordEvent(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtStreamWaitEvent(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtSynchronizeEvent(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtQueryEventStatus(NULL, &status), ACL_ERROR_INVALID_PARAM);
    event = new_event();
    fails(aclrtQueryEventStatus(event, NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtSynchronizeEventWithTimeout(event, -2), ACL_ERROR_INVALID_PARAM);
    fails(aclrtEventElapsedTime(NULL, event, event), ACL_ERROR_INVALID_PARAM);
    fails(aclrtEventElapsedTime(&ms, event, event), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    fails(aclrtRecordEvent(event, &local), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtStreamWaitEvent(&local, event), ACL_ERROR_RT_INVALID_HANDLE);
    ok(aclrtCreateEventWithFlag(&plain, ACL_EVENT_SYNC));
    ok(aclrtRecordEvent(plain, NULL));
    ok(aclrtSynchronizeEvent(plain));
    fails(aclrtEventElapsedTime(&ms, plain, plain), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    ok(aclrtDestroyEvent(plain));
    ok(aclrtDestroyEvent(event));
    fails(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtRecordEvent(event, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtStreamWaitEvent(NULL, event), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtSynchronizeEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
}

/* Values go through a chain of streams, each step ordered by an event alone; streams of both kinds
 * in all pairs. */
static void chain(void **state)
{
    (void)state;
    enum { STREAMS = 6, ROUNDS = 100 };
    aclrtStream streams[STREAMS];
    aclrtEvent events[STREAMS];
    static int cells[STREAMS + 1];
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = new_stream(i / 2 % 2 ? ACL_STREAM_FAST_SYNC : 0);
        events[i] = new_event();
    }
    for (int round = 1; round <= ROUNDS; round++) {
        cells[0] = round;
        for (int i = 0; i < STREAMS; i++) {
            if (i)
                ok(aclrtStreamWaitEvent(streams[i], events[i - 1]));
            ok(aclrtMemcpyAsync(&cells[i + 1], 4, &cells[i], 4, ACL_MEMCPY_HOST_TO_HOST,
                                streams[i]));
            ok(aclrtRecordEvent(events[i], streams[i]));
        }
        if (round % 2)
            ok(aclrtSynchronizeEvent(events[STREAMS - 1]));
        else if (round % 4)
            ok(aclrtSynchronizeStream(streams[STREAMS - 1]));
        else
            ok(aclrtSynchronizeStreamWithTimeout(streams[STREAMS - 1], 60000));
        assert_int_equal(cells[STREAMS], round);
    }
    for (int i = 0; i < STREAMS; i++) {
        ok(aclrtDestroyEvent(events[i]));
        ok(aclrtDestroyStream(streams[i]));
    }
}

static void waits_for_the_record(void **state)
{
    (void)state;
    char to[8] = "";
    aclrtEventRecordedStatus status;
    aclrtStreamStatus stream_status;
    aclrtStream first = new_stream(0), second = new_stream(0);
    aclrtEvent event = new_event();
    gate g = {0};
    ok(aclrtStreamWaitEvent(second, event)); /* never recorded: does not wait */
    ok(aclrtSynchronizeStream(second));
    ok(aclrtSynchronizeEvent(event));
    ok(aclrtQueryEventStatus(event, &status));
    assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    ok(aclrtLaunchHostFunc(first, pass_gate, &g));
    ok(aclrtRecordEvent(event, first));
    ok(aclrtStreamWaitEvent(second, event));
    ok(aclrtMemsetAsync(to, 7, 'x', 7, second));
    wait_for(&g.reached);
    fails(aclrtSynchronizeEventWithTimeout(event, 5), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    fails(aclrtSynchronizeStreamWithTimeout(second, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    ok(aclrtStreamQuery(second, &stream_status));
    assert_int_equal(stream_status, ACL_STREAM_STATUS_NOT_READY);
    ok(aclrtQueryEventStatus(event, &status));
    assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    ok(aclrtDestroyEvent(event)); /* what waits for it still does */
    atomic_store(&g.open, 1);
    ok(aclrtSynchronizeStream(second));
    assert_string_equal(to, "xxxxxxx");
    ok(aclrtDestroyStream(first));
    ok(aclrtDestroyStream(second));
}

/* A second record does not move the goal of those who wait for the first. */
static void recorded_again(void **state)
{
    (void)state;
    aclrtStream first = new_stream(0), second = new_stream(0);
    aclrtEvent event = new_event();
    gate g = {0}, h = {0};
    ok(aclrtLaunchHostFunc(first, pass_gate, &g));
    ok(aclrtRecordEvent(event, first));
    ok(aclrtStreamWaitEvent(second, event));
    ok(aclrtLaunchHostFunc(first, pass_gate, &h));
    ok(aclrtRecordEvent(event, first));
    atomic_store(&g.open, 1);
    wait_for(&h.reached);
    ok(aclrtSynchronizeStream(second)); /* while the second record is far */
    atomic_store(&h.open, 1);
    ok(aclrtSynchronizeEvent(event));
    ok(aclrtDestroyEvent(event));
    ok(aclrtDestroyStream(first));
    ok(aclrtDestroyStream(second));
}

/* An aborted stream lets go of those who wait for its events, and of the event it waits for. */
static void aborted(void **state)
{
    (void)state;
    aclrtStream first = new_stream(0), second = new_stream(0), third = new_stream(0);
    aclrtEvent a = new_event(), b = new_event();
    gate g = {0};
    ok(aclrtLaunchHostFunc(first, pass_gate, &g));
    ok(aclrtRecordEvent(a, first));
    ok(aclrtStreamWaitEvent(second, a));
    ok(aclrtRecordEvent(b, second));
    ok(aclrtStreamWaitEvent(third, b));
    fails(aclrtSynchronizeStreamWithTimeout(third, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    ok(aclrtStreamAbort(second));
    ok(aclrtSynchronizeStream(third));
    ok(aclrtDestroyStreamForce(second));
    atomic_store(&g.open, 1);
    ok(aclrtDestroyEvent(a));
    ok(aclrtDestroyEvent(b));
    ok(aclrtDestroyStream(first));
    ok(aclrtDestroyStream(third));
}

static void nap(void *ms)
{
    sleep_ms((long)(intptr_t)ms);
}

static void times(void **state)
{
    (void)state;
    float ms;
    aclrtEventRecordedStatus status;
    aclrtStream stream = new_stream(0);
    aclrtEvent start = new_event(), end = new_event();
    ok(aclrtRecordEvent(start, stream));
    ok(aclrtLaunchHostFunc(stream, nap, (void *)10));
    ok(aclrtRecordEvent(end, stream));
    ok(aclrtSynchronizeEventWithTimeout(end, 60000));
    ok(aclrtEventElapsedTime(&ms, start, end));
    assert_true(ms >= 10 && ms < 30000);
    fails(aclrtEventElapsedTime(&ms, end, start), ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL);
    ok(aclrtQueryEventStatus(end, &status));
    assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    ok(aclrtResetEvent(end, stream));
    ok(aclrtSynchronizeStream(stream));
    ok(aclrtQueryEventStatus(end, &status));
    assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    fails(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    ok(aclrtDestroyEvent(start));
    ok(aclrtDestroyEvent(end));
    ok(aclrtDestroyStream(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(chain),
        cmocka_unit_test(waits_for_the_record),
        cmocka_unit_test(recorded_again),
        cmocka_unit_test(aborted),
        cmocka_unit_test(times),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
