/* What a backend implements: functions that fill slots of an instruction table (isa.h).
 *
 * isa.c builds the tables: "generic" is the portable fills below, which together fill
 * every slot that isa.def promises; another backend starts from a copy of it and overrides. A
 * fill function of a CPU backend answers false, without touching the table, if this CPU lacks what
 * it needs. avx512 starts from what avx2 filled, avx512_bf16 and amx from what avx512 did. */
#ifndef SA_BACKEND_H
#define SA_BACKEND_H

#include "core/isa.h"

/* portable bodies */
void sa_isa_fill_elementwise(sa_isa *isa); /* isa/elementwise.c */
void sa_isa_fill_compare(sa_isa *isa);     /* isa/compare.c */
void sa_isa_fill_cast(sa_isa *isa);        /* isa/cast.c */
void sa_isa_fill_arrange(sa_isa *isa);     /* isa/arrange.c: fill, gather, transpose */
void sa_isa_fill_reduce(sa_isa *isa);      /* isa/reduce.c */
void sa_isa_fill_move(sa_isa *isa);        /* isa/move.c */
void sa_isa_fill_math(sa_isa *isa);        /* isa/math*.c: exp, ln, sigmoid, tanh */
void sa_isa_fill_cube(sa_isa *isa);        /* isa/cube*.c: nd2nz, load_l0a/b, mmad, fixpipe */
void sa_isa_fill_panel(sa_isa *isa);       /* isa/panel.c */
void sa_isa_fill_fused(sa_isa *isa);       /* isa/fused.c */
void sa_isa_fill_special(sa_isa *isa);     /* isa/special.c */
void sa_isa_fill_attention(sa_isa *isa);   /* isa/attention.c */
void sa_isa_fill_row(sa_isa *isa);         /* isa/row.c */
void sa_isa_fill_activate(sa_isa *isa);    /* isa/activate.c */

/* CPU backends: x86/, arm/ */
bool sa_isa_fill_avx2(sa_isa *isa);
bool sa_isa_fill_avx512(sa_isa *isa);
bool sa_isa_fill_avx512_bf16(sa_isa *isa);
bool sa_isa_fill_amx(sa_isa *isa);
bool sa_isa_fill_neon(sa_isa *isa);

#endif
