/* Splits preprocessed C++ into tokens that know the user's file and line. */
#include "tools/ascc/scan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int token_errors;

static bool word(int c)
{
    return isalnum(c) || c == '_' || c == '$' || c >= 0x80;
}

static uint16_t file_number(source *s, const char *name, size_t size)
{
    for (size_t i = s->file_count; i-- > 0;) {
        if (strlen(s->files[i]) == size && !memcmp(s->files[i], name, size)) {
            return (uint16_t)i;
        }
    }
    s->files = grow(s->files, (s->file_count + 1) * sizeof *s->files);
    s->file_user = grow(s->file_user, (s->file_count + 1) * sizeof *s->file_user);
    s->file_user[s->file_count] = false;
    s->files[s->file_count] = say("%.*s", (int)size, name);
    return (uint16_t)s->file_count++;
}

typedef struct place {
    uint32_t line;
    uint16_t file;
    bool user;
} place;

/* `# 12 "file" 1 3`: what follows is line 12 of the file; flag 3 is a system header. */
static void marker(source *s, const char *p, const char *end, place *now)
{
    p++;
    while (p < end && *p == ' ') {
        p++;
    }
    if (p == end || !isdigit((unsigned char)*p)) {
        return;
    }
    now->line = (uint32_t)strtoul(p, NULL, 10) - 1; /* the marker's own newline adds one */
    const char *name = memchr(p, '"', (size_t)(end - p));
    if (!name) {
        return;
    }
    const char *close = end;
    while (close > name && *--close != '"') {
    }
    now->file = file_number(s, name + 1, (size_t)(close - name - 1));
    now->user = !memchr(close, '3', (size_t)(end - close));
    s->file_user[now->file] |= now->user;
}

/* Past a literal that begins with a quote at p. */
static const char *quoted(const char *p, const char *end)
{
    char quote = *p++;
    while (p < end && *p != quote && *p != '\n') {
        p += *p == '\\' && p + 1 < end ? 2 : 1;
    }
    return p < end && *p == quote ? p + 1 : p;
}

/* Past R"mark( … )mark"; p is at the quote. */
static const char *raw(const char *p, const char *end)
{
    const char *open = memchr(p, '(', (size_t)(end - p));
    if (!open || open - p > 17) {
        return quoted(p, end);
    }
    size_t mark = (size_t)(open - p - 1);
    for (const char *q = open; (q = memchr(q, ')', (size_t)(end - q))); q++) {
        if ((size_t)(end - q) > mark + 1 && !memcmp(q + 1, p + 1, mark) && q[mark + 1] == '"') {
            return q + mark + 2;
        }
    }
    return end;
}

static bool raw_prefix(const char *p, size_t size)
{
    return p[size - 1] == 'R' && (size == 1 || (size == 2 && strchr("uUL", p[0])) ||
                                  (size == 3 && p[0] == 'u' && p[1] == '8'));
}

static const char *number(const char *p, const char *end)
{
    while (p < end) {
        if ((*p == '+' || *p == '-') && strchr("eEpP", p[-1])) {
            p++;
        } else if (word((unsigned char)*p) || *p == '.' ||
                   (*p == '\'' && p + 1 < end && isalnum((unsigned char)p[1]))) {
            p++;
        } else {
            break;
        }
    }
    return p;
}

static const char *comment(const char *p, const char *end)
{
    if (p[1] == '/') {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        return stop ? stop : end;
    }
    for (p += 2; p + 1 < end; p++) {
        if (p[0] == '*' && p[1] == '/') {
            return p + 2;
        }
    }
    return end;
}

void source_scan(source *s, const text *preprocessed)
{
    *s = (source){.bytes = preprocessed->bytes, .size = preprocessed->size};
    size_t room = 0;
    const char *p = s->bytes, *end = p + s->size;
    place now = {1, file_number(s, "", 0), true};
    bool first = true; /* on its line */
    for (;;) {
        while (p < end && isspace((unsigned char)*p)) {
            if (*p++ == '\n') {
                now.line++;
                first = true;
            }
        }
        if (p < end && *p == '#' && first) {
            const char *stop = memchr(p, '\n', (size_t)(end - p));
            marker(s, p, stop ? stop : end, &now);
            p = stop ? stop : end;
            continue;
        }
        if (s->count + 2 > room) {
            room = room ? room * 2 : 65536;
            s->tokens = grow(s->tokens, room * sizeof *s->tokens);
        }
        token *t = &s->tokens[s->count];
        *t = (token){(uint32_t)(p - s->bytes), 0, now.line, now.file, TOKEN_END, now.user};
        if (p >= end) {
            return;
        }
        first = false;
        const char *begin = p;
        if (*p == '/' && p + 1 < end && (p[1] == '/' || p[1] == '*')) {
            p = comment(p, end);
        } else if (isdigit((unsigned char)*p) ||
                   (*p == '.' && p + 1 < end && isdigit((unsigned char)p[1]))) {
            t->kind = TOKEN_NUMBER;
            p = number(p + 1, end);
        } else if (word((unsigned char)*p)) {
            t->kind = TOKEN_NAME;
            while (p < end && word((unsigned char)*p)) {
                p++;
            }
            if (p < end && *p == '"' && raw_prefix(begin, (size_t)(p - begin))) {
                t->kind = TOKEN_LITERAL;
                p = raw(p, end);
            }
        } else if (*p == '"' || *p == '\'') {
            t->kind = TOKEN_LITERAL;
            p = quoted(p, end);
        } else {
            t->kind = TOKEN_MARK;
            p += p + 1 < end && (!memcmp(p, "::", 2) || !memcmp(p, "->", 2)) ? 2 : 1;
        }
        t->size = (uint32_t)(p - begin);
        for (const char *q = begin; q < p; q++) {
            now.line += *q == '\n';
        }
        s->count += t->kind != TOKEN_END; /* a comment is none */
    }
}

void source_free(source *s)
{
    for (size_t i = 0; i < s->file_count; i++) {
        free(s->files[i]);
    }
    free(s->files);
    free(s->file_user);
    free(s->tokens);
}

bool token_is(const source *s, size_t i, const char *string)
{
    const token *t = &s->tokens[i];
    return i < s->count && t->size == strlen(string) && !memcmp(s->bytes + t->at, string, t->size);
}

bool token_touches(const source *s, size_t i)
{
    return s->tokens[i].at + s->tokens[i].size == s->tokens[i + 1].at;
}

size_t token_close(const source *s, size_t open)
{
    int depth = 0;
    for (size_t i = open; i < s->count; i++) {
        const token *t = &s->tokens[i];
        if (t->kind != TOKEN_MARK) {
            continue;
        }
        switch (s->bytes[t->at]) {
        case '(':
        case '[':
        case '{':
            depth++;
            break;
        case ')':
        case ']':
        case '}':
            if (--depth == 0) {
                return i;
            }
        }
    }
    return s->count;
}

char *token_join(const source *s, size_t from, size_t to)
{
    text out = {0};
    text_put(&out, "");
    for (size_t i = from; i < to; i++) {
        const token *t = &s->tokens[i];
        if (out.size && word((unsigned char)out.bytes[out.size - 1]) &&
            word((unsigned char)s->bytes[t->at])) {
            text_put(&out, " ");
        }
        text_add(&out, s->bytes + t->at, t->size);
        if (t->size == 1 && s->bytes[t->at] == ',') {
            text_put(&out, " ");
        }
    }
    return out.bytes;
}

void token_error(const source *s, size_t i, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%u: error: ", s->files[s->tokens[i].file], s->tokens[i].line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    token_errors++;
}
