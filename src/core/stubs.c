/* Weak stand-ins for parts that other files of this library define; each goes once its part is in.
 */
#include "core/backend.h"

#define WEAK __attribute__((weak))

WEAK bool sa_isa_fill_avx2(sa_isa *isa)
{
    (void)isa;
    return false;
}
WEAK bool sa_isa_fill_avx512(sa_isa *isa)
{
    (void)isa;
    return false;
}
WEAK bool sa_isa_fill_neon(sa_isa *isa)
{
    (void)isa;
    return false;
}
