/* The NEON backend: what overrides the portable bodies on aarch64, where NEON is always there. */
#include "core/backend.h"

bool sa_isa_fill_neon(sa_isa *isa)
{
    (void)isa;
    return true;
}
