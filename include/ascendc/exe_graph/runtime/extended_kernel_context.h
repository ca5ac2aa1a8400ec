/* What the contexts of tiling and shape functions share. Inputs count in two ways: by what is there
 * (GetInput…(i): optional inputs that are absent are skipped, dynamic ones count each tensor), and
 * by the OpDef's order (GetRequired…, GetOptional…, GetDynamic…). Names: the vendor's public
 * documentation. */
#ifndef ASCENDC_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H
#define ASCENDC_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor.h"

#include <cstdio>

namespace gert
{
class AnchorInstanceInfo
{
  public:
    explicit AnchorInstanceInfo(sa_project_instance instance = {}) : instance_(instance) {}
    size_t GetInstanceStart() const { return instance_.start; }
    size_t GetInstanceNum() const { return instance_.count; }

  private:
    sa_project_instance instance_;
};

class ComputeNodeInfo
{
  public:
    explicit ComputeNodeInfo(const sa_project_call *call) : call_(call), attrs_(call) {}
    const char *GetNodeType() const { return call_->op->name; }
    const char *GetNodeName() const { return call_->op->name; }
    size_t GetInputsNum() const { return call_->input_count; }
    size_t GetOutputsNum() const { return call_->output_count; }
    size_t GetIrInputsNum() const { return call_->op->input_count; }
    size_t GetIrOutputsNum() const { return call_->op->output_count; }
    const CompileTimeTensorDesc *GetInputTdInfo(size_t i) const
    {
        return i < call_->input_count
                   ? static_cast<const CompileTimeTensorDesc *>(&call_->inputs[i])
                   : nullptr;
    }
    const CompileTimeTensorDesc *GetOutputTdInfo(size_t i) const
    {
        return i < call_->output_count
                   ? static_cast<const CompileTimeTensorDesc *>(&call_->outputs[i])
                   : nullptr;
    }
    const RuntimeAttrs *GetAttrs() const { return &attrs_; }

  private:
    const sa_project_call *call_;
    RuntimeAttrs attrs_;
};

class ExtendedKernelContext
{
  public:
    explicit ExtendedKernelContext(sa_project_call *call) : call_(call), node_(call)
    {
        for (size_t i = 0; i < call->op->input_count && i < kAnchors; i++) {
            anchors_[i] = AnchorInstanceInfo(call->input[i]);
        }
    }
    ExtendedKernelContext(const ExtendedKernelContext &) = delete;
    ExtendedKernelContext &operator=(const ExtendedKernelContext &) = delete;

    const char *GetNodeType() const { return call_->op->name; }
    const char *GetNodeName() const { return call_->op->name; }
    const ComputeNodeInfo *GetComputeNodeInfo() const { return &node_; }
    size_t GetComputeNodeInputNum() const { return call_->input_count; }
    size_t GetComputeNodeOutputNum() const { return call_->output_count; }
    const RuntimeAttrs *GetAttrs() const { return node_.GetAttrs(); }
    const AnchorInstanceInfo *GetIrInputInstanceInfo(size_t i) const
    {
        return i < call_->op->input_count && i < kAnchors ? &anchors_[i] : nullptr;
    }

    const CompileTimeTensorDesc *GetInputDesc(size_t i) const { return as_desc(input(i)); }
    const CompileTimeTensorDesc *GetRequiredInputDesc(size_t i) const
    {
        return as_desc(defined_input(i, 0));
    }
    const CompileTimeTensorDesc *GetOptionalInputDesc(size_t i) const
    {
        return as_desc(defined_input(i, 0));
    }
    const CompileTimeTensorDesc *GetDynamicInputDesc(size_t i, size_t relative) const
    {
        return as_desc(defined_input(i, relative));
    }
    const CompileTimeTensorDesc *GetOutputDesc(size_t i) const { return as_desc(output(i)); }

  protected:
    /* A NULL here is dereferenced by nearly every caller: say who asked for what. */
    sa_project_tensor *missing(const char *what, size_t i, size_t count) const
    {
        std::fprintf(stderr, "%s (%s:%d): %s %zu is asked for, there are %zu\n", call_->op->name,
                     call_->op->file, call_->op->line, what, i, count);
        return nullptr;
    }
    sa_project_tensor *input(size_t i) const
    {
        return i < call_->input_count ? &call_->inputs[i] : missing("input", i, call_->input_count);
    }
    sa_project_tensor *output(size_t i) const
    {
        return i < call_->output_count ? &call_->outputs[i]
                                       : missing("output", i, call_->output_count);
    }
    sa_project_tensor *defined_input(size_t i, size_t relative) const
    {
        if (i >= call_->op->input_count) {
            return missing("input of the OpDef", i, call_->op->input_count);
        }
        return relative < call_->input[i].count ? &call_->inputs[call_->input[i].start + relative]
                                                : nullptr;
    }
    static const CompileTimeTensorDesc *as_desc(const sa_project_tensor *t)
    {
        return static_cast<const CompileTimeTensorDesc *>(t);
    }
    static const StorageShape *as_storage(const sa_project_tensor *t)
    {
        return t ? static_cast<const StorageShape *>(&t->shape) : nullptr;
    }
    static const Shape *as_shape(const sa_project_tensor *t)
    {
        return t ? static_cast<const Shape *>(&t->shape.origin) : nullptr;
    }
    static const Tensor *as_tensor(const sa_project_tensor *t)
    {
        return static_cast<const Tensor *>(t);
    }

    sa_project_call *call_;

  private:
    static constexpr size_t kAnchors = 64;
    ComputeNodeInfo node_;
    AnchorInstanceInfo anchors_[kAnchors];
};
} // namespace gert

#endif
