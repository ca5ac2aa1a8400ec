/* Ops that only move elements: transposes, repeats, joins and splits, pads. */
#include <string.h>

#include "tensorflow/kernels/kernel.h"

static void transpose(job *j)
{
    const operand *x = tf_in(j, 0), *p = tf_in(j, 1);
    const int64_t *perm = tf_host_ints(j, p);
    if (j->failed)
        return;
    int64_t *dims = tf_ints(j, x->rank), *from = tf_ints(j, x->rank), *seen = tf_ints(j, x->rank);
    const int64_t *strides = tf_strides(j, x->rank, x->dims);
    memset(seen, 0, (size_t)x->rank * sizeof *seen);
    bool good = p->rank == 1 && p->count == x->rank;
    for (int i = 0; good && i < x->rank; i++) {
        int64_t a = perm[i] < 0 ? perm[i] + x->rank : perm[i];
        good = a >= 0 && a < x->rank && !seen[a];
        if (good) {
            seen[a] = 1;
            dims[i] = x->dims[a];
            from[i] = strides[a];
        }
    }
    if (!good) {
        tf_fail(j, TF_INVALID_ARGUMENT, "perm %s is no permutation of the dimensions of x, %s",
                tf_shape(j, (int)p->count, perm), tf_shape(j, x->rank, x->dims));
        return;
    }
    const operand *y = tf_out(j, 0, x->type, x->rank, dims);
    tf_copy(j, y, 0, tf_strides(j, x->rank, dims), x, 0, from, x->rank, dims);
}

static void broadcast_to(job *j)
{
    const operand *x = tf_in(j, 0), *s = tf_in(j, 1);
    const int64_t *dims = tf_host_ints(j, s);
    if (j->failed)
        return;
    int rank = (int)s->count;
    const int64_t *strides = tf_strides(j, x->rank, x->dims);
    int64_t *from = tf_ints(j, rank);
    bool good = s->rank == 1 && rank >= x->rank;
    for (int i = 0; good && i < rank; i++) {
        int own = i - (rank - x->rank);
        from[i] = own < 0 || x->dims[own] == 1 ? 0 : strides[own];
        good = own < 0 || x->dims[own] == 1 || x->dims[own] == dims[i];
    }
    if (!good) {
        tf_fail(j, TF_INVALID_ARGUMENT, "input %s does not broadcast to shape %s",
                tf_shape(j, x->rank, x->dims), tf_shape(j, rank, dims));
        return;
    }
    const operand *y = tf_out(j, 0, x->type, rank, dims);
    if (!j->failed)
        tf_copy(j, y, 0, tf_strides(j, rank, dims), x, 0, from, rank, dims);
}

/* Every dimension d becomes [multiple, d], the first of which repeats. */
static void tile(job *j)
{
    const operand *x = tf_in(j, 0), *m = tf_in(j, 1);
    const int64_t *times = tf_host_ints(j, m);
    if (j->failed)
        return;
    if (m->rank != 1 || m->count != x->rank) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "multiples must have one number for each dimension of input: multiples are %s, "
                "input is %s",
                tf_shape(j, (int)m->count, times), tf_shape(j, x->rank, x->dims));
        return;
    }
    int rank = x->rank;
    int64_t *dims = tf_ints(j, rank), *wide = tf_ints(j, 2 * rank), *from = tf_ints(j, 2 * rank);
    const int64_t *strides = tf_strides(j, rank, x->dims);
    for (int i = 0; i < rank; i++) {
        if (times[i] < 0) {
            tf_fail(j, TF_INVALID_ARGUMENT, "Expected multiples[%d] >= 0, but got %lld", i,
                    (long long)times[i]);
            return;
        }
        if (times[i] && x->dims[i] > INT64_MAX / 16 / times[i]) {
            tf_fail(j, TF_INVALID_ARGUMENT, "multiples %s of input %s have too many elements",
                    tf_shape(j, rank, times), tf_shape(j, rank, x->dims));
            return;
        }
        dims[i] = times[i] * x->dims[i];
        wide[2 * i] = times[i];
        wide[2 * i + 1] = x->dims[i];
        from[2 * i] = 0;
        from[2 * i + 1] = strides[i];
    }
    const operand *y = tf_out(j, 0, x->type, rank, dims);
    if (!j->failed)
        tf_copy(j, y, 0, tf_strides(j, 2 * rank, wide), x, 0, from, 2 * rank, wide);
}

/* ---- joins ---- */

static void axis_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    TF_OpKernelConstruction_GetAttrInt64(c, "axis", &k->number[0], status);
}

/* Copies a tensor that has `size` along the axis to or from position `at` of one that has `total`;
 * outer and inner are the products of the dimensions before and after. */
static void piece(job *j, bool into, const operand *whole, int64_t total, int64_t at,
                  const operand *part, int64_t size, int64_t outer, int64_t inner)
{
    const int64_t dims[] = {outer, size * inner};
    const int64_t whole_strides[] = {total * inner, 1}, part_strides[] = {size * inner, 1};
    if (into)
        tf_copy(j, whole, at * inner, whole_strides, part, 0, part_strides, 2, dims);
    else
        tf_copy(j, part, 0, part_strides, whole, at * inner, whole_strides, 2, dims);
}

static void pack(job *j)
{
    const operand *x = tf_in(j, 0);
    int axis = tf_axis(j, "axis", j->k->number[0], x->rank + 1);
    if (j->failed)
        return;
    for (int i = 1; i < j->inputs; i++) {
        const operand *o = tf_in(j, i);
        if (!j->failed && (o->rank != x->rank || memcmp(o->dims, x->dims, (size_t)x->rank * 8)))
            tf_fail(j, TF_INVALID_ARGUMENT,
                    "Shapes of all inputs must match: values[0] is %s, values[%d] is %s",
                    tf_shape(j, x->rank, x->dims), i, tf_shape(j, o->rank, o->dims));
        if (j->failed)
            return;
    }
    int64_t *dims = tf_ints(j, x->rank + 1);
    memcpy(dims, x->dims, (size_t)axis * sizeof *dims);
    dims[axis] = j->inputs;
    memcpy(dims + axis + 1, x->dims + axis, (size_t)(x->rank - axis) * sizeof *dims);
    const operand *y = tf_out(j, 0, x->type, x->rank + 1, dims);
    int64_t outer = tf_count(axis, x->dims), inner = tf_count(x->rank - axis, x->dims + axis);
    for (int i = 0; i < j->inputs && !j->failed; i++)
        piece(j, true, y, j->inputs, i, tf_in(j, i), 1, outer, inner);
}

static void unpack(job *j)
{
    const operand *x = tf_in(j, 0);
    int axis = tf_axis(j, "axis", j->k->number[0], x->rank);
    int n = TF_NumOutputs(j->ctx);
    if (!j->failed && x->dims[axis] != n)
        tf_fail(j, TF_INVALID_ARGUMENT, "dimension %d of value, %s, must equal num, %d", axis,
                tf_shape(j, x->rank, x->dims), n);
    if (j->failed)
        return;
    int64_t *dims = tf_ints(j, x->rank);
    memcpy(dims, x->dims, (size_t)axis * sizeof *dims);
    memcpy(dims + axis, x->dims + axis + 1, (size_t)(x->rank - axis - 1) * sizeof *dims);
    int64_t outer = tf_count(axis, x->dims);
    int64_t inner = tf_count(x->rank - axis - 1, x->dims + axis + 1);
    for (int i = 0; i < n && !j->failed; i++) {
        const operand *y = tf_out(j, i, x->type, x->rank - 1, dims);
        piece(j, false, x, n, i, y, 1, outer, inner);
    }
}

static void concat(job *j)
{
    int n = j->inputs - 1;
    const operand *x = tf_in(j, 0);
    int64_t given = tf_host_int(j, tf_in(j, n), "axis");
    int axis = tf_axis(j, "axis", given, x->rank);
    if (j->failed)
        return;
    int64_t *dims = tf_ints(j, x->rank);
    memcpy(dims, x->dims, (size_t)x->rank * sizeof *dims);
    for (int i = 1; i < n; i++) {
        const operand *o = tf_in(j, i);
        bool same = !j->failed && o->rank == x->rank;
        for (int d = 0; same && d < x->rank; d++)
            same = d == axis || o->dims[d] == x->dims[d];
        if (!same) {
            tf_fail(j, TF_INVALID_ARGUMENT,
                    "dimensions other than axis %d must match: values[0] is %s, values[%d] is %s",
                    axis, tf_shape(j, x->rank, x->dims), i, tf_shape(j, o->rank, o->dims));
            return;
        }
        dims[axis] += o->dims[axis];
    }
    const operand *y = tf_out(j, 0, x->type, x->rank, dims);
    int64_t outer = tf_count(axis, dims), inner = tf_count(x->rank - axis - 1, dims + axis + 1);
    int64_t at = 0;
    for (int i = 0; i < n && !j->failed; i++) {
        const operand *o = tf_in(j, i);
        piece(j, true, y, dims[axis], at, o, o->dims[axis], outer, inner);
        at += o->dims[axis];
    }
}

/* ---- splits ---- */

static void split_sizes(job *j, const operand *x, int axis, const int64_t *sizes, int n)
{
    int64_t *dims = tf_ints(j, x->rank), at = 0;
    if (j->failed)
        return;
    memcpy(dims, x->dims, (size_t)x->rank * sizeof *dims);
    int64_t outer = tf_count(axis, x->dims);
    int64_t inner = tf_count(x->rank - axis - 1, x->dims + axis + 1);
    for (int i = 0; i < n && !j->failed; i++) {
        dims[axis] = sizes[i];
        const operand *y = tf_out(j, i, x->type, x->rank, dims);
        piece(j, false, x, x->dims[axis], at, y, sizes[i], outer, inner);
        at += sizes[i];
    }
}

static void split(job *j)
{
    const operand *x = tf_in(j, 1);
    int64_t given = tf_host_int(j, tf_in(j, 0), "split_dim");
    int axis = tf_axis(j, "split_dim", given, x->rank);
    int n = TF_NumOutputs(j->ctx);
    if (!j->failed && x->dims[axis] % n)
        tf_fail(j, TF_INVALID_ARGUMENT,
                "Number of ways to split should evenly divide the split dimension: dimension %d of "
                "value, %s, into %d",
                axis, tf_shape(j, x->rank, x->dims), n);
    int64_t *sizes = tf_ints(j, n);
    for (int i = 0; i < n && !j->failed; i++)
        sizes[i] = x->dims[axis] / n;
    split_sizes(j, x, axis, sizes, n);
}

static void split_v(job *j)
{
    const operand *x = tf_in(j, 0), *s = tf_in(j, 1);
    const int64_t *given = tf_host_ints(j, s);
    int64_t dim = tf_host_int(j, tf_in(j, 2), "split_dim");
    int axis = tf_axis(j, "split_dim", dim, x->rank);
    int n = TF_NumOutputs(j->ctx), open = -1;
    int64_t sum = 0;
    bool good = !j->failed && s->rank == 1 && s->count == n;
    int64_t *sizes = tf_ints(j, n);
    for (int i = 0; good && i < n; i++) {
        sizes[i] = given[i];
        if (given[i] == -1 && open < 0)
            open = i;
        else
            good = given[i] >= 0 && !__builtin_add_overflow(sum, given[i], &sum);
    }
    if (good && open >= 0)
        sizes[open] = x->dims[axis] - sum;
    if (good)
        good = open >= 0 ? sizes[open] >= 0 : sum == x->dims[axis];
    if (!good)
        tf_fail(j, TF_INVALID_ARGUMENT,
                "size_splits %s must be %d sizes, one of them -1 perhaps, that make up dimension "
                "%d of value, %s",
                tf_shape(j, (int)s->count, given), n, axis, tf_shape(j, x->rank, x->dims));
    split_sizes(j, x, axis, sizes, n);
}

/* ---- pads ---- */

static void pad(job *j)
{
    const operand *x = tf_in(j, 0), *p = tf_in(j, 1);
    const int64_t *pads = tf_host_ints(j, p);
    if (j->failed)
        return;
    bool good = p->rank == 2 && p->dims[0] == x->rank && p->dims[1] == 2;
    int64_t *dims = tf_ints(j, x->rank), offset = 0;
    for (int i = 0; good && i < x->rank; i++) {
        good = pads[2 * i] >= 0 && pads[2 * i + 1] >= 0;
        if (__builtin_add_overflow(pads[2 * i], pads[2 * i + 1], &dims[i]) ||
            __builtin_add_overflow(dims[i], x->dims[i], &dims[i]))
            good = false;
    }
    if (!good) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "paddings must be [rank of input, 2] numbers of 0 or more: paddings have shape %s "
                "and values %s, input is %s",
                tf_shape(j, p->rank, p->dims), tf_shape(j, (int)p->count, pads),
                tf_shape(j, x->rank, x->dims));
        return;
    }
    const operand *y = tf_out(j, 0, x->type, x->rank, dims);
    if (j->failed || y->count == 0)
        return;
    const int64_t *strides = tf_strides(j, x->rank, dims);
    for (int i = 0; i < x->rank; i++)
        offset += pads[2 * i] * strides[i];
    if (j->inputs == 3) {
        const operand *value = tf_in(j, 2);
        if (!j->failed && value->count != 1)
            tf_fail(j, TF_INVALID_ARGUMENT, "constant_values must be a scalar, and has shape %s",
                    tf_shape(j, value->rank, value->dims));
        tf_copy(j, y, 0, &(int64_t){1}, value, 0, &(int64_t){0}, 1, &y->count);
    } else {
        size_t bytes = (size_t)y->count * TF_DataTypeSize(y->type);
        aclError e = aclrtMemsetAsync(y->data, bytes, 0, bytes, j->session.stream);
        if (e)
            tf_fail_acl(j, e);
    }
    tf_copy(j, y, offset, strides, x, 0, tf_strides(j, x->rank, x->dims), x->rank, x->dims);
}

const kernel_def tf_kernels_layout[] = {
    {"Transpose", "T", T_MOVES, transpose, .host = {"perm"}},
    {"BroadcastTo", "T", T_MOVES & ~T_INT32, broadcast_to, .host = {"shape"}},
    {"BroadcastTo", "T", T_INT32, broadcast_to, .host = {"input", "shape", "output"},
     .on_host = true},
    {"Tile", "T", T_MOVES & ~T_BIT(TF_UINT16), tile, .host = {"multiples"}},
    {"Pack", "T", T_MOVES & ~T_INT32, pack, axis_prepare},
    {"Pack", "T", T_INT32, pack, axis_prepare, .host = {"values", "output"}, .on_host = true},
    {"Unpack", "T", T_MOVES & ~T_INT32 & ~T_INT64, unpack, axis_prepare},
    {"ConcatV2", "T", T_MOVES & ~T_INT32, concat, .host = {"axis"}},
    {"Split", "T", T_MOVES, split, .host = {"split_dim"}},
    {"SplitV", "T", T_MOVES, split_v, .host = {"size_splits", "split_dim"}},
    {"Pad", "T", T_MOVES, pad, .host = {"paddings"}},
    {"PadV2", "T", T_MOVES, pad, .host = {"paddings"}},
    {NULL},
};
