/* The scheduler as a pure function: every element is dealt once, and no core idles while another
 * has two left. */
#include "ops/scheduler.h"
#include "support.h"

static void check(int64_t batch, int64_t m, int64_t n, uint32_t tile_m, uint32_t tile_n,
                  uint32_t pieces, uint32_t cores)
{
    sa_scheduler s;
    int64_t least = INT64_MAX, most = 0, covered = 0;
    unsigned char *seen = calloc((size_t)(batch * m * n), 1);

    sa_scheduler_make(&s, batch, m, n, tile_m, tile_n, 16, pieces, cores);
    assert_true(s.cores >= 1 && s.cores <= cores);
    for (uint32_t core = 0; core < s.cores; core++) {
        int64_t count = sa_scheduler_count(&s, core);
        least = count < least ? count : least;
        most = count > most ? count : most;
        for (int64_t i = 0; i < count; i++) {
            sa_tile t = sa_scheduler_tile(&s, core, i);
            assert_true(t.rows >= 1 && t.rows <= tile_m && t.cols >= 1 && t.cols <= tile_n);
            assert_true(t.row % 16 == 0 && t.col % 16 == 0);
            assert_true(t.row + t.rows <= m && t.col + t.cols <= n);
            assert_true(t.batch >= 0 && t.batch < batch);
            covered += (int64_t)t.rows * t.cols;
            for (uint32_t r = 0; r < t.rows; r++)
                for (uint32_t c = 0; c < t.cols; c++)
                    assert_int_equal(seen[(t.batch * m + t.row + r) * n + t.col + c]++, 0);
        }
    }
    assert_int_equal(covered, batch * m * n);
    if (s.cores < cores) /* some core idles: nobody has two */
        least = 0;
    if (most - least > 1)
        fail_msg("batch %lld, %lldx%lld on %u cores: one core has %lld left, another %lld",
                 (long long)batch, (long long)m, (long long)n, cores, (long long)most,
                 (long long)least);
    free(seen);
}

static void deals_every_element_once_and_evenly(void **state)
{
    static const int64_t sizes[] = {1, 7, 15, 16, 17, 63, 64, 100, 129, 255, 257, 513, 1000};
    static const uint32_t cores[] = {1, 2, 3, 20, 24, 48};
    static const uint32_t pieces[] = {1, 2, 5, 1024};
    const size_t count = sizeof sizes / sizeof *sizes;

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            for (size_t c = 0; c < sizeof cores / sizeof *cores; c++) {
                check(1, sizes[i], sizes[j], 128, 256, pieces[(i + j + c) % 4], cores[c]);
                if (sizes[i] * sizes[j] < 20000)
                    check(3, sizes[i], sizes[j], 32, 16, pieces[(i + j + c) % 4], cores[c]);
            }
}

/* Elements of the busiest core over the mean: 1 is perfect. */
static double imbalance(int64_t m, int64_t n, uint32_t cores)
{
    sa_scheduler s;
    int64_t most = 0;

    sa_scheduler_make(&s, 1, m, n, 128, 256, 16, 1024, cores);
    for (uint32_t core = 0; core < s.cores; core++) {
        int64_t elements = 0;
        for (int64_t i = 0; i < sa_scheduler_count(&s, core); i++) {
            sa_tile t = sa_scheduler_tile(&s, core, i);
            elements += (int64_t)t.rows * t.cols;
        }
        most = elements > most ? elements : most;
    }
    return (double)most * cores / ((double)m * (double)n);
}

/* The article's claim for its scheduler is over 90% of the cores at work. */
static void tails_fill_the_cores(void **state)
{
    static const int64_t sizes[] = {1024, 1536, 2048, 3000, 4096, 5000, 8192};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
            for (uint32_t cores = 20; cores <= 24; cores += 4) {
                double over = imbalance(sizes[i], sizes[j], cores);
                if (over > 1 / 0.9)
                    fail_msg("%lldx%lld on %u cores: %.0f%% of the cores at work",
                             (long long)sizes[i], (long long)sizes[j], cores, 100 / over);
            }
}

static void counts_beyond_32_bits(void **state)
{
    sa_scheduler s;
    sa_tile t;

    (void)state;
    sa_scheduler_make(&s, 3, INT64_C(5000000000), 40, 128, 48, 16, 64, 24);
    t = sa_scheduler_tile(&s, s.cores - 1, sa_scheduler_count(&s, s.cores - 1) - 1);
    assert_int_equal(t.batch, 2);
    assert_int_equal(t.row + t.rows, INT64_C(5000000000));
    assert_int_equal(t.col + t.cols, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deals_every_element_once_and_evenly),
        cmocka_unit_test(tails_fill_the_cores),
        cmocka_unit_test(counts_beyond_32_bits),
    };
    return cmocka_run_group_tests_name("scheduler", tests, NULL, NULL);
}
