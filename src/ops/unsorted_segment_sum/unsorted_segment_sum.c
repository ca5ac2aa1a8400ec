/* out[ids[i]] += data[i], rows of `inner` elements. Each item owns some segments and a piece of
 * their rows, keeps their sums in UB, and reads every id, so that the sums are added in the order
 * of the rows whatever the number of cores.
 *
 * Flags: MTE2->S 0 ids are in; S->MTE2 0 they are read; MTE2->V 0 a batch of rows is in; V->MTE2 0
 * it is added; V->MTE3 0 and MTE3->V 0 the item's result. */
#include "ops/op.h"

#include "ops/elementwise/engine.h"

#include "aclnnop/sann_unsorted_segment_sum.h"
#include "runtime/runtime.h"

#define IDS 1024        /* read at once */
#define BATCH 8         /* rows brought at once */
#define PIECE 1024      /* elements of a row in an item, at most */
#define SUM_BYTES 65536 /* of an item */
#define GRAIN 16384

typedef struct segment_sum {
    const char *data, *ids;
    char *out;
    sa_dtype dtype, acc, id_dtype;
    int64_t rows, inner, segments;
    int64_t pieces, groups; /* of a row; of the segments */
    uint32_t piece, group;
} segment_sum;

typedef struct run {
    sa_core *core;
    const segment_sum *p;
    char *sums, *raw, *wide, *ids, *out;
    int64_t first_segment, first_element;
    uint32_t segments, elements; /* of the item */
    uint32_t batch, target[BATCH];
} run;

static int64_t parts(int64_t n, int64_t of)
{
    return n / of + (n % of != 0);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Adds the rows that were brought. */
static void add_batch(run *r)
{
    const segment_sum *p = r->p;
    sa_core *core = r->core;
    size_t e = sa_dtype_bytes(p->acc);
    const char *rows = r->raw;

    if (r->batch == 0)
        return;
    sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 0);
    sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 0);
    if (p->acc != p->dtype) {
        sa_barrier(core, SA_PIPE_V);
        sa_cast(core, p->acc, r->wide, p->dtype, r->raw, SA_ROUND_NONE, r->batch * r->elements);
        rows = r->wide;
    }
    for (uint32_t i = 0; i < r->batch; i++) {
        char *sum = r->sums + (size_t)r->target[i] * r->elements * e;
        sa_barrier(core, SA_PIPE_V);
        sa_add(core, p->acc, sum, sum, rows + (size_t)i * r->elements * e, r->elements);
    }
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
    r->batch = 0;
}

static void take_id(run *r, int64_t row, double id)
{
    const segment_sum *p = r->p;
    uint32_t e = (uint32_t)sa_dtype_bytes(p->dtype);

    if (id >= (double)p->segments)
        sa_fault(r->core, SA_ERR_AICORE_EXCEPTION,
                 "sannUnsortedSegmentSum: segmentIds %lld is %.0f, out has %lld segments",
                 (long long)row, id, (long long)p->segments);
    if (id < (double)r->first_segment || id >= (double)(r->first_segment + r->segments))
        return; /* negative, or another item's */
    if (r->batch == 0)
        sa_wait_flag(r->core, SA_PIPE_V, SA_PIPE_MTE2, 0);
    sa_copy_in(r->core, r->raw + (size_t)r->batch * r->elements * e,
               p->data + (row * p->inner + r->first_element) * e, r->elements * e);
    r->target[r->batch++] = (uint32_t)((int64_t)id - r->first_segment);
    if (r->batch == BATCH)
        add_batch(r);
}

static void sum_rows(run *r)
{
    const segment_sum *p = r->p;
    sa_core *core = r->core;
    uint32_t e = (uint32_t)sa_dtype_bytes(p->id_dtype);

    for (int64_t row = 0; row < p->rows; row += IDS) {
        uint32_t n = (uint32_t)least(IDS, p->rows - row);
        sa_wait_flag(core, SA_PIPE_S, SA_PIPE_MTE2, 0);
        sa_copy_in(core, r->ids, p->ids + row * e, n * e);
        sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_S, 0);
        sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_S, 0);
        for (uint32_t i = 0; i < n; i++)
            take_id(r, row + i, sa_get(core, p->id_dtype, r->ids, i));
        sa_set_flag(core, SA_PIPE_S, SA_PIPE_MTE2, 0);
    }
    add_batch(r);
}

static void sum_item(run *r, int64_t item)
{
    const segment_sum *p = r->p;
    sa_core *core = r->core;
    uint32_t e = (uint32_t)sa_dtype_bytes(p->dtype), n;
    char *result = r->sums;

    r->first_element = item % p->pieces * p->piece;
    r->first_segment = item / p->pieces * p->group;
    r->elements = (uint32_t)least(p->piece, p->inner - r->first_element);
    r->segments = (uint32_t)least(p->group, p->segments - r->first_segment);
    n = r->segments * r->elements;
    sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
    sa_barrier(core, SA_PIPE_V);
    sa_fill(core, p->acc, r->sums, 0, n);
    sum_rows(r);
    sa_barrier(core, SA_PIPE_V);
    if (p->acc != p->dtype) {
        sa_cast(core, p->dtype, r->out, p->acc, r->sums, SA_ROUND_RINT, n);
        result = r->out;
    }
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_copy_out_2d(core, p->out + (r->first_segment * p->inner + r->first_element) * e,
                   p->inner * e, result, r->elements * e, r->segments, r->elements * e);
    sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
}

static void segment_sum_kernel(sa_core *core, void *args)
{
    run r = {.core = core, .p = args};
    const segment_sum *p = args;
    uint32_t e = (uint32_t)sa_dtype_bytes(p->dtype), acc = (uint32_t)sa_dtype_bytes(p->acc);
    int64_t begin, count;

    sa_share(p->pieces * p->groups, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    r.sums = sa_alloc(core, SA_UB, p->group * p->piece * acc);
    r.raw = sa_alloc(core, SA_UB, BATCH * p->piece * e);
    if (acc != e) {
        r.wide = sa_alloc(core, SA_UB, BATCH * p->piece * acc);
        r.out = sa_alloc(core, SA_UB, p->group * p->piece * e);
    }
    r.ids = sa_alloc(core, SA_UB, IDS * 8);
    sa_set_flag(core, SA_PIPE_S, SA_PIPE_MTE2, 0);
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
    sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
    for (int64_t i = begin; i < begin + count; i++)
        sum_item(&r, i);
    sa_wait_flag(core, SA_PIPE_S, SA_PIPE_MTE2, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, 0);
    sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, 0);
}

static aclnnStatus check(const char *op, const aclTensor *data, const aclTensor *ids,
                         const aclTensor *out)
{
    int64_t dims[SA_MAX_RANK];
    int rank = 1;
    aclnnStatus s = sa_check_tensor(op, "data", data, SA_DTYPES_NUMBER);

    if (!s)
        s = sa_check_tensor(op, "segmentIds", ids, SA_DTYPES_INDEX);
    if (!s)
        s = sa_check_output(op, "out", out, SA_DTYPES_NUMBER);
    if (!s)
        s = sa_check_same_dtype(op, "data", data, "out", out);
    if (!s)
        s = sa_check_rank(op, "data", data, ids->rank, SA_MAX_RANK);
    if (!s) /* ids' shape is how data's begins */
        s = sa_check_shape(op, "segmentIds", ids, ids->rank, data->dims);
    if (!s)
        s = sa_check_rank(op, "out", out, 1, SA_MAX_RANK);
    if (s)
        return s;
    if (data->rank - ids->rank + 1 > SA_MAX_RANK)
        return sa_refuse(op, "data of rank %d with one id gives rank %d, the highest is %d",
                         data->rank, data->rank + 1, SA_MAX_RANK);
    dims[0] = out->dims[0];
    for (int i = ids->rank; i < data->rank; i++)
        dims[rank++] = data->dims[i];
    return sa_check_shape(op, "out", out, rank, dims);
}

static aclnnStatus plan(aclOpExecutor *ex, const char *op, const aclTensor *data,
                        const aclTensor *ids, const aclTensor *out)
{
    const sa_chip *chip = sa_current_chip();
    aclTensor flat_data, flat_ids, flat_out;
    bool data_moved, ids_moved, out_moved;
    uint64_t data_at, ids_at, out_at;
    segment_sum p = {.dtype = data->dtype,
                     .acc = sa_ew_compute(data->dtype, true),
                     .id_dtype = ids->dtype,
                     .rows = ids->elements,
                     .inner = 1,
                     .segments = out->dims[0]};
    aclScalar zero = {.dtype = SA_I64};
    void *copy;
    int64_t blocks, group;
    aclnnStatus s;

    if (out->elements == 0 && ids->elements == 0)
        return ACLNN_SUCCESS;
    if (data->elements == 0)
        return sa_ew_plan_fill(ex, op, out, &zero);
    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    s = sa_plan_contiguous(ex, op, data, data->rank, data->dims, &flat_data, &data_moved, &data_at);
    if (!s)
        s = sa_plan_contiguous(ex, op, ids, ids->rank, ids->dims, &flat_ids, &ids_moved, &ids_at);
    if (s)
        return s;
    sa_plan_result(ex, out, &flat_out, &out_moved, &out_at);
    for (int i = 1; i < out->rank; i++)
        p.inner *= out->dims[i];
    p.data = data_moved ? NULL : sa_tensor_data(&flat_data);
    p.ids = ids_moved ? NULL : sa_tensor_data(&flat_ids);
    p.out = out_moved ? NULL : sa_tensor_data(&flat_out);
    blocks = sa_blocks(chip, SA_AIV, data->elements + out->elements, GRAIN);
    p.piece = (uint32_t)least(p.inner, PIECE);
    p.pieces = parts(p.inner, p.piece);
    group = least(p.segments, SUM_BYTES / (p.piece * (int64_t)sa_dtype_bytes(p.acc)));
    group = least(group, parts(p.segments * p.pieces, blocks));
    p.group = (uint32_t)(group > 0 ? group : 1);
    p.groups = p.segments > 0 ? parts(p.segments, p.group) : 1; /* to look at the ids */
    blocks = least(blocks, p.pieces * p.groups);
    s = sa_op_launch(ex, segment_sum_kernel, op, SA_AIV, (uint32_t)blocks, &p, sizeof p, &copy);
    if (!s && data_moved)
        s = sa_op_point(ex, &((segment_sum *)copy)->data, data_at);
    if (!s && ids_moved)
        s = sa_op_point(ex, &((segment_sum *)copy)->ids, ids_at);
    if (!s && out_moved)
        s = sa_op_point(ex, &((segment_sum *)copy)->out, out_at);
    return s ? s : sa_plan_scatter(ex, op, out, out_moved, out_at);
}

aclnnStatus sannUnsortedSegmentSumGetWorkspaceSize(const aclTensor *data,
                                                   const aclTensor *segmentIds, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    static const char op[] = "sannUnsortedSegmentSum";
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);

    if (!s)
        s = check(op, data, segmentIds, out);
    if (!s)
        s = plan(ex, op, data, segmentIds, out);
    return sa_op_end(ex, s, workspaceSize, executor);
}
SA_OP_RUN(sannUnsortedSegmentSum)
