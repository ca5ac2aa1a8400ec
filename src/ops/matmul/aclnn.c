/* aclnnMatmul: what is refused, which views the kernel takes as they are, and what is copied first.
 */
#include "aclnnop/aclnn_matmul.h"

#include "ops/matmul/matmul.h"
#include "runtime/runtime.h"

static const char op[] = "aclnnMatmul";

/* The last two dimensions of an operand as the kernel reads it. */
typedef struct matrix {
    bool transpose;
    int64_t pitch, stride; /* from row to row, from matrix to matrix */
} matrix;

/* Whether a view's rows, or its columns, are contiguous. A dimension of 1 may have any stride. */
static bool matrix_of(const aclTensor *t, matrix *m)
{
    const int64_t *dims = t->dims + t->rank - 2, *strides = t->strides + t->rank - 2;
    bool rows = dims[1] == 1 || strides[1] == 1, cols = dims[0] == 1 || strides[0] == 1;

    m->stride = t->rank == 3 && t->dims[0] > 1 ? t->strides[0] : 0;
    if (rows && (dims[0] == 1 || strides[0] >= dims[1])) {
        m->transpose = false;
        m->pitch = dims[0] == 1 ? dims[1] : strides[0];
        return true;
    }
    if (cols && (dims[1] == 1 || strides[1] >= dims[0])) {
        m->transpose = true;
        m->pitch = dims[1] == 1 ? dims[0] : strides[1];
        return true;
    }
    return false;
}

static aclnnStatus check(const aclTensor *self, const aclTensor *mat2, const aclTensor *out,
                         int8_t cubeMathType)
{
    char a[SA_SHAPE_TEXT], b[SA_SHAPE_TEXT];
    int64_t want[3], batch_a, batch_b;
    int rank;
    aclnnStatus s = sa_check_tensor(op, "self", self, SA_DTYPES_FLOAT);

    if (!s)
        s = sa_check_tensor(op, "mat2", mat2, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_output(op, "out", out, SA_DTYPES_FLOAT);
    if (!s)
        s = sa_check_same_dtype(op, "self", self, "mat2", mat2);
    if (!s)
        s = sa_check_same_dtype(op, "self", self, "out", out);
    if (!s)
        s = sa_check_rank(op, "self", self, 2, 3);
    if (!s)
        s = sa_check_rank(op, "mat2", mat2, 2, 3);
    if (s)
        return s;
    if (cubeMathType < 0 || cubeMathType > 3)
        return sa_refuse(op, "cubeMathType is %d, it must be 0 to 3", cubeMathType);
    sa_shape_text(a, self->rank, self->dims);
    sa_shape_text(b, mat2->rank, mat2->dims);
    if (self->dims[self->rank - 1] != mat2->dims[mat2->rank - 2])
        return sa_refuse(op, "k differs: self is %s, mat2 is %s", a, b);
    batch_a = self->rank == 3 ? self->dims[0] : 1;
    batch_b = mat2->rank == 3 ? mat2->dims[0] : 1;
    if (batch_a != batch_b && batch_a != 1 && batch_b != 1)
        return sa_refuse(op, "batch differs: self is %s, mat2 is %s", a, b);
    rank = self->rank > mat2->rank ? self->rank : mat2->rank;
    want[0] = batch_a == 1 ? batch_b : batch_a;
    want[rank - 2] = self->dims[self->rank - 2];
    want[rank - 1] = mat2->dims[mat2->rank - 1];
    return sa_check_shape(op, "out", out, rank, want);
}

/* `in` itself if the kernel can read it, else a copy in the workspace that the kernel reads. */
static aclnnStatus operand(aclOpExecutor *ex, const aclTensor *in, matrix *m, const char **data,
                           bool *in_workspace, uint64_t *offset)
{
    aclTensor flat;
    aclnnStatus s;

    *in_workspace = false;
    *data = sa_tensor_data(in);
    if (matrix_of(in, m))
        return ACLNN_SUCCESS;
    s = sa_plan_contiguous(ex, op, in, in->rank, in->dims, &flat, in_workspace, offset);
    *data = flat.data;
    matrix_of(&flat, m);
    return s;
}

static aclnnStatus plan(aclOpExecutor *ex, const aclTensor *self, const aclTensor *mat2,
                        const aclTensor *out)
{
    const sa_chip *chip = sa_current_chip();
    sa_matmul_args x = {.dtype = self->dtype,
                        .out = self->dtype,
                        .m = self->dims[self->rank - 2],
                        .n = mat2->dims[mat2->rank - 1],
                        .k = self->dims[self->rank - 1]};
    sa_matmul_args *copy;
    bool copied_a, copied_b, copied_c;
    uint64_t at_a, at_b, at_c;
    int64_t batch = out->rank == 3 ? out->dims[0] : 1;
    aclTensor result = *out;
    matrix a, b, c;
    void *args;
    aclnnStatus s;

    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    s = operand(ex, self, &a, &x.a, &copied_a, &at_a);
    if (!s)
        s = operand(ex, mat2, &b, &x.b, &copied_b, &at_b);
    if (s)
        return s;
    copied_c = !matrix_of(out, &c) || c.transpose;
    if (copied_c) {
        sa_plan_result(ex, out, &result, &copied_c, &at_c);
        matrix_of(&result, &c);
    }
    x.c = sa_tensor_data(&result);
    x.transpose_a = a.transpose;
    x.transpose_b = b.transpose;
    x.pitch_a = a.pitch;
    x.pitch_b = b.pitch;
    x.pitch_c = c.pitch;
    x.stride_a = a.stride;
    x.stride_b = b.stride;
    x.stride_c = c.stride;
    if (x.k == 0) {
        x.tiling.deal.batch = batch;
        s = sa_op_launch(ex, sa_matmul_zero, op, SA_AIV,
                         sa_blocks(chip, SA_AIV, batch * x.m, 1 + 32768 / x.n), &x, sizeof x,
                         &args);
    } else if (sa_matmul_is_fast(x.dtype)) {
        x.tiling.deal.batch = batch;
        s = sa_op_launch(ex, sa_matmul_fast, op, SA_AIC,
                         sa_matmul_fast_blocks(batch, x.m, x.n, x.k), &x, sizeof x, &args);
    } else {
        sa_matmul_tile(chip, x.dtype, batch, x.m, x.n, x.k, &x.tiling);
        s = sa_op_launch(ex, sa_matmul_kernel, op, SA_AIC, x.tiling.deal.cores, &x, sizeof x,
                         &args);
    }
    copy = args;
    if (!s && copied_a)
        s = sa_op_point(ex, &copy->a, at_a);
    if (!s && copied_b)
        s = sa_op_point(ex, &copy->b, at_b);
    if (!s && copied_c)
        s = sa_op_point(ex, &copy->c, at_c);
    return s ? s : sa_plan_scatter(ex, op, out, copied_c, at_c);
}

aclnnStatus aclnnMatmulGetWorkspaceSize(const aclTensor *self, const aclTensor *mat2,
                                        aclTensor *out, int8_t cubeMathType,
                                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = check(self, mat2, out, cubeMathType);
    if (!s && out->elements > 0)
        s = plan(ex, self, mat2, out);
    return sa_op_end(ex, s, workspaceSize, executor);
}

SA_OP_RUN(aclnnMatmul)
