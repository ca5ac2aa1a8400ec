/* Splits preprocessed C++ into tokens that know the user's file and line. Only as much of C++ as
 * finding kernels and launches needs: literals of every form are one token, `<` and `>` are single
 * tokens always, directives and line markers are skipped. */
#ifndef ASCC_SCAN_H
#define ASCC_SCAN_H

#include "tools/ascc/text.h"

#include <stdint.h>

typedef enum token_kind {
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_LITERAL,
    TOKEN_MARK,
    TOKEN_END
} token_kind;

typedef struct token {
    uint32_t at, size; /* in the text */
    uint32_t line;     /* in the user's file */
    uint16_t file;
    uint8_t kind;
    bool user; /* not in a system header: one of ours counts as such */
} token;

typedef struct source {
    const char *bytes;
    size_t size;
    token *tokens; /* the last one is TOKEN_END */
    size_t count;  /* without it */
    char **files;
    bool *file_user; /* not only a system header */
    size_t file_count;
} source;

void source_scan(source *s, const text *preprocessed);
void source_free(source *s);

bool token_is(const source *s, size_t i, const char *string);
bool token_touches(const source *s, size_t i); /* the next token follows without a space */

/* The token that closes the bracket at `open` ( [ or {, or count. */
size_t token_close(const source *s, size_t open);

/* Tokens [from, to) joined by one space where words would join. On the heap. */
char *token_join(const source *s, size_t from, size_t to);

/* Prints FILE:LINE: error: … for a token and counts it. */
void token_error(const source *s, size_t i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
extern int token_errors;

#endif
