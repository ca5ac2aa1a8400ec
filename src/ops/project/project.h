/* Running an operator of an op project: what its two phases and its shape inference share. */
#ifndef SA_PROJECT_H
#define SA_PROJECT_H

#include "ops/op.h"
#include "softascend/op_project.h"

/* A call being prepared: the arguments as the project's functions see them. */
typedef struct project_frame {
    sa_project_call call;
    const aclTensor **tensors; /* of the inputs that are there, NULL for values; then the outputs */
    void *memory;              /* everything that the call points to */
} project_frame;

/* Checks the arguments and lays them out. With `inferring`, outputs are not among them. Ended by
 * project_close, whatever the result. */
aclnnStatus project_open(project_frame *f, const sa_project_op *op, const sa_project_arg *args,
                         bool inferring);
void project_close(project_frame *f);

/* The combination of dtypes (and, where there are several, formats) that the call's are, or -1. */
int project_combination(const sa_project_call *call);

/* "x float32 [2, 3], slope 0.5, z float32 [2, 3]": the call, for messages. */
#define PROJECT_TEXT 640
const char *project_text(char text[PROJECT_TEXT], const sa_project_call *call);

/* Makes the message for a function of the project that failed: which, where, with what. */
aclnnStatus project_failed(const sa_project_call *call, const char *what, const void *address,
                           uint32_t status);

#endif
