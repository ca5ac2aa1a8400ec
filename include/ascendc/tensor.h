/* GlobalTensor and LocalTensor of the Ascend C door (kernel_operator.h). */
#ifndef ASCENDC_TENSOR_H
#define ASCENDC_TENSOR_H

#include "ascendc/params.h"

namespace softascend
{
constexpr sa_memory memory_of(AscendC::TPosition p)
{
    using P = AscendC::TPosition;
    switch (p) {
    case P::GM:
        return SA_GM;
    case P::A1:
    case P::B1:
    case P::C1:
    case P::TSCM:
        return SA_L1;
    case P::A2:
        return SA_L0A;
    case P::B2:
        return SA_L0B;
    case P::C2:
        return SA_BT;
    case P::CO1:
        return SA_L0C;
    default:
        return SA_UB;
    }
}

/* A local address; one below 1 MiB is a byte of the position's memory, where this core has it. */
SA_INLINE void *local(uint64_t address, AscendC::TPosition position)
{
    if (__builtin_expect(address < ((uint64_t)1 << 20), 0) &&
        sa_local_bytes(sa_self(), memory_of(position))) {
        return sa_local(sa_self(), memory_of(position), (uint32_t)address);
    }
    return (void *)(uintptr_t)address;
}

/* Below this no global memory lies. */
template <class T>
SA_INLINE T *global(T *address, uint64_t index, const char *call)
{
    if ((uintptr_t)address < ((uintptr_t)1 << 20)) {
        SA_FAULT("GlobalTensor::%s: element %llu of a tensor at %p, which is no global memory",
                 call, (unsigned long long)index, (const void *)address);
    }
    return address + index;
}
} // namespace softascend

namespace AscendC
{
template <class T>
class LocalTensor;

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
        GlobalTensor rest = *this;
        rest.address_ = GetPhyAddr(offset);
        rest.size_ = size_ > offset ? size_ - offset : 0;
        return rest;
    }
    SA_INLINE T &operator()(uint64_t index) const
    {
        return *softascend::global(address_, index, "operator()");
    }
    SA_INLINE T GetValue(uint64_t index) const
    {
        return *(volatile T *)softascend::global(address_, index, "GetValue");
    }
    SA_INLINE void SetValue(uint64_t index, T value) const
    {
        *softascend::global(address_, index, "SetValue") = value;
    }
    SA_INLINE uint64_t GetSize() const { return size_; }
    SA_INLINE __gm__ T *GetPhyAddr(uint64_t offset = 0) const
    {
        return (T *)((uintptr_t)address_ + softascend::global_bytes_of<T>(offset));
    }
    template <class U>
    SA_INLINE GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> other;
        other.SetGlobalBuffer((U *)address_, softascend::global_bytes_of<T>(size_) * 2 /
                                                 softascend::global_bytes_of<U>(2));
        return other;
    }
    SA_INLINE void SetShapeInfo(const ShapeInfo &) {}
    template <CacheRwMode = CacheRwMode::RW>
    SA_INLINE void SetL2CacheHint(CacheMode)
    {
    }

  private:
    __gm__ T *address_ = nullptr;
    uint64_t size_ = 0;
};

/* A GlobalTensor's half and float can be volatile-read; their classes need a copy. */
template <>
SA_INLINE half GlobalTensor<half>::GetValue(uint64_t index) const
{
    half value;
    value.bits = *(volatile uint16_t *)softascend::global(address_, index, "GetValue");
    return value;
}
template <>
SA_INLINE bfloat16_t GlobalTensor<bfloat16_t>::GetValue(uint64_t index) const
{
    bfloat16_t value;
    value.bits = *(volatile uint16_t *)softascend::global(address_, index, "GetValue");
    return value;
}

/* Where a tensor lies. Kernels that lay memory out by hand set the fields: bufferAddr is a pointer
 * or, below 1 MiB, a byte of the memory that logicPos names. */
struct TBuffAddr {
    uint64_t bufferAddr = 0;
    uint32_t dataLen = 0;
    uint8_t logicPos = (uint8_t)TPosition::VECCALC;
    uint8_t bufferHandle = 0;
};

/* a + b, and so on: Operation::run computes it where it is assigned to (operators.h). */
template <class T, class Operation>
struct TensorExpression {
    LocalTensor<T> a, b;
};

/* Elements in a local memory; a TQue or TBuf hands it out. */
template <class T>
class LocalTensor
{
  public:
    using PrimType = T;

    LocalTensor() = default;
    SA_INLINE LocalTensor(TPosition position, void *address, uint32_t bytes)
        : address_{(uintptr_t)address, bytes, (uint8_t)position}
    {
    }
    /* `size` elements from byte `offset` of the position's memory. */
    SA_INLINE LocalTensor(TPosition position, uint32_t offset, uint32_t size)
        : LocalTensor(position, sa_local(sa_self(), softascend::memory_of(position), offset),
                      softascend::bytes_of<T>(size))
    {
    }
    SA_INLINE explicit LocalTensor(TPosition position) { address_.logicPos = (uint8_t)position; }

    template <class From, class Operation>
    SA_INLINE LocalTensor &operator=(const TensorExpression<From, Operation> &e)
    {
        Operation::run(*this, e.a, e.b);
        return *this;
    }
    SA_INLINE LocalTensor operator[](uint32_t offset) const
    {
        uint32_t skipped = softascend::bytes_of<T>(offset);
        LocalTensor rest = *this;
        rest.address_.bufferAddr += skipped;
        rest.address_.dataLen = address_.dataLen > skipped ? address_.dataLen - skipped : 0;
        return rest;
    }
    SA_INLINE void SetAddrWithOffset(LocalTensor<T> &source, uint32_t offset)
    {
        *this = source[offset];
    }
    template <class U>
    SA_INLINE void SetAddrWithOffset(LocalTensor<U> &source, uint32_t offset)
    {
        *this = source[offset].template ReinterpretCast<T>();
    }
    SA_INLINE void SetAddr(const TBuffAddr &address) { address_ = address; }

    /* The scalar pipe reads or writes one element. */
    SA_INLINE T GetValue(uint32_t index) const
    {
        if constexpr (sizeof(T) == 8) { /* a double does not hold it */
            return (*this)(index);
        } else {
            return (T)sa_get(sa_self(), softascend::dtype<T>, GetPhyAddr(), index);
        }
    }
    template <class U>
    SA_INLINE void SetValue(uint32_t index, U value) const
    {
        T element = (T)value, *at = GetPhyAddr();
        if constexpr (sizeof(T) == 8) {
            sa_set(sa_self(), softascend::dtype<T>, at, index, 0);
            at[index] = element;
        } else {
            sa_set(sa_self(), softascend::dtype<T>, at, index, (double)element);
        }
    }
    SA_INLINE T &operator()(uint32_t index) const
    {
        T *at = GetPhyAddr();
        sa_get(sa_self(), softascend::dtype<T>, at, index);
        return at[index];
    }

    /* Elements that fit. */
    SA_INLINE uint32_t GetSize() const
    {
        return std::is_same_v<T, int4b_t> ? address_.dataLen * 2
                                          : address_.dataLen / (uint32_t)sizeof(T);
    }
    SA_INLINE uint32_t GetLength() const { return address_.dataLen; }
    SA_INLINE void SetSize(uint32_t size) { address_.dataLen = softascend::bytes_of<T>(size); }
    SA_INLINE void SetBufferLen(uint32_t size) { SetSize(size); }
    template <class U>
    SA_INLINE LocalTensor<U> ReinterpretCast() const
    {
        LocalTensor<U> other;
        other.address_ = address_;
        other.SetUserTag(tag_);
        return other;
    }
    SA_INLINE __ubuf__ T *GetPhyAddr(uint32_t offset = 0) const
    {
        return (T *)((uintptr_t)softascend::local(address_.bufferAddr, position()) +
                     softascend::bytes_of<T>(offset));
    }
    SA_INLINE TPosition position() const { return (TPosition)address_.logicPos; }
    SA_INLINE int32_t GetPosition() const { return address_.logicPos; }
    SA_INLINE void SetUserTag(int32_t tag) { tag_ = tag; }
    SA_INLINE int32_t GetUserTag() const { return tag_; }
    /* Shapes are the kernel's own affair; what is here has one dimension. */
    SA_INLINE void SetShapeInfo(const ShapeInfo &) {}
    SA_INLINE ShapeInfo GetShapeInfo() const
    {
        uint32_t size = GetSize();
        return ShapeInfo(1, &size);
    }

    union {
        TBuffAddr address_ = {};
        T *elements_; /* for a debugger: print tensor.elements_[3]@8 */
    };

  private:
    int32_t tag_ = 0;
};
} // namespace AscendC

#endif
