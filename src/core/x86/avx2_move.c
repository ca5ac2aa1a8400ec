/* Moves past the caches in AVX2. */
#include <immintrin.h>

#define MV_BYTES 32
typedef __m256i mv;
#define mv_load(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define mv_stream(p, v) _mm256_stream_si256((__m256i *)(void *)(p), v)

#include "core/x86/move_text.h"
#include "core/x86/x86.h"

void sa_avx2_fill_move(sa_isa *isa)
{
    isa->stream_out = stream_out;
}
