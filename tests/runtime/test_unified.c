/* Unified memory: one allocation on both sides, its life, prefetching, wrong use. */
#include "fixture.h"

#include "softascend/unified.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HUGE ACL_MEM_MALLOC_HUGE_FIRST

static void double_all(sa_core *core, void *args)
{
    (void)core;
    int *p = *(int **)args;
    for (int i = 0; i < 1000; i++)
        p[i] *= 2;
}

/* What one side writes the other reads, without a copy; copies take it for either side. */
static void both_sides(void **state)
{
    (void)state;
    int *p, host[1000];
    bool shared;
    int32_t device;
    ok(sa_unified_allocate_shared((void **)&p, sizeof host));
    assert_int_equal((uintptr_t)p % 512, 0);
    ok(sa_unified_query(p + 7, &shared, &device));
    assert_true(shared);
    assert_int_equal(device, 0);
    for (int i = 0; i < 1000; i++)
        p[i] = i;
    ok(sa_unified_prefetch_to_device(p, sizeof host, NULL));
    ok(sa_stream_launch(NULL, double_all, "double", 1, SA_AIV, &p, sizeof p));
    ok(sa_unified_prefetch_to_host(p, sizeof host, NULL));
    ok(aclrtSynchronizeStream(NULL));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(p[i], 2 * i);
    ok(aclrtMemcpy(host, sizeof host, p, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST));
    ok(aclrtMemcpy(p, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE));
    ok(aclrtMemcpy(host, sizeof host, p, sizeof host, ACL_MEMCPY_HOST_TO_HOST));
    assert_int_equal(host[999], 1998);
    fails(aclrtMemcpy(host, sizeof host, p + 1, sizeof host, ACL_MEMCPY_HOST_TO_HOST),
          ACL_ERROR_INVALID_PARAM); /* runs past the allocation */
    ok(sa_unified_free(p));
}

/* A prefetch commits the pages that nobody has touched, of its own range alone. */
static void commits_pages(void **state)
{
    (void)state;
    enum { PAGE = 4096, PAGES = 2048 };
    unsigned char resident[PAGES];
    char *p;
    ok(sa_unified_allocate_shared((void **)&p, (size_t)PAGE * PAGES));
    madvise(p, (size_t)PAGE * PAGES, MADV_NOHUGEPAGE);
    ok(sa_unified_prefetch_to_device(p + (size_t)PAGE * 1024, (size_t)PAGE * 512, NULL));
    ok(aclrtSynchronizeStream(NULL));
    assert_int_equal(mincore(p, (size_t)PAGE * PAGES, resident), 0);
    int in = 0, out = 0;
    for (int i = 0; i < PAGES; i++)
        *(i >= 1024 && i < 1536 ? &in : &out) += resident[i] & 1;
    assert_int_equal(out, 0);
    assert_int_equal(in, 512);
    ok(sa_unified_free(p));
}

static void wrong_use(void **state)
{
    (void)state;
    char *p, *device, local;
    void *none;
    bool shared = true;
    int32_t of = 0;
    fails(sa_unified_allocate_shared(NULL, 8), ACL_ERROR_INVALID_PARAM);
    fails(sa_unified_allocate_shared(&none, 0), ACL_ERROR_INVALID_PARAM);
    fails(sa_unified_allocate_shared(&none, SIZE_MAX), ACL_ERROR_INVALID_PARAM);
    fails(sa_unified_allocate_shared(&none, (size_t)2 << 30),
          ACL_ERROR_RT_MEMORY_ALLOCATION); /* of 1 GiB */
    fails(sa_unified_free(NULL), ACL_ERROR_INVALID_PARAM);
    fails(sa_unified_free(&local), ACL_ERROR_RT_PARAM_INVALID);
    fails(sa_unified_query(NULL, &shared, NULL), ACL_ERROR_INVALID_PARAM);
    fails(sa_unified_query(&local, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    ok(sa_unified_query(&local, &shared, &of));
    assert_false(shared);
    assert_int_equal(of, -1);

    ok(aclrtMalloc((void **)&device, 64, HUGE));
    fails(sa_unified_free(device), ACL_ERROR_RT_PARAM_INVALID);
    fails(sa_unified_prefetch_to_device(device, 64, NULL), ACL_ERROR_RT_PARAM_INVALID);
    ok(sa_unified_query(device, &shared, NULL));
    assert_false(shared);
    ok(aclrtFree(device));

    ok(sa_unified_allocate_shared((void **)&p, 4096));
    fails(aclrtFree(p), ACL_ERROR_RT_PARAM_INVALID);
    fails(aclrtFreeHost(p), ACL_ERROR_RT_PARAM_INVALID);
    fails(sa_unified_free(p + 64), ACL_ERROR_RT_PARAM_INVALID);
    fails(sa_unified_prefetch_to_device(NULL, 1, NULL), ACL_ERROR_INVALID_PARAM);
    fails(sa_unified_prefetch_to_device(p, 0, NULL), ACL_ERROR_INVALID_PARAM);
    fails(sa_unified_prefetch_to_device(p, 4097, NULL), ACL_ERROR_INVALID_PARAM);
    fails(sa_unified_prefetch_to_host(p + 1, 4096, NULL), ACL_ERROR_INVALID_PARAM);
    fails(sa_unified_prefetch_to_host(p, 1, p), ACL_ERROR_RT_INVALID_HANDLE); /* no stream */
    ok(sa_unified_free(p));
    fails(sa_unified_free(p), ACL_ERROR_RT_PARAM_INVALID);
    fails(sa_unified_prefetch_to_device(p, 1, NULL), ACL_ERROR_RT_PARAM_INVALID);
}

/* The memory goes before the prefetch runs: nothing happens. */
static void freed_meanwhile(void **state)
{
    (void)state;
    aclrtStream lazy;
    char *p;
    ok(aclrtCreateStreamWithConfig(&lazy, 0, ACL_STREAM_FAST_SYNC));
    ok(sa_unified_allocate_shared((void **)&p, 8 * MIB));
    ok(sa_unified_prefetch_to_device(p, 8 * MIB, lazy));
    ok(sa_unified_free(p));
    ok(aclrtSynchronizeStream(lazy));
    ok(aclrtDestroyStream(lazy));
}

static void *use_much(void *seed)
{
    ok(aclrtSetDevice(1));
    for (int i = 0; i < 200; i++) {
        size_t bytes = (size_t)(1 + (i * 37 + *(int *)seed) % 50) * 10000;
        unsigned char *p;
        ok(sa_unified_allocate_shared((void **)&p, bytes));
        ok(sa_unified_prefetch_to_device(p, bytes, NULL));
        memset(p, *(int *)seed, bytes);
        ok(aclrtSynchronizeStream(NULL));
        assert_int_equal(p[0], *(int *)seed);
        assert_int_equal(p[bytes - 1], *(int *)seed);
        ok(sa_unified_free(p));
    }
    ok(aclrtResetDevice(1));
    return NULL;
}

static void threads(void **state)
{
    (void)state;
    pthread_t thread[4];
    int seed[4] = {1, 2, 3, 4};
    size_t before, after, total;
    ok(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, use_much, &seed[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    ok(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    assert_int_equal(before, after);
}

/* The child has its own copy of the bytes and no runtime. */
static void after_fork(void **state)
{
    (void)state;
    char *p;
    ok(sa_unified_allocate_shared((void **)&p, 64));
    *p = 1;
    pid_t child = fork();
    if (child == 0) {
        void *more;
        bool good = *p == 1 && sa_unified_allocate_shared(&more, 64) == ACL_ERROR_UNINITIALIZE &&
                    sa_unified_prefetch_to_device(p, 64, NULL) == ACL_ERROR_UNINITIALIZE &&
                    sa_unified_free(p) == ACL_ERROR_UNINITIALIZE;
        *p = 2;
        _exit(good ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(*p, 1);
    ok(sa_unified_free(p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides), cmocka_unit_test(commits_pages),
        cmocka_unit_test(wrong_use),  cmocka_unit_test(freed_meanwhile),
        cmocka_unit_test(threads),    cmocka_unit_test(after_fork),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
