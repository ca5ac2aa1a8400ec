/* What a kernel does with raw pointers may raise a signal: it ends the launch, not the process. */
#include "harness.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE(name) enum { line_##name = __LINE__ + 3 }

static volatile int zero;
static int *volatile null;
static void (*volatile nowhere)(void);

static void past_the_end(sa_core *core, void *args)
{
    sa_memory memory = *(sa_memory *)args;
    volatile char *end = sa_local(core, memory, sa_local_bytes(core, memory));
    end[-1] = 1;
    end[0] = 1;
}

/* Every block writes there, and none gets that far. */
#define RACES_ON_NOTHING __attribute__((no_sanitize("thread")))

LINE(writes_null);
RACES_ON_NOTHING static void writes_null(sa_core *core, void *args)
{
    *null = 1;
    (void)core, (void)args;
}

LINE(reads_null);
RACES_ON_NOTHING static void reads_null(sa_core *core, void *args)
{
    zero = *null;
    (void)core, (void)args;
}

LINE(wild);
RACES_ON_NOTHING static void wild(sa_core *core, void *args)
{
    *(volatile int *)(uintptr_t)0xdeadbeefdeadbeefu = 1;
    (void)core, (void)args;
}

LINE(divides);
RACES_ON_NOTHING static void divides(sa_core *core, void *args)
{
    *(int *)args = 7 / zero;
    (void)core;
}

LINE(calls_null);
static void calls_null(sa_core *core, void *args)
{
    nowhere();
    (void)core, (void)args;
}

/* global memory that is not there: the fault is in the core's body, the line is the kernel's */
static void *gone;

LINE(copies_from_nowhere);
static void copies_from_nowhere(sa_core *core, void *args)
{
    sa_copy_in(core, sa_alloc(core, SA_UB, 4096), gone, 4096);
    (void)args;
}

__attribute__((noinline)) static int deep(int n)
{
    volatile char frame[2048];
    frame[0] = (char)n;
    return n > 1000000 ? 0 : deep(n + 1) + frame[0];
}

RACES_ON_NOTHING static void overflows_stack(sa_core *core, void *args)
{
    (void)core;
    *(int *)args = deep(0);
}

RACES_ON_NOTHING static void waits_for_one_that_crashes(sa_core *core, void *args)
{
    if (sa_block_idx(core) == 5)
        *null = 1;
    sa_sync_all(core);
    (void)args;
}

static const struct {
    sa_kernel kernel;
    const char *text;
    int line; /* 0: not looked at */
} cases[] = {
#if defined(__x86_64__)
    {writes_null, "writes 0x0 (a null pointer)", line_writes_null},
    {divides, "divides an integer by zero", line_divides},
    {wild, "an address that cannot be", line_wild},
#else
    {writes_null, "0x0 (a null pointer)", line_writes_null},
#endif
    {reads_null, "reads 0x0 (a null pointer)", line_reads_null},
    {calls_null, "0x0 (a null pointer)", line_calls_null},
    {copies_from_nowhere, "where no memory is", line_copies_from_nowhere},
    {overflows_stack, "below its stack of 512 KiB", 0},
    {waits_for_one_that_crashes, "(a null pointer)", 0},
};

static void adds_one(sa_core *core, void *args)
{
    (void)core;
    __atomic_fetch_add((int *)args, 1, __ATOMIC_RELAXED);
}

/* Not assertions: cmocka's belong to one thread. */
static bool crashes(sa_kernel kernel, void *args, uint32_t blocks, sa_core_type type,
                    const char *text, int line)
{
    sa_error error = {0};
    sa_status code = type == SA_AIV ? SA_ERR_VECTOR_EXCEPTION : SA_ERR_AICORE_EXCEPTION;
    sa_status got = run_kernel(kernel, args, blocks, type, &error);
    char place[64];
    snprintf(place, sizeof place, "at crash_test.c:%d", line);
    if (got != code || !strstr(error.message, text) || (line && !strstr(error.message, place))) {
        fprintf(stderr, "%d \"%s\" lacks \"%s\" or \"%s\"\n", got, error.message, text, place);
        return false;
    }
    int ran = 0;
    got = run_kernel(adds_one, &ran, 16, type, &error);
    if (got || ran != 16)
        fprintf(stderr, "then %d \"%s\", %d of 16 blocks\n", got, error.message, ran);
    return !got && ran == 16;
}

static bool every_case(void)
{
    int unused;
    bool all = true;
    for (size_t i = 0; i < COUNT(cases); i++)
        all &= crashes(cases[i].kernel, &unused, 12, SA_AIV, cases[i].text, cases[i].line);
    return all;
}

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction handlers[COUNT(signals)];

/* cmocka sets handlers of its own before each test: a program's right, but not what is tested. */
static void take_back_signals(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(signals); i++)
        sigaction(signals[i], &handlers[i], NULL);
}

static void crashes_end_the_launch(void **state)
{
    take_back_signals(state);
    for (int round = 0; round < 3; round++)
        assert_true(every_case());
}

static void *on_thread(void *all)
{
    *(bool *)all = every_case();
    return NULL;
}

/* Every thread has a signal stack of its own, given back when it ends. */
static void on_every_thread(void **state)
{
    take_back_signals(state);
    for (int round = 0; round < 4; round++) {
        pthread_t thread[4];
        bool all[4] = {false};
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, on_thread, &all[i]), 0);
        for (int i = 0; i < 4; i++)
            pthread_join(thread[i], NULL);
        for (int i = 0; i < 4; i++)
            assert_true(all[i]);
    }
}

static void memories_end_in_guard_pages(void **state)
{
    take_back_signals(state);
    static const char *const names[] = {"", "UB+", "L1+", "L0A+", "L0B+", "L0C+", "BT+"};
    for (sa_memory m = SA_UB; m < SA_MEMORIES; m++)
        assert_true(crashes(past_the_end, &m, 1, m == SA_UB ? SA_AIV : SA_AIC, names[m], 0));
}

/* ---- a fault that is no kernel's goes where it went before */

static void own_handler(int signal)
{
    _exit(signal == SIGSEGV ? 42 : 43);
}

static int as_child(bool sent, bool own)
{
    int ran = 0;
    sa_error error;
    freopen("/dev/null", "w", stderr);
    signal(SIGSEGV, own ? own_handler : SIG_DFL);
    run_kernel(adds_one, &ran, 4, SA_AIV, &error);
    run_kernel(writes_null, NULL, 4, SA_AIV, &error);
    if (sent)
        raise(SIGSEGV);
    else
        *null = 1;
    return ran;
}

/* Forked before the first launch, a child has a new program's order of events: its handler, then
 * its first launch. [sent][own handler] */
static int statuses[2][2];

static void run_children(void)
{
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            struct rlimit none = {0, 0};
            setrlimit(RLIMIT_CORE, &none);
            _exit(as_child(i / 2, i % 2) ? 98 : 99);
        }
        waitpid(child, &statuses[i / 2][i % 2], 0);
    }
}

static void other_faults_pass_on(void **state)
{
    (void)state;
    for (int sent = 0; sent < 2; sent++) {
        int status = statuses[sent][1];
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
        status = statuses[sent][0];
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    }
}

int main(void)
{
    run_children();
    gone = mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int ran = 0;
    sa_error error;
    run_kernel(adds_one, &ran, 1, SA_AIV, &error);
    for (size_t i = 0; i < COUNT(signals); i++)
        sigaction(signals[i], NULL, &handlers[i]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crashes_end_the_launch),
        cmocka_unit_test(on_every_thread),
        cmocka_unit_test(memories_end_in_guard_pages),
        cmocka_unit_test(other_faults_pass_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
