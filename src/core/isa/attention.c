/* Attention between its products, portable: attention_text.h for one float. */
#include "core/isa/scalar_words.h"

#include "core/isa/math_text.h"

#include "core/isa/attention_text.h"

void sa_isa_fill_attention(sa_isa *isa)
{
    fill_attention(isa);
}
