/* SoftAscend's own operator, in the form of aclnn's. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_SQUARED_DIFFERENCE_H
#define SOFTASCEND_ACLNNOP_ACLNN_SQUARED_DIFFERENCE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = (self - other)^2, with broadcasting (TensorFlow's; the vendor has no aclnn form). The first
 * phase checks and says how much workspace the second needs; the second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus sannSquaredDifferenceGetWorkspaceSize(const aclTensor *self,
                                                                      const aclTensor *other,
                                                                      aclTensor *out,
                                                                      uint64_t *workspaceSize,
                                                                      aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannSquaredDifference(void *workspace, uint64_t workspaceSize,
                                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
