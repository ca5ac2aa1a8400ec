/* The kernels of a preprocessed file: what is marked __global__, and which cores it runs on. */
#ifndef ASCC_KERNELS_H
#define ASCC_KERNELS_H

#include "tools/ascc/scan.h"

/* As softascend::kernel_kind in include/ascendc/launch.h. */
typedef enum kind { KIND_UNKNOWN, KIND_AIV, KIND_AIC, KIND_MIX_1_1, KIND_MIX_1_2 } kind;

typedef struct kernel {
    char *name;
    size_t first, at;   /* tokens: where the declaration begins, the name */
    size_t open, close; /* its parameters' parentheses */
    size_t behind;      /* what ends the declarator: { or ; */
    size_t body, end;   /* its braces; both `count` for a declaration */
    bool is_template;   /* or a specialisation of one */
    kind kind;
    bool says_kind; /* by a mark; else it was guessed */
} kernel;

typedef struct kernels {
    kernel *at;
    size_t count;
} kernels;

/* Finds them all; what is wrong is reported with token_error. */
void kernels_find(kernels *k, const source *s);

/* The kernel of that name, a definition before a declaration; NULL if there is none. */
const kernel *kernels_named(const kernels *k, const char *name, size_t size);

/* Whether launches of the name cannot go by its address: a template, or overloaded. */
bool kernels_ambiguous(const kernels *k, const source *s, const char *name);

/* Past the `<` at i to its `>`, or count if there is none. */
size_t angle_close(const source *s, size_t i);

/* What a kernel uses, found through the functions, classes and constants that it names. */
enum { USES_CUBE = 1, USES_VECTOR = 2, USES_CHOSEN = 4 /* a token that `chosen` marks */ };
unsigned reach(const source *s, const kernel *k, const bool *chosen);

/* The cores that these are on: a guess for kernels that do not say what they are. */
kind reach_kind(unsigned uses);

#endif
