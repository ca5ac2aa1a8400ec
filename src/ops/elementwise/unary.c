/* Functions of one operand. Those with more than one step or a series inside go through fp32 and
 * round once. */
#include "ops/elementwise/engine.h"

#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"

static void exponential(const sa_ew_tile *t)
{
    sa_exp(t->core, t->dtype, t->out, t->in[0], t->n);
}
SA_EW_UNARY_OF(aclnnExp, exponential, SA_DTYPES_FLOAT, true, false, 0, SA_EW_SLOT(exp))

static void logarithm(const sa_ew_tile *t)
{
    sa_ln(t->core, t->dtype, t->out, t->in[0], t->n);
}
SA_EW_UNARY_OF(aclnnLog, logarithm, SA_DTYPES_FLOAT, true, false, 0, SA_EW_SLOT(ln))

static void tangent(const sa_ew_tile *t)
{
    sa_tanh(t->core, t->dtype, t->out, t->in[0], t->n);
}
SA_EW_UNARY_OF(aclnnTanh, tangent, SA_DTYPES_FLOAT, true, false, 0, SA_EW_SLOT(tanh))

static void square_root(const sa_ew_tile *t)
{
    sa_sqrt(t->core, t->dtype, t->out, t->in[0], t->n);
}
SA_EW_UNARY_OF(aclnnSqrt, square_root, SA_DTYPES_FLOAT, false, false, 0, SA_EW_SLOT(sqrt))

static void reciprocal(const sa_ew_tile *t)
{
    sa_rec(t->core, t->dtype, t->out, t->in[0], t->n);
}
SA_EW_UNARY_OF(aclnnReciprocal, reciprocal, SA_DTYPES_FLOAT, false, false, 0, SA_EW_SLOT(rec))

static void reciprocal_root(const sa_ew_tile *t)
{
    sa_rsqrt(t->core, t->dtype, t->out, t->in[0], t->n);
}
SA_EW_UNARY_OF(aclnnRsqrt, reciprocal_root, SA_DTYPES_FLOAT, true, false, 0, SA_EW_SLOT(rsqrt))

/* 64-bit integers have no instruction with a scalar */
static void negate(const sa_ew_tile *t)
{
    if (t->dtype != SA_I64) {
        sa_muls(t->core, t->dtype, t->out, t->in[0], -1, t->n);
        return;
    }
    sa_fill(t->core, t->dtype, t->tmp[0], 0, t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_sub(t->core, t->dtype, t->out, t->tmp[0], t->in[0], t->n);
}
SA_EW_UNARY(aclnnNeg, negate, SA_DTYPES_NUMBER, false, false, 1)

static void absolute(const sa_ew_tile *t)
{
    if (t->dtype != SA_I64) {
        sa_abs(t->core, t->dtype, t->out, t->in[0], t->n);
        return;
    }
    sa_fill(t->core, t->dtype, t->tmp[0], 0, t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_sub(t->core, t->dtype, t->tmp[0], t->tmp[0], t->in[0], t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_max(t->core, t->dtype, t->out, t->tmp[0], t->in[0], t->n);
}
SA_EW_UNARY_OF(aclnnAbs, absolute, SA_DTYPES_NUMBER, false, false, 1, SA_EW_SLOT(abs))

static void relu(const sa_ew_tile *t)
{
    if (t->dtype != SA_I64) {
        sa_relu(t->core, t->dtype, t->out, t->in[0], t->n);
        return;
    }
    sa_fill(t->core, t->dtype, t->tmp[0], 0, t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_max(t->core, t->dtype, t->out, t->tmp[0], t->in[0], t->n);
}
SA_EW_UNARY_OF(aclnnRelu, relu, SA_DTYPES_NUMBER, false, false, 1, SA_EW_SLOT(relu))
