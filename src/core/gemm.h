/* Matrix products at once, for operators whose kernel nobody watches: what a CPU does fastest, with
 * the bits of the instruction sequence (every element summed over k in order by fused multiply-adds
 * in float32, rounded once). On plain row-major memory, by one core; cores share a product by its
 * rows and columns (sa_gemm_share). */
#ifndef SA_GEMM_H
#define SA_GEMM_H

#include "softascend/core.h"

/* Works on `rows` x `cols` finished sums at tile[i * pitch + j], which are C's from (row, col) on,
 * before they are rounded and stored: bias, activation. May change them in place. */
typedef void (*sa_gemm_finish)(void *context, float *tile, int64_t pitch, int64_t rows,
                               int64_t cols, int64_t row, int64_t col);

/* C = A B (0 for k = 0). Element (i, p) of A is a[i * a_row + p * a_k], of B (p, j) b[p * b_k + j *
 * b_col]; strides in elements, one of each pair is 1. C is row-major with c_row. */
typedef struct sa_gemm_args {
    sa_dtype dtype, out; /* of A and B; of C: each SA_F32, SA_F16 or SA_BF16 */
    int64_t m, n, k;     /* >= 0 */
    const void *a, *b;
    void *c;
    int64_t a_row, a_k, b_k, b_col, c_row;
    bool accumulate;       /* C += A B; where C is float32 */
    sa_gemm_finish finish; /* or NULL */
    void *context;
} sa_gemm_args;

/* Rows and columns of C that one core works on. */
typedef struct sa_gemm_part {
    int64_t row, rows, col, cols;
} sa_gemm_part;

/* Part `index` of `parts`, cut so that all take as long and read as little as can be; may be empty
 * for small products. */
SA_API sa_gemm_part sa_gemm_share(const sa_core *core, const sa_gemm_args *x, uint32_t index,
                                  uint32_t parts);

/* Computes that part of C. No range is checked here: the operator has. */
SA_API void sa_gemm(sa_core *core, const sa_gemm_args *x, const sa_gemm_part *part);

#endif
