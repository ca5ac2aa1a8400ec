/* First phases that many elementwise operators share: checks, dtypes, plan. */
#include "ops/elementwise/engine.h"

void sa_ew_constant_int(sa_ew_spec *spec, int64_t value)
{
    bool fits = value >= -(INT64_C(1) << 53) && value <= INT64_C(1) << 53;

    spec->constant_low = fits ? 0 : (double)(uint32_t)value;
    spec->constant = (double)(fits ? value : value - (int64_t)(uint32_t)value);
}

static void fill_spec(const sa_ew_family *f, sa_ew_spec *spec, sa_dtype in, const aclTensor *out)
{
    sa_dtype compute = sa_ew_compute(in, f->widen_f16);

    spec->op = f->op;
    spec->kernel = f->kernel;
    spec->out = out;
    spec->scalar = f->scalar;
    spec->slot = compute == in && !f->to_bool && spec->inputs < 3 ? f->slot : 0;
    for (int i = 0; i < SA_EW_INPUTS; i++)
        spec->in_as[i] = compute;
    spec->out_as = f->to_bool ? SA_BOOL : compute;
    for (int i = 0; i < f->tmps; i++)
        spec->tmp_bytes[i] = (int)sa_dtype_bytes(compute);
}

static aclnnStatus check_out(const sa_ew_family *f, const aclTensor *out, const char *out_name,
                             const aclTensor *in, const char *in_name)
{
    aclnnStatus s =
        sa_check_output(f->op, out_name, out, f->to_bool ? SA_DTYPE_BIT(SA_BOOL) : f->dtypes);
    if (!s && !f->to_bool)
        s = sa_check_same_dtype(f->op, in_name, in, out_name, out);
    return s;
}

aclnnStatus sa_ew_unary(const sa_ew_family *f, const aclTensor *self, const char *self_name,
                        const aclTensor *out, const char *out_name, uint64_t *workspace_size,
                        aclOpExecutor **executor)
{
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(f->op, workspace_size, executor, &ex);

    if (!s)
        s = sa_check_tensor(f->op, self_name, self, f->dtypes);
    if (!s)
        s = check_out(f, out, out_name, self, self_name);
    if (!s)
        s = sa_check_same_shape(f->op, self_name, self, out_name, out);
    if (!s) {
        sa_ew_spec spec = {.inputs = 1, .in = {self}};
        fill_spec(f, &spec, self->dtype, out);
        s = sa_ew_plan(ex, &spec);
    }
    return sa_op_end(ex, s, workspace_size, executor);
}

aclnnStatus sa_ew_check_shape(const char *op, const aclTensor *a, const char *a_name,
                              const aclTensor *b, const char *b_name, const aclTensor *out,
                              const char *out_name)
{
    int rank;
    int64_t dims[SA_MAX_RANK];
    aclnnStatus s = sa_broadcast_shape(op, a_name, a, b_name, b, &rank, dims);

    return s ? s : sa_check_shape(op, out_name, out, rank, dims);
}

aclnnStatus sa_ew_binary(const sa_ew_family *f, const aclTensor *a, const char *a_name,
                         const aclTensor *b, const char *b_name, const aclScalar *alpha,
                         const aclTensor *out, const char *out_name, uint64_t *workspace_size,
                         aclOpExecutor **executor)
{
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(f->op, workspace_size, executor, &ex);

    if (!s)
        s = sa_check_tensor(f->op, a_name, a, f->dtypes);
    if (!s)
        s = sa_check_tensor(f->op, b_name, b, f->dtypes);
    if (!s)
        s = sa_check_same_dtype(f->op, a_name, a, b_name, b);
    if (!s)
        s = check_out(f, out, out_name, a, a_name);
    if (!s)
        s = sa_ew_check_shape(f->op, a, a_name, b, b_name, out, out_name);
    if (!s) {
        sa_ew_family g = *f;
        bool whole = a->dtype == SA_I64 || a->dtype == SA_I32;
        sa_ew_spec spec = {.inputs = 2, .in = {a, b}};
        if (alpha && (whole ? sa_scalar_int(alpha) != 1 : sa_scalar_double(alpha) != 1)) {
            g.widen_f16 = true; /* two roundings, so in fp32 */
            g.tmps++;
            spec.inputs = 3; /* in[2] NULL: the constant */
            if (whole)
                sa_ew_constant_int(&spec, a->dtype == SA_I32 ? (int32_t)sa_scalar_int(alpha)
                                                             : sa_scalar_int(alpha));
            else
                spec.constant = sa_scalar_double(alpha);
        }
        fill_spec(&g, &spec, a->dtype, out);
        s = sa_ew_plan(ex, &spec);
    }
    return sa_op_end(ex, s, workspace_size, executor);
}
