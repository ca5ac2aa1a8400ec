/* Between the tables and TensorFlow. */
#ifndef SA_TF_RUN_H
#define SA_TF_RUN_H

#include "tensorflow/kernels/kernel.h"

/* What TensorFlow calls for every kernel. */
void tf_compute(void *kernel, TF_OpKernelContext *ctx);

#endif
