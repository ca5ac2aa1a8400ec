/* Moves past the caches in AVX-512. */
#include <immintrin.h>

#define MV_BYTES 64
typedef __m512i mv;
#define mv_load(p) _mm512_loadu_si512((const __m512i *)(const void *)(p))
#define mv_stream(p, v) _mm512_stream_si512((__m512i *)(void *)(p), v)

#include "core/x86/move_text.h"
#include "core/x86/x86.h"

void sa_avx512_fill_move(sa_isa *isa)
{
    isa->stream_out = stream_out;
}
