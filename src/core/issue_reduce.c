/* Reductions inside repeats, and along an axis of a matrix. Each sum is the tree of isa/reduce.c
 * over the elements that take part, side by side. */
#include "core/repeat.h"

#include <string.h>

/* The live elements of repeat t from `from` to `to`, packed; where[k] is the place of the k-th. */
static uint32_t pack(const sa_walk *w, const sa_lanes *l, uint32_t t, uint32_t from, uint32_t to,
                     uint8_t *out, uint32_t *where)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++)
        if (sa_walk_live(w, t, i)) {
            memcpy(out + (size_t)n * l->size, sa_lane(l, t, i), l->size);
            if (where)
                where[n] = i;
            n++;
        }
    return n;
}

static void put_index(void *to, uint32_t size, uint32_t index)
{
    uint16_t narrow = (uint16_t)index;
    if (size == 2)
        memcpy(to, &narrow, 2);
    else
        memcpy(to, &index, 4);
}

/* One result of `result_bytes` a repeat. */
static void whole(sa_issue *issue, sa_dtype dtype, void *dst, const void *src, sa_body_REDUCE value,
                  sa_body_ARG arg, sa_index_order order, const sa_repeat *r)
{
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    uint32_t result = order == SA_ONLY_VALUE ? size : order == SA_ONLY_INDEX ? 4 : 2 * size;
    sa_walk w = sa_walk_of(r, size);
    if (!w.work)
        return;
    sa_lanes l = {(uint8_t *)(uintptr_t)src, size, r->a};
    sa_walk_operand(issue, &w, &l, false);
    uint64_t pitch = (uint64_t)r->dst.repeat * result;
    dst = sa_issue_operand(issue, SA_UB, true, dst, 1, (w.times - 1) * pitch + result, 0);
    sa_issue_show(issue, w.work);
    for (uint32_t t = 0; t < w.times; t++) {
        _Alignas(64) uint8_t live[SA_REPEAT_BYTES], got[8] = {0};
        uint32_t where[SA_REPEAT_BYTES], best = 0;
        uint32_t n = pack(&w, &l, t, 0, w.elements, live, where);
        uint8_t *to = (uint8_t *)dst + t * pitch, *index_to = to;
        value(got, live, n);
        if (arg)
            arg(&best, live, n);
        if (order == SA_INDEX_VALUE)
            to += size;
        else if (order == SA_VALUE_INDEX)
            index_to += size;
        if (order != SA_ONLY_INDEX)
            memcpy(to, got, size);
        if (order != SA_ONLY_VALUE)
            put_index(index_to, order == SA_ONLY_INDEX ? 4 : size, where[best]);
    }
}

void sa_whole_sum(sa_core *core, sa_dtype dtype, void *dst, const void *src, const sa_repeat *r)
{
    BEGIN(whole_sum, dtype);
    whole(&issue, dtype, dst, src, core->isa->reduce_sum[dtype], NULL, SA_ONLY_VALUE, r);
}

void sa_whole_max(sa_core *core, sa_dtype dtype, void *dst, const void *src, sa_index_order order,
                  const sa_repeat *r)
{
    BEGIN(whole_max, dtype);
    whole(&issue, dtype, dst, src, core->isa->reduce_max[dtype], core->isa->arg_max[dtype], order,
          r);
}

void sa_whole_min(sa_core *core, sa_dtype dtype, void *dst, const void *src, sa_index_order order,
                  const sa_repeat *r)
{
    BEGIN(whole_min, dtype);
    whole(&issue, dtype, dst, src, core->isa->reduce_min[dtype], core->isa->arg_min[dtype], order,
          r);
}

/* Groups of `group` neighbours, one result each; a group without a live element keeps its result.
 */
static void groups(sa_issue *issue, sa_dtype dtype, void *dst, const void *src, sa_body_REDUCE body,
                   uint32_t group, const sa_repeat *r)
{
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    sa_walk w = sa_walk_of(r, size);
    if (!w.work)
        return;
    sa_lanes l = {(uint8_t *)(uintptr_t)src, size, r->a};
    sa_walk_operand(issue, &w, &l, false);
    uint32_t results = w.elements / group;
    uint32_t end = w.last_elements < w.end ? w.last_elements : w.end;
    uint64_t pitch = (uint64_t)r->dst.repeat * results * size;
    uint64_t last = (w.times - 1) * pitch + (uint64_t)(end + group - 1) / group * size;
    uint64_t before = (uint64_t)(w.end + group - 1) / group * size;
    if (w.times > 1 && (w.times - 2) * pitch + before > last)
        last = (w.times - 2) * pitch + before;
    dst = sa_issue_operand(issue, SA_UB, true, dst, 1, last, 0);
    sa_issue_show(issue, w.work);
    for (uint32_t t = 0; t < w.times; t++)
        for (uint32_t g = 0; g < results; g++) {
            _Alignas(64) uint8_t live[SA_REPEAT_BYTES];
            uint32_t n = pack(&w, &l, t, g * group, (g + 1) * group, live, NULL);
            if (n)
                body((uint8_t *)dst + t * pitch + (uint64_t)g * size, live, n);
        }
}

void sa_block_sum(sa_core *core, sa_dtype dtype, void *dst, const void *src, const sa_repeat *r)
{
    BEGIN(block_sum, dtype);
    groups(&issue, dtype, dst, src, core->isa->reduce_sum[dtype],
           SA_BLOCK_BYTES / (uint32_t)sa_dtype_bytes(dtype), r);
}

void sa_block_max(sa_core *core, sa_dtype dtype, void *dst, const void *src, const sa_repeat *r)
{
    BEGIN(block_max, dtype);
    groups(&issue, dtype, dst, src, core->isa->reduce_max[dtype],
           SA_BLOCK_BYTES / (uint32_t)sa_dtype_bytes(dtype), r);
}

void sa_block_min(sa_core *core, sa_dtype dtype, void *dst, const void *src, const sa_repeat *r)
{
    BEGIN(block_min, dtype);
    groups(&issue, dtype, dst, src, core->isa->reduce_min[dtype],
           SA_BLOCK_BYTES / (uint32_t)sa_dtype_bytes(dtype), r);
}

void sa_pair_sum(sa_core *core, sa_dtype dtype, void *dst, const void *src, const sa_repeat *r)
{
    BEGIN(pair_sum, dtype);
    groups(&issue, dtype, dst, src, core->isa->reduce_sum[dtype], 2, r);
}

/* ---- all repeats to one: results of repeats are joined in order */

static void joined(sa_issue *issue, sa_dtype dtype, void *dst, const void *src, sa_body_REDUCE body,
                   sa_body_ARG arg, bool index, const sa_repeat *r)
{
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    sa_walk w = sa_walk_of(r, size);
    if (!w.work)
        return;
    sa_lanes l = {(uint8_t *)(uintptr_t)src, size, r->a};
    sa_walk_operand(issue, &w, &l, false);
    dst = sa_issue_operand(issue, SA_UB, true, dst, 1, index ? 2 * size : size, 0);
    sa_issue_show(issue, w.work);
    _Alignas(64) uint8_t two[16] = {0}; /* the result so far, the next repeat's */
    uint32_t at = 0;
    for (uint32_t t = 0; t < w.times; t++) {
        _Alignas(64) uint8_t live[SA_REPEAT_BYTES];
        uint32_t where[SA_REPEAT_BYTES], best = 0, later = 0;
        uint32_t n = pack(&w, &l, t, 0, w.elements, live, where);
        body(two + (t ? size : 0), live, n);
        if (arg) {
            arg(&best, live, n);
            if (t)
                arg(&later, two, 2);
            if (!t || later)
                at = t * w.elements + where[best];
        }
        if (t)
            body(two, two, 2);
    }
    memcpy(dst, two, size);
    if (index)
        put_index((uint8_t *)dst + size, size, at);
}

void sa_reduce_sum_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *src,
                          const sa_repeat *r)
{
    BEGIN(reduce_sum, dtype);
    joined(&issue, dtype, dst, src, core->isa->reduce_sum[dtype], NULL, false, r);
}

void sa_reduce_max_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *src, bool index,
                          const sa_repeat *r)
{
    BEGIN(reduce_max, dtype);
    joined(&issue, dtype, dst, src, core->isa->reduce_max[dtype], core->isa->arg_max[dtype], index,
           r);
}

void sa_reduce_min_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *src, bool index,
                          const sa_repeat *r)
{
    BEGIN(reduce_min, dtype);
    joined(&issue, dtype, dst, src, core->isa->reduce_min[dtype], core->isa->arg_min[dtype], index,
           r);
}

static void with_index(sa_issue *issue, sa_dtype dtype, void *dst, const void *src, uint32_t n,
                       sa_body_REDUCE body, sa_body_ARG arg)
{
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype), best = 0;
    src = sa_issue_operand(issue, SA_UB, false, src, 1, (uint64_t)n * size, 0);
    dst = sa_issue_operand(issue, SA_UB, true, dst, 1, 2 * size, 0);
    sa_issue_show(issue, n);
    _Alignas(64) uint8_t got[8];
    arg(&best, src, n);
    body(got, src, n);
    memcpy(dst, got, size);
    put_index((uint8_t *)dst + size, size, best);
}

void sa_reduce_max_index(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t n)
{
    BEGIN(reduce_max, dtype);
    with_index(&issue, dtype, dst, src, n, core->isa->reduce_max[dtype], core->isa->arg_max[dtype]);
}

void sa_reduce_min_index(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t n)
{
    BEGIN(reduce_min, dtype);
    with_index(&issue, dtype, dst, src, n, core->isa->reduce_min[dtype], core->isa->arg_min[dtype]);
}

/* ---- matrices. Down columns, rows join one after the other. */

static void matrix(sa_issue *issue, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                   uint32_t cols, uint32_t pitch, int axis, sa_body_REDUCE along,
                   sa_body_BINARY join)
{
    uint64_t size = sa_dtype_bytes(dtype);
    if (axis != 0 && axis != 1)
        sa_issue_refuse(issue, "axis is %d: 0 goes down columns, 1 along rows", axis);
    if (!rows || !cols)
        return;
    src = sa_issue_operand(issue, SA_UB, false, src, rows, cols * size, (int64_t)(pitch * size));
    dst = sa_issue_operand(issue, SA_UB, true, dst, 1, (axis ? rows : cols) * size, 0);
    sa_issue_show(issue, (uint64_t)rows * cols);
    const uint8_t *from = src;
    if (axis) {
        for (uint32_t i = 0; i < rows; i++)
            along((uint8_t *)dst + i * size, from + i * pitch * size, cols);
        return;
    }
    memmove(dst, src, cols * size);
    for (uint32_t i = 1; i < rows; i++)
        join(dst, dst, from + i * pitch * size, cols);
}

#define MATRIX(name, reduce, join)                                                                 \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,       \
                   uint32_t cols, uint32_t pitch, int axis)                                        \
    {                                                                                              \
        BEGIN(name, dtype);                                                                        \
        matrix(&issue, dtype, dst, src, rows, cols, pitch, axis, core->isa->reduce[dtype],         \
               core->isa->join[dtype]);                                                            \
    }
MATRIX(sum_2d, reduce_sum, add)
MATRIX(max_2d, reduce_max, max)
MATRIX(min_2d, reduce_min, min)

void sa_cumsum(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
               uint32_t cols, int axis)
{
    BEGIN(cumsum, dtype);
    uint64_t size = sa_dtype_bytes(dtype), bytes = (uint64_t)rows * cols * size;
    if (axis != 0 && axis != 1)
        sa_issue_refuse(&issue, "axis is %d: 0 goes down columns, 1 along rows", axis);
    if (!bytes)
        return;
    src = READS(SA_UB, src, 1, bytes, 0);
    dst = WRITES(SA_UB, dst, 1, bytes, 0);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    const uint8_t *from = src;
    uint8_t *to = dst;
    if (axis == 0) {
        memmove(to, from, cols * size);
        for (uint64_t i = 1; i < rows; i++)
            core->isa->add[dtype](to + i * cols * size, to + (i - 1) * cols * size,
                                  from + i * cols * size, cols);
        return;
    }
    for (uint64_t i = 0; i < rows; i++, from += cols * size, to += cols * size) {
        memmove(to, from, size);
        for (uint64_t j = 1; j < cols; j++)
            core->isa->add[dtype](to + j * size, to + (j - 1) * size, from + j * size, 1);
    }
}
