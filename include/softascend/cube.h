/* Moves and products as Ascend C's parameter structures describe them: padded and strided copies,
 * fractal-wise loads, img2col, bias, FIX with conversions, and GM atomics. Included by core.h,
 * whose simpler forms are the ones to use where they suffice. Units follow the public documentation
 * of Ascend C. */
#ifndef SOFTASCEND_CUBE_H
#define SOFTASCEND_CUBE_H

#include "softascend/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- GM atomics */

typedef enum sa_atomic { SA_ATOMIC_NONE, SA_ATOMIC_ADD, SA_ATOMIC_MAX, SA_ATOMIC_MIN } sa_atomic;

/* From now on this block's moves to GM (MTE3, FIX) combine their elements of `dtype` (float32,
 * float16, bfloat16, int8, int16, int32) with what GM holds, each atomically among cores; the order
 * among cores is not determined. SA_ATOMIC_NONE ends it. FIX combines in the dtype that it writes.
 */
SA_API void sa_set_atomic(sa_core *core, sa_atomic op, sa_dtype dtype);

/* ---- rows with padding, between GM and UB (DataCopyPad) */

typedef struct sa_pad_rows {
    uint32_t rows, row_bytes; /* of payload; any number of bytes */
    int64_t gm_pitch_bytes;   /* from row start to row start */
    uint32_t ub_pitch_bytes;  /* likewise, of the row with its padding */
    uint32_t left, right;     /* elements of padding on each side, in UB */
    double value;             /* what padding holds */
} sa_pad_rows;
/* MTE2. Bytes of UB past the right padding are left as they are. */
SA_API void sa_copy_in_pad(sa_core *core, sa_dtype dtype, void *ub, const void *gm,
                           const sa_pad_rows *p);

/* ---- other paths; pitches are from row start to row start */

/* MTE2 GM -> L1, MTE3 L1 -> GM. */
SA_API void sa_copy_l1_2d(sa_core *core, void *l1, uint32_t l1_pitch_bytes, const void *gm,
                          int64_t gm_pitch_bytes, uint32_t rows, uint32_t row_bytes);
SA_API void sa_copy_l1_out_2d(sa_core *core, void *gm, int64_t gm_pitch_bytes, const void *l1,
                              uint32_t l1_pitch_bytes, uint32_t rows, uint32_t row_bytes);
/* V: UB -> UB by rows. */
SA_API void sa_copy_ub_2d(sa_core *core, void *dst, uint32_t dst_pitch_bytes, const void *src,
                          uint32_t src_pitch_bytes, uint32_t rows, uint32_t row_bytes);
/* Coupled chips: MTE3 UB -> L1, MTE1 L1 -> UB. */
SA_API void sa_copy_ub_l1_2d(sa_core *core, void *l1, uint32_t l1_pitch_bytes, const void *ub,
                             uint32_t ub_pitch_bytes, uint32_t rows, uint32_t row_bytes);
SA_API void sa_copy_l1_ub_2d(sa_core *core, void *ub, uint32_t ub_pitch_bytes, const void *l1,
                             uint32_t l1_pitch_bytes, uint32_t rows, uint32_t row_bytes);
/* MTE1: n elements L1 -> bias table, float16 and bfloat16 widened to float32 (to: float32, int32).
 */
SA_API void sa_copy_bt(sa_core *core, sa_dtype to, void *bt, sa_dtype from, const void *l1,
                       uint32_t n);
/* V (coupled chips): rows of accumulators (float32, int32) L0C -> UB, converted to `to`; pitches in
 * elements of each side, row of `cols` elements. */
SA_API void sa_copy_l0c_ub(sa_core *core, sa_dtype to, void *ub, uint32_t ub_pitch, sa_dtype from,
                           const void *l0c, uint32_t l0c_pitch, uint32_t rows, uint32_t cols);
/* The same, each accumulator multiplied by `scale` in float32 and, with relu, no less than 0,
 * before it is converted. */
SA_API void sa_copy_l0c_ub_scaled(sa_core *core, sa_dtype to, void *ub, uint32_t ub_pitch,
                                  sa_dtype from, const void *l0c, uint32_t l0c_pitch, uint32_t rows,
                                  uint32_t cols, double scale, bool relu);
/* MTE2: fills `blocks` runs of `run_bytes` in L1 with `value`, `gap_bytes` between them; both are
 * multiples of 32. */
SA_API void sa_fill_l1(sa_core *core, sa_dtype dtype, void *l1, double value, uint32_t blocks,
                       uint32_t run_bytes, uint32_t gap_bytes);

/* MTE2: `nd` row-major matrices [n, d] in GM -> NZ in L1 (Nd2NzParams). */
typedef struct sa_nd2nz_params {
    uint32_t nd;            /* matrices */
    uint32_t n, d;          /* rows, columns */
    int64_t src_nd_stride;  /* elements from matrix to matrix */
    int64_t src_d;          /* elements from row to row */
    uint32_t dst_c0_stride; /* 32-byte units from a column block to the next */
    uint32_t dst_n_stride;  /* 32-byte units from row to row */
    uint32_t dst_nz_stride; /* elements from matrix to matrix */
} sa_nd2nz_params;
SA_API void sa_nd2nz_ext(sa_core *core, sa_dtype dtype, void *l1, const void *gm,
                         const sa_nd2nz_params *p);

/* ---- L1 -> L0, fractal by fractal */

/* LoadData2DParams: `times` fractals of 512 bytes from fractal `start` of l1, src_stride fractals
 * apart, to l0 one after the other with dst_gap fractals between. A fractal in L1 is [16][C0]: its
 * 16 are m (L0A) or n (L0B) and C0 is k; with `transpose` (2-byte elements) C0 is m or n and 16 is
 * k. `down` counts sources downwards. memory: SA_L0A or SA_L0B. */
typedef struct sa_load2d {
    uint32_t start, times, src_stride, dst_gap;
    bool transpose, down;
} sa_load2d;
SA_API void sa_load_2d(sa_core *core, sa_dtype dtype, sa_memory memory, void *l0, const void *l1,
                       const sa_load2d *p);
/* The same straight from GM (MTE2). */
SA_API void sa_load_2d_gm(sa_core *core, sa_dtype dtype, sa_memory memory, void *l0, const void *gm,
                          const sa_load2d *p);
/* LoadDataWithTranspose: squares of 16 x 16 (2 bytes), two fractals of 32 x 32 (1 byte) or of 16 x
 * 16 (4 bytes), each transposed. start, src_stride and dst_gap count squares and fractals as
 * documented; dst_frac_gap fractals lie between the fractals of a square. */
typedef struct sa_load_transpose {
    uint32_t start, times, src_stride, dst_gap, dst_frac_gap;
    bool down;
} sa_load_transpose;
SA_API void sa_load_transposed(sa_core *core, sa_dtype dtype, sa_memory memory, void *l0,
                               const void *l1, const sa_load_transpose *p);

/* LoadData3DParamsV2: the img2col matrix of a feature map [C1][h][w][C0] in L1, rows = output
 * positions, columns = (c1, kh, kw, c0); its part [m_start, + m) x [k_start, + k) -> L0A as [m, k]
 * (transpose: [k, m]) or L0B as [k = m, n = k]. */
typedef struct sa_load3d {
    uint8_t pad[4]; /* left, right, top, bottom */
    uint32_t h, w, channels;
    uint32_t k, m, k_start, m_start;
    uint32_t stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h;
    bool transpose;
    double pad_value;
} sa_load3d;
SA_API void sa_load_3d(sa_core *core, sa_dtype dtype, sa_memory memory, void *l0, const void *l1,
                       const sa_load3d *p);

/* ---- cube */

/* M: sa_mmad whose accumulators begin with a row of biases [n] in the bias table (float32; int32
 * for int8). */
SA_API void sa_mmad_bias(sa_core *core, sa_dtype dtype, void *l0c, const void *l0a, const void *l0b,
                         const void *bt, uint32_t m, uint32_t k, uint32_t n);

/* ---- FIX */

typedef struct sa_fixpipe_params {
    uint32_t n, m;
    uint32_t
        src_stride; /* rows of 16 accumulators from a column block to the next (m rounded up) */
    uint32_t dst_stride; /* row-major: elements from row to row; NZ: 32-byte units from a column
                            block to the next */
    bool nz;             /* NZ out, else row-major */
    bool relu;
    bool scaled; /* multiply by scale or scales before converting */
    double scale;
    const void
        *scales; /* float32 [n] in L1, as 64-bit words whose low half is the number; or NULL */
    uint32_t nd; /* matrices (0: 1), with their strides: 16-accumulator rows, elements */
    uint32_t src_nd_stride, dst_nd_stride;
    bool split_channels; /* float32 NZ: blocks of 8 columns instead of 16 */
} sa_fixpipe_params;
/* L0C (from: float32 or int32) -> GM, or L1 where `to_l1`, as `to`: float32, float16, bfloat16,
 * int32, int8, uint8 to nearest even, integers saturated. */
SA_API void sa_fixpipe_ext(sa_core *core, sa_dtype to, void *dst, bool to_l1, sa_dtype from,
                           const void *l0c, const sa_fixpipe_params *p);

#ifdef __cplusplus
}
#endif

#endif
