/* log(1 + x) and exp(x) - 1, exact near zero. TensorFlow's graph optimiser makes these ops of those
 * expressions on every device, so both must exist.
 *
 * What u = 1 + x (or u = exp(x)) lost in rounding, the other function of the rounded number gives
 * back (W. Kahan): log1p(x) = x log(u) / (u - 1), expm1(x) = (u - 1) x / log(u). Computed in
 * float32 for every dtype and rounded once at the end. */
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_s_where.h"
#include "aclnnop/aclnn_sub.h"
#include "tensorflow/kernels/kernel.h"

typedef struct parts {
    const operand *x, *y;
    aclTensor *in, *out; /* in float32 */
    aclTensor *u, *less, *log, *is, *constant;
    aclScalar *one;
} parts;

static aclTensor *temporary(job *j, int64_t count, TF_DataType type)
{
    return tf_flat(j, tf_temp(j, type, 1, &count));
}

static bool begin(job *j, parts *p)
{
    p->x = tf_in(j, 0);
    p->y = tf_out(j, 0, p->x->type, p->x->rank, p->x->dims);
    int64_t n = p->x->count;
    if (j->failed || n == 0)
        return false;
    bool wide = p->x->type == TF_FLOAT;
    p->in = wide ? tf_flat(j, p->x) : temporary(j, n, TF_FLOAT);
    p->out = wide ? tf_flat(j, p->y) : temporary(j, n, TF_FLOAT);
    p->u = temporary(j, n, TF_FLOAT);
    p->less = temporary(j, n, TF_FLOAT);
    p->log = temporary(j, n, TF_FLOAT);
    p->is = temporary(j, n, TF_BOOL);
    p->constant = temporary(j, 1, TF_FLOAT);
    p->one = tf_scalar(j, TF_FLOAT, 1);
    if (!wide) {
        aclTensor *narrow = tf_flat(j, p->x);
        TF_RUN(j, aclnnCast, narrow, ACL_FLOAT, p->in);
    }
    return !j->failed;
}

static void set_constant(job *j, parts *p, double value)
{
    aclScalar *v = tf_scalar(j, TF_FLOAT, value);
    TF_RUN(j, aclnnInplaceFillScalar, p->constant, v);
}

/* Where a == b, out becomes `value`. */
static void put_where(job *j, parts *p, aclTensor *a, aclTensor *b, aclTensor *value)
{
    TF_RUN(j, aclnnEqTensor, a, b, p->is);
    TF_RUN(j, aclnnSWhere, p->is, value, p->out, p->out);
}

static void end(job *j, parts *p)
{
    if (p->x->type == TF_FLOAT || j->failed)
        return;
    aclTensor *narrow = tf_flat(j, p->y);
    TF_RUN(j, aclnnCast, p->out, tf_acl_type(p->y->type), narrow);
}

static void log1p_(job *j)
{
    parts p;
    if (!begin(j, &p))
        return;
    set_constant(j, &p, 1);
    TF_RUN(j, aclnnAdd, p.in, p.constant, p.one, p.u);
    TF_RUN(j, aclnnSub, p.u, p.constant, p.one, p.less);
    TF_RUN(j, aclnnLog, p.u, p.log);
    TF_RUN(j, aclnnDiv, p.log, p.less, p.out);
    TF_RUN(j, aclnnMul, p.out, p.in, p.out);
    set_constant(j, &p, 0);
    put_where(j, &p, p.less, p.constant, p.in); /* 1 + x is 1 */
    put_where(j, &p, p.less, p.in, p.log);      /* nothing lost; infinities */
    end(j, &p);
}

static void expm1_(job *j)
{
    parts p;
    if (!begin(j, &p))
        return;
    set_constant(j, &p, 1);
    TF_RUN(j, aclnnExp, p.in, p.u);
    TF_RUN(j, aclnnSub, p.u, p.constant, p.one, p.less);
    TF_RUN(j, aclnnLog, p.u, p.log);
    TF_RUN(j, aclnnDiv, p.in, p.log, p.out);
    TF_RUN(j, aclnnMul, p.out, p.less, p.out);
    set_constant(j, &p, 0);
    put_where(j, &p, p.less, p.constant, p.in); /* exp(x) is 1 */
    put_where(j, &p, p.less, p.u, p.less);      /* 1 is too little to see; infinity */
    set_constant(j, &p, -1);
    put_where(j, &p, p.less, p.constant, p.less);
    end(j, &p);
}

const kernel_def tf_kernels_near_zero[] = {
    {"Log1p", "T", T_FLOATS, log1p_},
    {"Expm1", "T", T_FLOATS, expm1_},
    {NULL},
};
