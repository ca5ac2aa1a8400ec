/* Reads a chip file: `key = value` a line, every key once, every value in its range.
 *
 * A chip file decides sizes of memories and every cycle count, so nothing in it is guessed: what is
 * not exactly right is an error that names file, line, key and what is allowed. */
#define _GNU_SOURCE
#include "chip/chip.h"
#include "chip/nearest.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES = 256, FILE_BYTES = 64 * 1024 };

typedef enum { TEXT, COUNT, BYTES, REAL } kind;

/* One key: where its value goes and what is allowed. Ranges are inclusive. */
typedef struct key {
    const char *name;
    size_t offset;
    uint8_t kind, width; /* width of the field in bytes */
    uint32_t multiple;   /* COUNT and BYTES: a multiple of this */
    double low, high;
} key;

#define KIB 1024.0
#define MIB (1024.0 * KIB)
#define TIB (1024.0 * 1024.0 * MIB)
#define KEY(field, kind, multiple, low, high)                                                      \
    {                                                                                              \
#field, offsetof(sa_chip, field), kind, sizeof(((sa_chip *)0)->field), multiple, low, high \
    }

/* A local memory ends below 1 MiB, because kernels address it by offsets below that. */
static const key keys[] = {
    KEY(name, TEXT, 0, 0, 0),
    KEY(arch, COUNT, 1, 1000, 9999),
    KEY(split, COUNT, 1, 0, 1),
    KEY(ai_cores, COUNT, 1, 1, 1024),
    KEY(vector_cores_per_ai_core, COUNT, 1, 1, 8),
    KEY(frequency_ghz, REAL, 0, 0.01, 10),
    KEY(hbm_bytes, BYTES, 512, MIB, 16 * TIB),
    KEY(l2_bytes, BYTES, 512, 64 * KIB, TIB),
    KEY(ub_bytes, BYTES, 32, KIB, MIB),
    KEY(l1_bytes, BYTES, 32, KIB, MIB),
    KEY(l0a_bytes, BYTES, 512, KIB, MIB),
    KEY(l0b_bytes, BYTES, 512, KIB, MIB),
    KEY(l0c_bytes, BYTES, 1024, KIB, MIB),
    KEY(bt_bytes, BYTES, 64, 0, MIB),
    KEY(hbm_bytes_per_second, REAL, 0, 1e6, 1e15),
    KEY(hbm_bytes_per_cycle, REAL, 0, 0.01, 1e5),
    KEY(l2_read_bytes_per_cycle, REAL, 0, 0.01, 1e5),
    KEY(l2_write_bytes_per_cycle, REAL, 0, 0.01, 1e5),
    KEY(l1_l0a_bytes_per_cycle, REAL, 0, 0.01, 1e5),
    KEY(l1_l0b_bytes_per_cycle, REAL, 0, 0.01, 1e5),
    KEY(l0c_out_bytes_per_cycle, REAL, 0, 0.01, 1e5),
    KEY(ub_gm_bytes_per_cycle, REAL, 0, 0.01, 1e5),
    KEY(ub_ub_bytes_per_cycle, REAL, 0, 0.01, 1e5),
    KEY(cube_f16_macs_per_cycle, REAL, 0, 1, 1e6),
    KEY(cube_f32_macs_per_cycle, REAL, 0, 1, 1e6),
    KEY(cube_i8_macs_per_cycle, REAL, 0, 1, 1e6),
    KEY(vector_repeat_bytes, BYTES, 32, 32, 4096),
    KEY(vector_start_cycles, REAL, 0, 0.01, 1e5),
    KEY(vector_simple_cycles, REAL, 0, 0.01, 1e5),
    KEY(vector_exp_cycles, REAL, 0, 0.01, 1e5),
    KEY(vector_div_cycles, REAL, 0, 0.01, 1e5),
    KEY(vector_reduce_cycles, REAL, 0, 0.01, 1e5),
    KEY(move_start_cycles, REAL, 0, 0.01, 1e5),
    KEY(cube_start_cycles, REAL, 0, 0.01, 1e5),
    KEY(flag_cycles, REAL, 0, 0.01, 1e5),
    KEY(scalar_cycles, REAL, 0, 0.01, 1e5),
};
enum { KEYS = sizeof keys / sizeof keys[0] };

typedef struct position {
    const char *file;
    unsigned line;
} position;

static int is_space(char c)
{
    return c == ' ' || c == '\t';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Cuts blanks at both ends, in place. */
static char *trimmed(char *text)
{
    while (is_space(*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && is_space(end[-1]))
        end--;
    *end = 0;
    return text;
}

/* What is allowed for a key, in words, for messages. */
static const char *allowed(const key *k, char *out, size_t bytes)
{
    if (k->kind == TEXT)
        snprintf(out, bytes, "1 to 31 letters, digits and _, beginning with a letter");
    else if (k->kind == REAL)
        snprintf(out, bytes, "a number from %g to %g", k->low, k->high);
    else if (k->kind == COUNT)
        snprintf(out, bytes, "a whole number from %.0f to %.0f", k->low, k->high);
    else
        snprintf(out, bytes,
                 "a multiple of %u from %.0f to %.0f bytes, plain or in KiB, MiB or GiB",
                 k->multiple, k->low, k->high);
    return out;
}

static sa_status bad_value(position at, const key *k, const char *value)
{
    char text[160];
    return sa_fail(SA_ERR_INVALID_FILE, "%s:%u: %s: \"%s\" is not allowed; give %s", at.file,
                   at.line, k->name, value, allowed(k, text, sizeof text));
}

/* Reads digits[.digits][e[+-]digits] in full, whatever the process's locale; what follows is left
 * in `rest`. Returns 0 if there is no such number. */
static int read_number(const char *text, double *number, const char **rest)
{
    const char *p = text;
    while (is_digit(*p))
        p++;
    if (p == text)
        return 0;
    if (*p == '.' && is_digit(p[1]))
        for (p++; is_digit(*p); p++) {
        }
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1 + (p[1] == '+' || p[1] == '-');
        if (is_digit(*exponent))
            for (p = exponent; is_digit(*p); p++) {
            }
    }
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return 0;
    char *end;
    *number = strtod_l(text, &end, c_locale);
    freelocale(c_locale);
    *rest = p;
    return end == p && isfinite(*number);
}

static double unit_factor(const char *unit)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"", 1}, {"KiB", KIB}, {"MiB", MIB}, {"GiB", 1024 * MIB}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (!strcmp(unit, units[i].name))
            return units[i].factor;
    return 0;
}

static sa_status store_text(position at, const key *k, const char *value, sa_chip *chip)
{
    size_t length = strlen(value);
    int ok = length >= 1 && length < k->width && !is_digit(value[0]) && value[0] != '_';
    for (size_t i = 0; ok && i < length; i++)
        ok = is_word(value[i]);
    if (!ok)
        return bad_value(at, k, value);
    memcpy((char *)chip + k->offset, value, length + 1);
    return SA_OK;
}

static sa_status store_value(position at, const key *k, const char *value, sa_chip *chip)
{
    double number;
    const char *rest;
    if (k->kind == TEXT)
        return store_text(at, k, value, chip);
    if (!read_number(value, &number, &rest))
        return bad_value(at, k, value);
    while (is_space(*rest))
        rest++;
    number *= k->kind == BYTES ? unit_factor(rest) : !*rest;
    if (!(number >= k->low && number <= k->high) || (*rest && k->kind != BYTES))
        return bad_value(at, k, value);

    void *field = (char *)chip + k->offset;
    if (k->kind == REAL) {
        memcpy(field, &number, sizeof number);
        return SA_OK;
    }
    if (number != floor(number) || fmod(number, k->multiple) != 0)
        return bad_value(at, k, value);
    uint64_t whole = (uint64_t)number;
    if (k->width == sizeof(uint32_t))
        memcpy(field, &(uint32_t){(uint32_t)whole}, sizeof(uint32_t));
    else
        memcpy(field, &whole, sizeof whole);
    return SA_OK;
}

static sa_status unknown_key(position at, const char *name)
{
    unsigned best = 0, least = ~0u;
    for (unsigned i = 0; i < KEYS; i++) {
        unsigned distance = sa_word_distance(name, keys[i].name);
        if (distance < least)
            least = distance, best = i;
    }
    if (sa_word_is_near(name, least))
        return sa_fail(SA_ERR_INVALID_FILE, "%s:%u: %s: unknown key; did you mean %s?", at.file,
                       at.line, name, keys[best].name);
    return sa_fail(SA_ERR_INVALID_FILE,
                   "%s:%u: %s: unknown key; the keys are those of chips/Ascend910B1.ini", at.file,
                   at.line, name);
}

/* One line without its end; `line_of` says where each key was met, 0 for not yet. */
static sa_status read_line(position at, char *line, unsigned *line_of, sa_chip *chip)
{
    char *comment = strchr(line, '#');
    if (comment)
        *comment = 0;
    char *name = trimmed(line);
    if (!*name)
        return SA_OK;
    char *equals = strchr(name, '=');
    if (!equals)
        return sa_fail(SA_ERR_INVALID_FILE, "%s:%u: %s: no \"=\"; a line is \"key = value\"",
                       at.file, at.line, name);
    *equals = 0;
    name = trimmed(name);
    char *value = trimmed(equals + 1);
    for (unsigned i = 0; i < KEYS; i++) {
        if (strcmp(name, keys[i].name))
            continue;
        if (line_of[i])
            return sa_fail(SA_ERR_INVALID_FILE,
                           "%s:%u: %s: given again, first on line %u; give each key once", at.file,
                           at.line, name, line_of[i]);
        line_of[i] = at.line;
        return store_value(at, &keys[i], value, chip);
    }
    return unknown_key(at, name);
}

/* Only text gets past here, so that messages can quote the file. Bytes above 127 are for comments.
 */
static sa_status check_text(position at, const char *line, size_t length)
{
    int comment = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];
        comment |= c == '#';
        if ((c < 32 && c != '\t') || c == 127 || (c > 127 && !comment))
            return sa_fail(SA_ERR_INVALID_FILE,
                           "%s:%u: byte 0x%02x at column %zu; a chip file is plain text", at.file,
                           at.line, c, i + 1);
    }
    if (length >= LINE_BYTES)
        return sa_fail(SA_ERR_INVALID_FILE, "%s:%u: the line has %zu characters; %d are allowed",
                       at.file, at.line, length, LINE_BYTES - 1);
    return SA_OK;
}

sa_status sa_chip_parse(const char *text, size_t length, const char *file, sa_chip *chip)
{
    sa_chip read = {0};
    unsigned line_of[KEYS] = {0};
    position at = {file, 0};
    const char *end = text + length;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *next = newline ? newline + 1 : end;
        size_t bytes = (size_t)((newline ? newline : end) - text);
        if (bytes && text[bytes - 1] == '\r')
            bytes--;
        at.line++;
        sa_status status = check_text(at, text, bytes);
        if (status)
            return status;
        char line[LINE_BYTES];
        memcpy(line, text, bytes);
        line[bytes] = 0;
        status = read_line(at, line, line_of, &read);
        if (status)
            return status;
        text = next;
    }
    for (unsigned i = 0; i < KEYS; i++) {
        char range[160];
        if (!line_of[i])
            return sa_fail(SA_ERR_INVALID_FILE,
                           "%s:%u: %s: missing at the end of the file; give %s", at.file, at.line,
                           keys[i].name, allowed(&keys[i], range, sizeof range));
    }
    *chip = read;
    return SA_OK;
}

sa_status sa_chip_read(const char *path, sa_chip *chip)
{
    sa_status status = SA_OK;
    char *text = NULL;
    size_t length = 0;
    struct stat info;
    /* Not blocking, so that a pipe is refused rather than waited for. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &info)) {
        status = sa_fail(SA_ERR_INVALID_FILE, "%s: cannot open the chip file: %s", path,
                         strerror(errno));
        goto done;
    }
    if (!S_ISREG(info.st_mode)) {
        status = sa_fail(SA_ERR_INVALID_FILE, "%s: is %s; a chip file is a regular file", path,
                         S_ISDIR(info.st_mode) ? "a directory" : "not a file");
        goto done;
    }
    text = malloc(FILE_BYTES + 1);
    if (!text) {
        status = sa_fail(SA_ERR_OUT_OF_MEMORY, "%s: no memory to read the chip file", path);
        goto done;
    }
    while (length <= FILE_BYTES) {
        ssize_t got = read(fd, text + length, FILE_BYTES + 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            status = sa_fail(SA_ERR_INVALID_FILE, "%s: cannot read the chip file: %s", path,
                             strerror(errno));
            goto done;
        }
        if (got == 0)
            break;
        length += (size_t)got;
    }
    if (length > FILE_BYTES) {
        status =
            sa_fail(SA_ERR_INVALID_FILE,
                    "%s: is larger than the %d bytes that a chip file may have", path, FILE_BYTES);
        goto done;
    }
    status = sa_chip_parse(text, length, path, chip);
done:
    free(text);
    if (fd >= 0)
        close(fd);
    return status;
}
