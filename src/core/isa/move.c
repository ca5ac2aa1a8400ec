/* Moves of rows between global and local memories. */
#include "core/isa/body.h"

static void copy_rows(void *dst, int64_t dst_pitch, const void *src, int64_t src_pitch, size_t rows,
                      size_t row_bytes)
{
    if (rows > 1 && dst_pitch == (int64_t)row_bytes && src_pitch == (int64_t)row_bytes) {
        row_bytes *= rows;
        rows = 1;
    }
    for (size_t i = 0; i < rows; i++)
        memcpy((uint8_t *)dst + (int64_t)i * dst_pitch,
               (const uint8_t *)src + (int64_t)i * src_pitch, row_bytes);
}

/* UB to UB may name the same place. */
static void move_rows(void *dst, int64_t dst_pitch, const void *src, int64_t src_pitch, size_t rows,
                      size_t row_bytes)
{
    for (size_t i = 0; i < rows; i++)
        memmove((uint8_t *)dst + (int64_t)i * dst_pitch,
                (const uint8_t *)src + (int64_t)i * src_pitch, row_bytes);
}

void sa_isa_fill_move(sa_isa *isa)
{
    isa->copy_in[SA_U8] = copy_rows;
    isa->copy_out[SA_U8] = copy_rows;
    isa->copy_ub[SA_U8] = move_rows;
    isa->copy_l1[SA_U8] = copy_rows;
}
