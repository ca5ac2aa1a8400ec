/* SoftAscend's own operator, in the form of aclnn's. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_UNSORTED_SEGMENT_SUM_H
#define SOFTASCEND_ACLNNOP_ACLNN_UNSORTED_SEGMENT_SUM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[segmentIds[i…]] += data[i…, …], out zeroed first; negative ids are dropped, an id >= out's
 * first dimension fails the launch (TensorFlow's UnsortedSegmentSum; gather's gradient). fp16 and
 * bf16 add in fp32. The first phase checks and says how much workspace the second needs; the second
 * launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus sannUnsortedSegmentSumGetWorkspaceSize(const aclTensor *data,
                                                                       const aclTensor *segmentIds,
                                                                       aclTensor *out,
                                                                       uint64_t *workspaceSize,
                                                                       aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannUnsortedSegmentSum(void *workspace, uint64_t workspaceSize,
                                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
