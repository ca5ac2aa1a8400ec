/* GlobalTensor and LocalTensor of the Ascend C door (kernel_operator.h). */
#ifndef ASCENDC_TENSOR_H
#define ASCENDC_TENSOR_H

#include "ascendc/base.h"

namespace AscendC
{
/* Elements in GM. */
template <class T>
class GlobalTensor
{
  public:
    using PrimType = T;

    SA_INLINE void SetGlobalBuffer(__gm__ T *address, uint64_t size = 0)
    {
        address_ = address;
        size_ = size;
    }
    SA_INLINE GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor rest;
        rest.SetGlobalBuffer(address_ + offset, size_ > offset ? size_ - offset : 0);
        return rest;
    }
    SA_INLINE T GetValue(uint64_t index) const { return address_[index]; }
    SA_INLINE void SetValue(uint64_t index, T value) const { address_[index] = value; }
    SA_INLINE uint64_t GetSize() const { return size_; }
    SA_INLINE __gm__ T *GetPhyAddr(uint64_t offset = 0) const { return address_ + offset; }

  private:
    __gm__ T *address_ = nullptr;
    uint64_t size_ = 0;
};

/* Elements in a local memory; a TQue or TBuf hands it out. */
template <class T>
class LocalTensor
{
  public:
    using PrimType = T;

    LocalTensor() = default;
    SA_INLINE LocalTensor(void *address, uint32_t bytes) : address_((T *)address), bytes_(bytes) {}

    SA_INLINE LocalTensor operator[](uint32_t offset) const
    {
        uint32_t skipped = offset * (uint32_t)sizeof(T);
        return LocalTensor(address_ + offset, bytes_ > skipped ? bytes_ - skipped : 0);
    }
    /* The scalar pipe reads or writes one element. */
    SA_INLINE T GetValue(uint32_t index) const
    {
        return (T)sa_get(sa_self(), softascend::dtype_of<T>::value, address_, index);
    }
    SA_INLINE void SetValue(uint32_t index, T value) const
    {
        sa_set(sa_self(), softascend::dtype_of<T>::value, address_, index, (double)value);
    }
    /* Elements that fit. */
    SA_INLINE uint32_t GetSize() const { return bytes_ / (uint32_t)sizeof(T); }
    template <class U>
    SA_INLINE LocalTensor<U> ReinterpretCast() const
    {
        return LocalTensor<U>(address_, bytes_);
    }
    SA_INLINE __ubuf__ T *GetPhyAddr(uint32_t offset = 0) const { return address_ + offset; }

  private:
    T *address_ = nullptr;
    uint32_t bytes_ = 0;
};
} // namespace AscendC

#endif
