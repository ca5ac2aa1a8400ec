/* Tiling functions of the host for high-level functions, and kernels that run by what they filled:
 * the shape is the only thing that both sides agree on. */
#include "harness.h"

#include "ascendc/tiling/function_tiling.h"

using namespace AscendC;

constexpr uint32_t ROWS = 6, COLS = 40;

/* How much room there is to be: whole blocks, the least no more than the most. */
static void test_room(void **)
{
    const ge::Shape shape({ROWS, COLS});
    platform_ascendc::PlatformAscendC platform;
    uint32_t most[8] = {}, least[8] = {};
    GetSigmoidMaxMinTmpSize(shape, 4, false, most[0], least[0]);
    GetGeluMaxMinTmpSize(shape, 4, most[1], least[1]);
    GetLayerNormMaxMinTmpSize(shape, 4, false, most[2], least[2]);
    GetTopKMaxMinTmpSize(platform, COLS, ROWS, false, false, TopKMode::TOPK_NORMAL, true, 4,
                         most[3], least[3]);
    GetPowerMaxMinTmpSize(shape, shape, false, 4, false, most[4], least[4]);
    GetPadMaxMinTmpSize(shape, 4, most[5], least[5]);
    most[6] = GetSoftMaxMaxTmpSize(shape, 4, false),
    least[6] = GetSoftMaxMinTmpSize(shape, 4, false);
    most[7] = least[7] = GetSortTmpSize(platform, 64, 4);
    for (int i = 0; i < 8; i++) {
        assert_true(least[i] > 0 && least[i] % 32 == 0 && least[i] <= most[i]);
    }
}

static SoftMaxTiling softmax;
static LayerNormTiling norm;
static RmsNormTiling rms;

/* Kernels that take no shape but the tiling's. */
static void test_rows(void **)
{
    const ge::Shape shape({2, ROWS / 2, COLS});
    SoftMaxTilingFunc(shape, 4, 1024, softmax);
    GetLayerNormNDTilingInfo(shape, 1024, 4, false, norm);
    assert_true(GetRmsNormTilingInfo(shape, shape, 1024, 4, rms));
    std::vector<float> x = samples<float>(ROWS * COLS);
    std::vector<float> ones(COLS, 1), zeros(COLS, 0);
    std::vector<float> got =
        run(pack(x, ones, zeros), std::vector<float>(3 * ROWS * COLS + 16), [](const ub &u) {
            LocalTensor<float> s = u.from<float>(0), d = u.to<float>();
            LocalTensor<float> g = u.from<float>(ROWS * COLS * 4), b = g[COLS];
            SoftMax<float>(d, s, softmax);
            LayerNorm(d[ROWS * COLS], d[3 * ROWS * COLS], d[3 * ROWS * COLS + 8], s, g, b, 1e-5f,
                      norm);
            RmsNorm(d[2 * ROWS * COLS], s, g, 1e-5f, rms);
        });
    for (uint32_t r = 0; r < ROWS; r++) {
        double total = 0, mean = 0, squares = 0;
        for (uint32_t c = 0; c < COLS; c++) {
            double v = x[r * COLS + c];
            total += std::exp(v), mean += v / COLS, squares += v * v / COLS;
        }
        for (uint32_t c = 0; c < COLS; c++) {
            double v = x[r * COLS + c];
            const double want[] = {std::exp(v) / total,
                                   (v - mean) / std::sqrt(squares - mean * mean + 1e-5),
                                   v / std::sqrt(squares + 1e-5)};
            for (uint32_t k = 0; k < 3; k++) {
                double g = got[k * ROWS * COLS + r * COLS + c];
                if (!(std::fabs(g - want[k]) <= 4e-6)) {
                    fail_msg("function %u, row %u, column %u: %.9g, expected %.9g", k, r, c, g,
                             want[k]);
                }
            }
        }
    }
}

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(test_room), cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, begin, end);
}
