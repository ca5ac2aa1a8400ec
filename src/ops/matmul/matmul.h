/* What matmul's host side and its kernel share. */
#ifndef SA_MATMUL_H
#define SA_MATMUL_H

#include "ops/op.h"
#include "ops/scheduler.h"

/* How a matmul is cut: output tiles dealt to cores; K in chunks that fit L1, and those in steps
 * that fit L0. L1, L0A and L0B hold two of each, so that moves and products overlap. */
typedef struct sa_matmul_tiling {
    sa_scheduler deal;
    uint32_t tile_m, tile_n; /* the largest output tile, multiples of 16 */
    uint32_t k_l1, k_l0;     /* multiples of 16; k_l1 a multiple of k_l0 */
} sa_matmul_tiling;

/* A function of shape, dtype and chip. m, n, k, batch >= 1. */
void sa_matmul_tile(const sa_chip *chip, sa_dtype dtype, int64_t batch, int64_t m, int64_t n,
                    int64_t k, sa_matmul_tiling *tiling);

/* C[b] = A[b] B[b]. A is [m, k], or [k, m] with transpose_a; B is [k, n], or [n, k]. Pitches from
 * row to row and strides from matrix to matrix, in elements. */
typedef struct sa_matmul_args {
    sa_matmul_tiling tiling;
    sa_dtype dtype, out; /* of A and B; of C: that, or float32 */
    bool transpose_a, transpose_b;
    int64_t m, n, k;
    const char *a, *b;
    char *c;
    int64_t pitch_a, pitch_b, pitch_c;
    int64_t stride_a, stride_b, stride_c;
} sa_matmul_args;

void sa_matmul_kernel(sa_core *core, void *args);

/* The same at once, on so many blocks; of the tiling it reads deal.batch alone. */
void sa_matmul_fast(sa_core *core, void *args);
bool sa_matmul_is_fast(sa_dtype dtype);
uint32_t sa_matmul_fast_blocks(int64_t batch, int64_t m, int64_t n, int64_t k);

/* C = 0, for k = 0. Runs on AIV. */
void sa_matmul_zero(sa_core *core, void *args);

#endif
