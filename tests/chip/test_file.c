/* Faults of chip files: a table of edits to a right file, each with the message it must give, and
 * the files that are no text at all. The right file is chips/Ascend910B1.ini. */
#define _GNU_SOURCE
#include "chip/chip.h"

#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/softascend-chip-XXXXXX";
static char right[16384];
static size_t right_bytes;

static const char *write_file(const void *bytes, size_t count)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/chip.ini", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* The right file with the line of `key` replaced by `line` (removed if null); its number is
 * returned. */
static unsigned edit(const char *key, const char *line, char *out)
{
    unsigned number = 0, found = 0;
    char copy[sizeof right];
    memcpy(copy, right, right_bytes + 1);
    *out = 0;
    char *rest = copy;
    for (char *old; (old = strsep(&rest, "\n"));) {
        number++;
        size_t length = strlen(key);
        int hit = !strncmp(old, key, length) && old[length] == ' ';
        if (hit)
            found = number;
        if (!hit || line) {
            strcat(out, hit ? line : old);
            if (rest)
                strcat(out, "\n");
        }
    }
    assert_int_not_equal(found, 0);
    return found;
}

#define REAL "give a number from 0.01 to 10"
#define WHOLE "give a whole number from 1 to 1024"
#define SIZE "give a multiple of 32 from 1024 to 1048576 bytes, plain or in KiB, MiB or GiB"
#define NAME "give 1 to 31 letters, digits and _, beginning with a letter"

static const struct {
    const char *key, *line, *message;
} faults[] = {
    /* keys */
    {"ub_bytes", "ub_byts = 196608", "ub_byts: unknown key; did you mean ub_bytes?"},
    {"ub_bytes", "UB_BYTES = 196608", "UB_BYTES: unknown key; did you mean ub_bytes?"},
    {"ub_bytes", "cache_lines = 4", "cache_lines: unknown key"},
    {"ub_bytes", "= 4", ": unknown key"},
    {"ub_bytes", "ub_bytes 196608", "ub_bytes 196608: no \"=\"; a line is \"key = value\""},
    {"ub_bytes", "[memory]", "[memory]: no \"=\""},
    {"split", "arch = 2201", "arch: given again, first on line"},
    /* numbers that are none */
    {"frequency_ghz", "frequency_ghz =", "frequency_ghz: \"\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = fast", "frequency_ghz: \"fast\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = nan", "\"nan\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = inf", "\"inf\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = 0x1p0", "\"0x1p0\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = 1,85", "\"1,85\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = .5", "\".5\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = 1.", "\"1.\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = 1e", "\"1e\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = +1", "\"+1\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = 1.85 1.9", "\"1.85 1.9\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = 1.85 = 2", "\"1.85 = 2\" is not allowed; " REAL},
    /* numbers that make no sense */
    {"frequency_ghz", "frequency_ghz = 0", "\"0\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = 0.0", "\"0.0\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = -1.85", "\"-1.85\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = 1e300", "\"1e300\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = 1e999", "\"1e999\" is not allowed; " REAL},
    {"frequency_ghz", "frequency_ghz = 1e-300", "\"1e-300\" is not allowed; " REAL},
    {"ai_cores", "ai_cores = 0", "ai_cores: \"0\" is not allowed; " WHOLE},
    {"ai_cores", "ai_cores = 2.5", "\"2.5\" is not allowed; " WHOLE},
    {"ai_cores", "ai_cores = 1025", "\"1025\" is not allowed; " WHOLE},
    {"ai_cores", "ai_cores = 4294967320", "\"4294967320\" is not allowed; " WHOLE},
    {"ai_cores", "ai_cores = 18446744073709551640", "is not allowed; " WHOLE},
    {"split", "split = 2", "split: \"2\" is not allowed; give a whole number from 0 to 1"},
    {"split", "split = yes", "split: \"yes\" is not allowed"},
    {"ub_bytes", "ub_bytes = 0", "ub_bytes: \"0\" is not allowed; " SIZE},
    {"ub_bytes", "ub_bytes = 196609", "\"196609\" is not allowed; " SIZE},
    {"ub_bytes", "ub_bytes = 2 MiB", "\"2 MiB\" is not allowed; " SIZE},
    /* units */
    {"frequency_ghz", "frequency_ghz = 1.85 GHz", "\"1.85 GHz\" is not allowed; " REAL},
    {"ai_cores", "ai_cores = 24 KiB", "\"24 KiB\" is not allowed; " WHOLE},
    {"ub_bytes", "ub_bytes = 192 KB", "\"192 KB\" is not allowed; " SIZE},
    {"ub_bytes", "ub_bytes = 192 kib", "\"192 kib\" is not allowed; " SIZE},
    {"ub_bytes", "ub_bytes = 192 KiB KiB", "\"192 KiB KiB\" is not allowed; " SIZE},
    {"ub_bytes", "ub_bytes = KiB", "\"KiB\" is not allowed; " SIZE},
    /* names */
    {"name", "name =", "name: \"\" is not allowed; " NAME},
    {"name", "name = a b", "name: \"a b\" is not allowed; " NAME},
    {"name", "name = ../B1", "name: \"../B1\" is not allowed; " NAME},
    {"name", "name = 910B1", "name: \"910B1\" is not allowed; " NAME},
    {"name", "name = Ascend910B1Ascend910B1Ascend910B1", "is not allowed; " NAME},
    /* text */
    {"split", "split = \x01", "byte 0x01 at column 9; a chip file is plain text"},
    {"split", "split = \xc2\xb5", "byte 0xc2 at column 9; a chip file is plain text"},
};

static void faults_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char text[sizeof right + 1024], place[96];
        unsigned line = edit(faults[i].key, faults[i].line, text);
        const char *path = write_file(text, strlen(text));
        snprintf(place, sizeof place, "%s:%u: ", path, line);
        sa_chip chip = {.ai_cores = 77}, before = chip;
        sa_clear_message();
        assert_int_equal(sa_chip_read(path, &chip), SA_ERR_INVALID_FILE);
        const char *message = sa_last_message();
        if (strncmp(message, place, strlen(place)) || !strstr(message, faults[i].message))
            fail_msg("line \"%s\"\n  gave   %s\n  wanted %s… %s", faults[i].line, message, place,
                     faults[i].message);
        assert_memory_equal(&chip, &before, sizeof chip);
    }
}

/* Every key of the right file, removed in turn, is missed by its name. */
static void missing_keys_are_named(void **state)
{
    (void)state;
    unsigned keys = 0;
    char copy[sizeof right], *rest = copy;
    memcpy(copy, right, right_bytes + 1);
    for (char *line; (line = strsep(&rest, "\n"));) {
        char text[sizeof right], wanted[128];
        char *end = strchr(line, ' ');
        if (*line == '#' || !end)
            continue;
        *end = 0;
        edit(line, NULL, text);
        snprintf(wanted, sizeof wanted, ": %s: missing at the end of the file; give ", line);
        sa_chip chip;
        assert_int_equal(sa_chip_read(write_file(text, strlen(text)), &chip), SA_ERR_INVALID_FILE);
        assert_non_null(strstr(sa_last_message(), wanted));
        keys++;
    }
    assert_true(keys > 30);
}

static const struct {
    const char *line;
    double ghz;
} good_numbers[] = {
    {"frequency_ghz = 2", 2},
    {"frequency_ghz=1.5", 1.5},
    {"frequency_ghz = 15e-1", 1.5},
    {"frequency_ghz = 0.15E+1 # a note", 1.5},
    {"frequency_ghz\t=\t1.5\t", 1.5},
    {"frequency_ghz = 1.5\r", 1.5},
    {"frequency_ghz = 1.5 # \xc2\xb5s = \xe5\xbe\xae\xe7\xa7\x92", 1.5},
};

static void good_numbers_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good_numbers / sizeof good_numbers[0]; i++) {
        char text[sizeof right];
        edit("frequency_ghz", good_numbers[i].line, text);
        sa_chip chip;
        assert_int_equal(sa_chip_read(write_file(text, strlen(text)), &chip), SA_OK);
        assert_true(chip.frequency_ghz == good_numbers[i].ghz);
    }
}

/* A process whose locale writes 1,85 still reads 1.85 and still refuses 1,85. */
static void locale_does_not_matter(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        print_message("no German locale here: read in the locale there is\n");
    sa_chip chip;
    assert_int_equal(sa_chip_read(write_file(right, right_bytes), &chip), SA_OK);
    assert_true(chip.frequency_ghz == 1.85);
    setlocale(LC_NUMERIC, "C");
}

static void refused(const char *path, const char *message)
{
    sa_chip chip;
    sa_clear_message();
    assert_int_equal(sa_chip_read(path, &chip), SA_ERR_INVALID_FILE);
    if (!strstr(sa_last_message(), message))
        fail_msg("%s gave \"%s\", wanted \"%s\"", path, sa_last_message(), message);
}

static void what_is_no_chip_file_is_refused(void **state)
{
    (void)state;
    char junk[4096], path[96];
    unsigned seed = 1;
    for (size_t i = 0; i < sizeof junk; i++)
        junk[i] = (char)((seed = seed * 1103515245u + 12345u) >> 16);
    refused(write_file(junk, sizeof junk), "a chip file is plain text");
    refused(write_file("\0\0\0\0", 4), ":1: byte 0x00 at column 1");
    refused(write_file("", 0), ":0: name: missing");

    memset(junk, 'x', sizeof junk);
    refused(write_file(junk, 256), ":1: the line has 256 characters; 255 are allowed");
    refused(write_file(junk, 255), "no \"=\"");

    char *large = malloc(65537);
    assert_non_null(large);
    memset(large, '\n', 65537);
    refused(write_file(large, 65537), "is larger than the 65536 bytes");
    free(large);

    refused(folder, "is a directory");
    refused("/nowhere/chip.ini", "cannot open the chip file: No such file");
    refused("", "cannot open the chip file");
    refused("/dev/null", "is not a file");
    snprintf(path, sizeof path, "%s/pipe.ini", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    refused(path, "is not a file");
    unlink(path);
}

static int set_up(void **state)
{
    (void)state;
    FILE *file = fopen(CHIPS_FOLDER "/Ascend910B1.ini", "rb");
    if (!file || !mkdtemp(folder))
        return -1;
    right_bytes = fread(right, 1, sizeof right - 1, file);
    fclose(file);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char path[96];
    snprintf(path, sizeof path, "%s/chip.ini", folder);
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(missing_keys_are_named),
        cmocka_unit_test(good_numbers_are_read),
        cmocka_unit_test(locale_does_not_matter),
        cmocka_unit_test(what_is_no_chip_file_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
