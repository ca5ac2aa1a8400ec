/* Elementwise operators of one instruction without the way through UB: the instruction's body reads
 * and writes GM. Same bits, as it is the same body; the plan has seen to what else must hold
 * (plan.c). Where a check or a trace watches the core, the tiles move as on the chip (run.c). */
#include "core/core.h"
#include "ops/elementwise/engine.h"

#include <string.h>

#define SPREAD 1024 /* elements of a broadcast scalar that a body sees at once */

/* n copies of the element at `from`, in UB. */
static const char *spread(sa_core *core, const char *from, uint32_t bytes, int64_t n)
{
    size_t all = (size_t)(n < SPREAD ? n : SPREAD) * bytes, done = bytes;
    char *to = sa_alloc(core, SA_UB, (uint32_t)all);

    memcpy(to, from, bytes);
    for (; done < all; done *= 2)
        memcpy(to + done, to, done < all - done ? done : all - done);
    return to;
}

bool sa_ew_direct(sa_core *core, const sa_ew *p)
{
    const sa_dtype t = p->operand[0].dtype;
    const uint32_t e = (uint32_t)sa_dtype_bytes(t);
    const bool binary = p->loop.operands == 3;
    const void *bodies = (const char *)core->isa + p->slot; /* by dtype */
    sa_body_BINARY two_to_one = binary ? ((const sa_body_BINARY *)bodies)[t] : NULL;
    sa_body_UNARY one_to_one = binary ? NULL : ((const sa_body_UNARY *)bodies)[t];
    const char *one[2] = {NULL, NULL};
    int64_t begin, count, longest = (int64_t)p->rows * p->cols;

    if (core->observer || (!two_to_one && !one_to_one))
        return false;
    sa_share(p->tiles, 1, sa_block_idx(core), sa_block_num(core), &begin, &count);
    for (int o = 1; count && o < p->loop.operands; o++)
        if (p->operand[o].kind == SA_EW_SCALAR)
            one[o - 1] = longest > 1 ? spread(core, p->loop.data[o], e, longest) : p->loop.data[o];
    for (int64_t i = begin; i < begin + count; i++) {
        sa_ew_place at;
        int64_t rows, cols;
        bool joined = true;

        sa_ew_locate(p, i, &at);
        for (int o = 0; o < p->loop.operands; o++)
            joined &= p->operand[o].kind == SA_EW_SCALAR || p->operand[o].row_stride == at.cols;
        rows = joined || at.rows == 1 ? 1 : at.rows;
        cols = rows > 1 ? at.cols : (int64_t)at.rows * at.cols;
        for (int64_t r = 0; r < rows; r++) {
            char *to = (char *)p->loop.data[0] + (at.offset[0] + r * p->operand[0].row_stride) * e;
            const char *in[2] = {NULL, NULL};
            bool pieces = false;

            for (int o = 1; o < p->loop.operands; o++) {
                in[o - 1] = (const char *)p->loop.data[o] +
                            (at.offset[o] + r * p->operand[o].row_stride) * e;
                if (one[o - 1])
                    pieces = true;
            }
            for (int64_t done = 0, n; done < cols; done += n) {
                n = pieces && cols - done > SPREAD ? SPREAD : cols - done;
                const char *a = one[0] ? one[0] : in[0] + done * e;
                if (binary)
                    two_to_one(to + done * e, a, one[1] ? one[1] : in[1] + done * e, (size_t)n);
                else
                    one_to_one(to + done * e, a, (size_t)n);
            }
        }
    }
    return true;
}
