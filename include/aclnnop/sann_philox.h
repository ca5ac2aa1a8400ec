/* SoftAscend's own operators, in the form of aclnn's: random numbers from a key and a 128-bit
 * counter, the same ones as TensorFlow's stateless random ops make on a CPU from the same key and
 * counter (Philox 4x32-10; the vendor's own random operators number otherwise). */
#ifndef SOFTASCEND_ACLNNOP_SANN_PHILOX_H
#define SOFTASCEND_ACLNNOP_SANN_PHILOX_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out: any shape. The first phase checks and says how much workspace the second needs; the second
 * launches on `stream`. */

/* In [0, 1), every multiple of 2^-23 (float16 2^-10, bfloat16 2^-7) as likely. float, float16,
 * bfloat16. */
ACL_FUNC_VISIBILITY aclnnStatus sannPhiloxUniformGetWorkspaceSize(uint64_t key, uint64_t counterLow,
                                                                  uint64_t counterHigh,
                                                                  aclTensor *out,
                                                                  uint64_t *workspaceSize,
                                                                  aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannPhiloxUniform(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

/* Of mean 0 and deviation 1, by Box and Muller's method. float, float16, bfloat16. */
ACL_FUNC_VISIBILITY aclnnStatus sannPhiloxNormalGetWorkspaceSize(uint64_t key, uint64_t counterLow,
                                                                 uint64_t counterHigh,
                                                                 aclTensor *out,
                                                                 uint64_t *workspaceSize,
                                                                 aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannPhiloxNormal(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

/* The same, drawn again until within 2 deviations. */
ACL_FUNC_VISIBILITY aclnnStatus sannPhiloxTruncatedNormalGetWorkspaceSize(
    uint64_t key, uint64_t counterLow, uint64_t counterHigh, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannPhiloxTruncatedNormal(void *workspace, uint64_t workspaceSize,
                                                          aclOpExecutor *executor,
                                                          aclrtStream stream);

/* minimum + bits % range, which wraps; range 0: all bits. int32, uint32, int64, uint64. */
ACL_FUNC_VISIBILITY aclnnStatus sannPhiloxUniformIntGetWorkspaceSize(
    uint64_t key, uint64_t counterLow, uint64_t counterHigh, int64_t minimum, uint64_t range,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannPhiloxUniformInt(void *workspace, uint64_t workspaceSize,
                                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
