/* What the dtype function of an op project gets. Names: the vendor's public documentation. */
#ifndef ASCENDC_EXE_GRAPH_INFER_DATATYPE_CONTEXT_H
#define ASCENDC_EXE_GRAPH_INFER_DATATYPE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert
{
class InferDataTypeContext : public ExtendedKernelContext
{
  public:
    using ExtendedKernelContext::ExtendedKernelContext;

    ge::DataType GetInputDataType(size_t i) const { return dtype(input(i)); }
    ge::DataType GetRequiredInputDataType(size_t i) const { return dtype(defined_input(i, 0)); }
    ge::DataType GetOptionalInputDataType(size_t i) const { return dtype(defined_input(i, 0)); }
    ge::DataType GetDynamicInputDataType(size_t i, size_t relative) const
    {
        return dtype(defined_input(i, relative));
    }
    ge::DataType GetOutputDataType(size_t i) const { return dtype(output(i)); }
    ge::graphStatus SetOutputDataType(size_t i, ge::DataType type)
    {
        sa_project_tensor *t = output(i);
        if (!t) {
            return ge::GRAPH_FAILED;
        }
        t->dtype = type;
        return ge::GRAPH_SUCCESS;
    }

  private:
    static ge::DataType dtype(const sa_project_tensor *t)
    {
        return t ? static_cast<ge::DataType>(t->dtype) : ge::DT_UNDEFINED;
    }
};
} // namespace gert

#endif
