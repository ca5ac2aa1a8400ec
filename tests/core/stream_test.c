/* Large results: rows past the caches at every alignment, and launches that write and fetch ahead
 * for megabytes, in odd tiles. Every byte is where it belongs and none beside. */
#include "harness.h"

static void rows_past_the_caches(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 63, 511, 512, 513, 575, 768, 1000, 4096 + 7};
    static uint8_t from[3 * 5000 + 64], to[3 * 5000 + 256];
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i * 7 + i / 251 + 1);
    EACH_BACKEND(isa)
    {
        for (size_t l = 0; isa->stream_out && l < COUNT(lengths); l++)
            for (size_t at = 0; at < 64; at += 7)
                for (size_t rows = 1; rows <= 3; rows += 2)
                    for (size_t gap = 0; gap <= 9; gap += 9) {
                        size_t n = lengths[l], pitch = n + gap;
                        memset(to, 0, sizeof to);
                        isa->stream_out(to + 64 + at, (int64_t)pitch, from + 63 - at, (int64_t)n,
                                        rows, n);
                        for (size_t i = 0; i < sizeof to; i++) {
                            size_t here = i - 64 - at, r = here / pitch, c = here % pitch;
                            bool live = i >= 64 + at && r < rows && c < n;
                            uint8_t want = live ? from[63 - at + r * n + c] : 0;
                            if (to[i] != want)
                                fail_msg("%s: %zu rows of %zu, %zu apart, at %zu: byte %zu is %d",
                                         isa->backend, rows, n, pitch, at, i, to[i]);
                        }
                    }
    }
}

/* z = 2 (x + y), x and y whole numbers: exact, whatever the pieces. */
enum { LENGTH = 1500011, TILE = 7001 };
typedef struct sums {
    const float *x, *y;
    float *z;
} sums;

static void add_twice(sa_core *core, void *args)
{
    const sums *s = args;
    uint32_t share = (LENGTH - 1) / sa_block_num(core) + 1, begin = share * sa_block_idx(core);
    uint32_t end = begin + share < LENGTH ? begin + share : LENGTH;
    float *x = sa_alloc(core, SA_UB, TILE * 4), *y = sa_alloc(core, SA_UB, TILE * 4);
    for (uint32_t at = begin; at < end; at += TILE) {
        uint32_t n = end - at < TILE ? end - at : TILE;
        sa_copy_in(core, x, s->x + at, n * 4);
        sa_copy_in(core, y, s->y + at, n * 4);
        sa_barrier(core, SA_PIPE_ALL);
        sa_add(core, SA_F32, y, x, y, n);
        sa_barrier(core, SA_PIPE_ALL);
        sa_muls(core, SA_F32, x, y, 2, n);
        sa_barrier(core, SA_PIPE_ALL);
        sa_abs(core, SA_F32, x, x, n);
        sa_barrier(core, SA_PIPE_ALL);
        sa_copy_out(core, s->z + at, x, n * 4);
        sa_barrier(core, SA_PIPE_ALL);
    }
}

static void megabytes(void **state)
{
    (void)state;
    float *x = malloc(LENGTH * 4), *y = malloc(LENGTH * 4), *z = malloc((LENGTH + 1) * 4);
    assert_true(x && y && z);
    for (uint32_t i = 0; i < LENGTH; i++) {
        x[i] = (float)i;
        y[i] = (float)(i % 1000);
    }
    for (uint32_t blocks = 1; blocks <= 13; blocks += 6) {
        sa_error error;
        memset(z, 0xFF, (LENGTH + 1) * 4);
        assert_int_equal(run_kernel(add_twice, &(sums){x, y, z}, blocks, SA_AIV, &error), SA_OK);
        for (uint32_t i = 0; i < LENGTH; i++)
            if (z[i] != 2.0f * (float)(i + i % 1000))
                fail_msg("%u blocks: element %u is %g", blocks, i, (double)z[i]);
        assert_true(z[LENGTH] != z[LENGTH]); /* not touched */
    }
    free(x);
    free(y);
    free(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_past_the_caches),
        cmocka_unit_test(megabytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
