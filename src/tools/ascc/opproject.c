/* Builds an op project: op_host/ into the definitions and tiling functions, op_kernel/ into one
 * kernel for each combination of dtypes, both with aclnn functions between into one library.
 *
 * Kernels of one operator define the same functions for other dtypes, so each is an object that
 * shows nothing but its variant. */
#include "tools/ascc/opproject.h"
#include "tools/ascc/run.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "ascc: error: %s: %s\n", what, why);
    return 1;
}

static int make_folder(const char *path)
{
    char *part = say("%s", path);
    for (char *c = part + 1; *c; c++) {
        if (*c == '/') {
            *c = '\0';
            mkdir(part, 0777);
            *c = '/';
        }
    }
    return mkdir(part, 0777) && errno != EEXIST ? fail(part, strerror(errno)) : 0;
}

static char *absolute(const char *path)
{
    char *full = realpath(path, NULL);
    return full ? full : say("%s", path);
}

static void add_sources(words *to, const char *folder)
{
    static const char *const endings[] = {"cpp", "cc", "cxx", "asc"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        glob_t found;
        if (!glob(say("%s/*.%s", folder, endings[i]), 0, NULL, &found)) {
            for (size_t n = 0; n < found.gl_pathc; n++) {
                words_add(to, absolute(found.gl_pathv[n]));
            }
            globfree(&found);
        }
    }
}

static bool has_folder(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

/* The sources of the project: its folders' and those named one by one. */
static int find_sources(const options *o, words *hosts, words *kernels)
{
    for (size_t i = 0; i < o->op_hosts.count; i++) {
        words_add(hosts, absolute(o->op_hosts.at[i]));
    }
    for (size_t i = 0; i < o->op_kernels.count; i++) {
        words_add(kernels, absolute(o->op_kernels.at[i]));
    }
    if (o->op_project) {
        const char *folders[] = {"op_host", "op_kernel"};
        for (size_t i = 0; i < 2; i++) {
            char *folder = say("%s/%s", o->op_project, folders[i]);
            if (!has_folder(folder)) {
                return fail(folder, "an op project has the folders op_host and op_kernel");
            }
            add_sources(i ? kernels : hosts, folder);
        }
    }
    return hosts->count ? 0
                        : fail(o->op_project ? say("%s/op_host", o->op_project) : "--op-host",
                               "there is no C++ source");
}

/* Where headers are looked for that sources name without a folder. */
void add_includes(words *w, const words *files)
{
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->at[i];
        char *folder = say("%.*s", (int)(base_name(path) - path - 1), path);
        bool known = false;
        for (size_t n = 0; n < i; n++) {
            size_t length = strlen(folder);
            known |= !strncmp(files->at[n], folder, length) &&
                     files->at[n] + length + 1 == base_name(files->at[n]);
        }
        if (!known) {
            words_add(w, say("-I%s", folder));
        }
    }
}

static void add_dependencies(words *w, const char *object)
{
    words_add(w, "-MD");
    words_add(w, "-MF");
    words_add(w, say("%s.d", object));
}

/* Host sources, the first of which also carries what ascc asks. */
static int compile_hosts(const options *o, const words *hosts, const words *kernels, words *objects)
{
    words *commands = grow(NULL, hosts->count * sizeof *commands);
    memset(commands, 0, hosts->count * sizeof *commands);
    for (size_t i = 0; i < hosts->count; i++) {
        words *w = &commands[i];
        const char *object = temporary(say("%s.o", stem(hosts->at[i])));
        command(w, o);
        words_add(w, "-fPIC");
        words_add(w, "-fvisibility=hidden");
        add_includes(w, hosts);
        add_includes(w, kernels);
        words_add(w, "-isystem");
        words_add(w, say("%s/include", home));
        words_add(w, "-isystem");
        words_add(w, say("%s/include/ascendc", home));
        if (i == 0) {
            words_add(w, "-include");
            words_add(w, "register/op_library.h");
        }
        add_dependencies(w, object);
        words_add(w, "-c");
        words_add(w, "-x");
        words_add(w, "c++");
        words_add(w, hosts->at[i]);
        words_add(w, "-o");
        words_add(w, object);
        words_add(objects, object);
    }
    int code = run_all(commands, hosts->count);
    free(commands);
    return code;
}

/* What the library shows: two of them in a process share nothing. */
static const char exports[] =
    "{ global: aclnn*; softascend_op*; softascend_structs; local: *; };\n";

static int link_library(const options *o, const words *objects, const char *library)
{
    words w = {0};
    text script = {0};
    char *script_file = temporary("exports");
    text_put(&script, exports);
    if (!text_write(&script, script_file)) {
        return fail(script_file, strerror(errno));
    }
    command(&w, o);
    words_add(&w, "-shared");
    words_add(&w, "-Wl,-z,defs");
    words_add(&w, say("-Wl,-soname,%s", base_name(library)));
    words_add(&w, say("-Wl,--version-script=%s", script_file));
    words_add_all(&w, objects);
    words_add_all(&w, &o->link);
    words_add(&w, "-o");
    words_add(&w, library);
    words_add(&w, say("-L%s/lib64", home));
    words_add(&w, say("-Wl,-rpath,%s/lib64", home));
    words_add(&w, "-lopapi");
    words_add(&w, "-lnnopbase");
    words_add(&w, "-lascendcl");
    words_add(&w, "-lsoftascend");
    int code = run(&w, NULL);
    free(w.at);
    return code;
}

/* ascc itself compiles what surrounds a kernel: launches, mixed kernels and all. */
static int compile_variants(const options *o, const words *kernels, const generated *g,
                            words *objects)
{
    words *commands = grow(NULL, (g->count + 1) * sizeof *commands);
    memset(commands, 0, (g->count + 1) * sizeof *commands);
    for (size_t i = 0; i < g->count; i++) {
        words *w = &commands[i];
        const char *object = temporary(say("%s.o", g->variants[i].name));
        words_add(w, say("%s/bin/ascc", home));
        words_add(w, say("--compiler=%s", o->compiler));
        words_add(w, o->soc && *o->soc ? say("--soc-version=%s", o->soc)
                                       : say("--npu-arch=%d", o->arch));
        words_add(w, "-fPIC");
        words_add(w, "-fvisibility=hidden");
        add_includes(w, kernels);
        words_add_all(w, &o->flags);
        add_dependencies(w, object);
        words_add(w, "-c");
        words_add(w, g->variants[i].source);
        words_add(w, "-o");
        words_add(w, object);
        words_add(objects, object);
    }
    int code = run_all(commands, g->count);
    free(commands);
    return code;
}

/* Takes an object's groups apart, so that no other object's functions replace its own, and hides
 * everything but the variant. */
static int seclude_variant(const options *o, const variant *v, const char **object)
{
    words join = {0}, keep = {0};
    const char *joined = temporary(say("%s.o", v->name));
    char *compiler = say("%s", o->compiler);
    words_add(&join, strtok(compiler, " "));
    words_add(&join, "-r");
    words_add(&join, "-nostdlib");
    words_add(&join, "-Wl,--force-group-allocation");
    words_add(&join, *object);
    words_add(&join, "-o");
    words_add(&join, joined);
    words_add(&keep, "objcopy");
    words_add(&keep, say("--keep-global-symbol=softascend_variant_%s", v->name));
    words_add(&keep, joined);
    int code = run(&join, NULL);
    code = code ? code : run(&keep, NULL);
    *object = joined;
    return code;
}

/* One file of what everything was made from, for ninja and make. */
static int write_dependencies(const options *o, const words *objects, const char *target)
{
    text all = {0};
    const char *file = NULL, *ours = absolute(temporary_folder());
    for (size_t i = 0; i + 1 < o->dependencies.count; i++) {
        if (!strcmp(o->dependencies.at[i], "-MF")) {
            file = o->dependencies.at[i + 1];
        } else if (!strcmp(o->dependencies.at[i], "-MT")) {
            target = o->dependencies.at[i + 1];
        }
    }
    if (!file) {
        return 0;
    }
    text_print(&all, "%s:", target);
    for (size_t i = 0; i < objects->count; i++) {
        text one = {0};
        char *colon, *at = NULL;
        if (!text_read(&one, say("%s.d", objects->at[i])) || !(colon = strchr(one.bytes, ':'))) {
            continue;
        }
        for (char *word = strtok_r(colon + 1, " \n", &at); word;
             word = strtok_r(NULL, " \n", &at)) {
            /* not what ascc wrote itself: it is gone when the build ends */
            if (strcmp(word, "\\") != 0 && !starts(word, ours)) {
                text_print(&all, " \\\n  %s", word);
            }
        }
        free(one.bytes);
    }
    text_put(&all, "\n");
    return text_write(&all, file) ? 0 : fail(file, strerror(errno));
}

int op_project_build(const options *o)
{
    words hosts = {0}, kernels = {0}, objects = {0}, variants = {0};
    generated g;
    int code = find_sources(o, &hosts, &kernels);
    const char *out = o->output ? o->output : "out";
    char *include = say("%s/op_api/include", out), *folder = say("%s/op_api/lib", out);
    char *library = say("%s/lib%s.so", folder, o->op_library ? o->op_library : "cust_opapi");

    code = code ? code : make_folder(include);
    code = code ? code : make_folder(folder);
    code = code ? code : compile_hosts(o, &hosts, &kernels, &objects);
    if (code || run_shows) {
        return code;
    }
    include = absolute(include);
    char *host_library = temporary("libhost.so"), *generated_in = absolute(temporary_folder());
    code = link_library(o, &objects, host_library);
    code = code ? code : op_generate(&g, o, host_library, include, generated_in, &kernels);
    code = code ? code : compile_variants(o, &kernels, &g, &variants);
    if (code) {
        return code;
    }
    words from = {0}; /* what was compiled, for the list of dependencies */
    words_add_all(&from, &objects);
    words_add_all(&from, &variants);
    for (size_t i = 0; i < g.count && !code; i++) {
        code = seclude_variant(o, &g.variants[i], &variants.at[i]);
        words_add(&objects, variants.at[i]);
    }
    words glue = {0};
    char *object = temporary("aclnn.o");
    command(&glue, o);
    words_add(&glue, "-fPIC");
    words_add(&glue, "-fvisibility=hidden");
    words_add(&glue, "-isystem");
    words_add(&glue, say("%s/include", home));
    words_add(&glue, "-c");
    words_add(&glue, g.glue);
    words_add(&glue, "-o");
    words_add(&glue, object);
    words_add(&objects, object);
    code = code ? code : run(&glue, NULL);
    code = code ? code : link_library(o, &objects, library);
    return code ? code : write_dependencies(o, &from, library);
}
