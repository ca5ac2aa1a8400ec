/* Bias and activation in AVX-512: same bits as the portable bodies. */
#include "core/x86/avx512_words.h"
#include "core/x86/x86.h"

#include "core/isa/math_text.h"

#include "core/isa/activate_text.h"

void sa_avx512_fill_activate(sa_isa *isa)
{
    fill_activate(isa);
}
