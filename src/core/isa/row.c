/* Rows of operators that normalise, portable: row_text.h for one float. */
#include "core/isa/scalar_words.h"

#include "core/isa/math_text.h"

#include "core/isa/row_text.h"

void sa_isa_fill_row(sa_isa *isa)
{
    fill_row(isa);
}
