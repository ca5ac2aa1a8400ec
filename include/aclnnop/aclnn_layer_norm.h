/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_LAYER_NORM_H
#define SOFTASCEND_ACLNNOP_ACLNN_LAYER_NORM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = (input - mean) * rstd * weight + bias, with mean and rstd = 1 / sqrt(variance + eps) over
 * the last dimensions, which are normalizedShape. input, out: float16, bfloat16 or float32,
 * computed in float32 and rounded once; weightOptional, biasOptional: of normalizedShape, in
 * input's dtype or float32, or NULL; meanOutOptional, rstdOutOptional: float32, an element for each
 * row, in input's shape with 1 for every normalised dimension, or NULL. The first phase checks and
 * says how much workspace the second needs; the second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLayerNormGetWorkspaceSize(
    const aclTensor *input, const aclIntArray *normalizedShape, const aclTensor *weightOptional,
    const aclTensor *biasOptional, double eps, aclTensor *out, aclTensor *meanOutOptional,
    aclTensor *rstdOutOptional, uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLayerNorm(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
