/* Op projects (op_host + op_kernel): built into a library of aclnn operators and their headers. */
#ifndef ASCC_OPPROJECT_H
#define ASCC_OPPROJECT_H

#include "tools/ascc/compile.h"

/* The whole build; the exit code. */
int op_project_build(const options *o);

/* ---- what is written from the operators' definitions (opgen.c) */

/* A kernel to compile: one operator and one combination of dtypes. */
typedef struct variant {
    char *name;   /* of the object: OP_COMBINATION */
    char *source; /* the file that was written for it */
} variant;

typedef struct generated {
    char *glue; /* the source of the aclnn functions */
    variant *variants;
    size_t count;
} generated;

/* Loads the host half, writes headers into `include`, sources into `folder`. What is wrong with a
 * definition is printed with its place. The exit code. */
int op_generate(generated *out, const char *host_library, const char *include, const char *folder,
                const words *kernels);

#endif
