/* Binary arithmetic with broadcasting. Sums, products and quotients of fp16 are rounded once by
 * their own instruction; bf16 and whatever takes two steps goes through fp32. */
#include "ops/elementwise/engine.h"

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_pow_tensor_tensor.h"
#include "aclnnop/aclnn_sub.h"
#include "aclnnop/sann_div_no_nan.h"
#include "aclnnop/sann_squared_difference.h"

/* other, or alpha * other where the plan has an alpha. */
static const void *scaled(const sa_ew_tile *t)
{
    if (!t->in[2])
        return t->in[1];
    sa_mul(t->core, t->dtype, t->tmp[0], t->in[1], t->in[2], t->n);
    sa_barrier(t->core, SA_PIPE_V);
    return t->tmp[0];
}

static void add(const sa_ew_tile *t)
{
    sa_add(t->core, t->dtype, t->out, t->in[0], scaled(t), t->n);
}

static void add_kernel(sa_core *core, void *args)
{
    sa_ew_run(core, args, add);
}

aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                     const aclScalar *alpha, aclTensor *out,
                                     uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const sa_ew_family f = {
        .op = "aclnnAdd", .kernel = add_kernel, SA_DTYPES_NUMBER, .slot = SA_EW_SLOT(add)};
    aclnnStatus s = sa_check_pointer("aclnnAdd", "alpha", alpha);
    return s ? s
             : sa_ew_binary(&f, self, "self", other, "other", alpha, out, "out", workspaceSize,
                            executor);
}
SA_OP_RUN(aclnnAdd)

static void sub(const sa_ew_tile *t)
{
    sa_sub(t->core, t->dtype, t->out, t->in[0], scaled(t), t->n);
}

static void sub_kernel(sa_core *core, void *args)
{
    sa_ew_run(core, args, sub);
}

aclnnStatus aclnnSubGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                     const aclScalar *alpha, aclTensor *out,
                                     uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const sa_ew_family f = {
        .op = "aclnnSub", .kernel = sub_kernel, SA_DTYPES_NUMBER, .slot = SA_EW_SLOT(sub)};
    aclnnStatus s = sa_check_pointer("aclnnSub", "alpha", alpha);
    return s ? s
             : sa_ew_binary(&f, self, "self", other, "other", alpha, out, "out", workspaceSize,
                            executor);
}
SA_OP_RUN(aclnnSub)

static void mul(const sa_ew_tile *t)
{
    sa_mul(t->core, t->dtype, t->out, t->in[0], t->in[1], t->n);
}
SA_EW_BINARY_OF(aclnnMul, mul, SA_DTYPES_NUMBER, false, false, 0, SA_EW_SLOT(mul))

static void divide(const sa_ew_tile *t)
{
    sa_div(t->core, t->dtype, t->out, t->in[0], t->in[1], t->n);
}
SA_EW_BINARY_OF(aclnnDiv, divide, SA_DTYPES_FLOAT, false, false, 0, SA_EW_SLOT(div))

static void maximum(const sa_ew_tile *t)
{
    sa_max(t->core, t->dtype, t->out, t->in[0], t->in[1], t->n);
}
SA_EW_BINARY_OF(aclnnMaximum, maximum, SA_DTYPES_NUMBER, false, false, 0, SA_EW_SLOT(max))

static void minimum(const sa_ew_tile *t)
{
    sa_min(t->core, t->dtype, t->out, t->in[0], t->in[1], t->n);
}
SA_EW_BINARY_OF(aclnnMinimum, minimum, SA_DTYPES_NUMBER, false, false, 0, SA_EW_SLOT(min))

/* tmp[0]: the quotient; tmp[1]: where other is not 0 (NaN is not) */
static void div_no_nan(const sa_ew_tile *t)
{
    sa_div(t->core, t->dtype, t->tmp[0], t->in[0], t->in[1], t->n);
    sa_compares(t->core, t->dtype, SA_NE, t->tmp[1], t->in[1], 0, t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_selects(t->core, t->dtype, t->out, t->tmp[1], t->tmp[0], 0, t->n);
}
SA_EW_BINARY(sannDivNoNan, div_no_nan, SA_DTYPES_FLOAT, false, false, 2)

static void squared_difference(const sa_ew_tile *t)
{
    sa_sub(t->core, t->dtype, t->tmp[0], t->in[0], t->in[1], t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_mul(t->core, t->dtype, t->out, t->tmp[0], t->tmp[0], t->n);
}
SA_EW_BINARY(sannSquaredDifference, squared_difference, SA_DTYPES_NUMBER, true, false, 1)

static void power(const sa_ew_tile *t)
{
    sa_pow(t->core, t->dtype, t->out, t->in[0], t->in[1], t->n);
}

static void pow_kernel(sa_core *core, void *args)
{
    sa_ew_run(core, args, power);
}

aclnnStatus aclnnPowTensorTensorGetWorkspaceSize(const aclTensor *self, const aclTensor *exponent,
                                                 aclTensor *out, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor)
{
    static const sa_ew_family f = {
        .op = "aclnnPowTensorTensor", .kernel = pow_kernel, SA_DTYPES_FLOAT, .widen_f16 = true};
    return sa_ew_binary(&f, self, "self", exponent, "exponent", NULL, out, "out", workspaceSize,
                        executor);
}
SA_OP_RUN(aclnnPowTensorTensor)
