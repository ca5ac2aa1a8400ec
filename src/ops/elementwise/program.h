/* sannElementwise: a program of elementwise steps. A block runs all steps on a piece of the
 * elements that its first-level cache holds, then on the next, so that memory is read and written
 * once. Steps use the bodies of the operators that they stand for: the bits are the same. */
#ifndef SA_OPS_ELEMENTWISE_PROGRAM_H
#define SA_OPS_ELEMENTWISE_PROGRAM_H

#include "aclnnop/sann_elementwise.h"
#include "ops/elementwise/engine.h"

#define SA_PROGRAM_VALUES (SANN_OPERANDS + SANN_STEPS)

typedef struct sa_program_value {
    char *data; /* an operand's; NULL: a temporary */
    uint8_t dtype;
    bool single, read, written;
    bool spread;  /* a step of whole values reads this single one */
    uint8_t slot; /* a whole temporary's buffer */
} sa_program_value;

typedef struct sa_program_step {
    uint8_t op, dtype, to, a, b;
    bool single;
} sa_program_step;

/* A launch's arguments. */
typedef struct sa_program {
    int64_t elements;
    uint32_t piece; /* elements */
    uint8_t operands, values, steps, slots;
    uint8_t widest; /* bytes of the largest element among whole temporaries */
    bool scratch;   /* some step needs it */
    sa_program_step step[SANN_STEPS];
    sa_program_value value[SA_PROGRAM_VALUES];
} sa_program;

/* Buffers of scratch: two widened operands, a widened result, a mask. */
#define SA_PROGRAM_SCRATCH 4

void sa_program_kernel(sa_core *core, void *args);

static inline bool sa_program_binary(int op)
{
    return op >= SANN_ADD && op <= SANN_RELU_GRAD;
}

/* As the operator's family: what takes more than one step, or a series, widens float16. */
static inline bool sa_program_widens(int op)
{
    return op == SANN_POW || op == SANN_SQUARED_DIFFERENCE || op == SANN_RSQRT || op == SANN_EXP ||
           op == SANN_LOG || op == SANN_TANH;
}

#endif
