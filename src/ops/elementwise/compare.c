/* Comparisons with broadcasting: a mask of bits, made bytes. */
#include "ops/elementwise/engine.h"

#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_ge_tensor.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_isfinite.h"
#include "aclnnop/aclnn_le_tensor.h"
#include "aclnnop/aclnn_lt_tensor.h"
#include "aclnnop/aclnn_ne_tensor.h"

#include <math.h>

void sa_ew_mask_to_bool(const sa_ew_tile *t, const void *mask, void *ones)
{
    sa_fill(t->core, SA_BOOL, ones, 1, t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_selects(t->core, SA_BOOL, t->out, mask, ones, 0, t->n);
}

static void compare(const sa_ew_tile *t, sa_cmp cmp)
{
    sa_compare(t->core, t->dtype, cmp, t->tmp[0], t->in[0], t->in[1], t->n);
    sa_ew_mask_to_bool(t, t->tmp[0], t->tmp[1]);
}

#define COMPARISON(op, name, cmp, dtypes)                                                          \
    static void name(const sa_ew_tile *t)                                                          \
    {                                                                                              \
        compare(t, cmp);                                                                           \
    }                                                                                              \
    SA_EW_BINARY(op, name, dtypes, false, true, 2)

COMPARISON(aclnnEqTensor, eq, SA_EQ, SA_DTYPES_NUMBER | SA_DTYPE_BIT(SA_BOOL))
COMPARISON(aclnnNeTensor, ne, SA_NE, SA_DTYPES_NUMBER | SA_DTYPE_BIT(SA_BOOL))
COMPARISON(aclnnLtTensor, lt, SA_LT, SA_DTYPES_NUMBER)
COMPARISON(aclnnLeTensor, le, SA_LE, SA_DTYPES_NUMBER)
COMPARISON(aclnnGtTensor, gt, SA_GT, SA_DTYPES_NUMBER)
COMPARISON(aclnnGeTensor, ge, SA_GE, SA_DTYPES_NUMBER)

/* |x| < inf, which NaN is not */
static void is_finite(const sa_ew_tile *t)
{
    sa_abs(t->core, t->dtype, t->tmp[1], t->in[0], t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_compares(t->core, t->dtype, SA_LT, t->tmp[0], t->tmp[1], INFINITY, t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_ew_mask_to_bool(t, t->tmp[0], t->tmp[1]);
}
SA_EW_UNARY(aclnnIsFinite, is_finite, SA_DTYPES_FLOAT, false, true, 2)
