/* What stands behind a kernel for callers in other files: its launch function and its kind. */
#ifndef ASCC_ENTRY_H
#define ASCC_ENTRY_H

#include "tools/ascc/kernels.h"

/* C++ on one line, to follow the kernel's definition. */
void entry_definition(text *out, const source *s, const kernel *k);

/* To follow the declaration of a kernel that another file defines. */
void entry_declaration(text *out, const kernel *k);

#endif
