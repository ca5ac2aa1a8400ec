/* What aclnnSigmoidBackward hands to its kernel. */
#ifndef SA_SIGMOID_BACKWARD_KERNEL_H
#define SA_SIGMOID_BACKWARD_KERNEL_H

#include "ops/sigmoid/sigmoid.h"

typedef struct sa_sigmoid_backward_args {
    sa_dtype dtype;
    int64_t elements;
    const char *grad, *y;
    char *out;
} sa_sigmoid_backward_args;

/* Bytes of UB that an element takes: two buffers for each input; 1 - y, and for 16-bit dtypes y and
 * the gradient too, in fp32. */
static inline uint32_t sa_sigmoid_backward_bytes(sa_dtype dtype)
{
    return 4 * (uint32_t)sa_dtype_bytes(dtype) + (dtype == SA_F32 ? 4 : 12);
}

void sa_sigmoid_backward_kernel(sa_core *core, void *args);

#endif
