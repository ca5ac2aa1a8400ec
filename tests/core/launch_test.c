/* Launches: any number of blocks on any number of threads; sync_all; deadlock; faults. */
#define _GNU_SOURCE
#include "core/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

typedef struct counts {
    atomic_uint ran, wrong;
    atomic_uint seen[1000];
} counts;

static void count(sa_core *core, void *args)
{
    counts *c = args;
    atomic_fetch_add(&c->ran, 1);
    atomic_fetch_add(&c->seen[sa_block_idx(core)], 1);
    if (sa_self() != core)
        atomic_fetch_add(&c->wrong, 1);
}

static void run_blocks(uint32_t blocks)
{
    counts c = {0};
    sa_error error = {0};
    sa_launch launch = {
        .kernel = count, .name = "count", .args = &c, .blocks = blocks, .type = SA_AIV};
    assert_int_equal(sa_launch_run(&launch, &error), SA_OK);
    assert_int_equal(c.ran, blocks);
    assert_int_equal(c.wrong, 0);
    for (uint32_t i = 0; i < blocks; i++)
        assert_int_equal(c.seen[i], 1);
    assert_null(sa_self());
}

static void every_block_runs_once(void **state)
{
    (void)state;
    static const uint32_t cases[] = {1, 2, 3, 47, 1000};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int repeat = 0; repeat < 20; repeat++)
            run_blocks(cases[i]);
}

static void *many_launches(void *unused)
{
    for (int i = 0; i < 200; i++)
        run_blocks(1 + (uint32_t)i % 7);
    return unused;
}

static void launches_from_eight_threads(void **state)
{
    (void)state;
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_launches, NULL), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

/* Each block writes its own, waits, and reads its neighbour's. */
typedef struct ring {
    uint32_t rounds;
    uint32_t value[300]; /* plain: sync_all orders the accesses */
    atomic_uint wrong;
} ring;

static void neighbours(sa_core *core, void *args)
{
    ring *r = args;
    uint32_t i = sa_block_idx(core), n = sa_block_num(core);
    float *mine = sa_alloc(core, SA_UB, 4096);
    for (uint32_t round = 1; round <= r->rounds; round++) {
        sa_set(core, SA_F32, mine, 5, i * 1000.0 + round);
        r->value[i] = i + round;
        sa_sync_all(core);
        uint32_t j = (i + 1) % n;
        if (r->value[j] != j + round || sa_get(core, SA_F32, mine, 5) != i * 1000.0 + round)
            atomic_fetch_add(&r->wrong, 1);
        sa_sync_all(core);
    }
}

static void blocks_meet(void **state)
{
    (void)state;
    static const uint32_t cases[] = {1, 2, 3, 100, 300};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ring r = {.rounds = 20};
        sa_error error = {0};
        sa_launch launch = {.kernel = neighbours,
                            .name = "neighbours",
                            .args = &r,
                            .blocks = cases[i],
                            .type = SA_AIV};
        assert_int_equal(sa_launch_run(&launch, &error), SA_OK);
        assert_int_equal(r.wrong, 0);
    }
}

static void one_stays_away(sa_core *core, void *args)
{
    (void)args;
    if (sa_block_idx(core) != 2)
        sa_sync_all(core);
}

static void deadlock_is_named(void **state)
{
    (void)state;
    sa_error error = {0};
    sa_launch launch = {.kernel = one_stays_away, .blocks = 4, .type = SA_AIV};
    assert_int_equal(sa_launch_run(&launch, &error), SA_ERR_VECTOR_EXCEPTION);
    assert_non_null(strstr(error.message, "deadlock in SyncAll"));
    assert_non_null(strstr(error.message, "3 wait (block 0, 1, 3)"));
    assert_non_null(strstr(error.message, "1 ended without it (block 2)"));
}

typedef struct meeting {
    int cpu; /* of the thread that launches */
    pthread_t owner;
    atomic_uint came, helpers, beside;
} meeting;

static void meet(sa_core *core, void *args)
{
    (void)core;
    meeting *m = args;
    time_t end = time(NULL) + 2;
    atomic_fetch_add(&m->came, 1);
    while (atomic_load(&m->came) < 2 && time(NULL) < end)
        sched_yield();
    if (pthread_equal(pthread_self(), m->owner))
        return;
    cpu_set_t mine;
    assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
    atomic_fetch_add(CPU_ISSET(m->cpu, &mine) ? &m->beside : &m->helpers, 1);
}

static void workers_keep_off_the_launching_cpu(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    if (sa_launch_threads() < 2 || CPU_COUNT(&before) < 2)
        skip();
    run_blocks(100); /* so that workers are there */
    for (int cpu = 0, tried = 0; cpu < CPU_SETSIZE && tried < 2; cpu++) {
        if (!CPU_ISSET(cpu, &before))
            continue;
        tried++;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
        meeting m = {.cpu = cpu, .owner = pthread_self()};
        sa_error error = {0};
        /* a name of its own: a launch that was quick before gets no help */
        sa_launch launch = {.kernel = meet,
                            .name = tried == 1 ? "meet" : "meet again",
                            .args = &m,
                            .blocks = 2,
                            .type = SA_AIV};
        assert_int_equal(sa_launch_run(&launch, &error), SA_OK);
        assert_int_equal(m.helpers, 1);
        assert_int_equal(m.beside, 0);
    }
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_runs_once),
        cmocka_unit_test(launches_from_eight_threads),
        cmocka_unit_test(blocks_meet),
        cmocka_unit_test(deadlock_is_named),
        cmocka_unit_test(workers_keep_off_the_launching_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
