/* The kernels of a preprocessed file: what is marked __global__, and which cores it runs on. */
#include "tools/ascc/kernels.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    kind kind;
} task_types[] = {
    {"KERNEL_TYPE_AIV_ONLY", KIND_AIV},          {"KERNEL_TYPE_AIC_ONLY", KIND_AIC},
    {"KERNEL_TYPE_MIX_AIV_1_0", KIND_AIV},       {"KERNEL_TYPE_MIX_AIC_1_0", KIND_AIC},
    {"KERNEL_TYPE_MIX_AIV_HARD_SYNC", KIND_AIV}, {"KERNEL_TYPE_MIX_AIC_HARD_SYNC", KIND_AIC},
    {"KERNEL_TYPE_MIX_AIC_1_1", KIND_MIX_1_1},   {"KERNEL_TYPE_MIX_AIC_1_2", KIND_MIX_1_2},
    {"KERNEL_TYPE_VECTORCORE", KIND_AIV},        {"KERNEL_TYPE_AICORE", KIND_UNKNOWN},
    {"KERNEL_TYPE_MIX_AICORE", KIND_UNKNOWN},    {"KERNEL_TYPE_MIX_VECTOR_CORE", KIND_UNKNOWN},
};

size_t angle_close(const source *s, size_t i)
{
    int depth = 0;
    for (; i < s->count; i++) {
        if (s->tokens[i].kind != TOKEN_MARK) {
            continue;
        }
        switch (s->bytes[s->tokens[i].at]) {
        case '<':
            depth++;
            break;
        case '>':
            if (--depth == 0) {
                return i;
            }
            break;
        case '(':
        case '[':
        case '{':
            i = token_close(s, i);
            break;
        case ';':
        case ')':
        case ']':
        case '}':
            return s->count;
        }
    }
    return s->count;
}

/* ---- one declaration */

static bool takes_parentheses(const source *s, size_t i)
{
    static const char *const names[] = {"__attribute__", "__mix__", "__launch_bounds__", "alignas",
                                        "decltype"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        if (token_is(s, i, names[n])) {
            return true;
        }
    }
    return false;
}

/* The kernel's name: the first one with parameters behind it, or count. */
static size_t find_name(const source *s, size_t first, size_t *open)
{
    for (size_t i = first; i + 1 < s->count; i++) {
        if (token_is(s, i, ";") || token_is(s, i, "{") || token_is(s, i, "}")) {
            break;
        }
        if (takes_parentheses(s, i) && token_is(s, i + 1, "(")) {
            i = token_close(s, i + 1);
        } else if (token_is(s, i, "template") && token_is(s, i + 1, "<")) {
            i = angle_close(s, i + 1);
        } else if (s->tokens[i].kind == TOKEN_NAME) {
            size_t next = i + 1;
            if (token_is(s, next, "<")) {
                next = angle_close(s, next) + 1;
            }
            if (next < s->count && token_is(s, next, "(")) {
                *open = next;
                return i;
            }
        }
    }
    return s->count;
}

/* The { or ; behind the parameters, past noexcept, attributes or -> void. */
static size_t find_behind(const source *s, size_t close)
{
    size_t i = close + 1;
    while (i < s->count && !token_is(s, i, "{") && !token_is(s, i, ";")) {
        bool opens = token_is(s, i, "(") || token_is(s, i, "[");
        i = (opens ? token_close(s, i) : i) + 1;
    }
    return i;
}

static kind marked_kind(const source *s, size_t first, size_t name)
{
    for (size_t i = first; i < name; i++) {
        if (token_is(s, i, "__vector__")) {
            return KIND_AIV;
        }
        if (token_is(s, i, "__cube__")) {
            return KIND_AIC;
        }
        if (!token_is(s, i, "__mix__")) {
            continue;
        }
        if (!token_is(s, i + 1, "(")) {
            return KIND_MIX_1_2;
        }
        char *ratio = token_join(s, i + 2, token_close(s, i + 1));
        static const char *const ratios[] = {[KIND_AIV] = "0, 1",
                                             [KIND_AIC] = "1, 0",
                                             [KIND_MIX_1_1] = "1, 1",
                                             [KIND_MIX_1_2] = "1, 2"};
        kind found = KIND_UNKNOWN;
        for (kind k = KIND_AIV; k <= KIND_MIX_1_2; k++) {
            if (!strcmp(ratio, ratios[k])) {
                found = k;
            }
        }
        if (found == KIND_UNKNOWN) {
            token_error(s, i,
                        "__mix__(%s) is not supported: cube to vector cores are 1, 2 or 1, 1 "
                        "(or 1, 0 and 0, 1)",
                        ratio);
        }
        free(ratio);
        return found;
    }
    return KIND_UNKNOWN;
}

/* The types that KERNEL_TASK_TYPE_DEFAULT(type) and KERNEL_TASK_TYPE(key, type) name in the body. A
 * type for a key widens: kinds that differ are a mixed kernel. */
static kind body_kind(const source *s, size_t body, size_t end)
{
    kind found = KIND_UNKNOWN;
    for (size_t i = body; i < end; i++) {
        const token *t = &s->tokens[i];
        if (t->kind != TOKEN_NAME || t->size < 12 ||
            memcmp(s->bytes + t->at, "KERNEL_TYPE_", 12) != 0) {
            continue;
        }
        size_t n = 0;
        while (n < sizeof task_types / sizeof *task_types && !token_is(s, i, task_types[n].name)) {
            n++;
        }
        if (n == sizeof task_types / sizeof *task_types) {
            token_error(s, i,
                        "kernel type %.*s is not supported; known are KERNEL_TYPE_AIV_ONLY, "
                        "KERNEL_TYPE_AIC_ONLY, KERNEL_TYPE_MIX_AIC_1_1, KERNEL_TYPE_MIX_AIC_1_2 …",
                        (int)t->size, s->bytes + t->at);
            continue;
        }
        kind other = task_types[n].kind;
        if (found == KIND_UNKNOWN || found == other) {
            found = other;
        } else if (other != KIND_UNKNOWN) {
            /* one of each of two kinds, or of a mixed one */
            found = found == KIND_MIX_1_1 && other != KIND_MIX_1_2   ? KIND_MIX_1_1
                    : other == KIND_MIX_1_1 && found != KIND_MIX_1_2 ? KIND_MIX_1_1
                                                                     : KIND_MIX_1_2;
        }
    }
    return found;
}

static void add_kernel(kernels *k, const source *s, size_t global)
{
    kernel one = {.first = global, .body = s->count, .end = s->count};
    while (one.first > 0 && !token_is(s, one.first - 1, ";") && !token_is(s, one.first - 1, "{") &&
           !token_is(s, one.first - 1, "}") && s->tokens[one.first - 1].user) {
        one.first--;
    }
    one.at = find_name(s, one.first, &one.open);
    if (one.at == s->count) {
        token_error(s, global, "__global__ is not followed by a kernel function");
        return;
    }
    one.close = token_close(s, one.open);
    one.name = token_join(s, one.at, one.at + 1);
    one.is_template = one.open != one.at + 1;
    for (size_t i = one.first; i < one.at; i++) {
        one.is_template |= token_is(s, i, "template");
    }
    one.behind = find_behind(s, one.close);
    if (token_is(s, one.behind, "{")) {
        one.body = one.behind;
        one.end = token_close(s, one.body);
    }
    one.kind = marked_kind(s, one.first, one.at);
    if (one.kind == KIND_UNKNOWN && one.body < s->count) {
        one.kind = body_kind(s, one.body, one.end);
    }
    one.says_kind = one.kind != KIND_UNKNOWN;
    if (!one.says_kind && one.body < s->count) {
        one.kind = reach_kind(reach(s, &one, NULL));
    }
    k->at = grow(k->at, (k->count + 1) * sizeof *k->at);
    k->at[k->count++] = one;
}

/* ---- all of them */

void kernels_find(kernels *k, const source *s)
{
    *k = (kernels){0};
    for (size_t i = 0; i < s->count; i++) {
        if (s->tokens[i].user && s->tokens[i].kind == TOKEN_NAME && token_is(s, i, "__global__") &&
            (k->count == 0 || i > k->at[k->count - 1].at)) {
            add_kernel(k, s, i);
        }
    }
    /* marks on the declaration hold for the definition, as an attribute's do */
    for (size_t i = 0; i < k->count; i++) {
        for (size_t j = 0; j < k->count; j++) {
            if (k->at[i].body < s->count && k->at[j].body == s->count &&
                k->at[j].kind != KIND_UNKNOWN && !strcmp(k->at[i].name, k->at[j].name)) {
                k->at[i].kind = k->at[j].kind;
                k->at[i].says_kind = true;
            }
        }
    }
}

const kernel *kernels_named(const kernels *k, const char *name, size_t size)
{
    const kernel *found = NULL;
    for (size_t i = 0; i < k->count; i++) {
        if (strlen(k->at[i].name) == size && !memcmp(k->at[i].name, name, size) &&
            (!found || k->at[i].end - k->at[i].body > 0)) {
            found = &k->at[i];
        }
    }
    return found;
}

bool kernels_ambiguous(const kernels *k, const source *s, const char *name)
{
    char *parameters = NULL;
    bool ambiguous = false;
    for (size_t i = 0; i < k->count && !ambiguous; i++) {
        if (strcmp(k->at[i].name, name)) {
            continue;
        }
        size_t definition = k->at[i].body < s->count;
        char *these = token_join(s, k->at[i].open, k->at[i].close);
        ambiguous =
            k->at[i].is_template || (definition && parameters && strcmp(parameters, these) != 0);
        if (definition) {
            free(parameters);
            parameters = these;
        } else {
            free(these);
        }
    }
    free(parameters);
    return ambiguous;
}
