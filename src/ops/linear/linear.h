/* What a dense layer's host side and its kernels share. */
#ifndef SA_LINEAR_H
#define SA_LINEAR_H

#include "core/isa.h"
#include "ops/matmul/matmul.h"

/* Of the product only sa_linear_fast reads what it is of. */
typedef struct sa_linear_args {
    sa_matmul_args product; /* m rows of n sums; c: out, or float32 sums */
    sa_activation activation;
    const char *bias; /* [n] or NULL */
    char *before;     /* [m, n], what the activation is applied to, or NULL */
    char *out;        /* [m, n] */
} sa_linear_args;

/* Product, bias and activation at once. Runs on AIC. */
void sa_linear_fast(sa_core *core, void *args);

/* From the sums on, instruction by instruction. Runs on AIV. */
void sa_linear_finish(sa_core *core, void *args);

typedef struct sa_activation_args {
    sa_dtype dtype;
    sa_activation activation;
    int64_t n;
    const char *gradient, *before;
    char *out;
} sa_activation_args;

/* out = gradient * activation'(before). */
void sa_activation_backward(sa_core *core, void *args);

#endif
