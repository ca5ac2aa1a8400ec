/* The sources that ascc writes around the kernels of an op project: for each combination of dtypes,
 * and each tiling key where the kernel needs that, what the kernel's own source expects to be
 * defined. */
#include "tools/ascc/opnames.h"
#include "tools/ascc/opproject.h"
#include "tools/ascc/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sa_project_param *param(const sa_project_op *op, size_t i)
{
    return i < op->input_count ? &op->inputs[i] : &op->outputs[i - op->input_count];
}

char *op_key_name(const combination *c, size_t key)
{
    return say("%s_%llu", c->name, (unsigned long long)c->keys.at[key]);
}

static const sa_project_struct *find_struct(const sa_project_struct *all, size_t count,
                                            const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(all[i].name, name)) {
            return &all[i];
        }
    }
    return NULL;
}

/* A structure as the kernel declares it, those that it is made of before it. */
static void write_struct(text *t, words *done, const sa_project_struct *s,
                         const sa_project_struct *all, size_t count)
{
    for (size_t i = 0; i < done->count; i++) {
        if (!strcmp(done->at[i], s->name)) {
            return;
        }
    }
    words_add(done, s->name);
    for (size_t i = 0; i < s->field_count; i++) {
        const sa_project_struct *inner = find_struct(all, count, s->fields[i].type);
        if (inner) {
            write_struct(t, done, inner, all, count);
        }
    }
    text_print(t, "struct %s {\n", s->name);
    for (size_t i = 0; i < s->field_count; i++) {
        const sa_project_field *f = &s->fields[i];
        text_print(t, f->count ? "    %s %s[%zu];\n" : "    %s %s;\n", f->type, f->name, f->count);
    }
    text_print(t, "};\nstatic_assert(sizeof(%s) == %zu, \"\");\n", s->name, s->bytes);
    for (size_t i = 0; i < s->field_count; i++) {
        text_print(t, "static_assert(__builtin_offsetof(%s, %s) == %zu, \"\");\n", s->name,
                   s->fields[i].name, s->fields[i].offset);
    }
}

/* REGISTER_TILING_DATA_CLASS(Op, …) and (Op_KEY, …). */
static bool struct_of(const sa_project_struct *s, const sa_project_op *op)
{
    size_t n = strlen(op->name);
    return !strncmp(s->op, op->name, n) &&
           (!s->op[n] || (s->op[n] == '_' && s->op[n + 1] &&
                          strspn(s->op + n + 1, "0123456789") == strlen(s->op + n + 1)));
}

/* GET_TILING_DATA reads the operator's structure, or the one for the `key`, where that is known. */
static void write_structs(text *t, const sa_project_op *op, const uint64_t *key,
                          const sa_project_struct *all, size_t count)
{
    words done = {0};
    const char *own = NULL, *keyed = NULL;
    const char *wanted = key ? say("%s_%llu", op->name, (unsigned long long)*key) : op->name;
    for (size_t i = 0; i < count; i++) {
        if (struct_of(&all[i], op)) {
            write_struct(t, &done, &all[i], all, count);
            own = !strcmp(all[i].op, op->name) ? all[i].name : own;
            keyed = !strcmp(all[i].op, wanted) ? all[i].name : keyed;
        }
    }
    own = keyed ? keyed : own;
    if (own) {
        text_print(t, "using softascend_tiling_data = %s;\n", own);
    }
}

static int write_dtypes(text *t, const sa_project_op *op, size_t combination)
{
    for (size_t i = 0; i < op->input_count + op->output_count; i++) {
        const sa_project_param *p = param(op, i);
        const char *name = upper_name(p->name), *original, *type;
        if (p->same_input >= 0) {
            continue;
        }
        if (!dtype_names(p->dtypes[combination], &type, &original)) {
            return op_wrong(op, say("%s is of the dtype %d, which kernels here do not have",
                                    p->name, p->dtypes[combination]));
        }
        text_print(t, "#define DTYPE_%s %s\n#define ORIG_DTYPE_%s %s\n#define FORMAT_%s %d\n", name,
                   type, name, original, name, p->formats[combination]);
    }
    return 0;
}

/* The kernel's file: FILE.cpp by the operator's name or ExtendCfgInfo's "opFile.value". */
static const char *kernel_file(const sa_project_op *op, const words *kernels, const char *snake)
{
    char *wanted = say("%s.cpp", op->kernel_file ? op->kernel_file : snake);
    for (size_t i = 0; i < kernels->count; i++) {
        if (!strcmp(base_name(kernels->at[i]), wanted)) {
            return kernels->at[i];
        }
    }
    text list = {0};
    for (size_t i = 0; i < kernels->count; i++) {
        text_print(&list, "%s%s", i ? ", " : "", kernels->at[i]);
    }
    op_wrong(op,
             say("there is no kernel file %s among: %s", wanted, list.bytes ? list.bytes : "none"));
    return NULL;
}

static void surround(text *t, const maker *m, const text *defines, const uint64_t *key)
{
    text tiling = {0};
    write_structs(&tiling, m->op, key, m->structs, m->struct_count);
    if (key) {
        text_print(t, "#define TILING_KEY_VAR %lluULL\n", (unsigned long long)*key);
    }
    text_print(t, "%s#include \"ascendc/op_kernel.h\"\n%s#include \"%s\"\n", defines->bytes,
               tiling.bytes ? tiling.bytes : "", m->file);
    free(tiling.bytes);
}

static int write_variant(const maker *m, const text *defines, char *name, const uint64_t *key)
{
    text t = {0};
    surround(&t, m, defines, key);
    text_print(&t, "SOFTASCEND_OP_VARIANT(%s, %s, %zu)\n", name, m->snake,
               m->op->input_count + m->op->output_count + 2);
    m->out->variants = grow(m->out->variants, (m->out->count + 1) * sizeof *m->out->variants);
    variant *v = &m->out->variants[m->out->count++];
    *v = (variant){name, say("%s/%s.cpp", m->folder, name)};
    return op_save(&t, v->source);
}

/* The kernel of a combination that no earlier one serves. */
static int write_combination(const maker *m, combination *c, const text *defines, size_t number,
                             asked_keys *asked)
{
    text t = {0};
    char *probe = say("%s/%s.keys.cpp", m->folder, c->name);
    surround(&t, m, defines, NULL);
    if (number == 0) {
        int code = op_save(&t, probe);
        code = code ? code : keys_asked(asked, m->o, m->kernels, probe);
        if (code) {
            return code;
        }
    }
    if (!asked->any) {
        return write_variant(m, defines, c->name, NULL);
    }
    int code = keys_named(&c->keys, asked, m->o, m->kernels, &t, probe);
    if (!code && c->keys.count == 0) {
        code = op_wrong(
            m->op,
            say("%s asks for TILING_KEY_VAR in #if lines but names no key for the "
                "combination %zu of dtypes: TILING_KEY_IS(key), or #if TILING_KEY_VAR == key",
                m->file, number + 1));
    }
    for (size_t k = 0; !code && k < c->keys.count; k++) {
        code = write_variant(m, defines, op_key_name(c, k), &c->keys.at[k]);
    }
    return code;
}

int op_kernels(maker *m, combination *combinations)
{
    text source = {0};
    words seen = {0};
    asked_keys asked = {0};
    m->snake = snake_name(m->op->name);
    m->file = kernel_file(m->op, m->kernels, m->snake);
    if (!m->file) {
        return 1;
    }
    if (!text_read(&source, m->file) || !contains_word(source.bytes, m->snake)) {
        return op_wrong(m->op, say("%s has no kernel %s", m->file, m->snake));
    }
    for (size_t n = 0; n < m->op->combination_count; n++) {
        text defines = {0};
        combination *c = &combinations[n];
        if (write_dtypes(&defines, m->op, n)) {
            return 1;
        }
        words_add(&seen, defines.bytes);
        size_t first = 0;
        while (strcmp(seen.at[first], defines.bytes) != 0) {
            first++;
        }
        if (first < n) {
            *c = combinations[first]; /* the same kernel serves both */
            continue;
        }
        *c = (combination){say("%s_%zu", m->op->name, n), {0}};
        int code = write_combination(m, c, &defines, n, &asked);
        if (code) {
            return code;
        }
    }
    return 0;
}
