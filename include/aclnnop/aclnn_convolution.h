/* Names and signatures: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNNOP_ACLNN_CONVOLUTION_H
#define SOFTASCEND_ACLNNOP_ACLNN_CONVOLUTION_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The 2-D convolution (cross-correlation) of input with weight, plus bias; float, float16,
 * bfloat16, summed in float32.
 *
 * By a tensor's format: input and output are [N, C, H, W] (NCHW, ND) or [N, H, W, C] (NHWC); weight
 * is [O, I, KH, KW] (NCHW, ND), [O, KH, KW, I] (NHWC) or [KH, KW, I, O] (HWCN), I = C / groups.
 * Maps whose channels lie side by side, in either format, are read and written as they are; others
 * are copied first. bias: [O] or NULL.
 *
 * stride, dilation: [h, w] or one number for both; padding: [h, w], or ours: [top, bottom, left,
 * right]. Padding adds nothing to a sum: the filter's part outside of the map is left out.
 *
 * transposed: the gradient of a convolution's input, with weight [C, O / groups, KH, KW];
 * outputPadding ([h, w] or NULL) rows and columns more at the end. cubeMathType 0 to 3 compute the
 * same here. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnConvolutionGetWorkspaceSize(
    const aclTensor *input, const aclTensor *weight, const aclTensor *bias,
    const aclIntArray *stride, const aclIntArray *padding, const aclIntArray *dilation,
    bool transposed, const aclIntArray *outputPadding, int64_t groups, aclTensor *output,
    int8_t cubeMathType, uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnConvolution(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
