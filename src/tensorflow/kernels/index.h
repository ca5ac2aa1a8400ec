/* Gathering, for tensors and for variables. */
#ifndef SA_TF_INDEX_H
#define SA_TF_INDEX_H

#include "tensorflow/kernels/kernel.h"

/* Output 0 = params taken at indices along `axis`; the first `batch` dimensions of both are one. */
void tf_gather(job *j, const operand *params, const operand *indices, int64_t axis, int64_t batch);

#endif
