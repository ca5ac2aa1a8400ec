/* Gradients that are elementwise. In fp32, rounded once. */
#include "ops/elementwise/engine.h"

#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"

/* in[0] the gradient, in[1] y = tanh(x): g * (1 - y^2). As (1 - y)(1 + y), since 1 - y is exact
 * where y is near 1 and y^2 would lose it. */
static void tanh_backward(const sa_ew_tile *t)
{
    sa_muls(t->core, t->dtype, t->tmp[0], t->in[1], -1, t->n);
    sa_adds(t->core, t->dtype, t->tmp[1], t->in[1], 1, t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_adds(t->core, t->dtype, t->tmp[0], t->tmp[0], 1, t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_mul(t->core, t->dtype, t->tmp[0], t->tmp[0], t->tmp[1], t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_mul(t->core, t->dtype, t->out, t->in[0], t->tmp[0], t->n);
}

static void tanh_backward_kernel(sa_core *core, void *args)
{
    sa_ew_run(core, args, tanh_backward);
}

/* Both have the gradient's shape; no broadcasting. */
static aclnnStatus check_same(const char *op, const aclTensor *grad, const aclTensor *other,
                              const char *other_name, const aclTensor *out, const char *out_name)
{
    aclnnStatus s = sa_check_tensor(op, "gradOutput", grad, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_tensor(op, other_name, other, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_same_shape(op, "gradOutput", grad, other_name, other);
    if (!s)
        s = sa_check_pointer(op, out_name, out);
    return s;
}

aclnnStatus aclnnTanhBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *output,
                                              aclTensor *gradInput, uint64_t *workspaceSize,
                                              aclOpExecutor **executor)
{
    static const sa_ew_family f = {.op = "aclnnTanhBackward",
                                   .kernel = tanh_backward_kernel,
                                   SA_DTYPES_FLOAT,
                                   .widen_f16 = true,
                                   .tmps = 2};
    aclnnStatus s = check_same(f.op, gradOutput, output, "output", gradInput, "gradInput");
    return s ? s
             : sa_ew_binary(&f, gradOutput, "gradOutput", output, "output", NULL, gradInput,
                            "gradInput", workspaceSize, executor);
}
SA_OP_RUN(aclnnTanhBackward)

static void threshold_backward(const sa_ew_tile *t)
{
    sa_compares(t->core, t->dtype, SA_GT, t->tmp[0], t->in[1], t->scalar, t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_selects(t->core, t->dtype, t->out, t->tmp[0], t->in[0], 0, t->n);
}

static void threshold_backward_kernel(sa_core *core, void *args)
{
    sa_ew_run(core, args, threshold_backward);
}

aclnnStatus aclnnThresholdBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                   const aclTensor *self,
                                                   const aclScalar *threshold, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    sa_ew_family f = {.op = "aclnnThresholdBackward",
                      .kernel = threshold_backward_kernel,
                      SA_DTYPES_FLOAT,
                      .tmps = 1};
    aclnnStatus s = sa_check_pointer(f.op, "threshold", threshold);
    if (!s)
        s = check_same(f.op, gradOutput, self, "self", out, "out");
    if (s)
        return s;
    f.scalar = sa_scalar_double(threshold);
    return sa_ew_binary(&f, gradOutput, "gradOutput", self, "self", NULL, out, "out", workspaceSize,
                        executor);
}
SA_OP_RUN(aclnnThresholdBackward)
