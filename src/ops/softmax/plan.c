/* Tiling of the softmax family: a function of shape, strides, dtype and chip. */
#include "ops/softmax/softmax.h"

#include "runtime/runtime.h"

/* fewer elements than this are not worth another block */
#define GRAIN 8192
/* slices shorter than this are turned */
#define SHORT 64

static aclTensor without(const aclTensor *t, int dim)
{
    aclTensor view = *t;

    view.rank = 0;
    view.elements = 1;
    for (int d = 0; d < t->rank; d++)
        if (d != dim) {
            view.dims[view.rank] = t->dims[d];
            view.elements *= t->dims[d];
            view.strides[view.rank++] = t->strides[d];
        }
    return view;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t parts(int64_t n, int64_t of)
{
    return n / of + (n % of != 0);
}

static void choose_tile(sa_softmax_job *p, const sa_chip *chip, int64_t blocks)
{
    int64_t ub = chip->ub_bytes - 1024, e = (int64_t)sa_dtype_bytes(p->dtype);
    int64_t element = p->inputs * (e + 8) + 8 + e + 4, vector = 6 * 4 + 8;
    int64_t k = p->loop.dims[p->k_dim], others = p->loop.elements / k;
    int64_t d_tile = least(p->d, ub / (element + vector));
    int64_t k_tile = least(k, ub / (d_tile * element + vector));

    if (others * parts(k, k_tile) < blocks)
        k_tile = k * others / blocks > 0 ? k * others / blocks : 1;
    k_tile = least(k_tile, k);
    p->d_tile = (uint32_t)d_tile;
    p->k_tile = (uint32_t)k_tile;
    p->d_tiles = parts(p->d, d_tile);
    p->k_tiles = parts(k, k_tile);
    p->items = others * p->k_tiles;
    p->turn = p->inside && p->d <= SHORT && k_tile > p->d;
}

aclnnStatus sa_softmax_plan(aclOpExecutor *ex, const char *op, sa_softmax_kind kind, int d,
                            const aclTensor *out, int inputs, const aclTensor *const *in,
                            const aclTensor *loss, const aclTensor *labels)
{
    const sa_chip *chip = sa_current_chip();
    aclTensor views[1 + SA_SOFTMAX_INPUTS];
    const aclTensor *t[1 + SA_SOFTMAX_INPUTS];
    sa_softmax_job p = {.kind = kind, .dtype = out->dtype, .inputs = inputs, .d = 1};
    int64_t blocks;
    aclnnStatus s;

    if (out->elements == 0)
        return ACLNN_SUCCESS;
    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    for (int o = 0; o <= inputs; o++) {
        const aclTensor *whole = o ? in[o - 1] : out;
        views[o] = without(whole, d);
        t[o] = &views[o];
        p.d_stride[o] = whole->rank ? whole->strides[d] : 1;
    }
    if (out->rank)
        p.d = out->dims[d];
    s = sa_loop_make(op, &p.loop, inputs + 1, t);
    if (s)
        return s;
    p.k_dim = p.loop.rank - 1;
    for (int i = p.loop.rank - 1; i >= 0; i--)
        if (p.loop.strides[0][i] == 1) {
            p.k_dim = i;
            break;
        }
    p.inside = p.d_stride[1] == 1;
    if (loss) {
        p.loss = sa_tensor_data(loss);
        p.loss_stride = loss->strides[0];
    }
    if (labels) {
        p.labels = sa_tensor_data(labels);
        p.label_dtype = labels->dtype;
        p.label_stride = labels->strides[0];
    }
    blocks = sa_blocks(chip, SA_AIV, out->elements, GRAIN);
    choose_tile(&p, chip, blocks);
    return sa_op_launch(ex, sa_softmax_kernel, op, SA_AIV, (uint32_t)least(blocks, p.items), &p,
                        sizeof p, NULL);
}
