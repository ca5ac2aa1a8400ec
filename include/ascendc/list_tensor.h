/* Lists of tensors of the Ascend C door (kernel_operator.h): what a dynamic input or output of an
 * operator is in GM. 64-bit words: bytes from the start to the addresses; of each tensor its number
 * (upper half) and rank (lower half), then its dimensions; then the address of each. Names: the
 * vendor's public documentation. */
#ifndef ASCENDC_LIST_TENSOR_H
#define ASCENDC_LIST_TENSOR_H

#include "ascendc/tensor.h"

namespace AscendC
{
/* One tensor of a list; the caller gives memory for its dimensions. */
template <class T>
class TensorDesc
{
  public:
    void SetShapeAddr(uint64_t *dims) { dims_ = dims; }
    uint64_t GetDim() const { return rank_; }
    uint64_t GetIndex() const { return index_; }
    uint64_t GetShape(uint32_t n) const
    {
        if (dims_ == nullptr || n >= rank_) {
            SA_FAULT("TensorDesc::GetShape(%u): %s %llu dimensions", n,
                     dims_ ? "the tensor has"
                           : "SetShapeAddr was not called before GetDesc for the",
                     (unsigned long long)rank_);
        }
        return dims_[n];
    }
    __gm__ T *GetDataPtr() const { return address_; }
    GlobalTensor<T> GetDataObj() const
    {
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(address_);
        return tensor;
    }

  private:
    friend class ListTensorDesc;
    uint64_t *dims_ = nullptr;
    uint64_t rank_ = 0, index_ = 0;
    __gm__ T *address_ = nullptr;
};

class ListTensorDesc
{
  public:
    ListTensorDesc() = default;
    ListTensorDesc(__gm__ void *data, uint32_t length = 0xffffffff, uint32_t shapes = 0xffffffff)
    {
        Init(data, length, shapes);
    }
    void Init(__gm__ void *data, uint32_t = 0xffffffff, uint32_t = 0xffffffff)
    {
        if ((uintptr_t)data < ((uintptr_t)1 << 20) || (uintptr_t)data % sizeof(uint64_t)) {
            SA_FAULT("ListTensorDesc: %p is no list of tensors: only a dynamic input or output is",
                     (const void *)data);
        }
        words_ = static_cast<const uint64_t *>(data);
        size_ = 0;
        for (const uint64_t *w = words_ + 1; w < addresses(); w += 1 + rank(w)) {
            size_++;
        }
    }
    uint32_t GetSize() const { return size_; }

    template <class T>
    __gm__ T *GetDataPtr(uint32_t index) const
    {
        check("GetDataPtr", index);
        return reinterpret_cast<T *>((uintptr_t)addresses()[index]);
    }
    template <class T>
    void GetDesc(TensorDesc<T> &desc, uint32_t index) const
    {
        check("GetDesc", index);
        const uint64_t *w = words_ + 1;
        for (uint32_t i = 0; i < index; i++) {
            w += 1 + rank(w);
        }
        desc.rank_ = rank(w);
        desc.index_ = *w >> 32;
        desc.address_ = reinterpret_cast<T *>((uintptr_t)addresses()[index]);
        for (uint64_t n = 0; desc.dims_ && n < desc.rank_; n++) {
            desc.dims_[n] = w[1 + n];
        }
    }

  private:
    static uint64_t rank(const uint64_t *w) { return *w & 0xffffffff; }
    const uint64_t *addresses() const { return words_ + *words_ / sizeof(uint64_t); }
    void check(const char *call, uint32_t index) const
    {
        if (index >= size_) {
            SA_FAULT("ListTensorDesc::%s: tensor %u of a list of %u", call, index, size_);
        }
    }

    const uint64_t *words_ = nullptr;
    uint32_t size_ = 0;
};
} // namespace AscendC

#endif
