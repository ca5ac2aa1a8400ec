/* Division that rounds down, and what it leaves. */
#include "ops/elementwise/engine.h"

#include "aclnnop/aclnn_floor_divide.h"
#include "aclnnop/aclnn_remainder.h"

/* Stops the kernel where an integer divisor is 0: in fp32, which no other integer rounds to 0 in.
 */
static void refuse_zero(const sa_ew_tile *t, const char *op)
{
    double least;

    if (t->dtype == SA_F32)
        return;
    sa_cast(t->core, SA_F32, t->tmp[0], t->dtype, t->in[1], SA_ROUND_RINT, t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_abs(t->core, SA_F32, t->tmp[0], t->tmp[0], t->n);
    sa_barrier(t->core, SA_PIPE_V);
    sa_reduce_min(t->core, SA_F32, t->tmp[0], t->tmp[0], t->n);
    sa_set_flag(t->core, SA_PIPE_V, SA_PIPE_S, 3);
    sa_wait_flag(t->core, SA_PIPE_V, SA_PIPE_S, 3);
    least = sa_get(t->core, SA_F32, t->tmp[0], 0);
    sa_set_flag(t->core, SA_PIPE_S, SA_PIPE_V, 3);
    sa_wait_flag(t->core, SA_PIPE_S, SA_PIPE_V, 3);
    if (least == 0)
        sa_fault(t->core, SA_ERR_AICORE_EXCEPTION, "%s: Integer division by zero", op);
}

static void floor_divide(const sa_ew_tile *t)
{
    refuse_zero(t, "aclnnFloorDivide");
    sa_floor_div(t->core, t->dtype, t->out, t->in[0], t->in[1], t->n);
}
SA_EW_BINARY(aclnnFloorDivide, floor_divide, SA_DTYPES_NUMBER, true, false, 1)

static void remainder_of(const sa_ew_tile *t)
{
    refuse_zero(t, "aclnnRemainderTensorTensor");
    sa_floor_mod(t->core, t->dtype, t->out, t->in[0], t->in[1], t->n);
}
SA_EW_BINARY(aclnnRemainderTensorTensor, remainder_of, SA_DTYPES_NUMBER, true, false, 1)
