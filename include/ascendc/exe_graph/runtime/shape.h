/* Shapes as tiling and shape functions of op projects see them. Names: the vendor's public
 * documentation. */
#ifndef ASCENDC_EXE_GRAPH_SHAPE_H
#define ASCENDC_EXE_GRAPH_SHAPE_H

#include "graph/types.h"
#include "softascend/op_project.h"

#include <initializer_list>

namespace gert
{
class Shape : public sa_project_shape
{
  public:
    static constexpr size_t kMaxDimNum = SA_PROJECT_DIMS;
    static constexpr int64_t kInvalidDimValue = INT64_MIN;

    Shape() : sa_project_shape{} {}
    Shape(const sa_project_shape &other) : sa_project_shape(other) {}
    Shape(std::initializer_list<int64_t> dims) : sa_project_shape{}
    {
        for (int64_t dim : dims) {
            AppendDim(dim);
        }
    }

    size_t GetDimNum() const { return rank; }
    void SetDimNum(size_t count) { rank = count < kMaxDimNum ? count : kMaxDimNum; }
    int64_t GetDim(size_t i) const { return i < rank ? dims[i] : kInvalidDimValue; }
    void SetDim(size_t i, int64_t value)
    {
        if (i < kMaxDimNum) {
            dims[i] = value;
        }
    }
    Shape &AppendDim(int64_t value)
    {
        if (rank < kMaxDimNum) {
            dims[rank++] = value;
        }
        return *this;
    }
    /* 1 of a scalar; -1 if the product overflows */
    int64_t GetShapeSize() const
    {
        int64_t size = 1;
        for (size_t i = 0; i < rank; i++) {
            if (__builtin_mul_overflow(size, dims[i], &size)) {
                return -1;
            }
        }
        return size;
    }
    bool IsScalar() const { return rank == 0; }
    void SetScalar() { rank = 0; }
    int64_t &operator[](size_t i) { return dims[i]; }
    const int64_t &operator[](size_t i) const { return dims[i]; }
    bool operator==(const Shape &other) const
    {
        bool same = rank == other.rank;
        for (size_t i = 0; same && i < rank; i++) {
            same = dims[i] == other.dims[i];
        }
        return same;
    }
    bool operator!=(const Shape &other) const { return !(*this == other); }
};

class StorageShape : public sa_project_storage_shape
{
  public:
    StorageShape() : sa_project_storage_shape{} {}
    StorageShape(std::initializer_list<int64_t> origin_dims,
                 std::initializer_list<int64_t> storage_dims)
        : sa_project_storage_shape{Shape(origin_dims), Shape(storage_dims)}
    {
    }
    const Shape &GetOriginShape() const { return static_cast<const Shape &>(origin); }
    const Shape &GetStorageShape() const { return static_cast<const Shape &>(storage); }
    Shape &MutableOriginShape() { return static_cast<Shape &>(origin); }
    Shape &MutableStorageShape() { return static_cast<Shape &>(storage); }
    bool operator==(const StorageShape &other) const
    {
        return GetOriginShape() == other.GetOriginShape() &&
               GetStorageShape() == other.GetStorageShape();
    }
};
} // namespace gert

#endif
