/* Attention without the matrix of all scores: what its host side and its bodies share.
 *
 * softmax(scale (Q K^T + bias), masked) V, tile by tile: a block of queries meets one tile of keys
 * after the other and keeps, for each query, the largest score so far, the sum of the exponentials
 * against it and the weighted values, which it rescales when the largest grows (online softmax:
 * Milakov and Gimelshein 2018; tiles and the backward pass: Dao et al. 2022). Everything inside is
 * float32; results are rounded once. */
#ifndef SA_OPS_ATTENTION_H
#define SA_OPS_ATTENTION_H

#include "core/isa.h"
#include "ops/op.h"

/* Every statistic of a row is written this often: a 32-byte block, as the operator promises. */
#define SA_ATTENTION_STAT 8

/* Rows of heads in GM: elements from batch to batch, from position to position, from head to head;
 * a row is contiguous. */
typedef struct sa_attention_rows {
    char *data;
    int64_t batch, row, head;
} sa_attention_rows;

/* What is laid over the scores, broadcast: strides along batch, head, query, key. */
typedef struct sa_attention_over {
    const char *data; /* NULL: nothing */
    sa_dtype dtype;
    int64_t strides[4];
} sa_attention_over;

/* A launch's arguments. */
typedef struct sa_attention {
    sa_dtype dtype;
    int64_t batch, heads, kv_heads, q_len, k_len, size, v_size;
    double scale;
    bool causal; /* query i sees keys 0 … i */
    sa_attention_rows q, k, v, out;
    sa_attention_over bias, mask; /* mask: bytes; a score under one that is not 0 is put out */
    float *max, *sum;             /* [batch, heads, q_len, SA_ATTENTION_STAT], or NULL */
    uint32_t q_block, q_tile, k_tile;
    int64_t units; /* pieces of work that are dealt to blocks */
    /* backward */
    sa_attention_rows dy, dq, dk, dv;
    char *work; /* each block's own `work_bytes` */
    int64_t work_bytes;
} sa_attention;

void sa_attention_forward(sa_core *core, void *args);  /* units: blocks of queries of a head */
void sa_attention_backward(sa_core *core, void *args); /* units: key heads with their queries */

/* Cuts the work for the chip and plans its launch; args->work is pointed into the workspace. */
aclnnStatus sa_attention_plan(aclOpExecutor *ex, const char *op, sa_attention *args, bool backward,
                              sa_attention **copy);

/* ---- tiles (tile.c) */

/* Columns of a strip: packed operands are strips of 32 columns, each row by row. */
#define SA_STRIP 32

static inline int64_t sa_strips(int64_t cols)
{
    return (cols + SA_STRIP - 1) / SA_STRIP;
}

/* Row `row` of head `head` in `batch`. */
static inline char *sa_attention_row(const sa_attention *x, const sa_attention_rows *t,
                                     int64_t batch, int64_t row, int64_t head)
{
    return t->data +
           (batch * t->batch + row * t->row + head * t->head) * (int64_t)sa_dtype_bytes(x->dtype);
}

/* rows x cols from GM as float32, packed; and back, rounded. */
void sa_attention_load(const sa_isa *isa, const sa_attention *x, float *to, const char *from,
                       int64_t row, int64_t rows, int64_t cols);
void sa_attention_store(const sa_isa *isa, const sa_attention *x, char *to, int64_t row,
                        const float *from, int64_t rows, int64_t cols);
/* The same into strips, row-major ([strips][tall][32]) or transposed ([strips of rows][cols][32]).
 */
void sa_attention_strips(const sa_isa *isa, const sa_attention *x, float *to, int64_t tall,
                         const char *from, int64_t row, int64_t rows, int64_t cols);
void sa_attention_turned(const sa_isa *isa, const sa_attention *x, float *to, const char *from,
                         int64_t row, int64_t rows, int64_t cols);

/* c (+)= a b, b in strips `tall` rows high. */
void sa_attention_product(const sa_isa *isa, float *c, int64_t c_row, const float *a, int64_t a_row,
                          int64_t a_k, const float *b, int64_t tall, size_t m, size_t k, size_t n,
                          bool accumulate);

/* The tile of scores at query q, key k: adds the bias, and puts out what mask and order hide. */
typedef struct sa_attention_tile {
    int64_t batch, head, q, k;
    size_t rows, cols, pitch;
} sa_attention_tile;
void sa_attention_cover(const sa_isa *isa, const sa_attention *x, const sa_attention_tile *t,
                        float *scores, float *room);
/* What hides stops gradients too: zeros there. */
void sa_attention_uncover(const sa_isa *isa, const sa_attention *x, const sa_attention_tile *t,
                          float *gradient);

#endif
