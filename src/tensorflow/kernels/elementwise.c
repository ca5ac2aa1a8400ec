/* One element in, one out: unary ops, binary ops with broadcasting, selection, casts. */
#include <string.h>

#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_bitwise_and_tensor.h"
#include "aclnnop/aclnn_bitwise_or_tensor.h"
#include "aclnnop/aclnn_bitwise_xor_tensor.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_floor_divide.h"
#include "aclnnop/aclnn_ge_tensor.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_isfinite.h"
#include "aclnnop/aclnn_le_tensor.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_logical_not.h"
#include "aclnnop/aclnn_logical_or.h"
#include "aclnnop/aclnn_lt_tensor.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_ne_tensor.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_pow_tensor_tensor.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_remainder.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_s_where.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_sub.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/sann_div_no_nan.h"
#include "aclnnop/sann_squared_difference.h"
#include "tensorflow/kernels/kernel.h"

typedef aclnnStatus (*second_phase)(void *, uint64_t, aclOpExecutor *, aclrtStream);

typedef struct unary_call {
    aclnnStatus (*first)(const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **);
    second_phase second;
} unary_call;

typedef struct binary_call {
    aclnnStatus (*first)(const aclTensor *, const aclTensor *, aclTensor *, uint64_t *,
                         aclOpExecutor **);
    second_phase second;
} binary_call;

#define UNARY(op) (&(const unary_call){op##GetWorkspaceSize, op})
#define BINARY(op) (&(const binary_call){op##GetWorkspaceSize, op})

/* ---- unary ---- */

static void unary_to(job *j, TF_DataType type)
{
    const unary_call *call = j->k->def->call;
    const operand *x = tf_in(j, 0);
    const operand *y = tf_out(j, 0, type, x->rank, x->dims);
    aclTensor *in = tf_flat(j, x), *out = tf_flat(j, y);
    if (j->failed || x->count == 0)
        return;
    uint64_t workspace = 0;
    aclOpExecutor *executor = NULL;
    aclnnStatus s = call->first(in, out, &workspace, &executor);
    tf_launch(j, s, workspace, executor, call->second);
}

static void unary(job *j)
{
    unary_to(j, tf_in(j, 0)->type);
}

static void unary_bool(job *j)
{
    unary_to(j, TF_BOOL);
}

static void sigmoid(job *j)
{
    const operand *x = tf_in(j, 0);
    if (!j->failed && x->rank > 8)
        tf_fail(j, TF_INVALID_ARGUMENT, "input has rank %d, shape %s: at most 8 is supported",
                x->rank, tf_shape(j, x->rank, x->dims));
    unary(j);
}

static void square(job *j)
{
    const operand *x = tf_in(j, 0);
    const operand *y = tf_out(j, 0, x->type, x->rank, x->dims);
    aclTensor *in = tf_flat(j, x), *out = tf_flat(j, y);
    if (x->count)
        TF_RUN(j, aclnnMul, in, in, out);
}

/* ---- binary ---- */

/* Allocates output 0 with the broadcast shape; false if there is nothing to compute. */
static bool broadcast(job *j, int n, const char *const *names, TF_DataType type, aclTensor **v)
{
    const operand *o[3];
    const int64_t *dims;
    int rank;
    for (int i = 0; i < n; i++)
        o[i] = tf_in(j, i);
    if (j->failed)
        return false;
    if (!tf_broadcast(j, n, o, &rank, &dims)) {
        const char *s[3] = {"", "", ""};
        for (int i = 0; i < n; i++)
            s[i] = tf_shape(j, o[i]->rank, o[i]->dims);
        if (n == 2)
            tf_fail(j, TF_INVALID_ARGUMENT, "required broadcastable shapes: %s is %s, %s is %s",
                    names[0], s[0], names[1], s[1]);
        else
            tf_fail(j, TF_INVALID_ARGUMENT,
                    "required broadcastable shapes: %s is %s, %s is %s, %s is %s", names[0], s[0],
                    names[1], s[1], names[2], s[2]);
        return false;
    }
    const operand *y =
        type == o[0]->type ? tf_out_over(j, 0, 0, rank, dims) : tf_out(j, 0, type, rank, dims);
    tf_broadcast_views(j, n, o, y, v);
    return !j->failed && y->count > 0;
}

static void binary_to(job *j, TF_DataType type)
{
    static const char *const names[] = {"x", "y"};
    const binary_call *call = j->k->def->call;
    aclTensor *v[3];
    if (!broadcast(j, 2, names, type, v))
        return;
    uint64_t workspace = 0;
    aclOpExecutor *executor = NULL;
    aclnnStatus s = call->first(v[0], v[1], v[2], &workspace, &executor);
    tf_launch(j, s, workspace, executor, call->second);
}

static void binary(job *j)
{
    binary_to(j, tf_in(j, 0)->type);
}

/* An integer divided by 0 is an error of the op. */
static void divide_down(job *j)
{
    binary(j);
    if (!(T_FLOATS & T_BIT(j->k->type)))
        tf_wait_for_values(j);
}

static void compare(job *j)
{
    binary_to(j, TF_BOOL);
}

static void add(job *j)
{
    static const char *const names[] = {"x", "y"};
    aclTensor *v[3];
    TF_DataType type = tf_in(j, 0)->type;
    if (!broadcast(j, 2, names, type, v))
        return;
    aclScalar *one = tf_scalar(j, type, 1);
    TF_RUN(j, aclnnAdd, v[0], v[1], one, v[2]);
}

static void subtract(job *j)
{
    static const char *const names[] = {"x", "y"};
    aclTensor *v[3];
    TF_DataType type = tf_in(j, 0)->type;
    if (!broadcast(j, 2, names, type, v))
        return;
    aclScalar *one = tf_scalar(j, type, 1);
    TF_RUN(j, aclnnSub, v[0], v[1], one, v[2]);
}

/* Equal and NotEqual answer one false or true for shapes that do not broadcast, when asked to. */
static void equality_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    TF_Bool strict = 1;
    TF_OpKernelConstruction_GetAttrBool(c, "incompatible_shape_error", &strict, status);
    k->flag[0] = strict;
}

static void equality(job *j)
{
    const operand *o[] = {tf_in(j, 0), tf_in(j, 1)};
    const int64_t *dims;
    int rank;
    if (j->failed || j->k->flag[0] || tf_broadcast(j, 2, o, &rank, &dims)) {
        compare(j);
        return;
    }
    const operand *y = tf_out(j, 0, TF_BOOL, 0, NULL);
    bool differ = strcmp(j->k->def->op, "NotEqual") == 0;
    if (!j->failed && aclrtMemcpy(y->data, 1, &differ, 1, ACL_MEMCPY_HOST_TO_DEVICE))
        tf_fail(j, TF_INTERNAL, "copying the answer failed");
}

static void add_n(job *j)
{
    const operand *x = tf_in(j, 0);
    for (int i = 1; i < j->inputs && !j->failed; i++) {
        const operand *o = tf_in(j, i);
        if (!j->failed &&
            (o->rank != x->rank || (x->rank && memcmp(o->dims, x->dims, (size_t)x->rank * 8))))
            tf_fail(j, TF_INVALID_ARGUMENT, "shapes differ: input 0 is %s, input %d is %s",
                    tf_shape(j, x->rank, x->dims), i, tf_shape(j, o->rank, o->dims));
    }
    if (j->failed)
        return;
    if (j->inputs == 1) {
        tf_out_is_in(j, 0, 0, x->rank, x->dims);
        return;
    }
    const operand *y = tf_out(j, 0, x->type, x->rank, x->dims);
    aclTensor *sum = tf_flat(j, y), *first = tf_flat(j, x);
    aclScalar *one = tf_scalar(j, x->type, 1);
    for (int i = 1; i < j->inputs && !j->failed && x->count; i++) {
        aclTensor *next = tf_flat(j, tf_in(j, i));
        TF_RUN(j, aclnnAdd, i == 1 ? first : sum, next, one, sum);
    }
}

/* ---- selection and conversion ---- */

static void select_v2(job *j)
{
    static const char *const names[] = {"condition", "t", "e"};
    aclTensor *v[4];
    TF_DataType type = tf_in(j, 1)->type;
    if (broadcast(j, 3, names, type, v))
        TF_RUN(j, aclnnSWhere, v[0], v[1], v[2], v[3]);
}

/* t and e of one shape; the condition of that shape, a scalar, or a vector over the first
 * dimension. */
static void select_v1(job *j)
{
    const operand *c = tf_in(j, 0), *t = tf_in(j, 1), *e = tf_in(j, 2);
    if (j->failed)
        return;
    bool same = t->rank == e->rank && !memcmp(t->dims, e->dims, (size_t)t->rank * 8);
    bool whole = c->rank == t->rank && !memcmp(c->dims, t->dims, (size_t)t->rank * 8);
    bool rows = c->rank == 1 && t->rank >= 1 && c->dims[0] == t->dims[0];
    if (!same || !(whole || rows || c->rank == 0)) {
        tf_fail(
            j, TF_INVALID_ARGUMENT,
            "shapes do not fit: condition is %s, t is %s, e is %s (the condition is a scalar, a "
            "vector as long as t's first dimension, or of t's shape)",
            tf_shape(j, c->rank, c->dims), tf_shape(j, t->rank, t->dims),
            tf_shape(j, e->rank, e->dims));
        return;
    }
    const operand *y = tf_out(j, 0, t->type, t->rank, t->dims);
    if (j->failed || y->count == 0)
        return;
    int64_t n = whole ? y->count : rows ? t->dims[0] : 1;
    const int64_t dims[] = {n, y->count / n}, condition[] = {n, 1};
    aclTensor *vc = tf_shaped(j, c, 2, condition), *vt = tf_shaped(j, t, 2, dims);
    aclTensor *ve = tf_shaped(j, e, 2, dims), *out = tf_shaped(j, y, 2, dims);
    TF_RUN(j, aclnnSWhere, vc, vt, ve, out);
}

static void cast_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    TF_Bool truncate = 0;
    TF_OpKernelConstruction_GetAttrBool(c, "Truncate", &truncate, status);
    k->flag[0] = truncate;
}

static void cast(job *j)
{
    const operand *x = tf_in(j, 0);
    if (j->failed)
        return;
    if (j->k->flag[0]) {
        tf_fail(j, TF_UNIMPLEMENTED, "Truncate=true is not supported: %s to %s rounds to nearest",
                tf_type(j->k->type), tf_type(j->k->type2));
        return;
    }
    if (j->k->type == j->k->type2) {
        tf_out_is_in(j, 0, 0, x->rank, x->dims);
        return;
    }
    const operand *y = tf_out(j, 0, j->k->type2, x->rank, x->dims);
    aclTensor *in = tf_flat(j, x), *out = tf_flat(j, y);
    if (x->count)
        TF_RUN(j, aclnnCast, in, tf_acl_type(y->type), out);
}

/* The same bytes as another type: the last dimension takes or gives what the sizes differ by. */
static void bitcast(job *j)
{
    const operand *x = tf_in(j, 0);
    if (j->failed)
        return;
    int64_t from = (int64_t)TF_DataTypeSize(x->type), to = (int64_t)TF_DataTypeSize(j->k->type2);
    int rank = x->rank;
    int64_t *dims = tf_ints(j, rank + 1);
    memcpy(dims, x->dims, (size_t)rank * sizeof *dims);
    if (from > to) {
        dims[rank++] = from / to;
    } else if (from < to) {
        if (rank == 0 || dims[rank - 1] != to / from) {
            tf_fail(j, TF_INVALID_ARGUMENT,
                    "Cannot bitcast from %s to %s: the last dimension of shape %s must be %lld",
                    tf_type(x->type), tf_type(j->k->type2), tf_shape(j, x->rank, x->dims),
                    (long long)(to / from));
            return;
        }
        rank--;
    }
    tf_out_as(j, 0, 0, j->k->type2, rank, dims);
}

#define NUMBERS (T_FLOATS | T_INT64)
#define INTEGERS                                                                                   \
    (T_INT32 | T_INT64 | T_BIT(TF_INT8) | T_BIT(TF_UINT8) | T_BIT(TF_INT16) | T_BIT(TF_UINT16) |   \
     T_BIT(TF_UINT32) | T_BIT(TF_UINT64))

const kernel_def tf_kernels_elementwise[] = {
    {"Relu", "T", T_FLOATS, unary, .call = UNARY(aclnnRelu)},
    {"Sigmoid", "T", T_FLOATS, unary, .call = UNARY(aclnnSigmoid)},
    {"AscendSigmoid", "T", T_FLOATS, sigmoid, .call = UNARY(aclnnSigmoid), .on_cpu = true},
    {"Tanh", "T", T_FLOATS, unary, .call = UNARY(aclnnTanh)},
    {"Neg", "T", T_FLOATS, unary, .call = UNARY(aclnnNeg)},
    {"Abs", "T", T_FLOATS, unary, .call = UNARY(aclnnAbs)},
    {"Exp", "T", T_FLOATS, unary, .call = UNARY(aclnnExp)},
    {"Log", "T", T_FLOATS, unary, .call = UNARY(aclnnLog)},
    {"Sqrt", "T", T_FLOATS, unary, .call = UNARY(aclnnSqrt)},
    {"Rsqrt", "T", T_FLOATS, unary, .call = UNARY(aclnnRsqrt)},
    {"Reciprocal", "T", T_FLOATS, unary, .call = UNARY(aclnnReciprocal)},
    {"Inv", "T", T_FLOATS, unary, .call = UNARY(aclnnReciprocal)},
    {"Square", "T", NUMBERS, square},
    {"IsFinite", "T", T_FLOATS, unary_bool, .call = UNARY(aclnnIsFinite)},
    {"LogicalNot", NULL, 0, unary_bool, .call = UNARY(aclnnLogicalNot)},

    {"AddV2", "T", NUMBERS, add},
    {"Add", "T", NUMBERS, add},
    {"Sub", "T", NUMBERS, subtract},
    {"Mul", "T", NUMBERS, binary, .call = BINARY(aclnnMul)},
    {"RealDiv", "T", T_FLOATS, binary, .call = BINARY(aclnnDiv)},
    {"Div", "T", T_FLOATS, binary, .call = BINARY(aclnnDiv)},
    {"DivNoNan", "T", T_FLOATS, binary, .call = BINARY(sannDivNoNan)},
    {"Maximum", "T", NUMBERS, binary, .call = BINARY(aclnnMaximum)},
    {"Minimum", "T", NUMBERS, binary, .call = BINARY(aclnnMinimum)},
    {"SquaredDifference", "T", T_FLOATS, binary, .call = BINARY(sannSquaredDifference)},
    {"Pow", "T", T_FLOATS, binary, .call = BINARY(aclnnPowTensorTensor)},
    {"FloorDiv", "T", NUMBERS, divide_down, .call = BINARY(aclnnFloorDivide)},
    {"FloorMod", "T", NUMBERS, divide_down, .call = BINARY(aclnnRemainderTensorTensor)},
    {"BitwiseAnd", "T", INTEGERS, binary, .call = BINARY(aclnnBitwiseAndTensor)},
    {"BitwiseOr", "T", INTEGERS, binary, .call = BINARY(aclnnBitwiseOrTensor)},
    {"BitwiseXor", "T", INTEGERS, binary, .call = BINARY(aclnnBitwiseXorTensor)},
    {"LogicalAnd", NULL, 0, compare, .call = BINARY(aclnnLogicalAnd)},
    {"LogicalOr", NULL, 0, compare, .call = BINARY(aclnnLogicalOr)},
    {"Equal", "T", NUMBERS | T_BOOL, equality, equality_prepare, .call = BINARY(aclnnEqTensor)},
    {"NotEqual", "T", NUMBERS | T_BOOL, equality, equality_prepare, .call = BINARY(aclnnNeTensor)},
    {"Less", "T", NUMBERS, compare, .call = BINARY(aclnnLtTensor)},
    {"LessEqual", "T", NUMBERS, compare, .call = BINARY(aclnnLeTensor)},
    {"Greater", "T", NUMBERS, compare, .call = BINARY(aclnnGtTensor)},
    {"GreaterEqual", "T", NUMBERS, compare, .call = BINARY(aclnnGeTensor)},
    {"AddN", "T", NUMBERS, add_n},

    {"SelectV2", "T", T_MOVES, select_v2},
    {"Select", "T", T_MOVES, select_v1},
    {"Cast", "SrcT", T_CASTS, cast, cast_prepare, "DstT", T_CASTS},
    {"Bitcast", "T", T_MOVES & ~T_BOOL, bitcast, NULL, "type", T_MOVES & ~T_BOOL},
    {NULL},
};
