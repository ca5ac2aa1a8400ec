/* A source whose kernels choose their core by the preprocessor: compiled for the host, for vector
 * cores and for cube cores, and joined into one object in which the two share no symbol but the
 * kernels, and those under names of their own.
 *
 * Host code calls a kernel by its name, which is a few instructions that look which core runs them
 * and go on to that core's kernel, arguments untouched. Initialisers of globals run once: only the
 * host's stay. */
#include "tools/ascc/compile.h"
#include "tools/ascc/run.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct core {
    const char *macro, *suffix;
} cores[] = {{"VEC", "aiv"}, {"CUBE", "aic"}};

/* ---- kinds: both cores where the two texts differ in what a kernel reaches */

/* A line of the user's file and what stands on it, as one number. */
static uint64_t line_key(const source *s, size_t *i)
{
    uint64_t key = 14695981039346656037u;
    const token *first = &s->tokens[*i];
    text t = {0};
    text_print(&t, "%s:%u:", s->files[first->file], first->line);
    for (; *i < s->count && s->tokens[*i].line == first->line && s->tokens[*i].file == first->file;
         ++*i) {
        text_add(&t, s->bytes + s->tokens[*i].at, s->tokens[*i].size);
        text_put(&t, " ");
    }
    for (size_t n = 0; n < t.size; n++) {
        key = (key ^ (unsigned char)t.bytes[n]) * 1099511628211u;
    }
    free(t.bytes);
    return key;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* For each token whether its line is not in the other text, or not the same there. */
static bool *chosen_tokens(const source *s, const source *other)
{
    uint64_t *keys = grow(NULL, (other->count + 1) * sizeof *keys);
    size_t count = 0;
    for (size_t i = 0; i < other->count;) {
        if (!other->tokens[i].user) {
            i++;
            continue;
        }
        keys[count++] = line_key(other, &i);
    }
    qsort(keys, count, sizeof *keys, by_number);
    bool *chosen = grow(NULL, s->count + 1);
    memset(chosen, 0, s->count + 1);
    for (size_t i = 0; i < s->count;) {
        size_t first = i;
        if (!s->tokens[i].user) {
            i++;
            continue;
        }
        uint64_t key = line_key(s, &i);
        memset(chosen + first, !bsearch(&key, keys, count, sizeof *keys, by_number), i - first);
    }
    free(keys);
    return chosen;
}

static unsigned reach_named(const unit *u, const char *name, const bool *chosen)
{
    const kernel *k = kernels_named(&u->kernels, name, strlen(name));
    return k && k->body < u->source.count ? reach(&u->source, k, chosen) : USES_CHOSEN;
}

static void decide(kernels *host, const unit *vector, const unit *cube)
{
    bool *in_vector = chosen_tokens(&vector->source, &cube->source);
    bool *in_cube = chosen_tokens(&cube->source, &vector->source);
    for (size_t i = 0; i < host->count; i++) {
        kernel *k = &host->at[i];
        if (k->says_kind) {
            continue;
        }
        unsigned uses =
            reach_named(vector, k->name, in_vector) | reach_named(cube, k->name, in_cube);
        k->kind = uses & USES_CHOSEN ? KIND_MIX_1_2 : reach_kind(uses);
    }
    free(in_vector);
    free(in_cube);
}

/* ---- symbols */

/* The kernel's name in what nm -C prints: `void space::k<half, 3>(unsigned char*)`. */
static bool names_kernel(const char *shown, const kernels *k)
{
    size_t end = strcspn(shown, "<("), begin = end;
    while (begin > 0 && (isalnum((unsigned char)shown[begin - 1]) || shown[begin - 1] == '_')) {
        begin--;
    }
    return kernels_named(k, shown + begin, end - begin) != NULL;
}

static int symbols(const char *object, bool readable, text *out)
{
    words w = {0};
    words_add(&w, "nm");
    words_add(&w, "-gp");
    words_add(&w, "--defined-only");
    if (readable) {
        words_add(&w, "-C");
    }
    words_add(&w, object);
    text_add(out, "", 0);
    int code = run(&w, out);
    free(w.at);
    return code;
}

/* The linker's names of the kernels that an object defines; in `templates` those of templates. */
static int kernel_symbols(const char *object, const kernels *k, words *names, words *templates)
{
    text plain = {0}, shown = {0};
    int code = symbols(object, false, &plain);
    code = code ? code : symbols(object, true, &shown);
    char *p = plain.bytes, *q = shown.bytes;
    while (!code && p && *p && q && *q) {
        char *p_end = strchr(p, '\n'), *q_end = strchr(q, '\n');
        if (!p_end || !q_end) {
            break;
        }
        *p_end = *q_end = '\0';
        /* "0000000000000000 T name" */
        if (p_end - p > 19 && strchr("TW", p[17]) && names_kernel(q + 19, k)) {
            words_add(names, p + 19);
            if (q[19 + strcspn(q + 19, "<(")] == '<') {
                words_add(templates, p + 19);
            }
        }
        p = p_end + 1;
        q = q_end + 1;
    }
    return code;
}

static bool contains(const words *w, const char *word)
{
    for (size_t i = 0; i < w->count; i++) {
        if (!strcmp(w->at[i], word)) {
            return true;
        }
    }
    return false;
}

/* ---- objects */

static bool is_gcc(const options *o)
{
    words w = {0};
    text out = {0};
    char *compiler = say("%s", o->compiler);
    words_add(&w, strtok(compiler, " "));
    words_add(&w, "--version");
    text_add(&out, "", 0);
    bool gcc = !run(&w, &out) && !strstr(out.bytes, "clang");
    free(out.bytes);
    return gcc;
}

static int compile_object(const options *o, const char *file, const char *object, bool quiet)
{
    words w = {0};
    command(&w, o);
    /* warnings once; what only a core uses is unused on the host */
    words_add(&w, quiet ? "-w" : "-Wno-unused");
    words_add(&w, "-Wno-unused-parameter");
    if (is_gcc(o)) {
        words_add(&w, "-fno-gnu-unique"); /* one object for the process, which none here is */
    }
    words_add(&w, "-c");
    words_add(&w, file);
    words_add(&w, "-o");
    words_add(&w, object);
    int code = run(&w, NULL);
    free(w.at);
    return code;
}

/* Several objects into one; with `loose`, without the groups that another object could replace. */
static int join(const options *o, const words *objects, const char *object, bool loose)
{
    words w = {0};
    char *compiler = say("%s", o->compiler);
    words_add(&w, strtok(compiler, " "));
    words_add(&w, "-r");
    words_add(&w, "-nostdlib");
    if (loose) {
        words_add(&w, "-Wl,--force-group-allocation");
    }
    words_add_all(&w, objects);
    words_add(&w, "-o");
    words_add(&w, object);
    int code = run(&w, NULL);
    free(w.at);
    return code;
}

/* Renames the kernels of a core's object and hides everything else. */
static int seclude(const char *object, const words *names, const char *suffix)
{
    words rename = {0}, keep = {0};
    words_add(&rename, "objcopy");
    words_add(&keep, "objcopy");
    for (size_t i = 0; i < names->count; i++) {
        words_add(&rename, say("--redefine-sym=%s=%s.%s", names->at[i], names->at[i], suffix));
        words_add(&keep, say("--keep-global-symbol=%s.%s", names->at[i], suffix));
    }
    words_add(&keep, "--keep-global-symbol=no kernel");
    words_add(&keep, "--remove-section=.init_array*");
    words_add(&keep, "--remove-section=.rela.init_array*");
    words_add(&rename, object);
    words_add(&keep, object);
    int code = run(&rename, NULL);
    return code ? code : run(&keep, NULL);
}

/* Two names for what the kernel is on each core, and the choice between them. Arguments are where
 * the caller put them, in registers and on the stack. */
static void thunks(text *out, const words *all, const words *names)
{
    static const char choose[] =
        "#if defined(__x86_64__)\n"
        ".macro CHOOSE name, vector, cube\n"
        "    push %rbp\n    mov %rsp, %rbp\n"
        "    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n    push %r8\n    push %r9\n"
        "    sub $128, %rsp\n"
        "    .irp n, 0,1,2,3,4,5,6,7\n    movups %xmm\\n, 16*\\n(%rsp)\n    .endr\n"
        "    call sa_self@PLT\n    mov %rax, %rdi\n    call sa_kind@PLT\n    mov %eax, %r11d\n"
        "    .irp n, 0,1,2,3,4,5,6,7\n    movups 16*\\n(%rsp), %xmm\\n\n    .endr\n"
        "    add $128, %rsp\n"
        "    pop %r9\n    pop %r8\n    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        "    pop %rbp\n"
        "    test %r11d, %r11d\n    jz \\cube\n    jmp \\vector\n"
        ".endm\n"
        "#elif defined(__aarch64__)\n"
        ".macro CHOOSE name, vector, cube\n"
        "    stp x29, x30, [sp, #-208]!\n    mov x29, sp\n"
        "    stp x0, x1, [sp, #16]\n    stp x2, x3, [sp, #32]\n    stp x4, x5, [sp, #48]\n"
        "    stp x6, x7, [sp, #64]\n"
        "    stp q0, q1, [sp, #80]\n    stp q2, q3, [sp, #112]\n    stp q4, q5, [sp, #144]\n"
        "    stp q6, q7, [sp, #176]\n"
        "    bl sa_self\n    bl sa_kind\n    mov w16, w0\n"
        "    ldp q0, q1, [sp, #80]\n    ldp q2, q3, [sp, #112]\n    ldp q4, q5, [sp, #144]\n"
        "    ldp q6, q7, [sp, #176]\n"
        "    ldp x0, x1, [sp, #16]\n    ldp x2, x3, [sp, #32]\n    ldp x4, x5, [sp, #48]\n"
        "    ldp x6, x7, [sp, #64]\n    ldp x29, x30, [sp], #208\n"
        "    cbz w16, 1f\n    b \\vector\n1:  b \\cube\n"
        ".endm\n"
        "#else\n#error a kernel that chooses its core by the preprocessor needs x86-64 or Arm\n"
        "#endif\n"
        ".section .note.GNU-stack, \"\", %progbits\n.text\n"
        "no_kernel:\n    ret\n";
    text_put(out, choose);
    for (size_t i = 0; i < all->count; i++) {
        const char *name = all->at[i];
        /* a template's may be in several files */
        text_print(out, "%s %s\n.type %s, %%function\n%s:\n    CHOOSE %s, ",
                   contains(&names[2], name) ? ".weak" : ".globl", name, name, name, name);
        for (size_t core = 0; core < 2; core++) {
            if (contains(&names[core], name)) {
                text_print(out, "%s.%s", name, cores[core].suffix);
            } else {
                text_put(out, "no_kernel");
            }
            text_put(out, core ? "\n" : ", ");
        }
    }
}

static bool none_is_static(const unit *u)
{
    for (size_t n = 0; n < u->kernels.count; n++) {
        const kernel *k = &u->kernels.at[n];
        for (size_t i = k->first; i < k->at; i++) {
            if (token_is(&u->source, i, "static")) {
                token_error(&u->source, i,
                            "the kernel %s chooses its core by the preprocessor and "
                            "cannot be static: the object of each core needs its name",
                            k->name);
            }
        }
    }
    return !token_errors;
}

int compile_twice(unit *host, const options *o, const char *object)
{
    unit units[2];
    words names[3] = {{0}}, host_names = {0}, objects = {0}; /* [2]: of templates */
    /* not known to the optimiser, and another definition takes their place */
    const char *apart =
        is_gcc(o) ? "__attribute__((weak, noipa))" : "__attribute__((weak, noinline))";
    int code = 0;
    if (!none_is_static(host)) {
        return 1;
    }
    for (size_t i = 0; i < 2 && !code; i++) {
        code = unit_read(&units[i], o, host->path, cores[i].macro);
    }
    if (code || token_errors) {
        return code ? code : 1;
    }
    decide(&host->kernels, &units[0], &units[1]);
    char *host_object = temporary("host.o");
    code = unit_rewrite(host, o, apart);
    code = code ? code : compile_object(o, host->file, host_object, false);
    code = code ? code : kernel_symbols(host_object, &host->kernels, &host_names, &names[2]);
    char *assembly = temporary("thunks.S"), *assembled = temporary("thunks.o");
    words_add(&objects, assembled); /* before the host's weak ones */
    words_add(&objects, host_object);
    for (size_t i = 0; i < 2 && !code; i++) {
        char *first = temporary("core.o"), *second = temporary("core.o");
        words one = {0};
        words_add(&one, first);
        code = unit_rewrite(&units[i], o, apart);
        code = code ? code : compile_object(o, units[i].file, first, true);
        code = code ? code : join(o, &one, second, true);
        code = code ? code : kernel_symbols(second, &host->kernels, &names[i], &names[2]);
        code = code ? code : seclude(second, &names[i], cores[i].suffix);
        words_add(&objects, second);
    }
    if (code) {
        return code;
    }
    text text = {0};
    thunks(&text, &host_names, names);
    if (!text_write(&text, assembly)) {
        fprintf(stderr, "ascc: error: %s: %s\n", assembly, strerror(errno));
        return 1;
    }
    words w = {0};
    char *compiler = say("%s", o->compiler);
    words_add(&w, strtok(compiler, " "));
    words_add(&w, "-c");
    words_add(&w, assembly);
    words_add(&w, "-o");
    words_add(&w, assembled);
    code = run(&w, NULL);
    return code ? code : join(o, &objects, object, false);
}
