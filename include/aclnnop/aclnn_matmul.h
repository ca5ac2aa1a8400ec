/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_MATMUL_H
#define SOFTASCEND_ACLNNOP_ACLNN_MATMUL_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self @ mat2. self [M, K], mat2 [K, N], out [M, N] (or all three [B, …]); float, float16,
 * bfloat16; a transposed operand is a view with strides. K = 0 gives zeros. cubeMathType: 0 keeps
 * the dtype; 1 to 3, which allow lower precision on a card, compute the same here. The first phase
 * checks and says how much workspace the second needs; the second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMatmulGetWorkspaceSize(const aclTensor *self,
                                                            const aclTensor *mat2, aclTensor *out,
                                                            int8_t cubeMathType,
                                                            uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMatmul(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
