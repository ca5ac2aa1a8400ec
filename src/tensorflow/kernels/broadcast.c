/* Shapes and views that operands broadcast to, and copies between views. */
#include <string.h>

#include "aclnnop/aclnn_copy.h"
#include "tensorflow/kernels/kernel.h"

bool tf_broadcast(job *j, int n, const operand *const *o, int *rank, const int64_t **dims)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r = o[i]->rank > r ? o[i]->rank : r;
    int64_t *d = tf_ints(j, r);
    for (int axis = 0; axis < r; axis++) {
        d[axis] = 1;
        for (int i = 0; i < n; i++) {
            int own = axis - (r - o[i]->rank);
            int64_t size = own < 0 ? 1 : o[i]->dims[own];
            if (size == 1)
                continue;
            if (d[axis] != 1 && d[axis] != size)
                return false;
            d[axis] = size;
        }
    }
    *rank = r;
    *dims = d;
    return true;
}

void tf_broadcast_views(job *j, int n, const operand *const *o, const operand *out,
                        aclTensor **views)
{
    if (j->failed)
        return;
    /* From the last dimension to the first: neighbours in which the same operands repeat become
     * one. */
    int64_t *size = tf_ints(j, out->rank + 1);
    int64_t *mask = tf_ints(j, out->rank + 1);
    int groups = 0;
    for (int axis = out->rank - 1; axis >= 0; axis--) {
        if (out->dims[axis] == 1)
            continue;
        int64_t repeats = 0;
        for (int i = 0; i < n; i++) {
            int own = axis - (out->rank - o[i]->rank);
            if (own < 0 || o[i]->dims[own] == 1)
                repeats |= INT64_C(1) << i;
        }
        if (groups && mask[groups - 1] == repeats) {
            size[groups - 1] *= out->dims[axis];
        } else {
            size[groups] = out->dims[axis];
            mask[groups++] = repeats;
        }
    }
    int64_t dims[TF_MAX_VIEW_RANK];
    if (groups > TF_MAX_VIEW_RANK) {
        tf_fail(j, TF_UNIMPLEMENTED,
                "broadcasting to %s needs %d dimensions, and the NPU's operators take 8 at most",
                tf_shape(j, out->rank, out->dims), groups);
        return;
    }
    for (int i = 0; i <= n; i++) {
        for (int g = 0; g < groups; g++) {
            int k = groups - 1 - g;
            dims[g] = i < n && mask[k] >> i & 1 ? 1 : size[k];
        }
        views[i] = tf_shaped(j, i < n ? o[i] : out, groups, dims);
    }
}

int64_t *tf_strides(job *j, int rank, const int64_t *dims)
{
    int64_t *s = tf_ints(j, rank);
    int64_t step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        s[i] = step;
        step *= dims[i];
    }
    return s;
}

/* ---- copies ---- */

typedef struct plan {
    int rank;
    int64_t dims[TF_MAX_VIEW_RANK], to[TF_MAX_VIEW_RANK], from[TF_MAX_VIEW_RANK];
} plan;

/* Drops dimensions of 1 and joins those that lie one after the other on both sides; false if more
 * than 8 remain. */
static bool make_plan(plan *p, int rank, const int64_t *dims, const int64_t *to,
                      const int64_t *from)
{
    p->rank = 0;
    for (int i = 0; i < rank; i++) {
        if (dims[i] == 1)
            continue;
        int last = p->rank - 1;
        if (last >= 0 && p->to[last] == dims[i] * to[i] && p->from[last] == dims[i] * from[i]) {
            p->dims[last] *= dims[i];
            p->to[last] = to[i];
            p->from[last] = from[i];
            continue;
        }
        if (p->rank == TF_MAX_VIEW_RANK)
            return false;
        p->dims[p->rank] = dims[i];
        p->to[p->rank] = to[i];
        p->from[p->rank++] = from[i];
    }
    return true;
}

static void copy_on_host(const plan *p, int axis, char *to, const char *from, size_t bytes)
{
    if (axis == p->rank) {
        memcpy(to, from, bytes);
        return;
    }
    for (int64_t i = 0; i < p->dims[axis]; i++)
        copy_on_host(p, axis + 1, to + i * p->to[axis] * (int64_t)bytes,
                     from + i * p->from[axis] * (int64_t)bytes, bytes);
}

void tf_copy(job *j, const operand *dst, int64_t dst_offset, const int64_t *dst_strides,
             const operand *src, int64_t src_offset, const int64_t *src_strides, int rank,
             const int64_t *dims)
{
    if (j->failed || tf_count(rank, dims) == 0)
        return;
    plan p;
    if (!make_plan(&p, rank, dims, dst_strides, src_strides)) {
        tf_fail(j, TF_UNIMPLEMENTED,
                "moving a window of shape %s needs more than 8 dimensions, which is what the NPU's "
                "operators take",
                tf_shape(j, rank, dims));
        return;
    }
    if (j->k->def->on_host) {
        size_t bytes = TF_DataTypeSize(dst->type);
        copy_on_host(&p, 0, (char *)dst->data + dst_offset * (int64_t)bytes,
                     (const char *)src->data + src_offset * (int64_t)bytes, bytes);
        return;
    }
    view to = {.rank = p.rank, .offset = dst_offset}, from = {.rank = p.rank, .offset = src_offset};
    for (int i = 0; i < p.rank; i++) {
        to.dims[i] = from.dims[i] = p.dims[i];
        to.strides[i] = p.to[i];
        from.strides[i] = p.from[i];
        if (p.from[i] == 0) /* repeats: the operator broadcasts */
            from.dims[i] = from.strides[i] = 1;
    }
    aclTensor *vt = tf_moved(j, dst, &to), *vf = tf_moved(j, src, &from);
    TF_RUN(j, aclnnInplaceCopy, vt, vf);
}
