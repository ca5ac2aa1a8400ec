/* Elementwise ops that the graph pass joins into one node, and the node's op:
 *
 *   _AscendElementwise   values in, a value out
 *   _AscendUpdate        reads or updates variables besides; stateful
 *
 * Both have `handles` of variables, `inputs`, one or no output, and the attribute `program`: steps
 * as "Op type a b;", where type is the number of the dtype that the op computes in (Cast: gives)
 * and a, b are numbers of values: handles, then inputs, then steps. A step is an op of the table
 * below, or "ReadVariableOp type handle 0", or "AssignAddVariableOp type handle value" (or Sub),
 * which makes no value that may be named. The output is the last step's. */
#ifndef SA_TF_FUSED_H
#define SA_TF_FUSED_H

#include "tensorflow/bridge.h"

#define TF_FUSED_STEPS 56
#define TF_FUSED_INPUTS 32
#define TF_FUSED_HANDLES SA_VARIABLES

typedef enum tf_step_kind {
    TF_STEP_NONE, /* cannot be a step */
    TF_STEP_UNARY,
    TF_STEP_BINARY,
    TF_STEP_CAST,
    TF_STEP_READ,
    TF_STEP_ASSIGN,
} tf_step_kind;

/* What step an op of such a type may be; Cast's type is what it takes, `to` what it gives. */
tf_step_kind tf_step_of(const char *op, int type, int to);

/* Tells TensorFlow of the two ops. */
void tf_define_fused(void);

#endif
