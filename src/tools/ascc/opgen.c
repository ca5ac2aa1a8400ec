/* What ascc writes for the operators of an op project, from the definitions that their host code
 * leaves when it is loaded: aclnn headers, aclnn functions, and for each kernel and combination of
 * dtypes a source that surrounds it. */
#include "softascend/op_project.h"
#include "tools/ascc/opnames.h"
#include "tools/ascc/opproject.h"
#include "tools/ascc/run.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int wrong(const sa_project_op *op, const char *format, const char *text)
{
    fprintf(stderr, "%s:%d: error: %s: ", op->file, op->line, op->name);
    fprintf(stderr, format, text);
    fputc('\n', stderr);
    return 1;
}

static int save(const text *t, const char *path)
{
    text old = {0};
    /* one that did not change keeps its time, so that nothing is compiled again for it */
    bool same =
        text_read(&old, path) && old.size == t->size && !memcmp(old.bytes, t->bytes, t->size);
    free(old.bytes);
    if (!same && !text_write(t, path)) {
        fprintf(stderr, "ascc: error: %s: %s\n", path, strerror(errno));
        return 1;
    }
    return 0;
}

static const sa_project_param *param(const sa_project_op *op, size_t i)
{
    return i < op->input_count ? &op->inputs[i] : &op->outputs[i - op->input_count];
}

/* ---- the aclnn functions */

static const char *param_type(const sa_project_param *p)
{
    if (p->value_depend) {
        return p->dtypes[0] == ACL_FLOAT  ? "const aclFloatArray *"
               : p->dtypes[0] == ACL_BOOL ? "const aclBoolArray *"
                                          : "const aclIntArray *";
    }
    return p->kind == SA_PARAM_DYNAMIC ? "const aclTensorList *" : "const aclTensor *";
}

static const struct {
    const char *type, *member;
} attr_types[] = {
    [SA_ATTR_BOOL] = {"bool ", "boolean"},
    [SA_ATTR_INT] = {"int64_t ", "integer"},
    [SA_ATTR_FLOAT] = {"double ", "real"},
    [SA_ATTR_STRING] = {"const char *", "string"},
    [SA_ATTR_LIST_BOOL] = {"const aclBoolArray *", "array"},
    [SA_ATTR_LIST_INT] = {"const aclIntArray *", "array"},
    [SA_ATTR_LIST_FLOAT] = {"const aclFloatArray *", "array"},
};

/* The function's parameters, in order: declared in `parameters`, put into an array in `pack`. */
static void arguments(const sa_project_op *op, text *parameters, text *pack)
{
    words names = {0};
    for (size_t i = 0; i < op->input_count; i++) {
        const sa_project_param *p = &op->inputs[i];
        const char *name =
            parameter_name(&names, p->name, p->kind == SA_PARAM_OPTIONAL ? "Optional" : "");
        text_print(parameters, "%s%s, ", param_type(p), name);
        text_print(pack, "    args[%zu].%s = %s;\n", names.count - 1,
                   p->value_depend               ? "array"
                   : p->kind == SA_PARAM_DYNAMIC ? "tensors"
                                                 : "tensor",
                   name);
    }
    for (size_t i = 0; i < op->attr_count; i++) {
        const sa_project_attr *a = &op->attrs[i];
        const char *name = parameter_name(&names, a->name, "");
        text_print(parameters, "%s%s, ", attr_types[a->type].type, name);
        text_print(pack, "    args[%zu].%s = %s;\n", names.count - 1, attr_types[a->type].member,
                   name);
    }
    for (size_t i = 0; i < op->output_count; i++) {
        const sa_project_param *p = &op->outputs[i];
        if (p->same_input >= 0) {
            continue; /* the input is it */
        }
        const char *name = op->output_count == 1 ? parameter_name(&names, "out", "")
                                                 : parameter_name(&names, p->name, "Out");
        text_print(parameters, "%s%s, ", param_type(p), name);
        text_print(pack, "    args[%zu].%s = %s;\n", names.count - 1,
                   p->kind == SA_PARAM_DYNAMIC ? "tensors" : "tensor", name);
    }
    text_put(parameters, "uint64_t *workspaceSize, aclOpExecutor **executor");
}

static int write_header(const sa_project_op *op, const char *include)
{
    text t = {0}, parameters = {0}, pack = {0};
    char *snake = snake_name(op->name), *guard = upper_name(say("aclnn_%s_h", snake));
    arguments(op, &parameters, &pack);
    text_print(
        &t,
        "/* The operator %s of %s. Made by ascc.\n"
        " * The first function checks, runs the tiling function, and says how much workspace "
        "the second\n * needs; the second launches on `stream`. */\n"
        "#ifndef %s\n#define %s\n\n#include \"aclnn/acl_meta.h\"\n#include \"acl/acl.h\"\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
        op->name, base_name(op->file), guard, guard);
    text_print(&t,
               "__attribute__((visibility(\"default\")))\n"
               "aclnnStatus %sGetWorkspaceSize(%s);\n\n"
               "__attribute__((visibility(\"default\")))\n"
               "aclnnStatus %s(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, "
               "aclrtStream stream);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n",
               op->function, parameters.bytes, op->function);
    return save(&t, say("%s/aclnn_%s.h", include, snake));
}

static void write_functions(text *t, const sa_project_op *op, size_t index, char *const *variants)
{
    text parameters = {0}, pack = {0};
    arguments(op, &parameters, &pack);
    for (size_t c = 0; c < op->combination_count; c++) {
        text_print(t, "extern \"C\" const sa_project_variant softascend_variant_%s;\n",
                   variants[c]);
    }
    text_print(t, "static const sa_project_variant *const variants_%zu[] = {", index);
    for (size_t c = 0; c < op->combination_count; c++) {
        text_print(t, "&softascend_variant_%s, ", variants[c]);
    }
    text_print(t,
               "};\nextern \"C\" aclnnStatus %sGetWorkspaceSize(%s)\n{\n"
               "    sa_project_arg args[%zu] = {};\n%s"
               "    return sa_project_plan(op(%zu), args, workspaceSize, executor);\n}\n"
               "extern \"C\" aclnnStatus %s(void *workspace, uint64_t workspaceSize, "
               "aclOpExecutor *executor, aclrtStream stream)\n{\n"
               "    return sa_project_run(op(%zu), workspace, workspaceSize, executor, stream);\n"
               "}\n\n",
               op->function, parameters.bytes, op->input_count + op->attr_count + op->output_count,
               pack.bytes, index, op->function, index);
}

static int write_glue(generated *out, sa_project_op *const *ops, size_t count,
                      char *const *const *variants, const char *include, const char *folder)
{
    text t = {0};
    text_put(&t, "#include \"softascend/op_project.h\"\n");
    for (size_t i = 0; i < count; i++) {
        text_print(&t, "#include \"%s/aclnn_%s.h\"\n", include, snake_name(ops[i]->name));
    }
    text_put(&t, "extern \"C\" sa_project_op *const *softascend_ops(size_t *count);\n"
                 "static const sa_project_op *const *all();\n"
                 "static const sa_project_op *op(size_t i)\n{\n    return all()[i];\n}\n\n");
    for (size_t i = 0; i < count; i++) {
        write_functions(&t, ops[i], i, variants[i]);
    }
    text_put(&t, "static const sa_project_op *const *all()\n{\n"
                 "    static const sa_project_op *const *const list = [] {\n"
                 "        size_t count;\n"
                 "        sa_project_op *const *ops = softascend_ops(&count);\n");
    for (size_t i = 0; i < count; i++) {
        text_print(&t, "        ops[%zu]->variants = variants_%zu;\n", i, i);
    }
    text_print(&t,
               "        return ops;\n    }();\n    return list;\n}\n\n"
               "extern \"C\" __attribute__((visibility(\"default\")))\n"
               "const sa_project_library *softascend_op_library(void)\n{\n"
               "    static const sa_project_library library = {%zu, all(), sa_project_plan, "
               "sa_project_run, sa_project_infer};\n    return &library;\n}\n",
               count);
    out->glue = say("%s/aclnn.cpp", folder);
    return save(&t, out->glue);
}

/* ---- the kernels */

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

static void write_structs(text *t, const sa_project_op *op, const sa_project_struct *all,
                          size_t count)
{
    words done = {0};
    const char *own = NULL;
    for (size_t i = 0; i < count; i++) {
        if (struct_of(&all[i], op)) {
            write_struct(t, &done, &all[i], all, count);
            own = !strcmp(all[i].op, op->name) ? all[i].name : own;
        }
    }
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
            return wrong(op, "%s",
                         say("%s is of the dtype %d, which kernels here do not have", p->name,
                             p->dtypes[combination]));
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
    wrong(op, "%s",
          say("there is no kernel file %s among: %s", wanted, list.bytes ? list.bytes : "none"));
    return NULL;
}

static int write_variants(generated *out, const sa_project_op *op, char **names,
                          const words *kernels, const sa_project_struct *structs,
                          size_t struct_count, const char *folder)
{
    char *snake = snake_name(op->name);
    const char *file = kernel_file(op, kernels, snake);
    text source = {0}, tiling = {0};
    words seen = {0};
    if (!file) {
        return 1;
    }
    if (!text_read(&source, file) || !contains_word(source.bytes, snake)) {
        return wrong(op, "%s", say("%s has no kernel %s", file, snake));
    }
    write_structs(&tiling, op, structs, struct_count);
    for (size_t c = 0; c < op->combination_count; c++) {
        text defines = {0}, t = {0};
        if (write_dtypes(&defines, op, c)) {
            return 1;
        }
        names[c] = say("%s_%zu", op->name, c);
        for (size_t n = 0; n < c; n++) {
            if (!strcmp(seen.at[n], defines.bytes)) {
                names[c] = names[n]; /* the same kernel serves both */
                break;
            }
        }
        words_add(&seen, defines.bytes);
        if (strcmp(names[c], say("%s_%zu", op->name, c)) != 0) {
            continue;
        }
        text_print(&t, "%s#include \"ascendc/op_kernel.h\"\n%s#include \"%s\"\n", defines.bytes,
                   tiling.bytes ? tiling.bytes : "", file);
        text_print(&t, "SOFTASCEND_OP_VARIANT(%s, %s, %zu)\n", names[c], snake,
                   op->input_count + op->output_count + 2);
        out->variants = grow(out->variants, (out->count + 1) * sizeof *out->variants);
        variant *v = &out->variants[out->count++];
        *v = (variant){names[c], say("%s/%s.cpp", folder, names[c])};
        if (save(&t, v->source)) {
            return 1;
        }
    }
    return 0;
}

/* ---- all of it, in a process of its own: host code of the user's runs */

static int generate(generated *out, const char *library, const char *include, const char *folder,
                    const words *kernels)
{
    void *host = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!host) {
        fprintf(stderr, "ascc: error: the project's host code does not load: %s\n", dlerror());
        return 1;
    }
    sa_project_op *const *(*get_ops)(size_t *) =
        (sa_project_op *const *(*)(size_t *))dlsym(host, "softascend_ops");
    const sa_project_struct *(*get_structs)(size_t *) =
        (const sa_project_struct *(*)(size_t *))dlsym(host, "softascend_structs");
    size_t count = 0, struct_count = 0;
    sa_project_op *const *ops = get_ops(&count);
    const sa_project_struct *structs = get_structs(&struct_count);
    char ***variants = grow(NULL, (count + 1) * sizeof *variants);
    int code = 0;

    if (count == 0) {
        fprintf(stderr, "ascc: error: the project's host code has no operator: OP_ADD(Name)\n");
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        const sa_project_op *op = ops[i];
        if (op->fault) {
            code = wrong(op, "%s", op->fault);
            continue;
        }
        variants[i] = grow(NULL, op->combination_count * sizeof **variants);
        code |= write_variants(out, op, variants[i], kernels, structs, struct_count, folder);
        code |= write_header(op, include);
    }
    return code ? code
                : write_glue(out, ops, count, (char *const *const *)variants, include, folder);
}

/* From the child to its parent: one word a line, what is in `out`. */
static void send_all(const generated *out, FILE *to)
{
    fprintf(to, "%s\n%zu\n", out->glue, out->count);
    for (size_t i = 0; i < out->count; i++) {
        fprintf(to, "%s\n%s\n", out->variants[i].name, out->variants[i].source);
    }
}

static char *receive(FILE *from)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n = getline(&line, &room, from);
    if (n <= 0) {
        return NULL;
    }
    line[n - 1] = '\0';
    return line;
}

static void receive_all(generated *out, FILE *from)
{
    out->glue = receive(from);
    char *word = receive(from);
    out->count = word ? strtoul(word, NULL, 10) : 0;
    out->variants = grow(NULL, (out->count + 1) * sizeof *out->variants);
    for (size_t i = 0; i < out->count; i++) {
        out->variants[i].name = receive(from);
        out->variants[i].source = receive(from);
    }
}

int op_generate(generated *out, const char *host_library, const char *include, const char *folder,
                const words *kernels)
{
    int ends[2], status;
    *out = (generated){0};
    if (pipe(ends)) {
        fprintf(stderr, "ascc: error: %s\n", strerror(errno));
        return 1;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        FILE *to = fdopen(ends[1], "w");
        close(ends[0]);
        int code = generate(out, host_library, include, folder, kernels);
        if (!code && to) {
            send_all(out, to);
            fclose(to);
        }
        fflush(NULL);
        _exit(code);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    if (child > 0 && from) {
        receive_all(out, from);
    }
    if (from) {
        fclose(from);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        fprintf(stderr, "ascc: error: %s\n", strerror(errno));
        return 1;
    }
    if (WIFSIGNALED(status)) {
        fprintf(stderr,
                "ascc: error: the project's host code crashed (%s) when it was asked for its "
                "operators; look at the OpDef classes and at global constructors\n",
                strsignal(WTERMSIG(status)));
        return 1;
    }
    return WEXITSTATUS(status);
}
