/* Moves of the Ascend C door (kernel_operator.h): DataCopy in its forms, DataCopyPad, Copy. Which
 * instruction a move is follows from its tensors' positions. */
#ifndef ASCENDC_MOVE_H
#define ASCENDC_MOVE_H

#include "ascendc/elementwise.h"

namespace softascend
{
constexpr uint32_t up_to_block(uint32_t bytes)
{
    return (bytes + 31) / 32 * 32;
}

/* `rows` rows of row_bytes; pitches from row start to row start. */
struct rows {
    uint32_t count, bytes;
    int64_t dst_pitch, src_pitch;

    /* Blocks of 32 bytes with gaps between them. */
    SA_INLINE explicit rows(const AscendC::DataCopyParams &p)
        : count(p.blockCount), bytes(p.blockLen * 32u),
          dst_pitch((p.blockLen + (int64_t)p.dstStride) * 32),
          src_pitch((p.blockLen + (int64_t)p.srcStride) * 32)
    {
    }
    SA_INLINE rows(uint32_t one) : count(1), bytes(one), dst_pitch(0), src_pitch(0) {}
};

SA_INLINE void move_in(sa_memory memory, void *dst, const void *src, const rows &r)
{
    switch (memory) {
    case SA_UB:
        sa_copy_in_2d(sa_self(), dst, (uint32_t)r.dst_pitch, src, r.src_pitch, r.count, r.bytes);
        return;
    case SA_L1:
        sa_copy_l1_2d(sa_self(), dst, (uint32_t)r.dst_pitch, src, r.src_pitch, r.count, r.bytes);
        return;
    default:
        SA_FAULT("DataCopy: GM goes to UB (VECIN …) or L1 (A1, B1, C1), not to memory %d",
                 (int)memory);
    }
}

SA_INLINE void move_out(void *dst, sa_memory memory, const void *src, const rows &r)
{
    switch (memory) {
    case SA_UB:
        sa_copy_out_2d(sa_self(), dst, r.dst_pitch, src, (uint32_t)r.src_pitch, r.count, r.bytes);
        return;
    case SA_L1:
        sa_copy_l1_out_2d(sa_self(), dst, r.dst_pitch, src, (uint32_t)r.src_pitch, r.count,
                          r.bytes);
        return;
    default:
        SA_FAULT("DataCopy: UB (VECOUT …) or L1 goes to GM, not memory %d: use Fixpipe for L0C",
                 (int)memory);
    }
}

SA_INLINE void move_local(sa_memory to, void *dst, sa_memory from, const void *src, const rows &r)
{
    uint32_t dst_pitch = (uint32_t)r.dst_pitch, src_pitch = (uint32_t)r.src_pitch;
    if (to == SA_UB && from == SA_UB) {
        sa_copy_ub_2d(sa_self(), dst, dst_pitch, src, src_pitch, r.count, r.bytes);
    } else if (to == SA_L1 && from == SA_UB) {
        sa_copy_ub_l1_2d(sa_self(), dst, dst_pitch, src, src_pitch, r.count, r.bytes);
    } else if (to == SA_UB && from == SA_L1) {
        sa_copy_l1_ub_2d(sa_self(), dst, dst_pitch, src, src_pitch, r.count, r.bytes);
    } else {
        SA_FAULT("DataCopy: no path from memory %d to memory %d: use LoadData, Fixpipe or Mmad",
                 (int)from, (int)to);
    }
}
} // namespace softascend

namespace AscendC
{
/* ---- `count` elements */

template <class T>
SA_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t count)
{
    uint32_t bytes = softascend::bytes_of<T>(count);
    if (softascend::memory_of(dst.position()) == SA_UB) {
        sa_copy_in(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(), bytes);
    } else {
        softascend::move_in(softascend::memory_of(dst.position()), dst.GetPhyAddr(),
                            src.GetPhyAddr(), bytes);
    }
}

template <class T>
SA_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count)
{
    uint32_t bytes = softascend::bytes_of<T>(count);
    if (softascend::memory_of(src.position()) == SA_UB) {
        sa_copy_out(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(), bytes);
    } else {
        softascend::move_out(dst.GetPhyAddr(), softascend::memory_of(src.position()),
                             src.GetPhyAddr(), bytes);
    }
}

/* L1 to the bias table widens 2-byte floats. */
template <class T, class U>
SA_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, uint32_t count)
{
    const sa_memory to = softascend::memory_of(dst.position()),
                    from = softascend::memory_of(src.position());
    if (to == SA_BT) {
        sa_copy_bt(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), softascend::dtype<U>,
                   src.GetPhyAddr(), count);
    } else if (to == SA_UB && from == SA_L0C) {
        sa_copy_l0c_ub(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), count,
                       softascend::dtype<U>, src.GetPhyAddr(), count, 1, count);
    } else {
        softascend::move_local(to, dst.GetPhyAddr(), from, src.GetPhyAddr(),
                               softascend::bytes_of<T>(count));
    }
}

/* ---- rows of blocks */

template <class T>
SA_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                        const DataCopyParams &params)
{
    softascend::move_in(softascend::memory_of(dst.position()), dst.GetPhyAddr(), src.GetPhyAddr(),
                        softascend::rows(params));
}

template <class T>
SA_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                        const DataCopyParams &params)
{
    softascend::move_out(dst.GetPhyAddr(), softascend::memory_of(src.position()), src.GetPhyAddr(),
                         softascend::rows(params));
}

template <class T, class U>
SA_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                        const DataCopyParams &params)
{
    const sa_memory to = softascend::memory_of(dst.position()),
                    from = softascend::memory_of(src.position());
    if (to == SA_BT) {
        uint32_t each = params.blockLen * (sizeof(U) == 2 ? 64u : 32u) / (uint32_t)sizeof(T);
        for (uint32_t i = 0; i < params.blockCount; i++) {
            sa_copy_bt(sa_self(), softascend::dtype<T>,
                       dst.GetPhyAddr(i * (each + params.dstStride * 32u / (uint32_t)sizeof(T))),
                       softascend::dtype<U>,
                       src.GetPhyAddr(
                           i * ((params.blockLen + params.srcStride) * 32u / (uint32_t)sizeof(U))),
                       each);
        }
        return;
    }
    softascend::move_local(to, dst.GetPhyAddr(), from, src.GetPhyAddr(), softascend::rows(params));
}

/* Coupled chips: CO1 -> CO2 by fractals of 16 x 16 accumulators, converted, scaled (DEQ: by the
 * float in the low half of deqValue) and clipped on the way; plain moves otherwise. */
template <class T, class U>
SA_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                        const DataCopyParams &params, const DataCopyEnhancedParams &enhanced)
{
    if (softascend::memory_of(src.position()) != SA_L0C) {
        DataCopy(dst, src, params);
        return;
    }
    const bool scaled = enhanced.deqScale == DeqScale::DEQ;
    if (enhanced.deqScale != DeqScale::DEQ_NONE && !scaled) {
        SA_FAULT("DataCopy: CO1 to CO2 with deqScale %d is not supported: DEQ is, or Cast and Mul "
                 "afterwards",
                 (int)enhanced.deqScale);
    }
    const uint32_t cells = params.blockLen * 256u;
    const uint32_t dst_gap = params.dstStride * 32u / (uint32_t)sizeof(T);
    const float scale = scaled ? __builtin_bit_cast(float, (uint32_t)enhanced.deqValue) : 1.0f;
    sa_copy_l0c_ub_scaled(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), cells + dst_gap,
                          softascend::dtype<U>, src.GetPhyAddr(), cells + params.srcStride * 256u,
                          params.blockCount, cells, (double)scale, enhanced.isRelu);
}
template <class T>
SA_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                        const DataCopyParams &params, const DataCopyEnhancedParams &)
{
    DataCopy(dst, src, params);
}
template <class T>
SA_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                        const DataCopyParams &params, const DataCopyEnhancedParams &)
{
    DataCopy(dst, src, params);
}

/* ---- between layouts */

template <class T>
SA_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &p)
{
    sa_nd2nz_params params = {p.ndNum,     p.nValue,        p.dValue,       p.srcNdMatrixStride,
                              p.srcDValue, p.dstNzC0Stride, p.dstNzNStride, p.dstNzMatrixStride};
    sa_nd2nz_ext(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), &params);
}

/* NZ in UB -> row-major in GM: column blocks of C0 elements, one after the other. */
template <class T>
SA_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                        const Nz2NdParamsFull &p)
{
    constexpr uint32_t c0 = 32 / (uint32_t)sizeof(T);
    for (uint32_t nd = 0; nd < p.ndNum; nd++) {
        for (uint32_t col = 0; col < p.dValue; col += c0) {
            uint32_t width = p.dValue - col < c0 ? p.dValue - col : c0;
            sa_copy_out_2d(
                sa_self(), dst.GetPhyAddr((uint64_t)nd * p.dstNdMatrixStride + col),
                (int64_t)p.dstDStride * (int64_t)sizeof(T),
                src.GetPhyAddr(nd * p.srcNdMatrixStride * 256u + col / c0 * p.srcNStride * c0), 32,
                p.nValue, width * (uint32_t)sizeof(T));
        }
    }
}

/* ---- rows of any number of bytes between GM and UB */

template <class T>
SA_INLINE void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                           const DataCopyExtParams &p, const DataCopyPadExtParams<T> &pad)
{
    SA_NEEDS_SPLIT(split_for<T>, "DataCopyPad", "DataCopy in multiples of 32 bytes");
    const sa_memory memory = softascend::memory_of(dst.position());
    const uint32_t size = (uint32_t)sizeof(T);
    uint32_t padding = pad.isPad ? (pad.leftPadding + pad.rightPadding) * size : 0;
    uint32_t row = softascend::up_to_block(p.blockLen + padding);
    uint32_t pitch = row + p.dstStride * 32;
    int64_t gm_pitch = (int64_t)p.blockLen + p.srcStride;
    if (memory != SA_UB) {
        sa_copy_l1_2d(sa_self(), dst.GetPhyAddr(), pitch, src.GetPhyAddr(), gm_pitch, p.blockCount,
                      p.blockLen);
        return;
    }
    if (!pad.isPad) {
        sa_copy_in_2d(sa_self(), dst.GetPhyAddr(), pitch, src.GetPhyAddr(), gm_pitch, p.blockCount,
                      p.blockLen);
        return;
    }
    /* what is left of the last block gets the value too */
    uint32_t right = (row - p.blockLen) / size - pad.leftPadding;
    sa_pad_rows rows = {p.blockCount,
                        p.blockLen,
                        gm_pitch,
                        pitch,
                        pad.leftPadding,
                        right,
                        (double)pad.paddingValue};
    sa_copy_in_pad(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), &rows);
}

template <class T>
SA_INLINE void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                           const DataCopyExtParams &p)
{
    SA_NEEDS_SPLIT(split_for<T>, "DataCopyPad", "DataCopy in multiples of 32 bytes");
    const uint32_t src_pitch = softascend::up_to_block(p.blockLen) + p.srcStride * 32;
    const int64_t gm_pitch = (int64_t)p.blockLen + p.dstStride;
    if (softascend::memory_of(src.position()) == SA_L1) {
        sa_copy_l1_out_2d(sa_self(), dst.GetPhyAddr(), gm_pitch, src.GetPhyAddr(), src_pitch,
                          p.blockCount, p.blockLen);
    } else {
        sa_copy_out_2d(sa_self(), dst.GetPhyAddr(), gm_pitch, src.GetPhyAddr(), src_pitch,
                       p.blockCount, p.blockLen);
    }
}

template <class T>
SA_INLINE void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                           const DataCopyParams &p, const DataCopyPadParams &pad)
{
    /* the value is bits of an element */
    T value = T(0);
    std::memcpy(&value, &pad.paddingValue, sizeof value);
    DataCopyPad(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0),
                DataCopyPadExtParams<T>(pad.isPad, pad.leftPadding, pad.rightPadding, value));
}

template <class T>
SA_INLINE void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                           const DataCopyParams &p)
{
    DataCopyPad(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0));
}

/* ---- UB -> UB under a mask */

#define SA_DOOR_COPY(Mask, ...)                                                                    \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask,           \
                        uint8_t repeatTimes, const CopyRepeatParams &p)                            \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes,                              \
                                                   sa_stride{p.dstStride, p.dstRepeatSize},        \
                                                   sa_stride{p.srcStride, p.srcRepeatSize});       \
        sa_copy_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), &r);   \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_COPY, )
#undef SA_DOOR_COPY
template <class T>
SA_INLINE void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count)
{
    sa_copy_ub(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(), softascend::bytes_of<T>(count));
}
} // namespace AscendC

#endif
