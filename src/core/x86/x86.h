/* What the files of an x86 backend fill, each compiled for its CPU (flags.cmake); backend.c asks
 * the CPU and calls them. */
#ifndef SA_X86_H
#define SA_X86_H

#include "core/isa.h"

void sa_avx2_fill_arrange(sa_isa *isa);
void sa_avx2_fill_move(sa_isa *isa);
void sa_avx2_fill_fused(sa_isa *isa);
void sa_avx2_fill_mmad(sa_isa *isa);
void sa_avx2_fill_cube(sa_isa *isa);
void sa_avx2_fill_panel(sa_isa *isa);
void sa_avx2_fill_elementwise(sa_isa *isa);
void sa_avx2_fill_compare(sa_isa *isa);
void sa_avx2_fill_vector(sa_isa *isa);
void sa_avx2_fill_math(sa_isa *isa);
void sa_avx2_fill_attention(sa_isa *isa);
void sa_avx2_fill_row(sa_isa *isa);
void sa_avx2_fill_activate(sa_isa *isa);
void sa_avx512_fill_arrange(sa_isa *isa);
void sa_avx512_fill_move(sa_isa *isa);
void sa_avx512_fill_fused(sa_isa *isa);
void sa_avx512_fill_mmad(sa_isa *isa);
void sa_avx512_fill_cube(sa_isa *isa);
void sa_avx512_fill_panel(sa_isa *isa);
void sa_avx512_fill_elementwise(sa_isa *isa);
void sa_avx512_fill_compare(sa_isa *isa);
void sa_avx512_fill_vector(sa_isa *isa);
void sa_avx512_fill_math(sa_isa *isa);
void sa_avx512_fill_attention(sa_isa *isa);
void sa_avx512_fill_row(sa_isa *isa);
bool sa_avx512_bf16_fill_panel(sa_isa *isa);
void sa_avx512_fill_activate(sa_isa *isa);
void sa_amx_fill_cube(sa_isa *isa);

#endif
