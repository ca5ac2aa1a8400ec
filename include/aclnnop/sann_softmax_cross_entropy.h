/* SoftAscend's own operator, in the form of aclnn's. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_SOFTMAX_CROSS_ENTROPY_H
#define SOFTASCEND_ACLNNOP_ACLNN_SOFTMAX_CROSS_ENTROPY_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* logits and labels [B, C]: loss[i] = -sum(labels[i] * log softmax(logits[i])), backprop =
 * softmax(logits) - labels (TensorFlow's fused form). The first phase checks and says how much
 * workspace the second needs; the second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus sannSoftmaxCrossEntropyGetWorkspaceSize(
    const aclTensor *logits, const aclTensor *labels, aclTensor *loss, aclTensor *backprop,
    uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannSoftmaxCrossEntropy(void *workspace, uint64_t workspaceSize,
                                                        aclOpExecutor *executor,
                                                        aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
