/* Which cores a kernel needs that does not say: cube, vector or both, from the instructions that it
 * names itself or through the user's functions, classes and constants. */
#include "tools/ascc/kernels.h"

#include <stdlib.h>
#include <string.h>

typedef struct range {
    size_t name, from, to; /* tokens; what stands between the braces of `name` */
    bool seen;
} range;

typedef struct ranges {
    range *at;
    size_t count;
} ranges;

static void add_range(ranges *r, size_t name, size_t from, size_t to)
{
    r->at = grow(r->at, (r->count + 1) * sizeof *r->at);
    r->at[r->count++] = (range){name, from, to, false};
}

/* The `{` of a class at i (struct NAME … {), or count. */
static size_t class_body(const source *s, size_t i)
{
    for (i += 2; i < s->count; i++) {
        if (token_is(s, i, "{")) {
            return i;
        }
        if (token_is(s, i, ";") || token_is(s, i, "(") || token_is(s, i, ")") ||
            token_is(s, i, "=")) {
            break;
        }
    }
    return s->count;
}

/* The `{` of a function whose parameters end at i, or count. */
static size_t function_body(const source *s, size_t i)
{
    for (i++; i < s->count; i++) {
        if (token_is(s, i, "{")) {
            return i;
        }
        if (s->tokens[i].kind != TOKEN_NAME && !token_is(s, i, "->") && !token_is(s, i, "&")) {
            break;
        }
    }
    return s->count;
}

static void find_definitions(ranges *r, const source *s)
{
    for (size_t i = 0; i + 1 < s->count; i++) {
        if (!s->tokens[i].user || s->tokens[i].kind != TOKEN_NAME) {
            continue;
        }
        bool names_class = token_is(s, i, "class") || token_is(s, i, "struct");
        size_t body = s->count;
        if (names_class && s->tokens[i + 1].kind == TOKEN_NAME) {
            body = class_body(s, i);
        } else if (token_is(s, i + 1, "(")) {
            size_t close = token_close(s, i + 1);
            body = close < s->count ? function_body(s, close) : s->count;
        } else if (token_is(s, i, "using") && token_is(s, i + 2, "=")) {
            size_t end = i;
            while (end < s->count && !token_is(s, end, ";")) {
                end++;
            }
            add_range(r, i + 1, i + 2, end);
        }
        bool declared = i > 0 && (s->tokens[i - 1].kind == TOKEN_NAME || token_is(s, i - 1, "*"));
        if (declared && token_is(s, i + 1, "=")) {
            size_t end = i + 1;
            while (end < s->count && !token_is(s, end, ";")) {
                end++;
            }
            add_range(r, i, i, end);
        }
        if (body < s->count) {
            add_range(r, names_class ? i + 1 : i, body, token_close(s, body));
        }
    }
}

static bool one_of(const source *s, size_t i, const char *const *names)
{
    for (; *names; names++) {
        if (token_is(s, i, *names)) {
            return true;
        }
    }
    return false;
}

static unsigned uses(const source *s, size_t i)
{
    static const char *const cube[] = {
        "Mmad",     "MmadWithSparse", "Gemm",        "Conv2D",     "LoadData",
        "Matmul",   "MatmulImpl",     "Fixpipe",     "sa_mmad",    "LoadDataWithTranspose",
        "sa_nd2nz", "sa_load_l0a",    "sa_load_l0b", "sa_fixpipe", "sa_copy_l1",
        "mad",      "sa_matmul_cube", NULL};
    static const char *const vector[] = {"sa_copy_in",  "sa_copy_in_2d",  "DataCopyPad",
                                         "sa_copy_out", "sa_copy_out_2d", NULL};
    /* of TPosition and QuePosition */
    static const char *const cube_places[] = {"A1", "A2",  "B1",  "B2", "C1",
                                              "C2", "CO1", "CO2", NULL};
    static const char *const vector_places[] = {"VECIN", "VECOUT", "VECCALC", NULL};
    if (token_is(s, i, "sa_matmul_mixed")) { /* REGIST_MATMUL_OBJ */
        return USES_CUBE | USES_VECTOR;
    }
    bool place = i > 0 && token_is(s, i - 1, "::");
    if (one_of(s, i, cube) || (place && one_of(s, i, cube_places))) {
        return USES_CUBE;
    }
    return one_of(s, i, vector) || (place && one_of(s, i, vector_places)) ? USES_VECTOR : 0;
}

static bool same(const source *s, size_t a, size_t b)
{
    return s->tokens[a].size == s->tokens[b].size &&
           !memcmp(s->bytes + s->tokens[a].at, s->bytes + s->tokens[b].at, s->tokens[a].size);
}

static unsigned follow(ranges *r, const source *s, size_t from, size_t to, const bool *chosen)
{
    unsigned found = 0;
    for (size_t i = from; i < to; i++) {
        found |= chosen && chosen[i] ? USES_CHOSEN : 0;
        if (s->tokens[i].kind != TOKEN_NAME) {
            continue;
        }
        found |= uses(s, i);
        for (size_t n = 0; n < r->count; n++) {
            if (!r->at[n].seen && same(s, r->at[n].name, i)) {
                r->at[n].seen = true;
                found |= follow(r, s, r->at[n].from, r->at[n].to, chosen);
            }
        }
    }
    return found;
}

unsigned reach(const source *s, const kernel *k, const bool *chosen)
{
    ranges r = {0};
    find_definitions(&r, s);
    unsigned found = follow(&r, s, k->first, k->end, chosen);
    free(r.at);
    return found;
}

kind reach_kind(unsigned uses)
{
    bool cube = uses & USES_CUBE, vector = uses & USES_VECTOR;
    return cube && vector ? KIND_MIX_1_2 : cube ? KIND_AIC : KIND_AIV;
}
