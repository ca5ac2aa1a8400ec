/* exp, ln, sigmoid and tanh on several vectors at a time. */
#include "core/x86/avx512_words.h"
#include "core/x86/x86.h"

#include "core/isa/wide_text.h"

void sa_avx512_fill_math(sa_isa *isa)
{
    fill_math(isa);
}
