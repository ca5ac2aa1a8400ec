/* Rows past the caches, over a vocabulary of vectors: mv, MV_BYTES, mv_load, mv_stream (to an
 * aligned place). */
#include "core/backend.h"

#include <string.h>

#define LINE 64
#define LEAST 512 /* bytes of a row below which the caches take it */

static inline void stream_row(char *to, const char *from, size_t bytes)
{
    enum { AT_ONCE = 4 * LINE, VECTORS = AT_ONCE / MV_BYTES };
    size_t head = -(uintptr_t)to % LINE, at = head;
    memcpy(to, from, head);
    for (; at + AT_ONCE <= bytes; at += AT_ONCE) {
        mv v[VECTORS];
        for (int i = 0; i < VECTORS; i++)
            v[i] = mv_load(from + at + i * MV_BYTES);
        for (int i = 0; i < VECTORS; i++)
            mv_stream(to + at + i * MV_BYTES, v[i]);
    }
    memcpy(to + at, from + at, bytes - at);
}

static void stream_out(void *dst, int64_t dst_pitch, const void *src, int64_t src_pitch,
                       size_t rows, size_t row_bytes)
{
    if (rows > 1 && dst_pitch == (int64_t)row_bytes && src_pitch == (int64_t)row_bytes) {
        row_bytes *= rows;
        rows = 1;
    }
    char *to = dst;
    const char *from = src;
    for (size_t i = 0; i < rows; i++, to += dst_pitch, from += src_pitch) {
        if (row_bytes < LEAST)
            memcpy(to, from, row_bytes);
        else
            stream_row(to, from, row_bytes);
    }
    _mm_sfence(); /* before what this core stores next, as others see it */
}
