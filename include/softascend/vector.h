/* The vector pipe beyond plain counts: the repeat form of every instruction, reductions inside a
 * repeat, rearranging, sorting, and the high-level family. Included by core.h.
 *
 * A repeat is 8 blocks of 32 bytes of each operand: 64 elements of 4 bytes, 128 of 2. Operands of
 * different element sizes take as many elements as the larger one has. A repeat reads before it
 * writes; the next one sees what it wrote. Names and limits follow the public documentation of
 * Ascend C (arch 2201). */
#ifndef SOFTASCEND_VECTOR_H
#define SOFTASCEND_VECTOR_H

#include "softascend/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In blocks of 32 bytes: from a block of a repeat to the next, from a repeat to the next. 0 stays.
 */
typedef struct sa_stride {
    uint32_t block, repeat;
} sa_stride;

typedef struct sa_repeat {
    uint64_t mask[2]; /* bit i: element i of a repeat takes part; mask[0] has elements 0 … 63 */
    bool counter;     /* counter mode: mask[0] is the number of elements, `times` is not used */
    uint32_t times;
    sa_stride dst, a, b;
} sa_repeat;

/* The first `n` elements of a repeat. */
static inline void sa_mask_first(uint64_t mask[2], uint32_t n)
{
    mask[0] = n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
    mask[1] = n >= 128 ? ~(uint64_t)0 : n > 64 ? ((uint64_t)1 << (n - 64)) - 1 : 0;
}

/* The mask registers, for kernels that set them apart from the instruction. A block starts with all
 * ones in normal mode. sa_mask_get fills mask and counter of `r`. */
SA_API void sa_mask_set(sa_core *core, const uint64_t mask[2]);
SA_API void sa_mask_mode(sa_core *core, bool counter);
SA_API void sa_mask_get(const sa_core *core, sa_repeat *r);

/* ---- repeat forms of core.h's instructions and of those below */

#define SA_BINARY(name)                                                                            \
    SA_API void sa_##name##_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *a,        \
                                   const void *b, const sa_repeat *r)
#define SA_BINARY_BOTH(name)                                                                       \
    SA_API void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *a, const void *b,  \
                          uint32_t n);                                                             \
    SA_BINARY(name)
SA_BINARY(add);
SA_BINARY(sub);
SA_BINARY(mul);
SA_BINARY(div);
SA_BINARY(max);
SA_BINARY(min);
SA_BINARY(and);
SA_BINARY(or);
SA_BINARY(pow);
SA_BINARY_BOTH(xor);
SA_BINARY_BOTH(add_relu);      /* max(a + b, 0) */
SA_BINARY_BOTH(sub_relu);      /* max(a - b, 0) */
SA_BINARY_BOTH(prelu);         /* a > 0 ? a : a * b */
SA_BINARY_BOTH(mul_add_dst);   /* a * b + dst, rounded once */
SA_BINARY_BOTH(fused_mul_add); /* a * dst + b, rounded once */
SA_BINARY_BOTH(fused_mul_add_relu);
SA_BINARY_BOTH(mod);   /* C's fmod; integers: the sign of a */
SA_BINARY_BOTH(atan2); /* HIGH */
#undef SA_BINARY
#undef SA_BINARY_BOTH

#define SA_UNARY(name)                                                                             \
    SA_API void sa_##name##_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *a,        \
                                   const sa_repeat *r)
#define SA_UNARY_BOTH(name)                                                                        \
    SA_API void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *a, uint32_t n);    \
    SA_UNARY(name)
SA_UNARY(exp);
SA_UNARY(ln);
SA_UNARY(abs);
SA_UNARY(sqrt);
SA_UNARY(rsqrt);
SA_UNARY(rec);
SA_UNARY(relu);
SA_UNARY(not );
SA_UNARY(sigmoid);
SA_UNARY(tanh);
/* high-level: float16 and float32, computed as in double and rounded once */
SA_UNARY_BOTH(neg);
SA_UNARY_BOTH(sign);
SA_UNARY_BOTH(floor);
SA_UNARY_BOTH(ceil);
SA_UNARY_BOTH(round_away); /* ties away from zero */
SA_UNARY_BOTH(rint);       /* ties to even */
SA_UNARY_BOTH(trunc);
SA_UNARY_BOTH(frac); /* a - trunc(a) */
SA_UNARY_BOTH(exp2);
SA_UNARY_BOTH(log2);
SA_UNARY_BOTH(log10);
SA_UNARY_BOTH(sin);
SA_UNARY_BOTH(cos);
SA_UNARY_BOTH(tan);
SA_UNARY_BOTH(asin);
SA_UNARY_BOTH(acos);
SA_UNARY_BOTH(atan);
SA_UNARY_BOTH(sinh);
SA_UNARY_BOTH(cosh);
SA_UNARY_BOTH(asinh);
SA_UNARY_BOTH(acosh);
SA_UNARY_BOTH(atanh);
SA_UNARY_BOTH(erf);
SA_UNARY_BOTH(erfc);
SA_UNARY_BOTH(lgamma);
SA_UNARY_BOTH(digamma);   /* the logarithmic derivative of gamma; NaN at 0, -1, -2 … */
SA_UNARY_BOTH(gelu);      /* a Phi(a), Phi by tanh: a / (1 + exp(-1.5957691 (a + 0.044715 a^3))) */
SA_UNARY_BOTH(gelu_erf);  /* a (1 + erf(a / sqrt 2)) / 2 */
SA_UNARY_BOTH(gelu_fast); /* a / (1 + exp(-1.702 a)), FasterGelu */
SA_UNARY_BOTH(silu);      /* a / (1 + exp(-a)) */
#undef SA_UNARY
#undef SA_UNARY_BOTH

#define SA_SCALAR(name)                                                                            \
    SA_API void sa_##name##_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *a,        \
                                   double scalar, const sa_repeat *r)
#define SA_SCALAR_BOTH(name)                                                                       \
    SA_API void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *a, double scalar,  \
                          uint32_t n);                                                             \
    SA_SCALAR(name)
SA_SCALAR(adds);
SA_SCALAR(muls);
SA_SCALAR(maxs);
SA_SCALAR(mins);
SA_SCALAR(lrelu);
SA_SCALAR(axpy);
SA_SCALAR_BOTH(divs);  /* a / scalar */
SA_SCALAR_BOTH(rdivs); /* scalar / a */
SA_SCALAR_BOTH(rsubs); /* scalar - a */
SA_SCALAR_BOTH(pows);  /* a ^ scalar, HIGH */
SA_SCALAR_BOTH(rpows); /* scalar ^ a, HIGH */
SA_SCALAR_BOTH(shl);   /* bits to the left */
SA_SCALAR_BOTH(shr);   /* to the right; signed ones keep their sign */
SA_SCALAR_BOTH(shr_round);
SA_SCALAR_BOTH(swish); /* a / (1 + exp(-scalar a)) */
#undef SA_SCALAR
#undef SA_SCALAR_BOTH

/* dst (float32) += a (float16) * scalar, and dst (float32) += a * b (float16). */
SA_API void sa_axpy_wide(sa_core *core, void *dst, const void *a, double scalar, uint32_t n);
SA_API void sa_axpy_wide_repeat(sa_core *core, void *dst, const void *a, double scalar,
                                const sa_repeat *r);
SA_API void sa_mul_add_dst_wide(sa_core *core, void *dst, const void *a, const void *b, uint32_t n);
SA_API void sa_mul_add_dst_wide_repeat(sa_core *core, void *dst, const void *a, const void *b,
                                       const sa_repeat *r);

/* dst = a * b sigmoid(scalar b);  a * gelu(b);  a * max(b, 0). float16 and float32. */
SA_API void sa_swiglu(sa_core *core, sa_dtype dtype, void *dst, const void *a, const void *b,
                      double scalar, uint32_t n);
SA_API void sa_geglu(sa_core *core, sa_dtype dtype, void *dst, const void *a, const void *b,
                     uint32_t n);
SA_API void sa_reglu(sa_core *core, sa_dtype dtype, void *dst, const void *a, const void *b,
                     uint32_t n);

SA_API void sa_fill_repeat(sa_core *core, sa_dtype dtype, void *dst, double value,
                           const sa_repeat *r);
/* UB -> UB under mask and strides (Copy): strides of `a` are the source's. */
SA_API void sa_copy_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                           const sa_repeat *r);
SA_API void sa_cast_repeat(sa_core *core, sa_dtype to, void *dst, sa_dtype from, const void *src,
                           sa_round round, const sa_repeat *r);

/* The scale of int32 -> float16 and of the Deq instructions (SetDeqScale). sa_cast_deq: dst
 * (float16) = src (int32) * scale. */
SA_API void sa_deq_scale(sa_core *core, double scale);
SA_API void sa_cast_deq(sa_core *core, void *dst, const void *src, uint32_t n);
SA_API void sa_cast_deq_repeat(sa_core *core, void *dst, const void *src, const sa_repeat *r);
/* dst (float16) = max((a + b) * scale, 0), a and b int32. */
SA_API void sa_add_deq_relu(sa_core *core, void *dst, const void *a, const void *b, uint32_t n);
SA_API void sa_add_deq_relu_repeat(sa_core *core, void *dst, const void *a, const void *b,
                                   const sa_repeat *r);

/* Bits of each repeat follow those of the one before (8 bytes a repeat of 4-byte elements, 16 of
 * 2-byte ones); dst strides are not used, and bits of elements that the mask leaves out are kept.
 * mask NULL: one repeat, into the compare register. */
SA_API void sa_compare_repeat(sa_core *core, sa_dtype dtype, sa_cmp cmp, void *mask, const void *a,
                              const void *b, const sa_repeat *r);
SA_API void sa_compares_repeat(sa_core *core, sa_dtype dtype, sa_cmp cmp, void *mask, const void *a,
                               double scalar, const sa_repeat *r);

/* The compare register, 128 bits. */
SA_API void sa_cmp_mask_set(sa_core *core, const void *ub);
SA_API void sa_cmp_mask_get(sa_core *core, void *ub);

/* dst = bit ? a : b. With `again` every repeat uses the first bits of `mask` (NULL: of the compare
 * register), else each repeat goes on where the one before ended. */
SA_API void sa_select_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *mask, bool again,
                             const void *a, const void *b, const sa_repeat *r);
SA_API void sa_selects_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *mask,
                              bool again, const void *a, double scalar, const sa_repeat *r);

/* ---- reductions inside repeats; r->a is the source's stride */

/* One result a repeat. r->dst.repeat counts results: of sums and SA_ONLY_VALUE elements, of pairs
 * two elements, of SA_ONLY_INDEX uint32. An index is that of the first extreme in its repeat, as
 * bits of an unsigned integer of the element's size. */
typedef enum sa_index_order {
    SA_VALUE_INDEX,
    SA_INDEX_VALUE,
    SA_ONLY_VALUE,
    SA_ONLY_INDEX
} sa_index_order;
SA_API void sa_whole_sum(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                         const sa_repeat *r);
SA_API void sa_whole_max(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                         sa_index_order order, const sa_repeat *r);
SA_API void sa_whole_min(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                         sa_index_order order, const sa_repeat *r);

/* One result a block: 8 a repeat; r->dst.repeat counts groups of 8 results. A block whose elements
 * are all masked off keeps its result. */
SA_API void sa_block_sum(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                         const sa_repeat *r);
SA_API void sa_block_max(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                         const sa_repeat *r);
SA_API void sa_block_min(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                         const sa_repeat *r);

/* Neighbours are added: half a repeat of results; r->dst.repeat counts those. */
SA_API void sa_pair_sum(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                        const sa_repeat *r);

/* All live elements of all repeats to one. */
SA_API void sa_reduce_sum_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                                 const sa_repeat *r);
/* n elements to value and index (bits of an unsigned integer of the element's size), two elements
 * at dst. The repeat form counts the index in elements of whole repeats. */
SA_API void sa_reduce_max_index(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                                uint32_t n);
SA_API void sa_reduce_min_index(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                                uint32_t n);
SA_API void sa_reduce_max_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                                 bool index, const sa_repeat *r);
SA_API void sa_reduce_min_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                                 bool index, const sa_repeat *r);

/* A matrix [rows, cols] with rows `pitch` elements apart, along its rows (axis 1: rows results) or
 * down its columns (axis 0: cols results). */
SA_API void sa_sum_2d(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                      uint32_t cols, uint32_t pitch, int axis);
SA_API void sa_max_2d(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                      uint32_t cols, uint32_t pitch, int axis);
SA_API void sa_min_2d(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                      uint32_t cols, uint32_t pitch, int axis);
SA_API void sa_cumsum(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                      uint32_t cols, int axis);

/* ---- rearranging */

/* dst[i] = first + i * step. */
SA_API void sa_arange(sa_core *core, sa_dtype dtype, void *dst, double first, double step,
                      uint32_t n);
/* Element i of whole repeats becomes first + i. */
SA_API void sa_arange_repeat(sa_core *core, sa_dtype dtype, void *dst, double first,
                             const sa_repeat *r);

/* The elements that a pattern chooses, packed; returns how many. pattern 1, 2: of each two the
 * first, the second; 3 … 6: of each four the first … fourth; 7: all; 0: bits at `bits` in UB, those
 * of repeat i at i * bits_repeat blocks of 32 bytes. Each of `times` repeats looks at `n` elements
 * (0: a whole repeat of 256 bytes) in blocks of stride src.block, repeats of src.repeat. */
SA_API uint32_t sa_gather_mask(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                               int pattern, const void *bits, uint32_t n, uint32_t times,
                               sa_stride stride, uint32_t bits_repeat);

/* dst[i] = element at base + offset_bytes[i], under mask; offsets are packed, one an element of
 * every repeat. */
SA_API void sa_gather_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *base,
                             const void *offset_bytes, const sa_repeat *r);
/* Each repeat takes 8 offsets (uint32, multiples of 32) and moves 8 blocks of 32 bytes. */
SA_API void sa_gather_blocks(sa_core *core, sa_dtype dtype, void *dst, const void *base,
                             const void *offset_bytes, uint32_t times, sa_stride stride);
/* The element at base + offset_bytes[i] = src[i], in order of i. */
SA_API void sa_scatter(sa_core *core, sa_dtype dtype, void *base, const void *src,
                       const void *offset_bytes, uint32_t n);
/* Each repeat takes 8 elements and fills a block of 32 bytes with each. */
SA_API void sa_brcb(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t times,
                    sa_stride stride);
/* axis 0: [cols] -> [rows, cols];  axis 1: [rows] -> [rows, cols]. */
SA_API void sa_broadcast(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                         uint32_t cols, int axis);
/* TransDataTo5HD: 16 blocks of 32 bytes at src[i] to 16 at dst[i]. 2-byte elements: dst[i][j] =
 * src[j][i]; 4-byte: dst[2i + j/8][j%8] = src[j][i]; 1-byte: likewise 16 x 16, from the upper half
 * of source blocks, to the upper half of destination blocks if asked. Repeat t adds t * stride
 * (blocks). */
SA_API void sa_transpose_blocks(sa_core *core, sa_dtype dtype, void *const dst[16],
                                const void *const src[16], bool dst_high, bool src_high,
                                uint32_t times, uint32_t dst_stride, uint32_t src_stride);

/* ---- sorting. A pair is 8 bytes: the value (float32; float16 and two unused bytes), a uint32. */

/* Each repeat sorts 32 values with their indices by value, highest first, equals in order. */
SA_API void sa_sort32(sa_core *core, sa_dtype dtype, void *dst, const void *values,
                      const void *indices, uint32_t times);
/* Merges up to 4 sorted runs of pairs. count[i] pairs at src[i] (0: none). With `suspend` it stops
 * when one run ends. taken[i] (may be NULL): how many of run i are in dst. Returns their sum. With
 * times > 1 the runs are equally long, and each repeat goes on behind the last one's. */
SA_API uint32_t sa_merge4(sa_core *core, sa_dtype dtype, void *dst, const void *const src[4],
                          const uint32_t count[4], bool suspend, uint32_t times, uint32_t taken[4]);
/* n pairs to values and indices, apart. */
SA_API void sa_extract(sa_core *core, sa_dtype dtype, void *values, void *indices,
                       const void *pairs, uint32_t n);
/* All of n values and indices (NULL: 0 … n-1) into sorted pairs. */
SA_API void sa_sort(sa_core *core, sa_dtype dtype, void *pairs, const void *values,
                    const void *indices, uint32_t n);
/* Of each row [pitch] of `cols` live values the k largest (smallest), in order: values [rows,
 * k_pitch], indices int32 [rows, k_pitch]. source_indices: [pitch] int32 that name columns, or
 * NULL.
 */
SA_API void sa_topk(sa_core *core, sa_dtype dtype, void *values, void *indices, const void *src,
                    const void *source_indices, uint32_t rows, uint32_t cols, uint32_t pitch,
                    uint32_t k, uint32_t k_pitch, bool largest);

/* ---- normalisations: rows of `cols` live elements, `pitch` elements apart; computed in float32 */

/* dst = exp(x - max) / sum. sum and max: float32 or dtype (stat_dtype), each row's value written
 * `stat_width` times (8 float32 fill a block); NULL: not wanted. */
SA_API void sa_softmax(sa_core *core, sa_dtype dtype, void *dst, sa_dtype stat_dtype, void *sum,
                       void *max, uint32_t stat_width, const void *src, uint32_t rows,
                       uint32_t cols, uint32_t pitch);
/* dst = exp(x - max) / sum with given sum and max (SimpleSoftMax). */
SA_API void sa_softmax_given(sa_core *core, sa_dtype dtype, void *dst, sa_dtype stat_dtype,
                             const void *sum, const void *max, uint32_t stat_width, const void *src,
                             uint32_t rows, uint32_t cols, uint32_t pitch);
/* A further tile of a row (SoftmaxFlashV2): new max = max(old max, max of x), dst = exp(x - new
 * max), factor = exp(old max - new max), new sum = factor * old sum + sum of dst. Without `update`
 * there is no old one. */
SA_API void sa_softmax_flash(sa_core *core, sa_dtype dtype, void *dst, sa_dtype stat_dtype,
                             void *sum, void *max, void *factor, const void *old_sum,
                             const void *old_max, uint32_t stat_width, const void *src,
                             uint32_t rows, uint32_t cols, uint32_t pitch, bool update);
SA_API void sa_log_softmax(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                           uint32_t cols, uint32_t pitch);
/* dst = (x - mean) / sqrt(variance + epsilon) * gamma + beta; mean and variance [rows] of dtype,
 * NULL: not wanted; gamma, beta [cols] or NULL. */
SA_API void sa_layer_norm(sa_core *core, sa_dtype dtype, void *dst, void *mean, void *variance,
                          const void *src, const void *gamma, const void *beta, double epsilon,
                          uint32_t rows, uint32_t cols, uint32_t pitch);
/* dst = x / sqrt(mean of squares + epsilon) * gamma. */
SA_API void sa_rms_norm(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                        const void *gamma, double epsilon, uint32_t rows, uint32_t cols,
                        uint32_t pitch);

/* dst (int8) = src (float16, float32) * scale + offset, to nearest even, saturated. scale, offset:
 * one value, or scale_dtype [cols] where not NULL, over rows of cols: a float, or uint64 whose low
 * half is a float32. */
SA_API void sa_quant(sa_core *core, sa_dtype from, void *dst, const void *src, double scale,
                     double offset, sa_dtype scale_dtype, const void *scales, const void *offsets,
                     uint32_t rows, uint32_t cols);
/* dst (float32, float16, bfloat16) = src (int32, int8) * scale + offset * scale. */
SA_API void sa_dequant(sa_core *core, sa_dtype to, void *dst, sa_dtype from, const void *src,
                       double scale, double offset, sa_dtype scale_dtype, const void *scales,
                       const void *offsets, uint32_t rows, uint32_t cols);

#ifdef __cplusplus
}
#endif

#endif
