/* A kernel that does what it must not stops with a message that names it all; the process lives. */
#include "harness.h"
#include "include/ascendc/wrapper.h"

#include <pthread.h>
#include <unistd.h>

/* ---- every local operand of every instruction, out of range */

typedef struct operand {
    sa_memory memory;
    bool write;
    uint32_t bytes; /* that the call below touches */
} operand;

typedef struct call {
    const char *name;
    int line;
    sa_core_type type;
    void (*run)(sa_core *core, void **p);
    operand operands[4];
} call;

#define CALL(name, expression)                                                                     \
    static void call_##name(sa_core *core, void **p)                                               \
    {                                                                                              \
        expression;                                                                                \
    }                                                                                              \
    enum { line_##name = __LINE__ };

#define UNARY(name) CALL(name, sa_##name(core, SA_F32, p[0], p[1], 40))
#define BINARY(name, T) CALL(name, sa_##name(core, T, p[0], p[1], p[2], 40))
#define SCALAR(name) CALL(name, sa_##name(core, SA_F32, p[0], p[1], 2.0, 40))
#define REDUCE(name) CALL(name, sa_##name(core, SA_F32, p[0], p[1], 40))

BINARY(add, SA_F32)
BINARY(sub, SA_F32)
BINARY(mul, SA_F32)
BINARY(div, SA_F32)
BINARY(max, SA_F32)
BINARY(min, SA_F32)
BINARY(pow, SA_F32)
BINARY(floor_div, SA_F32)
BINARY(floor_mod, SA_F32)
BINARY(and, SA_I32)
BINARY(or, SA_I32)
UNARY(exp)
UNARY(ln)
UNARY(abs)
UNARY(sqrt)
UNARY(rsqrt)
UNARY(rec)
UNARY(relu)
UNARY(sigmoid)
UNARY(tanh)
CALL(not, sa_not(core, SA_I32, p[0], p[1], 40))
SCALAR(adds)
SCALAR(muls)
SCALAR(maxs)
SCALAR(mins)
SCALAR(lrelu)
SCALAR(axpy)
CALL(fill, sa_fill(core, SA_F32, p[0], 3, 40))
CALL(compare, sa_compare(core, SA_F32, SA_LT, p[0], p[1], p[2], 40))
CALL(compares, sa_compares(core, SA_F32, SA_LT, p[0], p[1], 1, 40))
CALL(select, sa_select(core, SA_F32, p[0], p[1], p[2], p[3], 40))
CALL(selects, sa_selects(core, SA_F32, p[0], p[1], p[2], 1, 40))
CALL(cast, sa_cast(core, SA_F16, p[0], SA_F32, p[1], SA_ROUND_RINT, 40))
CALL(transpose, sa_transpose(core, SA_F32, p[0], p[1], 5, 8))
REDUCE(reduce_sum)
REDUCE(reduce_max)
REDUCE(reduce_min)
REDUCE(arg_max)
REDUCE(arg_min)
CALL(copy_in, sa_copy_in(core, p[0], p[1], 160))
CALL(copy_out, sa_copy_out(core, p[0], p[1], 160))
CALL(copy_in_2d, sa_copy_in_2d(core, p[0], 64, p[1], 100, 3, 32))
CALL(copy_out_2d, sa_copy_out_2d(core, p[0], 100, p[1], 64, 3, 32))
CALL(copy_ub, sa_copy_ub(core, p[0], p[1], 160))
CALL(copy_l1, sa_copy_l1(core, p[0], p[1], 160))
CALL(nd2nz, sa_nd2nz(core, SA_F16, p[0], 32, p[1], 40, 20, 33))
CALL(load_l0a, sa_load_l0a(core, SA_F16, p[0], p[1], 32, 16, 16, 16, 32, false))
CALL(load_l0b, sa_load_l0b(core, SA_F16, p[0], p[1], 32, 16, 16, 16, 32, false))
CALL(mmad, sa_mmad(core, SA_F16, p[0], p[1], p[2], 20, 10, 40, true))
CALL(fixpipe, sa_fixpipe(core, SA_F16, p[0], 50, p[1], 20, 40))

static void call_gather(sa_core *core, void **p)
{
    uint32_t *offsets = p[1];
    for (uint32_t i = 0; i < 40 && (uintptr_t)offsets >= 1 << 20; i++)
        if (offsets >= (uint32_t *)sa_local(core, SA_UB, 0) &&
            (char *)offsets + 160 <= (char *)sa_local(core, SA_UB, sa_local_bytes(core, SA_UB)))
            offsets[i] = 4 * i;
    sa_gather(core, SA_F32, p[0], p[2], p[1], 40);
}
enum { line_gather = __LINE__ - 2 };

#define C(name, type, ...)                                                                         \
    {                                                                                              \
#name, line_##name, type, call_##name,                                                     \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define WRITES(memory, bytes)                                                                      \
    {                                                                                              \
        SA_##memory, true, bytes                                                                   \
    }
#define READS(memory, bytes)                                                                       \
    {                                                                                              \
        SA_##memory, false, bytes                                                                  \
    }
#define C_UNARY(name) C(name, SA_AIV, WRITES(UB, 160), READS(UB, 160))
#define C_BINARY(name) C(name, SA_AIV, WRITES(UB, 160), READS(UB, 160), READS(UB, 160))

static const call calls[] = {
    C_BINARY(add),
    C_BINARY(sub),
    C_BINARY(mul),
    C_BINARY(div),
    C_BINARY(max),
    C_BINARY(min),
    C_BINARY(pow),
    C_BINARY(floor_div),
    C_BINARY(floor_mod),
    C_BINARY(and),
    C_BINARY(or),
    C_UNARY(exp),
    C_UNARY(ln),
    C_UNARY(abs),
    C_UNARY(sqrt),
    C_UNARY(rsqrt),
    C_UNARY(rec),
    C_UNARY(relu),
    C_UNARY(sigmoid),
    C_UNARY(tanh),
    C_UNARY(not ),
    C_UNARY(adds),
    C_UNARY(muls),
    C_UNARY(maxs),
    C_UNARY(mins),
    C_UNARY(lrelu),
    C_UNARY(axpy),
    C(fill, SA_AIV, WRITES(UB, 160)),
    C(compare, SA_AIV, WRITES(UB, 5), READS(UB, 160), READS(UB, 160)),
    C(compares, SA_AIV, WRITES(UB, 5), READS(UB, 160)),
    C(select, SA_AIV, WRITES(UB, 160), READS(UB, 5), READS(UB, 160), READS(UB, 160)),
    C(selects, SA_AIV, WRITES(UB, 160), READS(UB, 5), READS(UB, 160)),
    C(cast, SA_AIV, WRITES(UB, 80), READS(UB, 160)),
    C(gather, SA_AIV, WRITES(UB, 160), READS(UB, 160), READS(UB, 160)),
    C_UNARY(transpose),
    C(reduce_sum, SA_AIV, WRITES(UB, 4), READS(UB, 160)),
    C(reduce_max, SA_AIV, WRITES(UB, 4), READS(UB, 160)),
    C(reduce_min, SA_AIV, WRITES(UB, 4), READS(UB, 160)),
    C(arg_max, SA_AIV, WRITES(UB, 4), READS(UB, 160)),
    C(arg_min, SA_AIV, WRITES(UB, 4), READS(UB, 160)),
    C(copy_in, SA_AIV, WRITES(UB, 160), READS(GM, 160)),
    C(copy_out, SA_AIV, WRITES(GM, 160), READS(UB, 160)),
    C(copy_in_2d, SA_AIV, WRITES(UB, 160), READS(GM, 232)),
    C(copy_out_2d, SA_AIV, WRITES(GM, 232), READS(UB, 160)),
    C_UNARY(copy_ub),
    C(copy_l1, SA_AIC, WRITES(L1, 160), READS(GM, 160)),
    /* NZ: 3 runs of 16 columns, each 32 rows of 32 bytes of which 20 are written */
    C(nd2nz, SA_AIC, WRITES(L1, 2 * 1024 + 640), READS(GM, 80 * 19 + 66)),
    /* from (16, 16): a run further, 16 rows down; 2 runs of 16 rows, 1024 bytes apart */
    C(load_l0a, SA_AIC, WRITES(L0A, 1024), READS(L1, 1024 + 512)),
    C(load_l0b, SA_AIC, WRITES(L0B, 1024), READS(L1, 1024 + 512)),
    C(mmad, SA_AIC, WRITES(L0C, 32 * 48 * 4), READS(L0A, 1024), READS(L0B, 16 * 48 * 2)),
    C(fixpipe, SA_AIC, WRITES(GM, 100 * 19 + 80), READS(L0C, 32 * 48 * 4)),
};

typedef struct attempt {
    const call *call;
    int bad;          /* operand that is displaced, -1: none */
    int64_t displace; /* bytes past the last place where it fits */
    bool offsets;     /* local operands as offsets below 1 MiB */
} attempt;

static char gm[1 << 16] __attribute__((aligned(512)));

/* Bytes between an operand's pointer and the first byte it touches. */
static uint32_t lead(const call *c, int operand)
{
    return strncmp(c->name, "load_l0", 7) == 0 && operand == 1 ? 1024 + 512 : 0;
}

static void attempt_kernel(sa_core *core, void *args)
{
    const attempt *a = args;
    void *p[4] = {0};
    uint32_t used[SA_MEMORIES] = {0};
    for (int i = 0; i < 4 && a->call->operands[i].bytes; i++) {
        const operand *o = &a->call->operands[i];
        if (o->memory == SA_GM) {
            p[i] = i == a->bad ? NULL : gm;
            continue;
        }
        int64_t offset = used[o->memory];
        used[o->memory] += 8192;
        if (i == a->bad)
            offset = (int64_t)sa_local_bytes(core, o->memory) - o->bytes - lead(a->call, i) +
                     a->displace;
        p[i] =
            a->offsets ? (void *)(uintptr_t)offset : (char *)sa_local(core, o->memory, 0) + offset;
    }
    a->call->run(core, p);
}

/* What a form generates is the same for all of its instructions; those of OWN are tested beside
 * what they compute. */
static bool form_seen(const bool seen[SA_INSTRS], const char *form)
{
    if (strcmp(form, "OWN") == 0 || strncmp(form, "WIDE_", 5) == 0)
        return true;
    for (int i = 0; i < SA_INSTRS; i++)
        if (seen[i] && strcmp(sa_instr_describe((sa_instr)i)->form, form) == 0)
            return true;
    return false;
}

static void every_operand_is_checked(void **state)
{
    (void)state;
    sa_error error;
    bool seen[SA_INSTRS] = {0};
    for (size_t i = 0; i < COUNT(calls); i++) {
        const call *c = &calls[i];
        for (int instr = 0; instr < SA_INSTRS; instr++)
            if (strcmp(sa_instr_describe((sa_instr)instr)->name, c->name) == 0)
                seen[instr] = true;
        for (int offsets = 0; offsets < 2; offsets++) {
            attempt good = {c, -1, 0, offsets};
            if (run_kernel(attempt_kernel, &good, 1, c->type, &error) != SA_OK)
                fail_msg("%s in range: %s", c->name, error.message);
        }
        for (int k = 0; k < 4 && c->operands[k].bytes; k++) {
            const operand *o = &c->operands[k];
            bool l0 = o->memory == SA_L0A || o->memory == SA_L0B;
            int64_t unit = l0 ? 512 : 32;
            sa_status code = c->type == SA_AIV ? SA_ERR_VECTOR_EXCEPTION : SA_ERR_AICORE_EXCEPTION;
            attempt at_end = {c, k, 0, false}, past = {c, k, unit, false},
                    offset = {c, k, unit, true}, far = {c, k, -(1 << 21), false};
            char want[128];
            if (o->memory == SA_GM) {
                assert_int_equal(run_kernel(attempt_kernel, &past, 1, c->type, &error), code);
                assert_non_null(strstr(error.message, "no global memory"));
                continue;
            }
            if (run_kernel(attempt_kernel, &at_end, 1, c->type, &error) != SA_OK)
                fail_msg("%s at the end: %s", c->name, error.message);
            for (int form = 0; form < 2; form++) {
                assert_int_equal(
                    run_kernel(attempt_kernel, form ? &offset : &past, 1, c->type, &error), code);
                const char *names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT"};
                /* an instruction that reads and writes one place may name either */
                bool both = strcmp(c->name, "axpy") == 0 || strcmp(c->name, "mmad") == 0;
                snprintf(want, sizeof want, "%s %u bytes at %s+", o->write && !both ? "writes" : "",
                         o->bytes, names[o->memory]);
                if (!strstr(error.message, want + (o->write && !both ? 0 : 1)))
                    fail_msg("%s operand %d: '%s' lacks '%s'", c->name, k, error.message, want);
                snprintf(want, sizeof want, "(past the end by %d) at fault_test.c:%d", (int)unit,
                         c->line);
                if (!strstr(error.message, want))
                    fail_msg("%s operand %d: '%s' lacks '%s'", c->name, k, error.message, want);
            }
            assert_int_equal(run_kernel(attempt_kernel, &far, 1, c->type, &error), code);
        }
    }
    for (int instr = 0; instr < SA_INSTRS; instr++)
        if (!form_seen(seen, sa_instr_describe((sa_instr)instr)->form))
            fail_msg("no case for the form of %s", sa_instr_describe((sa_instr)instr)->name);
}

/* ---- other faults: the kernel, the code, what the message says */

static void add_bad(sa_core *core, void *args)
{
    (void)args;
    float *a = sa_local(core, SA_UB, 172032);
    if (sa_block_idx(core) == 3)
        sa_add(core, SA_F32, a, a, a, 10240);
}
enum { add_bad_line = __LINE__ - 2 };

static void alloc_too_much(sa_core *core, void *args)
{
    (void)args;
    sa_alloc(core, SA_UB, 100);
    sa_alloc(core, SA_UB, 200000);
}
static void alloc_wraps(sa_core *core, void *args)
{
    (void)args;
    sa_alloc(core, SA_UB, 0xfffffff0);
}
static void alloc_gm(sa_core *core, void *args)
{
    (void)args;
    sa_alloc(core, SA_GM, 32);
}
static void wait_without_set(sa_core *core, void *args)
{
    (void)args;
    sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 1);
    sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 1);
    sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 1);
}
static void flag_out_of_range(sa_core *core, void *args)
{
    (void)args;
    sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 8);
}
static void wrong_dtype(sa_core *core, void *args)
{
    (void)args;
    sa_div(core, SA_I32, sa_local(core, SA_UB, 0), sa_local(core, SA_UB, 0),
           sa_local(core, SA_UB, 0), 8);
}
static void nonsense_dtype(sa_core *core, void *args)
{
    (void)args;
    sa_add(core, (sa_dtype)999, sa_local(core, SA_UB, 0), sa_local(core, SA_UB, 0),
           sa_local(core, SA_UB, 0), 8);
}
static void wrong_cast(sa_core *core, void *args)
{
    (void)args;
    sa_cast(core, SA_F32, sa_local(core, SA_UB, 0), SA_F64, sa_local(core, SA_UB, 512),
            SA_ROUND_NONE, 8);
}
static void vector_core_uses_l1(sa_core *core, void *args)
{
    sa_copy_l1(core, NULL, args, 32);
}
static void cube_core_uses_ub(sa_core *core, void *args)
{
    sa_copy_in(core, NULL, args, 32);
}
static void misaligned_l0(sa_core *core, void *args)
{
    (void)args;
    sa_load_l0a(core, SA_F16, sa_local(core, SA_L0A, 32), sa_local(core, SA_L1, 0), 16, 0, 0, 16,
                16, false);
}
static void misaligned_row(sa_core *core, void *args)
{
    (void)args;
    sa_load_l0a(core, SA_F16, sa_local(core, SA_L0A, 0), sa_local(core, SA_L1, 0), 32, 8, 0, 16, 16,
                false);
}
static void wrong_memory(sa_core *core, void *args)
{
    (void)args;
    sa_mmad(core, SA_F16, sa_local(core, SA_L1, 0), sa_local(core, SA_L0A, 0),
            sa_local(core, SA_L0B, 0), 16, 16, 16, false);
}
static void get_past_end(sa_core *core, void *args)
{
    (void)args;
    sa_get(core, SA_F16, sa_local(core, SA_UB, 0), 98304);
}
static void gather_past_end(sa_core *core, void *args)
{
    (void)args;
    uint32_t *offsets = sa_local(core, SA_UB, 0);
    memset(offsets, 0, 64);
    offsets[7] = 196608 - 1024 - 3;
    sa_gather(core, SA_F32, sa_local(core, SA_UB, 512), sa_local(core, SA_UB, 1024), offsets, 16);
}
static void asks_to_stop(sa_core *core, void *args)
{
    (void)args;
    sa_fault(core, SA_ERR_VECTOR_EXCEPTION, "tile of %d rows", 17);
}

static const struct {
    sa_kernel kernel;
    sa_core_type type;
    const char *says[3];
} faults[] = {
    {alloc_too_much, SA_AIV, {"alloc of 200000 bytes of UB, which has 196480 of 196608 free"}},
    {alloc_wraps, SA_AIV, {"alloc of 4294967280 bytes of UB"}},
    {alloc_gm, SA_AIV, {"no local memory"}},
    {wait_without_set, SA_AIV, {"wait_flag: flag 1 from MTE2 to V was never set"}},
    {flag_out_of_range, SA_AIV, {"flag 8", "0 to 7"}},
    {wrong_dtype, SA_AIV, {"div does not take int32", "it takes float32, float16"}},
    {nonsense_dtype, SA_AIV, {"add does not take unknown dtype (999)"}},
    {wrong_cast, SA_AIV, {"cast does not take float64"}},
    {vector_core_uses_l1, SA_AIV, {"L1, which a vector core does not have"}},
    {cube_core_uses_ub, SA_AIC, {"UB, which a cube core does not have"}},
    {misaligned_l0, SA_AIC, {"not a multiple of 512"}},
    {misaligned_row, SA_AIC, {"row is 8, not a multiple of 16"}},
    {wrong_memory, SA_AIC, {"at L1+0, but this operand lies in L0C"}},
    {get_past_end, SA_AIV, {"element 98304 of float16 at UB+0, which has 196608"}},
    {gather_past_end, SA_AIV, {"gather reads 195585 bytes at UB+1024", "past the end by 1"}},
    {asks_to_stop, SA_AIV, {"tile of 17 rows"}},
};

static void faults_say_what_where_and_how_much(void **state)
{
    (void)state;
    sa_error error;
    for (size_t i = 0; i < COUNT(faults); i++) {
        sa_status code =
            faults[i].type == SA_AIV ? SA_ERR_VECTOR_EXCEPTION : SA_ERR_AICORE_EXCEPTION;
        assert_int_equal(run_kernel(faults[i].kernel, gm, 1, faults[i].type, &error), code);
        for (int j = 0; j < 3 && faults[i].says[j]; j++)
            if (!strstr(error.message, faults[i].says[j]))
                fail_msg("case %zu: '%s' lacks '%s'", i, error.message, faults[i].says[j]);
        if (!strstr(error.message, " at fault_test.c:"))
            fail_msg("case %zu: '%s' names no line", i, error.message);
    }
}

static void the_whole_message(void **state)
{
    (void)state;
    sa_error error;
    char want[256];
    snprintf(
        want, sizeof want,
        "vector core exception in kernel add_bad, block 3: add reads 40960 bytes at UB+172032, "
        "which has 196608 (past the end by 16384) at fault_test.c:%d",
        add_bad_line);
    assert_int_equal(run_kernel(add_bad, NULL, 5, SA_AIV, &error), SA_ERR_VECTOR_EXCEPTION);
    assert_string_equal(error.message, want);
}

static void calls_a_wrapper(sa_core *core, void *args)
{
    (void)args;
    wrapped_add(core, sa_local(core, SA_UB, 0), 1000000);
}
enum { wrapper_line = __LINE__ - 2 };

static void wrappers_are_not_named(void **state)
{
    (void)state;
    sa_error error;
    char want[64];
    snprintf(want, sizeof want, " at fault_test.c:%d", wrapper_line);
    assert_int_equal(run_kernel(calls_a_wrapper, NULL, 1, SA_AIV, &error), SA_ERR_VECTOR_EXCEPTION);
    assert_non_null(strstr(error.message, want));
}

static void launches_that_make_no_sense(void **state)
{
    (void)state;
    sa_error error;
    assert_int_equal(run_kernel(NULL, NULL, 1, SA_AIV, &error), SA_ERR_INVALID_PARAM);
    assert_int_equal(run_kernel(add_bad, NULL, 0, SA_AIV, &error), SA_ERR_INVALID_PARAM);
    assert_int_equal(run_kernel(add_bad, NULL, 65536, SA_AIV, &error), SA_ERR_INVALID_PARAM);
    assert_int_equal(run_kernel(add_bad, NULL, 1, (sa_core_type)7, &error), SA_ERR_INVALID_PARAM);
    assert_non_null(strstr(error.message, "core type 7"));
}

static void launches_again(sa_core *core, void *args)
{
    (void)core;
    sa_error error;
    *(sa_status *)args = run_kernel(add_bad, NULL, 1, SA_AIV, &error);
}

static void no_launch_inside_a_kernel(void **state)
{
    (void)state;
    sa_error error;
    sa_status inner = SA_OK;
    assert_int_equal(run_kernel(launches_again, &inner, 1, SA_AIV, &error), SA_OK);
    assert_int_equal(inner, SA_ERR_INVALID_PARAM);
}

/* ---- the watchdog */

static void never_ends(sa_core *core, void *args)
{
    __atomic_store_n((bool *)args, true, __ATOMIC_RELEASE);
    float *a = sa_alloc(core, SA_UB, 64);
    for (;;)
        sa_fill(core, SA_F32, a, 1, 16);
}

static void waits_for_one_that_never_ends(sa_core *core, void *args)
{
    if (sa_block_idx(core) == 0)
        never_ends(core, args);
    sa_sync_all(core);
}

typedef struct watch {
    bool begun;
    volatile bool abandon;
} watch;

static void *watchdog(void *arg)
{
    watch *w = arg;
    while (!__atomic_load_n(&w->begun, __ATOMIC_ACQUIRE))
        usleep(100);
    __atomic_store_n(&w->abandon, true, __ATOMIC_RELAXED);
    return NULL;
}

static void abandoned_kernels_stop(void **state)
{
    (void)state;
    static const sa_kernel kernels[] = {never_ends, waits_for_one_that_never_ends};
    for (size_t i = 0; i < COUNT(kernels); i++) {
        watch w = {false, false};
        sa_error error = {0};
        pthread_t thread;
        sa_launch launch = {.kernel = kernels[i],
                            .args = &w.begun,
                            .blocks = 3,
                            .type = SA_AIV,
                            .abandon = &w.abandon};
        assert_int_equal(pthread_create(&thread, NULL, watchdog, &w), 0);
        assert_int_equal(sa_launch_run(&launch, &error), SA_ERR_AICORE_TIMEOUT);
        pthread_join(thread, NULL);
        assert_non_null(strstr(error.message, "AI core timeout in kernel"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operand_is_checked),
        cmocka_unit_test(faults_say_what_where_and_how_much),
        cmocka_unit_test(the_whole_message),
        cmocka_unit_test(wrappers_are_not_named),
        cmocka_unit_test(launches_that_make_no_sense),
        cmocka_unit_test(no_launch_inside_a_kernel),
        cmocka_unit_test(abandoned_kernels_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
