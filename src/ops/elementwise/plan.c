/* Tiling of elementwise operators: which two dimensions a tile spans, how large it is, how each
 * operand's tile comes out of its view. A function of shapes, strides and chip. */
#include "ops/elementwise/engine.h"

#include "runtime/runtime.h"

/* fewer elements than this are not worth another block */
#define GRAIN 16384
/* direct.c: a block's result; a row */
#define DIRECT_BYTES ((int64_t)1 << 20)
#define DIRECT_COLS 16

/* The dimension along which operand `o` is contiguous, the innermost if several; -1: none. */
static int unit_dim(const sa_loop *loop, int o)
{
    for (int d = loop->rank - 1; d >= 0; d--)
        if (loop->strides[o][d] == 1)
            return d;
    return -1;
}

static bool all_broadcast(const sa_loop *loop, int o)
{
    for (int d = 0; d < loop->rank; d++)
        if (loop->strides[o][d] != 0)
            return false;
    return true;
}

/* cols runs along the output's contiguous dimension. rows runs along that of an operand that is
 * contiguous elsewhere, so that its tile is a matrix to turn, or else along the next one out. */
static void choose_dims(sa_ew *p)
{
    const sa_loop *loop = &p->loop;
    int unit = unit_dim(loop, 0);

    p->cols_dim = unit >= 0 ? unit : loop->rank - 1;
    p->rows_dim = p->cols_dim == loop->rank - 1 ? loop->rank - 2 : loop->rank - 1;
    for (int o = 1; o < loop->operands; o++) {
        unit = unit_dim(loop, o);
        if (unit >= 0 && loop->strides[o][p->cols_dim] != 1) {
            p->rows_dim = unit;
            break;
        }
    }
}

static void choose_kind(sa_ew *p, int o, bool constant)
{
    sa_ew_operand *x = &p->operand[o];

    x->col_stride = p->loop.strides[o][p->cols_dim];
    x->row_stride = p->rows_dim >= 0 ? p->loop.strides[o][p->rows_dim] : 0;
    if (constant)
        x->kind = SA_EW_CONSTANT;
    else if (all_broadcast(&p->loop, o))
        x->kind = o ? SA_EW_SCALAR : SA_EW_ROWS; /* an output of one element is a row of one */
    else if (x->col_stride == 1)
        x->kind = SA_EW_ROWS;
    else if (o && p->rows_dim >= 0 && x->row_stride == 1)
        x->kind = SA_EW_TURNED;
    else
        x->kind = SA_EW_SINGLES;
}

/* Bytes of UB that one element of a tile takes (run.c allocates them). */
static uint32_t element_bytes(const sa_ew *p, bool no_body)
{
    uint32_t bytes = 2 * (uint32_t)sa_dtype_bytes(p->operand[0].dtype);

    if (p->operand[0].as != p->operand[0].dtype && !no_body)
        bytes += (uint32_t)sa_dtype_bytes(p->operand[0].as);
    for (int o = 1; o < p->loop.operands; o++) {
        const sa_ew_operand *x = &p->operand[o];
        uint32_t raw = (uint32_t)sa_dtype_bytes(x->dtype), as = (uint32_t)sa_dtype_bytes(x->as);
        bytes += 2 * raw + (x->kind == SA_EW_TURNED ? raw : 0) + (x->as != x->dtype ? as : 0);
    }
    for (int i = 0; i < SA_EW_TMPS; i++)
        bytes += (uint32_t)p->tmp_bytes[i];
    return bytes;
}

static uint32_t root(uint32_t n)
{
    uint32_t r = 1;
    while ((r + 1) * (r + 1) <= n)
        r++;
    return r;
}

/* Whole squares of the transposition's bodies, where there is one. */
static int64_t squares(int64_t n)
{
    return n > 32 ? n / 32 * 32 : n;
}

static int64_t parts(int64_t n, int64_t of)
{
    return n / of + (n % of != 0);
}

static void choose_tile(sa_ew *p, uint32_t capacity, uint32_t blocks)
{
    if (p->loop.rank == 1 && blocks == 1 && p->loop.elements <= capacity) {
        p->rows = 1;
        p->cols = (uint32_t)p->loop.elements;
        p->row_tiles = p->col_tiles = p->tiles = 1;
        return;
    }
    int64_t cols = p->loop.dims[p->cols_dim];
    int64_t rows = p->rows_dim >= 0 ? p->loop.dims[p->rows_dim] : 1;
    int64_t outer = p->loop.elements / (rows * cols);
    int64_t tile_cols = cols < capacity ? cols : capacity, tile_rows;
    bool turned = false;

    for (int o = 1; o < p->loop.operands; o++)
        turned |= p->operand[o].kind == SA_EW_TURNED;
    if (turned && rows * cols > capacity) { /* near a square, so that both runs are long */
        int64_t side = squares(root(capacity));
        tile_rows = rows < side ? rows : side;
        tile_cols = capacity / tile_rows < cols ? squares(capacity / tile_rows) : cols;
        if (tile_cols == cols && tile_rows < rows)
            tile_rows = capacity / cols < rows ? squares(capacity / cols) : rows;
    } else {
        tile_rows = capacity / tile_cols < rows ? capacity / tile_cols : rows;
    }
    if (outer * rows == 1) { /* one long run: equal pieces, equally many for each block */
        int64_t share = parts(cols, blocks);
        tile_cols = parts(share, parts(share, tile_cols));
        if (cols > 64)
            tile_cols = tile_cols / 64 * 64 + (tile_cols % 64 ? 64 : 0);
        if (tile_cols > capacity)
            tile_cols = capacity;
        if (tile_cols > cols)
            tile_cols = cols;
    } else if (outer * parts(rows, tile_rows) * parts(cols, tile_cols) < blocks) {
        tile_rows = rows * outer / blocks > 0 ? rows * outer / blocks : 1;
        if (tile_rows > rows)
            tile_rows = rows;
    }
    p->rows = (uint32_t)tile_rows;
    p->cols = (uint32_t)tile_cols;
    p->row_tiles = parts(rows, tile_rows);
    p->col_tiles = parts(cols, tile_cols);
    p->tiles = outer * p->row_tiles * p->col_tiles;
}

/* Whether every tile sees the same elements of operand o. */
static bool is_resident(const sa_ew *p, int o)
{
    if (p->operand[o].kind == SA_EW_SCALAR || p->operand[o].kind == SA_EW_CONSTANT)
        return true;
    if (p->operand[o].kind != SA_EW_ROWS || p->col_tiles != 1)
        return false;
    for (int d = 0; d < p->loop.rank; d++)
        if (d != p->cols_dim && p->loop.strides[o][d] != 0)
            return false;
    return true;
}

/* Operands in one contiguous run each, or of one element: the loop that sa_loop_make would find. */
static bool flat_loop(sa_loop *loop, int operands, const aclTensor *const *t)
{
    int64_t n = t[0]->elements;

    for (int o = 0; o < operands; o++)
        if ((t[o]->elements != n && (o == 0 || t[o]->elements != 1)) || !sa_tensor_contiguous(t[o]))
            return false;
    loop->rank = 1;
    loop->operands = operands;
    loop->elements = loop->dims[0] = n;
    for (int o = 0; o < operands; o++) {
        loop->strides[o][0] = t[o]->elements == n && n > 1;
        loop->data[o] = sa_tensor_data(t[o]);
    }
    return true;
}

static bool apart(const sa_ew *p, int o)
{
    const sa_loop *loop = &p->loop;
    uintptr_t out = (uintptr_t)loop->data[0], in = (uintptr_t)loop->data[o];
    uint64_t bytes = sa_dtype_bytes(p->operand[0].dtype), out_bytes = bytes, in_bytes = bytes;

    for (int d = 0; d < loop->rank; d++) {
        if (loop->strides[0][d] < 0 || loop->strides[o][d] < 0)
            return false;
        out_bytes += bytes * (uint64_t)((loop->dims[d] - 1) * loop->strides[0][d]);
        in_bytes += bytes * (uint64_t)((loop->dims[d] - 1) * loop->strides[o][d]);
    }
    return out + out_bytes <= in || in + in_bytes <= out;
}

static bool alike(const sa_ew *p, int o)
{
    if (p->loop.data[0] != p->loop.data[o])
        return false;
    for (int d = 0; d < p->loop.rank; d++)
        if (p->loop.strides[0][d] != p->loop.strides[o][d])
            return false;
    return true;
}

/* Whether direct.c gives what run.c would: rows that a body can read and write where they lie. The
 * caches hold what it writes; more goes past them, through UB. */
static bool can_be_direct(const sa_ew *p, uint32_t blocks)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(p->operand[0].dtype);
    bool joined = p->rows_dim < 0 || p->rows == 1;

    if (p->loop.elements / blocks * bytes > DIRECT_BYTES || p->operand[0].kind != SA_EW_ROWS ||
        (p->operand[0].col_stride != 1 && p->loop.elements > 1) ||
        (!joined && p->cols < DIRECT_COLS))
        return false;
    for (int o = 1; o < p->loop.operands; o++) {
        if (p->operand[o].kind != SA_EW_SCALAR && p->operand[o].kind != SA_EW_ROWS)
            return false;
        if (!alike(p, o) && !apart(p, o))
            return false;
    }
    return true;
}

/* float64 is only moved, by its bits: no instruction computes in it. */
static sa_dtype moved(sa_dtype t)
{
    return t == SA_F64 || t == SA_U64 ? SA_I64 : t;
}

aclnnStatus sa_ew_plan(aclOpExecutor *ex, const sa_ew_spec *spec)
{
    const aclTensor *t[SA_LOOP_OPERANDS] = {spec->out};
    const sa_chip *chip = sa_current_chip();
    aclTensor constant = {.rank = 0, .elements = 1, .data = &constant};
    aclnnStatus status;
    uint32_t blocks, capacity;
    sa_ew p = {
        .scalar = spec->scalar, .constant = spec->constant, .constant_low = spec->constant_low};

    if (spec->out->elements == 0)
        return ACLNN_SUCCESS;
    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    for (int i = 0; i < spec->inputs; i++) {
        if (!spec->in[i])
            constant.dtype = spec->in_as[i];
        t[i + 1] = spec->in[i] ? spec->in[i] : &constant;
    }
    if (!flat_loop(&p.loop, spec->inputs + 1, t)) {
        status = sa_loop_make(spec->op, &p.loop, spec->inputs + 1, t);
        if (status)
            return status;
    }
    for (int i = 0; i < SA_EW_TMPS; i++)
        p.tmp_bytes[i] = spec->tmp_bytes[i];
    choose_dims(&p);
    for (int o = 0; o <= spec->inputs; o++) {
        p.operand[o].dtype = moved(t[o]->dtype);
        p.operand[o].as = moved(o ? spec->in_as[o - 1] : spec->out_as);
        choose_kind(&p, o, t[o] == &constant);
    }
    /* 64 bytes for the alignment of each of some fifteen buffers; masks are read in whole bytes */
    capacity = (chip->ub_bytes - 1024) / element_bytes(&p, spec->no_body) / 64 * 64;
    blocks = sa_blocks(chip, SA_AIV, p.loop.elements, GRAIN);
    choose_tile(&p, capacity, blocks);
    if (blocks > p.tiles)
        blocks = (uint32_t)p.tiles;
    for (int o = 1; o <= spec->inputs; o++)
        p.operand[o].resident = is_resident(&p, o);
    if (spec->slot && can_be_direct(&p, blocks))
        p.slot = spec->slot;
    return sa_op_launch(ex, spec->kernel, spec->op, SA_AIV, blocks, &p, sizeof p, NULL);
}
