/* What the files of the NEON backend fill; neon.c calls them. */
#ifndef SA_ARM_H
#define SA_ARM_H

#include "core/isa.h"

void sa_neon_fill_panel(sa_isa *isa);

#endif
