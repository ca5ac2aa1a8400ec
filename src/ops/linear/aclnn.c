/* sannLinear and sannActivationBackward: what is refused, what is copied first. */
#include "aclnnop/sann_linear.h"

#include "ops/linear/linear.h"
#include "runtime/runtime.h"

#include <string.h>

/* Elements that are worth a block of their own. */
#define GRAIN 16384

static const char *const activations[SA_ACTIVATIONS] = {"none",    "relu", "relu6",     "tanh",
                                                        "sigmoid", "gelu", "gelu_tanh", "silu"};

static aclnnStatus activation_of(const char *op, const char *name, sa_activation *activation)
{
    for (int i = 0; i < SA_ACTIVATIONS; i++)
        if (strcmp(name ? name : "none", activations[i]) == 0) {
            *activation = (sa_activation)i;
            return ACLNN_SUCCESS;
        }
    return sa_refuse(op,
                     "activation is '%s', it must be none, relu, relu6, tanh, sigmoid, gelu, "
                     "gelu_tanh or silu",
                     name);
}

/* ---- sannLinear */

static const char linear[] = "sannLinear";

typedef struct operands {
    const aclTensor *self, *weight, *bias, *before, *out;
} operands;

static aclnnStatus check(const operands *o)
{
    char a[SA_SHAPE_TEXT], b[SA_SHAPE_TEXT];
    int64_t want[SA_MAX_RANK];
    int rank;
    aclnnStatus s = sa_check_tensor(linear, "self", o->self, SA_DTYPES_FLOAT);

    if (!s)
        s = sa_check_tensor(linear, "weight", o->weight, SA_DTYPES_FLOAT);
    if (!s && o->bias)
        s = sa_check_tensor(linear, "bias", o->bias, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_output(linear, "out", o->out, SA_DTYPES_FLOAT);
    if (!s && o->before)
        s = sa_check_output(linear, "preactivation", o->before, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_same_dtype(linear, "self", o->self, "weight", o->weight);
    if (!s && o->bias)
        s = sa_check_same_dtype(linear, "self", o->self, "bias", o->bias);
    if (!s)
        s = sa_check_same_dtype(linear, "self", o->self, "out", o->out);
    if (!s && o->before)
        s = sa_check_same_dtype(linear, "self", o->self, "preactivation", o->before);
    if (!s)
        s = sa_check_rank(linear, "self", o->self, 2, SA_MAX_RANK);
    if (!s)
        s = sa_check_rank(linear, "weight", o->weight, 2, 2);
    if (s)
        return s;
    rank = o->self->rank;
    if (o->self->dims[rank - 1] != o->weight->dims[0])
        return sa_refuse(linear, "k differs: self is %s, weight is %s",
                         sa_shape_text(a, rank, o->self->dims),
                         sa_shape_text(b, 2, o->weight->dims));
    if (o->bias)
        s = sa_check_shape(linear, "bias", o->bias, 1, &o->weight->dims[1]);
    memcpy(want, o->self->dims, sizeof want);
    want[rank - 1] = o->weight->dims[1];
    if (!s)
        s = sa_check_shape(linear, "out", o->out, rank, want);
    if (!s && o->before)
        s = sa_check_shape(linear, "preactivation", o->before, rank, want);
    return s;
}

/* A matrix that is contiguous by rows, or else by columns, or neither. */
static bool matrix_of(const aclTensor *t, bool *transpose, int64_t *pitch)
{
    const int64_t *dims = t->dims, *strides = t->strides;
    for (int i = 0; t->rank == 2 && i < 2; i++) {
        int64_t inner = dims[!i], outer = dims[i];
        if ((inner == 1 || strides[!i] == 1) && (outer == 1 || strides[i] >= inner)) {
            *transpose = i;
            *pitch = outer == 1 ? inner : strides[i];
            return true;
        }
    }
    return false;
}

/* `in` where it lies if the kernels can read it so, else a copy in the workspace. */
static aclnnStatus operand(aclOpExecutor *ex, const aclTensor *in, bool *transpose, int64_t *pitch,
                           const char **data, bool *copied, uint64_t *offset)
{
    aclTensor flat;
    aclnnStatus s;

    *copied = false;
    *data = sa_tensor_data(in);
    if (matrix_of(in, transpose, pitch))
        return ACLNN_SUCCESS;
    s = sa_plan_contiguous(ex, linear, in, in->rank, in->dims, &flat, copied, offset);
    if (!s)
        *data = *copied ? NULL : sa_tensor_data(&flat);
    *transpose = false;
    *pitch = in->dims[in->rank - 1];
    return s;
}

typedef struct moved {
    bool copied;
    uint64_t at;
} moved;

static aclnnStatus point(aclOpExecutor *ex, const moved *m, void *field)
{
    return m->copied ? sa_op_point(ex, field, m->at) : ACLNN_SUCCESS;
}

static aclnnStatus plan(aclOpExecutor *ex, const operands *o, sa_activation activation)
{
    const sa_chip *chip = sa_current_chip();
    sa_dtype dtype = o->self->dtype;
    sa_linear_args x = {.activation = activation};
    sa_matmul_args *p = &x.product;
    aclTensor flat;
    moved a, b, bias = {0}, before = {0}, out;
    void *args;
    aclnnStatus s;

    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    p->dtype = dtype;
    p->n = o->weight->dims[1];
    p->k = o->weight->dims[0];
    p->m = o->out->elements / p->n;
    s = operand(ex, o->self, &p->transpose_a, &p->pitch_a, &p->a, &a.copied, &a.at);
    if (!s)
        s = operand(ex, o->weight, &p->transpose_b, &p->pitch_b, &p->b, &b.copied, &b.at);
    if (!s && o->bias) {
        s = sa_plan_contiguous(ex, linear, o->bias, 1, o->bias->dims, &flat, &bias.copied,
                               &bias.at);
        x.bias = s || bias.copied ? NULL : sa_tensor_data(&flat);
    }
    if (s)
        return s;
    sa_plan_result(ex, o->out, &flat, &out.copied, &out.at);
    x.out = out.copied ? NULL : sa_tensor_data(&flat);
    if (o->before) {
        sa_plan_result(ex, o->before, &flat, &before.copied, &before.at);
        x.before = before.copied ? NULL : sa_tensor_data(&flat);
    }

    sa_linear_args *last;
    if (p->k > 0 && sa_matmul_is_fast(dtype)) {
        p->pitch_c = p->n;
        s = sa_op_launch(ex, sa_linear_fast, linear, SA_AIC,
                         sa_matmul_fast_blocks(1, p->m, p->n, p->k), &x, sizeof x, &args);
        last = args;
        if (!s)
            s = point(ex, &a, &last->product.a);
        if (!s)
            s = point(ex, &b, &last->product.b);
    } else {
        uint64_t sums = sa_op_workspace(ex, (uint64_t)o->out->elements * 4);
        sa_matmul_args *product;
        p->out = SA_F32;
        p->pitch_c = p->n;
        if (p->k == 0) {
            p->tiling.deal.batch = 1;
            s = sa_op_launch(ex, sa_matmul_zero, linear, SA_AIV,
                             sa_blocks(chip, SA_AIV, p->m * p->n, GRAIN), p, sizeof *p, &args);
        } else {
            sa_matmul_tile(chip, dtype, 1, p->m, p->n, p->k, &p->tiling);
            s = sa_op_launch(ex, sa_matmul_kernel, linear, SA_AIC, p->tiling.deal.cores, p,
                             sizeof *p, &args);
        }
        product = args;
        if (!s)
            s = point(ex, &a, &product->a);
        if (!s)
            s = point(ex, &b, &product->b);
        if (!s)
            s = sa_op_point(ex, &product->c, sums);
        if (!s)
            s = sa_op_launch(ex, sa_linear_finish, linear, SA_AIV,
                             sa_blocks(chip, SA_AIV, p->m * p->n, GRAIN), &x, sizeof x, &args);
        last = args;
        if (!s)
            s = sa_op_point(ex, &last->product.c, sums);
    }
    if (!s)
        s = point(ex, &bias, &last->bias);
    if (!s)
        s = point(ex, &before, &last->before);
    if (!s)
        s = point(ex, &out, &last->out);
    if (!s)
        s = sa_plan_scatter(ex, linear, o->out, out.copied, out.at);
    if (!s && o->before)
        s = sa_plan_scatter(ex, linear, o->before, before.copied, before.at);
    return s;
}

aclnnStatus sannLinearGetWorkspaceSize(const aclTensor *self, const aclTensor *weight,
                                       const aclTensor *biasOptional, const char *activation,
                                       aclTensor *preactivationOptional, aclTensor *out,
                                       uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const operands o = {self, weight, biasOptional, preactivationOptional, out};
    sa_activation kind = SA_ACTIVATE_NONE;
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(linear, workspaceSize, executor, &ex);

    if (!s)
        s = check(&o);
    if (!s)
        s = activation_of(linear, activation, &kind);
    if (!s && out->elements > 0)
        s = plan(ex, &o, kind);
    return sa_op_end(ex, s, workspaceSize, executor);
}

SA_OP_RUN(sannLinear)

/* ---- sannActivationBackward */

static const char backward[] = "sannActivationBackward";

static aclnnStatus plan_backward(aclOpExecutor *ex, const aclTensor *gradient,
                                 const aclTensor *before, const aclTensor *out,
                                 sa_activation activation)
{
    const sa_chip *chip = sa_current_chip();
    sa_activation_args x = {.dtype = out->dtype, .activation = activation, .n = out->elements};
    sa_activation_args *copy;
    aclTensor flat;
    moved g, z, y;
    void *args;
    aclnnStatus s;

    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    s = sa_plan_contiguous(ex, backward, gradient, out->rank, out->dims, &flat, &g.copied, &g.at);
    x.gradient = s || g.copied ? NULL : sa_tensor_data(&flat);
    if (!s)
        s = sa_plan_contiguous(ex, backward, before, out->rank, out->dims, &flat, &z.copied, &z.at);
    if (s)
        return s;
    x.before = z.copied ? NULL : sa_tensor_data(&flat);
    sa_plan_result(ex, out, &flat, &y.copied, &y.at);
    x.out = y.copied ? NULL : sa_tensor_data(&flat);
    s = sa_op_launch(ex, sa_activation_backward, backward, SA_AIV,
                     sa_blocks(chip, SA_AIV, x.n, GRAIN), &x, sizeof x, &args);
    copy = args;
    if (!s)
        s = point(ex, &g, &copy->gradient);
    if (!s)
        s = point(ex, &z, &copy->before);
    if (!s)
        s = point(ex, &y, &copy->out);
    return s ? s : sa_plan_scatter(ex, backward, out, y.copied, y.at);
}

aclnnStatus sannActivationBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                   const aclTensor *preactivation,
                                                   const char *activation, aclTensor *gradInput,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    sa_activation kind = SA_ACTIVATE_NONE;
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(backward, workspaceSize, executor, &ex);

    if (!s)
        s = sa_check_tensor(backward, "gradOutput", gradOutput, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_tensor(backward, "preactivation", preactivation, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_output(backward, "gradInput", gradInput, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_same_dtype(backward, "gradOutput", gradOutput, "preactivation", preactivation);
    if (!s)
        s = sa_check_same_dtype(backward, "gradOutput", gradOutput, "gradInput", gradInput);
    if (!s)
        s = sa_check_same_shape(backward, "gradOutput", gradOutput, "preactivation", preactivation);
    if (!s)
        s = sa_check_same_shape(backward, "gradOutput", gradOutput, "gradInput", gradInput);
    if (!s)
        s = activation_of(backward, activation, &kind);
    if (!s && gradInput->elements > 0)
        s = plan_backward(ex, gradOutput, preactivation, gradInput, kind);
    return sa_op_end(ex, s, workspaceSize, executor);
}

SA_OP_RUN(sannActivationBackward)
