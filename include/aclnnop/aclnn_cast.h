/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_CAST_H
#define SOFTASCEND_ACLNNOP_ACLNN_CAST_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Converts elements: floats to floats to nearest even, floats to integers towards zero, to bool by
 * != 0. Any pair of float, float16, bfloat16, int8, uint8, int16, int32, int64, bool. The first
 * phase checks and says how much workspace the second needs; the second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor *self,
                                                          const aclDataType dtype, aclTensor *out,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCast(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
