/* Who fills the slots of an sa_isa. Each function overrides the slots it has a body for; those of a
 * CPU return false, having touched nothing, where the CPU or the build lacks what they need. */
#ifndef SA_BACKEND_H
#define SA_BACKEND_H

#include "core/isa.h"

void sa_isa_fill_math(sa_isa *isa);
void sa_isa_fill_cube(sa_isa *isa);

bool sa_isa_fill_avx2(sa_isa *isa);
bool sa_isa_fill_avx512(sa_isa *isa);
bool sa_isa_fill_neon(sa_isa *isa);

#endif
