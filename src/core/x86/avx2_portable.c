/* Portable bodies whose loops compilers turn into AVX2 by themselves, compiled once more for it. */
#include "core/x86/x86.h"

#define sa_isa_fill_elementwise sa_avx2_fill_elementwise
#include "core/isa/elementwise.c" /* NOLINT(bugprone-suspicious-include) */

#define sa_isa_fill_compare sa_avx2_fill_compare
#include "core/isa/compare.c" /* NOLINT(bugprone-suspicious-include) */
