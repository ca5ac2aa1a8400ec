/* Random numbers, a group at a time: what the four words of one counter give. The scalar pipe makes
 * them, since a group of the truncated normal takes as many counters as it happens to need.
 *
 * Flags, by buffer set (0, 1): S->MTE3 a tile is there; MTE3->S it is out. */
#include "softascend/philox.h"
#include "ops/op.h"

#include "aclnnop/sann_philox.h"
#include "runtime/runtime.h"

#include <math.h>

#define TILE 4096 /* elements, whole groups */
#define GRAIN 8192
#define GROUP_COUNTERS 256 /* set aside for a group that draws again */

typedef enum distribution { UNIFORM, NORMAL, TRUNCATED, INTEGER } distribution;

typedef struct philox {
    distribution distribution;
    sa_dtype dtype;
    uint64_t key, low, high; /* the first group's counter */
    uint64_t minimum, range;
    char *out;
    int64_t elements;
} philox;

static void words_at(const philox *p, uint64_t counter, uint32_t words[4])
{
    uint64_t low = p->low + counter;

    sa_philox(p->key, low, p->high + (low < counter), words);
}

/* 23 bits as the fraction of a number in [1, 2), less 1 */
static float unit(uint32_t word)
{
    return (float)(word & 0x7fffff) * 0x1p-23f;
}

static void box_muller(uint32_t a, uint32_t b, float result[2])
{
    float u = unit(a), angle = (float)(2 * 0x1.921fb54442d18p+1 * (double)unit(b));
    float radius = sqrtf(-2.0f * logf(u < 1e-7f ? 1e-7f : u));

    result[0] = sinf(angle) * radius;
    result[1] = cosf(angle) * radius;
}

static void uniform(const philox *p, const uint32_t words[4], float result[4])
{
    for (int i = 0; i < 4; i++)
        result[i] = p->dtype == SA_F32   ? unit(words[i])
                    : p->dtype == SA_F16 ? (float)(words[i] & 0x3ff) * 0x1p-10f
                                         : (float)(words[i] & 0x7f) * 0x1p-7f;
}

static void truncated(const philox *p, uint64_t group, float result[4])
{
    uint64_t counter = group * GROUP_COUNTERS;
    uint32_t words[4];
    float pair[2];

    for (int n = 0, at = 4; n < 4; at += 2) {
        if (at == 4) {
            words_at(p, counter++, words);
            at = 0;
        }
        box_muller(words[at], words[at + 1], pair);
        for (int i = 0; i < 2 && n < 4; i++)
            if (fabsf(pair[i]) < 2)
                result[n++] = pair[i];
    }
}

/* S: `n` of the floats that belong to `group`, to ub[at]. */
static void floats(sa_core *core, const philox *p, uint64_t group, void *ub, uint32_t at,
                   uint32_t n)
{
    uint32_t words[4];
    float result[4];

    if (p->distribution == TRUNCATED) {
        truncated(p, group, result);
    } else {
        words_at(p, group, words);
        if (p->distribution == UNIFORM) {
            uniform(p, words, result);
        } else {
            box_muller(words[0], words[1], result);
            box_muller(words[2], words[3], result + 2);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        sa_set(core, p->dtype, ub, at + i, result[i]);
}

static void integers(sa_core *core, const philox *p, uint64_t group, void *ub, uint32_t at,
                     uint32_t n)
{
    bool wide = sa_dtype_bytes(p->dtype) == 8;
    uint32_t words[4];

    words_at(p, group, words);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = wide ? words[2 * i] | (uint64_t)words[2 * i + 1] << 32 : (uint64_t)words[i];
        uint64_t value = p->minimum + (p->range ? bits % p->range : bits);
        sa_set(core, SA_U32, ub, wide ? 2 * (at + i) : at + i, (double)(uint32_t)value);
        if (wide)
            sa_set(core, SA_U32, ub, 2 * (at + i) + 1, (double)(value >> 32));
    }
}

static void philox_kernel(sa_core *core, void *args)
{
    const philox *p = args;
    uint32_t bytes = (uint32_t)sa_dtype_bytes(p->dtype), group = bytes == 8 ? 2 : 4;
    void *ub[2];
    int64_t begin, count;

    sa_share(p->elements, TILE, sa_block_idx(core), sa_block_num(core), &begin, &count);
    for (uint32_t i = 0; i < 2; i++) {
        ub[i] = sa_alloc(core, SA_UB, TILE * bytes);
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_S, i);
    }
    for (int64_t done = 0, set = 0; done < count; done += TILE, set ^= 1) {
        uint32_t n = count - done < TILE ? (uint32_t)(count - done) : TILE, id = (uint32_t)set;
        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_S, id);
        for (uint32_t at = 0; at < n; at += group)
            (p->distribution == INTEGER ? integers
                                        : floats)(core, p, (uint64_t)(begin + done + at) / group,
                                                  ub[id], at, n - at < group ? n - at : group);
        sa_set_flag(core, SA_PIPE_S, SA_PIPE_MTE3, id);
        sa_wait_flag(core, SA_PIPE_S, SA_PIPE_MTE3, id);
        sa_copy_out(core, p->out + (begin + done) * bytes, ub[id], n * bytes);
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_S, id);
    }
    for (uint32_t i = 0; i < 2; i++)
        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_S, i);
}

static aclnnStatus plan(const char *op, philox p, const aclTensor *out, uint64_t *workspace_size,
                        aclOpExecutor **executor)
{
    uint64_t dtypes = p.distribution == INTEGER
                          ? SA_DTYPES_INDEX | SA_DTYPE_BIT(SA_U32) | SA_DTYPE_BIT(SA_U64)
                          : SA_DTYPES_FLOAT;
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspace_size, executor, &ex);

    if (!s)
        s = sa_check_output(op, "out", out, dtypes);
    if (!s && out->elements > 0) {
        const sa_chip *chip = sa_current_chip();
        aclTensor flat;
        bool moved;
        uint64_t at;
        void *copy;
        if (!chip)
            return sa_op_end(ex, ACLNN_ERR_RUNTIME_ERROR, workspace_size, executor);
        sa_plan_result(ex, out, &flat, &moved, &at);
        p.dtype = out->dtype;
        p.elements = out->elements;
        p.out = moved ? NULL : sa_tensor_data(&flat);
        s = sa_op_launch(ex, philox_kernel, op, SA_AIV,
                         sa_blocks(chip, SA_AIV, out->elements, GRAIN), &p, sizeof p, &copy);
        if (!s && moved)
            s = sa_op_point(ex, &((philox *)copy)->out, at);
        if (!s)
            s = sa_plan_scatter(ex, op, out, moved, at);
    }
    return sa_op_end(ex, s, workspace_size, executor);
}

#define FLOAT_OPERATOR(op, kind)                                                                   \
    aclnnStatus op##GetWorkspaceSize(uint64_t key, uint64_t counterLow, uint64_t counterHigh,      \
                                     aclTensor *out, uint64_t *workspaceSize,                      \
                                     aclOpExecutor **executor)                                     \
    {                                                                                              \
        philox p = {.distribution = kind, .key = key, .low = counterLow, .high = counterHigh};     \
        return plan(#op, p, out, workspaceSize, executor);                                         \
    }                                                                                              \
    SA_OP_RUN(op)

FLOAT_OPERATOR(sannPhiloxUniform, UNIFORM)
FLOAT_OPERATOR(sannPhiloxNormal, NORMAL)
FLOAT_OPERATOR(sannPhiloxTruncatedNormal, TRUNCATED)

aclnnStatus sannPhiloxUniformIntGetWorkspaceSize(uint64_t key, uint64_t counterLow,
                                                 uint64_t counterHigh, int64_t minimum,
                                                 uint64_t range, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor)
{
    philox p = {.distribution = INTEGER,
                .key = key,
                .low = counterLow,
                .high = counterHigh,
                .minimum = (uint64_t)minimum,
                .range = range};
    return plan("sannPhiloxUniformInt", p, out, workspaceSize, executor);
}
SA_OP_RUN(sannPhiloxUniformInt)
