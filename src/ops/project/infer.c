/* Shapes and dtypes of the outputs of an operator of an op project, by its own functions. */
#include "ops/project/project.h"

#include <string.h>

aclnnStatus sa_project_infer(const sa_project_op *op, const sa_project_arg *args,
                             sa_project_tensor *outputs)
{
    project_frame f;
    uint32_t status = 0;
    aclnnStatus s = project_open(&f, op, args, true);
    sa_project_call *call = &f.call;

    /* without a function, as the first input */
    for (size_t i = 0; !s && i < op->output_count; i++) {
        call->outputs[i].dtype = op->outputs[i].dtypes[0];
        call->outputs[i].format = ACL_FORMAT_ND;
        if (!op->infer_shape && call->input_count)
            call->outputs[i].shape = call->inputs[0].shape;
    }
    for (size_t c = 0; !s && !op->infer_dtype && c < op->combination_count; c++) {
        bool fits = true; /* the first combination that the inputs are */
        for (size_t i = 0; i < op->input_count; i++)
            for (uint32_t n = 0; n < call->input[i].count; n++)
                fits &= op->inputs[i].value_depend ||
                        op->inputs[i].dtypes[c] == call->inputs[call->input[i].start + n].dtype;
        for (size_t i = 0; fits && i < op->output_count; i++)
            call->outputs[i].dtype = op->outputs[i].dtypes[c];
        if (fits)
            break;
    }
    if (!s && op->infer_dtype && ((status = op->infer_dtype(call)) || call->exception[0]))
        s = project_failed(call, "dtype", op->infer_dtype_address, status);
    if (!s && op->infer_shape && ((status = op->infer_shape(call)) || call->exception[0]))
        s = project_failed(call, "shape", op->infer_shape_address, status);
    for (size_t i = 0; !s && i < op->output_count; i++) {
        sa_project_shape *shape = &call->outputs[i].shape.origin;
        for (size_t d = 0; !s && d < shape->rank; d++)
            if (shape->dims[d] < 0)
                s = sa_refuse(op->function,
                              "the shape function gives dimension %zu of %s the size %lld", d,
                              op->outputs[i].name, (long long)shape->dims[d]);
        call->outputs[i].shape.storage = *shape;
    }
    if (!s)
        memcpy(outputs, call->outputs, op->output_count * sizeof *outputs);
    project_close(&f);
    return s;
}
