/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_REDUCE_SUM_H
#define SOFTASCEND_ACLNNOP_ACLNN_REDUCE_SUM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sum over `dims` (all if empty); fp16 and bf16 add in fp32. float, float16, bfloat16, int32,
 * int64. The first phase checks and says how much workspace the second needs; the second launches
 * on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnReduceSumGetWorkspaceSize(
    const aclTensor *self, const aclIntArray *dims, bool keepDims, aclDataType dtype,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnReduceSum(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
