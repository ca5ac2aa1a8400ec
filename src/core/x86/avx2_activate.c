/* Bias and activation in AVX2: same bits as the portable bodies. */
#include "core/x86/avx2_words.h"
#include "core/x86/x86.h"

#include "core/isa/math_text.h"

#include "core/isa/activate_text.h"

void sa_avx2_fill_activate(sa_isa *isa)
{
    fill_activate(isa);
}
