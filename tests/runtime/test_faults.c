/* Fails every allocation of the runtime in turn, and thread creation and mapping with them: each
 * call then succeeds or answers a code of its own with a text, nothing crashes, and afterwards the
 * runtime works and holds no memory. */
#include "fixture.h"

#include "softascend/core.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define INTERPOSE __attribute__((visibility("default")))

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static uintptr_t library_from, library_to; /* where libascendcl.so's code is */
static atomic_long countdown;              /* the call that fails; 0: none */
static bool threads_fail;

static bool fault(void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    return at >= library_from && at < library_to && atomic_load(&countdown) > 0 &&
           atomic_fetch_sub(&countdown, 1) == 1;
}

INTERPOSE void *malloc(size_t n)
{
    return fault(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

INTERPOSE void *calloc(size_t n, size_t m)
{
    return fault(__builtin_return_address(0)) ? NULL : __libc_calloc(n, m);
}

INTERPOSE void *realloc(void *p, size_t n)
{
    return fault(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

INTERPOSE void *aligned_alloc(size_t alignment, size_t n)
{
    return fault(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, n);
}

INTERPOSE void *mmap(void *address, size_t n, int protection, int flags, int file, off_t offset)
{
    static void *(*next)(void *, size_t, int, int, int, off_t);
    if (fault(__builtin_return_address(0))) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    if (!next)
        next = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    return next(address, n, protection, flags, file, offset);
}

INTERPOSE int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                             void *(*run)(void *), void *data)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *caller = __builtin_return_address(0);
    bool inside = (uintptr_t)caller >= library_from && (uintptr_t)caller < library_to;
    if ((inside && threads_fail) || fault(caller))
        return EAGAIN;
    if (!next)
        next = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
            RTLD_NEXT, "pthread_create");
    return next(thread, attributes, run, data);
}

static int find_library(struct dl_phdr_info *info, size_t bytes, void *unused)
{
    (void)bytes, (void)unused;
    if (!strstr(info->dlpi_name, "libascendcl.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            library_from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            library_to = library_from + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

static int failures;

/* Success, or one of the codes for want of memory with its text. */
static bool went(aclError code)
{
    if (!code)
        return true;
    const char *text = aclGetRecentErrMsg();
    assert_non_null(text);
    if (code != ACL_ERROR_RT_MEMORY_ALLOCATION && code != ACL_ERROR_RT_NO_STREAM_RESOURCE &&
        code != ACL_ERROR_RT_NO_EVENT_RESOURCE)
        fail_msg("code %d: %s", code, text);
    failures++;
    return false;
}

static void nothing(sa_core *core, void *args)
{
    (void)core, (void)args;
}

static void called(void *data)
{
    ++*(int *)data;
}

static void scenario(void)
{
    enum { STREAMS = 3 };
    static char large[3000];
    aclrtContext context = NULL;
    aclrtStream streams[STREAMS] = {NULL};
    aclrtEvent event = NULL;
    void *small = NULL, *big = NULL, *host = NULL;
    uint64_t self = (uint64_t)pthread_self();
    int calls = 0;
    if (!went(aclrtCreateContext(&context, 0)))
        return;
    for (int i = 0; i < STREAMS; i++)
        if (!went(aclrtCreateStreamWithConfig(&streams[i], 0, i ? 0 : ACL_STREAM_FAST_SYNC)))
            streams[i] = NULL; /* the default stream does instead */
    bool has_event = went(aclrtCreateEvent(&event));
    bool has_small = went(aclrtMalloc(&small, 5000, ACL_MEM_MALLOC_HUGE_FIRST));
    bool has_big = went(aclrtMalloc(&big, 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    bool has_host = went(aclrtMallocHost(&host, 5000));
    bool subscribed = went(aclrtSubscribeReport(self, streams[1]));
    for (int i = 0; i < STREAMS; i++) {
        went(sa_stream_launch(streams[i], nothing, "nothing", 2, SA_AIV, large, 40));
        went(sa_stream_launch(streams[i], nothing, "nothing", 2, SA_AIV, large, sizeof large));
        if (has_small)
            went(aclrtMemsetAsync(small, 5000, i, 5000, streams[i]));
        if (has_small && has_host)
            went(aclrtMemcpyAsync(host, 5000, small, 5000, ACL_MEMCPY_DEVICE_TO_HOST, streams[i]));
        if (has_event) {
            went(aclrtRecordEvent(event, streams[i]));
            went(aclrtStreamWaitEvent(streams[(i + 1) % STREAMS], event));
        }
        went(aclrtLaunchHostFunc(streams[i], called, &calls));
    }
    if (subscribed) {
        if (went(aclrtLaunchCallback(called, &calls, ACL_CALLBACK_BLOCK, streams[1])))
            assert_int_equal(aclrtProcessReport(60000), ACL_SUCCESS);
        assert_int_equal(aclrtUnSubscribeReport(self, streams[1]), ACL_SUCCESS);
    }
    ok(aclrtSynchronizeDevice());
    if (has_event)
        ok(aclrtDestroyEvent(event));
    for (int i = 0; i < STREAMS; i++)
        if (streams[i])
            ok(aclrtDestroyStream(streams[i]));
    if (has_small)
        ok(aclrtFree(small));
    if (has_big)
        ok(aclrtFree(big));
    if (has_host)
        ok(aclrtFreeHost(host));
    ok(aclrtDestroyContext(context));
}

/* The runtime from aclInit to aclFinalize, in which the `nth` allocation fails (0: none); whether
 * there are that many. */
static bool life(long nth)
{
    size_t free_bytes, total;
    ok(aclInit(NULL));
    atomic_store(&countdown, nth);
    scenario();
    bool reached = atomic_load(&countdown) == 0;
    atomic_store(&countdown, 0);
    ok(aclrtSetDevice(0));
    ok(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    assert_int_equal(free_bytes, total);
    ok(aclrtResetDevice(0));
    ok(aclFinalize());
    return reached;
}

/* Each in a process of its own, that has nothing at hand yet; then all is well again. */
static void every_allocation(void **state)
{
    (void)state;
    enum { SILENT = 0, SAID = 1, PAST_THE_LAST = 2 };
    int said = 0, status = 0;
    long nth = 0;
    do {
        pid_t child = fork();
        if (!child) {
            int answer = life(++nth) ? failures ? SAID : SILENT : PAST_THE_LAST;
            failures = 0;
            life(0);
            _exit(failures ? 99 : answer);
        }
        nth++;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) > PAST_THE_LAST)
            fail_msg("allocation %ld failed: the process ended with status %#x", nth, status);
        said += WEXITSTATUS(status) == SAID;
    } while (WEXITSTATUS(status) != PAST_THE_LAST);
    print_message("%ld allocations failed in turn, of %d a call said so\n", nth - 1, said);
    assert_true(said > 10);
}

/* Without dispatchers work is done by the threads that enqueue and synchronise. */
static void no_threads(void **state)
{
    (void)state;
    threads_fail = true;
    life(0);
    assert_int_equal(failures, 0);
    threads_fail = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
        cmocka_unit_test(no_threads),
    };
    dl_iterate_phdr(find_library, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
