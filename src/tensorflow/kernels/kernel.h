/* What a kernel is made of: its row in a table and the helpers that its compute function uses.
 *
 * A compute function is straight-line code. Helpers do nothing once the job has failed, so only the
 * place that knows a cause says it (tf_fail), and nothing needs checking after each step:
 *
 *     static void relu(job *j)
 *     {
 *         const operand *x = tf_in(j, 0);
 *         const operand *y = tf_out(j, 0, x->type, x->rank, x->dims);
 *         const aclTensor *in = tf_flat(j, x);
 *         aclTensor *out = tf_flat(j, y);
 *         TF_RUN(j, aclnnRelu, in, out);
 *     }
 *
 * The caller waits for the stream before Compute returns. */
#ifndef SA_TF_KERNEL_H
#define SA_TF_KERNEL_H

#include "aclnn/aclnn_base.h"
#include "softascend/status.h"
#include "tensorflow/session.h"
#include "tensorflow/tf.h"

#define TF_MAX_VIEW_RANK 8

#define T_BIT(t) (UINT32_C(1) << (t))
#define T_FLOATS (T_BIT(TF_FLOAT) | T_BIT(TF_HALF) | T_BIT(TF_BFLOAT16))
#define T_INT32 T_BIT(TF_INT32)
#define T_INT64 T_BIT(TF_INT64)
#define T_BOOL T_BIT(TF_BOOL)
#define T_CASTS                                                                                    \
    (T_FLOATS | T_INT32 | T_INT64 | T_BOOL | T_BIT(TF_INT8) | T_BIT(TF_UINT8) | T_BIT(TF_INT16))
/* Ops that only move elements take whatever has 1 to 8 bytes. */
#define T_MOVES                                                                                    \
    (T_CASTS | T_BIT(TF_DOUBLE) | T_BIT(TF_UINT16) | T_BIT(TF_UINT32) | T_BIT(TF_UINT64))

typedef struct job job;
typedef struct kernel kernel;

typedef struct kernel_def {
    const char *op;
    const char *attr; /* the type attribute that `types` constrains; NULL: none */
    uint32_t types;
    void (*compute)(job *j);
    /* Optional. Reads attributes other than the types. */
    void (*prepare)(kernel *k, TF_OpKernelConstruction *c, TF_Status *status);
    const char *attr2; /* a second type attribute */
    uint32_t types2;
    const char *host[6];     /* arguments that live in host memory */
    const void *call;        /* for families: which operator */
    bool on_host;            /* all operands live in host memory: shape arithmetic */
    bool on_cpu;             /* registered for the CPU device too */
    void (*drop)(kernel *k); /* optional: frees what prepare put into `own` */
} kernel_def;

struct kernel {
    const kernel_def *def;
    TF_DataType type, type2; /* values of def->attr, def->attr2 */
    bool cpu;                /* an instance of the CPU device */
    bool flag[2];            /* attributes, each kernel's own use */
    int64_t number[5];
    void *own;
    const char *name; /* in messages, instead of the op's */
};

typedef struct operand {
    TF_Tensor *tensor;
    void *data;
    TF_DataType type;
    int rank;
    const int64_t *dims;
    int64_t count;
} operand;

/* A strided window on an operand's elements; strides count elements, 0 repeats. */
typedef struct view {
    int rank;
    int64_t dims[TF_MAX_VIEW_RANK], strides[TF_MAX_VIEW_RANK];
    int64_t offset;
} view;

struct job {
    TF_OpKernelContext *ctx;
    const kernel *k;
    TF_Status *status;
    tf_session session;
    bool failed, has_session;
    int inputs;
    operand *in;
    bool inner;    /* a step of a fused op: `in` is given */
    operand *made; /* where an inner call's output is described; NULL: it is the op's own */
    struct held {
        struct held *next;
        TF_Tensor *tensor;
        const aclTensor *view;
        const aclScalar *scalar;
        const aclIntArray *array;
        const aclBoolArray *bools;
        bool own; /* allocated, not one of `few` */
    } * held, few[8];
    int few_used;
    size_t pool_used;
    int64_t pool[192];
};

/* Every table, ended by an op of NULL. */
extern const kernel_def tf_kernels_elementwise[], tf_kernels_matmul[], tf_kernels_conv[],
    tf_kernels_reduce[], tf_kernels_layout[], tf_kernels_nn[], tf_kernels_index[],
    tf_kernels_fill[], tf_kernels_gradient[], tf_kernels_slice[], tf_kernels_variable[],
    tf_kernels_near_zero[], tf_kernels_random[], tf_kernels_library[], tf_kernels_project[],
    tf_kernels_attention[], tf_kernels_fused[], tf_kernels_layer_norm[], tf_kernels_linear[];

/* The row for an op under its types; NULL if there is none. */
const kernel_def *tf_row(const char *op, int type, int type2);

/* ---- failing ---- */

/* Fails the job with "<op>: <text>". */
void tf_fail(job *j, TF_Code code, const char *format, ...) SA_PRINTF(3, 4);
void tf_fail_acl(job *j, aclError code);
/* "[2, 3]"; valid as long as the job. */
const char *tf_shape(job *j, int rank, const int64_t *dims);
const char *tf_type(TF_DataType type);

/* ---- operands ---- */

const operand *tf_in(job *j, int i);
/* Allocates output i. */
const operand *tf_out(job *j, int i, TF_DataType type, int rank, const int64_t *dims);
/* Allocates output i, of input n's type, unless TensorFlow insists that it takes input n's memory,
 * as its collectives do, which add up in place. The operator must allow it. */
const operand *tf_out_over(job *j, int i, int n, int rank, const int64_t *dims);
/* Output i is input n, reshaped; nothing is copied. */
void tf_out_is_in(job *j, int i, int n, int rank, const int64_t *dims);
/* Likewise, its bytes read as another type. */
void tf_out_as(job *j, int i, int n, TF_DataType type, int rank, const int64_t *dims);
/* Device memory for the length of the job. */
const operand *tf_temp(job *j, TF_DataType type, int rank, const int64_t *dims);
/* Room for n numbers, for the length of the job. */
int64_t *tf_ints(job *j, int64_t n);
/* Elements of an int32 or int64 operand in host memory. */
const int64_t *tf_host_ints(job *j, const operand *o);
/* The one element of such an operand, which `what` names in the error if there is another number.
 */
int64_t tf_host_int(job *j, const operand *o, const char *what);
/* -rank <= axis < rank -> 0 … rank-1. */
int tf_axis(job *j, const char *what, int64_t axis, int rank);
int64_t tf_count(int rank, const int64_t *dims);
/* For outputs that an allocator must be asked for: fails where the count overflows. */
bool tf_count_fits(job *j, int rank, const int64_t *dims);

/* ---- views: aclTensors that live as long as the job ---- */

aclDataType tf_acl_type(TF_DataType type);
aclTensor *tf_flat(job *j, const operand *o);
/* Row-major, of another shape with as many elements; rank over 8 fails. */
aclTensor *tf_shaped(job *j, const operand *o, int rank, const int64_t *dims);
aclTensor *tf_viewed(job *j, const operand *o, const view *v);
/* As tf_viewed, as integers of the elements' size: for moving. */
aclTensor *tf_moved(job *j, const operand *o, const view *v);
aclScalar *tf_scalar(job *j, TF_DataType type, double value);
aclIntArray *tf_array(job *j, const int64_t *values, int n);
aclBoolArray *tf_bools(job *j, const bool *values, int n);

/* Copies n dims of elements: dst[offset + …] = src[offset + …], on the device, or on the host if
 * the kernel's operands live there. strides count elements. */
void tf_copy(job *j, const operand *dst, int64_t dst_offset, const int64_t *dst_strides,
             const operand *src, int64_t src_offset, const int64_t *src_strides, int rank,
             const int64_t *dims);
/* Strides of a row-major tensor. */
int64_t *tf_strides(job *j, int rank, const int64_t *dims);

/* ---- broadcasting ---- */

/* The shape of n operands under NumPy's rule; false, without failing, if there is none. */
bool tf_broadcast(job *j, int n, const operand *const *o, int *rank, const int64_t **dims);
/* Views of n operands and the output (last) with as few dimensions as the broadcasting allows. */
void tf_broadcast_views(job *j, int n, const operand *const *o, const operand *out,
                        aclTensor **views);

/* ---- running ---- */

/* Runs the second phase with the workspace it asks for. */
void tf_launch(job *j, aclnnStatus first, uint64_t workspace, aclOpExecutor *executor,
               aclnnStatus (*second)(void *, uint64_t, aclOpExecutor *, aclrtStream));

#define TF_RUN(j, op, ...)                                                                         \
    do {                                                                                           \
        if (!(j)->failed) {                                                                        \
            uint64_t workspace_ = 0;                                                               \
            aclOpExecutor *executor_ = NULL;                                                       \
            aclnnStatus first_ = op##GetWorkspaceSize(__VA_ARGS__, &workspace_, &executor_);       \
            tf_launch(j, first_, workspace_, executor_, op);                                       \
        }                                                                                          \
    } while (0)

/* Waits for what was launched: for kernels whose host code needs the result. */
void tf_wait(job *j);

/* As tf_wait, for operators that stop at values which they cannot take (an index out of range, an
 * integer divisor of 0): the runtime reports a failed kernel, the user's mistake it is. */
void tf_wait_for_values(job *j);

#endif
