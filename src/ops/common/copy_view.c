/* Copies any view to any view of the same dtype: the general path by which operators whose kernels
 * want contiguous operands take strided and broadcast ones.
 *
 * The loop's last two dimensions make tiles. Tiles come in three kinds: rows that are contiguous on
 * both sides; a transposition, where the input is contiguous along the other tile dimension;
 * single elements for what is left. */
#include "ops/op.h"
#include "runtime/runtime.h"

#include <string.h>

#define BUFFERS 2
#define BUFFER_BYTES 32768u /* in UB, input and output of a transposition each have one */
#define GRAIN 16384         /* elements that are worth a block */

typedef enum tile_kind { TILE_ROWS, TILE_TRANSPOSE, TILE_ELEMENTS } tile_kind;

typedef struct copy_args {
    sa_loop loop; /* rank >= 2; operand 0 is the output */
    tile_kind kind;
    uint32_t bytes;           /* of an element */
    int64_t tile_p, tile_l;   /* of the last two dimensions */
    int64_t tiles_p, tiles_l; /* how many of them */
    int64_t tiles;
} copy_args;

typedef struct tile {
    char *out, *in;
    int64_t out_p, out_l, in_p, in_l; /* strides in bytes */
    uint32_t p, l, bytes;
} tile;

static tile tile_at(const copy_args *a, int64_t index)
{
    const sa_loop *loop = &a->loop;
    int p = loop->rank - 2, l = loop->rank - 1;
    int64_t e = a->bytes, at_l = index % a->tiles_l * a->tile_l;
    int64_t at_p = index / a->tiles_l % a->tiles_p * a->tile_p;
    int64_t outer = index / (a->tiles_l * a->tiles_p);
    tile t = {
        .out_p = loop->strides[0][p] * e,
        .out_l = loop->strides[0][l] * e,
        .in_p = loop->strides[1][p] * e,
        .in_l = loop->strides[1][l] * e,
        .p = (uint32_t)(loop->dims[p] - at_p < a->tile_p ? loop->dims[p] - at_p : a->tile_p),
        .l = (uint32_t)(loop->dims[l] - at_l < a->tile_l ? loop->dims[l] - at_l : a->tile_l),
        .bytes = a->bytes,
    };
    t.out = (char *)loop->data[0] + sa_loop_offset(loop, 0, 2, outer) * e + at_p * t.out_p +
            at_l * t.out_l;
    t.in = (char *)loop->data[1] + sa_loop_offset(loop, 1, 2, outer) * e + at_p * t.in_p +
           at_l * t.in_l;
    return t;
}

static uint32_t pad32(uint32_t bytes)
{
    return (bytes + 31u) & ~31u;
}

static void tile_in(sa_core *core, tile_kind kind, const tile *t, char *ub)
{
    if (kind == TILE_ROWS)
        sa_copy_in_2d(core, ub, pad32(t->l * t->bytes), t->in, t->in_p, t->p, t->l * t->bytes);
    else if (kind == TILE_TRANSPOSE)
        sa_copy_in_2d(core, ub, t->p * t->bytes, t->in, t->in_l, t->l, t->p * t->bytes);
    else
        for (uint32_t r = 0; r < t->p; r++)
            sa_copy_in_2d(core, ub + r * pad32(t->l * t->bytes), t->bytes, t->in + r * t->in_p,
                          t->in_l, t->l, t->bytes);
}

static void tile_out(sa_core *core, tile_kind kind, const tile *t, const char *ub)
{
    uint32_t pitch = kind == TILE_TRANSPOSE ? t->l * t->bytes : pad32(t->l * t->bytes);

    if (t->out_l == t->bytes)
        sa_copy_out_2d(core, t->out, t->out_p, ub, pitch, t->p, t->l * t->bytes);
    else
        for (uint32_t r = 0; r < t->p; r++)
            sa_copy_out_2d(core, t->out + r * t->out_p, t->out_l, ub + r * pitch, t->bytes, t->l,
                           t->bytes);
}

static sa_dtype dtype_of_size(uint32_t bytes)
{
    return bytes == 1 ? SA_U8 : bytes == 2 ? SA_U16 : bytes == 4 ? SA_U32 : SA_U64;
}

static void copy_view(sa_core *core, void *args)
{
    const copy_args *a = args;
    bool transpose = a->kind == TILE_TRANSPOSE;
    char *in[BUFFERS], *out[BUFFERS];
    int64_t begin, count;

    sa_share(a->tiles, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    for (uint32_t b = 0; b < BUFFERS; b++) {
        in[b] = sa_alloc(core, SA_UB, BUFFER_BYTES);
        out[b] = transpose ? sa_alloc(core, SA_UB, BUFFER_BYTES) : in[b];
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
    }
    for (int64_t i = 0; i < count; i++) {
        tile t = tile_at(a, begin + i);
        uint32_t b = (uint32_t)(i % BUFFERS);

        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
        tile_in(core, a->kind, &t, in[b]);
        if (transpose) {
            sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, b);
            sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, b);
            sa_transpose(core, dtype_of_size(t.bytes), out[b], in[b], t.l, t.p);
            sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, b);
            sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, b);
        } else {
            sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE3, b);
            sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE3, b);
        }
        tile_out(core, a->kind, &t, out[b]);
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
    }
    for (uint32_t b = 0; b < BUFFERS; b++)
        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_MTE2, b);
}

static void swap_dims(sa_loop *loop, int i, int j)
{
    int64_t t = loop->dims[i];
    loop->dims[i] = loop->dims[j];
    loop->dims[j] = t;
    for (int o = 0; o < loop->operands; o++) {
        t = loop->strides[o][i];
        loop->strides[o][i] = loop->strides[o][j];
        loop->strides[o][j] = t;
    }
}

static int unit_dim(const sa_loop *loop, int operand)
{
    for (int i = loop->rank - 1; i >= 0; i--)
        if (loop->strides[operand][i] == 1)
            return i;
    return -1;
}

/* Brings the dimensions that make tiles to the end and says what the tiles are. */
static void plan_tiles(copy_args *a)
{
    sa_loop *loop = &a->loop;
    int last = loop->rank - 1, unit;

    if (loop->rank == 1) { /* one more, of 1, before it */
        loop->rank = 2;
        last = 1;
        swap_dims(loop, 0, 1);
        loop->dims[0] = 1;
        loop->strides[0][0] = loop->strides[1][0] = 0;
    }
    unit = unit_dim(loop, 0);
    if (unit >= 0)
        swap_dims(loop, unit, last);
    unit = unit_dim(loop, 1);
    a->kind = TILE_ELEMENTS;
    if (loop->strides[0][last] == 1 && unit == last) {
        a->kind = TILE_ROWS;
    } else if (loop->strides[0][last] == 1 && unit >= 0) {
        a->kind = TILE_TRANSPOSE;
        swap_dims(loop, unit, last - 1);
    }
    if (a->kind == TILE_TRANSPOSE) {
        a->tile_l = a->tile_p = 64;
    } else {
        int64_t fits = BUFFER_BYTES / a->bytes;
        a->tile_l = loop->dims[last] < fits ? loop->dims[last] : fits;
        a->tile_p = BUFFER_BYTES / pad32((uint32_t)a->tile_l * a->bytes);
    }
    a->tiles_l = (loop->dims[last] + a->tile_l - 1) / a->tile_l;
    a->tiles_p = (loop->dims[last - 1] + a->tile_p - 1) / a->tile_p;
    a->tiles = a->tiles_l * a->tiles_p;
    for (int i = 0; i < last - 1; i++)
        a->tiles *= loop->dims[i];
}

static aclnnStatus plan_loop(aclOpExecutor *ex, const char *op, copy_args *args, sa_dtype dtype,
                             copy_args **copy)
{
    const sa_chip *chip = sa_current_chip();
    uint32_t blocks;
    void *at;
    aclnnStatus status;

    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    args->bytes = (uint32_t)sa_dtype_bytes(dtype);
    plan_tiles(args);
    blocks = sa_blocks(chip, SA_AIV, args->loop.elements, GRAIN);
    if (blocks > args->tiles)
        blocks = (uint32_t)args->tiles;
    status = sa_op_launch(ex, copy_view, op, SA_AIV, blocks, args, sizeof *args, &at);
    *copy = at;
    return status;
}

aclnnStatus sa_plan_copy(aclOpExecutor *ex, const char *op, const aclTensor *out,
                         const aclTensor *in)
{
    copy_args args = {0}, *copy;
    aclnnStatus status = sa_loop_make(op, &args.loop, 2, (const aclTensor *const[]){out, in});

    if (status || out->elements == 0)
        return status;
    return plan_loop(ex, op, &args, out->dtype, &copy);
}

/* A contiguous tensor of the given shape, without data. */
static aclTensor flat_tensor(sa_dtype dtype, int rank, const int64_t *dims)
{
    aclTensor t = {.rank = rank, .dtype = dtype, .format = ACL_FORMAT_ND, .elements = 1};

    for (int i = rank - 1; i >= 0; i--) {
        t.dims[i] = t.storage_dims[i] = dims[i];
        t.strides[i] = t.elements;
        t.elements *= dims[i];
    }
    t.storage_rank = rank;
    return t;
}

static uint64_t tensor_bytes(const aclTensor *t)
{
    return (uint64_t)t->elements * sa_dtype_bytes(t->dtype);
}

aclnnStatus sa_plan_contiguous(aclOpExecutor *ex, const char *op, const aclTensor *in, int rank,
                               const int64_t *dims, aclTensor *flat, bool *in_workspace,
                               uint64_t *offset)
{
    copy_args args, *copy;
    aclnnStatus status;

    *flat = flat_tensor(in->dtype, rank, dims);
    *in_workspace = false;
    *offset = 0;
    if (flat->elements == 0 || (flat->elements == in->elements && sa_tensor_contiguous(in))) {
        flat->data = sa_tensor_data(in);
        return ACLNN_SUCCESS;
    }
    args = (copy_args){0};
    status = sa_loop_make(op, &args.loop, 2, (const aclTensor *const[]){flat, in});
    if (!status)
        status = plan_loop(ex, op, &args, in->dtype, &copy);
    if (status)
        return status;
    *in_workspace = true;
    *offset = sa_op_workspace(ex, tensor_bytes(flat));
    return sa_op_point(ex, &copy->loop.data[0], *offset);
}

void sa_plan_result(aclOpExecutor *ex, const aclTensor *out, aclTensor *flat, bool *in_workspace,
                    uint64_t *offset)
{
    *flat = flat_tensor(out->dtype, out->rank, out->dims);
    *in_workspace = !sa_tensor_contiguous(out);
    *offset = 0;
    if (*in_workspace)
        *offset = sa_op_workspace(ex, tensor_bytes(flat));
    else
        flat->data = sa_tensor_data(out);
}

aclnnStatus sa_plan_scatter(aclOpExecutor *ex, const char *op, const aclTensor *out,
                            bool in_workspace, uint64_t offset)
{
    aclTensor flat;
    copy_args args, *copy;
    aclnnStatus status;

    if (!in_workspace)
        return ACLNN_SUCCESS;
    flat = flat_tensor(out->dtype, out->rank, out->dims);
    args = (copy_args){0};
    status = sa_loop_make(op, &args.loop, 2, (const aclTensor *const[]){out, &flat});
    if (!status)
        status = plan_loop(ex, op, &args, out->dtype, &copy);
    if (status)
        return status;
    return sa_op_point(ex, &copy->loop.data[1], offset);
}
