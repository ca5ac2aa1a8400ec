/* The chip's way to a sum of products: steps GM -> L1 (NZ) -> L0A, L0B -> L0C, and out once. */
#ifndef SA_OPS_CONV_CUBE_H
#define SA_OPS_CONV_CUBE_H

#include "softascend/core.h"

/* The most that a step takes. */
#define SA_CONV_M 128
#define SA_CONV_N 128
#define SA_CONV_K 64

typedef struct sa_conv_cube {
    sa_core *core;
    sa_dtype dtype;
    char *l1_a[2], *l1_b[2], *l0_a[2], *l0_b[2], *l0_c, *ub;
    uint32_t turn;
    bool fresh; /* L0C holds nothing of the sum yet */
} sa_conv_cube;

/* Row-major in GM, pitch in elements from row to row; transposed: A as [k, m], B as [n, k]. */
typedef struct sa_conv_operand {
    const char *gm;
    int64_t pitch;
    bool transposed;
} sa_conv_operand;

void sa_conv_cube_begin(sa_conv_cube *c, sa_core *core, sa_dtype dtype);

/* Begins a sum [m, n]; adds A [m, k] B [k, n] to it; writes it to GM as `to`. A sum of no step is
 * 0. sa_conv_cube_rows adds the row B [n] to each of its rows. */
void sa_conv_cube_sum(sa_conv_cube *c);
void sa_conv_cube_step(sa_conv_cube *c, sa_conv_operand a, sa_conv_operand b, uint32_t m,
                       uint32_t k, uint32_t n);
void sa_conv_cube_rows(sa_conv_cube *c, const char *b, uint32_t m, uint32_t n);
void sa_conv_cube_out(sa_conv_cube *c, sa_dtype to, char *gm, int64_t pitch, uint32_t m,
                      uint32_t n);

void sa_conv_cube_end(sa_conv_cube *c);

#endif
