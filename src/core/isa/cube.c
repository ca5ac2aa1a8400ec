/* The cube core's portable bodies: ND -> NZ, NZ -> packed L0 (isa.h), multiply-add, L0C -> GM.
 *
 * Order of sums: each accumulator takes its products one after the other in rising k, each with one
 * fused multiply-add, starting from what L0C held (or 0). Every backend keeps this order, so all
 * give the same bits. In packed L0 a block of 16 lanes that is only partly live is filled up with
 * zeros; k beyond its extent is left as it is and never multiplied. */
#include "core/backend.h"
#include "core/isa/half.h"

#include <math.h>

#define BLOCK 16

static inline size_t ceil_div(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

static void nd2nz(void *l1, size_t nz_rows, const void *gm, int64_t pitch_bytes, size_t rows,
                  size_t row_bytes)
{
    for (size_t at = 0; at < row_bytes; at += 32) {
        char *to = (char *)l1 + at * nz_rows;
        const char *from = (const char *)gm + at;
        size_t live = row_bytes - at < 32 ? row_bytes - at : 32;
        for (size_t r = 0; r < rows; r++, to += 32, from += pitch_bytes) {
            memcpy(to, from, live);
            memset(to + live, 0, 32 - live);
        }
    }
}

#define ND2NZ(name, bytes)                                                                         \
    static void nd2nz_##name(void *l1, size_t nz_rows, const void *gm, int64_t gm_pitch,           \
                             size_t rows, size_t cols)                                             \
    {                                                                                              \
        nd2nz(l1, nz_rows, gm, gm_pitch *(bytes), rows, cols *(bytes));                            \
    }
ND2NZ(8, 1)
ND2NZ(16, 2)
ND2NZ(32, 4)

/* `lanes` is the extent that L0 blocks by 16 (m of A, n of B). The packed row for k of block b
 * holds lanes 16b … 16b+15. In L1, lanes are rows or, with lanes_along_columns, columns. */
#define LOAD(name, L1, L0, C0, widen)                                                              \
    static void load_##name(L0 *l0, const L1 *l1, size_t nz_rows, size_t row, size_t col,          \
                            size_t lanes, size_t k, bool lanes_along_columns, bool k_outermost)    \
    {                                                                                              \
        size_t k1s = ceil_div(k, C0), blocks = ceil_div(lanes, BLOCK);                             \
        l1 += (col / C0 * nz_rows + row) * C0;                                                     \
        for (size_t b = 0; b < blocks; b++) {                                                      \
            for (size_t kk = 0; kk < k; kk++) {                                                    \
                size_t k1 = kk / C0, fractal = k_outermost ? k1 * blocks + b : b * k1s + k1;       \
                L0 *to = l0 + (fractal * C0 + kk % C0) * BLOCK;                                    \
                for (size_t i = 0; i < BLOCK; i++) {                                               \
                    size_t lane = b * BLOCK + i, r = lanes_along_columns ? kk : lane;              \
                    size_t c = lanes_along_columns ? lane : kk;                                    \
                    to[i] = lane < lanes ? widen(l1[(c / C0 * nz_rows + r) * C0 + c % C0]) : 0;    \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void load_l0a_##name(void *l0, const void *l1, size_t nz_rows, size_t row, size_t col,  \
                                size_t m, size_t k, bool transpose)                                \
    {                                                                                              \
        load_##name(l0, l1, nz_rows, row, col, m, k, transpose, false);                            \
    }                                                                                              \
    static void load_l0b_##name(void *l0, const void *l1, size_t nz_rows, size_t row, size_t col,  \
                                size_t k, size_t n, bool transpose)                                \
    {                                                                                              \
        load_##name(l0, l1, nz_rows, row, col, n, k, !transpose, true);                            \
    }
#define SAME(x) (x)
LOAD(f32, float, float, 8, SAME)
LOAD(f16, sa_half, float, 16, sa_half_to_float)
LOAD(bf16, sa_bf16, float, 16, sa_bf16_to_float)
LOAD(i8, int8_t, int32_t, 32, SAME)

static inline int32_t muladd(int32_t a, int32_t b, int32_t c)
{
    return (int32_t)((uint32_t)a * (uint32_t)b + (uint32_t)c); /* wraps */
}

#define MMAD(name, T, C0, fma)                                                                     \
    static void mmad_##name(void *l0c, const void *l0a, const void *l0b, size_t m, size_t k,       \
                            size_t n, bool accumulate)                                             \
    {                                                                                              \
        size_t k1s = ceil_div(k, C0), m1s = ceil_div(m, BLOCK), n1s = ceil_div(n, BLOCK);          \
        for (size_t n1 = 0; n1 < n1s; n1++) {                                                      \
            for (size_t row = 0; row < m; row++) {                                                 \
                const T *a = (const T *)l0a + row / BLOCK * k1s * C0 * BLOCK + row % BLOCK;        \
                T *c = (T *)l0c + (n1 * m1s * BLOCK + row) * BLOCK;                                \
                size_t live = n - n1 * BLOCK < BLOCK ? n - n1 * BLOCK : BLOCK;                     \
                for (size_t j = 0; j < live; j++) {                                                \
                    T sum = accumulate ? c[j] : 0;                                                 \
                    for (size_t kk = 0; kk < k; kk++) {                                            \
                        size_t fractal = kk / C0 * n1s + n1;                                       \
                        const T *b = (const T *)l0b + (fractal * C0 + kk % C0) * BLOCK;            \
                        sum = fma(a[kk * BLOCK], b[j], sum);                                       \
                    }                                                                              \
                    c[j] = sum;                                                                    \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
MMAD(f32, float, 8, fmaf)
MMAD(f16, float, 16, fmaf) /* bf16 too: both are fp32 in L0 */
MMAD(i8, int32_t, 32, muladd)

#define FIXPIPE(name, L0C, GM, narrow)                                                             \
    static void fixpipe_##name(void *gm, int64_t gm_pitch, const void *l0c, size_t m, size_t n)    \
    {                                                                                              \
        size_t rows = ceil_div(m, BLOCK) * BLOCK;                                                  \
        for (size_t r = 0; r < m; r++) {                                                           \
            GM *to = (GM *)gm + (int64_t)r * gm_pitch;                                             \
            for (size_t c = 0; c < n; c++)                                                         \
                to[c] = narrow(((const L0C *)l0c)[(c / BLOCK * rows + r) * BLOCK + c % BLOCK]);    \
        }                                                                                          \
    }
FIXPIPE(f32, float, float, SAME)
FIXPIPE(f16, float, sa_half, sa_float_to_half)
FIXPIPE(bf16, float, sa_bf16, sa_float_to_bf16)
FIXPIPE(i32, int32_t, int32_t, SAME)

void sa_isa_fill_cube(sa_isa *isa)
{
    isa->nd2nz[SA_F32] = nd2nz_32;
    isa->nd2nz[SA_F16] = isa->nd2nz[SA_BF16] = nd2nz_16;
    isa->nd2nz[SA_I8] = nd2nz_8;
    isa->load_l0a[SA_F32] = load_l0a_f32;
    isa->load_l0b[SA_F32] = load_l0b_f32;
    isa->load_l0a[SA_F16] = load_l0a_f16;
    isa->load_l0b[SA_F16] = load_l0b_f16;
    isa->load_l0a[SA_BF16] = load_l0a_bf16;
    isa->load_l0b[SA_BF16] = load_l0b_bf16;
    isa->load_l0a[SA_I8] = load_l0a_i8;
    isa->load_l0b[SA_I8] = load_l0b_i8;
    isa->mmad[SA_F32] = mmad_f32;
    isa->mmad[SA_F16] = isa->mmad[SA_BF16] = mmad_f16;
    isa->mmad[SA_I8] = mmad_i8;
    isa->fixpipe[SA_F32] = fixpipe_f32;
    isa->fixpipe[SA_F16] = fixpipe_f16;
    isa->fixpipe[SA_BF16] = fixpipe_bf16;
    isa->fixpipe[SA_I32] = fixpipe_i32;
}
