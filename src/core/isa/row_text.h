/* What operators that normalise do to a row in GM when nothing watches, written once over the
 * vocabulary of math_text.h with loads, stores and streams of fp32, fp16 and bf16 (vector_text.h),
 * and, where the CPU has them, those of a vector's first lanes (VF_FIRST: avx512_words.h).
 * Sums are taken as isa/reduce.c takes them, so all backends and the instructions give the same
 * bits. */
#include "core/isa/body.h"

#define ROW_LANES 64
#define ROW_VECTORS (ROW_LANES / VF_LANES)

/* Joins the lanes by halves. */
MATH_INLINE float row_total(vf *lane)
{
    for (size_t h = ROW_VECTORS / 2; h; h /= 2)
        for (size_t j = 0; j < h; j++)
            lane[j] = vf_add(lane[j], lane[j + h]);
    return vf_total(lane[0]);
}

#define ROW(name) name##_f32
#define ROW_T float
#define ROW_LOAD vf_load
#define ROW_LOAD_FIRST vf_load_first
#define ROW_STORE vf_store
#define ROW_STORE_FIRST vf_store_first
#define ROW_STREAM vf_stream
#include "core/isa/row_body.h"

#define ROW(name) name##_f16
#define ROW_T uint16_t
#define ROW_LOAD vf_load_f16
#define ROW_LOAD_FIRST vf_load_f16_first
#define ROW_STORE vf_store_f16
#define ROW_STORE_FIRST vf_store_f16_first
#define ROW_STREAM vf_stream_f16
#include "core/isa/row_body.h"

#define ROW(name) name##_bf16
#define ROW_T uint16_t
#define ROW_LOAD vf_load_bf16
#define ROW_LOAD_FIRST vf_load_bf16_first
#define ROW_STORE vf_store_bf16
#define ROW_STORE_FIRST vf_store_bf16_first
#define ROW_STREAM vf_stream_bf16
#include "core/isa/row_body.h"

static void fill_row(sa_isa *isa)
{
#define ROW_SET(name)                                                                              \
    isa->name[SA_F32] = name##_f32, isa->name[SA_F16] = name##_f16,                                \
    isa->name[SA_BF16] = name##_bf16;
    ROW_SET(row_max)
    ROW_SET(row_exp)
    ROW_SET(row_scale)
    ROW_SET(row_log)
    ROW_SET(row_log_dot)
    ROW_SET(row_grad)
    ROW_SET(row_dot)
    ROW_SET(row_sum)
    ROW_SET(row_moments)
    ROW_SET(row_norm)
    ROW_SET(row_norm_dots)
    ROW_SET(row_norm_grad)
    ROW_SET(row_norm_add)
}
