/* Which tiling keys a kernel of an op project is compiled for.
 *
 * Most kernels ask for their key when they run, with TILING_KEY_IS, and one object serves all keys.
 * Where an #if line asks (`#if TILING_KEY_VAR == 2`) the answer must be known before: such a kernel
 * is compiled once for each key that it names. Names of keys may be macros, so that the
 * preprocessor says what they are, and the compiler their values. */
#include "tools/ascc/opproject.h"
#include "tools/ascc/run.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED "softascend_tiling_key_is"
#define COMPARED "softascend_tiling_key_compared"
#define VARIABLE "TILING_KEY_VAR"

/* A preprocessor pass in which TILING_KEY_IS stays as a mark; `key` defines TILING_KEY_VAR. */
static int probe_file(unit *u, const options *o, const words *kernels, const char *path,
                      const uint64_t *key)
{
    options probe = *o;
    probe.flags = (words){0};
    probe.writes_dependencies = false;
    add_includes(&probe.flags, kernels);
    words_add_all(&probe.flags, &o->flags);
    words_add(&probe.flags, "-DSOFTASCEND_FINDS_TILING_KEYS=1");
    if (key) {
        words_add(&probe.flags, say("-DTILING_KEY_VAR=%lluULL", (unsigned long long)*key));
    }
    int code = unit_read(u, &probe, path, NULL);
    return code ? code : token_errors != 0;
}

/* ---- #if lines */

/* What stands at `at` as the other side of a comparison: up to && || ? or the bracket's end. */
static char *operand_after(const char *at)
{
    int depth = 0;
    const char *end = at;
    for (; *end; end++) {
        depth += *end == '(';
        if ((*end == ')' && depth-- == 0) ||
            (depth == 0 && strchr("&|?", *end) && end[1] == *end) || *end == '?' ||
            (*end == '/' && (end[1] == '/' || end[1] == '*'))) {
            break;
        }
    }
    return say("%.*s", (int)(end - at), at);
}

static char *operand_before(const char *line, const char *end)
{
    int depth = 0;
    const char *at = end;
    for (; at > line; at--) {
        depth += at[-1] == ')';
        if ((at[-1] == '(' && depth-- == 0) ||
            (depth == 0 && at - 1 > line && strchr("&|", at[-1]) && at[-2] == at[-1])) {
            break;
        }
    }
    return say("%.*s", (int)(end - at), at);
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* One condition: the text after #if. */
static void read_condition(asked_keys *asked, const char *line)
{
    size_t length = strlen(VARIABLE);
    for (const char *at = line; (at = strstr(at, VARIABLE)); at += length) {
        const char *after = at + length, *before = at;
        if (in_word(*after) || (at > line && in_word(at[-1]))) {
            continue;
        }
        asked->any = true;
        /* in brackets of its own or not */
        while (isspace((unsigned char)*after) || *after == ')') {
            after++;
        }
        while (before > line && (isspace((unsigned char)before[-1]) || before[-1] == '(')) {
            before--;
        }
        if (starts(after, "==")) {
            words_add(&asked->compared, operand_after(after + 2));
        } else if (before - line > 2 && before[-1] == '=' && before[-2] == '=') {
            words_add(&asked->compared, operand_before(line, before - 2));
        }
    }
}

static void read_directives(asked_keys *asked, char *bytes)
{
    /* lines that go on are one */
    for (char *c = bytes; (c = strstr(c, "\\\n"));) {
        c[0] = c[1] = ' ';
    }
    char *at = NULL;
    for (char *line = strtok_r(bytes, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
        line += strspn(line, " \t");
        if (*line != '#') {
            continue;
        }
        line += 1 + strspn(line + 1, " \t");
        line += starts(line, "el") ? 2 : 0;
        if (starts(line, "if") && !in_word(line[2])) {
            read_condition(asked, line + 2);
        }
    }
}

int keys_asked(asked_keys *asked, const options *o, const words *kernels, const char *source)
{
    unit u;
    *asked = (asked_keys){0};
    int code = probe_file(&u, o, kernels, source, NULL);
    for (size_t i = 0; !code && i < u.source.file_count; i++) {
        text t = {0};
        if (u.source.file_user[i] && text_read(&t, u.source.files[i]) && t.bytes) {
            read_directives(asked, t.bytes);
        }
        free(t.bytes);
    }
    return code;
}

/* ---- values */

/* The values of expressions that the preprocessor expanded: `list` is their initialisers. */
static int evaluate(const options *o, const text *list, uint64_t *values, size_t count)
{
    text t = {0};
    words w = {0};
    char *source = temporary("keys.cpp"), *library = temporary("keys.so");
    text_print(&t,
               "#include <cstdint>\nextern \"C\" {\nextern const unsigned long long keys[];\n"
               "const unsigned long long keys[] = {\n%s};\n}\n",
               list->bytes);
    if (!text_write(&t, source)) {
        fprintf(stderr, "ascc: error: %s: %s\n", source, strerror(errno));
        return 1;
    }
    command(&w, o);
    words_add(&w, "-w");
    words_add(&w, "-fPIC");
    words_add(&w, "-shared");
    words_add(&w, source);
    words_add(&w, "-o");
    words_add(&w, library);
    int code = run(&w, NULL);
    if (code) {
        fprintf(stderr, "ascc: error: the kernel compares TILING_KEY_VAR in #if lines, so every "
                        "tiling key that it names must be a number or a macro\n");
        return code;
    }
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    const unsigned long long *keys = loaded ? dlsym(loaded, "keys") : NULL;
    if (!keys) {
        fprintf(stderr, "ascc: error: %s\n", dlerror());
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = keys[i];
    }
    dlclose(loaded);
    return 0;
}

/* Adds the expressions that follow the mark in brackets, as initialisers; how many. */
static size_t marked(text *list, const source *s, const char *mark)
{
    size_t count = 0;
    for (size_t i = 0; i + 1 < s->count; i++) {
        if (!token_is(s, i, mark) || !token_is(s, i + 1, "(")) {
            continue;
        }
        size_t end = token_close(s, i + 1);
        const token *t = &s->tokens[i];
        /* an error in it is the user's line */
        text_print(list, "#line %u \"%s\"\n(unsigned long long)(%s),\n", t->line, s->files[t->file],
                   token_join(s, i + 2, end));
        count++;
    }
    return count;
}

static bool has_key(const tiling_keys *keys, uint64_t key)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (keys->at[i] == key) {
            return true;
        }
    }
    return false;
}

static void add_key(tiling_keys *keys, uint64_t key)
{
    if (!has_key(keys, key)) {
        keys->at = grow(keys->at, (keys->count + 1) * sizeof *keys->at);
        keys->at[keys->count++] = key;
    }
}

static bool same_tokens(const source *a, const source *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        const token *x = &a->tokens[i], *y = &b->tokens[i];
        if (x->size != y->size || memcmp(a->bytes + x->at, b->bytes + y->at, x->size) != 0) {
            return false;
        }
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int keys_named(tiling_keys *keys, const asked_keys *asked, const options *o, const words *kernels,
               const text *source, const char *probe)
{
    text t = {0}, list = {0};
    unit u, without;
    *keys = (tiling_keys){0};
    text_add(&t, source->bytes, source->size);
    for (size_t i = 0; i < asked->compared.count; i++) {
        text_print(&t, COMPARED "(%s)\n", asked->compared.at[i]);
    }
    if (!text_write(&t, probe)) {
        fprintf(stderr, "ascc: error: %s: %s\n", probe, strerror(errno));
        return 1;
    }
    int code = probe_file(&u, o, kernels, probe, NULL);
    if (code) {
        return code;
    }
    text_put(&list, "");
    size_t named = marked(&list, &u.source, NAMED), count = named;
    count += marked(&list, &u.source, COMPARED);
    uint64_t *values = grow(NULL, (count + 1) * sizeof *values), none = 0;
    code = count ? evaluate(o, &list, values, count) : 0;
    for (size_t i = 0; !code && i < named; i++) {
        add_key(keys, values[i]);
    }
    /* Of those that only #if lines name: which choose anything for these dtypes. */
    for (size_t i = 0; i < count; i++) {
        none = none <= values[i] && values[i] != UINT64_MAX ? values[i] + 1 : none;
    }
    bool has_without = false;
    for (size_t i = named; !code && i < count; i++) {
        if (has_key(keys, values[i])) {
            continue;
        }
        if (!has_without) {
            code = probe_file(&without, o, kernels, probe, &none);
            has_without = true;
        }
        code = code ? code : probe_file(&u, o, kernels, probe, &values[i]);
        if (!code && !same_tokens(&u.source, &without.source)) {
            add_key(keys, values[i]);
        }
    }
    free(values);
    if (keys->count) {
        qsort(keys->at, keys->count, sizeof *keys->at, by_value);
    }
    return code;
}
