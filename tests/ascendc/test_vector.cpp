/* Compare and select, reductions, rearranging and sorting of the Ascend C door against plain loops
 * in double. */
#include "harness.h"

#include <algorithm>
#include <numeric>

using namespace AscendC;

/* ---- compare, select */

static void test_compare(void **)
{
    static CMPMODE mode;
    const struct {
        CMPMODE mode;
        bool (*f)(float, float);
    } modes[] = {
        {CMPMODE::LT, [](float a, float b) { return a < b; }},
        {CMPMODE::GT, [](float a, float b) { return a > b; }},
        {CMPMODE::EQ, [](float a, float b) { return a == b; }},
        {CMPMODE::LE, [](float a, float b) { return a <= b; }},
        {CMPMODE::GE, [](float a, float b) { return a >= b; }},
        {CMPMODE::NE, [](float a, float b) { return a != b; }},
    };
    std::vector<float> x = samples<float>(128), y = samples<float>(128, 3);
    for (int i = 0; i < 128; i += 3) {
        y[i] = x[i];
    }
    for (const auto &m : modes) {
        mode = m.mode;
        std::vector<uint8_t> bits = run(pack(x, y), std::vector<uint8_t>(96), [](const ub &u) {
            Compare(u.to<uint8_t>(0), u.from<float>(0), u.from<float>(512), mode, 128);
            CompareScalar(u.to<uint8_t>(32), u.from<float>(0), 0.5f, mode, 128);
            Compare(u.to<uint8_t>(64), u.from<float>(0), u.from<float>(512), mode, 64, 2,
                    {1, 1, 1, 8, 8, 8});
        });
        for (int i = 0; i < 128; i++) {
            assert_int_equal(bits[i / 8] >> i % 8 & 1, m.f(x[i], y[i]));
            assert_int_equal(bits[32 + i / 8] >> i % 8 & 1, m.f(x[i], 0.5f));
            assert_int_equal(bits[64 + i / 8] >> i % 8 & 1, m.f(x[i], y[i]));
        }
    }
    std::vector<uint8_t> mask(32);
    for (int i = 0; i < 32; i++) {
        mask[i] = (uint8_t)(i * 37 + 11);
    }
    auto bit = [&](int i) { return mask[i / 8] >> i % 8 & 1; };
    std::vector<float> got = run(pack(x, y, mask), std::vector<float>(4 * 128), [](const ub &u) {
        LocalTensor<float> a = u.from<float>(0), b = u.from<float>(512);
        LocalTensor<uint8_t> m = u.from<uint8_t>(1024);
        Select(u.to<float>(0), m, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 101);
        Select(u.to<float>(512), m, a, 7.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 101);
        Select(u.to<float>(1024), m, a, b, SELMODE::VSEL_CMPMASK_SPR, 64, 2, {1, 1, 1, 8, 8, 8});
        Select(u.to<float>(1536), m, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64, 2,
               {1, 1, 1, 8, 8, 8});
    });
    for (int i = 0; i < 128; i++) {
        assert_true(got[i] == (i >= 101 ? 0 : bit(i) ? x[i] : y[i]));
        assert_true(got[128 + i] == (i >= 101 ? 0 : bit(i) ? x[i] : 7));
        assert_true(got[256 + i] == (bit(i % 64) ? x[i] : y[i]));
        assert_true(got[384 + i] == (bit(i) ? x[i] : y[i]));
    }
}

/* ---- reductions; sums of these samples are exact */

static void test_reduce(void **)
{
    constexpr uint32_t n = 333;
    std::vector<float> x = samples<float>(512);
    std::vector<float> got = run(x, std::vector<float>(1024, -9), [](const ub &u) {
        LocalTensor<float> s = u.from<float>(0), d = u.to<float>(), t = u.to<float>(2048);
        ReduceSum(d[0], s, t, n);
        ReduceMax(d[8], s, t, n, true);
        ReduceMin(d[16], s, t, n, true);
        ReduceMax(d[24], s, t, n);
        WholeReduceSum(d[32], s, 50, 4, 1, 1, 8);
        WholeReduceMax(d[40], s, 50, 4, 1, 1, 8);
        WholeReduceMin(d[48], s, 50, 4, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        BlockReduceSum(d[56], s, 2, 64, 1, 1, 8);
        BlockReduceMax(d[72], s, 2, 64, 1, 1, 8);
        PairReduceSum(d[96], s, 2, 64, 1, 1, 8);
        ReduceSum(d[160], s, t, 40, 3, 8);
    });
    auto sum = [&](int from, int count) {
        return std::accumulate(x.begin() + from, x.begin() + from + count, 0.0);
    };
    auto largest = [&](int from, int count) {
        return std::max_element(x.begin() + from, x.begin() + from + count) - x.begin();
    };
    auto smallest = [&](int from, int count) {
        return std::min_element(x.begin() + from, x.begin() + from + count) - x.begin();
    };
    auto index = [&](int at) {
        uint32_t bits;
        std::memcpy(&bits, &got[at], 4);
        return (int)bits;
    };
    assert_true(got[0] == sum(0, n));
    assert_true(got[8] == x[largest(0, n)] && index(9) == largest(0, n));
    assert_true(got[16] == x[smallest(0, n)] && index(17) == smallest(0, n));
    assert_true(got[24] == x[largest(0, n)] && got[25] == -9);
    for (int r = 0; r < 4; r++) {
        assert_true(got[32 + r] == sum(r * 64, 50));
        assert_true(got[40 + 2 * r] == x[largest(r * 64, 50)]);
        assert_true(index(41 + 2 * r) == largest(r * 64, 50) - r * 64);
        assert_true(got[48 + r] == x[smallest(r * 64, 50)]);
    }
    for (int b = 0; b < 16; b++) {
        assert_true(got[56 + b] == sum(b * 8, 8));
        assert_true(got[72 + b] == x[largest(b * 8, 8)]);
    }
    for (int p = 0; p < 64; p++) {
        assert_true(got[96 + p] == x[2 * p] + x[2 * p + 1]);
    }
    assert_true(got[160] == sum(0, 40) + sum(64, 40) + sum(128, 40));
}

/* ---- rearranging */

static void test_arrange(void **)
{
    std::vector<float> x = samples<float>(256);
    std::vector<uint32_t> offsets(64);
    for (uint32_t i = 0; i < 64; i++) {
        offsets[i] = i * 29 % 64 * 4;
    }
    std::vector<uint8_t> pattern(64);
    for (int i = 0; i < 32; i++) {
        pattern[i] = (uint8_t)(i * 73 + 5);
    }
    static uint64_t count[2];
    std::vector<float> got =
        run(pack(x, offsets, pattern), std::vector<float>(2048, -9), [](const ub &u) {
            LocalTensor<float> s = u.from<float>(0), d = u.to<float>();
            LocalTensor<uint32_t> off = u.from<uint32_t>(1024);
            Gather(d, s, off, 8u, 61u);
            Scatter(d[64], s, off, 0u, 64u);
            GatherMask(d[128], s, u.from<uint32_t>(1280), true, 60, {1, 2, 8, 1}, count[0]);
            GatherMask(d[384], s, (uint8_t)1, false, 0, {1, 2, 8, 0}, count[1]);
            Brcb(d[512], s, 2, {1, 8});
            CreateVecIndex(u.to<int32_t>(4 * 704), 5, 40);
            ArithProgression(d[768], 1.0f, 0.25f, 30);
            const uint32_t to_rows[] = {5, 16}, from_row[] = {1, 16}, from_col[] = {5, 1};
            Broadcast<float, 2, 0>(d[832], s, to_rows, from_row);
            Broadcast<float, 2, 1>(d[960], s, to_rows, from_col);
        });
    for (int i = 0; i < 61; i++) {
        assert_true(got[i] == x[2 + offsets[i] / 4]);
    }
    for (int i = 0; i < 64; i++) {
        assert_true(got[64 + offsets[i] / 4] == x[i]);
    }
    uint32_t kept = 0;
    for (int i = 0; i < 120; i++) { /* the second repeat's bits begin a block further: zeros */
        if (i < 60 && (pattern[i / 8] >> i % 8 & 1)) {
            assert_true(got[128 + kept++] == x[i]);
        }
    }
    assert_int_equal(count[0], kept);
    for (int i = 0; i < 64; i++) {
        assert_true(got[384 + i] == x[2 * i]);
    }
    assert_int_equal(count[1], 64);
    for (int i = 0; i < 128; i++) {
        assert_true(got[512 + i] == x[i / 8]);
    }
    for (int i = 0; i < 40; i++) {
        int32_t index;
        std::memcpy(&index, &got[704 + i], 4);
        assert_int_equal(index, 5 + i);
    }
    for (int i = 0; i < 30; i++) {
        assert_true(got[768 + i] == 1 + 0.25f * (float)i);
    }
    for (int i = 0; i < 80; i++) {
        assert_true(got[832 + i] == x[i % 16]);
        assert_true(got[960 + i] == x[i / 16]);
    }
    /* 16 x 16, and the same by lists of addresses */
    std::vector<half> h = samples<half>(256);
    std::vector<half> t = run(h, std::vector<half>(512), [](const ub &u) {
        LocalTensor<half> s = u.from<half>(0), d = u.to<half>();
        Transpose(d, s);
        LocalTensor<half> from[16], to[16];
        for (int i = 0; i < 16; i++) {
            from[i] = s[i * 16];
            to[i] = d[256 + i * 16];
        }
        TransDataTo5HD<half>(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
    });
    for (int i = 0; i < 256; i++) {
        assert_true((float)t[i] == (float)h[i % 16 * 16 + i / 16]);
        assert_true((float)t[256 + i] == (float)h[i % 16 * 16 + i / 16]);
    }
}

/* ---- sorting: 32 at a time, merged, taken apart */

static void test_sort(void **)
{
    std::vector<float> x = samples<float>(128);
    std::vector<uint32_t> index(128);
    std::iota(index.begin(), index.end(), 0u);
    std::vector<float> got = run(pack(x, index), std::vector<float>(1024), [](const ub &u) {
        LocalTensor<float> d = u.to<float>(), runs = d[256], values = d[512];
        Sort32(runs, u.from<float>(0), u.from<uint32_t>(512), 4);
        const uint16_t lengths[4] = {32, 32, 32, 32};
        MrgSortSrcList<float> list(runs, runs[64], runs[128], runs[192]);
        MrgSort(d, list, MrgSort4Info(lengths, false, 15, 1));
        Extract(values, u.to<uint32_t>(4 * 640), d, 4);
        Sort<float, true>(d[768], u.from<float>(0), u.from<uint32_t>(512), runs, 4);
    });
    std::vector<uint32_t> order = index;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return x[a] > x[b]; });
    for (int i = 0; i < 128; i++) {
        uint32_t at, full;
        std::memcpy(&at, &got[640 + i], 4);
        std::memcpy(&full, &got[768 + 2 * i + 1], 4);
        assert_true(got[512 + i] == x[order[i]]);
        assert_true(x[at] == x[order[i]]);
        assert_true(got[768 + 2 * i] == x[order[i]] && x[full] == x[order[i]]);
    }
    /* the 5 largest of 3 rows of 20 live elements, 32 apart */
    std::vector<float> top = run(samples<float>(128), std::vector<float>(64), [](const ub &u) {
        TopkTiling tiling = {};
        TopKInfo info;
        info.outter = 3, info.inner = 32, info.n = 20;
        TopK<float>(u.to<float>(), u.to<int32_t>(128), u.from<float>(0), LocalTensor<int32_t>(),
                    LocalTensor<bool>(), 5, tiling, info, true);
    });
    for (int row = 0; row < 3; row++) {
        std::vector<int> places(20);
        std::iota(places.begin(), places.end(), row * 32);
        std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return x[a] > x[b]; });
        for (int i = 0; i < 5; i++) {
            int32_t at;
            std::memcpy(&at, &top[32 + row * 8 + i], 4);
            assert_true(top[row * 8 + i] == x[places[i]]);
            assert_true(x[row * 32 + at] == x[places[i]]);
        }
    }
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_arrange),
        cmocka_unit_test(test_sort),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
