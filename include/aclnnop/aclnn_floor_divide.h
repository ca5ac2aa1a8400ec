/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_FLOOR_DIVIDE_H
#define SOFTASCEND_ACLNNOP_ACLNN_FLOOR_DIVIDE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* floor(self / other), with broadcasting. Dtypes of aclnnAdd. An integer divided by zero stops the
 * kernel.
 * The first phase checks and says how much workspace the second needs; the second launches on
 * `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFloorDivideGetWorkspaceSize(const aclTensor *self,
                                                                 const aclTensor *other,
                                                                 aclTensor *out,
                                                                 uint64_t *workspaceSize,
                                                                 aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFloorDivide(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
