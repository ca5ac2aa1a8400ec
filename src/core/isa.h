/* Forms and slots of the instruction table (isa.def).
 *
 * A body only computes: contiguous operands, already checked, n > 0 (REDUCE and ARG answer for n =
 * 0 too, MMAD for k = 0). dst may equal a source. A backend fills slots of an sa_isa; the portable
 * one (isa/) fills them all, x86/ and arm/ override some. */
#ifndef SA_ISA_H
#define SA_ISA_H

#include "softascend/core.h"

typedef void (*sa_body_BINARY)(void *dst, const void *a, const void *b, size_t n);
typedef void (*sa_body_UNARY)(void *dst, const void *a, size_t n);
typedef void (*sa_body_SCALAR)(void *dst, const void *a, double scalar, size_t n);
/* sources of 16-bit floats, added into float32 */
typedef sa_body_BINARY sa_body_WIDE_BINARY;
typedef sa_body_SCALAR sa_body_WIDE_SCALAR;
/* Elementwise over a long run straight from GM to GM; `past`: leaves past the caches. */
typedef void (*sa_body_RUN)(void *dst, const void *src, size_t n, bool past);
typedef void (*sa_body_FILL)(void *dst, double value, size_t n);
typedef void (*sa_body_COMPARE)(void *mask, const void *a, const void *b, sa_cmp cmp, size_t n);
typedef void (*sa_body_COMPARES)(void *mask, const void *a, double scalar, sa_cmp cmp, size_t n);
typedef void (*sa_body_SELECT)(void *dst, const void *mask, const void *a, const void *b, size_t n);
typedef void (*sa_body_SELECTS)(void *dst, const void *mask, const void *a, double scalar,
                                size_t n);
typedef void (*sa_body_GATHER)(void *dst, const void *base, const uint32_t *offset_bytes, size_t n);
typedef void (*sa_body_TRANSPOSE)(void *dst, const void *src, size_t rows, size_t cols);
typedef void (*sa_body_REDUCE)(void *dst, const void *src, size_t n);
typedef void (*sa_body_ARG)(void *dst, const void *src, size_t n); /* dst: one uint32 */
/* one body for each pair of dtypes: slot cast[to][from] */
typedef void (*sa_body_CAST)(void *dst, const void *src, sa_round round, size_t n);

/* moves: rows of row_bytes; pitches in bytes. COPY_UB and COPY_L1 move one row. */
typedef void (*sa_body_COPY_IN)(void *dst, int64_t dst_pitch, const void *src, int64_t src_pitch,
                                size_t rows, size_t row_bytes);
typedef sa_body_COPY_IN sa_body_COPY_OUT;
typedef sa_body_COPY_IN sa_body_COPY_UB;
typedef sa_body_COPY_IN sa_body_COPY_L1;
typedef void (*sa_body_ND2NZ)(void *l1, size_t nz_rows, const void *gm, int64_t gm_pitch,
                              size_t rows, size_t cols);
/* L0A and L0B are held packed and widened, 4 bytes an element (fp32 or int32), fractal after
 * fractal: L0A fractal (m1, k1) of a tile with K1 fractals along k: [C0 k][16 m] at element
 *       ((m1 * K1 + k1) * C0) * 16, so a row block m1 is [k][16] throughout;
 *   L0B fractal (k1, n1) of a tile with N1 fractals along n: [C0 k][16 n] at element
 *       ((k1 * N1 + n1) * C0) * 16.
 * A backend whose mmad wants another form (bf16 pairs) overrides load_l0a, load_l0b and mmad of
 * that dtype together. `l0` is the packed address that belongs to the operand's architectural
 * offset. */
typedef void (*sa_body_LOAD_L0)(void *l0, const void *l1, size_t nz_rows, size_t row, size_t col,
                                size_t outer, size_t inner, bool transpose);
typedef void (*sa_body_FIXPIPE)(void *gm, int64_t gm_pitch, const void *l0c, size_t m, size_t n);
typedef void (*sa_body_MMAD)(void *l0c, const void *l0a, const void *l0b, size_t m, size_t k,
                             size_t n, bool accumulate);

/* c = a b, or c += a b, in float32: every element summed over k in order by fused multiply-adds, as
 * Mmad does. A's element (i, p) is a[i * a_row + p * a_k]; row p of B begins at b + p * b_row, its
 * n columns side by side; row i of C at c + i * c_row. Strides in elements. m, k or n may be 0;
 * nothing else is touched. Fast where a_row or a_k is 1; C is not A or B. What fast bodies of
 * operators are made of (gemm.h); no instruction of its own. */
typedef void (*sa_body_PANEL)(float *c, int64_t c_row, const float *a, int64_t a_row, int64_t a_k,
                              const float *b, int64_t b_row, size_t m, size_t k, size_t n,
                              bool accumulate);

/* The same over `runs` (1 or more) runs of k, one after the other: run r of A begins at a + r *
 * a_run, of B at b + r * b_run. */
typedef void (*sa_body_PANEL_RUNS)(float *c, int64_t c_row, const float *a, int64_t a_row,
                                   int64_t a_k, int64_t a_run, const float *b, int64_t b_row,
                                   int64_t b_run, size_t m, size_t runs, size_t k, size_t n,
                                   bool accumulate);

/* Copies an operand to where `panel` reads it best, widened to float32: [k][width], strip after
 * strip of `width` lanes (rows of A, columns of B), `strip` elements apart. Lane l of row p is
 * from[p * pitch + l]; across: from[l * pitch + p]. width: a multiple of panel_cols / 2 or of 8.
 * Lanes of the last strip past `lanes` become anything. */
typedef void (*sa_body_PACK)(float *to, size_t strip, size_t width, const void *from, int64_t pitch,
                             size_t lanes, size_t k, bool across);

/* Both for bfloat16 that is never widened: a pair of k in each 4 bytes, so `panel_pairs` is a panel
 * whose A, B, strides and k count pairs. An element's products are summed in the order of `panel`,
 * with the same bits. PACK_PAIRS: as PACK, [ceil(k / 2)][width]; an odd k gets a zero; with
 * `across` and width 0 lanes stay rows, `strip` from one to the next, written up to a multiple of
 * 16 pairs. False if an operand is so small (not 0, below 2^-56) that sums of products may be
 * subnormal, for which the CPU's dots may give 0: then the operand is to be widened instead. */
typedef bool (*sa_body_PACK_PAIRS)(float *to, size_t strip, size_t width, const void *from,
                                   int64_t pitch, size_t lanes, size_t k, bool across);

/* Attention's rows of scores s, `pitch` elements apart, rounded up to whole SA_ATTEND_LANES columns
 * that the body may overwrite (isa/attention_text.h).
 * ATTEND: a further tile of each row: the new max is that of max[r] and the row, factor[r] =
 *   exp(old max - new max), s = exp(s - new max), sum[r] = factor[r] * sum[r] + the row's.
 * ATTEND_GRAD: s becomes p = exp(s - max) * over_sum, g (its gradient) p * (g - dot).
 * ATTEND_BLEND: o = factor[r] * o + more, rounded once.
 * ATTEND_MASK: row[i] = value where mask[i]. */
#define SA_ATTEND_LANES 64
typedef void (*sa_body_ATTEND)(float *s, size_t pitch, size_t rows, size_t cols, float *max,
                               float *sum, float *factor);
typedef void (*sa_body_ATTEND_GRAD)(float *s, float *g, size_t pitch, size_t rows, size_t cols,
                                    const float *max, const float *over_sum, const float *dot);
typedef void (*sa_body_ATTEND_BLEND)(float *o, const float *more, size_t pitch, size_t rows,
                                     size_t cols, const float *factor);
typedef void (*sa_body_ATTEND_MASK)(float *row, const uint8_t *mask, float value, size_t n);

/* Rows of operators that normalise, from GM to GM (isa/row_text.h), computed in float32 and rounded
 * once: n > 0 elements of the slot's dtype; e, w, b and the results of sums are float32. The bits
 * are those of the instructions, with ReduceSum's order of adding.
 * `past`: leaves past the caches; `next`: n elements that will be read soon.
 *
 * ROW_MAX: the largest that is not NaN.
 * ROW_EXP: e = exp(x - max) for x <= max or NaN; gives its sum.
 * ROW_SCALE: out = e * factor - y, where y is not NULL.
 * ROW_LOG: out = (x - max) - log.
 * ROW_LOG_DOT: the sum of ((x - max) - log) * y.
 * ROW_GRAD: out = (g - dot) * y.
 * ROW_DOT: the sum of g * y.
 * ROW_SUM: the sum of x.
 * ROW_MOMENTS: the sums of x - near and of its squares.
 * ROW_NORM: out = ((x - near) - rest) * rstd * w + b, w and b where not NULL.
 *
 * Of gradients, with h = (x - mean) * rstd and g = dy * w:
 * ROW_NORM_DOTS: the sums of g and of h * g.
 * ROW_NORM_GRAD: out = ((g - a) - h * c) * rstd.
 * ROW_NORM_ADD: dw += h * dy, db += dy; either may be NULL. */
typedef float (*sa_body_ROW_MAX)(const void *x, size_t n);
typedef float (*sa_body_ROW_EXP)(float *e, const void *x, size_t n, float max, const void *next);
typedef void (*sa_body_ROW_SCALE)(void *out, const float *e, const void *y, size_t n, float factor,
                                  bool past);
typedef void (*sa_body_ROW_LOG)(void *out, const void *x, size_t n, float max, float log,
                                bool past);
typedef float (*sa_body_ROW_LOG_DOT)(const void *x, const void *y, size_t n, float max, float log);
typedef void (*sa_body_ROW_GRAD)(void *out, const void *g, const void *y, size_t n, float dot,
                                 bool past);
typedef float (*sa_body_ROW_DOT)(const void *g, const void *y, size_t n);
typedef float (*sa_body_ROW_SUM)(const void *x, size_t n);
typedef void (*sa_body_ROW_MOMENTS)(const void *x, size_t n, float near, float sums[2],
                                    const void *next);
typedef struct sa_row_norm {
    const float *w, *b;
    float near, rest, mean, rstd, a, c; /* what the slot's formula names */
} sa_row_norm;
typedef void (*sa_body_ROW_NORM)(void *out, const void *x, size_t n, const sa_row_norm *by,
                                 bool past);
typedef void (*sa_body_ROW_NORM_DOTS)(const void *dy, const void *x, size_t n,
                                      const sa_row_norm *by, float sums[2]);
typedef void (*sa_body_ROW_NORM_GRAD)(void *out, const void *dy, const void *x, size_t n,
                                      const sa_row_norm *by, bool past);
typedef void (*sa_body_ROW_NORM_ADD)(float *dw, float *db, const void *dy, const void *x, size_t n,
                                     const sa_row_norm *by);

/* ACTIVATE: m rows of n, `pitch` elements apart, become f(x + bias); bias may be NULL.
 * ACTIVATE_GRAD: g = g f'(x). */
typedef enum sa_activation {
    SA_ACTIVATE_NONE,
    SA_ACTIVATE_RELU,
    SA_ACTIVATE_RELU6,
    SA_ACTIVATE_TANH,
    SA_ACTIVATE_SIGMOID,
    SA_ACTIVATE_GELU,      /* x Phi(x) */
    SA_ACTIVATE_GELU_TANH, /* its approximation by tanh */
    SA_ACTIVATE_SILU,      /* x sigmoid(x) */
    SA_ACTIVATIONS,
} sa_activation;
typedef void (*sa_body_ACTIVATE)(float *rows, size_t pitch, size_t m, size_t n, const float *bias);
typedef void (*sa_body_ACTIVATE_GRAD)(float *g, const float *x, size_t n);

/* The slots. cast has its own shape. */
typedef struct sa_isa {
    const char *backend; /* "generic", "avx2", "avx512", "avx512_bf16", "amx", "neon" */
#define SA_T(dtype)
#define SA_INSTR(name, pipe, form, dtypes, cost) SA_SLOT_##form(name, form)
#define SA_SLOT(name, form) sa_body_##form name[SA_DTYPE_END];
#define SA_SLOT_BINARY SA_SLOT
#define SA_SLOT_UNARY SA_SLOT
#define SA_SLOT_SCALAR SA_SLOT
#define SA_SLOT_FILL SA_SLOT
#define SA_SLOT_COMPARE SA_SLOT
#define SA_SLOT_COMPARES SA_SLOT
#define SA_SLOT_SELECT SA_SLOT
#define SA_SLOT_SELECTS SA_SLOT
#define SA_SLOT_CAST(name, form) sa_body_CAST name[SA_DTYPE_END][SA_DTYPE_END];
#define SA_SLOT_GATHER SA_SLOT
#define SA_SLOT_TRANSPOSE SA_SLOT
#define SA_SLOT_REDUCE SA_SLOT
#define SA_SLOT_ARG SA_SLOT
#define SA_SLOT_COPY_IN SA_SLOT
#define SA_SLOT_COPY_OUT SA_SLOT
#define SA_SLOT_COPY_UB SA_SLOT
#define SA_SLOT_COPY_L1 SA_SLOT
#define SA_SLOT_ND2NZ SA_SLOT
#define SA_SLOT_LOAD_L0 SA_SLOT
#define SA_SLOT_FIXPIPE SA_SLOT
#define SA_SLOT_MMAD SA_SLOT
#define SA_SLOT_WIDE_BINARY SA_SLOT
#define SA_SLOT_WIDE_SCALAR SA_SLOT
#define SA_SLOT_OWN(name, form) /* computed where it is issued (issue_*.c), by other slots */
#include "core/isa.def"
#undef SA_INSTR
#undef SA_T
    /* copy_out past the caches, for a core that has written more than they hold; may be NULL */
    sa_body_COPY_OUT stream_out;
    sa_body_PANEL panel;
    sa_body_PANEL_RUNS panel_runs;
    sa_body_PACK pack[SA_DTYPE_END]; /* of SA_F32, SA_F16, SA_BF16 */
    sa_body_PANEL panel_pairs;       /* with pack_pairs; NULL: none. On sums that began at 0 */
    sa_body_PACK_PAIRS pack_pairs;
    /* the block that `panel` keeps in registers: m and n of a call are best multiples of these */
    size_t panel_rows, panel_cols;
    /* for operators, when nothing watches; NULL: none. bfloat16 by float32, rounded once. */
    sa_body_RUN sigmoid_run[SA_DTYPE_END];
    sa_body_ATTEND attend;
    sa_body_ATTEND_GRAD attend_grad;
    sa_body_ATTEND_BLEND attend_blend;
    sa_body_ATTEND_MASK attend_mask;
    /* of SA_F32, SA_F16, SA_BF16; row_max NULL: none of that dtype */
    sa_body_ROW_MAX row_max[SA_DTYPE_END];
    sa_body_ROW_EXP row_exp[SA_DTYPE_END];
    sa_body_ROW_SCALE row_scale[SA_DTYPE_END];
    sa_body_ROW_LOG row_log[SA_DTYPE_END];
    sa_body_ROW_LOG_DOT row_log_dot[SA_DTYPE_END];
    sa_body_ROW_GRAD row_grad[SA_DTYPE_END];
    sa_body_ROW_DOT row_dot[SA_DTYPE_END];
    sa_body_ROW_SUM row_sum[SA_DTYPE_END];
    sa_body_ROW_MOMENTS row_moments[SA_DTYPE_END];
    sa_body_ROW_NORM row_norm[SA_DTYPE_END];
    sa_body_ROW_NORM_DOTS row_norm_dots[SA_DTYPE_END];
    sa_body_ROW_NORM_GRAD row_norm_grad[SA_DTYPE_END];
    sa_body_ROW_NORM_ADD row_norm_add[SA_DTYPE_END];
    sa_body_ACTIVATE activate[SA_ACTIVATIONS];
    sa_body_ACTIVATE_GRAD activate_grad[SA_ACTIVATIONS];
} sa_isa;

/* Instruction numbers, for traces and checks: SA_I_add … */
typedef enum sa_instr {
#define SA_T(dtype)
#define SA_INSTR(name, pipe, form, dtypes, cost) SA_I_##name,
#include "core/isa.def"
#undef SA_INSTR
#undef SA_T
    SA_INSTRS,
    SA_I_set_flag = SA_INSTRS,
    SA_I_wait_flag,
    SA_I_barrier,
    SA_I_sync_all,
    SA_I_get,
    SA_I_set,
    SA_I_sync_kind,
    SA_I_cross_set,
    SA_I_cross_wait,
    SA_I_ib_set,
    SA_I_ib_wait,
    SA_EVENTS,
} sa_instr;

typedef enum sa_cost {
    SA_COST_SIMPLE,
    SA_COST_EXP,
    SA_COST_DIV,
    SA_COST_REDUCE,
    SA_COST_HIGH, /* a sequence that the chip runs; its length is in timing/ */
    SA_COST_MOVE,
    SA_COST_LOAD_L0A,
    SA_COST_LOAD_L0B,
    SA_COST_FIXPIPE,
    SA_COST_CUBE,
    SA_COST_FLAG,
    SA_COST_SCALAR,
} sa_cost;

typedef struct sa_instr_info {
    const char *name, *form;
    sa_pipe pipe;
    sa_cost cost;
    uint64_t dtypes; /* bit (1 << sa_dtype) for each dtype that has a body */
} sa_instr_info;

SA_API const sa_instr_info *sa_instr_describe(sa_instr instr);

/* The backend in use: the best that this CPU has, or what $SOFTASCEND_CPU names (generic, avx2,
 * avx512, avx512_bf16, amx, neon); a name that this CPU cannot run falls back with one line on
 * stderr. */
SA_API const sa_isa *sa_isa_active(void);

/* The active one without what coupled chips lack: bfloat16 and the FIX pipe. */
SA_API const sa_isa *sa_isa_coupled(void);

/* A backend by name, NULL if this CPU or build lacks it. For tests that compare backends. */
SA_API const sa_isa *sa_isa_named(const char *name);

#endif
