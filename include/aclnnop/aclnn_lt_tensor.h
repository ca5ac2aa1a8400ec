/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_LT_TENSOR_H
#define SOFTASCEND_ACLNNOP_ACLNN_LT_TENSOR_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self < other, bool, with broadcasting; float, float16, bfloat16, int32, int64 (eq, ne: bool
 * too). The first phase checks and says how much workspace the second needs; the second launches on
 * `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLtTensorGetWorkspaceSize(const aclTensor *self,
                                                              const aclTensor *other,
                                                              aclTensor *out,
                                                              uint64_t *workspaceSize,
                                                              aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLtTensor(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
