/* First phases of the softmax family. */
#include "ops/elementwise/engine.h"
#include "ops/softmax/softmax.h"

#include "aclnnop/aclnn_log_softmax.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "aclnnop/sann_softmax_cross_entropy.h"
#include "aclnnop/sann_sparse_softmax_cross_entropy.h"

#include <math.h>

/* A float tensor and an output of its dtype and shape. */
static aclnnStatus check_pair(const char *op, const char *a_name, const aclTensor *a,
                              const char *b_name, const aclTensor *b, bool output)
{
    aclnnStatus s = sa_check_tensor(op, a_name, a, SA_DTYPES_FLOAT);
    if (!s)
        s = output ? sa_check_output(op, b_name, b, SA_DTYPES_FLOAT)
                   : sa_check_tensor(op, b_name, b, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_same_dtype(op, a_name, a, b_name, b);
    return s ? s : sa_check_same_shape(op, a_name, a, b_name, b);
}

static aclnnStatus plan_one(const char *op, sa_softmax_kind kind, const aclTensor *self,
                            int64_t dim, const aclTensor *out, uint64_t *workspace_size,
                            aclOpExecutor **executor)
{
    aclOpExecutor *ex = NULL;
    int d = 0;
    aclnnStatus s = sa_op_begin(op, workspace_size, executor, &ex);

    if (!s)
        s = check_pair(op, "self", self, "out", out, true);
    if (!s)
        s = sa_check_dim(op, "dim", dim, self->rank, &d);
    if (!s)
        s = sa_softmax_plan(ex, op, kind, d, out, 1, &self, NULL, NULL);
    return sa_op_end(ex, s, workspace_size, executor);
}

aclnnStatus aclnnSoftmaxGetWorkspaceSize(const aclTensor *self, int64_t dim, aclTensor *out,
                                         uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return plan_one("aclnnSoftmax", SA_SOFTMAX, self, dim, out, workspaceSize, executor);
}
SA_OP_RUN(aclnnSoftmax)

aclnnStatus aclnnLogSoftmaxGetWorkspaceSize(const aclTensor *self, int64_t dim, aclTensor *out,
                                            uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return plan_one("aclnnLogSoftmax", SA_LOG_SOFTMAX, self, dim, out, workspaceSize, executor);
}
SA_OP_RUN(aclnnLogSoftmax)

aclnnStatus aclnnSoftmaxBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                 const aclTensor *output, int64_t dim,
                                                 aclTensor *gradInput, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor)
{
    static const char op[] = "aclnnSoftmaxBackward";
    const aclTensor *in[] = {gradOutput, output};
    aclOpExecutor *ex = NULL;
    int d = 0;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = check_pair(op, "gradOutput", gradOutput, "output", output, false);
    if (!s)
        s = check_pair(op, "gradOutput", gradOutput, "gradInput", gradInput, true);
    if (!s)
        s = sa_check_dim(op, "dim", dim, gradOutput->rank, &d);
    if (!s)
        s = sa_softmax_plan(ex, op, SA_SOFTMAX_BACKWARD, d, gradInput, 2, in, NULL, NULL);
    return sa_op_end(ex, s, workspaceSize, executor);
}
SA_OP_RUN(aclnnSoftmaxBackward)

/* logits [B, C], backprop the same, loss [B]. */
static aclnnStatus check_cross_entropy(const char *op, const aclTensor *logits,
                                       const aclTensor *loss, const aclTensor *backprop)
{
    aclnnStatus s = check_pair(op, "logits", logits, "backprop", backprop, true);
    if (!s)
        s = sa_check_rank(op, "logits", logits, 2, 2);
    if (!s)
        s = sa_check_output(op, "loss", loss, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_same_dtype(op, "logits", logits, "loss", loss);
    return s ? s : sa_check_shape(op, "loss", loss, 1, logits->dims);
}

/* Without classes there is nothing to sum, and no label is one. */
static aclnnStatus plan_no_classes(aclOpExecutor *ex, const char *op, const aclTensor *loss,
                                   double value)
{
    aclScalar scalar = {.dtype = SA_F64, .value.f64 = value};
    return sa_ew_plan_fill(ex, op, loss, &scalar);
}

aclnnStatus sannSoftmaxCrossEntropyGetWorkspaceSize(const aclTensor *logits,
                                                    const aclTensor *labels, aclTensor *loss,
                                                    aclTensor *backprop, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor)
{
    static const char op[] = "sannSoftmaxCrossEntropy";
    const aclTensor *in[] = {logits, labels};
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = check_cross_entropy(op, logits, loss, backprop);
    if (!s)
        s = check_pair(op, "logits", logits, "labels", labels, false);
    if (!s)
        s = logits->dims[1] == 0
                ? plan_no_classes(ex, op, loss, 0)
                : sa_softmax_plan(ex, op, SA_CROSS_ENTROPY, 1, backprop, 2, in, loss, NULL);
    return sa_op_end(ex, s, workspaceSize, executor);
}
SA_OP_RUN(sannSoftmaxCrossEntropy)

aclnnStatus sannSparseSoftmaxCrossEntropyGetWorkspaceSize(const aclTensor *logits,
                                                          const aclTensor *labels, aclTensor *loss,
                                                          aclTensor *backprop,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor)
{
    static const char op[] = "sannSparseSoftmaxCrossEntropy";
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = check_cross_entropy(op, logits, loss, backprop);
    if (!s)
        s = sa_check_tensor(op, "labels", labels, SA_DTYPES_INDEX);
    if (!s)
        s = sa_check_shape(op, "labels", labels, 1, logits->dims);
    if (!s)
        s = logits->dims[1] == 0 ? plan_no_classes(ex, op, loss, NAN)
                                 : sa_softmax_plan(ex, op, SA_SPARSE_CROSS_ENTROPY, 1, backprop, 1,
                                                   &logits, loss, labels);
    return sa_op_end(ex, s, workspaceSize, executor);
}
SA_OP_RUN(sannSparseSoftmaxCrossEntropy)
