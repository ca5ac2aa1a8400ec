/* Whether two accesses share bytes, against byte by byte. */
#include "core/check/touches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 512, BASE = 4096 };

static void mark(const sa_span *s, unsigned char *map)
{
    memset(map, 0, BYTES);
    for (uint32_t r = 0; r < s->rows; r++)
        memset(map + (s->start - BASE) + r * s->pitch, 1, s->row_bytes);
}

static sa_span any_span(int64_t pitch)
{
    sa_access access = {.rows = 1 + (uint32_t)rand() % 6,
                        .row_bytes = 1 + (uint32_t)rand() % 12,
                        .pitch_bytes = pitch ? pitch : rand() % 40,
                        .address = BASE + (uintptr_t)(rand() % 240)};
    return sa_span_of(&access);
}

static void spans_overlap_as_bytes_do(void **state)
{
    (void)state;
    srand(7);
    int shared = 0;
    for (int i = 0; i < 200000; i++) {
        int64_t pitch = i % 2 ? 1 + rand() % 40 : 0; /* half of them at one pitch */
        sa_span a = any_span(pitch), b = any_span(pitch);
        unsigned char in_a[BYTES], in_b[BYTES];
        mark(&a, in_a);
        mark(&b, in_b);
        bool expected = false;
        for (int at = 0; at < BYTES; at++)
            expected |= in_a[at] && in_b[at];
        uintptr_t from = 0, to = 0;
        assert_int_equal(sa_span_overlap(&a, &b, &from, &to), expected);
        shared += expected;
        if (expected) {
            assert_true(from < to);
            for (uintptr_t at = from - BASE; at < to - BASE; at++)
                assert_true(in_a[at] && in_b[at]);
        }
    }
    assert_in_range(shared, 20000, 180000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spans_overlap_as_bytes_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
