/* What the ops have in common that run code of a library which is loaded while the program runs
 * (library.c, project.c). */
#ifndef SA_TF_LOADED_H
#define SA_TF_LOADED_H

#include "tensorflow/kernels/kernel.h"

/* A string attribute, on the heap, with at least a whole word of zeros behind it; NULL, and a
 * status, if there is none. `bytes`, where wanted: how long it is. */
char *tf_string_attr(TF_OpKernelConstruction *c, const char *name, int64_t *bytes,
                     TF_Status *status);

/* "<name>: <what>", unless the status says something already. */
void tf_refuse(TF_Status *status, TF_Code code, const char *name, const char *what);

/* The library at `path`; NULL, and a status, if it does not load. Libraries stay loaded: their code
 * may still be named in reports. */
void *tf_load_library(const char *path, const char *name, TF_Status *status);

/* Words that are read in turn; `what` they are, for the message when they end too early. */
typedef struct tf_words {
    const char *what;
    const int64_t *words;
    int64_t count, at;
} tf_words;

/* The next n; NULL, and the job fails, if there are not as many. */
const int64_t *tf_take(job *j, tf_words *from, int64_t n);

#endif
