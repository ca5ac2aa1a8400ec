/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_LOGICAL_OR_H
#define SOFTASCEND_ACLNNOP_ACLNN_LOGICAL_OR_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bool, with broadcasting. The first phase checks and says how much workspace the second needs; the
 * second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogicalOrGetWorkspaceSize(const aclTensor *self,
                                                               const aclTensor *other,
                                                               aclTensor *out,
                                                               uint64_t *workspaceSize,
                                                               aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogicalOr(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
