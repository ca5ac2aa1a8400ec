/* Calls that are small on their own: scalar helpers, questions, fills of GM, tilings of rarer
 * functions; each with the value that its documentation gives. */
#include "harness.h"

#include "ascendc/tiling/function_tiling.h"

using namespace AscendC;

static void test_scalars(void **)
{
    std::vector<int64_t> got =
        run(std::vector<int64_t>(4), std::vector<int64_t>(16), [](const ub &u) {
            LocalTensor<int64_t> d = u.to<int64_t>();
            uint32_t version = 0;
            GetArchVersion(version);
            const int64_t values[] = {
                ScalarGetCountOfValue<1>(0xf0f0),
                ScalarGetCountOfValue<0>(0xf0f0),
                ScalarCountLeadingZero(1),
                ScalarGetSFFValue<1>(0x50),
                ScalarGetSFFValue<0>(0x0f),
                CountBitsCntSameAsSignBit(-1),
                ScalarCast<float, int32_t, RoundMode::CAST_FLOOR>(-2.5f),
                ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(-2.5f),
                (int64_t)(ToFloat(bfloat16_t(1.5f)) * 2),
                version,
                (int64_t)((float)ScalarCast<float, half, RoundMode::CAST_ODD>(0.5f + 0x1p-12f) *
                          2048),
                GetSubBlockNum(),
                GetSystemCycle() > 0,
                GetProgramCounter() != 0,
                GetSysWorkSpacePtr() != nullptr,
            };
            for (uint32_t i = 0; i < 15; i++) {
                d.SetValue(i, values[i]);
            }
        });
    const int64_t want[] = {8, 56, 63, 4, 4, 63, -3, -2, 3, 220, 1025, 1, 1, 1, 1};
    for (int i = 0; i < 15; i++) {
        if (got[i] != want[i]) {
            fail_msg("value %d is %lld, expected %lld", i, (long long)got[i], (long long)want[i]);
        }
    }
}

/* Hints and caches: they change nothing. */
static void test_hints(void **)
{
    std::vector<float> x = samples<float>(64);
    std::vector<float> got = run(x, std::vector<float>(64), [](const ub &u) {
        GlobalTensor<float> none;
        GlobalTensor<uint64_t> words;
        SetNextTaskStart();
        WaitPreTaskEnd();
        ICachePreLoad(1);
        DataCachePreload(words, 0);
        DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(none);
        DataSyncBarrier<MemDsbT::ALL>();
        Adds(u.to<float>(), u.from<float>(0), 0.0f, 64);
        PRINTF("printed by a test: %d\n", 7);
        DumpTensor(u.from<float>(0), 5, 8);
        DumpAccChkPoint(u.from<float>(0), 5, 8, 8);
    });
    assert_memory_equal(got.data(), x.data(), 256);
}

static uint8_t *gm_at;

static void test_fill(void **)
{
    void *memory;
    const uint64_t n = 30011; /* more than one piece, and a tail */
    aclrtMalloc(&memory, (n + 8) * 4, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(memory, (n + 8) * 4, 0, (n + 8) * 4);
    gm_at = (uint8_t *)memory;
    run(std::vector<float>(8), std::vector<float>(16), [](const ub &u) {
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer((float *)gm_at);
        InitGlobalMemory(gm, 30011, 2.5f);
        InitOutput(gm, 5, -1.0f);
        TBuf<> buffer;
        GetTPipePtr()->InitBuffer(buffer, 128);
        LocalTensor<float> part = buffer.GetWithOffset<float>(8, 64);
        LocalTensor<float> sums = u.to<float>();
        Arange(part, 3.0f, 2.0f, 8);
        PipeBarrier<PIPE_V>();
        ReduceSum(sums, part, part, 8);
        sums.SetValue(1, GetReduceRepeatSumSpr<float>());
    });
    std::vector<float> z(n + 8);
    aclrtMemcpy(z.data(), z.size() * 4, memory, z.size() * 4, ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtFree(memory);
    for (uint64_t i = 0; i < n + 8; i++) {
        assert_true(z[i] == (i < 5 ? -1 : i < n ? 2.5f : 0));
    }
}

static void test_tilings(void **)
{
    const ge::Shape shape({2, 3, 40}), live({2, 3, 37}), image({2, 6, 5, 7});
    SoftMaxTiling softmax[4];
    SoftMaxFlashTilingFunc(shape, 4, 1024, softmax[0]);
    SoftMaxFlashV2TilingFunc(shape, 4, 4, 1024, softmax[1], true);
    SoftMaxGradTilingFunc(shape, 4, 1024, softmax[2]);
    LogSoftMaxTilingFunc(shape, 4, 1024, softmax[3]);
    for (const SoftMaxTiling &t : softmax) {
        assert_int_equal(t.srcM, 6);
        assert_int_equal(t.srcK, 40);
    }
    LayerNormGradTiling grad;
    LayerNormGradBetaTiling beta;
    DeepNormTiling deep;
    GetLayerNormGradNDTilingInfo(shape, 1024, 4, false, grad);
    GetLayerNormGradBetaNDTilingInfo(shape, 1024, 4, false, beta);
    assert_true(GetDeepNormTilingInfo(shape, live, 1024, 4, false, false, deep));
    assert_int_equal(grad.bLength * grad.sLength, 6);
    assert_int_equal(beta.hLength, 40);
    assert_int_equal(deep.originalHLength, 37);
    BatchNormTiling batch;
    assert_true(GetBatchNormNDTilingInfo(shape, live, 1024, 4, false, batch));
    assert_int_equal(batch.originalBLength, 2);
    assert_int_equal(batch.meanVarSize, 120);
    GroupNormTiling group;
    GetGroupNormNDTilingInfo(image, 1024, 2, false, 3, group);
    assert_int_equal(group.d, 2);
    assert_int_equal(group.hw, 35);
    assert_int_equal(group.hwAlignSize, 48);
    PadTiling pad;
    UnPadTiling unpad;
    PadTilingFunc(shape, live, 1024, 4, pad);
    UnPadTilingFunc(shape, 1024, 4, unpad);
    assert_int_equal(pad.srcOriWidth, 37);
    assert_int_equal(unpad.srcHeight, 6);
    TopkTiling topk;
    platform_ascendc::PlatformAscendC platform;
    assert_true(TopKTilingFunc(platform, 40, 6, 5, 4, false, TopKMode::TOPK_NORMAL, true, topk));
    assert_int_equal(topk.allDataSize, 240);
    assert_int_equal(GetConcatTmpSize(platform, 64, 4) % 32, 0);
}

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(test_scalars), cmocka_unit_test(test_hints),
                                cmocka_unit_test(test_fill), cmocka_unit_test(test_tilings)};
    return cmocka_run_group_tests(tests, begin, end);
}
