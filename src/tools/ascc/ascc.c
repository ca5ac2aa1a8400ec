/* ascc: compiles Ascend C for the NPU in software, with the machine's own C++ compiler.
 *
 * Each source is preprocessed, its launches and kernel marks are rewritten (rewrite.c), and the
 * compiler takes what came out of it together with everything else on the command line. */
#include "tools/ascc/compile.h"
#include "tools/ascc/opproject.h"
#include "tools/ascc/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* HOME of HOME/bin/ascc. */
static bool find_home(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0) {
        return false;
    }
    path[n] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (!slash) {
            return false;
        }
        *slash = '\0';
    }
    home = say("%s", path);
    return true;
}

/* What the compiler itself answers: -E, -M, -dumpversion, no files at all. */
static int pass_on(const options *o)
{
    words w = {0};
    command(&w, o);
    words_add_all(&w, &o->dependencies);
    if (o->stage == STAGE_PREPROCESS) {
        words_add(&w, "-DSOFTASCEND_ASCC=1");
        words_add(&w, say("-I%s/include", home));
        words_add(&w, say("-I%s/include/ascendc", home));
        words_add(&w, "-x");
        words_add(&w, "c++");
    }
    words_add_all(&w, &o->link);
    if (o->output) {
        words_add(&w, "-o");
        words_add(&w, o->output);
    }
    return run(&w, NULL);
}

static void replace(words *link, const char *from, const char *to)
{
    for (size_t i = 0; i < link->count; i++) {
        if (link->at[i] == from) {
            link->at[i] = to;
        }
    }
}

/* Reads one source, writes its headers, and puts what is to be compiled in its place. */
static int prepare(const options *o, const char *path, words *link)
{
    unit u;
    int code = unit_read(&u, o, path, NULL);
    if (code) {
        return code;
    }
    if (run_shows) {
        replace(link, path, u.file);
        return 0;
    }
    if (token_errors) {
        return 1;
    }
    code = unit_headers(&u, o->headers ? o->headers : temporary_folder());
    if (code || o->only_headers) {
        return code;
    }
    if (o->arch == 2201 && u.kernels.count && unit_chooses(&u)) {
        if (o->stage == STAGE_ASSEMBLY) {
            fprintf(stderr,
                    "%s: error: a kernel that chooses its core by the preprocessor is "
                    "several objects; -S is not supported for it\n",
                    path);
            return 1;
        }
        const char *object = o->stage == STAGE_OBJECT
                                 ? o->output ? o->output : say("%s.o", stem(path))
                                 : temporary(say("%s.o", stem(path)));
        replace(link, path, o->stage == STAGE_OBJECT ? "" : object);
        return compile_twice(&u, o, object);
    }
    replace(link, path, u.file);
    code = unit_rewrite(&u, o, "");
    source_free(&u.source);
    return code;
}

/* Kernels first: host files include the headers made from them. */
static int prepare_all(const options *o, words *link)
{
    for (int host = 0; host < 2; host++) {
        for (size_t i = 0; i < o->sources.count; i++) {
            text t = {0};
            bool has_kernel = text_read(&t, o->sources.at[i]) && strstr(t.bytes, "__global__") &&
                              !strstr(t.bytes, "aclrtlaunch_");
            free(t.bytes);
            if (has_kernel == !host) {
                int code = prepare(o, o->sources.at[i], link);
                if (code) {
                    return code;
                }
            }
        }
    }
    return 0;
}

static int compile(const options *o, const words *link)
{
    words w = {0};
    command(&w, o);
    size_t files = 0;
    if (o->stage != STAGE_LINK) {
        words_add(&w, o->stage == STAGE_OBJECT ? "-c" : "-S");
    }
    for (size_t i = 0; i < link->count; i++) {
        if (*link->at[i]) {
            words_add(&w, link->at[i]);
            files += link->at[i][0] != '-';
        }
    }
    if (!files) {
        return 0;
    }
    if (o->output) {
        words_add(&w, "-o");
        words_add(&w, o->output);
    }
    if (o->stage == STAGE_LINK && !o->relocatable) {
        words_add(&w, say("-L%s/lib64", home));
        words_add(&w, say("-Wl,-rpath,%s/lib64", home));
        words_add(&w, "-lascendcl");
        words_add(&w, "-lsoftascend");
    }
    return run(&w, NULL);
}

int main(int argc, char **argv)
{
    options o;
    options_parse(&o, argc, argv);
    run_shows = o.dry_run;
    if (!find_home() || access(say("%s/include/ascendc/launch.h", home), R_OK)) {
        fprintf(stderr,
                "ascc: error: include/ascendc/launch.h is not beside bin/, in %s; run ascc "
                "from an install tree\n",
                home ? home : "?");
        return 1;
    }
    if (o.headers && mkdir(o.headers, 0777) && errno != EEXIST) {
        fprintf(stderr, "ascc: error: %s: %s\n", o.headers, strerror(errno));
        return 1;
    }
    if (o.op_project || o.op_hosts.count) {
        return op_project_build(&o);
    }
    if (o.nothing && argc < 2) {
        fprintf(stderr, "ascc: error: no input files; see ascc --help\n");
        return 1;
    }
    if (o.nothing || o.stage == STAGE_PREPROCESS) {
        return pass_on(&o);
    }
    words link = {0};
    words_add_all(&link, &o.link);
    int code = prepare_all(&o, &link);
    return code || o.only_headers ? code : compile(&o, &link);
}
