/* Op projects (op_host + op_kernel): built into a library of aclnn operators and their headers. */
#ifndef ASCC_OPPROJECT_H
#define ASCC_OPPROJECT_H

#include "softascend/op_project.h"
#include "tools/ascc/compile.h"

/* The whole build; the exit code. */
int op_project_build(const options *o);

/* ---- what is written from the operators' definitions (opgen.c) */

/* A kernel to compile: one operator, one combination of dtypes, perhaps one tiling key. */
typedef struct variant {
    char *name;   /* of the object: OP_COMBINATION, OP_COMBINATION_KEY */
    char *source; /* the file that was written for it */
} variant;

typedef struct generated {
    char *glue; /* the source of the aclnn functions */
    variant *variants;
    size_t count;
} generated;

/* Loads the host half, writes headers into `include`, sources into `folder`. What is wrong with a
 * definition is printed with its place. The exit code. */
int op_generate(generated *out, const options *o, const char *host_library, const char *include,
                const char *folder, const words *kernels);

/* -I of the folders that files lie in. */
void add_includes(words *w, const words *files);

/* ---- tiling keys that kernels ask for in the preprocessor (opkeys.c) */

/* What #if lines compare TILING_KEY_VAR with, as written. */
typedef struct asked_keys {
    bool any; /* such a line is there, whatever it compares */
    words compared;
} asked_keys;

typedef struct tiling_keys {
    uint64_t *at;
    size_t count;
} tiling_keys;

/* What the source of a kernel and the user's headers that it includes ask. The exit code. */
int keys_asked(asked_keys *asked, const options *o, const words *kernels, const char *source);

/* The keys that a source names, in TILING_KEY_IS(key) or in an #if line that chooses something for
 * this combination of dtypes; `probe` is where a file may be written. The exit code. */
int keys_named(tiling_keys *keys, const asked_keys *asked, const options *o, const words *kernels,
               const text *source, const char *probe);

/* ---- what surrounds a kernel (opkernels.c) */

/* The kernel of one combination: its object, or those for each tiling key. */
typedef struct combination {
    char *name;
    tiling_keys keys;
} combination;

/* What the kernels of one operator are written from. */
typedef struct maker {
    generated *out;
    const options *o;
    const sa_project_op *op;
    const words *kernels;
    const sa_project_struct *structs;
    size_t struct_count;
    const char *folder, *file, *snake;
} maker;

/* Writes the kernels of all combinations of dtypes. The exit code. */
int op_kernels(maker *m, combination *combinations);

/* The object of one tiling key. */
char *op_key_name(const combination *c, size_t key);

/* Prints what is wrong with an operator's definition, with its place; 1. */
int op_wrong(const sa_project_op *op, const char *text);

/* Writes a file, unless it is so already. The exit code. */
int op_save(const text *t, const char *path);

#endif
