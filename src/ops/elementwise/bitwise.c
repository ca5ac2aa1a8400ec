/* Logic on the bits of integers. Bits have no sign and no width: a word of 64 is two of 32. */
#include "ops/elementwise/engine.h"

#include "aclnnop/aclnn_bitwise_and_tensor.h"
#include "aclnnop/aclnn_bitwise_or_tensor.h"
#include "aclnnop/aclnn_bitwise_xor_tensor.h"

typedef struct words {
    sa_dtype dtype;
    uint32_t n;
} words;

static words words_of(const sa_ew_tile *t)
{
    sa_dtype bits = sa_ew_bits(t->dtype);

    return bits == SA_I64 ? (words){SA_U32, 2 * t->n} : (words){bits, t->n};
}

static void bitwise_and(const sa_ew_tile *t)
{
    words w = words_of(t);

    sa_and(t->core, w.dtype, t->out, t->in[0], t->in[1], w.n);
}

static void bitwise_or(const sa_ew_tile *t)
{
    words w = words_of(t);

    sa_or(t->core, w.dtype, t->out, t->in[0], t->in[1], w.n);
}

/* (a | b) & ~(a & b) */
static void bitwise_xor(const sa_ew_tile *t)
{
    words w = words_of(t);

    sa_and(t->core, w.dtype, t->tmp[0], t->in[0], t->in[1], w.n);
    sa_or(t->core, w.dtype, t->out, t->in[0], t->in[1], w.n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_not(t->core, w.dtype, t->tmp[0], t->tmp[0], w.n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_and(t->core, w.dtype, t->out, t->out, t->tmp[0], w.n);
}

#define BITWISE(name, body, scratch)                                                               \
    static void name##_kernel(sa_core *core, void *args)                                           \
    {                                                                                              \
        sa_ew_run(core, args, body);                                                               \
    }                                                                                              \
    aclnnStatus name##GetWorkspaceSize(const aclTensor *self, const aclTensor *other,              \
                                       aclTensor *out, uint64_t *workspaceSize,                    \
                                       aclOpExecutor **executor)                                   \
    {                                                                                              \
        return plan(#name, name##_kernel, scratch, self, other, out, workspaceSize, executor);     \
    }                                                                                              \
    SA_OP_RUN(name)

#define INTEGERS                                                                                   \
    (SA_DTYPE_BIT(SA_I8) | SA_DTYPE_BIT(SA_U8) | SA_DTYPE_BIT(SA_I16) | SA_DTYPE_BIT(SA_U16) |     \
     SA_DTYPE_BIT(SA_I32) | SA_DTYPE_BIT(SA_U32) | SA_DTYPE_BIT(SA_I64) | SA_DTYPE_BIT(SA_U64) |   \
     SA_DTYPE_BIT(SA_BOOL))

/* Not sa_ew_binary: bool stays bytes here. */
static aclnnStatus plan(const char *op, sa_kernel kernel, bool scratch, const aclTensor *self,
                        const aclTensor *other, const aclTensor *out, uint64_t *workspace_size,
                        aclOpExecutor **executor)
{
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspace_size, executor, &ex);

    if (!s)
        s = sa_check_tensor(op, "self", self, INTEGERS);
    if (!s)
        s = sa_check_tensor(op, "other", other, INTEGERS);
    if (!s)
        s = sa_check_same_dtype(op, "self", self, "other", other);
    if (!s)
        s = sa_check_output(op, "out", out, INTEGERS);
    if (!s)
        s = sa_check_same_dtype(op, "self", self, "out", out);
    if (!s)
        s = sa_ew_check_shape(op, self, "self", other, "other", out, "out");
    if (!s) {
        sa_ew_spec spec = {.op = op,
                           .kernel = kernel,
                           .inputs = 2,
                           .out = out,
                           .in = {self, other},
                           .in_as = {self->dtype, self->dtype},
                           .out_as = self->dtype,
                           .tmp_bytes = {scratch ? (int)sa_dtype_bytes(self->dtype) : 0}};
        s = sa_ew_plan(ex, &spec);
    }
    return sa_op_end(ex, s, workspace_size, executor);
}

BITWISE(aclnnBitwiseAndTensor, bitwise_and, false)
BITWISE(aclnnBitwiseOrTensor, bitwise_or, false)
BITWISE(aclnnBitwiseXorTensor, bitwise_xor, true)
