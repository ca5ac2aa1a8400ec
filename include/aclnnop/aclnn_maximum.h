/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_MAXIMUM_H
#define SOFTASCEND_ACLNNOP_ACLNN_MAXIMUM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elementwise, with broadcasting; NaN wins. Dtypes of aclnnAdd. The first phase checks and says how
 * much workspace the second needs; the second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaximumGetWorkspaceSize(const aclTensor *self,
                                                             const aclTensor *other, aclTensor *out,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaximum(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
