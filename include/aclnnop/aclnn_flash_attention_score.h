/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_H
#define SOFTASCEND_ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* attentionOutOut = softmax(masked(scaleValue (query key^T + realShift))) value for each batch and
 * head, without the matrix of all scores: computed in fp32, rounded once.
 *
 * inputLayout says what the dimensions are: "BSH" [B, S, N D], "SBH", "BSND", "BNSD". float32,
 * float16 or bfloat16, all alike; D is 1 to 256; value's D may be another. headNum: query's N; that
 * of key and value divides it. Key and value may be longer or shorter than query.
 *
 * realShiftOptional: of query's dtype or float32, broadcast to [B, N, Sq, Skv]. attenMaskOptional:
 * bool or uint8 of rank 2 [Sq, Skv] or 4, broadcast likewise; what is not 0 hides. A row that is
 * hidden whole weighs all keys alike. sparseMode 0: as the mask says (preTokens and nextTokens tell
 * nothing that the mask does not); 2: query i sees keys 0 to i (a mask [2048, 2048] is the triangle
 * that the vendor asks for, and is not read; another one hides besides).
 * softmaxMaxOut, softmaxSumOut: float32 [B, N, Sq, 8], each row's largest score and sum eight
 * times, for the gradient; or NULL. softmaxOutOut is not written.
 *
 * Refused by name: dropMaskOptional, paddingMaskOptional, prefixOptional, keepProb other than 1,
 * "TND", other sparse modes. The first phase checks and says how much workspace the second needs;
 * the second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFlashAttentionScoreGetWorkspaceSize(
    const aclTensor *query, const aclTensor *key, const aclTensor *value,
    const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
    const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
    const aclIntArray *prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor *softmaxMaxOut, const aclTensor *softmaxSumOut,
    const aclTensor *softmaxOutOut, const aclTensor *attentionOutOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFlashAttentionScore(void *workspace, uint64_t workspaceSize,
                                                         aclOpExecutor *executor,
                                                         aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
