/* What the shape function of an op project gets. Names: the vendor's public documentation. */
#ifndef ASCENDC_EXE_GRAPH_INFER_SHAPE_CONTEXT_H
#define ASCENDC_EXE_GRAPH_INFER_SHAPE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert
{
class InferShapeContext : public ExtendedKernelContext
{
  public:
    using ExtendedKernelContext::ExtendedKernelContext;

    const Shape *GetInputShape(size_t i) const { return as_shape(input(i)); }
    const Shape *GetRequiredInputShape(size_t i) const { return as_shape(defined_input(i, 0)); }
    const Shape *GetOptionalInputShape(size_t i) const { return as_shape(defined_input(i, 0)); }
    const Shape *GetDynamicInputShape(size_t i, size_t relative) const
    {
        return as_shape(defined_input(i, relative));
    }
    const Tensor *GetInputTensor(size_t i) const { return as_tensor(input(i)); }
    const Tensor *GetRequiredInputTensor(size_t i) const { return as_tensor(defined_input(i, 0)); }
    const Tensor *GetOptionalInputTensor(size_t i) const { return as_tensor(defined_input(i, 0)); }
    const Tensor *GetDynamicInputTensor(size_t i, size_t relative) const
    {
        return as_tensor(defined_input(i, relative));
    }
    Shape *GetOutputShape(size_t i)
    {
        sa_project_tensor *t = output(i);
        return t ? static_cast<Shape *>(&t->shape.origin) : nullptr;
    }
};

template <class T>
struct Range {
    T *min = nullptr, *max = nullptr;
    const T *GetMin() const { return min; }
    const T *GetMax() const { return max; }
};
/* SetInferShapeRange's function gets one; it is never called. */
class InferShapeRangeContext
{
  public:
    const Range<Shape> *GetInputShapeRange(size_t) const { return &range_; }
    Range<Shape> *GetOutputShapeRange(size_t) { return &range_; }

  private:
    Range<Shape> range_;
};
} // namespace gert

#endif
