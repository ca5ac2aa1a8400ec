/* Chips by name: what the shipped files say, what an unknown name is told, and the process's chip.
 */
#define _GNU_SOURCE
#include "chip/chip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define KIB 1024u
#define MIB (1024ull * KIB)

/* Public figures of the two chips (product pages and documentation of Atlas A2). */
static const struct {
    const char *name;
    uint32_t ai_cores;
    double frequency_ghz;
    uint64_t hbm_bytes, l2_bytes;
} chips[] = {
    {"Ascend910B1", 24, 1.85, 64 * 1024 * MIB, 192 * MIB},
    {"Ascend910B4", 20, 1.5, 32 * 1024 * MIB, 96 * MIB},
};

static void shipped_chips_say_what_is_public(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        sa_chip chip;
        assert_int_equal(sa_chip_find(chips[i].name, &chip), SA_OK);
        assert_string_equal(chip.name, chips[i].name);
        assert_int_equal(chip.ai_cores, chips[i].ai_cores);
        assert_true(chip.frequency_ghz == chips[i].frequency_ghz);
        assert_int_equal(chip.hbm_bytes, chips[i].hbm_bytes);
        assert_int_equal(chip.l2_bytes, chips[i].l2_bytes);
        assert_int_equal(chip.arch, 2201);
        assert_int_equal(chip.vector_cores_per_ai_core, 2);
        assert_int_equal(chip.ub_bytes, 192 * KIB);
        assert_int_equal(chip.l1_bytes, 512 * KIB);
        assert_int_equal(chip.l0a_bytes, 64 * KIB);
        assert_int_equal(chip.l0b_bytes, 64 * KIB);
        assert_int_equal(chip.l0c_bytes, 128 * KIB);
        assert_int_equal(chip.bt_bytes, KIB);
        assert_true(chip.cube_f16_macs_per_cycle == 16 * 16 * 16);
    }
}

static const struct {
    const char *name, *message;
} unknown[] = {
    {"Ascend910B9", "did you mean Ascend910B1? the chips are Ascend910B1, Ascend910B4"},
    {"ascend910b4", "did you mean Ascend910B4?"},
    {"H100", "chip H100 is unknown; the chips are Ascend910B1, Ascend910B4"},
    {"", "chip  is unknown; the chips are"},
    {"Ascend910B1 ", "chip Ascend910B1  is unknown; did you mean Ascend910B1?"},
    {"%s%n", "chip %s%n is unknown"},
    {"nowhere/Ascend910B1", "nowhere/Ascend910B1: cannot open the chip file"},
    {"nowhere.ini", "nowhere.ini: cannot open the chip file"},
};

static void unknown_names_get_the_known_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        sa_chip chip;
        assert_int_equal(sa_chip_find(unknown[i].name, &chip), SA_ERR_INVALID_FILE);
        if (!strstr(sa_last_message(), unknown[i].message))
            fail_msg("\"%s\" gave %s", unknown[i].name, sa_last_message());
    }
    char long_name[8192];
    sa_chip chip;
    memset(long_name, 'A', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    assert_int_equal(sa_chip_find(long_name, &chip), SA_ERR_INVALID_FILE);
    assert_int_equal(sa_chip_find(NULL, &chip), SA_ERR_INVALID_PARAM);
    assert_int_equal(sa_chip_find("Ascend910B1", NULL), SA_ERR_INVALID_PARAM);
}

/* What sa_chip_default answers in a fresh process with SOFTASCEND_CHIP set (or not): a chip's name,
 * or a message, the same at the second call. */
static void default_in_child(const char *setting, char *out, size_t bytes)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (setting)
            setenv("SOFTASCEND_CHIP", setting, 1);
        else
            unsetenv("SOFTASCEND_CHIP");
        char first[SA_MESSAGE_BYTES];
        const sa_chip *chip = sa_chip_default();
        snprintf(first, sizeof first, "%s", chip ? chip->name : sa_last_message());
        sa_clear_message();
        int same = sa_chip_default() == chip && (chip || !strcmp(first, sa_last_message()));
        dprintf(ends[1], "%s%s", same ? "" : "not the same again: ", first);
        _exit(0);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], out, bytes - 1);
    out[got > 0 ? got : 0] = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
}

static const struct {
    const char *setting, *answer;
} defaults[] = {
    {NULL, "Ascend910B1"},
    {"", "Ascend910B1"},
    {"Ascend910B4", "Ascend910B4"},
    {CHIPS_FOLDER "/Ascend910B4.ini", "Ascend910B4"},
    {"Ascend999", "chip Ascend999 is unknown"},
};

static void environment_chooses_the_default(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        char answer[SA_MESSAGE_BYTES];
        default_in_child(defaults[i].setting, answer, sizeof answer);
        if (strncmp(answer, defaults[i].answer, strlen(defaults[i].answer)))
            fail_msg("SOFTASCEND_CHIP=%s gave \"%s\", wanted \"%s\"",
                     defaults[i].setting ? defaults[i].setting : "(unset)", answer,
                     defaults[i].answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_chips_say_what_is_public),
        cmocka_unit_test(unknown_names_get_the_known_ones),
        cmocka_unit_test(environment_chooses_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
