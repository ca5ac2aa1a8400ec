/* Attributes as tiling and shape functions of op projects see them. Names: the vendor's public
 * documentation. */
#ifndef ASCENDC_EXE_GRAPH_RUNTIME_ATTRS_H
#define ASCENDC_EXE_GRAPH_RUNTIME_ATTRS_H

#include "softascend/op_project.h"

namespace gert
{
/* The elements follow it in memory. */
class ContinuousVector : public sa_project_list
{
  public:
    size_t GetSize() const { return size; }
    size_t GetCapacity() const { return capacity; }
    const void *GetData() const { return this + 1; }
};

template <class T>
class TypedContinuousVector : public ContinuousVector
{
  public:
    const T *GetData() const { return static_cast<const T *>(ContinuousVector::GetData()); }
};

/* Attributes by their order in the OpDef. One that is not there is NULL. */
class RuntimeAttrs
{
  public:
    explicit RuntimeAttrs(const sa_project_call *call) : call_(call) {}

    size_t GetAttrNum() const { return call_->op->attr_count; }
    template <class T>
    const T *GetAttrPointer(size_t i) const
    {
        return i < GetAttrNum() ? static_cast<const T *>(call_->attrs[i]) : nullptr;
    }
    const bool *GetBool(size_t i) const { return GetAttrPointer<bool>(i); }
    const int64_t *GetInt(size_t i) const { return GetAttrPointer<int64_t>(i); }
    const float *GetFloat(size_t i) const { return GetAttrPointer<float>(i); }
    const char *GetStr(size_t i) const { return GetAttrPointer<char>(i); }
    const TypedContinuousVector<int64_t> *GetListInt(size_t i) const
    {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(i);
    }
    const TypedContinuousVector<float> *GetListFloat(size_t i) const
    {
        return GetAttrPointer<TypedContinuousVector<float>>(i);
    }

  private:
    const sa_project_call *call_;
};
} // namespace gert

#endif
