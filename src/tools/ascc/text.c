/* Growing strings and word lists for ascc. */
#include "tools/ascc/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *grow(void *old, size_t bytes)
{
    void *new = realloc(old, bytes);
    if (!new) {
        fprintf(stderr, "ascc: out of memory (%zu bytes)\n", bytes);
        exit(1);
    }
    return new;
}

void text_add(text *t, const char *bytes, size_t size)
{
    if (t->size + size + 1 > t->room) {
        t->room = (t->size + size + 1) * 2;
        t->bytes = grow(t->bytes, t->room);
    }
    if (size) {
        memcpy(t->bytes + t->size, bytes, size);
    }
    t->size += size;
    t->bytes[t->size] = '\0';
}

void text_put(text *t, const char *string)
{
    text_add(t, string, strlen(string));
}

static char *print(const char *format, va_list args)
{
    char *out;
    if (vasprintf(&out, format, args) < 0) {
        fprintf(stderr, "ascc: out of memory\n");
        exit(1);
    }
    return out;
}

void text_print(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *string = print(format, args);
    va_end(args);
    text_put(t, string);
    free(string);
}

char *say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *string = print(format, args);
    va_end(args);
    return string;
}

bool text_read(text *t, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        return false;
    }
    char block[65536];
    size_t got;
    text_add(t, "", 0);
    while ((got = fread(block, 1, sizeof block, f)) > 0) {
        text_add(t, block, got);
    }
    int error = ferror(f) ? errno : 0;
    fclose(f);
    errno = error;
    return !error;
}

bool text_write(const text *t, const char *path)
{
    FILE *f = fopen(path, "wb");
    if (!f) {
        return false;
    }
    bool whole = fwrite(t->bytes, 1, t->size, f) == t->size;
    return !fclose(f) && whole;
}

void words_add(words *w, const char *word)
{
    if (w->count + 2 > w->room) {
        w->room = (w->count + 2) * 2;
        w->at = grow(w->at, w->room * sizeof *w->at);
    }
    w->at[w->count++] = word;
    w->at[w->count] = NULL;
}

void words_add_all(words *w, const words *more)
{
    for (size_t i = 0; i < more->count; i++) {
        words_add(w, more->at[i]);
    }
}

bool starts(const char *string, const char *prefix)
{
    return !strncmp(string, prefix, strlen(prefix));
}

bool ends(const char *string, const char *suffix)
{
    size_t n = strlen(string), s = strlen(suffix);
    return n >= s && !strcmp(string + n - s, suffix);
}
