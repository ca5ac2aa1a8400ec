/* Tensors as tiling and shape functions of op projects see them. Names: the vendor's public
 * documentation. */
#ifndef ASCENDC_EXE_GRAPH_TENSOR_H
#define ASCENDC_EXE_GRAPH_TENSOR_H

#include "exe_graph/runtime/shape.h"

namespace gert
{
enum TensorPlacement { kOnDeviceHbm, kOnHost, kFollowing, kTensorPlacementEnd };

class StorageFormat
{
  public:
    explicit StorageFormat(int32_t format = 0) : format_(static_cast<ge::Format>(format)) {}
    ge::Format GetOriginFormat() const { return format_; }
    ge::Format GetStorageFormat() const { return format_; }

  private:
    ge::Format format_;
};

class Tensor : public sa_project_tensor
{
  public:
    const StorageShape &GetShape() const { return static_cast<const StorageShape &>(shape); }
    const Shape &GetOriginShape() const { return GetShape().GetOriginShape(); }
    const Shape &GetStorageShape() const { return GetShape().GetStorageShape(); }
    int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }
    ge::DataType GetDataType() const { return static_cast<ge::DataType>(dtype); }
    StorageFormat GetFormat() const { return StorageFormat(format); }
    ge::Format GetStorageFormat() const { return static_cast<ge::Format>(format); }
    ge::Format GetOriginFormat() const { return static_cast<ge::Format>(format); }
    size_t GetSize() const { return bytes; }
    const void *GetAddr() const { return data; }
    void *GetAddr() { return data; }
    /* The values: of an input with ValueDepend they are the host's. */
    template <class T>
    const T *GetData() const
    {
        return static_cast<const T *>(data);
    }
    template <class T>
    T *GetData()
    {
        return static_cast<T *>(data);
    }
};

class CompileTimeTensorDesc : public sa_project_tensor
{
  public:
    ge::DataType GetDataType() const { return static_cast<ge::DataType>(dtype); }
    StorageFormat GetFormat() const { return StorageFormat(format); }
    ge::Format GetStorageFormat() const { return static_cast<ge::Format>(format); }
    ge::Format GetOriginFormat() const { return static_cast<ge::Format>(format); }
};
} // namespace gert

#endif
