/* Rewrites launches and kernel marks so that a plain C++ compiler takes the text.
 *
 *     k<half, 3><<<blocks, nullptr, stream>>>(x, y)
 *
 * becomes, with every token behind the kernel on the line it was on,
 *
 *     ::softascend::kernel([=](auto... sa_a) { k<half, 3>(sa_a...); }, …)(blocks, nullptr,
 * stream)(x, y)
 *
 * A kernel with one address goes by it, so that arguments convert as in a call. */
#include "tools/ascc/rewrite.h"
#include "tools/ascc/entry.h"

#include <stdlib.h>
#include <string.h>

typedef struct edit {
    size_t at, remove; /* bytes */
    char *insert;
} edit;

typedef struct edits {
    edit *at;
    size_t count;
} edits;

static void change(edits *e, size_t at, size_t remove, char *insert)
{
    e->at = grow(e->at, (e->count + 1) * sizeof *e->at);
    e->at[e->count++] = (edit){at, remove, insert};
}

static void erase(edits *e, const source *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        change(e, s->tokens[i].at, s->tokens[i].size, "");
    }
}

/* ---- what a launch consists of */

typedef struct launch {
    size_t first, open; /* the kernel's tokens: [first, open); open is the first of <<< */
    size_t close;       /* the first of >>> */
    size_t name;        /* the kernel's last name; count if it is an expression */
    int count;          /* of configuration arguments */
} launch;

static bool is_mark(const source *s, size_t i, char c)
{
    return i < s->count && s->tokens[i].size == 1 && s->bytes[s->tokens[i].at] == c &&
           s->tokens[i].kind == TOKEN_MARK;
}

static bool three(const source *s, size_t i, char c)
{
    return is_mark(s, i, c) && is_mark(s, i + 1, c) && is_mark(s, i + 2, c) && token_touches(s, i);
}

/* Back from a closing bracket to its opening one; count if there is none. */
static size_t back(const source *s, size_t i, char open, char close)
{
    int depth = 0;
    for (size_t n = i + 1; n-- > 0;) {
        if (is_mark(s, n, close)) {
            depth++;
        } else if (is_mark(s, n, open) && --depth == 0) {
            return n;
        } else if (open == '<' &&
                   (is_mark(s, n, ';') || is_mark(s, n, '{') || is_mark(s, n, '}'))) {
            break;
        } else if (open == '<' && is_mark(s, n, ')')) {
            n = back(s, n, '(', ')');
            if (n == s->count) {
                break;
            }
        } else if (open == '<' && is_mark(s, n, '(')) {
            break;
        }
    }
    return s->count;
}

/* The first token of the kernel before <<< at i, count if nothing there can be one. */
static size_t kernel_first(const source *s, size_t i, size_t *name)
{
    *name = s->count;
    size_t at = i;
    for (;;) {
        if (at == 0) {
            return s->count;
        }
        at--;
        if (is_mark(s, at, '>')) {
            at = back(s, at, '<', '>');
            if (at == s->count || at == 0) {
                return s->count;
            }
            at--;
        }
        if (is_mark(s, at, ')') || is_mark(s, at, ']')) {
            at = is_mark(s, at, ')') ? back(s, at, '(', ')') : back(s, at, '[', ']');
            if (at == s->count) {
                return s->count;
            }
            if (at == 0 || s->tokens[at - 1].kind != TOKEN_NAME || token_is(s, at - 1, "return")) {
                return at;
            }
            *name = s->count;
            continue; /* f(x), table[i]: the name before belongs to it */
        }
        if (s->tokens[at].kind != TOKEN_NAME || token_is(s, at, "return")) {
            return s->count;
        }
        if (*name == s->count && (at + 1 == i || is_mark(s, at + 1, '<'))) {
            *name = at;
        }
        if (at > 0 && token_is(s, at - 1, "template")) {
            at--;
        }
        if (at == 0) {
            return at;
        }
        if (token_is(s, at - 1, "::")) {
            at--;
            if (at > 0 &&
                ((s->tokens[at - 1].kind == TOKEN_NAME && !token_is(s, at - 1, "return")) ||
                 is_mark(s, at - 1, '>'))) {
                continue;
            }
            return at;
        }
        if (token_is(s, at - 1, ".") || token_is(s, at - 1, "->")) {
            at--;
            *name = s->count;
            continue;
        }
        return at;
    }
}

/* From <<< at `open` to >>>, counting the arguments between. */
static bool configuration(const source *s, launch *l)
{
    l->count = 1;
    for (size_t i = l->open + 3; i < s->count; i++) {
        if (is_mark(s, i, '(') || is_mark(s, i, '[') || is_mark(s, i, '{')) {
            i = token_close(s, i);
        } else if (is_mark(s, i, ',')) {
            l->count++;
        } else if (three(s, i, '>')) {
            if (i == l->open + 3) {
                l->count = 0;
            }
            l->close = i;
            return true;
        } else if (is_mark(s, i, ';') || is_mark(s, i, '}') || is_mark(s, i, ')') ||
                   three(s, i, '<')) {
            return false;
        } else if (is_mark(s, i, '<') && s->tokens[i - 1].kind == TOKEN_NAME) {
            /* template arguments, unless it is a comparison: then its `>` belongs to >>> */
            size_t close = angle_close(s, i);
            if (close < s->count && !is_mark(s, close + 1, '>')) {
                i = close;
            }
        }
    }
    return false;
}

static bool find_launch(const source *s, size_t i, launch *l)
{
    *l = (launch){.open = i};
    if (!configuration(s, l)) {
        token_error(s, i, "there is no >>> for this <<<");
        return false;
    }
    l->first = kernel_first(s, i, &l->name);
    if (l->first == s->count) {
        token_error(s, i, "a launch needs the name of a kernel before <<<");
        return false;
    }
    if (l->count < 2 || l->count > 4) {
        char *kernel = token_join(s, l->first, i);
        token_error(s, i,
                    "the launch of %s has %d configuration argument%s; there are 2 (blocks, "
                    "stream), 3 (blocks, l2ctrl, stream) or 4",
                    kernel, l->count, l->count == 1 ? "" : "s");
        free(kernel);
        return false;
    }
    if (!is_mark(s, l->close + 3, '(')) {
        token_error(s, l->close, "a launch needs its arguments in parentheses behind >>>");
        return false;
    }
    return true;
}

/* ---- the changes */

static char *quote(const char *string)
{
    text out = {0};
    for (; *string; string++) {
        if (*string == '"' || *string == '\\') {
            text_put(&out, "\\");
        }
        text_add(&out, string, 1);
    }
    return out.bytes;
}

static void change_launch(edits *e, const source *s, const kernels *k, const launch *l)
{
    char *text = token_join(s, l->first, l->open);
    char *call = text;
    char *kind = "0";
    if (l->name < s->count) {
        const token *t = &s->tokens[l->name];
        const kernel *known = kernels_named(k, s->bytes + t->at, t->size);
        bool arguments = l->name + 1 != l->open;
        if (arguments || (known && kernels_ambiguous(k, s, known->name))) {
            call = say("[=](auto... sa_a) -> decltype(%s(sa_a...)) { %s(sa_a...); }", text, text);
        }
        if (known && (known->body < s->count || known->is_template)) {
            kind = say("%d", known->kind);
        } else if (known) {
            kind = say("&sa_kind_%s ? sa_kind_%s : %d", known->name, known->name, known->kind);
        }
    }
    change(e, s->tokens[l->first].at, 0,
           say("::softascend::kernel(%s, %s, \"%s\")", call, kind, quote(text)));
    erase(e, s, l->first, l->open);
    change(e, s->tokens[l->open].at, 1, "(");
    erase(e, s, l->open + 1, l->open + 3);
    change(e, s->tokens[l->close].at, 1, ")");
    erase(e, s, l->close + 1, l->close + 3);
}

/* x >>> y is no operator; three templates may end there. */
static void check_shift(const source *s, size_t i)
{
    for (int n = 0; n < 3; n++) {
        if (back(s, i + 2 - (size_t)n, '<', '>') == s->count) {
            token_error(s, i, "there is no <<< for this >>>, and no operator >>>");
            return;
        }
    }
}

static void change_kernel(edits *e, const source *s, const kernels *k, const kernel *one,
                          const char *attribute)
{
    size_t stop = one->body < s->count ? one->end : one->at;
    for (size_t i = one->first; i < stop; i++) {
        bool call = i + 1 < s->count && is_mark(s, i + 1, '(');
        if (i < one->at && token_is(s, i, "__global__")) {
            change(e, s->tokens[i].at, s->tokens[i].size, (char *)attribute);
        } else if (i < one->at && (token_is(s, i, "__vector__") || token_is(s, i, "__cube__"))) {
            erase(e, s, i, i + 1);
        } else if ((i < one->at &&
                    (token_is(s, i, "__mix__") || token_is(s, i, "__launch_bounds__"))) ||
                   (call && (token_is(s, i, "KERNEL_TASK_TYPE") ||
                             token_is(s, i, "KERNEL_TASK_TYPE_DEFAULT")))) {
            size_t end = call ? token_close(s, i + 1) + 1 : i + 1;
            erase(e, s, i, end);
            i = end - 1;
        }
    }
    text entry = {0};
    size_t after = stop;
    if (has_launch_header(s, k, one)) {
        entry_definition(&entry, s, one);
    } else if (one->body >= s->count && !one->is_template) {
        entry_declaration(&entry, one);
        after = one->behind;
    }
    if (entry.size && after < s->count) {
        change(e, s->tokens[after].at + s->tokens[after].size, 0, entry.bytes);
    }
}

static int by_place(const void *a, const void *b)
{
    const edit *x = a, *y = b;
    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    return x->remove == y->remove ? 0 : x->remove < y->remove ? -1 : 1;
}

static void apply(text *out, const source *s, edits *e)
{
    if (e->count > 1)
        qsort(e->at, e->count, sizeof *e->at, by_place);
    size_t at = 0;
    for (size_t i = 0; i < e->count; i++) {
        const edit *one = &e->at[i];
        text_add(out, s->bytes + at, one->at - at);
        text_put(out, one->insert);
        text_put(out, one->remove ? " " : "");
        at = one->at + one->remove;
    }
    text_add(out, s->bytes + at, s->size - at);
}

void rewrite(rewritten *out, const source *s, const kernels *k, const char *attribute)
{
    *out = (rewritten){.kernels = k->count};
    edits e = {0};
    for (size_t i = 0; i < k->count; i++) {
        change_kernel(&e, s, k, &k->at[i], attribute);
    }
    size_t closed = 0; /* up to here >>> belongs to a launch */
    for (size_t i = 1; i < s->count; i++) {
        if (!s->tokens[i].user || s->tokens[i].kind != TOKEN_MARK) {
            continue;
        }
        launch l;
        if (three(s, i, '<') && !token_is(s, i - 1, "operator")) {
            if (find_launch(s, i, &l)) {
                change_launch(&e, s, k, &l);
                out->launches++;
                closed = l.close + 2;
            }
            i += 2;
        } else if (three(s, i, '>') && i > closed) {
            check_shift(s, i);
            i += 2;
        } else if (is_mark(s, i, '[') && token_is(s, i + 1, "aicore") && is_mark(s, i + 2, ']')) {
            erase(&e, s, i, i + 3);
        }
    }
    apply(&out->text, s, &e);
    free(e.at);
}
