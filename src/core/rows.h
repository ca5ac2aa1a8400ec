/* Rows of the high-level family: each is loaded into host memory as float32, worked on, and rounded
 * to its dtype at the end. */
#ifndef SA_ROWS_H
#define SA_ROWS_H

#include "core/isa/body.h"
#include "core/issue.h"

#include <stdlib.h>
#include <string.h>

/* Host memory for one row; longer rows than UB holds cannot come here. */
static inline float *row_of_floats(const sa_issue *issue, uint32_t cols)
{
    float *row = malloc(((size_t)cols + 16) * sizeof *row);
    if (!row)
        sa_issue_refuse(issue, "no host memory for a row of %u", cols);
    return row;
}

static inline void load_row(const sa_isa *isa, float *row, sa_dtype dtype, const void *from,
                            size_t n)
{
    if (dtype == SA_F32)
        memcpy(row, from, n * sizeof *row);
    else
        isa->cast[SA_F32][dtype](row, from, SA_ROUND_NONE, n);
}

static inline void store_row(const sa_isa *isa, sa_dtype dtype, void *to, const float *row,
                             size_t n)
{
    if (dtype == SA_F32)
        memcpy(to, row, n * sizeof *row);
    else
        isa->cast[dtype][SA_F32](to, row, SA_ROUND_RINT, n);
}

static inline const uint8_t *row_at(const void *base, uint64_t row, uint64_t pitch_bytes)
{
    return (const uint8_t *)base + row * pitch_bytes;
}

/* sum or max of rows: `width` equal values a row */
typedef struct statistic {
    sa_dtype dtype;
    uint32_t width;
    uint8_t *at; /* NULL: not wanted */
} statistic;

static inline statistic statistic_of(sa_issue *issue, sa_dtype dtype, uint32_t width,
                                     const void *at, bool write, uint32_t rows)
{
    if (dtype != SA_F32 && dtype != SA_F16)
        sa_issue_refuse(issue, "sum and max are float32 or float16, not %s", sa_dtype_name(dtype));
    statistic s = {dtype, width, NULL};
    if (at)
        s.at = sa_issue_operand(issue, SA_UB, write, at, 1,
                                (uint64_t)rows * width * sa_dtype_bytes(dtype), 0);
    return s;
}

static inline void put(const sa_isa *isa, const statistic *s, uint64_t row, float value)
{
    if (s->at)
        isa->fill[s->dtype](s->at + row * s->width * sa_dtype_bytes(s->dtype), (double)value,
                            s->width);
}

static inline float get(const statistic *s, uint64_t row)
{
    const uint8_t *p = s->at + row * s->width * sa_dtype_bytes(s->dtype);
    if (s->dtype == SA_F32)
        return *(const float *)p;
    return sa_half_to_float(*(const sa_half *)p);
}

#define ROWS_IN_AND_OUT                                                                            \
    const sa_isa *isa = core->isa;                                                                 \
    const uint64_t size = sa_dtype_bytes(dtype), pitch_bytes = pitch * size;                       \
    if (cols > pitch)                                                                              \
        sa_issue_refuse(&issue, "rows of %u do not fit a pitch of %u", cols, pitch);               \
    if (!rows || !cols)                                                                            \
        return;                                                                                    \
    src = READS(SA_UB, src, rows, cols * size, (int64_t)pitch_bytes);                              \
    dst = WRITES(SA_UB, dst, rows, cols * size, (int64_t)pitch_bytes);

#endif
