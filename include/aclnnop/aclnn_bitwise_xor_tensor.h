/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_BITWISE_XOR_TENSOR_H
#define SOFTASCEND_ACLNNOP_ACLNN_BITWISE_XOR_TENSOR_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bit by bit, with broadcasting. int8, uint8, int16, uint16, int32, uint32, int64, uint64, bool.
 * The first phase checks and says how much workspace the second needs; the second launches on
 * `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBitwiseXorTensorGetWorkspaceSize(const aclTensor *self,
                                                                      const aclTensor *other,
                                                                      aclTensor *out,
                                                                      uint64_t *workspaceSize,
                                                                      aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBitwiseXorTensor(void *workspace, uint64_t workspaceSize,
                                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
