/* aclnnSigmoidBackward: checks, contiguous operands, one launch. */
#include "aclnnop/aclnn_sigmoid_backward.h"

#include "ops/sigmoid_backward/kernel.h"
#include "runtime/runtime.h"

static const char op[] = "aclnnSigmoidBackward";

static aclnnStatus check(const aclTensor *grad, const aclTensor *y, const aclTensor *out)
{
    aclnnStatus s = sa_check_tensor(op, "gradOutput", grad, SA_DTYPES_FLOAT);

    if (!s)
        s = sa_check_tensor(op, "output", y, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_output(op, "gradInput", out, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_same_dtype(op, "gradOutput", grad, "output", y);
    if (!s)
        s = sa_check_same_dtype(op, "gradOutput", grad, "gradInput", out);
    if (!s)
        s = sa_check_same_shape(op, "gradOutput", grad, "output", y);
    return s ? s : sa_check_same_shape(op, "gradOutput", grad, "gradInput", out);
}

static aclnnStatus plan(aclOpExecutor *ex, const aclTensor *grad, const aclTensor *y,
                        const aclTensor *out)
{
    const sa_chip *chip = sa_current_chip();
    aclTensor flat_grad, flat_y, result;
    bool copied_grad, copied_y, copied_out;
    uint64_t at_grad, at_y, at_out;
    sa_sigmoid_backward_args *copy;
    void *args;
    aclnnStatus s;

    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    s = sa_plan_contiguous(ex, op, grad, grad->rank, grad->dims, &flat_grad, &copied_grad,
                           &at_grad);
    if (!s)
        s = sa_plan_contiguous(ex, op, y, y->rank, y->dims, &flat_y, &copied_y, &at_y);
    if (s)
        return s;
    sa_plan_result(ex, out, &result, &copied_out, &at_out);
    sa_sigmoid_backward_args x = {grad->dtype, grad->elements, flat_grad.data, flat_y.data,
                                  result.data};
    s = sa_op_launch(ex, sa_sigmoid_backward_kernel, op, SA_AIV,
                     sa_blocks(chip, SA_AIV, x.elements, SA_SIGMOID_GRAIN), &x, sizeof x, &args);
    copy = args;
    if (!s && copied_grad)
        s = sa_op_point(ex, &copy->grad, at_grad);
    if (!s && copied_y)
        s = sa_op_point(ex, &copy->y, at_y);
    if (!s && copied_out)
        s = sa_op_point(ex, &copy->out, at_out);
    return s ? s : sa_plan_scatter(ex, op, out, copied_out, at_out);
}

aclnnStatus aclnnSigmoidBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                 const aclTensor *output, aclTensor *gradInput,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor)
{
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = check(gradOutput, output, gradInput);
    if (!s && gradInput->elements > 0)
        s = plan(ex, gradOutput, output, gradInput);
    return sa_op_end(ex, s, workspaceSize, executor);
}

SA_OP_RUN(aclnnSigmoidBackward)
