/* SoftAscend's own operator, in the form of aclnn's. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_DIV_NO_NAN_H
#define SOFTASCEND_ACLNNOP_ACLNN_DIV_NO_NAN_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = other == 0 ? 0 : self / other, with broadcasting (TensorFlow's DivNoNan; the vendor has no
 * such operator). The first phase checks and says how much workspace the second needs; the second
 * launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus sannDivNoNanGetWorkspaceSize(const aclTensor *self,
                                                             const aclTensor *other, aclTensor *out,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannDivNoNan(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
