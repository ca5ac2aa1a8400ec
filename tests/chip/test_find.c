/* Chips by name: what the shipped files say, what an unknown name is told, and the process's chip.
 */
#define _GNU_SOURCE
#include "chip/chip.h"

#include <dirent.h>
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

/* Public figures, one chip a row: what product pages, papers and documentation say of it. */
static const struct {
    const char *name;
    int arch, split;
    uint32_t ai_cores, vector_cores;
    double frequency_ghz;
    uint64_t hbm_gib, l2_mib;
} chips[] = {
    {"Ascend910B1", 2201, 1, 24, 2, 1.85, 64, 192},
    {"Ascend910B2", 2201, 1, 24, 2, 1.8, 64, 192},
    {"Ascend910B3", 2201, 1, 20, 2, 1.8, 64, 192},
    {"Ascend910B4", 2201, 1, 20, 2, 1.5, 32, 96},
    {"Ascend910_9391", 2201, 1, 24, 2, 1.91, 64, 192},
    {"Ascend310P3", 2002, 0, 8, 1, 1.07, 24, 16},
    {"Ascend310P1", 2002, 0, 10, 1, 1.06, 24, 16},
    {"Ascend910A", 1001, 0, 32, 1, 1.0, 32, 32},
    {"Ascend910ProA", 1001, 0, 32, 1, 1.1, 32, 32},
};

/* Peak TFLOPS of fp16 that product pages and papers give. */
static const struct {
    const char *name;
    double tflops;
} peaks[] = {{"Ascend310P3", 70}, {"Ascend910_9391", 376}, {"Ascend910A", 256}};

static void shipped_chips_say_what_is_public(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        sa_chip chip;
        assert_int_equal(sa_chip_find(chips[i].name, &chip), SA_OK);
        assert_string_equal(chip.name, chips[i].name);
        assert_int_equal(chip.ai_cores, chips[i].ai_cores);
        assert_true(chip.frequency_ghz == chips[i].frequency_ghz);
        assert_int_equal(chip.hbm_bytes, chips[i].hbm_gib * 1024 * MIB);
        assert_int_equal(chip.l2_bytes, chips[i].l2_mib * MIB);
        assert_int_equal(chip.arch, chips[i].arch);
        assert_int_equal(chip.split, chips[i].split);
        assert_int_equal(chip.vector_cores_per_ai_core, chips[i].vector_cores);
        assert_int_equal(chip.ub_bytes, chip.split ? 192 * KIB : 256 * KIB);
        assert_int_equal(chip.l1_bytes, chip.split ? 512 * KIB : MIB);
        assert_int_equal(chip.l0a_bytes, 64 * KIB);
        assert_int_equal(chip.l0b_bytes, 64 * KIB);
        assert_int_equal(chip.l0c_bytes, chip.split ? 128 * KIB : 256 * KIB);
        assert_int_equal(chip.bt_bytes, chip.split ? KIB : 0);
        assert_true(chip.cube_f16_macs_per_cycle == 16 * 16 * 16);
    }
    for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++) {
        sa_chip chip;
        assert_int_equal(sa_chip_find(peaks[i].name, &chip), SA_OK);
        double tflops = 2e-3 * chip.ai_cores * chip.cube_f16_macs_per_cycle * chip.frequency_ghz;
        if (!(tflops > 0.97 * peaks[i].tflops && tflops < 1.03 * peaks[i].tflops))
            fail_msg("%s: %.1f TFLOPS, %.0f are public", chip.name, tflops, peaks[i].tflops);
    }
}

/* Every file is a row above: none is shipped that no test has seen. */
static void every_file_is_known(void **state)
{
    (void)state;
    struct dirent **files;
    int count = scandir(CHIPS_FOLDER, &files, NULL, alphasort), found = 0;
    assert_true(count > 0);
    for (int f = 0; f < count; f++) {
        char *dot = strrchr(files[f]->d_name, '.');
        if (dot && !strcmp(dot, ".ini")) {
            size_t i = 0, length = (size_t)(dot - files[f]->d_name);
            while (i < sizeof chips / sizeof chips[0] &&
                   (strlen(chips[i].name) != length ||
                    memcmp(chips[i].name, files[f]->d_name, length) != 0))
                i++;
            if (i == sizeof chips / sizeof chips[0])
                fail_msg("%s has no row", files[f]->d_name);
            found++;
        }
        free(files[f]);
    }
    free(files);
    assert_int_equal(found, sizeof chips / sizeof chips[0]);
}

static const struct {
    const char *name, *message;
} unknown[] = {
    {"Ascend910B9", "did you mean Ascend910B1? the chips are Ascend310P1, Ascend310P3, Ascend910A"},
    {"ascend910b4", "did you mean Ascend910B4?"},
    {"H100", "chip H100 is unknown; the chips are Ascend310P1, "},
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
    {"Ascend310P3", "Ascend310P3"},
    {"Ascend910_9391", "Ascend910_9391"},
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
        cmocka_unit_test(every_file_is_known),
        cmocka_unit_test(unknown_names_get_the_known_ones),
        cmocka_unit_test(environment_chooses_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
