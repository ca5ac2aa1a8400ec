/* What a kernel asks of its surroundings through the Ascend C door: tiling structures as op
 * projects declare them, tiling keys, block indices under both spellings, barriers between blocks,
 * assert, printf, and the host's questions about the chip. */
#include "harness.h"

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling
{
BEGIN_TILING_DATA_DEF(InnerTiling)
TILING_DATA_FIELD_DEF(uint16_t, rows);
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(SystemTiling)
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF_ARR(int64_t, 3, sizes);
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF_STRUCT(InnerTiling, inner);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(System, SystemTiling)
} // namespace optiling

using namespace AscendC;

enum { TILING, KEY, NO_KEY, ASSERT, NULL_TENSOR, NO_PIPE, SUBSET, CHAIN, TURNS };
static int line;

extern "C" __global__ __aicore__ void system_kernel(GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling,
                                                    int what)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(optiling::SystemTiling);
    GlobalTensor<float> z;
    z.SetGlobalBuffer((__gm__ float *)out, 64);
    switch (what) {
    case TILING: {
        GET_TILING_DATA(data, tiling);
        GET_TILING_DATA_WITH_STRUCT(optiling::SystemTiling, again, tiling);
        GET_TILING_DATA_MEMBER(optiling::SystemTiling, inner, inner, tiling);
        int64_t of_old = block_idx, block_idx = get_block_idx();
        bool here = of_old == block_idx && GetBlockIdx() == block_idx && get_block_num() == 4;
        if ASCEND_IS_AIV {
            z.SetValue((uint64_t)GetBlockIdx(), here ? (float)data.length * again.scale : 0);
        }
        SyncAll();
        if (GetBlockIdx() == 3) {
            float sum = 0;
            for (int i = 0; i < GetBlockNum(); i++) {
                sum += z.GetValue((uint64_t)i);
            }
            z.SetValue(8, sum + (float)inner.rows + (float)data.sizes[2]);
            printf("%s %d %.1f\n", "sum", 3, (float)half(sum));
        }
        return;
    }
    case KEY:
        softascend::set_tiling_key(10);
        z.SetValue(0, TILING_KEY_IS(10) && !TILING_KEY_IS(11) ? 1 : -1);
        return;
    case NO_KEY:
        line = __LINE__ + 1;
        if (TILING_KEY_IS(1)) {
            z.SetValue(0, 0);
        }
        return;
    case ASSERT:
        line = __LINE__ + 1;
        assert(what == 99, "what is %d", what);
        return;
    case NULL_TENSOR: {
        GlobalTensor<float> none;
        line = __LINE__ + 1;
        z.SetValue(0, none.GetValue(5));
        return;
    }
    case NO_PIPE:
        line = __LINE__ + 1;
        GetTPipePtr()->Reset();
        return;
    case SUBSET: { /* three of four blocks meet, twice */
        GlobalTensor<int32_t> counts;
        counts.SetGlobalBuffer((__gm__ int32_t *)GetUserWorkspace(workspace), 64);
        for (int round = 0; round < 2 && GetBlockIdx() < 3; round++) {
            SyncAll(counts, LocalTensor<int32_t>(), 3);
        }
        z.SetValue((uint64_t)GetBlockIdx(), 5);
        return;
    }
    case CHAIN: { /* a block goes on from what the one before it left, by two events */
        GlobalTensor<int32_t> events;
        events.SetGlobalBuffer((__gm__ int32_t *)GetUserWorkspace(workspace), 256);
        LocalTensor<int32_t> ub;
        const int me = (int)GetBlockIdx(), last = (int)GetBlockNum() - 1;
        for (int event = 0; event < 2; event++) {
            if (me > 0) {
                IBWait(events, ub, me - 1, event);
            }
            const float before = me > 0 ? z.GetValue((uint64_t)(event * 8 + me - 1)) : (float)event;
            z.SetValue((uint64_t)(event * 8 + me), 3 * before + 1);
            if (me < last) {
                IBSet(events, ub, me, event);
            }
        }
        return;
    }
    case TURNS: { /* every block appends twice, in the order of the blocks */
        GlobalTensor<int32_t> counts;
        counts.SetGlobalBuffer((__gm__ int32_t *)GetUserWorkspace(workspace), 256);
        LocalTensor<int32_t> ub;
        InitDetermineComputeWorkspace(counts, ub);
        for (int round = 0; round < 2; round++) {
            WaitPreBlock(counts, ub);
            const uint64_t length = (uint64_t)z.GetValue(0);
            z.SetValue(1 + length, (float)GetBlockIdx());
            z.SetValue(0, (float)(length + 1));
            NotifyNextBlock(counts, ub);
        }
        return;
    }
    }
}
SOFTASCEND_KERNEL(system_kernel, GM_ADDR, GM_ADDR, GM_ADDR, int)

static float *out;
static uint8_t *workspace, *tiling;

static int run_system(int what, uint32_t blocks)
{
    std::memset(out, 0, 256);
    std::memset(workspace, 0, 1024);
    ACLRT_LAUNCH_KERNEL(system_kernel)(blocks, stream, (GM_ADDR)out, workspace, tiling, what);
    return aclrtSynchronizeStream(stream);
}

static void test_values(void **)
{
    optiling::SystemTiling data;
    const int64_t sizes[] = {1, 2, (int64_t)1 << 20};
    data.set_length(6);
    data.set_sizes(sizes);
    data.set_scale(0.5f);
    data.inner.set_rows(7);
    data.SaveToBuffer(tiling, 256);
    assert_true(data.get_length() == 6 && data.GetDataSize() == sizeof data);
    assert_int_equal(run_system(TILING, 4), 0);
    assert_true(out[0] == 3 && out[3] == 3 && out[8] == 12 + 7 + (1 << 20));
    assert_int_equal(run_system(KEY, 1), 0);
    assert_true(out[0] == 1);
    assert_int_equal(run_system(SUBSET, 4), 0);
    assert_true(out[0] == 5 && out[3] == 5);

    assert_int_equal(run_system(CHAIN, 6), 0);
    const float chain[2][6] = {{1, 4, 13, 40, 121, 364}, {4, 13, 40, 121, 364, 1093}};
    for (int event = 0; event < 2; event++) {
        assert_memory_equal(out + event * 8, chain[event], sizeof chain[event]);
    }
    assert_int_equal(run_system(TURNS, 5), 0);
    const float turns[] = {10, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
    assert_memory_equal(out, turns, sizeof turns);
}

static void test_faults(void **)
{
    static const struct {
        int what;
        const char *text;
    } cases[] = {
        {NO_KEY, "TILING_KEY_IS: this launch has no tiling key"},
        {ASSERT, "assertion 'what == 99' failed: what is 3"},
        {NULL_TENSOR, "GlobalTensor::GetValue: element 5 of a tensor at"},
        {NO_PIPE, "GetTPipePtr: this block has no TPipe"},
    };
    for (const auto &c : cases) {
        aclrtStream own;
        assert_int_equal(aclrtCreateStream(&own), ACL_SUCCESS);
        ACLRT_LAUNCH_KERNEL(system_kernel)(1, own, (GM_ADDR)out, workspace, tiling, c.what);
        assert_int_equal(aclrtSynchronizeStream(own), 507035);
        const char *message = aclGetRecentErrMsg();
        char where[64];
        std::snprintf(where, sizeof where, "test_system.cpp:%d", line);
        if (!message || !std::strstr(message, c.text) || !std::strstr(message, where)) {
            fail_msg("expected '%s' and %s in: %s", c.text, where, message ? message : "(none)");
        }
        aclrtDestroyStream(own);
    }
}

/* Both vector cores tell their cube core, which adds up what they wrote and tells them. */
__aicore__ inline void mixed(GM_ADDR gm)
{
    GlobalTensor<float> z;
    z.SetGlobalBuffer((__gm__ float *)gm, 64);
    const uint64_t me = (uint64_t)GetBlockIdx();
    if ASCEND_IS_AIV {
        z.SetValue(me, (float)(10 * me) + (float)GetSubBlockIdx());
        CrossCoreSetFlag<2, PIPE_MTE3>(3);
        CrossCoreWaitFlag(4);
        z.SetValue(32 + me, z.GetValue(16 + me / 2) * (float)GetTaskRation());
    }
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag<2, PIPE_FIX>(3);
        z.SetValue(16 + me, z.GetValue(2 * me) + z.GetValue(2 * me + 1));
        CrossCoreSetFlag<2, PIPE_FIX>(4);
    }
    SyncAll<false>();
}

static void test_mixed(void **)
{
    std::memset(out, 0, 256);
    softascend::enqueue(mixed, softascend::KERNEL_MIX_1_2, "mixed", 3, stream, (GM_ADDR)out);
    if (aclrtSynchronizeStream(stream) != ACL_SUCCESS) {
        fail_msg("%s", aclGetRecentErrMsg());
    }
    for (int core = 0; core < 6; core++) {
        assert_true(out[core] == 10 * core + core % 2);
        assert_true(out[32 + core] == 2 * (out[core / 2 * 2] + out[core / 2 * 2 + 1]));
    }
}

static void test_platform(void **)
{
    platform_ascendc::PlatformAscendC *chip =
        platform_ascendc::PlatformAscendCManager::GetInstance();
    uint64_t ub = 0, l2 = 0;
    chip->GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    chip->GetCoreMemSize(platform_ascendc::CoreMemType::L2, l2);
    assert_int_equal(ub, 192 << 10); /* 910B1: public figures */
    assert_int_equal(l2, 192 << 20);
    assert_int_equal(chip->GetCoreNumAic(), 24);
    assert_int_equal(chip->GetCoreNumAiv(), 48);
}

static int begin_system(void **state)
{
    void *p[3];
    int error = begin(state);
    for (void *&d : p) {
        error = error ? error : (int)aclrtMalloc(&d, 256, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    out = (float *)p[0], workspace = (uint8_t *)p[1], tiling = (uint8_t *)p[2];
    return error;
}

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_faults),
                                cmocka_unit_test(test_mixed), cmocka_unit_test(test_platform)};
    return cmocka_run_group_tests(tests, begin_system, end);
}
