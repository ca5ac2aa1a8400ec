/* A variable's tensor, for kernels in C. TensorFlow declares TF_GetInputTensorFromVariable for this
 * and exports it from no wheel up to 2.21; until one does, variables.cc, a library of its own,
 * stands in for it. The plug-in loads that library when a kernel first needs it, and only if it was
 * built for the running TensorFlow. */
#ifndef SA_TF_VARIABLES_H
#define SA_TF_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SA_VARIABLE_RANK 254

typedef struct sa_variable {
    void *data;
    TF_DataType type;
    int32_t rank;
    int64_t dims[SA_VARIABLE_RANK];
    void *held; /* the reference and the lock */
} sa_variable;

/* Input `index` of the call is a variable's handle: locks the variable, for writing or reading, and
 * describes its tensor. For writing, data is the variable's alone: tensors that were read from it
 * before keep their values. On failure `status` says why and there is nothing to close. */
typedef void (*sa_variable_open_function)(TF_OpKernelContext *ctx, int index, bool writing,
                                          sa_variable *variable, TF_Status *status);
typedef void (*sa_variable_close_function)(sa_variable *variable);

#define SA_VARIABLE_OPEN "sa_variable_open"
#define SA_VARIABLE_CLOSE "sa_variable_close"

#ifdef __cplusplus
}
#endif

#endif
