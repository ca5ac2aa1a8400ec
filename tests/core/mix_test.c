/* Cores that wait for cores: mixed launches, flags between cores, flags in GM, atomics; on one
 * thread and on several. */
#include "harness.h"

/* ---- who is who */

typedef struct seen {
    uint32_t cube[8], vector[16], sub[16], ratio, num;
} seen;

static void who_kernel(sa_core *core, void *args)
{
    seen *s = args;
    uint32_t i = sa_block_idx(core);
    if (sa_kind(core) == SA_AIC) {
        __atomic_fetch_add(&s->cube[i], 1, __ATOMIC_RELAXED);
        assert_int_equal(sa_local_bytes(core, SA_UB), 0);
        assert_true(sa_local_bytes(core, SA_L1) > 0);
    } else {
        __atomic_fetch_add(&s->vector[i], 1, __ATOMIC_RELAXED);
        s->sub[i] = sa_sub_block_idx(core);
        assert_int_equal(sa_local_bytes(core, SA_L1), 0);
        assert_true(sa_local_bytes(core, SA_UB) > 0);
    }
    __atomic_store_n(&s->ratio, sa_task_ratio(core), __ATOMIC_RELAXED);
    __atomic_store_n(&s->num, sa_block_num(core), __ATOMIC_RELAXED);
    sa_sync_all(core);
    sa_sync_kind(core);
}

static void mixed_blocks_have_cube_and_vector_cores(void **state)
{
    (void)state;
    for (int ratio = 1; ratio <= 2; ratio++) {
        seen s = {0};
        sa_error error;
        if (run_kernel(who_kernel, &s, 5, ratio == 1 ? SA_MIX_1_1 : SA_MIX_1_2, &error) != SA_OK)
            fail_msg("%s", error.message);
        assert_int_equal(s.ratio, ratio);
        assert_int_equal(s.num, 5);
        for (int i = 0; i < 8; i++)
            assert_int_equal(s.cube[i], i < 5);
        for (int i = 0; i < 16; i++) {
            assert_int_equal(s.vector[i], i < 5 * ratio);
            assert_int_equal(s.sub[i], i < 5 * ratio ? i % ratio : 0);
        }
    }
}

/* On a coupled chip a block is one core with both kinds' memories. */
static void coupled_kernel(sa_core *core, void *args)
{
    (void)args;
    assert_true(sa_coupled(core) && sa_task_ratio(core) == 0);
    uint8_t *l1 = sa_alloc(core, SA_L1, 128), *ub = sa_alloc(core, SA_UB, 128);
    for (int i = 0; i < 128; i++)
        ub[i] = (uint8_t)i;
    sa_copy_ub_l1_2d(core, l1, 64, ub, 32, 2, 32);
    sa_copy_l1_ub_2d(core, ub + 64, 32, l1, 64, 2, 32);
    for (int i = 0; i < 64; i++)
        assert_int_equal(ub[64 + i], i);
    float *l0c = sa_alloc(core, SA_L0C, 1024);
    for (int i = 0; i < 256; i++)
        l0c[i] = (float)i;
    sa_copy_l0c_ub(core, SA_F16, ub, 8, SA_F32, l0c, 16, 4, 8);
    for (int i = 0; i < 32; i++)
        assert_true(decode(format_of(SA_F16), ((uint16_t *)ub)[i]) == i / 8 * 16 + i % 8);
    assert_int_equal(sa_kind(core), SA_AIC);
    assert_int_equal(sa_local_bytes(core, SA_BT), 0);
}

/* What a coupled chip lacks. */
static void coupled_fixpipe(sa_core *core, void *gm)
{
    sa_fixpipe(core, SA_F32, gm, 16, sa_local(core, SA_L0C, 0), 16, 16);
}
static void coupled_fixpipe_ext(sa_core *core, void *gm)
{
    const sa_fixpipe_params p = {.n = 16, .m = 16, .src_stride = 16, .dst_stride = 16};
    sa_fixpipe_ext(core, SA_F32, gm, false, SA_F32, sa_local(core, SA_L0C, 0), &p);
}
static void coupled_atomic_fixpipe(sa_core *core, void *gm)
{
    sa_set_atomic(core, SA_ATOMIC_ADD, SA_F32);
    sa_fixpipe(core, SA_F32, gm, 16, sa_local(core, SA_L0C, 0), 16, 16);
}
static void coupled_bf16(sa_core *core, void *gm)
{
    (void)gm;
    sa_fill(core, SA_BF16, sa_local(core, SA_UB, 0), 0, 16);
}
static void coupled_from_bf16(sa_core *core, void *gm)
{
    (void)gm;
    sa_cast(core, SA_F32, sa_local(core, SA_UB, 64), SA_BF16, sa_local(core, SA_UB, 0),
            SA_ROUND_NONE, 16);
}
static void coupled_own_bf16(sa_core *core, void *gm)
{
    (void)gm;
    sa_arange(core, SA_I32, sa_local(core, SA_UB, 0), 0, 1, 16); /* this is there */
    sa_brcb(core, SA_BF16, sa_local(core, SA_UB, 0), sa_local(core, SA_UB, 512), 1,
            (sa_stride){1, 8});
}
static void coupled_cross_set(sa_core *core, void *gm)
{
    (void)gm;
    sa_cross_set(core, 0, SA_PIPE_V, 3);
}
static void coupled_cross_wait(sa_core *core, void *gm)
{
    (void)gm;
    sa_cross_wait(core, SA_PIPE_V, 3);
}
static void coupled_bias_table(sa_core *core, void *gm)
{
    (void)gm;
    sa_copy_bt(core, SA_F32, sa_local(core, SA_BT, 0), SA_F32, sa_local(core, SA_L1, 0), 8);
}

static const struct {
    const char *name;
    sa_kernel kernel;
    const char *message[2];
} lacking[] = {
    {"fixpipe", coupled_fixpipe, {"fixpipe: Ascend310P3 is a coupled chip and has no FIX pipe"}},
    {"fixpipe_ext", coupled_fixpipe_ext, {"has no FIX pipe", "copy L0C to UB"}},
    {"atomic fixpipe", coupled_atomic_fixpipe, {"has no FIX pipe"}},
    {"bf16", coupled_bf16, {"fill: Ascend310P3 is a coupled chip and has no bfloat16"}},
    {"from bf16", coupled_from_bf16, {"cast: ", "has no bfloat16"}},
    {"own bf16", coupled_own_bf16, {"brcb: ", "has no bfloat16"}},
    {"cross_set", coupled_cross_set, {"cross_set: ", "no flags between them"}},
    {"cross_wait", coupled_cross_wait, {"cross_wait: ", "Ascend910B"}},
    {"bias table", coupled_bias_table, {"copy_bt writes BT, which a coupled core does not have"}},
};

static void coupled_chips_say_what_they_lack(void **state)
{
    (void)state;
    sa_chip chip;
    assert_int_equal(sa_chip_find("Ascend310P3", &chip), SA_OK);
    float gm[256];
    for (size_t i = 0; i < sizeof lacking / sizeof lacking[0]; i++)
        for (int type = SA_AIC; type <= SA_MIX_1_2; type++) {
            sa_launch launch = {.kernel = lacking[i].kernel,
                                .args = gm,
                                .blocks = 2,
                                .type = (sa_core_type)type,
                                .chip = &chip};
            sa_error error = {0};
            assert_int_equal(sa_launch_run(&launch, &error), SA_ERR_AICORE_EXCEPTION);
            for (int m = 0; m < 2 && lacking[i].message[m]; m++)
                if (!strstr(error.message, lacking[i].message[m]))
                    fail_msg("%s: no \"%s\" in: %s", lacking[i].name, lacking[i].message[m],
                             error.message);
        }
}

static void coupled_chips_have_one_core_a_block(void **state)
{
    (void)state;
    sa_chip chip;
    assert_int_equal(sa_chip_find("Ascend310P3", &chip), SA_OK);
    sa_launch launch = {.kernel = coupled_kernel, .blocks = 3, .type = SA_MIX_1_2, .chip = &chip};
    sa_error error = {0};
    if (sa_launch_run(&launch, &error) != SA_OK)
        fail_msg("%s", error.message);
}

/* ---- producer and consumers: the cube core hands values over, the vector cores hand them back */

typedef struct exchange {
    int rounds;
    int from_cube[4], from_vector[8];
    bool wrong;
} exchange;

static void exchange_kernel(sa_core *core, void *args)
{
    exchange *x = args;
    uint32_t ratio = sa_task_ratio(core), i = sa_block_idx(core);
    for (int k = 1; k <= x->rounds; k++) {
        if (sa_kind(core) == SA_AIC) {
            x->from_cube[i] = k;
            sa_cross_set(core, 2, SA_PIPE_FIX, 3);
            sa_cross_wait(core, SA_PIPE_MTE2, 4);
            for (uint32_t v = 0; v < ratio; v++)
                if (x->from_vector[i * ratio + v] != 10 * k)
                    __atomic_store_n(&x->wrong, true, __ATOMIC_RELAXED);
        } else {
            sa_cross_wait(core, SA_PIPE_MTE2, 3);
            x->from_vector[i] = 10 * x->from_cube[i / ratio];
            sa_cross_set(core, 2, SA_PIPE_MTE3, 4);
        }
    }
}

static void cube_and_vector_cores_take_turns(void **state)
{
    (void)state;
    for (int ratio = 1; ratio <= 2; ratio++) {
        exchange x = {.rounds = 300};
        sa_error error;
        if (run_kernel(exchange_kernel, &x, 4, ratio == 1 ? SA_MIX_1_1 : SA_MIX_1_2, &error))
            fail_msg("%s", error.message);
        assert_false(x.wrong);
        for (int i = 0; i < 4 * ratio; i++)
            assert_int_equal(x.from_vector[i], 3000);
    }
}

/* ---- modes 0 and 1: nobody passes before all of the group have set */

typedef struct meeting {
    int mode;
    int arrived[64][32]; /* by core, round */
    bool early;
} meeting;

static void meeting_kernel(sa_core *core, void *args)
{
    meeting *m = args;
    if (sa_kind(core) == SA_AIC)
        return;
    uint32_t i = sa_block_idx(core), all = sa_block_num(core) * sa_task_ratio(core);
    uint32_t from = m->mode == 0 ? 0 : i / 2 * 2, to = m->mode == 0 ? all : from + 2;
    for (int k = 0; k < 32; k++) {
        __atomic_store_n(&m->arrived[i][k], 1, __ATOMIC_RELAXED);
        sa_cross_set(core, m->mode, SA_PIPE_MTE3, 15);
        sa_cross_wait(core, SA_PIPE_V, 15);
        for (uint32_t j = from; j < to; j++)
            if (!__atomic_load_n(&m->arrived[j][k], __ATOMIC_RELAXED))
                __atomic_store_n(&m->early, true, __ATOMIC_RELAXED);
    }
}

static void groups_meet(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        meeting m = {.mode = mode};
        sa_error error;
        if (run_kernel(meeting_kernel, &m, 6, SA_MIX_1_2, &error) != SA_OK)
            fail_msg("%s", error.message);
        assert_false(m.early);
    }
}

/* ---- flags in GM and polling */

typedef struct relay {
    _Alignas(64) int32_t workspace[8 * 8 * 2];
    int value[8];
    int ready;
} relay;

static void relay_kernel(sa_core *core, void *args)
{
    relay *r = args;
    uint32_t i = sa_block_idx(core), n = sa_block_num(core);
    /* the last block begins: every other waits for its successor */
    if (i + 1 < n)
        sa_ib_wait(core, r->workspace, i + 1, 1);
    r->value[i] = i + 1 < n ? r->value[i + 1] + 1 : 1;
    sa_ib_set(core, r->workspace, i, 1);
    while (i && !__atomic_load_n(&r->ready, __ATOMIC_ACQUIRE))
        sa_yield(core);
    if (i == 0)
        __atomic_store_n(&r->ready, 1, __ATOMIC_RELEASE);
}

static void flags_in_gm_order_blocks(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        static relay r;
        memset(&r, 0, sizeof r);
        sa_error error;
        if (run_kernel(relay_kernel, &r, 8, SA_AIV, &error) != SA_OK)
            fail_msg("%s", error.message);
        for (int i = 0; i < 8; i++)
            assert_int_equal(r.value[i], 8 - i);
    }
}

/* ---- what never comes is named */

static void lost_kernel(sa_core *core, void *args)
{
    (void)args;
    if (sa_kind(core) == SA_AIC && sa_block_idx(core) == 0)
        return;
    if (sa_kind(core) == SA_AIC)
        sa_cross_set(core, 2, SA_PIPE_FIX, 5);
    else
        sa_cross_wait(core, SA_PIPE_V, 5);
}

static void everyone_waits_kernel(sa_core *core, void *args)
{
    (void)args;
    sa_cross_wait(core, SA_PIPE_V, sa_kind(core) == SA_AIC ? 1 : 2);
}

static void bad_flag_kernel(sa_core *core, void *args)
{
    (void)args;
    sa_cross_set(core, 0, SA_PIPE_V, 16);
}

static void deadlocks_are_named(void **state)
{
    (void)state;
    sa_error error;
    assert_int_equal(run_kernel(lost_kernel, NULL, 3, SA_MIX_1_2, &error), SA_ERR_AICORE_EXCEPTION);
    if (!strstr(error.message, "deadlock: of 9 cores, 2 wait") ||
        !strstr(error.message,
                "vector core 1 in CrossCoreWaitFlag (cross_wait) of flag 5 at mix_test.c:"))
        fail_msg("%s", error.message);
    assert_int_equal(run_kernel(everyone_waits_kernel, NULL, 2, SA_MIX_1_1, &error),
                     SA_ERR_AICORE_EXCEPTION);
    if (!strstr(error.message, "of 4 cores, 4 wait"))
        fail_msg("%s", error.message);
    assert_int_equal(run_kernel(bad_flag_kernel, NULL, 1, SA_AIV, &error), SA_ERR_VECTOR_EXCEPTION);
    if (!strstr(error.message, "flag 16: modes are 0 to 2, flags 0 to 15 at mix_test.c:"))
        fail_msg("%s", error.message);
}

/* ---- atomics */

typedef struct pile {
    sa_dtype dtype;
    sa_atomic op;
    _Alignas(64) uint8_t gm[4 * 1000];
} pile;

static void pile_kernel(sa_core *core, void *args)
{
    pile *p = args;
    size_t size = sa_dtype_bytes(p->dtype);
    void *ub = sa_alloc(core, SA_UB, 4000);
    sa_fill(core, p->dtype, ub, (double)(int)sa_block_idx(core) - 3, 1000);
    sa_set_atomic(core, p->op, p->dtype);
    sa_copy_out(core, p->gm, ub, (uint32_t)(500 * size));
    sa_copy_out_2d(core, p->gm + 500 * size, (int64_t)(10 * size), ub, (uint32_t)(32 * size), 25,
                   (uint32_t)(7 * size));
    sa_set_atomic(core, SA_ATOMIC_NONE, SA_F32);
    if (sa_block_idx(core) == 0) { /* moves overwrite again */
        sa_fill(core, p->dtype, ub, 98, 1);
        sa_copy_out(core, p->gm + 999 * size, ub, (uint32_t)size);
        sa_fill(core, p->dtype, ub, 99, 1);
        sa_copy_out(core, p->gm + 999 * size, ub, (uint32_t)size);
    }
}

static void blocks_combine_in_gm(void **state)
{
    (void)state;
    static const sa_dtype types[] = {SA_F32, SA_F16, SA_BF16, SA_I8, SA_I16, SA_I32};
    for (size_t k = 0; k < COUNT(types); k++)
        for (int op = SA_ATOMIC_ADD; op <= SA_ATOMIC_MIN; op++) {
            static pile p;
            memset(&p, 0, sizeof p);
            p.dtype = types[k];
            p.op = (sa_atomic)op;
            sa_error error;
            if (run_kernel(pile_kernel, &p, 16, SA_AIV, &error) != SA_OK)
                fail_msg("%s", error.message);
            /* blocks bring -3 … 12 to a zero */
            long double want = op == SA_ATOMIC_ADD ? 72 : op == SA_ATOMIC_MAX ? 12 : -3;
            for (uint32_t i = 0; i < 1000; i++) {
                long double got = value_of(p.dtype, bits_at(p.dtype, p.gm, i));
                bool touched = i < 500 || (i < 750 && i % 10 < 7);
                long double expect = i == 999 ? 99 : touched ? want : 0;
                if (got != expect)
                    fail_msg("%s, atomic %d: element %u is %Lg, not %Lg", sa_dtype_name(p.dtype),
                             op, i, got, expect);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_blocks_have_cube_and_vector_cores),
        cmocka_unit_test(coupled_chips_have_one_core_a_block),
        cmocka_unit_test(coupled_chips_say_what_they_lack),
        cmocka_unit_test(cube_and_vector_cores_take_turns),
        cmocka_unit_test(groups_meet),
        cmocka_unit_test(flags_in_gm_order_blocks),
        cmocka_unit_test(deadlocks_are_named),
        cmocka_unit_test(blocks_combine_in_gm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
