/* The host-side tilings as pure functions of shape, dtype and chip. */
#include "ops/matmul/matmul.h"
#include "ops/sigmoid/kernel.h"
#include "ops/sigmoid_backward/kernel.h"
#include "support.h"

static const sa_dtype floats[] = {SA_F32, SA_F16, SA_BF16};
static const char *const chips[] = {"Ascend910B1", "Ascend910B4"};

static void check_matmul(const sa_chip *chip, sa_dtype dtype, int64_t m, int64_t n, int64_t k)
{
    uint64_t bytes = sa_dtype_bytes(dtype);
    sa_matmul_tiling t;

    sa_matmul_tile(chip, dtype, 1, m, n, k, &t);
    assert_true(t.tile_m > 0 && t.tile_m % 16 == 0 && t.tile_m < m + 16);
    assert_true(t.tile_n > 0 && t.tile_n % 16 == 0 && t.tile_n < n + 16);
    assert_true(t.k_l0 > 0 && t.k_l0 % 16 == 0);
    assert_true(t.k_l1 > 0 && t.k_l1 % t.k_l0 == 0);
    assert_true(2 * t.tile_m * t.k_l0 * bytes <= chip->l0a_bytes);
    assert_true(2 * t.tile_n * t.k_l0 * bytes <= chip->l0b_bytes);
    assert_true((uint64_t)t.tile_m * t.tile_n * 4 <= chip->l0c_bytes);
    assert_true(2 * (t.tile_m + t.tile_n) * t.k_l1 * bytes <= chip->l1_bytes);
    assert_true(t.deal.cores >= 1 && t.deal.cores <= chip->ai_cores);
}

static void matmul_tiles_fit_the_memories(void **state)
{
    static const int64_t sizes[] = {1, 2, 15, 16, 17, 63, 100, 128, 1000, 1024, 4097, 1 << 20};
    const size_t count = sizeof sizes / sizeof *sizes;

    (void)state;
    for (size_t c = 0; c < 2; c++) {
        sa_chip chip;
        assert_int_equal(sa_chip_find(chips[c], &chip), 0);
        for (size_t d = 0; d < 3; d++)
            for (size_t i = 0; i < count * count * count; i++)
                check_matmul(&chip, floats[d], sizes[i % count], sizes[i / count % count],
                             sizes[i / count / count]);
    }
}

static void sigmoid_tiles_fit_and_cover(void **state)
{
    static const int64_t totals[] = {0,
                                     1,
                                     63,
                                     64,
                                     32767,
                                     32768,
                                     32769,
                                     65537,
                                     1 << 22,
                                     (1 << 22) + 1,
                                     INT64_C(1) << 31,
                                     (INT64_C(1) << 33) + 5};
    const uint32_t ub = 192 * 1024;

    (void)state;
    for (size_t d = 0; d < 3; d++)
        for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
            for (int backward = 0; backward < 2; backward++) {
                uint32_t bytes =
                    backward ? sa_sigmoid_backward_bytes(floats[d]) : sa_sigmoid_bytes(floats[d]);
                sa_sigmoid_tiling t = sa_sigmoid_tile(totals[i], ub, bytes);
                if (totals[i] == 0) {
                    assert_int_equal(t.tiles, 0);
                    continue;
                }
                assert_true(t.tile_length >= 1 && t.tile_length <= 32768);
                assert_true((uint64_t)t.tile_length * bytes <= ub);
                assert_true(t.last_tile_length >= 1 && t.last_tile_length <= t.tile_length);
                assert_int_equal((t.tiles - 1) * t.tile_length + t.last_tile_length, totals[i]);
            }
    /* min(32 K, what UB holds): 2 buffers of fp16 leave room for 48 K, of fp32 for 24 K */
    assert_int_equal(sa_sigmoid_tile(1 << 20, ub, sa_sigmoid_bytes(SA_F16)).tile_length, 32768);
    assert_int_equal(sa_sigmoid_tile(1 << 20, ub, sa_sigmoid_bytes(SA_F32)).tile_length, 24576);
}

/* More than 2^31 elements, without allocating them. */
static void shares_cover_beyond_31_bits(void **state)
{
    static const int64_t totals[] = {
        0, 1, 255, 257, (INT64_C(1) << 31) + 3, (INT64_C(1) << 35) + 1};
    static const uint32_t blocks[] = {1, 2, 20, 48};

    (void)state;
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        for (size_t j = 0; j < 4; j++) {
            int64_t expected = 0, least = INT64_MAX, most = 0;
            for (uint32_t b = 0; b < blocks[j]; b++) {
                int64_t begin, count;
                sa_share(totals[i], SA_SIGMOID_UNIT, b, blocks[j], &begin, &count);
                assert_int_equal(begin, expected);
                expected += count;
                least = count < least ? count : least;
                most = count > most ? count : most;
            }
            assert_int_equal(expected, totals[i]);
            assert_true(most - least < 2 * SA_SIGMOID_UNIT); /* the last may be cut short */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matmul_tiles_fit_the_memories),
        cmocka_unit_test(sigmoid_tiles_fit_and_cover),
        cmocka_unit_test(shares_cover_beyond_31_bits),
    };
    return cmocka_run_group_tests_name("tiling", tests, NULL, NULL);
}
