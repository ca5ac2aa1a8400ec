/* out = self taken at index along a dimension: rows of `inner` elements, copied through UB.
 *
 * An item is up to ROWS indices of one outer position and a chunk of their rows. Flags, by buffer
 * set (0, 1): MTE2->S its indices are in; S->MTE2 they are read; MTE2->MTE3 its rows are in;
 * MTE3->MTE2 they are out. */
#include "ops/op.h"

#include "aclnnop/aclnn_gather_v2.h"
#include "runtime/runtime.h"

#define ROWS 512
#define GRAIN_BYTES 65536

typedef struct gather {
    const char *self, *index;
    char *out;
    sa_dtype index_dtype;
    int64_t outer, size, count, row_bytes; /* self [outer, size, row], out [outer, count, row] */
    int64_t index_pieces, row_pieces;
    uint32_t rows, piece_bytes; /* of an item */
} gather;

static int64_t parts(int64_t n, int64_t of)
{
    return n / of + (n % of != 0);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void gather_item(sa_core *core, const gather *g, int64_t item, void *indices, char *rows,
                        uint32_t set)
{
    int64_t piece = item % g->row_pieces * g->piece_bytes, rest = item / g->row_pieces;
    int64_t first = rest % g->index_pieces * g->rows, outer = rest / g->index_pieces;
    uint32_t n = (uint32_t)least(g->rows, g->count - first);
    uint32_t bytes = (uint32_t)least(g->piece_bytes, g->row_bytes - piece);
    uint32_t e = (uint32_t)sa_dtype_bytes(g->index_dtype);

    sa_wait_flag(core, SA_PIPE_S, SA_PIPE_MTE2, set);
    sa_copy_in(core, indices, g->index + first * e, n * e);
    sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_S, set);
    sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_S, set);
    sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, set);
    for (uint32_t i = 0; i < n; i++) {
        double at = sa_get(core, g->index_dtype, indices, i);
        if (!(at >= 0 && at < (double)g->size))
            sa_fault(core, SA_ERR_AICORE_EXCEPTION,
                     "aclnnGatherV2: index %lld is %.0f, it must be in [0, %lld)",
                     (long long)first + i, at, (long long)g->size);
        sa_copy_in(core, rows + (size_t)i * bytes,
                   g->self + (outer * g->size + (int64_t)at) * g->row_bytes + piece, bytes);
    }
    sa_set_flag(core, SA_PIPE_S, SA_PIPE_MTE2, set);
    sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE3, set);
    sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE3, set);
    if (bytes == g->row_bytes)
        sa_copy_out(core, g->out + (outer * g->count + first) * g->row_bytes, rows, n * bytes);
    else
        sa_copy_out_2d(core, g->out + (outer * g->count + first) * g->row_bytes + piece,
                       g->row_bytes, rows, bytes, n, bytes);
    sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, set);
}

static void gather_kernel(sa_core *core, void *args)
{
    const gather *g = args;
    void *indices[2];
    char *rows[2];
    int64_t begin, count;

    sa_share(g->outer * g->index_pieces * g->row_pieces, 1, sa_block_idx(core), sa_block_num(core),
             &begin, &count);
    for (uint32_t i = 0; i < 2; i++) {
        indices[i] = sa_alloc(core, SA_UB, g->rows * 8);
        rows[i] = sa_alloc(core, SA_UB, g->rows * g->piece_bytes);
        sa_set_flag(core, SA_PIPE_S, SA_PIPE_MTE2, i);
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, i);
    }
    for (int64_t i = 0; i < count; i++)
        gather_item(core, g, begin + i, indices[i & 1], rows[i & 1], i & 1);
    for (uint32_t i = 0; i < 2; i++) {
        sa_wait_flag(core, SA_PIPE_S, SA_PIPE_MTE2, i);
        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, i);
    }
}

static aclnnStatus check(const char *op, const aclTensor *self, const aclTensor *index,
                         const aclTensor *out, int64_t dim, int *d)
{
    int64_t dims[2 * SA_MAX_RANK];
    int rank = 0;
    aclnnStatus s = sa_check_tensor(op, "self", self, SA_DTYPES_ANY);

    if (!s)
        s = sa_check_tensor(op, "index", index, SA_DTYPES_INDEX);
    if (!s)
        s = sa_check_output(op, "out", out, SA_DTYPES_ANY);
    if (!s)
        s = sa_check_same_dtype(op, "self", self, "out", out);
    if (!s)
        s = sa_check_rank(op, "self", self, 1, SA_MAX_RANK);
    if (!s)
        s = sa_check_dim(op, "dim", dim, self->rank, d);
    if (s)
        return s;
    for (int i = 0; i < *d; i++)
        dims[rank++] = self->dims[i];
    for (int i = 0; i < index->rank; i++)
        dims[rank++] = index->dims[i];
    for (int i = *d + 1; i < self->rank; i++)
        dims[rank++] = self->dims[i];
    if (rank > SA_MAX_RANK)
        return sa_refuse(op, "self of rank %d at index of rank %d gives rank %d, the highest is %d",
                         self->rank, index->rank, rank, SA_MAX_RANK);
    return sa_check_shape(op, "out", out, rank, dims);
}

static aclnnStatus plan(aclOpExecutor *ex, const char *op, const aclTensor *self, int d,
                        const aclTensor *index, const aclTensor *out)
{
    const sa_chip *chip = sa_current_chip();
    aclTensor flat_self, flat_index, flat_out;
    bool self_moved, index_moved, out_moved;
    uint64_t self_at, index_at, out_at;
    gather g = {.index_dtype = index->dtype,
                .outer = 1,
                .size = self->dims[d],
                .count = index->elements,
                .row_bytes = (int64_t)sa_dtype_bytes(self->dtype)};
    void *copy;
    int64_t blocks, most;
    aclnnStatus s;

    if (out->elements == 0)
        return ACLNN_SUCCESS;
    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    s = sa_plan_contiguous(ex, op, self, self->rank, self->dims, &flat_self, &self_moved, &self_at);
    if (!s)
        s = sa_plan_contiguous(ex, op, index, index->rank, index->dims, &flat_index, &index_moved,
                               &index_at);
    if (s)
        return s;
    sa_plan_result(ex, out, &flat_out, &out_moved, &out_at);
    for (int i = 0; i < d; i++)
        g.outer *= self->dims[i];
    for (int i = d + 1; i < self->rank; i++)
        g.row_bytes *= self->dims[i];
    g.self = self_moved ? NULL : sa_tensor_data(&flat_self);
    g.index = index_moved ? NULL : sa_tensor_data(&flat_index);
    g.out = out_moved ? NULL : sa_tensor_data(&flat_out);
    most = (chip->ub_bytes - 1024) / 2 - ROWS * 8;
    blocks = sa_blocks(chip, SA_AIV, g.outer * g.count * g.row_bytes, GRAIN_BYTES);
    g.piece_bytes = (uint32_t)least(g.row_bytes, most / 2 / 32 * 32);
    g.rows = (uint32_t)least(least(ROWS, g.count), most / g.piece_bytes);
    if (g.outer * parts(g.count, g.rows) < blocks)
        g.rows = (uint32_t)least(g.rows, parts(g.outer * g.count, blocks));
    g.index_pieces = parts(g.count, g.rows);
    g.row_pieces = parts(g.row_bytes, g.piece_bytes);
    blocks = least(blocks, g.outer * g.index_pieces * g.row_pieces);
    s = sa_op_launch(ex, gather_kernel, op, SA_AIV, (uint32_t)blocks, &g, sizeof g, &copy);
    if (!s && self_moved)
        s = sa_op_point(ex, &((gather *)copy)->self, self_at);
    if (!s && index_moved)
        s = sa_op_point(ex, &((gather *)copy)->index, index_at);
    if (!s && out_moved)
        s = sa_op_point(ex, &((gather *)copy)->out, out_at);
    return s ? s : sa_plan_scatter(ex, op, out, out_moved, out_at);
}

aclnnStatus aclnnGatherV2GetWorkspaceSize(const aclTensor *self, int64_t dim,
                                          const aclTensor *index, aclTensor *out,
                                          uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const char op[] = "aclnnGatherV2";
    aclOpExecutor *ex = NULL;
    int d = 0;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = check(op, self, index, out, dim, &d);
    if (!s)
        s = plan(ex, op, self, d, index, out);
    return sa_op_end(ex, s, workspaceSize, executor);
}
SA_OP_RUN(aclnnGatherV2)
