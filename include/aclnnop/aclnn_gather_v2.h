/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_GATHER_V2_H
#define SOFTASCEND_ACLNNOP_ACLNN_GATHER_V2_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self taken at index (int32, int64) along `dim`: out's shape is self's with `dim` replaced
 * by index's shape. An index outside [0, size) fails the launch (507015) naming position and value.
 * The first phase checks and says how much workspace the second needs; the second launches on
 * `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGatherV2GetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                              const aclTensor *index,
                                                              aclTensor *out,
                                                              uint64_t *workspaceSize,
                                                              aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGatherV2(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
