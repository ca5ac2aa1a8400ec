/* Sorting: pairs of a value and an index, 8 bytes each, highest value first. Equals keep their
 * order; NaN comes before all numbers. */
#include "core/isa/half.h"
#include "core/repeat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAIR_BYTES 8

static float value_of(sa_dtype dtype, const void *p)
{
    if (dtype == SA_F32) {
        float x;
        memcpy(&x, p, sizeof x);
        return x;
    }
    sa_half h;
    memcpy(&h, p, sizeof h);
    return sa_half_to_float(h);
}

/* Does `a` belong before `b`? */
static bool before(float a, float b)
{
    return isnan(b) ? false : isnan(a) || a > b;
}

static void put_pair(uint8_t *to, size_t size, const void *value, uint32_t index)
{
    memset(to, 0, 4);
    memcpy(to, value, size);
    memcpy(to + 4, &index, 4);
}

/* Merges the runs [0, half) and [half, n) of pairs from `in` to `out`. */
static void merge(sa_dtype dtype, uint8_t *out, const uint8_t *in, size_t half, size_t n)
{
    size_t i = 0, j = half;
    while (i < half || j < n) {
        bool second = i == half || (j < n && before(value_of(dtype, in + j * PAIR_BYTES),
                                                    value_of(dtype, in + i * PAIR_BYTES)));
        size_t *from = second ? &j : &i;
        memcpy(out, in + *from * PAIR_BYTES, PAIR_BYTES);
        out += PAIR_BYTES;
        ++*from;
    }
}

static void sort_pairs(sa_dtype dtype, uint8_t *pairs, uint8_t *spare, size_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            size_t here = n - i < 2 * width ? n - i : 2 * width;
            merge(dtype, spare + i * PAIR_BYTES, pairs + i * PAIR_BYTES,
                  width < here ? width : here, here);
        }
        memcpy(pairs, spare, n * PAIR_BYTES);
    }
}

void sa_sort32(sa_core *core, sa_dtype dtype, void *dst, const void *values, const void *indices,
               uint32_t times)
{
    BEGIN(sort32, dtype);
    size_t size = sa_dtype_bytes(dtype);
    uint64_t n = (uint64_t)times * 32;
    const uint8_t *v = READS(SA_UB, values, 1, n * size, 0);
    const uint8_t *x = READS(SA_UB, indices, 1, n * 4, 0);
    uint8_t *to = WRITES(SA_UB, dst, 1, n * PAIR_BYTES, 0);
    sa_issue_show(&issue, n);
    for (uint32_t t = 0; t < times; t++, v += 32 * size, x += 32 * 4, to += 32 * PAIR_BYTES) {
        uint8_t pairs[32 * PAIR_BYTES], spare[32 * PAIR_BYTES];
        for (size_t i = 0; i < 32; i++) {
            uint32_t index;
            memcpy(&index, x + i * 4, 4);
            put_pair(pairs + i * PAIR_BYTES, size, v + i * size, index);
        }
        sort_pairs(dtype, pairs, spare, 32);
        memcpy(to, pairs, sizeof pairs);
    }
}

uint32_t sa_merge4(sa_core *core, sa_dtype dtype, void *dst, const void *const src[4],
                   const uint32_t count[4], bool suspend, uint32_t times, uint32_t taken[4])
{
    BEGIN(merge4, dtype);
    uint64_t total = 0;
    const uint8_t *from[4];
    for (int i = 0; i < 4; i++)
        total += count[i];
    if (times > 1)
        for (int i = 1; i < 4; i++)
            if (count[i] != count[0])
                sa_issue_refuse(&issue, "%u repeats need runs of one length, not %u, %u, %u, %u",
                                times, count[0], count[1], count[2], count[3]);
    for (int i = 0; i < 4; i++) {
        uint64_t bytes = count[i] * (uint64_t)PAIR_BYTES;
        if (times > 1) /* repeat t's runs lie 4 runs further */
            bytes += (times - 1) * total * PAIR_BYTES;
        issue.event.accesses = issue.event.accesses > 2 ? 2 : issue.event.accesses;
        from[i] = count[i] ? READS(SA_UB, src[i], 1, bytes, 0) : NULL;
    }
    uint8_t *to = WRITES(SA_UB, dst, 1, times * total * PAIR_BYTES, 0);
    sa_issue_show(&issue, times * total);
    uint32_t at[4] = {0}, written = 0;
    for (uint32_t t = 0; t < times; t++) {
        memset(at, 0, sizeof at);
        for (uint64_t k = 0; k < total; k++) {
            int best = -1;
            for (int i = 0; i < 4; i++)
                if (at[i] < count[i] &&
                    (best < 0 ||
                     before(value_of(dtype, from[i] + (size_t)at[i] * PAIR_BYTES),
                            value_of(dtype, from[best] + (size_t)at[best] * PAIR_BYTES))))
                    best = i;
            memmove(to, from[best] + (size_t)at[best] * PAIR_BYTES, PAIR_BYTES);
            to += PAIR_BYTES;
            written++;
            if (++at[best] == count[best] && suspend)
                break;
        }
        for (int i = 0; i < 4; i++)
            if (from[i])
                from[i] += total * PAIR_BYTES;
    }
    for (int i = 0; taken && i < 4; i++)
        taken[i] = at[i];
    return written;
}

void sa_extract(sa_core *core, sa_dtype dtype, void *values, void *indices, const void *pairs,
                uint32_t n)
{
    BEGIN(extract, dtype);
    size_t size = sa_dtype_bytes(dtype);
    const uint8_t *from = READS(SA_UB, pairs, 1, (uint64_t)n * PAIR_BYTES, 0);
    uint8_t *v = WRITES(SA_UB, values, 1, n * size, 0);
    uint8_t *x = WRITES(SA_UB, indices, 1, (uint64_t)n * 4, 0);
    sa_issue_show(&issue, n);
    for (uint32_t i = 0; i < n; i++, from += PAIR_BYTES) {
        memcpy(v + i * size, from, size);
        memcpy(x + (size_t)i * 4, from + 4, 4);
    }
}

/* Room for n pairs twice; on exhaustion the kernel stops. */
static uint8_t *room(const sa_issue *issue, size_t n)
{
    uint8_t *p = malloc(2 * n * PAIR_BYTES + 1);
    if (!p)
        sa_issue_refuse(issue, "no host memory to sort %zu values", n);
    return p;
}

void sa_sort(sa_core *core, sa_dtype dtype, void *pairs, const void *values, const void *indices,
             uint32_t n)
{
    BEGIN(sort, dtype);
    size_t size = sa_dtype_bytes(dtype);
    const uint8_t *v = READS(SA_UB, values, 1, n * size, 0);
    const uint8_t *x = indices ? READS(SA_UB, indices, 1, (uint64_t)n * 4, 0) : NULL;
    uint8_t *to = WRITES(SA_UB, pairs, 1, (uint64_t)n * PAIR_BYTES, 0);
    sa_issue_show(&issue, n);
    uint8_t *all = room(&issue, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = i;
        if (x)
            memcpy(&index, x + (size_t)i * 4, 4);
        put_pair(all + (size_t)i * PAIR_BYTES, size, v + i * size, index);
    }
    sort_pairs(dtype, all, all + (size_t)n * PAIR_BYTES, n);
    memcpy(to, all, (size_t)n * PAIR_BYTES);
    free(all);
}

void sa_topk(sa_core *core, sa_dtype dtype, void *values, void *indices, const void *src,
             const void *source_indices, uint32_t rows, uint32_t cols, uint32_t pitch, uint32_t k,
             uint32_t k_pitch, bool largest)
{
    BEGIN(topk, dtype);
    size_t size = sa_dtype_bytes(dtype);
    if (k > cols || k > k_pitch || cols > pitch)
        sa_issue_refuse(&issue, "k %u (pitch %u) of %u columns (pitch %u)", k, k_pitch, cols,
                        pitch);
    if (!rows || !k)
        return;
    const uint8_t *from = READS(SA_UB, src, rows, cols * size, (int64_t)(pitch * size));
    const uint8_t *names =
        source_indices ? READS(SA_UB, source_indices, 1, (uint64_t)cols * 4, 0) : NULL;
    uint8_t *v = WRITES(SA_UB, values, rows, k * size, (int64_t)(k_pitch * size));
    uint8_t *x = WRITES(SA_UB, indices, rows, (uint64_t)k * 4, (int64_t)k_pitch * 4);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    uint8_t *all = room(&issue, cols);
    const uint32_t sign = largest ? 0 : size == 4 ? 0x80000000u : 0x8000u;
    for (size_t r = 0; r < rows; r++) {
        for (uint32_t i = 0; i < cols; i++) {
            uint32_t bits = 0, index = i;
            memcpy(&bits, from + (r * pitch + i) * size, size);
            bits ^= sign; /* the smallest of x are the largest of -x */
            if (names)
                memcpy(&index, names + (size_t)i * 4, 4);
            put_pair(all + (size_t)i * PAIR_BYTES, size, &bits, index);
        }
        sort_pairs(dtype, all, all + (size_t)cols * PAIR_BYTES, cols);
        for (size_t i = 0; i < k; i++) {
            uint32_t bits = 0;
            memcpy(&bits, all + i * PAIR_BYTES, size);
            bits ^= sign;
            memcpy(v + (r * k_pitch + i) * size, &bits, size);
            memcpy(x + (r * k_pitch + i) * 4, all + i * PAIR_BYTES + 4, 4);
        }
    }
    free(all);
}
