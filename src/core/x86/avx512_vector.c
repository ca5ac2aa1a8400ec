/* The vector bodies in AVX-512: same bits as the portable ones. */
#include "core/x86/avx512_words.h"
#include "core/x86/x86.h"

#include "core/isa/vector_text.h"

void sa_avx512_fill_vector(sa_isa *isa)
{
    fill_vector(isa);
}
