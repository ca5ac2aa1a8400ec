/* Instructions that rearrange elements: gather by mask and by blocks, scatter, broadcasts, the
 * transposition of 16 blocks. Elements are moved, not computed with, but for arange. */
#include "core/repeat.h"

#include <string.h>

void sa_arange(sa_core *core, sa_dtype dtype, void *dst, double first, double step, uint32_t n)
{
    BEGIN(arange, dtype);
    uint64_t size = sa_dtype_bytes(dtype);
    dst = WRITES(SA_UB, dst, 1, n * size, 0);
    sa_issue_show(&issue, n);
    for (uint32_t i = 0; i < n; i++)
        sa_scalar_store(dtype, (uint8_t *)dst + i * size, first + i * step);
}

/* Does pattern 1 … 7 choose element i? */
static bool chosen(int pattern, uint64_t i)
{
    if (pattern <= 2)
        return i % 2 == (uint64_t)pattern - 1;
    return pattern == 7 || i % 4 == (uint64_t)pattern - 3;
}

uint32_t sa_gather_mask(sa_core *core, sa_dtype dtype, void *dst, const void *src, int pattern,
                        const void *bits, uint32_t n, uint32_t times, sa_stride stride,
                        uint32_t bits_repeat)
{
    BEGIN(gather_mask, dtype);
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype), elements = n ? n : SA_REPEAT_BYTES / size;
    if (pattern < 0 || pattern > 7)
        sa_issue_refuse(&issue, "pattern %d: 0 takes bits from UB, 1 to 7 are fixed", pattern);
    if (!times)
        return 0;
    sa_lanes l = {(uint8_t *)(uintptr_t)src, size, stride};
    uint64_t reach = (uint64_t)(sa_lane(&l, times - 1, elements - 1) - l.at) + size;
    l.at = READS(SA_UB, src, 1, reach, 0);
    uint64_t bits_bytes = (elements + 7) / 8, bits_pitch = (uint64_t)bits_repeat * SA_BLOCK_BYTES;
    if (pattern == 0)
        bits = READS(SA_UB, bits, 1, (times - 1) * bits_pitch + bits_bytes, 0);
    uint64_t count = 0;
    for (uint32_t t = 0; t < times; t++)
        for (uint32_t i = 0; i < elements; i++)
            count += pattern ? chosen(pattern, i)
                             : ((const uint8_t *)bits + t * bits_pitch)[i / 8] >> i % 8 & 1;
    uint8_t *to = WRITES(SA_UB, dst, 1, count * size, 0);
    sa_issue_show(&issue, (uint64_t)times * elements);
    for (uint32_t t = 0; t < times; t++) {
        const uint8_t *bit = pattern ? NULL : (const uint8_t *)bits + t * bits_pitch;
        for (uint32_t i = 0; i < elements; i++)
            if (bit ? bit[i / 8] >> i % 8 & 1 : chosen(pattern, i)) {
                memmove(to, sa_lane(&l, t, i), size); /* may be packed in place */
                to += size;
            }
    }
    return (uint32_t)count;
}

static uint32_t most_of(const uint32_t *offsets, uint64_t n)
{
    uint32_t most = 0;
    for (uint64_t i = 0; i < n; i++)
        most = offsets[i] > most ? offsets[i] : most;
    return most;
}

void sa_gather_blocks(sa_core *core, sa_dtype dtype, void *dst, const void *base,
                      const void *offset_bytes, uint32_t times, sa_stride stride)
{
    BEGIN(gather_blocks, dtype);
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    uint64_t n = (uint64_t)times * 8;
    if (!times)
        return;
    const uint32_t *offsets = READS(SA_UB, offset_bytes, 1, n * 4, 0);
    base = READS(SA_UB, base, 1, (uint64_t)most_of(offsets, n) + SA_BLOCK_BYTES, 0);
    sa_lanes to = {dst, size, stride};
    uint32_t a_block = SA_BLOCK_BYTES / size;
    to.at = WRITES(SA_UB, dst, 1,
                   (uint64_t)(sa_lane(&to, times - 1, 7 * a_block) - to.at) + SA_BLOCK_BYTES, 0);
    sa_issue_show(&issue, n * a_block);
    for (uint32_t t = 0; t < times; t++)
        for (uint32_t i = 0; i < 8; i++)
            memmove(sa_lane(&to, t, i * a_block), (const uint8_t *)base + offsets[t * 8 + i],
                    SA_BLOCK_BYTES);
}

void sa_scatter(sa_core *core, sa_dtype dtype, void *base, const void *src,
                const void *offset_bytes, uint32_t n)
{
    BEGIN(scatter, dtype);
    uint64_t size = sa_dtype_bytes(dtype);
    if (!n)
        return;
    const uint32_t *offsets = READS(SA_UB, offset_bytes, 1, (uint64_t)n * 4, 0);
    const uint8_t *from = READS(SA_UB, src, 1, n * size, 0);
    uint8_t *to = WRITES(SA_UB, base, 1, most_of(offsets, n) + size, 0);
    sa_issue_show(&issue, n);
    for (uint32_t i = 0; i < n; i++)
        memcpy(to + offsets[i], from + i * size, size);
}

void sa_brcb(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t times,
             sa_stride stride)
{
    BEGIN(brcb, dtype);
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype), a_block = SA_BLOCK_BYTES / size;
    if (!times)
        return;
    const uint8_t *from = READS(SA_UB, src, 1, (uint64_t)times * 8 * size, 0);
    sa_lanes to = {dst, size, stride};
    to.at = WRITES(SA_UB, dst, 1,
                   (uint64_t)(sa_lane(&to, times - 1, 7 * a_block) - to.at) + SA_BLOCK_BYTES, 0);
    sa_issue_show(&issue, (uint64_t)times * 8 * a_block);
    for (uint32_t t = 0; t < times; t++)
        for (uint32_t i = 0; i < 8; i++)
            for (uint32_t j = 0; j < a_block; j++)
                memmove(sa_lane(&to, t, i * a_block + j), from + (t * 8 + i) * (size_t)size, size);
}

void sa_broadcast(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                  uint32_t cols, int axis)
{
    BEGIN(broadcast, dtype);
    uint64_t size = sa_dtype_bytes(dtype), row_bytes = cols * size;
    if (axis != 0 && axis != 1)
        sa_issue_refuse(&issue, "axis is %d: 0 repeats a row, 1 repeats along rows", axis);
    if (!rows || !cols)
        return;
    const uint8_t *from = READS(SA_UB, src, 1, (axis ? rows : cols) * size, 0);
    uint8_t *to = WRITES(SA_UB, dst, 1, rows * row_bytes, 0);
    sa_issue_show(&issue, (uint64_t)rows * cols);
    for (uint64_t r = 0; r < rows; r++) {
        if (axis == 0)
            memmove(to + r * row_bytes, from, row_bytes);
        else
            for (uint64_t c = 0; c < cols; c++)
                memcpy(to + (r * cols + c) * size, from + r * size, size);
    }
}

void sa_transpose_blocks(sa_core *core, sa_dtype dtype, void *const dst[16],
                         const void *const src[16], bool dst_high, bool src_high, uint32_t times,
                         uint32_t dst_stride, uint32_t src_stride)
{
    BEGIN(transpose_blocks, dtype);
    size_t size = sa_dtype_bytes(dtype);
    if (!times)
        return;
    uint64_t reach_to = (uint64_t)(times - 1) * dst_stride * SA_BLOCK_BYTES + SA_BLOCK_BYTES;
    uint64_t reach_from = (uint64_t)(times - 1) * src_stride * SA_BLOCK_BYTES + SA_BLOCK_BYTES;
    uint8_t *to[16];
    const uint8_t *from[16];
    for (int i = 0; i < 16; i++)
        from[i] = READS(SA_UB, src[i], 1, reach_from, 0);
    issue.event.accesses = 1; /* of 32, the first source and the first destination are shown */
    for (int i = 0; i < 16; i++)
        to[i] = WRITES(SA_UB, dst[i], 1, reach_to, 0);
    issue.event.accesses = 2;
    sa_issue_show(&issue, (uint64_t)times * 16 * (size == 4 ? 8 : 16));
    int wide = size == 4 ? 8 : 16; /* elements of a source block that are used */
    size_t skip_to = size == 1 && dst_high ? 16 : 0, skip_from = size == 1 && src_high ? 16 : 0;
    for (uint32_t t = 0; t < times; t++) {
        uint8_t in[16][SA_BLOCK_BYTES];
        for (int j = 0; j < 16; j++)
            memcpy(in[j], from[j] + (uint64_t)t * src_stride * SA_BLOCK_BYTES, SA_BLOCK_BYTES);
        for (int i = 0; i < wide; i++)
            for (int j = 0; j < 16; j++) {
                uint8_t *row = size == 4 ? to[2 * i + j / 8] : to[i];
                memcpy(row + (uint64_t)t * dst_stride * SA_BLOCK_BYTES + skip_to +
                           (size_t)(size == 4 ? j % 8 : j) * size,
                       in[j] + skip_from + i * size, size);
            }
    }
}
