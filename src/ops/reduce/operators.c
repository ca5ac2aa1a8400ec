/* Sums, means, extremes, products, all, any and the index of the maximum. fp16 and bf16 add and
 * multiply in fp32 and round once; bool folds as fp16, in which 0 and 1 are exact. */
#include "ops/elementwise/engine.h"
#include "ops/reduce/reduce.h"

#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_any.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_prod.h"
#include "aclnnop/aclnn_reduce_sum.h"

#include <math.h>

#define BOOL SA_DTYPE_BIT(SA_BOOL)

static void kernel(sa_core *core, void *args)
{
    sa_reduce_run(core, args);
}

static bool is_float(sa_dtype t)
{
    return (SA_DTYPES_FLOAT & SA_DTYPE_BIT(t)) != 0;
}

/* A reduction of self (of `dtypes`) over `dims` into out (of `out_dtypes`). dtype: what out must
 * be, or -1 for self's own. */
static aclnnStatus plan(sa_reduce_spec spec, const aclTensor *self, uint64_t dtypes,
                        const aclIntArray *dims, const char *dims_name, bool keep, int dtype,
                        const aclTensor *out, uint64_t *workspace_size, aclOpExecutor **executor)
{
    aclOpExecutor *ex = NULL;
    uint32_t over = 0;
    aclnnStatus s = sa_op_begin(spec.op, workspace_size, executor, &ex);

    spec.kernel = kernel;
    if (!s)
        s = sa_check_tensor(spec.op, "self", self, dtypes);
    if (!s)
        s = sa_check_output(spec.op, "out", out, dtypes);
    if (!s && dtype == -1)
        s = sa_check_same_dtype(spec.op, "self", self, "out", out);
    if (!s && dtype != -1 && (int)out->dtype != dtype)
        s = sa_refuse(spec.op, "dtype is %s, out is %s", sa_dtype_name((sa_dtype)dtype),
                      sa_dtype_name(out->dtype));
    if (!s && is_float(self->dtype) && !is_float(out->dtype))
        s = sa_refuse(spec.op, "self is %s, out is %s: floats do not fold into integers",
                      sa_dtype_name(self->dtype), sa_dtype_name(out->dtype));
    if (!s)
        s = sa_reduce_dims(spec.op, dims_name, dims, self->rank, &over);
    if (!s)
        s = sa_reduce_check_out(spec.op, self, over, keep, out);
    if (!s) {
        bool adds = spec.fold == SA_FOLD_SUM || spec.fold == SA_FOLD_PROD;
        spec.acc = sa_ew_compute(adds ? out->dtype : self->dtype, adds);
        s = sa_reduce_plan(ex, &spec, self, over, out);
    }
    return sa_op_end(ex, s, workspace_size, executor);
}

aclnnStatus aclnnReduceSumGetWorkspaceSize(const aclTensor *self, const aclIntArray *dims,
                                           bool keepDims, aclDataType dtype, aclTensor *out,
                                           uint64_t *workspaceSize, aclOpExecutor **executor)
{
    sa_reduce_spec spec = {.op = "aclnnReduceSum", .fold = SA_FOLD_SUM};
    return plan(spec, self, SA_DTYPES_NUMBER, dims, "dims", keepDims, (int)dtype, out,
                workspaceSize, executor);
}
SA_OP_RUN(aclnnReduceSum)

aclnnStatus aclnnMeanGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, bool keepDim,
                                      aclDataType dtype, aclTensor *out, uint64_t *workspaceSize,
                                      aclOpExecutor **executor)
{
    sa_reduce_spec spec = {.op = "aclnnMean", .fold = SA_FOLD_SUM, .mean = true};
    return plan(spec, self, SA_DTYPES_FLOAT, dim, "dim", keepDim, (int)dtype, out, workspaceSize,
                executor);
}
SA_OP_RUN(aclnnMean)

aclnnStatus aclnnAmaxGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, bool keepDim,
                                      aclTensor *out, uint64_t *workspaceSize,
                                      aclOpExecutor **executor)
{
    sa_reduce_spec spec = {.op = "aclnnAmax", .fold = SA_FOLD_MAX, .neutral = -INFINITY};
    return plan(spec, self, SA_DTYPES_NUMBER, dim, "dim", keepDim, -1, out, workspaceSize,
                executor);
}
SA_OP_RUN(aclnnAmax)

aclnnStatus aclnnAminGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, bool keepDim,
                                      aclTensor *out, uint64_t *workspaceSize,
                                      aclOpExecutor **executor)
{
    sa_reduce_spec spec = {.op = "aclnnAmin", .fold = SA_FOLD_MIN, .neutral = INFINITY};
    return plan(spec, self, SA_DTYPES_NUMBER, dim, "dim", keepDim, -1, out, workspaceSize,
                executor);
}
SA_OP_RUN(aclnnAmin)

aclnnStatus aclnnAllGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, bool keepdim,
                                     aclTensor *out, uint64_t *workspaceSize,
                                     aclOpExecutor **executor)
{
    sa_reduce_spec spec = {.op = "aclnnAll", .fold = SA_FOLD_MIN, .neutral = 1};
    return plan(spec, self, BOOL, dim, "dim", keepdim, -1, out, workspaceSize, executor);
}
SA_OP_RUN(aclnnAll)

aclnnStatus aclnnAnyGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, bool keepdim,
                                     aclTensor *out, uint64_t *workspaceSize,
                                     aclOpExecutor **executor)
{
    sa_reduce_spec spec = {.op = "aclnnAny", .fold = SA_FOLD_MAX, .neutral = 0};
    return plan(spec, self, BOOL, dim, "dim", keepdim, -1, out, workspaceSize, executor);
}
SA_OP_RUN(aclnnAny)

/* One dimension as an aclIntArray that needs no allocation. */
typedef struct one_dim {
    uint64_t size;
    int64_t value[1];
} one_dim;

aclnnStatus aclnnProdDimGetWorkspaceSize(const aclTensor *self, int64_t dim, bool keepDim,
                                         aclDataType dtype, aclTensor *out, uint64_t *workspaceSize,
                                         aclOpExecutor **executor)
{
    sa_reduce_spec spec = {.op = "aclnnProdDim", .fold = SA_FOLD_PROD, .neutral = 1};
    one_dim dims = {1, {dim}};
    return plan(spec, self, SA_DTYPES_NUMBER, (const aclIntArray *)(const void *)&dims, "dim",
                keepDim, (int)dtype, out, workspaceSize, executor);
}
SA_OP_RUN(aclnnProdDim)

static aclnnStatus plan_arg(const char *op, sa_fold fold, const aclTensor *self, int64_t dim,
                            bool keepdim, const aclTensor *out, uint64_t *workspaceSize,
                            aclOpExecutor **executor)
{
    aclOpExecutor *ex = NULL;
    int d = 0;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = sa_check_tensor(op, "self", self, SA_DTYPES_NUMBER);
    if (!s)
        s = sa_check_output(op, "out", out, SA_DTYPES_INDEX);
    if (!s)
        s = sa_check_dim(op, "dim", dim, self->rank, &d);
    if (!s) {
        uint32_t over = self->rank ? UINT32_C(1) << d : 0;
        s = sa_reduce_check_out(op, self, over, keepdim, out);
        if (!s && out->elements > 0 && self->elements == 0)
            s = sa_refuse(op, "dimension %d of self has no elements", d);
        if (!s) {
            sa_reduce_spec spec = {
                .op = op, .kernel = kernel, .fold = fold, .acc = sa_ew_compute(self->dtype, false)};
            s = sa_reduce_plan(ex, &spec, self, over, out);
        }
    }
    return sa_op_end(ex, s, workspaceSize, executor);
}

aclnnStatus aclnnArgMaxGetWorkspaceSize(const aclTensor *self, int64_t dim, bool keepdim,
                                        aclTensor *out, uint64_t *workspaceSize,
                                        aclOpExecutor **executor)
{
    return plan_arg("aclnnArgMax", SA_FOLD_ARG_MAX, self, dim, keepdim, out, workspaceSize,
                    executor);
}
SA_OP_RUN(aclnnArgMax)

aclnnStatus aclnnArgMinGetWorkspaceSize(const aclTensor *self, int64_t dim, bool keepdim,
                                        aclTensor *out, uint64_t *workspaceSize,
                                        aclOpExecutor **executor)
{
    return plan_arg("aclnnArgMin", SA_FOLD_ARG_MIN, self, dim, keepdim, out, workspaceSize,
                    executor);
}
SA_OP_RUN(aclnnArgMin)
