/* aclnnLayerNorm and its gradients: what is refused, and contiguous operands. */
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"

#include "ops/elementwise/engine.h"
#include "ops/layer_norm/layer_norm.h"
#include "runtime/runtime.h"

/* fewer elements than this are not worth another block */
#define GRAIN 8192

typedef struct call {
    const char *op;
    aclOpExecutor *ex;
    const aclTensor *input;
    int rank; /* of normalizedShape */
    sa_layer_norm_job p;
    int points; /* of what the workspace holds */
    struct {
        size_t field; /* in sa_layer_norm_job */
        uint64_t offset;
    } point[10];
    int results; /* outputs that leave through the workspace */
    struct {
        const aclTensor *out;
        uint64_t offset;
    } result[4];
} call;

/* rows and cols, by normalizedShape. */
static aclnnStatus read_shape(call *c, const aclTensor *input, const aclIntArray *shape)
{
    char want[SA_SHAPE_TEXT], have[SA_SHAPE_TEXT];
    aclnnStatus s = sa_check_tensor(c->op, "input", input, SA_DTYPES_FLOAT);

    if (!s)
        s = sa_check_pointer(c->op, "normalizedShape", shape);
    if (s)
        return s;
    bool fits = shape->size >= 1 && shape->size <= (uint64_t)input->rank;
    c->rank = fits ? (int)shape->size : 0;
    c->p.rows = c->p.cols = 1;
    for (int i = 0; i < input->rank; i++) {
        int own = i - (input->rank - c->rank);
        if (own >= 0)
            fits = fits && shape->value[own] == input->dims[i];
        *(own >= 0 ? &c->p.cols : &c->p.rows) *= input->dims[i];
    }
    if (!fits)
        return sa_refuse(c->op, "normalizedShape is %s, it must be the last dimensions of input %s",
                         shape->size <= SA_MAX_RANK
                             ? sa_shape_text(want, (int)shape->size, shape->value)
                             : "longer",
                         sa_shape_text(have, input->rank, input->dims));
    c->input = input;
    c->p.dtype = input->dtype;
    return ACLNN_SUCCESS;
}

static uint64_t parameter_dtypes(const call *c)
{
    return SA_DTYPE_BIT(c->p.dtype) | SA_DTYPE_BIT(SA_F32);
}

/* t is of normalizedShape. */
static aclnnStatus check_parameter(const call *c, const char *arg, const aclTensor *t, bool output)
{
    aclnnStatus s = output ? sa_check_output(c->op, arg, t, parameter_dtypes(c))
                           : sa_check_tensor(c->op, arg, t, parameter_dtypes(c));
    return s ? s
             : sa_check_shape(c->op, arg, t, c->rank, c->input->dims + c->input->rank - c->rank);
}

/* mean or rstd. */
static aclnnStatus check_statistic(const call *c, const char *arg, const aclTensor *t, bool output)
{
    int64_t want[SA_MAX_RANK];
    aclnnStatus s = output ? sa_check_output(c->op, arg, t, SA_DTYPE_BIT(SA_F32))
                           : sa_check_tensor(c->op, arg, t, SA_DTYPE_BIT(SA_F32));

    for (int i = 0; i < c->input->rank; i++)
        want[i] = i < c->input->rank - c->rank ? c->input->dims[i] : 1;
    return s ? s : sa_check_shape(c->op, arg, t, c->input->rank, want);
}

/* Of input's dtype and shape. */
static aclnnStatus check_like(const call *c, const char *arg, const aclTensor *t, bool output)
{
    aclnnStatus s = output ? sa_check_output(c->op, arg, t, SA_DTYPES_FLOAT)
                           : sa_check_tensor(c->op, arg, t, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_same_dtype(c->op, "input", c->input, arg, t);
    return s ? s : sa_check_same_shape(c->op, "input", c->input, arg, t);
}

#define FIELD(name) offsetof(sa_layer_norm_job, name)

static void **field_of(call *c, size_t field)
{
    return (void **)((char *)&c->p + field);
}

static void point_to(call *c, size_t field, uint64_t offset)
{
    c->point[c->points].field = field;
    c->point[c->points++].offset = offset;
}

/* The tensor, or a contiguous copy; NULL stays. */
static aclnnStatus bring(call *c, size_t field, const aclTensor *t)
{
    aclTensor flat;
    bool copied;
    uint64_t at;
    aclnnStatus s;

    if (!t)
        return ACLNN_SUCCESS;
    s = sa_plan_contiguous(c->ex, c->op, t, t->rank, t->dims, &flat, &copied, &at);
    if (s)
        return s;
    *field_of(c, field) = copied ? NULL : sa_tensor_data(t);
    if (copied)
        point_to(c, field, at);
    return ACLNN_SUCCESS;
}

static void leave(call *c, size_t field, const aclTensor *t)
{
    aclTensor flat;
    bool apart;
    uint64_t at;

    if (!t)
        return;
    sa_plan_result(c->ex, t, &flat, &apart, &at);
    *field_of(c, field) = apart ? NULL : sa_tensor_data(t);
    if (apart) {
        point_to(c, field, at);
        c->result[c->results].out = t;
        c->result[c->results++].offset = at;
    }
}

static aclnnStatus launch(call *c, sa_layer_norm_kind kind)
{
    const sa_chip *chip = sa_current_chip();
    int64_t most = kind == SA_LAYER_NORM_WEIGHTS
                       ? (c->p.cols + SA_LAYER_NORM_STRIP - 1) / SA_LAYER_NORM_STRIP
                       : c->p.rows;
    int64_t blocks;
    void *copy;
    aclnnStatus s;

    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    blocks = sa_blocks(chip, SA_AIV, c->p.rows * c->p.cols, GRAIN);
    c->p.kind = kind;
    s = sa_op_launch(c->ex, sa_layer_norm_kernel, c->op, SA_AIV,
                     (uint32_t)(blocks < most ? blocks : most), &c->p, sizeof c->p, &copy);
    for (int i = 0; !s && i < c->points; i++)
        s = sa_op_point(c->ex, (char *)copy + c->point[i].field, c->point[i].offset);
    return s;
}

static aclnnStatus scatter(const call *c)
{
    aclnnStatus s = ACLNN_SUCCESS;
    for (int i = 0; !s && i < c->results; i++)
        s = sa_plan_scatter(c->ex, c->op, c->result[i].out, true, c->result[i].offset);
    return s;
}

aclnnStatus aclnnLayerNormGetWorkspaceSize(
    const aclTensor *input, const aclIntArray *normalizedShape, const aclTensor *weightOptional,
    const aclTensor *biasOptional, double eps, aclTensor *out, aclTensor *meanOutOptional,
    aclTensor *rstdOutOptional, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    call c = {.op = "aclnnLayerNorm", .p.eps = eps};
    aclnnStatus s = sa_op_begin(c.op, workspaceSize, executor, &c.ex);

    if (!s)
        s = read_shape(&c, input, normalizedShape);
    if (!s && weightOptional)
        s = check_parameter(&c, "weightOptional", weightOptional, false);
    if (!s && biasOptional)
        s = check_parameter(&c, "biasOptional", biasOptional, false);
    if (!s)
        s = check_like(&c, "out", out, true);
    if (!s && meanOutOptional)
        s = check_statistic(&c, "meanOutOptional", meanOutOptional, true);
    if (!s && rstdOutOptional)
        s = check_statistic(&c, "rstdOutOptional", rstdOutOptional, true);
    if (!s && out->elements > 0) {
        c.p.w_dtype = weightOptional ? weightOptional->dtype : SA_F32;
        c.p.b_dtype = biasOptional ? biasOptional->dtype : SA_F32;
        s = bring(&c, FIELD(x), input);
        if (!s)
            s = bring(&c, FIELD(w), weightOptional);
        if (!s)
            s = bring(&c, FIELD(b), biasOptional);
        if (!s) {
            leave(&c, FIELD(out), out);
            leave(&c, FIELD(mean), meanOutOptional);
            leave(&c, FIELD(rstd), rstdOutOptional);
            s = launch(&c, SA_LAYER_NORM);
        }
        if (!s)
            s = scatter(&c);
    }
    return sa_op_end(c.ex, s, workspaceSize, executor);
}
SA_OP_RUN(aclnnLayerNorm)

/* Of no rows a sum is 0. */
static aclnnStatus plan_zeros(const call *c, const aclTensor *t)
{
    aclScalar zero = {.dtype = SA_F64, .value.f64 = 0};
    return t && t->elements > 0 ? sa_ew_plan_fill(c->ex, c->op, t, &zero) : ACLNN_SUCCESS;
}

aclnnStatus aclnnLayerNormBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclTensor *input, const aclIntArray *normalizedShape,
    const aclTensor *mean, const aclTensor *rstd, const aclTensor *weightOptional,
    const aclTensor *biasOptional, const aclBoolArray *outputMask, aclTensor *gradInputOut,
    aclTensor *gradWeightOut, aclTensor *gradBiasOut, uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    call c = {.op = "aclnnLayerNormBackward"};
    const aclTensor *dx, *dw, *db;
    aclnnStatus s = sa_op_begin(c.op, workspaceSize, executor, &c.ex);

    if (!s)
        s = read_shape(&c, input, normalizedShape);
    if (!s)
        s = check_like(&c, "gradOut", gradOut, false);
    if (!s)
        s = check_statistic(&c, "mean", mean, false);
    if (!s)
        s = check_statistic(&c, "rstd", rstd, false);
    if (!s && weightOptional)
        s = check_parameter(&c, "weightOptional", weightOptional, false);
    if (!s && biasOptional)
        s = check_parameter(&c, "biasOptional", biasOptional, false);
    if (!s)
        s = sa_check_pointer(c.op, "outputMask", outputMask);
    if (!s && outputMask->size != 3)
        s = sa_refuse(c.op, "outputMask has %llu elements, it must have 3",
                      (unsigned long long)outputMask->size);
    if (s)
        return sa_op_end(c.ex, s, workspaceSize, executor);
    dx = outputMask->value[0] ? gradInputOut : NULL;
    dw = outputMask->value[1] ? gradWeightOut : NULL;
    db = outputMask->value[2] ? gradBiasOut : NULL;
    if (outputMask->value[0])
        s = check_like(&c, "gradInputOut", dx, true);
    if (!s && outputMask->value[1])
        s = check_parameter(&c, "gradWeightOut", dw, true);
    if (!s && dw && weightOptional)
        s = sa_check_same_dtype(c.op, "weightOptional", weightOptional, "gradWeightOut", dw);
    if (!s && outputMask->value[2])
        s = check_parameter(&c, "gradBiasOut", db, true);
    if (!s && db && biasOptional)
        s = sa_check_same_dtype(c.op, "biasOptional", biasOptional, "gradBiasOut", db);
    if (!s && input->elements == 0) {
        s = plan_zeros(&c, dw);
        if (!s)
            s = plan_zeros(&c, db);
    } else if (!s && (dx || dw || db)) {
        c.p.w_dtype = weightOptional ? weightOptional->dtype : dw ? dw->dtype : SA_F32;
        c.p.b_dtype = db ? db->dtype : SA_F32;
        s = bring(&c, FIELD(dy), gradOut);
        if (!s)
            s = bring(&c, FIELD(x), input);
        if (!s)
            s = bring(&c, FIELD(mean), mean);
        if (!s)
            s = bring(&c, FIELD(rstd), rstd);
        if (!s)
            s = bring(&c, FIELD(w), weightOptional);
        leave(&c, FIELD(out), dx);
        leave(&c, FIELD(dw), dw);
        leave(&c, FIELD(db), db);
        if (!s && dx)
            s = launch(&c, SA_LAYER_NORM_INPUT);
        if (!s && (dw || db))
            s = launch(&c, SA_LAYER_NORM_WEIGHTS);
        if (!s)
            s = scatter(&c);
    }
    return sa_op_end(c.ex, s, workspaceSize, executor);
}
SA_OP_RUN(aclnnLayerNormBackward)
