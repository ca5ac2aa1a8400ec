/* Operators that only move or convert: cast, copy, fill, permute. Each is one loop whose result is
 * its input; the engine's views, transpositions and conversions do the rest. */
#include "ops/elementwise/engine.h"

#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_permute.h"

#include <string.h>

#define CONVERTIBLE                                                                                \
    (SA_DTYPES_NUMBER | SA_DTYPE_BIT(SA_I8) | SA_DTYPE_BIT(SA_U8) | SA_DTYPE_BIT(SA_I16) |         \
     SA_DTYPE_BIT(SA_BOOL))

static void move_kernel(sa_core *core, void *args)
{
    sa_ew_run(core, args, NULL);
}

/* Plans out = in, broadcast and converted. */
static aclnnStatus plan_move(aclOpExecutor *ex, const char *op, const aclTensor *out,
                             const aclTensor *in)
{
    sa_ew_spec spec = {.op = op,
                       .kernel = move_kernel,
                       .inputs = 1,
                       .out = out,
                       .in = {in},
                       .in_as = {out->dtype},
                       .out_as = out->dtype,
                       .no_body = true};

    return sa_ew_plan(ex, &spec);
}

/* Copies take any dtype as it is; conversion is between those that have one. */
static aclnnStatus check_pair(const char *op, const char *in_name, const aclTensor *in,
                              const char *out_name, const aclTensor *out)
{
    aclnnStatus s = sa_check_tensor(op, in_name, in, SA_DTYPES_ANY);
    if (!s)
        s = sa_check_output(op, out_name, out, SA_DTYPES_ANY);
    if (!s && in->dtype != out->dtype) {
        s = sa_check_tensor(op, in_name, in, CONVERTIBLE);
        if (!s)
            s = sa_check_output(op, out_name, out, CONVERTIBLE);
    }
    return s;
}

aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor *self, const aclDataType dtype,
                                      aclTensor *out, uint64_t *workspaceSize,
                                      aclOpExecutor **executor)
{
    static const char op[] = "aclnnCast";
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = check_pair(op, "self", self, "out", out);
    if (!s && (int)out->dtype != (int)dtype)
        s = sa_refuse(op, "dtype is %s, out is %s", sa_dtype_name((sa_dtype)dtype),
                      sa_dtype_name(out->dtype));
    if (!s)
        s = sa_check_same_shape(op, "self", self, "out", out);
    if (!s)
        s = plan_move(ex, op, out, self);
    return sa_op_end(ex, s, workspaceSize, executor);
}
SA_OP_RUN(aclnnCast)

aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor *selfRef, const aclTensor *src,
                                             uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const char op[] = "aclnnInplaceCopy";
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = check_pair(op, "src", src, "selfRef", selfRef);
    if (!s)
        s = sa_ew_check_shape(op, src, "src", selfRef, "selfRef", selfRef, "selfRef");
    if (!s)
        s = plan_move(ex, op, selfRef, src);
    return sa_op_end(ex, s, workspaceSize, executor);
}
SA_OP_RUN(aclnnInplaceCopy)

/* The value as the dtype will hold it: 64-bit types by their bits. */
static void set_constant(sa_ew_spec *spec, sa_dtype dtype, const aclScalar *value)
{
    double d = sa_scalar_double(value);
    int64_t bits;

    switch (dtype) {
    case SA_F32:
    case SA_F16:
    case SA_BF16:
        spec->constant = d;
        break;
    case SA_F64:
        memcpy(&bits, &d, sizeof bits);
        sa_ew_constant_int(spec, bits);
        break;
    case SA_BOOL:
        spec->constant = d != 0;
        break;
    default:
        sa_ew_constant_int(spec, dtype == SA_U64 && value->dtype == SA_U64 ? value->value.i64
                                                                           : sa_scalar_int(value));
    }
}

aclnnStatus sa_ew_plan_fill(aclOpExecutor *ex, const char *op, const aclTensor *out,
                            const aclScalar *value)
{
    sa_dtype as = sa_dtype_bytes(out->dtype) == 8 ? SA_I64 : out->dtype;
    sa_ew_spec spec = {.op = op,
                       .kernel = move_kernel,
                       .inputs = 1,
                       .out = out,
                       .in_as = {as},
                       .out_as = as,
                       .no_body = true};

    set_constant(&spec, out->dtype, value);
    return sa_ew_plan(ex, &spec);
}

aclnnStatus aclnnInplaceFillScalarGetWorkspaceSize(aclTensor *selfRef, const aclScalar *value,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    static const char op[] = "aclnnInplaceFillScalar";
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = sa_check_output(op, "selfRef", selfRef, SA_DTYPES_ANY);
    if (!s)
        s = sa_check_pointer(op, "value", value);
    if (!s)
        s = sa_ew_plan_fill(ex, op, selfRef, value);
    return sa_op_end(ex, s, workspaceSize, executor);
}
SA_OP_RUN(aclnnInplaceFillScalar)

/* self with its dimensions in the order `dims`. */
static aclnnStatus permuted(const char *op, const aclTensor *self, const aclIntArray *dims,
                            aclTensor *view)
{
    bool seen[SA_MAX_RANK] = {false};
    aclnnStatus s = ACLNN_SUCCESS;

    if (dims->size != (uint64_t)self->rank)
        return sa_refuse(op, "dims has %llu entries, self has rank %d",
                         (unsigned long long)dims->size, self->rank);
    *view = *self;
    for (int i = 0; !s && i < self->rank; i++) {
        int d;
        s = sa_check_dim(op, "dims", dims->value[i], self->rank, &d);
        if (s)
            break;
        if (seen[d])
            return sa_refuse(op, "dims names dimension %d twice", d);
        seen[d] = true;
        view->dims[i] = self->dims[d];
        view->strides[i] = self->strides[d];
    }
    return s;
}

aclnnStatus aclnnPermuteGetWorkspaceSize(const aclTensor *self, const aclIntArray *dims,
                                         aclTensor *out, uint64_t *workspaceSize,
                                         aclOpExecutor **executor)
{
    static const char op[] = "aclnnPermute";
    aclOpExecutor *ex = NULL;
    aclTensor view;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = sa_check_tensor(op, "self", self, SA_DTYPES_ANY);
    if (!s)
        s = sa_check_pointer(op, "dims", dims);
    if (!s)
        s = sa_check_output(op, "out", out, SA_DTYPES_ANY);
    if (!s)
        s = sa_check_same_dtype(op, "self", self, "out", out);
    if (!s)
        s = permuted(op, self, dims, &view);
    if (!s)
        s = sa_check_shape(op, "out", out, view.rank, view.dims);
    if (!s)
        s = plan_move(ex, op, out, &view);
    return sa_op_end(ex, s, workspaceSize, executor);
}
SA_OP_RUN(aclnnPermute)
