/* Tiling of reductions: a function of shape, strides, dtype and chip. */
#include "ops/elementwise/engine.h"
#include "ops/reduce/reduce.h"

#include "runtime/runtime.h"

#include <math.h>

/* fewer elements than this are not worth another block */
#define GRAIN 16384
/* reduced runs shorter than this are turned, so that instructions run over kept elements */
#define SHORT 16

aclnnStatus sa_reduce_dims(const char *op, const char *arg, const aclIntArray *dims, int rank,
                           uint32_t *over)
{
    *over = 0;
    if (!dims || dims->size == 0) {
        *over = (UINT32_C(1) << rank) - 1;
        return ACLNN_SUCCESS;
    }
    for (uint64_t i = 0; i < dims->size; i++) {
        int d;
        aclnnStatus s = sa_check_dim(op, arg, dims->value[i], rank, &d);
        if (s)
            return s;
        if (*over >> d & 1)
            return sa_refuse(op, "%s names dimension %d twice", arg, d);
        *over |= UINT32_C(1) << d;
    }
    if (rank == 0) /* a scalar's dimension 0 is the one that it has not */
        *over = 0;
    return ACLNN_SUCCESS;
}

aclnnStatus sa_reduce_check_out(const char *op, const aclTensor *self, uint32_t over, bool keep,
                                const aclTensor *out)
{
    int64_t dims[SA_MAX_RANK];
    int rank = 0;

    for (int d = 0; d < self->rank; d++) {
        if (!(over >> d & 1))
            dims[rank++] = self->dims[d];
        else if (keep)
            dims[rank++] = 1;
    }
    return sa_check_shape(op, "out", out, rank, dims);
}

/* `out` as a tensor of self's rank, reduced dimensions 1. */
static aclTensor kept_view(const aclTensor *self, uint32_t over, const aclTensor *out)
{
    aclTensor view = *out;
    int from = 0;
    bool keep = out->rank == self->rank;

    view.rank = self->rank;
    for (int d = 0; d < self->rank; d++) {
        bool reduced = over >> d & 1;
        view.dims[d] = reduced ? 1 : self->dims[d];
        view.strides[d] = reduced ? 0 : out->strides[from];
        from += keep || !reduced;
    }
    return view;
}

/* Sorts the loop's dimensions into kept and reduced and picks the tile's. A loop dimension of which
 * the output has one element is reduced. */
static void choose_dims(sa_reduce *p, const sa_loop *loop, bool single)
{
    int unit = -1, tile_k = -1, tile_r = -1;

    for (int d = 0; d < loop->rank; d++) {
        bool reduced = loop->strides[1][d] == 0 && !single;
        if (loop->strides[0][d] == 1)
            unit = d;
        if (reduced)
            tile_r = d;
        else
            tile_k = d;
    }
    if (unit >= 0 && (loop->strides[1][unit] != 0 || single))
        tile_k = unit;
    else if (unit >= 0)
        tile_r = unit;
    p->k = p->r = p->k_in = p->k_out = p->r_in = 1;
    for (int d = 0; d < loop->rank; d++) {
        int64_t dim = loop->dims[d], in = loop->strides[0][d], out = loop->strides[1][d];
        if (d == tile_k) {
            p->k = dim;
            p->k_in = in;
            p->k_out = out;
        } else if (d == tile_r) {
            p->r = dim;
            p->r_in = in;
        } else if (out != 0) {
            p->kept_dims[p->kept_rank] = dim;
            p->kept_in[p->kept_rank] = in;
            p->kept_out[p->kept_rank++] = out;
        } else {
            p->reduced_dims[p->reduced_rank] = dim;
            p->reduced_in[p->reduced_rank++] = in;
        }
    }
    p->reduced_inside = p->r_in == 1 && (p->r > 1 || p->k_in != 1);
    if (p->k == 1 && p->fold == SA_FOLD_PROD) /* [1, r] is [r, 1], which folds by halves */
        p->reduced_inside = false;
    if (sa_fold_is_arg(p->fold))
        p->turn = !p->reduced_inside;
    else if (p->fold == SA_FOLD_PROD || (p->r <= SHORT && p->k > SHORT))
        p->turn = p->reduced_inside;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t parts(int64_t n, int64_t of)
{
    return n / of + (n % of != 0);
}

static void choose_tile(sa_reduce *p, const sa_chip *chip, int64_t elements)
{
    int64_t ub = chip->ub_bytes - 1024, in = (int64_t)sa_dtype_bytes(p->in_dtype);
    int64_t acc = (int64_t)sa_dtype_bytes(p->acc);
    int64_t e = (p->turn ? 3 : 2) * in + (p->acc != p->in_dtype ? acc : 0);
    int64_t v = 2 * acc + (int64_t)sa_dtype_bytes(p->out_dtype);
    int64_t k, r, kept = 1, reduced = 1, blocks = sa_blocks(chip, SA_AIV, elements, GRAIN);

    if (sa_fold_is_arg(p->fold))
        v += 4 + 3 * 8 + 3;
    if (p->reduced_inside) {
        r = least(p->r, ub / (e + v));
        k = least(p->k, ub / (r * e + v));
    } else { /* some rows at least, so that they fold by halves */
        r = least(p->r, 16);
        k = least(p->k, ub / (r * e + v));
        r = least(p->r, (ub / k - v) / e);
    }
    for (int d = 0; d < p->kept_rank; d++)
        kept *= p->kept_dims[d];
    for (int d = 0; d < p->reduced_rank; d++)
        reduced *= p->reduced_dims[d];
    if (kept * parts(p->k, k) < blocks && k > 64) /* smaller items before shared ones */
        k = k * kept * parts(p->k, k) / blocks > 64 ? k * kept * parts(p->k, k) / blocks : 64;
    else if (kept * parts(p->k, k) < blocks && p->reduced_inside)
        k = k * kept * parts(p->k, k) / blocks > 0 ? k * kept * parts(p->k, k) / blocks : 1;
    p->k_tile = (uint32_t)k;
    p->r_tile = (uint32_t)r;
    p->k_tiles = parts(p->k, k);
    p->r_tiles = parts(p->r, r);
    p->items = kept * p->k_tiles;
    p->tiles = reduced * p->r_tiles;
    p->splits = 1;
    if (p->items < blocks && !sa_fold_is_arg(p->fold))
        p->splits = least(blocks / p->items, p->tiles);
}

/* Nothing to fold: every element is the neutral one. */
static aclnnStatus plan_neutral(aclOpExecutor *ex, const sa_reduce_spec *spec, const aclTensor *out)
{
    double value = spec->mean ? NAN : spec->neutral;
    aclScalar scalar = {.dtype = SA_F64, .value.f64 = value};

    if (isinf(value) && (out->dtype == SA_I32 || out->dtype == SA_I64)) {
        bool wide = out->dtype == SA_I64;
        scalar.dtype = SA_I64;
        scalar.value.i64 =
            value > 0 ? (wide ? INT64_MAX : INT32_MAX) : (wide ? INT64_MIN : INT32_MIN);
    }
    return sa_ew_plan_fill(ex, spec->op, out, &scalar);
}

static aclnnStatus make(sa_reduce *p, const sa_reduce_spec *spec, const aclTensor *self,
                        uint32_t over, const aclTensor *out, const sa_chip *chip)
{
    aclTensor kept = kept_view(self, over, out);
    const aclTensor *t[] = {self, &kept};
    sa_loop loop;
    aclnnStatus s = sa_loop_make(spec->op, &loop, 2, t);

    if (s)
        return s;
    *p = (sa_reduce){.in = loop.data[0],
                     .out = loop.data[1],
                     .fold = spec->fold,
                     .in_dtype = self->dtype,
                     .acc = spec->acc,
                     .out_dtype = out->dtype};
    choose_dims(p, &loop, self->elements == 1);
    choose_tile(p, chip, self->elements);
    return ACLNN_SUCCESS;
}

static aclnnStatus launch(aclOpExecutor *ex, const sa_reduce_spec *spec, const sa_reduce *p,
                          const sa_chip *chip, int64_t elements, sa_reduce **copy)
{
    int64_t blocks = least(sa_blocks(chip, SA_AIV, elements, GRAIN), p->items * p->splits);
    void *args;
    aclnnStatus s =
        sa_op_launch(ex, spec->kernel, spec->op, SA_AIV, (uint32_t)blocks, p, sizeof *p, &args);
    *copy = args;
    return s;
}

/* The kept dimensions alone. */
static aclTensor bare_view(const aclTensor *kept, uint32_t over)
{
    aclTensor bare = *kept;

    bare.rank = 0;
    for (int d = 0; d < kept->rank; d++)
        if (!(over >> d & 1)) {
            bare.dims[bare.rank] = kept->dims[d];
            bare.strides[bare.rank++] = kept->strides[d];
        }
    return bare;
}

static void make_contiguous(aclTensor *t)
{
    int64_t stride = 1;

    for (int d = t->rank - 1; d >= 0; d--) {
        t->strides[d] = stride;
        stride *= t->dims[d];
    }
    t->elements = stride;
    t->offset = 0;
}

/* Two launches: blocks that share an item leave a result each in the workspace, [splits, kept…];
 * the second folds those. */
static aclnnStatus plan_split(aclOpExecutor *ex, const sa_reduce_spec *spec, const aclTensor *self,
                              uint32_t over, const aclTensor *out, const sa_chip *chip,
                              double divisor)
{
    aclTensor kept = kept_view(self, over, out), bare = bare_view(&kept, over), part = bare, in;
    sa_reduce p, *copy;
    uint64_t offset;
    aclnnStatus s;

    make_contiguous(&part);
    part.dtype = spec->acc;
    s = make(&p, spec, self, over, &part, chip);
    if (s)
        return s;
    p.split_stride = part.elements;
    in = part;
    in.rank = part.rank + 1;
    in.dims[0] = p.splits;
    for (int d = 0; d < part.rank; d++)
        in.dims[d + 1] = part.dims[d];
    make_contiguous(&in);
    offset = sa_op_workspace(ex, (uint64_t)in.elements * sa_dtype_bytes(in.dtype));
    s = launch(ex, spec, &p, chip, self->elements, &copy);
    if (!s)
        s = sa_op_point(ex, &copy->out, offset);
    if (!s)
        s = make(&p, spec, &in, 1, &bare, chip);
    if (s)
        return s;
    p.splits = 1;
    p.divisor = divisor;
    s = launch(ex, spec, &p, chip, in.elements, &copy);
    return s ? s : sa_op_point(ex, &copy->in, offset);
}

aclnnStatus sa_reduce_plan(aclOpExecutor *ex, const sa_reduce_spec *spec, const aclTensor *self,
                           uint32_t over, const aclTensor *out)
{
    const sa_chip *chip = sa_current_chip();
    sa_reduce p, *copy;
    double divisor = spec->mean ? 1 : 0;
    aclnnStatus s;

    if (out->elements == 0)
        return ACLNN_SUCCESS;
    if (self->elements == 0)
        return plan_neutral(ex, spec, out);
    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    for (int d = 0; d < self->rank; d++)
        if (over >> d & 1)
            divisor *= (double)self->dims[d];
    s = make(&p, spec, self, over, out, chip);
    if (s)
        return s;
    if (p.splits > 1)
        return plan_split(ex, spec, self, over, out, chip, divisor);
    p.divisor = divisor;
    return launch(ex, spec, &p, chip, self->elements, &copy);
}
