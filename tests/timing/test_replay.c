/* The replay against cycles worked out by hand, on a chip with round rates. */
#include "timing/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static const sa_chip chip = {
    .name = "Round",
    .arch = 2201,
    .split = 1,
    .ai_cores = 1,
    .vector_cores_per_ai_core = 2,
    .frequency_ghz = 1,
    .l2_bytes = 1 << 20,
    .hbm_bytes_per_second = 32e9, /* 32 bytes a cycle for all */
    .hbm_bytes_per_cycle = 32,
    .l2_read_bytes_per_cycle = 64,
    .l2_write_bytes_per_cycle = 64,
    .l1_l0a_bytes_per_cycle = 256,
    .l1_l0b_bytes_per_cycle = 128,
    .l0c_out_bytes_per_cycle = 16,
    .ub_gm_bytes_per_cycle = 64,
    .cube_f16_macs_per_cycle = 4096,
    .cube_f32_macs_per_cycle = 1024,
    .cube_i8_macs_per_cycle = 8192,
    .vector_repeat_bytes = 256,
    .vector_start_cycles = 5,
    .vector_simple_cycles = 2,
    .vector_exp_cycles = 4,
    .vector_div_cycles = 8,
    .vector_reduce_cycles = 6,
    .move_start_cycles = 10,
    .cube_start_cycles = 7,
    .flag_cycles = 1,
    .scalar_cycles = 1,
};

/* ---- a launch, written down */

typedef struct script {
    sa_trace_event event[16];
    sa_trace_access access[16];
    sa_trace_block block;
} script;

static sa_trace_event *event(script *s, sa_instr instr, sa_pipe pipe)
{
    s->block.event = s->event;
    s->block.access = s->access;
    sa_trace_event *e = &s->event[s->block.events++];
    *e = (sa_trace_event){.instr = instr, .pipe = pipe, .first_access = s->block.accesses};
    return e;
}

static void vector(script *s, sa_instr instr, uint64_t n)
{
    sa_trace_event *e = event(s, instr, SA_PIPE_V);
    e->dtype = e->dtype_from = SA_F32;
    e->work = n;
}

static void gm(script *s, sa_instr instr, sa_pipe pipe, uint64_t offset, uint32_t bytes)
{
    event(s, instr, pipe)->accesses = 1;
    s->access[s->block.accesses++] =
        (sa_trace_access){SA_GM, pipe != SA_PIPE_MTE2, 1, offset, 1, bytes, 0};
}

static void pass(script *s, sa_pipe from, sa_pipe to)
{
    event(s, SA_I_set_flag, from)->other = to;
    event(s, SA_I_wait_flag, to)->other = from;
}

static char *lines[] = {"kernel.c:7"};

static sa_timing replay(const script *s, uint32_t blocks, sa_core_type type)
{
    sa_trace_block block[4];
    for (uint32_t i = 0; i < blocks; i++) {
        block[i] = s[i].block;
    }
    sa_trace_launch launch = {"kernel", type, blocks, 1, lines, block};
    sa_timing timing;
    if (sa_replay(&launch, &chip, &timing) != SA_OK) {
        fail_msg("%s", sa_last_message());
    }
    return timing;
}

static void expect(const script *s, uint32_t blocks, double cycles)
{
    sa_timing timing = replay(s, blocks, SA_AIV);
    if (timing.cycles != cycles) {
        fail_msg("%.17g cycles, by hand %.17g", timing.cycles, cycles);
    }
}

/* ---- one core */

static void test_copy_add_copy(void **state)
{
    (void)state;
    script s = {0};
    gm(&s, SA_I_copy_in, SA_PIPE_MTE2, 0, 4096);     /* 0–128 at 32 a cycle, there at 138 */
    pass(&s, SA_PIPE_MTE2, SA_PIPE_V);               /* seen at 139, V goes on at 140 */
    vector(&s, SA_I_add, 1024);                      /* 16 repeats of 2: 140–172, there at 177 */
    pass(&s, SA_PIPE_V, SA_PIPE_MTE3);               /* seen at 178, MTE3 goes on at 179 */
    gm(&s, SA_I_copy_out, SA_PIPE_MTE3, 4096, 4096); /* 179–307, there at 317 */
    expect(&s, 1, 317);
    sa_timing t = replay(&s, 1, SA_AIV);
    assert_true(t.busy_cycles[SA_PIPE_MTE2] == 128);
    assert_true(t.busy_cycles[SA_PIPE_V] == 32);
    assert_true(t.busy_cycles[SA_PIPE_MTE3] == 128);
    assert_true(t.busy_cycles[SA_PIPE_S] == 7);
    assert_int_equal(t.gm_read_bytes, 4096);
    assert_int_equal(t.gm_write_bytes, 4096);
    assert_int_equal(t.hbm_bytes, 8192);
    assert_true(t.us == 0.317);
}

static void test_barrier(void **state)
{
    (void)state;
    script with = {0}, without = {0};
    vector(&with, SA_I_add, 1024);         /* 0–32, there at 37 */
    event(&with, SA_I_barrier, SA_PIPE_V); /* to 38 */
    vector(&with, SA_I_add, 1024);         /* 38–70, there at 75 */
    expect(&with, 1, 75);
    vector(&without, SA_I_add, 1024);
    vector(&without, SA_I_add, 1024); /* 32–64, there at 69 */
    expect(&without, 1, 69);
}

static void test_high(void **state)
{
    (void)state;
    script s = {0};
    vector(&s, SA_I_sigmoid,
           1024); /* 16 repeats of 2 + 4 + 2 + 8, three starts within, one after */
    expect(&s, 1, 16 * 16 + 3 * 5 + 5);
}

static void test_cube(void **state)
{
    (void)state;
    script s = {0};
    sa_trace_event *mmad = event(&s, SA_I_mmad, SA_PIPE_M); /* 64 x 64 x 64: 0–64, there at 71 */
    mmad->dtype = SA_F16;
    mmad->work = 64 * 64 * 64;
    pass(&s, SA_PIPE_M, SA_PIPE_FIX);                  /* seen at 72, FIX goes on at 73 */
    gm(&s, SA_I_fixpipe, SA_PIPE_FIX, 0, 64 * 64 * 2); /* 16 a cycle: 73–585, there at 595 */
    expect(&s, 1, 595);
    sa_timing t = replay(&s, 1, SA_AIC);
    assert_int_equal(t.macs, 64 * 64 * 64);
    assert_true(t.cube_peak_share == 64.0 / 595);
}

static void test_scalar_waits(void **state)
{
    (void)state;
    script s = {0};
    vector(&s, SA_I_add, 1024);     /* 0–32, there at 37 */
    pass(&s, SA_PIPE_V, SA_PIPE_S); /* seen at 38; S goes on at 39 */
    event(&s, SA_I_get, SA_PIPE_S); /* 39–40 */
    vector(&s, SA_I_add, 1024);     /* issued at 40: 40–72, there at 77 */
    expect(&s, 1, 77);
}

/* ---- several cores */

static void test_shared_hbm(void **state)
{
    (void)state;
    script s[4] = {{.block = {0}}};
    gm(&s[0], SA_I_copy_in, SA_PIPE_MTE2, 0, 4096);
    gm(&s[1], SA_I_copy_in, SA_PIPE_MTE2, 4096, 2048);
    /* 16 a cycle each until 128, when the second is done; then 2048 left at 32: until 192 */
    expect(s, 2, 202);
    /* a third block starts when the second is done, at 138. Until then the first has 4096 - 2048 -
     * 320 = 1728 left; 16 a cycle each: 138–246, then the third has 2048 - 1728 = 320 at 32 */
    gm(&s[2], SA_I_copy_in, SA_PIPE_MTE2, 8192, 2048);
    expect(s, 3, 246 + 10 + 10);
}

static void test_l2(void **state)
{
    (void)state;
    script s[4] = {{.block = {0}}};
    gm(&s[0], SA_I_copy_in, SA_PIPE_MTE2, 0, 4096);
    gm(&s[1], SA_I_copy_in, SA_PIPE_MTE2, 0, 4096); /* in L2: 64 a cycle, 0–64 */
    gm(&s[1], SA_I_copy_in, SA_PIPE_MTE2, 0, 8192); /* half in L2 */
    /* HBM: the first core alone until 64 (2048 done); then 16 a cycle each, until the first is done
     * at 192; the second has 2048 left at 32, until 256; then its 4096 from L2 at 64, until 320 */
    expect(s, 2, 330);
    assert_int_equal(replay(s, 2, SA_AIV).hbm_bytes, 8192);
}

static void test_sync_all(void **state)
{
    (void)state;
    script s[4] = {{.block = {0}}};
    vector(&s[0], SA_I_add, 1024); /* there at 37: then the first arrives */
    event(&s[0], SA_I_sync_all, SA_PIPE_S);
    event(&s[1], SA_I_sync_all, SA_PIPE_S);
    vector(&s[0], SA_I_add, 1024); /* both go on after a flag and a trip through memory, at 48 */
    vector(&s[1], SA_I_add, 1024);
    expect(s, 2, 48 + 32 + 5);
    event(&s[2], SA_I_sync_all, SA_PIPE_S); /* a third block has no core to meet on */
    assert_non_null(strstr(replay(s, 3, SA_AIV).note, "3 blocks meet in SyncAll, but Round has 2"));
}

static void test_hang(void **state)
{
    (void)state;
    script s = {0};
    event(&s, SA_I_wait_flag, SA_PIPE_V)->other = SA_PIPE_MTE2;
    sa_trace_launch launch = {"kernel", SA_AIV, 1, 1, lines, &s.block};
    sa_timing timing;
    assert_int_equal(sa_replay(&launch, &chip, &timing), SA_ERR_INVALID_FILE);
    assert_string_equal(sa_last_message(), "kernel kernel would hang: block 0, pipe V waits at "
                                           "kernel.c:7 for what never comes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy_add_copy),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_high),
        cmocka_unit_test(test_cube),
        cmocka_unit_test(test_scalar_waits),
        cmocka_unit_test(test_shared_hbm),
        cmocka_unit_test(test_l2),
        cmocka_unit_test(test_sync_all),
        cmocka_unit_test(test_hang),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
