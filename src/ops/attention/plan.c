/* How attention is cut: tiles that a cube core's L1 holds, and how many blocks they are dealt to.
 */
#include "ops/attention/attention.h"
#include "runtime/runtime.h"

/* A thread that is done takes the next block: enough blocks that threads end together. */
#define BLOCKS_FORWARD 256
#define BLOCKS_BACKWARD 16
#define Q_TILE 64

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Bytes of L1 that the bodies take. */
static int64_t bytes_of(const sa_attention *x, bool backward)
{
    int64_t wide_k = sa_strips(x->size) * SA_STRIP, wide_v = sa_strips(x->v_size) * SA_STRIP;
    int64_t tile = (int64_t)x->q_tile * x->k_tile;
    int64_t room = most(2 * most(x->size, x->v_size), x->k_tile);
    int64_t floats = backward
                         ? x->k_tile * (2 * x->size + 2 * x->v_size + wide_k) + 2 * tile + room
                         : x->q_block * (x->size + x->v_size + 2) + x->k_tile * (x->size + wide_v) +
                               tile + x->q_tile * (x->v_size + 1) + room;
    return 4 * floats + 16 * 32; /* each is aligned */
}

static uint32_t up(int64_t n, uint32_t unit)
{
    return (uint32_t)((n + unit - 1) / unit * unit);
}

static aclnnStatus cut(const char *op, sa_attention *x, bool backward, int64_t l1)
{
    static const uint16_t sizes[][2] = {{512, 256}, {256, 256}, {256, 128},
                                        {128, 128}, {128, 64},  {64, 64}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        x->q_block = sizes[i][0] < x->q_len ? sizes[i][0] : up(x->q_len, 8);
        x->q_tile = x->q_block < Q_TILE ? x->q_block : Q_TILE;
        x->k_tile = sizes[i][1] < x->k_len ? sizes[i][1] : up(x->k_len, SA_ATTEND_LANES);
        if (bytes_of(x, backward) <= l1)
            return ACLNN_SUCCESS;
    }
    return sa_refuse(op, "heads of %lld and %lld elements do not fit the chip's L1",
                     (long long)x->size, (long long)x->v_size);
}

aclnnStatus sa_attention_plan(aclOpExecutor *ex, const char *op, sa_attention *x, bool backward,
                              sa_attention **copy)
{
    const sa_chip *chip = sa_current_chip();
    int64_t most_blocks = backward ? BLOCKS_BACKWARD : BLOCKS_FORWARD;
    void *at;
    aclnnStatus s;

    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    s = cut(op, x, backward, chip->l1_bytes);
    if (s)
        return s;
    x->units = backward ? x->batch * x->kv_heads
                        : x->batch * x->heads * ((x->q_len + x->q_block - 1) / x->q_block);
    uint32_t blocks = (uint32_t)(x->units < most_blocks ? x->units : most_blocks);
    int64_t rows = x->heads / x->kv_heads * x->q_len;
    x->work_bytes = backward ? (rows * (2 * x->size + x->v_size + 3) * 4 + 63) / 64 * 64 : 0;
    s = sa_op_launch(ex, backward ? sa_attention_backward : sa_attention_forward, op, SA_AIC,
                     blocks, x, sizeof *x, &at);
    *copy = at;
    if (!s && backward)
        s = sa_op_point(ex, &(*copy)->work,
                        sa_op_workspace(ex, (uint64_t)(blocks * x->work_bytes)));
    return s;
}
