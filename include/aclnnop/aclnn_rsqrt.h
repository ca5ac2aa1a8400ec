/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_RSQRT_H
#define SOFTASCEND_ACLNNOP_ACLNN_RSQRT_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = 1 / sqrt(self). The first phase checks and says how much workspace the second needs; the
 * second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRsqrtGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRsqrt(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
