/* Logic on bool, and selection by it. */
#include "ops/elementwise/engine.h"

#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_logical_not.h"
#include "aclnnop/aclnn_logical_or.h"
#include "aclnnop/aclnn_s_where.h"

#define BOOL SA_DTYPE_BIT(SA_BOOL)

/* bool is computed as fp16: 0 and 1 */
static void logical_and(const sa_ew_tile *t)
{
    sa_min(t->core, t->dtype, t->out, t->in[0], t->in[1], t->n);
}
SA_EW_BINARY(aclnnLogicalAnd, logical_and, BOOL, false, false, 0)

static void logical_or(const sa_ew_tile *t)
{
    sa_max(t->core, t->dtype, t->out, t->in[0], t->in[1], t->n);
}
SA_EW_BINARY(aclnnLogicalOr, logical_or, BOOL, false, false, 0)

static void logical_not(const sa_ew_tile *t)
{
    sa_compares(t->core, t->dtype, SA_EQ, t->tmp[0], t->in[0], 0, t->n);
    sa_ew_mask_to_bool(t, t->tmp[0], t->tmp[1]);
}
SA_EW_UNARY(aclnnLogicalNot, logical_not, BOOL, false, true, 2)

/* in[0]: the condition as fp16 */
static void where(const sa_ew_tile *t)
{
    sa_dtype bits = t->scalar == 1   ? SA_U8
                    : t->scalar == 2 ? SA_U16
                    : t->scalar == 4 ? SA_U32
                                     : SA_I64;
    sa_compares(t->core, SA_F16, SA_NE, t->tmp[0], t->in[0], 0, t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_select(t->core, bits, t->out, t->tmp[0], t->in[1], t->in[2], t->n);
}

static void where_kernel(sa_core *core, void *args)
{
    sa_ew_run(core, args, where);
}

static aclnnStatus check_where(const char *op, const aclTensor *condition, const aclTensor *self,
                               const aclTensor *other, const aclTensor *out)
{
    aclTensor both = {.rank = 0};
    int rank;
    int64_t dims[SA_MAX_RANK];
    aclnnStatus s = sa_check_tensor(op, "condition", condition, BOOL | SA_DTYPE_BIT(SA_U8));

    if (!s)
        s = sa_check_tensor(op, "self", self, SA_DTYPES_ANY);
    if (!s)
        s = sa_check_tensor(op, "other", other, SA_DTYPES_ANY);
    if (!s)
        s = sa_check_output(op, "out", out, SA_DTYPES_ANY);
    if (!s)
        s = sa_check_same_dtype(op, "self", self, "other", other);
    if (!s)
        s = sa_check_same_dtype(op, "self", self, "out", out);
    if (!s)
        s = sa_broadcast_shape(op, "self", self, "other", other, &both.rank, both.dims);
    if (!s)
        s = sa_broadcast_shape(op, "condition", condition, "self and other", &both, &rank, dims);
    return s ? s : sa_check_shape(op, "out", out, rank, dims);
}

aclnnStatus aclnnSWhereGetWorkspaceSize(const aclTensor *condition, const aclTensor *self,
                                        const aclTensor *other, aclTensor *out,
                                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const char op[] = "aclnnSWhere";
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = check_where(op, condition, self, other, out);
    if (!s) {
        sa_ew_spec spec = {.op = op,
                           .kernel = where_kernel,
                           .inputs = 3,
                           .out = out,
                           .in = {condition, self, other},
                           .in_as = {SA_F16, self->dtype, self->dtype},
                           .out_as = self->dtype,
                           .tmp_bytes = {1},
                           .scalar = (double)sa_dtype_bytes(self->dtype)};
        s = sa_ew_plan(ex, &spec);
    }
    return sa_op_end(ex, s, workspaceSize, executor);
}
SA_OP_RUN(aclnnSWhere)
