/* From one source to what the compiler takes: preprocessed, rewritten, headers written.
 *
 * The preprocessor runs first, so that launches in macros and in the user's headers are plain text,
 * comments are gone, and its line markers keep every token on the user's line. */
#include "tools/ascc/compile.h"
#include "tools/ascc/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *home;

void command(words *w, const options *o)
{
    /* $CXX may be several words */
    char *compiler = say("%s", o->compiler), *at = NULL;
    for (char *word = strtok_r(compiler, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
        words_add(w, word);
    }
    if (!o->has_std) {
        words_add(w, "-std=c++17");
    }
    if (!o->has_level && !o->has_debug) {
        words_add(w, "-O2");
    }
    if (!o->has_debug) {
        words_add(w, "-g1");
    }
    /* a fault names the line of the call that made it; instructions round as the core's */
    words_add(w, "-fno-optimize-sibling-calls");
    words_add(w, "-ffp-contract=off");
    words_add(w, "-fno-strict-aliasing"); /* kernels read floats as their bits */
    /* what is wrong goes wrong where it is written, and is caught there */
    words_add(w, "-fno-finite-loops");
    words_add(w, "-fno-delete-null-pointer-checks");
    words_add(w, "-fstack-clash-protection");
    words_add_all(w, &o->flags);
}

static void definitions(words *w, const options *o, const char *core)
{
    words_add(w, "-DSOFTASCEND_ASCC=1");
    words_add(w, say("-D__NPU_ARCH__=%d", o->arch));
    words_add(w, say("-D__CCE_AICORE__=%d", o->arch == 2201 ? 220 : o->arch == 2002 ? 200 : 100));
    if (o->soc) {
        words_add(w, say("-DSOFTASCEND_SOC=\"%s\"", o->soc));
    }
    if (core) {
        words_add(w, say("-D__DAV_C220_%s__=1", core));
    }
    /* marks that must come out of the preprocessor as they went in */
    words_add(w, "-D__global__=__global__");
    words_add(w, "-D__vector__=__vector__");
    words_add(w, "-D__cube__=__cube__");
    words_add(w, "-D__mix__(...)=__mix__(__VA_ARGS__)");
    words_add(w, "-DKERNEL_TASK_TYPE_DEFAULT(type)=KERNEL_TASK_TYPE_DEFAULT(type)");
    words_add(w, "-DKERNEL_TASK_TYPE(key,type)=KERNEL_TASK_TYPE(key,type)");
    words_add(w, "-isystem");
    words_add(w, say("%s/include", home));
    words_add(w, "-isystem");
    words_add(w, say("%s/include/ascendc", home));
}

static int preprocess(unit *u, const options *o, const char *core, bool launcher)
{
    words w = {0};
    command(&w, o);
    if (o->headers) {
        words_add(&w, "-I");
        words_add(&w, o->headers);
    }
    definitions(&w, o, core);
    words_add(&w, say("-I%s", temporary_folder()));
    if (launcher) {
        words_add(&w, "-include");
        words_add(&w, say("%s/include/ascendc/launch.h", home));
    }
    if (o->writes_dependencies && !core) {
        words_add_all(&w, &o->dependencies);
        const char *object =
            o->stage == STAGE_OBJECT && o->output ? o->output : say("%s.o", stem(u->path));
        if (!o->names_dependencies) {
            const char *dot = strrchr(object, '.');
            words_add(&w, "-MF");
            words_add(&w, say("%.*s.d", (int)(dot ? dot - object : (long)strlen(object)), object));
        }
        if (!o->names_target) {
            words_add(&w, "-MT");
            words_add(&w, object);
        }
    }
    words_add(&w, "-E");
    words_add(&w, "-x");
    words_add(&w, "c++");
    words_add(&w, u->path);
    words_add(&w, "-o");
    words_add(&w, u->file);
    int code = run(&w, NULL);
    free(w.at);
    if (code || run_shows) {
        return code;
    }
    u->text.size = 0;
    if (!text_read(&u->text, u->file)) {
        fprintf(stderr, "ascc: error: %s: %s\n", u->file, strerror(errno));
        return 1;
    }
    return 0;
}

int unit_read(unit *u, const options *o, const char *path, const char *core)
{
    *u = (unit){.path = path, .file = temporary(say("%s.ii", stem(path)))};
    int code = preprocess(u, o, core, false);
    if (code || run_shows) {
        return code;
    }
    if (!strstr(u->text.bytes, "sa_launch_of_ascc") &&
        (strstr(u->text.bytes, "<<<") || strstr(u->text.bytes, "__global__"))) {
        code = preprocess(u, o, core, true); /* a launch without kernel_operator.h */
        if (code) {
            return code;
        }
    }
    source_scan(&u->source, &u->text);
    kernels_find(&u->kernels, &u->source);
    return 0;
}

int unit_rewrite(unit *u, const options *o, const char *attribute)
{
    rewritten out;
    rewrite(&out, &u->source, &u->kernels, attribute);
    if (token_errors) {
        return 1;
    }
    if (!text_write(&out.text, u->file)) {
        fprintf(stderr, "ascc: error: %s: %s\n", u->file, strerror(errno));
        return 1;
    }
    if (o->keep) {
        const char *beside = o->output ? o->output : "";
        const char *slash = strrchr(beside, '/');
        char *kept =
            say("%.*s%s.ascc.ii", slash ? (int)(slash - beside + 1) : 0, beside, stem(u->path));
        if (!text_write(&out.text, kept)) {
            fprintf(stderr, "ascc: error: %s: %s\n", kept, strerror(errno));
            return 1;
        }
    }
    free(out.text.bytes);
    return 0;
}

int unit_headers(const unit *u, const char *folder)
{
    for (size_t i = 0; i < u->kernels.count; i++) {
        const kernel *k = &u->kernels.at[i];
        if (!has_launch_header(&u->source, &u->kernels, k)) {
            continue;
        }
        text out = {0}, old = {0};
        char *path = say("%s/aclrtlaunch_%s.h", folder, k->name);
        launch_header(&out, &u->source, k, base_name(u->path));
        /* one that did not change keeps its time, so that nothing is compiled again for it */
        bool same = text_read(&old, path) && old.size == out.size &&
                    !memcmp(old.bytes, out.bytes, out.size);
        if (!same && !text_write(&out, path)) {
            fprintf(stderr, "ascc: error: %s: %s\n", path, strerror(errno));
            return 1;
        }
        free(old.bytes);
        free(out.bytes);
    }
    return 0;
}

bool unit_chooses(const unit *u)
{
    for (size_t i = 0; i < u->source.file_count; i++) {
        text t = {0};
        bool found = u->source.file_user[i] && text_read(&t, u->source.files[i]) &&
                     (strstr(t.bytes, "__DAV_C220_VEC__") || strstr(t.bytes, "__DAV_C220_CUBE__"));
        free(t.bytes);
        if (found) {
            return true;
        }
    }
    return false;
}
