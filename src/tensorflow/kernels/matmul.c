/* Matrix products. A transposed operand is a view: nothing is copied for it. */
#include <string.h>

#include "aclnnop/aclnn_matmul.h"
#include "tensorflow/kernels/kernel.h"

static void transposes(kernel *k, TF_OpKernelConstruction *c, const char *a, const char *b,
                       TF_Status *status)
{
    TF_Bool v[2] = {0, 0};
    TF_OpKernelConstruction_GetAttrBool(c, a, &v[0], status);
    if (TF_GetCode(status) == TF_OK)
        TF_OpKernelConstruction_GetAttrBool(c, b, &v[1], status);
    k->flag[0] = v[0];
    k->flag[1] = v[1];
}

static void matmul_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    transposes(k, c, "transpose_a", "transpose_b", status);
}

static void batch_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    transposes(k, c, "adj_x", "adj_y", status);
}

/* Adds the last two dimensions, rows x columns in memory, read transposed or not. */
static void matrix(view *v, int64_t rows, int64_t columns, bool transpose)
{
    int r = v->rank;
    v->dims[r] = transpose ? columns : rows;
    v->dims[r + 1] = transpose ? rows : columns;
    v->strides[r] = transpose ? 1 : columns;
    v->strides[r + 1] = transpose ? columns : 1;
    v->rank += 2;
}

static void matmul(job *j)
{
    const operand *o[] = {tf_in(j, 0), tf_in(j, 1)};
    const bool *t = j->k->flag;
    if (j->failed)
        return;
    for (int i = 0; i < 2; i++) {
        if (o[i]->rank != 2) {
            tf_fail(j, TF_INVALID_ARGUMENT, "%c must be a matrix, and has rank %d, shape %s",
                    "ab"[i], o[i] -> rank, tf_shape(j, o[i]->rank, o[i]->dims));
            return;
        }
    }
    view a = {0}, b = {0};
    matrix(&a, o[0]->dims[0], o[0]->dims[1], t[0]);
    matrix(&b, o[1]->dims[0], o[1]->dims[1], t[1]);
    if (a.dims[1] != b.dims[0]) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "Matrix size-incompatible: k differs: a is %s (transpose_a=%s), b is %s "
                "(transpose_b=%s)",
                tf_shape(j, 2, o[0]->dims), t[0] ? "true" : "false", tf_shape(j, 2, o[1]->dims),
                t[1] ? "true" : "false");
        return;
    }
    const int64_t dims[] = {a.dims[0], b.dims[1]};
    const operand *c = tf_out(j, 0, o[0]->type, 2, dims);
    if (c->count == 0)
        return;
    aclTensor *va = tf_viewed(j, o[0], &a), *vb = tf_viewed(j, o[1], &b);
    aclTensor *vc = tf_shaped(j, c, 2, dims);
    TF_RUN(j, aclnnMatmul, va, vb, vc, 0);
}

/* The operand as [batch, rows, columns], its batch dimensions broadcast to `dims`. */
static const operand *batched(job *j, const operand *o, int rank, const int64_t *dims)
{
    int own = o->rank - 2;
    int64_t *wide = tf_ints(j, rank + 2), *from = tf_ints(j, rank + 2);
    const int64_t *strides = tf_strides(j, o->rank, o->dims);
    bool same = true;
    for (int i = 0; i < rank; i++) {
        int k = i - (rank - own);
        int64_t size = k < 0 ? 1 : o->dims[k];
        wide[i] = dims[i];
        from[i] = size == 1 ? 0 : strides[k];
        same = same && size == dims[i];
    }
    if (same || j->failed)
        return o;
    for (int i = 0; i < 2; i++) {
        wide[rank + i] = o->dims[own + i];
        from[rank + i] = strides[own + i];
    }
    const operand *copy = tf_temp(j, o->type, rank + 2, wide);
    tf_copy(j, copy, 0, tf_strides(j, rank + 2, wide), o, 0, from, rank + 2, wide);
    return copy;
}

static void batch_matmul(job *j)
{
    const operand *o[] = {tf_in(j, 0), tf_in(j, 1)};
    const bool *t = j->k->flag;
    if (j->failed)
        return;
    operand heads[2];
    const operand *head[] = {&heads[0], &heads[1]};
    for (int i = 0; i < 2; i++) {
        if (o[i]->rank < 2) {
            tf_fail(j, TF_INVALID_ARGUMENT, "%c must have rank 2 or more, and has shape %s",
                    "xy"[i], tf_shape(j, o[i]->rank, o[i]->dims));
            return;
        }
        heads[i] = *o[i];
        heads[i].rank -= 2;
    }
    const int64_t *batch;
    int rank;
    const int64_t *da = o[0]->dims + o[0]->rank - 2, *db = o[1]->dims + o[1]->rank - 2;
    int64_t m = da[t[0]], ka = da[!t[0]], kb = db[t[1]], n = db[!t[1]];
    if (!tf_broadcast(j, 2, head, &rank, &batch) || ka != kb) {
        tf_fail(j, TF_INVALID_ARGUMENT, "%s: x is %s (adj_x=%s), y is %s (adj_y=%s)",
                ka != kb ? "Matrix size-incompatible: k differs"
                         : "batch dimensions do not broadcast",
                tf_shape(j, o[0]->rank, o[0]->dims), t[0] ? "true" : "false",
                tf_shape(j, o[1]->rank, o[1]->dims), t[1] ? "true" : "false");
        return;
    }
    int64_t *dims = tf_ints(j, rank + 2);
    memcpy(dims, batch, (size_t)rank * sizeof *dims);
    dims[rank] = m;
    dims[rank + 1] = n;
    const operand *c = tf_out(j, 0, o[0]->type, rank + 2, dims);
    if (j->failed || c->count == 0)
        return;
    int64_t batches = c->count / (m * n);
    const operand *x = batched(j, o[0], rank, batch), *y = batched(j, o[1], rank, batch);
    view a = {1, {batches}, {da[0] * da[1]}, 0}, b = {1, {batches}, {db[0] * db[1]}, 0};
    matrix(&a, da[0], da[1], t[0]);
    matrix(&b, db[0], db[1], t[1]);
    aclTensor *va = tf_viewed(j, x, &a), *vb = tf_viewed(j, y, &b);
    aclTensor *vc = tf_shaped(j, c, 3, (int64_t[]){batches, m, n});
    TF_RUN(j, aclnnMatmul, va, vb, vc, 0);
}

const kernel_def tf_kernels_matmul[] = {
    {"MatMul", "T", T_FLOATS, matmul, matmul_prepare},
    {"AscendMatMul", "T", T_FLOATS, matmul, matmul_prepare, .on_cpu = true},
    {"AscendDynamicMatMul", "T", T_FLOATS, matmul, matmul_prepare, .on_cpu = true},
    {"BatchMatMul", "T", T_FLOATS, batch_matmul, batch_prepare},
    {"BatchMatMulV2", "T", T_FLOATS, batch_matmul, batch_prepare},
    {NULL},
};
