/* Bias and activation, portable: activate_text.h for one float. */
#include "core/isa/scalar_words.h"

#include "core/isa/math_text.h"

#include "core/isa/activate_text.h"

void sa_isa_fill_activate(sa_isa *isa)
{
    fill_activate(isa);
}
