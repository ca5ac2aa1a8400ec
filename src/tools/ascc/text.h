/* Growing strings and word lists for ascc. Out of memory ends the program. */
#ifndef ASCC_TEXT_H
#define ASCC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct text {
    char *bytes; /* always ends in 0 once something was added */
    size_t size, room;
} text;

void text_add(text *t, const char *bytes, size_t size);
void text_put(text *t, const char *string);
void text_print(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The whole file, or false with errno set. */
bool text_read(text *t, const char *path);
bool text_write(const text *t, const char *path);

/* A command line being built; ends in NULL. The words are not owned. */
typedef struct words {
    const char **at;
    size_t count, room;
} words;

void words_add(words *w, const char *word);
void words_add_all(words *w, const words *more);

/* Formatted, on the heap, for the life of the program. */
char *say(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool starts(const char *string, const char *prefix);
bool ends(const char *string, const char *suffix);

/* realloc that does not fail */
void *grow(void *old, size_t bytes);

#endif
