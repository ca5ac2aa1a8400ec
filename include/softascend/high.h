/* High-level instructions beyond vector.h's: gradients, further normalisations, running statistics,
 * quantisation forms, reductions of truth. Included by core.h. Each is one body here for what a
 * chip does in several instructions; values are computed in float64 of the operands and rounded
 * once, where nothing else is said. Rows of `cols` live elements lie `pitch` elements apart.
 * Formulas: the vendor's public Ascend C documentation. */
#ifndef SOFTASCEND_HIGH_H
#define SOFTASCEND_HIGH_H

#include "softascend/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- softmax */

/* SoftmaxFlash: as sa_softmax_flash, with dst divided by the new sum and factor times old sum /
 * new sum. */
SA_API void sa_softmax_flash_ratio(sa_core *core, sa_dtype dtype, void *dst, sa_dtype stat_dtype,
                                   void *sum, void *max, void *factor, const void *old_sum,
                                   const void *old_max, uint32_t stat_width, const void *src,
                                   uint32_t rows, uint32_t cols, uint32_t pitch, bool update);
/* y: the softmax, g: the gradient of its result. dst = (g - s) y with s = sum of g y in the row;
 * with `front` dst is a block of s for each row. */
SA_API void sa_softmax_grad(sa_core *core, sa_dtype dtype, void *dst, const void *g, const void *y,
                            uint32_t rows, uint32_t cols, uint32_t pitch, bool front);
/* Rows whose maximum (the first of stat_width values) has the bits `from` are filled with `to`.
 * Was there one? */
SA_API bool sa_softmax_adjust(sa_core *core, sa_dtype dtype, void *data, sa_dtype stat_dtype,
                              const void *max, uint32_t stat_width, uint32_t from, double to,
                              uint32_t rows, uint32_t cols, uint32_t pitch);

/* ---- normalisations */

/* dx and (x - mean) / sqrt(variance + epsilon), from dy, x, variance and mean of each row. */
SA_API void sa_layer_norm_grad(sa_core *core, sa_dtype dtype, void *dx, void *normal,
                               const void *dy, const void *x, const void *variance,
                               const void *mean, const void *gamma, double epsilon, uint32_t rows,
                               uint32_t cols, uint32_t pitch);
/* dgamma = sum of dy * normal down the rows, dbeta = sum of dy. */
SA_API void sa_layer_norm_grad_beta(sa_core *core, sa_dtype dtype, void *dgamma, void *dbeta,
                                    const void *normal, const void *dy, uint32_t rows,
                                    uint32_t cols, uint32_t pitch);
/* Over the batch, rows of one sample each: mean and variance [cols] of each column; gamma and beta
 * are a row's. */
SA_API void sa_batch_norm(sa_core *core, sa_dtype dtype, void *dst, void *mean, void *variance,
                          const void *src, const void *gamma, const void *beta, double epsilon,
                          uint32_t rows, uint32_t cols, uint32_t pitch);
/* samples * groups * (channels of a group) rows; mean and variance [samples, groups]; gamma and
 * beta [groups * channels]. */
SA_API void sa_group_norm(sa_core *core, sa_dtype dtype, void *dst, void *mean, void *variance,
                          const void *src, const void *gamma, const void *beta, double epsilon,
                          uint32_t samples, uint32_t groups, uint32_t channels, uint32_t cols,
                          uint32_t pitch);
/* dst = (x - mean) / sqrt(variance + epsilon) * gamma + beta with mean and variance given (float32,
 * one a row); rstd = 1 / sqrt(variance + epsilon). gamma and beta of dtype `weights`, or NULL. */
SA_API void sa_normalize(sa_core *core, sa_dtype dtype, void *dst, void *rstd, const void *mean,
                         const void *variance, const void *src, sa_dtype weights, const void *gamma,
                         const void *beta, double epsilon, uint32_t rows, uint32_t cols,
                         uint32_t pitch);

/* Welford's running mean and sum of squares (float32), each of n columns, by one more x [n];
 * reciprocal: 1 / how many there are with it. */
SA_API void sa_welford_update(sa_core *core, sa_dtype dtype, void *mean, void *squares,
                              const void *old_mean, const void *old_squares, const void *x,
                              double reciprocal, uint32_t n);
/* One mean and variance from n of them. counts: int32 [n], or NULL: each of `each` elements.
 * reciprocal: 1 / elements in all. */
SA_API void sa_welford_finalize(sa_core *core, void *mean, void *variance, const void *means,
                                const void *squares, const void *counts, double each,
                                double reciprocal, uint32_t n);

/* ---- quantisation and choice */

/* dst (float16, bfloat16) = (src (int8) + offset) * scale: one value, or [cols] of dst's dtype
 * where not NULL, for each `group` rows anew (0: for all). */
SA_API void sa_antiquant(sa_core *core, sa_dtype dtype, void *dst, const void *src, double scale,
                         double offset, const void *scales, const void *offsets, uint32_t rows,
                         uint32_t cols, uint32_t group);
/* dst = mask byte ? b : a, one of them `scalar` where NULL. Masks lie mask_pitch elements of
 * mask_dtype apart. */
SA_API void sa_select_bytes(sa_core *core, sa_dtype dtype, void *dst, const void *a, const void *b,
                            double scalar, const void *mask, sa_dtype mask_dtype, uint32_t rows,
                            uint32_t cols, uint32_t mask_pitch);
/* float16 to int4 (pack) or back, n of them, two a byte, low half first; saturated. */
SA_API void sa_cast_i4(sa_core *core, bool pack, void *dst, const void *src, sa_round round,
                       uint32_t n);
/* int16 to int8 or uint8: src * scale, rounded, + offset, saturated. `scales` and `offsets`: 16 of
 * them, in turn. Of each 32 bytes of dst the first or second half is written. */
SA_API void sa_cast_vdeq(sa_core *core, sa_dtype to, void *dst, const void *src,
                         const float scales[16], const int16_t offsets[16], bool second,
                         uint32_t n);

/* ---- reductions along an axis, as sa_sum_2d; any and all give 0 or 1 */

SA_API void sa_prod_2d(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                       uint32_t cols, uint32_t pitch, int axis);
SA_API void sa_any_2d(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                      uint32_t cols, uint32_t pitch, int axis);
SA_API void sa_all_2d(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                      uint32_t cols, uint32_t pitch, int axis);

#ifdef __cplusplus
}
#endif

#endif
