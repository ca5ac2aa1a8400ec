/* aclnnSigmoid: checks, contiguous operands, one launch. */
#include "aclnnop/aclnn_sigmoid.h"

#include "ops/sigmoid/kernel.h"
#include "runtime/runtime.h"

static const char op[] = "aclnnSigmoid";

static aclnnStatus check(const aclTensor *self, const aclTensor *out)
{
    aclnnStatus s = sa_check_tensor(op, "self", self, SA_DTYPES_FLOAT);

    if (!s)
        s = sa_check_output(op, "out", out, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_same_dtype(op, "self", self, "out", out);
    return s ? s : sa_check_same_shape(op, "self", self, "out", out);
}

static aclnnStatus plan(aclOpExecutor *ex, const aclTensor *self, const aclTensor *out)
{
    const sa_chip *chip = sa_current_chip();
    aclTensor in, result;
    bool copied_in, copied_out;
    uint64_t at_in, at_out;
    void *copy;
    aclnnStatus s;

    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    s = sa_plan_contiguous(ex, op, self, self->rank, self->dims, &in, &copied_in, &at_in);
    if (s)
        return s;
    sa_plan_result(ex, out, &result, &copied_out, &at_out);
    sa_sigmoid_args x = {self->dtype, self->elements, in.data, result.data};
    s = sa_op_launch(ex, sa_sigmoid_kernel, op, SA_AIV,
                     sa_blocks(chip, SA_AIV, x.elements, SA_SIGMOID_GRAIN), &x, sizeof x, &copy);
    if (!s && copied_in)
        s = sa_op_point(ex, &((sa_sigmoid_args *)copy)->in, at_in);
    if (!s && copied_out)
        s = sa_op_point(ex, &((sa_sigmoid_args *)copy)->out, at_out);
    return s ? s : sa_plan_scatter(ex, op, out, copied_out, at_out);
}

aclnnStatus aclnnSigmoidGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                         uint64_t *workspaceSize, aclOpExecutor **executor)
{
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = check(self, out);
    if (!s && out->elements > 0)
        s = plan(ex, self, out);
    return sa_op_end(ex, s, workspaceSize, executor);
}

SA_OP_RUN(aclnnSigmoid)
