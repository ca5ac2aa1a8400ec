/* What stands behind a kernel for callers in other files: aclrtlaunch_NAME, which the toolkit's
 * generated headers declare, sa_kind_NAME, by which a launch elsewhere knows the cores, and
 * sa_parameters_NAME and sa_call_NAME for callers that load a library (softascend/launch.h). */
#include "tools/ascc/entry.h"
#include "tools/ascc/rewrite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Behind an attribute at `i`, [[…]] or __attribute__((…)); `i` if there is none. */
static size_t behind_attribute(const source *s, size_t i)
{
    if (token_is(s, i, "[") && token_is(s, i + 1, "[")) {
        return token_close(s, i) + 1;
    }
    if (token_is(s, i, "__attribute__") && token_is(s, i + 1, "(")) {
        return token_close(s, i + 1) + 1;
    }
    return i;
}

/* The type of one parameter, tokens [from, to): without its attributes, name (which goes to *name)
 * and default value; an array is a pointer. */
static char *parameter_type(const source *s, size_t from, size_t to, char **name)
{
    bool array = false;
    for (size_t next; from < to && (next = behind_attribute(s, from)) != from;) {
        from = next;
    }
    static const char *const types[] = {"int",    "char", "short", "long",  "signed", "unsigned",
                                        "double", "bool", "float", "const", "auto",   "void"};
    for (size_t i = from; i < to; i++) {
        if (token_is(s, i, "=")) {
            to = i;
        } else if (token_is(s, i, "[") || behind_attribute(s, i) != i) {
            array |= behind_attribute(s, i) == i;
            to = i;
        }
    }
    if (to > from + 1 && s->tokens[to - 1].kind == TOKEN_NAME && !token_is(s, to - 2, "::")) {
        bool is_type = false;
        for (size_t n = 0; n < sizeof types / sizeof *types; n++) {
            is_type |= token_is(s, to - 1, types[n]);
        }
        /* `struct tiling` and `const tiling` have no name behind them */
        bool qualified =
            to == from + 2 && (token_is(s, from, "struct") || token_is(s, from, "const"));
        if (!is_type && !qualified) {
            to--;
            *name = token_join(s, to, to + 1);
        }
    }
    while (from < to && token_is(s, from, "const")) {
        from++;
    }
    char *type = token_join(s, from, to);
    if (array) {
        char *pointer = say("%s *", type);
        free(type);
        return pointer;
    }
    return type;
}

typedef struct parameter {
    char *type, *name;
    bool pointer;
} parameter;

static size_t parameters(const source *s, const kernel *k, parameter **out)
{
    size_t count = 0, from = k->open + 1;
    *out = NULL;
    for (size_t i = k->open + 1; i <= k->close; i++) {
        if (token_is(s, i, "<")) {
            size_t close = angle_close(s, i);
            i = close < k->close ? close : i;
        } else if (i < k->close && (token_is(s, i, "(") || token_is(s, i, "{"))) {
            i = token_close(s, i);
        } else if (i == k->close || token_is(s, i, ",")) {
            if (i > from) {
                *out = grow(*out, (count + 1) * sizeof **out);
                parameter *p = &(*out)[count++];
                p->name = "";
                p->type = parameter_type(s, from, i, &p->name);
                p->pointer = strchr(p->type, '*') != NULL;
                if (!strcmp(p->type, "void")) {
                    count--;
                }
            }
            from = i + 1;
        }
    }
    return count;
}

static void print_parameters(text *out, const parameter *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_print(out, ", %s%ssa_%zu", p[i].pointer ? "void *" : p[i].type,
                   p[i].pointer ? "" : " ", i);
    }
}

void entry_definition(text *out, const source *s, const kernel *k)
{
    parameter *p;
    size_t count = parameters(s, k, &p);
    text_print(out, " extern \"C\" { __attribute__((weak)) unsigned char sa_kind_%s = %d; ",
               k->name, k->kind);
    text_print(out,
               "__attribute__((weak)) uint32_t aclrtlaunch_%s(uint32_t sa_blocks, void *sa_stream",
               k->name);
    print_parameters(out, p, count);
    text_print(out, ") { return ::softascend::kernel(%s, %d, \"%s\").launch(sa_blocks, sa_stream",
               k->name, k->kind, k->name);
    for (size_t i = 0; i < count; i++) {
        if (p[i].pointer) {
            text_print(out, ", (%s)sa_%zu", p[i].type, i);
        } else {
            text_print(out, ", sa_%zu", i);
        }
    }
    text_put(out, "); } ");
    text_print(out, "__attribute__((weak)) ::sa_parameter sa_parameters_%s[] = { ", k->name);
    for (size_t i = 0; i < count; i++) {
        text_print(out, "::softascend::describe<%s>(\"%s\", \"%s\"), ", p[i].type, p[i].name,
                   p[i].type);
    }
    text_print(out,
               "{} }; __attribute__((weak)) uint32_t sa_call_%s(uint32_t sa_blocks, "
               "void *sa_stream, [[maybe_unused]] const void *const *sa_values) "
               "{ return aclrtlaunch_%s(sa_blocks, sa_stream",
               k->name, k->name);
    for (size_t i = 0; i < count; i++) {
        text_print(out, ", *(::softascend::stored<%s> *)sa_values[%zu]",
                   p[i].pointer ? "void *" : p[i].type, i);
    }
    text_put(out, "); } } ");
}

void entry_declaration(text *out, const kernel *k)
{
    text_print(out, " extern \"C\" { extern __attribute__((weak)) unsigned char sa_kind_%s; } ",
               k->name);
}

bool has_launch_header(const source *s, const kernels *k, const kernel *one)
{
    return one->body < s->count && !kernels_ambiguous(k, s, one->name);
}

void launch_header(text *out, const source *s, const kernel *k, const char *file)
{
    parameter *p;
    size_t count = parameters(s, k, &p);
    char *guard = say("ACLRTLAUNCH_%s_H", k->name);
    for (char *c = guard; *c; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    text_print(out, "/* Launches the kernel %s of %s. Made by ascc. */\n", k->name, file);
    text_print(out, "#ifndef %s\n#define %s\n\n#include <stdint.h>\n\n", guard, guard);
    text_put(out, "#ifndef ACLRT_LAUNCH_KERNEL\n"
                  "#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel\n#endif\n\n"
                  "#ifdef __cplusplus\nextern \"C\"\n#endif\n");
    text_print(out, "uint32_t aclrtlaunch_%s(uint32_t sa_blocks, void *sa_stream", k->name);
    print_parameters(out, p, count);
    text_put(out, ");\n\n#endif\n");
    free(guard);
}
