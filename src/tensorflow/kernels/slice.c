/* Slices: windows with steps, and their gradient. */
#include <string.h>

#include "tensorflow/kernels/kernel.h"

enum { BEGIN_MASK, END_MASK, ELLIPSIS_MASK, NEW_AXIS_MASK, SHRINK_MASK };

static void strided_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    static const char *const names[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                        "shrink_axis_mask"};
    for (int i = 0; i < 5 && TF_GetCode(status) == TF_OK; i++)
        TF_OpKernelConstruction_GetAttrInt64(c, names[i], &k->number[i], status);
}

/* A window on a tensor: dims and strides for every dimension of the input, in which shrunk ones
 * have size 1, and the result's shape. */
typedef struct window {
    int64_t *dims, *strides, offset;
    int rank;       /* of the result */
    int64_t *shape; /* of the result */
} window;

static bool bit(int64_t mask, int64_t i)
{
    return i < 63 && mask >> i & 1;
}

/* One dimension's begin, end and step under TensorFlow's (and NumPy's) rules. */
static bool bounds(job *j, int axis, int64_t size, bool shrink, bool open_begin, bool open_end,
                   int64_t begin, int64_t end, int64_t step, int64_t *first, int64_t *count)
{
    if (step == 0) {
        tf_fail(j, TF_INVALID_ARGUMENT, "strides[%d] must be non-zero", axis);
        return false;
    }
    if (shrink) {
        int64_t at = begin < 0 ? begin + size : begin;
        if (at < 0 || at >= size || step < 0) {
            tf_fail(j, TF_INVALID_ARGUMENT,
                    "slice index %lld of dimension %d out of bounds for size %lld%s",
                    (long long)begin, axis, (long long)size,
                    step < 0 ? " (only stride 1 allowed on an index)" : "");
            return false;
        }
        *first = at;
        *count = 1;
        return true;
    }
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    int64_t b = begin < 0 ? begin + size : begin, e = end < 0 ? end + size : end;
    b = open_begin ? (step > 0 ? low : high) : b < low ? low : b > high ? high : b;
    e = open_end ? (step > 0 ? high : low) : e < low ? low : e > high ? high : e;
    int64_t length = e - b;
    *first = b;
    if (length == 0 || (length < 0) != (step < 0))
        *count = 0;
    else
        *count = length / step + (length % step != 0);
    return true;
}

static bool find_window(job *j, int rank, const int64_t *x, const operand *b, const operand *e,
                        const operand *s, window *w)
{
    const int64_t *begin = tf_host_ints(j, b), *end = tf_host_ints(j, e);
    const int64_t *step = tf_host_ints(j, s), *mask = j->k->number;
    if (j->failed)
        return false;
    int64_t n = b->count;
    if (b->rank != 1 || e->rank != 1 || s->rank != 1 || e->count != n || s->count != n || n > 254) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "begin, end and strides must be vectors of one length: they are %s, %s and %s",
                tf_shape(j, b->rank, b->dims), tf_shape(j, e->rank, e->dims),
                tf_shape(j, s->rank, s->dims));
        return false;
    }
    int64_t covered = 0, ellipses = 0;
    for (int64_t i = 0; i < n; i++) {
        ellipses += bit(mask[ELLIPSIS_MASK], i);
        covered += !bit(mask[ELLIPSIS_MASK], i) && !bit(mask[NEW_AXIS_MASK], i);
    }
    if (ellipses > 1 || covered > rank) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                ellipses > 1 ? "Multiple ellipses in slice spec not allowed"
                             : "Index out of range: %lld indices for input of shape %s",
                (long long)covered, tf_shape(j, rank, x));
        return false;
    }
    const int64_t *strides = tf_strides(j, rank, x);
    *w = (window){tf_ints(j, rank), tf_ints(j, rank), 0, 0, tf_ints(j, rank + n)};
    int axis = 0;
    for (int64_t i = 0; i <= n; i++) {
        bool whole = i == n || bit(mask[ELLIPSIS_MASK], i);
        int64_t rest = i == n ? rank - axis : whole ? rank - covered : 0;
        for (; rest > 0; rest--, axis++) {
            w->dims[axis] = w->shape[w->rank++] = x[axis];
            w->strides[axis] = strides[axis];
        }
        if (whole)
            continue;
        if (bit(mask[NEW_AXIS_MASK], i)) {
            w->shape[w->rank++] = 1;
            continue;
        }
        int64_t first, count;
        bool shrink = bit(mask[SHRINK_MASK], i);
        if (!bounds(j, axis, x[axis], shrink, bit(mask[BEGIN_MASK], i) && !shrink,
                    bit(mask[END_MASK], i), begin[i], end[i], step[i], &first, &count))
            return false;
        w->dims[axis] = count;
        w->strides[axis] = strides[axis] * step[i];
        w->offset += first * strides[axis];
        if (!shrink)
            w->shape[w->rank++] = count;
        axis++;
    }
    return true;
}

static void strided_slice(job *j)
{
    const operand *x = tf_in(j, 0);
    window w;
    if (j->failed || !find_window(j, x->rank, x->dims, tf_in(j, 1), tf_in(j, 2), tf_in(j, 3), &w))
        return;
    const operand *y = tf_out(j, 0, x->type, w.rank, w.shape);
    tf_copy(j, y, 0, tf_strides(j, x->rank, w.dims), x, w.offset, w.strides, x->rank, w.dims);
}

static void strided_slice_grad(job *j)
{
    const operand *s = tf_in(j, 0), *dy = tf_in(j, 4);
    const int64_t *shape = tf_host_ints(j, s);
    int rank = (int)s->count;
    window w;
    if (j->failed || !tf_count_fits(j, rank, shape) ||
        !find_window(j, rank, shape, tf_in(j, 1), tf_in(j, 2), tf_in(j, 3), &w))
        return;
    if (dy->rank != w.rank || memcmp(dy->dims, w.shape, (size_t)w.rank * 8)) {
        tf_fail(j, TF_INVALID_ARGUMENT, "dy must have the slice's shape %s, and has %s",
                tf_shape(j, w.rank, w.shape), tf_shape(j, dy->rank, dy->dims));
        return;
    }
    const operand *dx = tf_out(j, 0, dy->type, rank, shape);
    if (j->failed || dx->count == 0)
        return;
    size_t bytes = (size_t)dx->count * TF_DataTypeSize(dx->type);
    aclError e = aclrtMemsetAsync(dx->data, bytes, 0, bytes, j->session.stream);
    if (e)
        tf_fail_acl(j, e);
    tf_copy(j, dx, w.offset, w.strides, dy, 0, tf_strides(j, rank, w.dims), rank, w.dims);
}

static void slice(job *j)
{
    const operand *x = tf_in(j, 0), *b = tf_in(j, 1), *s = tf_in(j, 2);
    const int64_t *begin = tf_host_ints(j, b), *size = tf_host_ints(j, s);
    if (j->failed)
        return;
    bool good = b->rank == 1 && s->rank == 1 && b->count == x->rank && s->count == x->rank;
    int64_t *dims = tf_ints(j, x->rank), offset = 0;
    const int64_t *strides = tf_strides(j, x->rank, x->dims);
    for (int i = 0; good && i < x->rank; i++) {
        good = begin[i] >= 0 && begin[i] <= x->dims[i];
        dims[i] = size[i] == -1 ? x->dims[i] - begin[i] : size[i];
        good = good && dims[i] >= 0 && dims[i] <= x->dims[i] - begin[i];
        if (good)
            offset += begin[i] * strides[i];
    }
    if (!good) {
        tf_fail(j, TF_INVALID_ARGUMENT, "begin %s and size %s do not lie in input, %s",
                tf_shape(j, (int)b->count, begin), tf_shape(j, (int)s->count, size),
                tf_shape(j, x->rank, x->dims));
        return;
    }
    const operand *y = tf_out(j, 0, x->type, x->rank, dims);
    tf_copy(j, y, 0, tf_strides(j, x->rank, dims), x, offset, strides, x->rank, dims);
}

const kernel_def tf_kernels_slice[] = {
    {"StridedSlice", "T", T_MOVES & ~T_INT32, strided_slice, strided_prepare,
     .host = {"begin", "end", "strides"}},
    {"StridedSlice", "T", T_INT32, strided_slice, strided_prepare,
     .host = {"input", "begin", "end", "strides", "output"}, .on_host = true},
    {"StridedSliceGrad", "T", T_MOVES & ~T_INT32, strided_slice_grad, strided_prepare,
     .host = {"shape", "begin", "end", "strides"}},
    {"Slice", "T", T_MOVES & ~T_INT32, slice, .host = {"begin", "size"}},
    {NULL},
};
