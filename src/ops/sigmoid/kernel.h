/* What aclnnSigmoid hands to its kernel. */
#ifndef SA_SIGMOID_KERNEL_H
#define SA_SIGMOID_KERNEL_H

#include "ops/sigmoid/sigmoid.h"

typedef struct sa_sigmoid_args {
    sa_dtype dtype;
    int64_t elements;
    const char *in;
    char *out;
} sa_sigmoid_args;

/* Bytes of UB that an element takes: two buffers, and one in fp32 for bfloat16. */
static inline uint32_t sa_sigmoid_bytes(sa_dtype dtype)
{
    return 2 * (uint32_t)sa_dtype_bytes(dtype) + (dtype == SA_BF16 ? 4 : 0);
}

void sa_sigmoid_kernel(sa_core *core, void *args);

#endif
