/* SoftAscend's own operator, in the form of aclnn's: a program of elementwise steps in one pass. */
#ifndef SOFTASCEND_ACLNNOP_SANN_ELEMENTWISE_H
#define SOFTASCEND_ACLNNOP_SANN_ELEMENTWISE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SANN_OPERANDS 48
#define SANN_STEPS 64

/* What a step computes, each as the operator of its name does, with the same bits. */
typedef enum sannElementwiseOp {
    SANN_COPY, /* a */
    SANN_CAST, /* a in the step's dtype, as aclnnCast */
    SANN_ADD,
    SANN_SUB,
    SANN_MUL,
    SANN_DIV,
    SANN_DIV_NO_NAN,
    SANN_MAXIMUM,
    SANN_MINIMUM,
    SANN_POW,
    SANN_SQUARED_DIFFERENCE,
    SANN_RELU_GRAD, /* b > 0 ? a : 0 */
    SANN_NEG,
    SANN_ABS,
    SANN_SQRT,
    SANN_RSQRT,
    SANN_RECIPROCAL,
    SANN_EXP,
    SANN_LOG,
    SANN_TANH,
    SANN_SIGMOID,
    SANN_RELU,
    SANN_ELEMENTWISE_END
} sannElementwiseOp;

/* Memory on the device, apart from other operands': `elements` values side by side, or one that
 * serves for all. */
typedef struct sannOperand {
    void *data;
    aclDataType dtype;
    bool single;
} sannOperand;

/* `to` = op(a, b). These are numbers of values: operands come first, then temporaries, which hold
 * what the last step before left in them and have the dtype of the step that first writes them.
 * Steps of one operand ignore b. */
typedef struct sannStep {
    sannElementwiseOp op;
    aclDataType dtype; /* of `to`; of a and b too, but for SANN_CAST */
    int to, a, b;
} sannStep;

/* Runs the steps in order on float32, float16 and bfloat16, casts also from and to int64, and
 * SANN_ADD, SANN_SUB and SANN_MUL on int64. A step writes a single value if it reads only such, and
 * `elements` otherwise; an operand that is written must be as large. elements, operands and steps
 * are copied: they need to live until the first phase returns. The first phase checks and says how
 * much workspace the second needs (none); the second launches on `stream`. */
ACL_FUNC_VISIBILITY aclnnStatus sannElementwiseGetWorkspaceSize(
    int64_t elements, const sannOperand *operands, int operandsNum, const sannStep *steps,
    int stepsNum, uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sannElementwise(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
