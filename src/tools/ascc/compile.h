/* From one source to what the compiler takes: preprocessed, rewritten, headers written. */
#ifndef ASCC_COMPILE_H
#define ASCC_COMPILE_H

#include "tools/ascc/options.h"
#include "tools/ascc/rewrite.h"

/* One preprocessor pass over a source and what was found in it. */
typedef struct unit {
    const char *path; /* the user's */
    char *file;       /* the .ii */
    text text;
    source source;
    kernels kernels;
} unit;

/* Where ascc's tree is: HOME/{include,lib64}. */
extern char *home;

/* Preprocesses and scans; `core` is NULL, "VEC" or "CUBE". The exit code. */
int unit_read(unit *u, const options *o, const char *path, const char *core);

/* Rewrites into u->file, kernels with an attribute. The exit code. */
int unit_rewrite(unit *u, const options *o, const char *attribute);

/* Writes the launch headers of its kernels into `folder`. */
int unit_headers(const unit *u, const char *folder);

/* Whether the kernels choose their core by the preprocessor. */
bool unit_chooses(const unit *u);

/* The compiler with its flags, up to the files. */
void command(words *w, const options *o);

/* Compiles a source whose kernels choose into one object, once for the host and once for each kind
 * of core. The exit code. */
int compile_twice(unit *host, const options *o, const char *object);

#endif
