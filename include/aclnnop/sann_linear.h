/* SoftAscend's own operators, in the form of aclnn's. */
#ifndef SOFTASCEND_ACLNNOP_SANN_LINEAR_H
#define SOFTASCEND_ACLNNOP_SANN_LINEAR_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A dense layer: out = activation(self weight + bias), summed, biased and activated in float32 and
 * rounded once.
 *
 * self [..., K] of rank 2 to 8, weight [K, N], biasOptional [N] or NULL, out [..., N]; float32,
 * float16 or bfloat16, all alike. A transposed weight, or self of rank 2, is a view; nothing is
 * copied for it. K = 0 counts as a product of zeros.
 *
 * activation: NULL or "none", "relu", "relu6", "tanh", "sigmoid", "gelu" (x Phi(x)), "gelu_tanh",
 * "silu". preactivationOptional: NULL, or a tensor like out that gets self weight + bias, for the
 * gradient.
 *
 * While something watches (checks, a trace, the profiler), instructions do it: Mmad into float32
 * in the workspace, then Add, the activation and Cast on the vector cores. gelu, gelu_tanh and silu
 * then differ by some units in the last place of float32. The first phase checks and says how much
 * workspace the second needs; the second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus sannLinearGetWorkspaceSize(
    const aclTensor *self, const aclTensor *weight, const aclTensor *biasOptional,
    const char *activation, aclTensor *preactivationOptional, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannLinear(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

/* gradInput = gradOutput activation'(preactivation), in float32, rounded once. All of one shape and
 * dtype: float32, float16 or bfloat16. activation: as above. Computed at once, nothing watches it.
 */
ACL_FUNC_VISIBILITY aclnnStatus sannActivationBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *preactivation, const char *activation,
    aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannActivationBackward(void *workspace, uint64_t workspaceSize,
                                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
