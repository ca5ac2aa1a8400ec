/* What an operator is made of: the descriptions that its first phase reads, the executor that it
 * fills, and the checks and shapes that operators share.
 *
 * The first phase (aclnnXGetWorkspaceSize) checks its arguments, plans one or more launches and
 * leaves them in an executor; the second (aclnnX) enqueues them. A whole operator is:
 *
 *     aclnnStatus aclnnXGetWorkspaceSize(const aclTensor *self, aclTensor *out,
 *                                        uint64_t *workspaceSize, aclOpExecutor **executor)
 *     {
 *         aclOpExecutor *ex = NULL;
 *         aclnnStatus s = sa_op_begin("aclnnX", workspaceSize, executor, &ex);
 *         if (!s) s = sa_check_tensor("aclnnX", "self", self, SA_DTYPES_FLOAT);
 *         if (!s) s = sa_check_tensor("aclnnX", "out", out, SA_DTYPES_FLOAT);
 *         if (!s) s = sa_check_same_shape("aclnnX", "self", self, "out", out);
 *         if (!s && out->elements > 0) {
 *             x_args args = {.in = sa_tensor_data(self), .out = sa_tensor_data(out)};
 *             s = sa_op_launch(ex, x_kernel, "aclnnX", SA_AIV, blocks, &args, sizeof args, NULL);
 *         }
 *         return sa_op_end(ex, s, workspaceSize, executor);
 *     }
 *     SA_OP_RUN(aclnnX)
 */
#ifndef SA_OP_H
#define SA_OP_H

#include "aclnn/aclnn_base.h"
#include "chip/chip.h"
#include "softascend/core.h"

#define SA_MAX_RANK 8

/* ---- descriptions (nnopbase) ---- */

struct aclTensor {
    int rank;
    sa_dtype dtype;
    aclFormat format;
    int64_t dims[SA_MAX_RANK];
    int64_t strides[SA_MAX_RANK]; /* in elements */
    int64_t offset;               /* in elements, from data */
    int64_t elements;
    int storage_rank;
    int64_t storage_dims[SA_MAX_RANK];
    void *data;
};

struct aclScalar {
    sa_dtype dtype;
    union {
        unsigned char bytes[8];
        double f64;
        int64_t i64;
    } value;
};

struct aclIntArray {
    uint64_t size;
    int64_t value[];
};
struct aclFloatArray {
    uint64_t size;
    float value[];
};
struct aclBoolArray {
    uint64_t size;
    bool value[];
};
struct aclTensorList {
    uint64_t size;
    const aclTensor *value[];
};

/* The address of the view's first element. */
static inline void *sa_tensor_data(const aclTensor *t)
{
    return (char *)t->data + t->offset * (int64_t)sa_dtype_bytes(t->dtype);
}

/* The view's elements lie one after the other, row-major. */
SA_API bool sa_tensor_contiguous(const aclTensor *t);

/* The value as a double (int64 beyond 2^53 rounds), as an int64 (floats truncate, saturating). */
SA_API double sa_scalar_double(const aclScalar *s);
SA_API int64_t sa_scalar_int(const aclScalar *s);

/* "[2, 3]" into `text`, which it returns. */
#define SA_SHAPE_TEXT 192
SA_API const char *sa_shape_text(char text[SA_SHAPE_TEXT], int rank, const int64_t *dims);

/* ---- executor (nnopbase) ---- */

#define SA_OP_LAUNCHES 12
#define SA_OP_ARGS_BYTES 6144

/* Starts a first phase: checks workspaceSize and executor for NULL, takes an executor. `op` is a
 * literal. */
SA_API aclnnStatus sa_op_begin(const char *op, uint64_t *workspaceSize, aclOpExecutor **executor,
                               aclOpExecutor **ex);

/* Ends it: hands the executor to the caller, or frees it when `status` is not 0. Returns status. */
SA_API aclnnStatus sa_op_end(aclOpExecutor *ex, aclnnStatus status, uint64_t *workspaceSize,
                             aclOpExecutor **executor);

/* Plans a launch; launches run in the order they were planned. `args` is copied; *copy (if not
 * NULL) gets the copy's address, 64-byte aligned, valid while the executor is. */
SA_API aclnnStatus sa_op_launch(aclOpExecutor *ex, sa_kernel kernel, const char *name,
                                sa_core_type type, uint32_t blocks, const void *args,
                                size_t args_bytes, void **copy);

/* Reserves `bytes` of the workspace and returns their offset in it, a multiple of 512. */
SA_API uint64_t sa_op_workspace(aclOpExecutor *ex, uint64_t bytes);

/* The pointer `*field`, which lies in the copy of a launch's arguments, is to point `offset` into
 * the workspace: the second phase writes it. */
SA_API aclnnStatus sa_op_point(aclOpExecutor *ex, void *field, uint64_t offset);

/* The second phase: checks and enqueues; frees the executor unless it is repeatable. */
SA_API aclnnStatus sa_op_run(const char *op, void *workspace, uint64_t workspaceSize,
                             aclOpExecutor *executor, aclrtStream stream);

#define SA_OP_RUN(op)                                                                              \
    aclnnStatus op(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,               \
                   aclrtStream stream)                                                             \
    {                                                                                              \
        return sa_op_run(#op, workspace, workspaceSize, executor, stream);                         \
    }

/* ---- checks (common/check.c): 0, or a code and a text that names op, argument and values ---- */

#define SA_DTYPE_BIT(t) (UINT64_C(1) << (t))
#define SA_DTYPES_FLOAT (SA_DTYPE_BIT(SA_F32) | SA_DTYPE_BIT(SA_F16) | SA_DTYPE_BIT(SA_BF16))
#define SA_DTYPES_INDEX (SA_DTYPE_BIT(SA_I32) | SA_DTYPE_BIT(SA_I64))
#define SA_DTYPES_NUMBER (SA_DTYPES_FLOAT | SA_DTYPES_INDEX)
#define SA_DTYPES_ANY UINT64_MAX

/* Not NULL. */
aclnnStatus sa_check_pointer(const char *op, const char *arg, const void *pointer);

/* Not NULL, of one of `dtypes` (SA_DTYPE_BIT), and with data unless it has no element. */
aclnnStatus sa_check_tensor(const char *op, const char *arg, const aclTensor *t, uint64_t dtypes);

/* As sa_check_tensor; besides, no two of its elements share an address (stride 0). */
aclnnStatus sa_check_output(const char *op, const char *arg, const aclTensor *t, uint64_t dtypes);

aclnnStatus sa_check_same_dtype(const char *op, const char *arg_a, const aclTensor *a,
                                const char *arg_b, const aclTensor *b);
aclnnStatus sa_check_same_shape(const char *op, const char *arg_a, const aclTensor *a,
                                const char *arg_b, const aclTensor *b);
/* t's shape is `dims`. */
aclnnStatus sa_check_shape(const char *op, const char *arg, const aclTensor *t, int rank,
                           const int64_t *dims);
/* low <= rank <= high. */
aclnnStatus sa_check_rank(const char *op, const char *arg, const aclTensor *t, int low, int high);

/* A dimension number that may count from the end (-rank <= dim < rank, a scalar as rank 1) ->
 * 0 … rank-1. */
aclnnStatus sa_check_dim(const char *op, const char *arg, int64_t dim, int rank, int *out);

/* Makes any other refusal: sets "op: …" as the thread's message and returns 161002. */
aclnnStatus sa_refuse(const char *op, const char *format, ...) SA_PRINTF(2, 3);

/* ---- shapes (common/shape.c) ---- */

/* The shape that a and b broadcast to (NumPy's rule), or a refusal naming both. */
aclnnStatus sa_broadcast_shape(const char *op, const char *arg_a, const aclTensor *a,
                               const char *arg_b, const aclTensor *b, int *rank,
                               int64_t dims[SA_MAX_RANK]);

/* A loop over the elements of operand 0 (the output), innermost dimension last, the others
 * broadcast to its shape. Dimensions of 1 are dropped and dimensions that lie one after the other
 * in every operand are merged, so that contiguous operands make one dimension. rank >= 1. Plain
 * data: it can be part of a kernel's arguments. */
#define SA_LOOP_OPERANDS 4
typedef struct sa_loop {
    int rank, operands;
    int64_t elements;
    int64_t dims[SA_MAX_RANK];
    int64_t strides[SA_LOOP_OPERANDS][SA_MAX_RANK]; /* in elements; 0: broadcast */
    void *data[SA_LOOP_OPERANDS];
} sa_loop;

/* `t[0]` is the output; the others must broadcast to its shape (check with sa_broadcast_shape
 * first). */
aclnnStatus sa_loop_make(const char *op, sa_loop *loop, int operands, const aclTensor *const *t);

/* One contiguous dimension in every operand. */
bool sa_loop_flat(const sa_loop *loop);

/* Element offset of operand o at row-major position `index` of the outer `rank - inner` dimensions.
 */
int64_t sa_loop_offset(const sa_loop *loop, int o, int inner, int64_t index);

/* ---- views (common/copy_view.c) ---- */

/* Plans a launch that copies view `in`, broadcast, to view `out` of the same dtype. */
aclnnStatus sa_plan_copy(aclOpExecutor *ex, const char *op, const aclTensor *out,
                         const aclTensor *in);

/* Makes `flat` a contiguous tensor with `in`'s elements broadcast to `rank`, `dims`: `in` itself
 * when it already is (*in_workspace false), else a copy that a launch planned here writes into the
 * workspace at *offset (then flat->data is NULL: pass each field that is to point there to
 * sa_op_point with *offset). */
aclnnStatus sa_plan_contiguous(aclOpExecutor *ex, const char *op, const aclTensor *in, int rank,
                               const int64_t *dims, aclTensor *flat, bool *in_workspace,
                               uint64_t *offset);

/* The reverse, for outputs: `flat` is `out` itself when that is contiguous, else a place in the
 * workspace; call sa_plan_scatter after planning the launch that fills it. */
void sa_plan_result(aclOpExecutor *ex, const aclTensor *out, aclTensor *flat, bool *in_workspace,
                    uint64_t *offset);
aclnnStatus sa_plan_scatter(aclOpExecutor *ex, const char *op, const aclTensor *out,
                            bool in_workspace, uint64_t offset);

/* ---- dealing work to cores (scheduler.h deals matrix tiles; this deals elements) ---- */

/* How many blocks `elements` are worth on cores of `type`: at least `grain` elements each, at most
 * the chip's cores. 1 for small inputs, which then stay on the calling thread. */
uint32_t sa_blocks(const sa_chip *chip, sa_core_type type, int64_t elements, int64_t grain);

/* Block `index` of `blocks` gets [*begin, *begin + *count) of `total`, whole multiples of `unit`
 * but for the last: no block has over one unit more than another. */
static inline void sa_share(int64_t total, int64_t unit, uint32_t index, uint32_t blocks,
                            int64_t *begin, int64_t *count)
{
    if (blocks == 1) {
        *begin = 0;
        *count = total;
        return;
    }
    int64_t units = total / unit + (total % unit != 0);
    int64_t base = units / blocks, more = units % blocks;
    int64_t first = base * index + (index < more ? index : more);
    int64_t last = first + base + (index < more);
    *begin = first * unit < total ? first * unit : total;
    *count = (last * unit < total ? last * unit : total) - *begin;
}

#endif
