/* Memory: codes, limits, alignment, both sides and all four directions. */
#include "fixture.h"

#define HUGE ACL_MEM_MALLOC_HUGE_FIRST

static void bad_arguments(void **state)
{
    (void)state;
    void *p;
    size_t n;
    int local;
    fails(aclrtMalloc(NULL, 8, HUGE), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMalloc(&p, 0, HUGE), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMalloc(&p, 8, (aclrtMemMallocPolicy)99), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMalloc(&p, SIZE_MAX, HUGE), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMalloc(&p, SIZE_MAX - 511, HUGE), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMalloc(&p, SIZE_MAX / 2, HUGE), ACL_ERROR_RT_MEMORY_ALLOCATION);
    fails(aclrtMallocAlign32(&p, 0, HUGE), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMallocCached(NULL, 1, HUGE), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMallocHost(NULL, 8), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMallocHost(&p, 0), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMallocHost(&p, SIZE_MAX), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMallocHost(&p, SIZE_MAX / 2), ACL_ERROR_RT_MEMORY_ALLOCATION);
    fails(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtFree(&local), ACL_ERROR_RT_PARAM_INVALID);
    fails(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtFreeHost(&local), ACL_ERROR_RT_PARAM_INVALID);
    fails(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &n), ACL_ERROR_INVALID_PARAM);
    fails(aclrtGetMemInfo((aclrtMemAttr)77, &n, &n), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemFlush(NULL, 1), ACL_ERROR_INVALID_PARAM);
    ok(aclrtMalloc(&p, 64, HUGE));
    ok(aclrtMemFlush(p, 64));
    ok(aclrtMemInvalidate(p, 64));
    fails(aclrtFree((char *)p + 1), ACL_ERROR_RT_PARAM_INVALID);
    fails(aclrtFreeHost(p), ACL_ERROR_RT_PARAM_INVALID); /* the other side's */
    ok(aclrtFree(p));
    fails(aclrtFree(p), ACL_ERROR_RT_PARAM_INVALID);
    ok(aclrtMallocHost(&p, 64));
    assert_int_equal((uintptr_t)p % 64, 0);
    fails(aclrtFree(p), ACL_ERROR_RT_PARAM_INVALID);
    ok(aclrtFreeHost(p));
    fails(aclrtFreeHost(p), ACL_ERROR_RT_PARAM_INVALID);
}

/* Every size is aligned to 512, can be written with the slack behind it, and overlaps no other. */
static void sizes(void **state)
{
    (void)state;
    static const size_t size[] = {1,         31,        32,          512,       513,
                                  1024,      4096,      65535,       200 * KIB, 255 * KIB,
                                  256 * KIB, 300 * KIB, 2 * MIB - 1, 2 * MIB,   5 * MIB + 7};
    enum { N = sizeof size / sizeof *size, ROUNDS = 3 };
    char *p[N][ROUNDS];
    for (int r = 0; r < ROUNDS; r++)
        for (size_t i = 0; i < N; i++) {
            ok(aclrtMalloc((void **)&p[i][r], size[i], r ? HUGE : ACL_MEM_MALLOC_NORMAL_ONLY));
            assert_int_equal((uintptr_t)p[i][r] % 512, 0);
            memset(p[i][r], (int)(i * ROUNDS + (size_t)r), size[i] + 512);
        }
    for (int r = 0; r < ROUNDS; r++)
        for (size_t i = 0; i < N; i++) {
            for (size_t k = 0; k < size[i] + 512; k += 1 + size[i] / 64)
                assert_int_equal(p[i][r][k], i * ROUNDS + (size_t)r);
            ok(aclrtFree(p[i][r]));
        }
}

static void many_blocks(void **state)
{
    (void)state;
    enum { N = 5000 };
    static void *p[N];
    size_t before, after, total;
    ok(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < N; i++)
            ok(aclrtMalloc(&p[i], 1 + i * 7 % 3000, HUGE));
        for (size_t i = 0; i < N; i++) /* in another order than taken */
            ok(aclrtFree(p[i * 1237 % N]));
    }
    ok(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    assert_int_equal(before, after);
}

/* SOFTASCEND_HBM_BYTES=1G for each device. */
static void out_of_memory(void **state)
{
    (void)state;
    void *p, *q;
    size_t free_bytes, total;
    ok(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    assert_int_equal(total, 1024 * MIB);
    assert_int_equal(free_bytes, total);
    fails(aclrtMalloc(&p, total + 1, HUGE), ACL_ERROR_RT_MEMORY_ALLOCATION);
    ok(aclrtMalloc(&p, total, HUGE)); /* committed on use: costs nothing */
    ok(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    assert_int_equal(free_bytes, 0);
    fails(aclrtMalloc(&q, 1, HUGE), ACL_ERROR_RT_MEMORY_ALLOCATION);
    aclrtMalloc(&q, 1, HUGE);
    assert_non_null(strstr(aclGetRecentErrMsg(), "device 0 is out of memory"));
    aclrtContext base, other;
    ok(aclrtGetCurrentContext(&base));
    ok(aclrtCreateContext(&other, 1)); /* the other device has its own */
    ok(aclrtMalloc(&q, 1, HUGE));
    ok(aclrtFree(q));
    ok(aclrtDestroyContext(other));
    ok(aclrtSetCurrentContext(base));
    ok(aclrtFree(p));
    ok(aclrtMalloc(&p, 1, HUGE));
    ok(aclrtFree(p));
}

/* Which pairs of sides go with which direction. */
static void directions(void **state)
{
    (void)state;
    enum { N = 4096 };
    static char host[2][N];
    char *device[2];
    static const struct {
        aclrtMemcpyKind kind;
        int dst_device, src_device;
    } good[] = {{ACL_MEMCPY_HOST_TO_HOST, 0, 0},
                {ACL_MEMCPY_HOST_TO_DEVICE, 1, 0},
                {ACL_MEMCPY_DEVICE_TO_HOST, 0, 1},
                {ACL_MEMCPY_DEVICE_TO_DEVICE, 1, 1}};
    for (int i = 0; i < 2; i++)
        ok(aclrtMalloc((void **)&device[i], N, HUGE));
    for (size_t k = 0; k < 4; k++)
        for (int to = 0; to < 2; to++)
            for (int from = 0; from < 2; from++)
                for (int how = 0; how < 4; how++) {
                    char *dst = to ? device[0] : host[0], *src = from ? device[1] : host[1];
                    aclError code;
                    memset(dst, 0, N);
                    for (int i = 0; i < N; i++)
                        src[i] = (char)(i * 31 + how);
                    if (how == 0)
                        code = aclrtMemcpy(dst, N, src, N, good[k].kind);
                    else if (how == 1)
                        code = aclrtMemcpyAsync(dst, N, src, N, good[k].kind, NULL);
                    else if (how == 2)
                        code = aclrtMemcpy2d(dst, 64, src, 64, 64, N / 64, good[k].kind);
                    else
                        code = aclrtMemcpy2dAsync(dst, 64, src, 64, 64, N / 64, good[k].kind, NULL);
                    if (to == good[k].dst_device && from == good[k].src_device) {
                        assert_int_equal(code, ACL_SUCCESS);
                        ok(aclrtSynchronizeStream(NULL));
                        assert_memory_equal(dst, src, N);
                    } else {
                        assert_int_equal(code, ACL_ERROR_RT_INVALID_MEMORY_TYPE);
                        assert_non_null(strstr(aclGetRecentErrMsg(), "the direction says"));
                    }
                }
    for (int i = 0; i < 2; i++)
        ok(aclrtFree(device[i]));
}

static void bad_copies(void **state)
{
    (void)state;
    char host[256], *p;
    const aclrtMemcpyKind in = ACL_MEMCPY_HOST_TO_DEVICE;
    ok(aclrtMalloc((void **)&p, 256, HUGE));
    fails(aclrtMemcpy(p, 255, host, 256, in), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpy(NULL, 256, host, 256, in), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpy(p, 256, NULL, 256, in), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpy(p, 256, host, 256, (aclrtMemcpyKind)4), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpy(p, 257, host, 257, in), ACL_ERROR_INVALID_PARAM); /* leaves the allocation */
    fails(aclrtMemcpy(p + 200, 57, host, 57, in), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpy(p, SIZE_MAX, host, SIZE_MAX, in), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpy(host, SIZE_MAX, host, SIZE_MAX, ACL_MEMCPY_HOST_TO_HOST),
          ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpyAsync(p, 255, host, 256, in, NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpyAsync(p, 256, host, 256, in, host), ACL_ERROR_RT_INVALID_HANDLE);
    fails(aclrtMemcpy2d(p, 16, host, 32, 17, 2, in), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpy2d(p, 32, host, 16, 17, 2, in), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpy2d(p, 16, host, 16, 0, 2, in), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpy2d(p, 16, host, 16, 16, 0, in), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpy2d(p, 16, host, 16, 16, 17, in), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemcpy2d(p, SIZE_MAX / 2, host, 16, 16, 4, in), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemset(p, 255, 0, 256), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemset(p, 257, 0, 257), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemset(NULL, 8, 0, 8), ACL_ERROR_INVALID_PARAM);
    fails(aclrtMemsetAsync(p, 255, 0, 256, NULL), ACL_ERROR_INVALID_PARAM);
    ok(aclrtMemcpy(p, 256, host, 0, in));
    ok(aclrtMemset(p, 256, 0, 0));
    ok(aclrtFree(p));
    fails(aclrtMemcpy(p, 256, host, 256, in), ACL_ERROR_RT_INVALID_MEMORY_TYPE);
}

static void values(void **state)
{
    (void)state;
    unsigned char *p, host[6 * 10];
    ok(aclrtMalloc((void **)&p, 1024, HUGE));
    ok(aclrtMemset(p, 1024, 0xab, 1024));
    ok(aclrtMemsetAsync(p + 10, 1014, 0x15, 10, NULL));
    ok(aclrtSynchronizeStream(NULL));
    for (int i = 0; i < 1024; i++)
        assert_int_equal(p[i], i >= 10 && i < 20 ? 0x15 : 0xab);
    for (int i = 0; i < 1024; i++) /* the host addresses device memory */
        p[i] = (unsigned char)i;
    memset(host, 0xff, sizeof host);
    ok(aclrtMemcpy2d(host, 10, p + 3, 100, 7, 6, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int row = 0; row < 6; row++)
        for (int k = 0; k < 10; k++)
            assert_int_equal(host[row * 10 + k], k < 7 ? (unsigned char)(3 + row * 100 + k) : 0xff);
    ok(aclrtMemcpy(p, 512, p + 1, 511, ACL_MEMCPY_DEVICE_TO_DEVICE)); /* overlapping */
    assert_int_equal(p[510], (unsigned char)511);
    ok(aclrtMemset(host, sizeof host, 7, sizeof host)); /* host memory too */
    assert_int_equal(host[59], 7);
    ok(aclrtFree(p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments), cmocka_unit_test(sizes),
        cmocka_unit_test(many_blocks),   cmocka_unit_test(out_of_memory),
        cmocka_unit_test(directions),    cmocka_unit_test(bad_copies),
        cmocka_unit_test(values),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
