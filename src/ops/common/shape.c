/* Broadcasting, and the loops that strided and broadcast operands make. */
#include "ops/op.h"

#include <string.h>

aclnnStatus sa_broadcast_shape(const char *op, const char *arg_a, const aclTensor *a,
                               const char *arg_b, const aclTensor *b, int *rank,
                               int64_t dims[SA_MAX_RANK])
{
    char text_a[SA_SHAPE_TEXT], text_b[SA_SHAPE_TEXT];
    int r = a->rank > b->rank ? a->rank : b->rank;

    for (int i = 0; i < r; i++) { /* from the last dimension */
        int64_t da = i < a->rank ? a->dims[a->rank - 1 - i] : 1;
        int64_t db = i < b->rank ? b->dims[b->rank - 1 - i] : 1;
        if (da != db && da != 1 && db != 1)
            return sa_refuse(op, "shapes do not broadcast: %s is %s, %s is %s", arg_a,
                             sa_shape_text(text_a, a->rank, a->dims), arg_b,
                             sa_shape_text(text_b, b->rank, b->dims));
        dims[r - 1 - i] = da == 1 ? db : da;
    }
    *rank = r;
    return ACLNN_SUCCESS;
}

/* Whether dimension d of the output can be one with the dimension last put into the loop. */
static bool merges(const sa_loop *loop, const int64_t strides[SA_LOOP_OPERANDS])
{
    int last = loop->rank - 1;
    for (int o = 0; o < loop->operands; o++)
        if (strides[o] != loop->strides[o][last] * loop->dims[last])
            return false;
    return true;
}

static void reverse(sa_loop *loop)
{
    for (int i = 0, j = loop->rank - 1; i < j; i++, j--) {
        int64_t t = loop->dims[i];
        loop->dims[i] = loop->dims[j];
        loop->dims[j] = t;
        for (int o = 0; o < loop->operands; o++) {
            t = loop->strides[o][i];
            loop->strides[o][i] = loop->strides[o][j];
            loop->strides[o][j] = t;
        }
    }
}

aclnnStatus sa_loop_make(const char *op, sa_loop *loop, int operands, const aclTensor *const *t)
{
    char text_a[SA_SHAPE_TEXT], text_b[SA_SHAPE_TEXT];

    memset(loop, 0, sizeof *loop);
    loop->operands = operands;
    loop->elements = t[0]->elements;
    for (int o = 0; o < operands; o++)
        loop->data[o] = sa_tensor_data(t[o]);
    for (int i = 0; i < SA_MAX_RANK; i++) { /* built from the last dimension, then reversed */
        int64_t strides[SA_LOOP_OPERANDS] = {0};
        int64_t dim = i < t[0]->rank ? t[0]->dims[t[0]->rank - 1 - i] : 1;
        for (int o = 0; o < operands; o++) {
            int at = t[o]->rank - 1 - i;
            int64_t own = at >= 0 ? t[o]->dims[at] : 1;
            if (own != dim && own != 1)
                return sa_refuse(op, "%s does not broadcast to %s",
                                 sa_shape_text(text_a, t[o]->rank, t[o]->dims),
                                 sa_shape_text(text_b, t[0]->rank, t[0]->dims));
            strides[o] = own == 1 ? 0 : t[o]->strides[at];
        }
        if (dim == 1)
            continue;
        if (loop->rank > 0 && merges(loop, strides)) {
            loop->dims[loop->rank - 1] *= dim;
            continue;
        }
        loop->dims[loop->rank] = dim;
        for (int o = 0; o < operands; o++)
            loop->strides[o][loop->rank] = strides[o];
        loop->rank++;
    }
    if (loop->rank == 0) { /* one element */
        loop->rank = 1;
        loop->dims[0] = 1;
        for (int o = 0; o < operands; o++)
            loop->strides[o][0] = 1;
    }
    reverse(loop);
    return ACLNN_SUCCESS;
}

bool sa_loop_flat(const sa_loop *loop)
{
    if (loop->rank != 1)
        return false;
    for (int o = 0; o < loop->operands; o++)
        if (loop->strides[o][0] != 1)
            return false;
    return true;
}

int64_t sa_loop_offset(const sa_loop *loop, int o, int inner, int64_t index)
{
    int64_t offset = 0;
    for (int i = loop->rank - inner - 1; i >= 0; i--) {
        offset += index % loop->dims[i] * loop->strides[o][i];
        index /= loop->dims[i];
    }
    return offset;
}

uint32_t sa_blocks(const sa_chip *chip, sa_core_type type, int64_t elements, int64_t grain)
{
    int64_t cores = chip->ai_cores;
    int64_t blocks = elements / (grain > 0 ? grain : 1);

    if (type == SA_AIV && chip->split)
        cores *= chip->vector_cores_per_ai_core;
    if (blocks > cores)
        blocks = cores;
    return blocks < 1 ? 1 : (uint32_t)blocks;
}
