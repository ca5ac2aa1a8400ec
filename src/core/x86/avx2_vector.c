/* The vector bodies in AVX2: same bits as the portable ones. */
#include "core/x86/avx2_words.h"
#include "core/x86/x86.h"

#include "core/isa/vector_text.h"

void sa_avx2_fill_vector(sa_isa *isa)
{
    fill_vector(isa);
}
