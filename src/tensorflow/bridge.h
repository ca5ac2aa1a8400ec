/* What TensorFlow's C ABI lacks and its C++ has, as C functions of a library of its own: the
 * plug-in loads libsoftascend_bridge.so if it was built for the running TensorFlow's release, and
 * does without it otherwise, so that C++ layouts can never break `import tensorflow`.
 *
 * - A variable's tensor. TF_GetInputTensorFromVariable is declared for this, and exported by no
 * wheel up to 2.21. Without: ops on variables fail and say so.
 * - Eager execution's hooks before and after placement. Without: tf.function(jit_compile=True)
 * called eagerly fails for want of XLA, and eager ops that fall back to the CPU are not named. */
#ifndef SA_TF_BRIDGE_H
#define SA_TF_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>
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

/* sa_variable_open: input `index` of the call is a variable's handle: locks the variable, for
 * writing or reading, and describes its tensor. For writing, data is the variable's alone: tensors
 * that were read from it before keep their values. On failure `status` says why and nothing is to
 * be closed. */
typedef void (*sa_variable_open_function)(TF_OpKernelContext *ctx, int index, bool writing,
                                          sa_variable *variable, TF_Status *status);
typedef void (*sa_variable_close_function)(sa_variable *variable); /* sa_variable_close */

/* sa_variables_open: the same for inputs 0 to count - 1, at most SA_VARIABLES, locked in an order
 * that every call keeps. Handles of one variable are locked once and have the same data. Each is to
 * be closed. */
#define SA_VARIABLES 12
typedef void (*sa_variables_open_function)(TF_OpKernelContext *ctx, int count, const bool *writing,
                                           sa_variable *variables, TF_Status *status);

/* sa_eager_start: from now on functions are not compiled by XLA when they are called for an NPU,
 * and `fell_back` gets the serialised NodeDef of every op that asked for an NPU and got the CPU. */
typedef void (*sa_fell_back_function)(const void *node, size_t bytes);
typedef void (*sa_eager_start_function)(sa_fell_back_function fell_back);

#ifdef __cplusplus
}

#else

typedef struct sa_bridge {
    sa_variable_open_function open_variable;
    sa_variable_close_function close_variable;
    sa_variables_open_function open_variables;
    sa_eager_start_function start_eager;
    char why_not[1024]; /* if the functions are NULL */
} sa_bridge;

/* Loads the library at the first call. */
const sa_bridge *tf_bridge(void);

#endif

#endif
