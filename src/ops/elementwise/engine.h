/* One engine for every elementwise operator: broadcasting, views, tiles, conversion to the dtype
 * that the operator computes in and back, buffers, flags. An operator adds its body: what happens
 * to one tile in UB.
 *
 * A tile is `rows` x `cols` elements of two of the loop's dimensions, packed row-major in UB;
 * operands that are broadcast are made whole there, so that a body sees n elements of each. */
#ifndef SA_OPS_ELEMENTWISE_ENGINE_H
#define SA_OPS_ELEMENTWISE_ENGINE_H

#include "core/isa.h"
#include "ops/op.h"

#define SA_EW_INPUTS (SA_LOOP_OPERANDS - 1)
#define SA_EW_TMPS 3

typedef struct sa_ew sa_ew;

/* What a body works on. Its V instructions follow the engine's behind a barrier; it puts barriers
 * between its own that depend on each other. */
typedef struct sa_ew_tile {
    sa_core *core;
    sa_dtype dtype;               /* in[0]'s in UB */
    const void *in[SA_EW_INPUTS]; /* not to be written: they may serve further tiles */
    void *out;                    /* of the plan's out_as; none of the inputs */
    void *tmp[SA_EW_TMPS];
    double scalar; /* of the plan */
    uint32_t n;
} sa_ew_tile;

typedef void (*sa_ew_body)(const sa_ew_tile *t);

/* What an operator asks for. */
typedef struct sa_ew_spec {
    const char *op;
    sa_kernel kernel; /* calls sa_ew_run with the operator's body */
    int inputs;
    const aclTensor *out, *in[SA_EW_INPUTS]; /* in[i] NULL: `constant` */
    sa_dtype in_as[SA_EW_INPUTS], out_as;    /* in UB, as the body reads and writes them */
    int tmp_bytes[SA_EW_TMPS];               /* scratch: bytes for an element */
    double scalar;
    double constant, constant_low; /* their sum; two parts hold any 64-bit integer exactly */
    bool no_body;                  /* the result is in[0], converted to out_as */
    size_t slot;                   /* of sa_ew_family */
} sa_ew_spec;

/* Plans the launch. The tensors are checked already: inputs broadcast to out's shape. */
aclnnStatus sa_ew_plan(aclOpExecutor *ex, const sa_ew_spec *spec);

/* The spec's constant is `value`, exactly. */
void sa_ew_constant_int(sa_ew_spec *spec, int64_t value);

/* How an operand's tile comes out of its view. */
typedef enum sa_ew_kind {
    SA_EW_ROWS,     /* contiguous along cols: a 2-D copy */
    SA_EW_TURNED,   /* contiguous along rows: a 2-D copy, then a transposition in UB */
    SA_EW_SINGLES,  /* neither: a copy of single elements for each row */
    SA_EW_SCALAR,   /* one element for all tiles */
    SA_EW_CONSTANT, /* one value, known to the plan */
} sa_ew_kind;

typedef struct sa_ew_operand {
    sa_ew_kind kind;
    bool resident; /* the same for every tile: loaded once */
    sa_dtype dtype, as;
    int64_t row_stride, col_stride; /* in elements */
} sa_ew_operand;

/* A launch's arguments. Operand 0 is the output. */
struct sa_ew {
    sa_loop loop;
    sa_ew_operand operand[SA_LOOP_OPERANDS];
    int rows_dim, cols_dim; /* rows_dim -1: one row */
    uint32_t rows, cols;    /* of a whole tile */
    int64_t row_tiles, col_tiles, tiles;
    int tmp_bytes[SA_EW_TMPS];
    double scalar, constant, constant_low;
    size_t slot; /* not 0: sa_ew_direct may run it */
};

/* Where a tile lies in each operand. */
typedef struct sa_ew_place {
    int64_t offset[SA_LOOP_OPERANDS]; /* in elements */
    uint32_t rows, cols;
} sa_ew_place;

void sa_ew_locate(const sa_ew *plan, int64_t tile, sa_ew_place *at);

/* The kernel's part: this block's tiles. body NULL: no_body. */
void sa_ew_run(sa_core *core, const sa_ew *plan, sa_ew_body body);

/* The same from GM to GM, without the tiles' way through UB, where nothing watches the core and the
 * body is one instruction (plan->slot): direct.c. False: it is not such a launch. */
bool sa_ew_direct(sa_core *core, const sa_ew *plan);

/* The integer of the same size: how moves see dtypes that no instruction computes in. */
static inline sa_dtype sa_ew_bits(sa_dtype t)
{
    switch (sa_dtype_bytes(t)) {
    case 1:
        return SA_U8;
    case 2:
        return SA_U16;
    case 4:
        return SA_U32;
    default:
        return SA_I64;
    }
}

/* The dtype that arithmetic on `t` is done in: bf16 has no vector arithmetic; fp16 too is widened
 * where one rounding at the end is asked for. */
static inline sa_dtype sa_ew_compute(sa_dtype t, bool widen_f16)
{
    if (t == SA_BOOL) /* is compared as fp16 */
        return SA_F16;
    return t == SA_BF16 || (t == SA_F16 && widen_f16) ? SA_F32 : t;
}

/* out = mask bit ? 1 : 0, as bool; `ones` is scratch of n bytes. */
void sa_ew_mask_to_bool(const sa_ew_tile *t, const void *mask, void *ones);

/* ---- first phases of whole families ---- */

typedef struct sa_ew_family {
    const char *op;
    sa_kernel kernel;
    uint64_t dtypes; /* of the inputs */
    bool widen_f16;
    bool to_bool; /* the output is bool, made from a body that writes U8; else the inputs' dtype */
    int tmps;     /* scratch tiles of the compute dtype */
    double scalar;
    size_t slot; /* the instruction's bodies in sa_isa where the body is no more than it; else 0 */
} sa_ew_family;

#define SA_EW_SLOT(instruction) offsetof(sa_isa, instruction)

/* out = f(self); out has self's shape. */
aclnnStatus sa_ew_unary(const sa_ew_family *f, const aclTensor *self, const char *self_name,
                        const aclTensor *out, const char *out_name, uint64_t *workspace_size,
                        aclOpExecutor **executor);

/* out = f(a, b) with broadcasting. `alpha` (or NULL) not 1: b is multiplied by it first; the body
 * then finds it in in[2]. */
aclnnStatus sa_ew_binary(const sa_ew_family *f, const aclTensor *a, const char *a_name,
                         const aclTensor *b, const char *b_name, const aclScalar *alpha,
                         const aclTensor *out, const char *out_name, uint64_t *workspace_size,
                         aclOpExecutor **executor);

/* Checks that `out` has the shape that a and b broadcast to. */
aclnnStatus sa_ew_check_shape(const char *op, const aclTensor *a, const char *a_name,
                              const aclTensor *b, const char *b_name, const aclTensor *out,
                              const char *out_name);

/* Plans out = value, converted to out's dtype. */
aclnnStatus sa_ew_plan_fill(aclOpExecutor *ex, const char *op, const aclTensor *out,
                            const aclScalar *value);

/* The functions of an operator whose body is `body`, in the two shapes that most have. */
#define SA_EW_UNARY(op, body, allowed, widen, bools, scratch)                                      \
    SA_EW_UNARY_OF(op, body, allowed, widen, bools, scratch, 0)
#define SA_EW_UNARY_OF(op, body, allowed, widen, bools, scratch, slot)                             \
    static void op##_kernel(sa_core *core, void *args)                                             \
    {                                                                                              \
        sa_ew_run(core, args, body);                                                               \
    }                                                                                              \
    aclnnStatus op##GetWorkspaceSize(const aclTensor *self, aclTensor *out,                        \
                                     uint64_t *workspaceSize, aclOpExecutor **executor)            \
    {                                                                                              \
        static const sa_ew_family f = {#op, op##_kernel, allowed, widen, bools, scratch, 0, slot}; \
        return sa_ew_unary(&f, self, "self", out, "out", workspaceSize, executor);                 \
    }                                                                                              \
    SA_OP_RUN(op)

#define SA_EW_BINARY(op, body, allowed, widen, bools, scratch)                                     \
    SA_EW_BINARY_OF(op, body, allowed, widen, bools, scratch, 0)
#define SA_EW_BINARY_OF(op, body, allowed, widen, bools, scratch, slot)                            \
    static void op##_kernel(sa_core *core, void *args)                                             \
    {                                                                                              \
        sa_ew_run(core, args, body);                                                               \
    }                                                                                              \
    aclnnStatus op##GetWorkspaceSize(const aclTensor *self, const aclTensor *other,                \
                                     aclTensor *out, uint64_t *workspaceSize,                      \
                                     aclOpExecutor **executor)                                     \
    {                                                                                              \
        static const sa_ew_family f = {#op, op##_kernel, allowed, widen, bools, scratch, 0, slot}; \
        return sa_ew_binary(&f, self, "self", other, "other", NULL, out, "out", workspaceSize,     \
                            executor);                                                             \
    }                                                                                              \
    SA_OP_RUN(op)

#endif
