/* Which allocation an address belongs to, and error texts. */
#include "core/gm.h"
#include "harness.h"

#include <pthread.h>

static void blocks_are_found(void **state)
{
    (void)state;
    static char memory[1000];
    sa_gm_block b;
    assert_false(sa_gm_find(memory, &b));
    for (int i = 9; i >= 0; i--)
        assert_int_equal(sa_gm_add(memory + 100 * i, 60, i), SA_OK);
    uint64_t last = 0;
    for (int i = 9; i >= 0; i--) {
        assert_true(sa_gm_find(memory + 100 * i + 59, &b));
        assert_int_equal(b.device, i);
        assert_true(b.address == (uintptr_t)(memory + 100 * i) && b.bytes == 60);
        assert_true(b.ordinal > last);
        last = b.ordinal;
        assert_false(sa_gm_find(memory + 100 * i + 60, &b));
    }
    assert_false(sa_gm_find((void *)((uintptr_t)memory - 1), &b));
    sa_gm_remove(memory + 300);
    assert_false(sa_gm_find(memory + 300, &b));
    assert_true(sa_gm_find(memory + 200, &b));
    sa_gm_remove(memory + 1); /* no block's address */
    assert_true(sa_gm_find(memory, &b));
    for (int i = 0; i < 10; i++)
        sa_gm_remove(memory + 100 * i);
    assert_false(sa_gm_find(memory, &b));
}

static void *adds_and_removes(void *memory)
{
    sa_gm_block b;
    for (int i = 0; i < 2000; i++) {
        sa_gm_add(memory, 64, 0);
        if (!sa_gm_find((char *)memory + 63, &b) || b.address != (uintptr_t)memory)
            return memory;
        sa_gm_remove(memory);
    }
    return NULL;
}

static void threads_share_the_table(void **state)
{
    (void)state;
    static char memory[8][64];
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, adds_and_removes, memory[i]), 0);
    for (int i = 0; i < 8; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

static void texts(void **state)
{
    (void)state;
    sa_clear_message();
    assert_string_equal(sa_last_message(), "");
    assert_int_equal(sa_fail(SA_ERR_INVALID_PARAM, "k is %d", 3), SA_ERR_INVALID_PARAM);
    assert_string_equal(sa_last_message(), "k is 3");
    sa_fail(SA_ERR_INVALID_PARAM, "op: %s", sa_last_message());
    assert_string_equal(sa_last_message(), "op: k is 3");
    char big[4000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    sa_fail(SA_ERR_INTERNAL, "%s", big);
    assert_int_equal(strlen(sa_last_message()), SA_MESSAGE_BYTES - 1);
    sa_error error;
    assert_int_equal(sa_error_set(&error, SA_ERR_INTERNAL, "%s", big), SA_ERR_INTERNAL);
    assert_int_equal(error.code, SA_ERR_INTERNAL);
    sa_clear_message();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_found),
        cmocka_unit_test(threads_share_the_table),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
