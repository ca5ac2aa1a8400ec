/* Eight threads, each with a context, do everything at once; and one default context that many
 * threads share. */
#include "fixture.h"

#include "softascend/core.h"

enum { THREADS = 8, ROUNDS = 40, CELLS = 256 };

static void copy_block(sa_core *core, void *args)
{
    char **a = args;
    char *ub = sa_alloc(core, SA_UB, CELLS);
    sa_copy_in(core, ub, a[1], CELLS);
    sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE3, 0);
    sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE3, 0);
    sa_copy_out(core, a[0], ub, CELLS);
}

/* host -> device -> (kernel, on a second stream) -> device -> host */
static int one_round(aclrtStream streams[2], int seed)
{
    unsigned char in[CELLS], out[CELLS] = {0};
    void *a[2] = {NULL, NULL};
    aclrtEvent event = NULL;
    int bad = 0;
    for (int i = 0; i < CELLS; i++)
        in[i] = (unsigned char)(seed * 7 + i);
    bad |= aclrtMalloc(&a[0], CELLS, ACL_MEM_MALLOC_HUGE_FIRST);
    bad |= aclrtMalloc(&a[1], CELLS, ACL_MEM_MALLOC_HUGE_FIRST);
    bad |= aclrtCreateEvent(&event);
    bad |= aclrtMemcpyAsync(a[1], CELLS, in, CELLS, ACL_MEMCPY_HOST_TO_DEVICE, streams[0]);
    bad |= aclrtRecordEvent(event, streams[0]);
    bad |= aclrtStreamWaitEvent(streams[1], event);
    bad |= sa_stream_launch(streams[1], copy_block, "copy_block", 1, SA_AIV, a, sizeof a);
    bad |= aclrtMemcpyAsync(out, CELLS, a[0], CELLS, ACL_MEMCPY_DEVICE_TO_HOST, streams[1]);
    bad |= aclrtSynchronizeStream(streams[1]);
    bad |= aclrtDestroyEvent(event);
    bad |= aclrtFree(a[0]);
    bad |= aclrtFree(a[1]);
    return bad ? bad : memcmp(in, out, CELLS);
}

typedef struct worker {
    pthread_t thread;
    int number, bad;
    bool shared;
} worker;

static void *work(void *data)
{
    worker *w = data;
    aclrtContext context = NULL, current = NULL;
    aclrtStream streams[2];
    if (w->shared)
        w->bad = aclrtSetDevice(w->number % 2);
    else
        w->bad = aclrtCreateContext(&context, w->number % 2);
    if (w->bad)
        return NULL;
    for (int r = 0; r < ROUNDS && !w->bad; r++) {
        w->bad = aclrtCreateStreamWithConfig(&streams[0], 0, r % 2 ? ACL_STREAM_FAST_SYNC : 0) ||
                 aclrtCreateStreamWithConfig(&streams[1], 0, r % 3 ? ACL_STREAM_FAST_SYNC : 0) ||
                 one_round(streams, w->number * ROUNDS + r) || aclrtDestroyStream(streams[0]) ||
                 aclrtDestroyStream(streams[1]) || aclrtGetCurrentContext(&current) ||
                 (context && current != context);
    }
    w->bad |= w->shared ? aclrtResetDevice(w->number % 2) : aclrtDestroyContext(context);
    return NULL;
}

static void all_at_once(bool shared)
{
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.number = i, .shared = shared};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].bad, 0);
    }
}

static void own_contexts(void **state)
{
    (void)state;
    all_at_once(false);
}

static void shared_devices(void **state)
{
    (void)state;
    all_at_once(true);
}

typedef struct adder {
    pthread_t thread;
    aclrtContext context;
    aclrtStream stream;
    int bad;
} adder;

static int total; /* changed in the stream's order alone */

static void add_one(void *unused)
{
    (void)unused;
    total++;
}

static void *add(void *data)
{
    adder *a = data;
    a->bad = aclrtSetCurrentContext(a->context);
    for (int i = 0; i < 200; i++)
        a->bad |= aclrtLaunchHostFunc(a->stream, add_one, NULL) ||
                  (i % 10 == 0 && aclrtSynchronizeStream(a->stream));
    a->bad |= aclrtSynchronizeStream(a->stream);
    return NULL;
}

/* Many threads enqueue on one stream and synchronise it: still one task at a time. */
static void one_stream(void **state)
{
    (void)state;
    adder adders[THREADS];
    aclrtContext context;
    aclrtStream stream;
    ok(aclrtGetCurrentContext(&context));
    ok(aclrtCreateStream(&stream));
    for (int i = 0; i < THREADS; i++) {
        adders[i] = (adder){.context = context, .stream = stream};
        assert_int_equal(pthread_create(&adders[i].thread, NULL, add, &adders[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(adders[i].thread, NULL);
        assert_int_equal(adders[i].bad, 0);
    }
    assert_int_equal(total, THREADS * 200);
    ok(aclrtDestroyStream(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_contexts),
        cmocka_unit_test(shared_devices),
        cmocka_unit_test(one_stream),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
