/* fused.c once more, for AVX-512: its loops compilers vectorise by themselves. */
#include "core/x86/x86.h"

#define sa_isa_fill_fused sa_avx512_fill_fused
#include "core/isa/fused.c" /* NOLINT(bugprone-suspicious-include) */
