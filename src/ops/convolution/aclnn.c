/* aclnnConvolution and its backward: what is refused, and which work each result is. Forward: the
 * convolution's input is gathered. Transposed: its output is; then input and output change places
 * in the gradients too. */
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"

#include "ops/convolution/plan.h"
#include "ops/reduce/reduce.h"

/* The arguments that both operators have. `large` is the convolution's input, `small` its output,
 * in the sense of the untransposed one; in their canonical order (plan.h). */
typedef struct call {
    sa_conv_shape shape;
    bool transposed;
    aclTensor large, small, filter;
    const char *large_name, *small_name;
} call;

static aclTensor permuted(const aclTensor *t, const int order[4])
{
    aclTensor p = *t;
    for (int i = 0; i < 4; i++) {
        p.dims[i] = t->dims[order[i]];
        p.strides[i] = t->strides[order[i]];
    }
    return p;
}

static aclnnStatus canonical(const char *op, const char *arg, const aclTensor *t, bool filter,
                             aclTensor *out)
{
    static const int nchw[] = {0, 2, 3, 1}, nhwc[] = {0, 1, 2, 3}, oihw[] = {2, 3, 1, 0},
                     ohwi[] = {1, 2, 3, 0};
    aclnnStatus s = sa_check_rank(op, arg, t, 4, 4);

    if (s)
        return s;
    if (t->format == ACL_FORMAT_NHWC)
        *out = permuted(t, filter ? ohwi : nhwc);
    else if (t->format == ACL_FORMAT_NCHW || t->format == ACL_FORMAT_ND)
        *out = permuted(t, filter ? oihw : nchw);
    else if (t->format == ACL_FORMAT_HWCN && filter)
        *out = permuted(t, nhwc);
    else
        return sa_refuse(op, "%s has format %d, it must be NCHW (0), NHWC (1)%s or ND (2)", arg,
                         (int)t->format, filter ? ", HWCN (16)" : "");
    return ACLNN_SUCCESS;
}

/* An array of 1 or 2 numbers, each at least `low`; NULL: `missing` if that is not negative. */
static aclnnStatus two(const char *op, const char *arg, const aclIntArray *a, int64_t low,
                       int64_t missing, int64_t v[2])
{
    if (!a && missing >= 0) {
        v[0] = v[1] = missing;
        return ACLNN_SUCCESS;
    }
    if (!a)
        return sa_check_pointer(op, arg, a);
    if (a->size < 1 || a->size > 2)
        return sa_refuse(op, "%s has %llu numbers, it must have 1 or 2", arg,
                         (unsigned long long)a->size);
    v[0] = a->value[0];
    v[1] = a->value[a->size - 1];
    for (int i = 0; i < 2; i++)
        if (v[i] < low || v[i] > INT32_MAX)
            return sa_refuse(op, "%s is [%lld, %lld], each must lie in [%lld, %d]", arg,
                             (long long)v[0], (long long)v[1], (long long)low, INT32_MAX);
    return ACLNN_SUCCESS;
}

/* v: top, left, bottom, right. */
static aclnnStatus paddings(const char *op, const aclIntArray *a, int64_t v[4])
{
    aclnnStatus s;

    if (!a || a->size != 4) {
        s = two(op, "padding", a, 0, -1, v);
        v[2] = v[0];
        v[3] = v[1];
        return s;
    }
    for (int i = 0; i < 4; i++) {
        v[i % 2 * 2 + i / 2] = a->value[i];
        if (a->value[i] < 0 || a->value[i] > INT32_MAX)
            return sa_refuse(op, "padding is [%lld, %lld, %lld, %lld], each must lie in [0, %d]",
                             (long long)a->value[0], (long long)a->value[1], (long long)a->value[2],
                             (long long)a->value[3], INT32_MAX);
    }
    return ACLNN_SUCCESS;
}

/* One axis: what `small` must be, or what `large` must be if that is transposed. */
static aclnnStatus axis(const call *c, const char *name, sa_conv_axis *a, int64_t after,
                        int64_t more)
{
    const char *op = c->shape.op;
    int64_t span = (a->taps - 1) * a->dilation + 1, padded = a->in + a->before + after;

    if (a->taps < 1)
        return sa_refuse(op, "weight has %s 0, it must be at least 1", name);
    if (span > padded)
        return sa_refuse(op,
                         "the filter is larger than the map: %s %lld, with dilation %lld %lld, of "
                         "%s's %lld, with padding %lld",
                         name, (long long)a->taps, (long long)a->dilation, (long long)span,
                         c->large_name, (long long)a->in, (long long)padded);
    if (more >= (a->stride > a->dilation ? a->stride : a->dilation) && more > 0)
        return sa_refuse(op, "outputPadding of %s is %lld, it must be less than stride or dilation",
                         name, (long long)more);
    if (c->transposed) {
        int64_t want = (a->out - 1) * a->stride + span - a->before - after + more;
        if (a->in != want)
            return sa_refuse(op, "%s has %s %lld, it must be %lld", c->large_name, name,
                             (long long)a->in, (long long)want);
    } else {
        int64_t want = (padded - span) / a->stride + 1;
        if (a->out != want)
            return sa_refuse(op, "%s has %s %lld, it must be %lld", c->small_name, name,
                             (long long)a->out, (long long)want);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus channels(const call *c)
{
    const char *op = c->shape.op;
    int64_t groups = c->shape.groups, in = c->filter.dims[2], out = c->filter.dims[3];

    if (groups < 1)
        return sa_refuse(op, "groups is %lld, it must be at least 1", (long long)groups);
    if (out % groups || in > INT64_MAX / groups || c->large.dims[3] != in * groups)
        return sa_refuse(op,
                         "channels differ: %s has %lld, weight takes %lld of each of %lld groups "
                         "and gives %lld",
                         c->large_name, (long long)c->large.dims[3], (long long)in,
                         (long long)groups, (long long)out);
    if (c->small.dims[3] != out)
        return sa_refuse(op, "channels differ: %s has %lld, weight gives %lld", c->small_name,
                         (long long)c->small.dims[3], (long long)out);
    if (c->large.dims[0] != c->small.dims[0])
        return sa_refuse(op, "batch differs: %s has %lld, %s has %lld", c->large_name,
                         (long long)c->large.dims[0], c->small_name, (long long)c->small.dims[0]);
    return ACLNN_SUCCESS;
}

/* Checks shapes and parameters; tensors are checked for themselves already. */
static aclnnStatus understand(call *c, const aclTensor *large, const aclTensor *small,
                              const aclTensor *weight, const aclIntArray *stride,
                              const aclIntArray *padding, const aclIntArray *dilation,
                              const aclIntArray *outputPadding, int8_t cubeMathType)
{
    const char *op = c->shape.op;
    int64_t strides[2], pads[4], dilations[2], more[2];
    aclnnStatus s = canonical(op, c->large_name, large, false, &c->large);

    if (!s)
        s = canonical(op, c->small_name, small, false, &c->small);
    if (!s)
        s = canonical(op, "weight", weight, true, &c->filter);
    if (!s)
        s = two(op, "stride", stride, 1, -1, strides);
    if (!s)
        s = two(op, "dilation", dilation, 1, -1, dilations);
    if (!s)
        s = paddings(op, padding, pads);
    if (!s)
        s = two(op, "outputPadding", c->transposed ? outputPadding : NULL, 0, 0, more);
    if (!s)
        s = channels(c);
    if (s)
        return s;
    if (cubeMathType < 0 || cubeMathType > 3)
        return sa_refuse(op, "cubeMathType is %d, it must be 0 to 3", cubeMathType);
    sa_conv_axis *axes[] = {&c->shape.y, &c->shape.x};
    for (int i = 0; i < 2 && !s; i++) {
        *axes[i] = (sa_conv_axis){c->large.dims[1 + i], c->small.dims[1 + i], c->filter.dims[i],
                                  strides[i],           dilations[i],         pads[i]};
        s = axis(c, i ? "width" : "height", axes[i], pads[2 + i], more[i]);
    }
    return s;
}

aclnnStatus aclnnConvolutionGetWorkspaceSize(const aclTensor *input, const aclTensor *weight,
                                             const aclTensor *bias, const aclIntArray *stride,
                                             const aclIntArray *padding,
                                             const aclIntArray *dilation, bool transposed,
                                             const aclIntArray *outputPadding, int64_t groups,
                                             aclTensor *output, int8_t cubeMathType,
                                             uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const char op[] = "aclnnConvolution";
    call c = {.shape = {.op = op, .groups = groups},
              .transposed = transposed,
              .large_name = transposed ? "output" : "input",
              .small_name = transposed ? "input" : "output"};
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = sa_check_tensor(op, "input", input, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_tensor(op, "weight", weight, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_output(op, "output", output, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_same_dtype(op, "input", input, "weight", weight);
    if (!s)
        s = sa_check_same_dtype(op, "input", input, "output", output);
    if (!s && bias) {
        s = sa_check_tensor(op, "bias", bias, SA_DTYPES_FLOAT);
        if (!s)
            s = sa_check_same_dtype(op, "input", input, "bias", bias);
    }
    if (!s)
        s = understand(&c, transposed ? output : input, transposed ? input : output, weight, stride,
                       padding, dilation, outputPadding, cubeMathType);
    if (!s && bias) {
        s = sa_check_shape(op, "bias", bias, 1, &(transposed ? &c.large : &c.small)->dims[3]);
        if (!s && !sa_tensor_contiguous(bias))
            s = sa_refuse(op, "bias has stride %lld, it must be contiguous",
                          (long long)bias->strides[0]);
    }
    if (!s)
        s = sa_conv_plan_gather(ex, &c.shape, transposed, transposed ? &c.small : &c.large,
                                &c.filter, bias, transposed ? &c.large : &c.small);
    return sa_op_end(ex, s, workspaceSize, executor);
}

SA_OP_RUN(aclnnConvolution)

/* ---- backward */

static void bias_kernel(sa_core *core, void *args)
{
    sa_reduce_run(core, args);
}

static aclnnStatus plan_bias(aclOpExecutor *ex, const char *op, const aclTensor *grad,
                             const aclTensor *out)
{
    const sa_reduce_spec spec = {op, bias_kernel, SA_FOLD_SUM, SA_F32, 0, false};
    aclnnStatus s = sa_check_shape(op, "gradBias", out, 1, &grad->dims[3]);
    return s ? s : sa_reduce_plan(ex, &spec, grad, 7, out);
}

/* A gradient that is asked for: given, of its operand's shape and of gradOutput's dtype. */
static aclnnStatus check_gradient(const char *op, const char *arg, const aclTensor *t,
                                  const char *of, const aclTensor *operand, const aclTensor *grad)
{
    aclnnStatus s = sa_check_output(op, arg, t, SA_DTYPES_FLOAT);

    if (!s && operand)
        s = sa_check_same_shape(op, arg, t, of, operand);
    return s ? s : sa_check_same_dtype(op, "gradOutput", grad, arg, t);
}

aclnnStatus aclnnConvolutionBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *input, const aclTensor *weight,
    const aclIntArray *biasSizes, const aclIntArray *stride, const aclIntArray *padding,
    const aclIntArray *dilation, bool transposed, const aclIntArray *outputPadding, int groups,
    const aclBoolArray *outputMask, int8_t cubeMathType, aclTensor *gradInput,
    aclTensor *gradWeight, aclTensor *gradBias, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const char op[] = "aclnnConvolutionBackward";
    call c = {.shape = {.op = op, .groups = groups},
              .transposed = transposed,
              .large_name = transposed ? "gradOutput" : "input",
              .small_name = transposed ? "input" : "gradOutput"};
    aclOpExecutor *ex = NULL;
    aclTensor gradient;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);
    const aclTensor *grad = transposed ? &c.large : &c.small;

    (void)biasSizes;
    if (!s)
        s = sa_check_tensor(op, "gradOutput", gradOutput, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_tensor(op, "input", input, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_tensor(op, "weight", weight, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_same_dtype(op, "gradOutput", gradOutput, "input", input);
    if (!s)
        s = sa_check_same_dtype(op, "gradOutput", gradOutput, "weight", weight);
    if (!s)
        s = sa_check_pointer(op, "outputMask", outputMask);
    if (!s && outputMask->size != 3)
        s = sa_refuse(op, "outputMask has %llu values, it must have 3",
                      (unsigned long long)outputMask->size);
    if (!s && outputMask->value[0])
        s = check_gradient(op, "gradInput", gradInput, "input", input, gradOutput);
    if (!s && outputMask->value[1])
        s = check_gradient(op, "gradWeight", gradWeight, "weight", weight, gradOutput);
    if (!s && outputMask->value[2])
        s = check_gradient(op, "gradBias", gradBias, NULL, NULL, gradOutput);
    if (!s)
        s = understand(&c, transposed ? gradOutput : input, transposed ? input : gradOutput, weight,
                       stride, padding, dilation, outputPadding, cubeMathType);
    if (!s && outputMask->value[0]) {
        s = canonical(op, "gradInput", gradInput, false, &gradient);
        if (!s)
            s = sa_conv_plan_gather(ex, &c.shape, !transposed, grad, &c.filter, NULL, &gradient);
    }
    if (!s && outputMask->value[1]) {
        s = canonical(op, "gradWeight", gradWeight, true, &gradient);
        if (!s)
            s = sa_conv_plan_filter(ex, &c.shape, &c.large, &c.small, &gradient);
    }
    if (!s && outputMask->value[2])
        s = plan_bias(ex, op, grad, gradBias);
    return sa_op_end(ex, s, workspaceSize, executor);
}

SA_OP_RUN(aclnnConvolutionBackward)
