/* SoftAscend's own operator, in the form of aclnn's. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_SPARSE_SOFTMAX_CROSS_ENTROPY_H
#define SOFTASCEND_ACLNNOP_ACLNN_SPARSE_SOFTMAX_CROSS_ENTROPY_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* logits [B, C], labels [B] int32 or int64: loss[i] = -log softmax(logits[i])[labels[i]], backprop
 * = softmax(logits) - onehot(labels) (TensorFlow's fused form; the vendor has none with these
 * outputs). A label outside [0, C) stops the kernel. The first phase checks and says how much
 * workspace the second needs; the second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus sannSparseSoftmaxCrossEntropyGetWorkspaceSize(
    const aclTensor *logits, const aclTensor *labels, aclTensor *loss, aclTensor *backprop,
    uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannSparseSoftmaxCrossEntropy(void *workspace,
                                                              uint64_t workspaceSize,
                                                              aclOpExecutor *executor,
                                                              aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
