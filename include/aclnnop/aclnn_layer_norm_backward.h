/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_LAYER_NORM_BACKWARD_H
#define SOFTASCEND_ACLNNOP_ACLNN_LAYER_NORM_BACKWARD_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradients of aclnnLayerNorm from gradOut, its operands and the mean and rstd that it left
 * (float32). outputMask: of three, which of gradInputOut (input's shape), gradWeightOut and
 * gradBiasOut (normalizedShape, in the dtype of weight and bias) are wanted; the others may be
 * NULL. Without a weight it counts as 1, and gradWeightOut is of input's dtype or float32. The
 * first phase checks and says how much workspace the second needs; the second launches on `stream`.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLayerNormBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclTensor *input, const aclIntArray *normalizedShape,
    const aclTensor *mean, const aclTensor *rstd, const aclTensor *weightOptional,
    const aclTensor *biasOptional, const aclBoolArray *outputMask, aclTensor *gradInputOut,
    aclTensor *gradWeightOut, aclTensor *gradBiasOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLayerNormBackward(void *workspace, uint64_t workspaceSize,
                                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
