/* The launches of a convolution, from tensors that are checked: maps as [n, h, w, channels],
 * filters as [kh, kw, channels of a group, outputs], of any strides. */
#ifndef SA_OPS_CONV_PLAN_H
#define SA_OPS_CONV_PLAN_H

#include "ops/convolution/conv.h"

typedef struct sa_conv_shape {
    const char *op;
    sa_conv_axis y, x;
    int64_t groups;
} sa_conv_shape;

/* dst = src gathered by the filter, forward or (backward) from the convolution's output to its
 * input. bias: contiguous, or NULL. */
aclnnStatus sa_conv_plan_gather(aclOpExecutor *ex, const sa_conv_shape *shape, bool backward,
                                const aclTensor *src, const aclTensor *filter,
                                const aclTensor *bias, const aclTensor *dst);

/* out = the filter's gradient, from the convolution's input and its output's gradient. */
aclnnStatus sa_conv_plan_filter(aclOpExecutor *ex, const sa_conv_shape *shape, const aclTensor *src,
                                const aclTensor *dy, const aclTensor *out);

#endif
