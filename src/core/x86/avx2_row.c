/* Rows of operators that normalise, in AVX2: same bits as the portable bodies. */
#include "core/x86/avx2_words.h"
#include "core/x86/x86.h"

#include "core/isa/math_text.h"

#include "core/isa/row_text.h"

void sa_avx2_fill_row(sa_isa *isa)
{
    fill_row(isa);
}
