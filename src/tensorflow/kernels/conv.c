/* Convolutions. An operand is a view in the operator's order of dimensions, [N, C, H, W] and [O, I,
 * KH, KW], on memory as TensorFlow has it: nothing is transposed. A depthwise convolution is one in
 * as many groups as the input has channels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "tensorflow/kernels/kernel.h"

typedef struct attributes {
    int64_t stride[2], dilation[2];
    int64_t explicit[2][2]; /* of rows and columns: before, after */
    char padding[16];
    bool channels_first;
} attributes;

static void text_of(TF_OpKernelConstruction *c, const char *name, char *text, size_t most,
                    TF_Status *status)
{
    int32_t list = 0, bytes = 0;
    if (TF_GetCode(status) == TF_OK)
        TF_OpKernelConstruction_GetAttrSize(c, name, &list, &bytes, status);
    if (TF_GetCode(status) != TF_OK)
        return;
    memset(text, 0, most);
    if (bytes > 0 && (size_t)bytes < most)
        TF_OpKernelConstruction_GetAttrString(c, name, text, (size_t)bytes, status);
}

/* A list of 4 or, for "explicit_paddings", 8 numbers or none. */
static bool numbers(TF_OpKernelConstruction *c, const char *name, int64_t *v, int32_t count,
                    TF_Status *status)
{
    int32_t list = 0, bytes = 0;
    if (TF_GetCode(status) == TF_OK)
        TF_OpKernelConstruction_GetAttrSize(c, name, &list, &bytes, status);
    if (TF_GetCode(status) != TF_OK || list == 0)
        return false;
    if (list != count) {
        char text[96];
        snprintf(text, sizeof text, "%s must have %d numbers, and has %d", name, count, list);
        TF_SetStatus(status, TF_INVALID_ARGUMENT, text);
        return false;
    }
    TF_OpKernelConstruction_GetAttrInt64List(c, name, v, count, status);
    return TF_GetCode(status) == TF_OK;
}

static void prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    attributes *a = k->own = calloc(1, sizeof *a);
    char format[16] = "NHWC";
    int64_t v[8];

    if (!a) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of host memory");
        return;
    }
    text_of(c, "data_format", format, sizeof format, status);
    text_of(c, "padding", a->padding, sizeof a->padding, status);
    a->channels_first = strcmp(format, "NCHW") == 0;
    int h = a->channels_first ? 2 : 1, channel = a->channels_first ? 1 : 3;
    if (numbers(c, "strides", v, 4, status)) {
        a->stride[0] = v[h];
        a->stride[1] = v[h + 1];
        if (v[0] != 1 || v[channel] != 1 || v[h] < 1 || v[h + 1] < 1)
            TF_SetStatus(status, TF_INVALID_ARGUMENT,
                         "strides must be 1 for batch and channels, and at least 1 for rows and "
                         "columns");
    }
    a->dilation[0] = a->dilation[1] = 1;
    if (numbers(c, "dilations", v, 4, status)) {
        a->dilation[0] = v[h];
        a->dilation[1] = v[h + 1];
        if (v[0] != 1 || v[channel] != 1 || v[h] < 1 || v[h + 1] < 1)
            TF_SetStatus(status, TF_INVALID_ARGUMENT,
                         "dilations must be 1 for batch and channels, and at least 1 for rows and "
                         "columns");
    }
    if (strcmp(a->padding, "EXPLICIT") == 0 && numbers(c, "explicit_paddings", v, 8, status)) {
        memcpy(a->explicit, v + 2 * h, sizeof a->explicit);
        if (v[0] || v[1] || v[2 * channel] || v[2 * channel + 1] || v[2 * h] < 0 ||
            v[2 * h + 1] < 0 || v[2 * h + 2] < 0 || v[2 * h + 3] < 0)
            TF_SetStatus(status, TF_INVALID_ARGUMENT,
                         "explicit_paddings must be 0 for batch and channels, and not negative");
    }
}

static void drop(kernel *k)
{
    free(k->own);
}

/* Everything about one call: of the convolution that is run or differentiated. */
typedef struct call {
    int64_t in[4], filter[4], out[4]; /* [n, h, w, c]; [kh, kw, i, o] */
    int64_t pads[4];                  /* top, bottom, left, right */
    int64_t groups;
} call;

static bool four(job *j, const char *name, int rank, const int64_t *dims)
{
    if (!j->failed && rank != 4)
        tf_fail(j, TF_INVALID_ARGUMENT, "%s must be 4-dimensional, and has shape %s", name,
                tf_shape(j, rank, dims));
    return !j->failed;
}

/* [n, h, w, c] of a map's shape, and back. */
static void ordered(const job *j, const int64_t *from, int64_t *to, bool back)
{
    static const int first[] = {0, 2, 3, 1}, last[] = {0, 1, 2, 3};
    const attributes *a = j->k->own;
    const int *order = a->channels_first ? first : last;
    for (int i = 0; i < 4; i++)
        to[back ? order[i] : i] = from[back ? i : order[i]];
}

/* Padding and the output's size along one axis. */
static bool axis(job *j, call *c, int i)
{
    const attributes *a = j->k->own;
    int64_t span = (c->filter[i] - 1) * a->dilation[i] + 1, in = c->in[1 + i];
    int64_t stride = a->stride[i], *pads = c->pads + 2 * i, free_rows;

    if (strcmp(a->padding, "SAME") == 0) {
        int64_t out = (in + stride - 1) / stride, total = (out - 1) * stride + span - in;
        total = total < 0 ? 0 : total;
        pads[0] = total / 2;
        pads[1] = total - total / 2;
        c->out[1 + i] = out;
        return true;
    }
    pads[0] = a->explicit[i][0];
    pads[1] = a->explicit[i][1];
    free_rows = in + pads[0] + pads[1] - span;
    c->out[1 + i] = (free_rows + stride) / stride;
    if (free_rows + stride >= 0)
        return true;
    tf_fail(j, TF_INVALID_ARGUMENT,
            "the filter is larger than the input: %s %lld (dilation %lld) of an input of %lld "
            "(padding %s, %lld and %lld)",
            i ? "columns" : "rows", (long long)c->filter[i], (long long)a->dilation[i],
            (long long)in, a->padding, (long long)pads[0], (long long)pads[1]);
    return false;
}

/* From the shapes of input and filter, in TensorFlow's order. */
static bool understand(job *j, bool depthwise, const int64_t *in, const int64_t *filter, call *c)
{
    ordered(j, in, c->in, false);
    memcpy(c->filter, filter, sizeof c->filter);
    if (depthwise) {
        c->filter[3] *= c->filter[2];
        c->filter[2] = 1;
        c->groups = c->in[3];
        if (filter[2] != c->in[3])
            c->groups = 0;
    } else {
        c->groups = c->filter[2] > 0 ? c->in[3] / c->filter[2] : 0;
    }
    for (int i = 0; i < 2; i++)
        if (c->filter[i] < 1) {
            tf_fail(j, TF_INVALID_ARGUMENT, "filter must have no dimension of 0, and has shape %s",
                    tf_shape(j, 4, filter));
            return false;
        }
    if (c->groups < 1 || c->groups * c->filter[2] != c->in[3] || c->filter[3] % c->groups) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                depthwise ? "input and filter must have the same depth: input is %s, filter is %s"
                          : "input depth must be evenly divisible by filter depth, and the "
                            "filter's outputs by the groups that makes: input is %s, filter is %s",
                tf_shape(j, 4, in), tf_shape(j, 4, filter));
        return false;
    }
    c->out[0] = c->in[0];
    c->out[3] = c->filter[3];
    return axis(j, c, 0) && axis(j, c, 1);
}

/* ---- views */

static aclTensor *map_view(job *j, const operand *o, const int64_t nhwc[4])
{
    const attributes *a = j->k->own;
    int64_t h = nhwc[1], w = nhwc[2], ch = nhwc[3];
    view first = {4, {nhwc[0], ch, h, w}, {ch * h * w, h * w, w, 1}, 0};
    view last = {4, {nhwc[0], ch, h, w}, {h * w * ch, 1, w * ch, ch}, 0};
    return tf_viewed(j, o, a->channels_first ? &first : &last);
}

static aclTensor *filter_view(job *j, const operand *o, const int64_t f[4])
{
    view v = {4, {f[3], f[2], f[0], f[1]}, {1, f[3], f[1] * f[2] * f[3], f[2] * f[3]}, 0};
    return tf_viewed(j, o, &v);
}

/* ---- the ops */

static void forward(job *j, bool depthwise)
{
    const operand *x = tf_in(j, 0), *w = tf_in(j, 1);
    const attributes *a = j->k->own;
    call c;
    int64_t dims[4];

    if (j->failed || !four(j, "input", x->rank, x->dims) || !four(j, "filter", w->rank, w->dims) ||
        !understand(j, depthwise, x->dims, w->dims, &c))
        return;
    ordered(j, c.out, dims, true);
    if (!tf_count_fits(j, 4, dims))
        return;
    const operand *y = tf_out(j, 0, x->type, 4, dims);
    if (j->failed || y->count == 0)
        return;
    aclTensor *vx = map_view(j, x, c.in), *vw = filter_view(j, w, c.filter);
    aclTensor *vy = map_view(j, y, c.out);
    aclIntArray *stride = tf_array(j, a->stride, 2), *padding = tf_array(j, c.pads, 4);
    aclIntArray *dilation = tf_array(j, a->dilation, 2);
    TF_RUN(j, aclnnConvolution, vx, vw, NULL, stride, padding, dilation, false, NULL, c.groups, vy,
           0);
}

static void conv(job *j)
{
    forward(j, false);
}

static void depthwise(job *j)
{
    forward(j, true);
}

/* The gradient of the input (`of` 0) or the filter (1), whose shape argument `of` gives in host
 * memory. */
static void backward(job *j, bool depthwise, int of)
{
    static const char *const names[] = {"input_sizes", "filter_sizes"};
    const operand *sizes = tf_in(j, of ? 1 : 0), *given = tf_in(j, of ? 0 : 1), *dy = tf_in(j, 2);
    const attributes *a = j->k->own;
    int64_t dims[4], wanted[4];
    call c;

    if (j->failed || !four(j, of ? "input" : "filter", given->rank, given->dims) ||
        !four(j, "out_backprop", dy->rank, dy->dims))
        return;
    const int64_t *numbers = tf_host_ints(j, sizes);
    if (j->failed)
        return;
    bool plane = !of && !depthwise && sizes->rank == 1 && sizes->count == 2;
    if (sizes->rank != 1 || (sizes->count != 4 && !plane)) {
        tf_fail(j, TF_INVALID_ARGUMENT, "%s must hold 4 numbers, and has shape %s", names[of],
                tf_shape(j, sizes->rank, sizes->dims));
        return;
    }
    if (plane) { /* rows and columns alone: the rest is known */
        int64_t rest[] = {dy->dims[0], numbers[0], numbers[1], given->dims[2]};
        ordered(j, rest, wanted, true);
    } else {
        memcpy(wanted, numbers, sizeof wanted);
    }
    for (int i = 0; i < 4; i++)
        if (wanted[i] < 0) {
            tf_fail(j, TF_INVALID_ARGUMENT, "%s must not be negative, and is %s", names[of],
                    tf_shape(j, 4, wanted));
            return;
        }
    if (!understand(j, depthwise, of ? given->dims : wanted, of ? wanted : given->dims, &c))
        return;
    ordered(j, c.out, dims, true);
    if (memcmp(dims, dy->dims, sizeof dims) != 0) {
        tf_fail(j, TF_INVALID_ARGUMENT, "out_backprop must be %s, and is %s", tf_shape(j, 4, dims),
                tf_shape(j, 4, dy->dims));
        return;
    }
    if (!tf_count_fits(j, 4, wanted))
        return;
    const operand *grad = tf_out(j, 0, dy->type, 4, wanted);
    if (j->failed || grad->count == 0)
        return;
    if (dy->count == 0 || given->count == 0) {
        aclTensor *flat = tf_flat(j, grad);
        aclScalar *zero = tf_scalar(j, grad->type, 0);
        TF_RUN(j, aclnnInplaceFillScalar, flat, zero);
        return;
    }
    /* the operator takes input and filter both; of the one it differentiates only the shape */
    aclTensor *vx = map_view(j, of ? given : grad, c.in);
    aclTensor *vw = filter_view(j, of ? grad : given, c.filter), *vy = map_view(j, dy, c.out);
    aclIntArray *stride = tf_array(j, a->stride, 2), *padding = tf_array(j, c.pads, 4);
    aclIntArray *dilation = tf_array(j, a->dilation, 2);
    aclBoolArray *mask = tf_bools(j, (bool[]){of == 0, of == 1, false}, 3);
    TF_RUN(j, aclnnConvolutionBackward, vy, vx, vw, NULL, stride, padding, dilation, false, NULL,
           (int)c.groups, mask, 0, of ? NULL : vx, of ? vw : NULL, NULL);
}

static void conv_input(job *j)
{
    backward(j, false, 0);
}

static void conv_filter(job *j)
{
    backward(j, false, 1);
}

static void depthwise_input(job *j)
{
    backward(j, true, 0);
}

static void depthwise_filter(job *j)
{
    backward(j, true, 1);
}

#define ROW(op, compute, ...)                                                                      \
    {                                                                                              \
        op, "T", T_FLOATS, compute, prepare, .drop = drop, __VA_ARGS__                             \
    }

const kernel_def tf_kernels_conv[] = {
    ROW("Conv2D", conv),
    ROW("Conv2DBackpropInput", conv_input, .host = {"input_sizes"}),
    ROW("Conv2DBackpropFilter", conv_filter, .host = {"filter_sizes"}),
    ROW("DepthwiseConv2dNative", depthwise),
    ROW("DepthwiseConv2dNativeBackpropInput", depthwise_input, .host = {"input_sizes"}),
    ROW("DepthwiseConv2dNativeBackpropFilter", depthwise_filter, .host = {"filter_sizes"}),
    {NULL},
};
