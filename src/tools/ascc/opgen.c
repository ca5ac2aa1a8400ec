/* What ascc writes for the operators of an op project, from the definitions that their host code
 * leaves when it is loaded: aclnn headers and aclnn functions; for the kernels opkernels.c does. */
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

int op_wrong(const sa_project_op *op, const char *text)
{
    fprintf(stderr, "%s:%d: error: %s: %s\n", op->file, op->line, op->name, text);
    return 1;
}

int op_save(const text *t, const char *path)
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
    return op_save(&t, say("%s/aclnn_%s.h", include, snake));
}

static void declare_variant(text *t, const char *name)
{
    text_print(t, "extern \"C\" const sa_project_variant softascend_variant_%s;\n", name);
}

static void write_keys(text *t, const combination *c, size_t index, size_t number)
{
    for (size_t k = 0; k < c->keys.count; k++) {
        declare_variant(t, op_key_name(c, k));
    }
    text_print(t, "static const sa_project_key keys_%zu_%zu[] = {", index, number);
    for (size_t k = 0; k < c->keys.count; k++) {
        text_print(t, "{%lluu, &softascend_variant_%s}, ", (unsigned long long)c->keys.at[k],
                   op_key_name(c, k));
    }
    text_print(t,
               "};\nstatic const sa_project_variant keyed_%zu_%zu = {nullptr, nullptr, "
               "keys_%zu_%zu, %zu};\n",
               index, number, index, number, c->keys.count);
}

static void write_functions(text *t, const sa_project_op *op, size_t index,
                            const combination *combinations)
{
    text parameters = {0}, pack = {0}, list = {0};
    arguments(op, &parameters, &pack);
    for (size_t n = 0; n < op->combination_count; n++) {
        const combination *c = &combinations[n];
        if (c->keys.count) {
            write_keys(t, c, index, n);
            text_print(&list, "&keyed_%zu_%zu, ", index, n);
        } else {
            declare_variant(t, c->name);
            text_print(&list, "&softascend_variant_%s, ", c->name);
        }
    }
    text_print(t, "static const sa_project_variant *const variants_%zu[] = {%s", index, list.bytes);
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
                      combination *const *combinations, const char *include, const char *folder)
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
        write_functions(&t, ops[i], i, combinations[i]);
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
    return op_save(&t, out->glue);
}

/* ---- all of it, in a process of its own: host code of the user's runs */

static int generate(generated *out, const options *o, const char *library, const char *include,
                    const char *folder, const words *kernels)
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
    combination **combinations = grow(NULL, (count + 1) * sizeof *combinations);
    int code = 0;

    if (count == 0) {
        fprintf(stderr, "ascc: error: the project's host code has no operator: OP_ADD(Name)\n");
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        const sa_project_op *op = ops[i];
        if (op->fault) {
            code = op_wrong(op, op->fault);
            continue;
        }
        combinations[i] = grow(NULL, op->combination_count * sizeof **combinations);
        maker m = {out, o, op, kernels, structs, struct_count, folder, NULL, NULL};
        code |= op_kernels(&m, combinations[i]);
        code |= write_header(op, include);
    }
    return code ? code : write_glue(out, ops, count, combinations, include, folder);
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

int op_generate(generated *out, const options *o, const char *host_library, const char *include,
                const char *folder, const words *kernels)
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
        int code = generate(out, o, host_library, include, folder, kernels);
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
