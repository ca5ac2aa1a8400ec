/* What a launch leaves as it was and what it does not inherit: the thread's floating-point state,
 * flags and allocations of the block before, fork. */
#include "harness.h"

#include <fenv.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- floating point */

#if defined(__x86_64__)
static unsigned long control(void)
{
    return __builtin_ia32_stmxcsr() & ~0x3fu; /* without the sticky exceptions */
}
static void set_control(unsigned long value)
{
    __builtin_ia32_ldmxcsr((unsigned)value);
}
#define FLUSH 0x8040ul /* FTZ, DAZ */
#else
static unsigned long control(void)
{
    unsigned long value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}
static void set_control(unsigned long value)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(value));
}
#define FLUSH (1ul << 24) /* FZ */
#endif

typedef struct results {
    uint32_t f32[64];
    uint16_t f16[64];
    uint32_t after_wait[64];
} results;

/* Subnormals and inexact quotients: each differs if a mode leaks in. */
static void sensitive(sa_core *core, void *args)
{
    results *r = (results *)args + sa_block_idx(core);
    float *a = sa_alloc(core, SA_UB, 256), *b = sa_alloc(core, SA_UB, 256);
    float *c = sa_alloc(core, SA_UB, 256);
    uint16_t *h = sa_alloc(core, SA_UB, 128);
    for (uint32_t i = 0; i < 64; i++) {
        sa_set(core, SA_F32, a, i, i % 2 ? 0x1.8p-120 / (i + 1) : i + 1.0);
        sa_set(core, SA_F32, b, i, i % 2 ? 0x1p-20 : 3);
    }
    sa_mul(core, SA_F32, c, a, b, 64); /* subnormal at odd i */
    sa_div(core, SA_F32, b, a, b, 64);
    sa_axpy(core, SA_F32, c, b, 0x1p-30, 64);
    sa_copy_out(core, r->f32, c, 256);
    sa_muls(core, SA_F32, a, a, 0x1p-18, 64);
    sa_cast(core, SA_F16, h, SA_F32, a, SA_ROUND_NONE, 64);
    sa_copy_out(core, r->f16, h, 128);
    sa_sync_all(core);
    sa_adds(core, SA_F32, c, c, 0x1p-149, 64);
    sa_copy_out(core, r->after_wait, c, 256);
}

enum { BLOCKS = 4 };
typedef struct thread_case {
    unsigned long flags;
    int rounding;
    bool kept;
    results results[BLOCKS];
} thread_case;

static void *in_a_thread(void *arg)
{
    thread_case *c = arg;
    fesetround(c->rounding);
    set_control(control() | c->flags);
    unsigned long before = control();
    sa_error error;
    sa_status status = run_kernel(sensitive, c->results, BLOCKS, SA_AIV, &error);
    c->kept = status == SA_OK && control() == before;
    return NULL;
}

static void any_thread_gives_the_same_bits(void **state)
{
    (void)state;
    static thread_case cases[] = {{.flags = 0, .rounding = FE_TONEAREST},
                                  {.flags = FLUSH, .rounding = FE_TONEAREST},
                                  {.flags = 0, .rounding = FE_UPWARD},
                                  {.flags = FLUSH, .rounding = FE_TOWARDZERO}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, in_a_thread, &cases[i]), 0);
        pthread_join(thread, NULL);
        assert_true(cases[i].kept);
        assert_memory_equal(cases[i].results, cases[0].results, sizeof cases[0].results);
    }
    for (int b = 0; b < BLOCKS; b++) { /* and they are right: element 1 is 0x1.8p-121 * 2^-20 */
        double product = 0x1.8p-121 * 0x1p-20, quotient = 0x1.8p-121 / 0x1p-20;
        float want = (float)((float)product + (float)((float)quotient * 0x1p-30)), got;
        memcpy(&got, &cases[0].results[b].f32[1], sizeof got);
        assert_true(got == want && got != 0);
    }
}

static void faults_restore_the_state(sa_core *core, void *args)
{
    (void)args;
    sa_fault(core, SA_ERR_VECTOR_EXCEPTION, "on purpose");
}

static void a_fault_leaves_the_state(void **state)
{
    (void)state;
    unsigned long before = control();
    set_control(before | FLUSH);
    sa_error error;
    run_kernel(faults_restore_the_state, NULL, 1, SA_AIV, &error);
    unsigned long after = control();
    set_control(before);
    assert_true(after == (before | FLUSH));
}

/* ---- nothing passes from block to block */

static void dirty(sa_core *core, void *args)
{
    (void)args;
    sa_alloc(core, SA_UB, sa_local_bytes(core, SA_UB));
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 3);
}

static void waits(sa_core *core, void *args)
{
    (void)args;
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 3);
}

static void blocks_begin_clean(void **state)
{
    (void)state;
    sa_error error;
    assert_int_equal(run_kernel(dirty, NULL, 200, SA_AIV, &error), SA_OK);
    assert_int_equal(run_kernel(dirty, NULL, 1, SA_AIV, &error), SA_OK);
    assert_int_equal(run_kernel(waits, NULL, 1, SA_AIV, &error), SA_ERR_VECTOR_EXCEPTION);
}

/* Another chip's memories are that chip's. */
static void sizes(sa_core *core, void *args)
{
    *(uint32_t *)args = sa_local_bytes(core, SA_UB);
    sa_fill(core, SA_U8, NULL, 1, sa_local_bytes(core, SA_UB));
}

static void memories_follow_the_chip(void **state)
{
    (void)state;
    sa_chip small = *sa_chip_default();
    small.ub_bytes = 64 << 10;
    uint32_t bytes = 0;
    sa_error error;
    sa_launch launch = {
        .kernel = sizes, .args = &bytes, .blocks = 1, .type = SA_AIV, .chip = &small};
    assert_int_equal(sa_launch_run(&launch, &error), SA_OK);
    assert_int_equal(bytes, 64 << 10);
    launch.chip = NULL;
    assert_int_equal(sa_launch_run(&launch, &error), SA_OK);
    assert_int_equal(bytes, sa_chip_default()->ub_bytes);
}

/* ---- fork: the child's launches work, with workers of its own */

/* The thread sanitizer asks to be told that a child of a process with threads starts some. */
SA_API const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

static void tick(sa_core *core, void *args)
{
    sa_sync_all(core);
    __atomic_fetch_add((unsigned *)args, 1, __ATOMIC_RELAXED);
}

static void children_launch_too(void **state)
{
    (void)state;
    sa_error error;
    unsigned ticks = 0;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(run_kernel(tick, &ticks, 16, SA_AIV, &error), SA_OK);
        pid_t child = fork();
        if (child == 0) {
            unsigned mine = 0;
            alarm(30);
            for (int j = 0; j < 20; j++)
                if (run_kernel(tick, &mine, 16, SA_AIV, &error) != SA_OK)
                    _exit(1);
            _exit(mine == 20 * 16 ? 0 : 2);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(ticks, 5 * 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_thread_gives_the_same_bits),
        cmocka_unit_test(a_fault_leaves_the_state),
        cmocka_unit_test(blocks_begin_clean),
        cmocka_unit_test(memories_follow_the_chip),
        cmocka_unit_test(children_launch_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
