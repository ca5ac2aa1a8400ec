/* Rearranging instructions of the Ascend C door (kernel_operator.h): gather and scatter, packing
 * under a mask, transposes, broadcasts, index vectors. */
#ifndef ASCENDC_ARRANGE_H
#define ASCENDC_ARRANGE_H

#include "ascendc/elementwise.h"

namespace AscendC
{
/* ---- gather, scatter: offsets in bytes */

template <class T>
SA_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                      const LocalTensor<uint32_t> &srcOffset, uint32_t srcBaseAddr, uint32_t count)
{
    sa_gather(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(),
              (const uint8_t *)src.GetPhyAddr() + srcBaseAddr, srcOffset.GetPhyAddr(), count);
}
#define SA_DOOR_GATHER(Mask, ...)                                                                  \
    template <class T>                                                                             \
    SA_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
                          const LocalTensor<uint32_t> &srcOffset, uint32_t srcBaseAddr, Mask mask, \
                          uint8_t repeatTimes, uint16_t dstRepStride)                              \
    {                                                                                              \
        sa_repeat r = softascend::lanes<true>(mask, repeatTimes, sa_stride{1, dstRepStride},       \
                                              sa_stride{1, 8});                                    \
        sa_gather_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(),                        \
                         (const uint8_t *)src.GetPhyAddr() + srcBaseAddr, srcOffset.GetPhyAddr(),  \
                         &r);                                                                      \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_GATHER, )
#undef SA_DOOR_GATHER

/* Whole blocks: eight offsets a repeat. */
template <class T>
SA_INLINE void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                       const LocalTensor<uint32_t> &offset, uint8_t repeatTimes,
                       const GatherRepeatParams &params)
{
    sa_gather_blocks(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),
                     offset.GetPhyAddr(), repeatTimes,
                     sa_stride{params.dstBlkStride, params.dstRepStride});
}

template <class T>
SA_INLINE void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                       const LocalTensor<uint32_t> &dstOffset, uint32_t dstBaseAddr, uint32_t count)
{
    sa_scatter(sa_self(), softascend::dtype<T>, (uint8_t *)dst.GetPhyAddr() + dstBaseAddr,
               src.GetPhyAddr(), dstOffset.GetPhyAddr(), count);
}

/* ---- the elements that a mask names, one after the other. reduceMode: each repeat looks at `mask`
 * elements, else at 256 bytes. */

template <class T, class U>
SA_INLINE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                          const LocalTensor<U> &src1Pattern, bool reduceMode, uint32_t mask,
                          const GatherMaskParams &p, uint64_t &rsvdCnt)
{
    rsvdCnt = softascend::state().gathered =
        sa_gather_mask(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src0.GetPhyAddr(), 0,
                       src1Pattern.GetPhyAddr(), reduceMode ? mask : 0, p.repeatTimes,
                       sa_stride{p.src0BlockStride, p.src0RepeatStride}, p.src1RepeatStride);
}
template <class T>
SA_INLINE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                          uint8_t src1Pattern, bool reduceMode, uint32_t mask,
                          const GatherMaskParams &p, uint64_t &rsvdCnt)
{
    rsvdCnt = softascend::state().gathered =
        sa_gather_mask(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src0.GetPhyAddr(),
                       src1Pattern, nullptr, reduceMode ? mask : 0, p.repeatTimes,
                       sa_stride{p.src0BlockStride, p.src0RepeatStride}, p.src1RepeatStride);
}
/* How many elements the last GatherMask left. */
SA_INLINE int64_t GetGatherMaskRemainCount()
{
    return (int64_t)softascend::state().gathered;
}

/* ---- broadcasts */

template <class T>
SA_INLINE void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src0, uint8_t repeatTimes,
                    const BrcbRepeatParams &params)
{
    sa_brcb(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src0.GetPhyAddr(), repeatTimes,
            sa_stride{params.dstBlkStride, params.dstRepStride});
}

/* dim 1: one element to dstShape[0]. dim 2: axis 0 [1, n] -> [m, n], axis 1 [m, 1] -> [m, n]. */
template <class T, int32_t dim, int32_t axis, bool isReuseSource = false>
SA_INLINE void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                         const uint32_t dstShape[dim], const uint32_t srcShape[dim])
{
    static_assert(dim == 1 || dim == 2, "Broadcast: dim is 1 or 2");
    static_assert(axis == 0 || axis == 1, "Broadcast: axis is 0 or 1");
    if constexpr (dim == 1) {
        if (srcShape[0] == dstShape[0]) {
            sa_copy_ub(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(),
                       dstShape[0] * (uint32_t)sizeof(T));
        } else {
            sa_broadcast(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), 1,
                         dstShape[0], 1);
        }
    } else {
        if (srcShape[axis] != 1 && srcShape[axis] != dstShape[axis]) {
            SA_FAULT("Broadcast: axis %d goes from %u to %u; it must be 1 or equal", axis,
                     srcShape[axis], dstShape[axis]);
        }
        if (srcShape[axis] == dstShape[axis]) {
            sa_copy_ub(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(),
                       dstShape[0] * dstShape[1] * (uint32_t)sizeof(T));
        } else {
            sa_broadcast(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),
                         dstShape[0], dstShape[1], axis);
        }
    }
}
template <class T, int32_t dim, int32_t axis, bool isReuseSource = false>
SA_INLINE void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                         const uint32_t dstShape[dim], const uint32_t srcShape[dim],
                         const LocalTensor<uint8_t> &)
{
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape);
}
template <class T, int32_t dim, int32_t axis, bool isReuseSource = false, class... Rest>
SA_INLINE void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                         const uint32_t dstShape[dim], const uint32_t srcShape[dim], Rest...)
{
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape);
}

/* ---- index vectors */

template <class T>
SA_INLINE void CreateVecIndex(const LocalTensor<T> &dst, softascend::same_t<T> first,
                              uint32_t count)
{
    sa_arange(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), (double)first, 1, count);
}
#define SA_DOOR_VEC_INDEX(Mask, ...)                                                               \
    template <class T>                                                                             \
    SA_INLINE void CreateVecIndex(const LocalTensor<T> &dst, softascend::same_t<T> first,          \
                                  Mask mask, uint8_t repeatTimes, uint16_t dstBlkStride,           \
                                  uint8_t dstRepStride)                                            \
    {                                                                                              \
        sa_repeat r = softascend::lanes<true>(                                                     \
            mask, repeatTimes, sa_stride{dstBlkStride, dstRepStride}, sa_stride{1, 8});            \
        sa_arange_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), (double)first, &r);    \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_VEC_INDEX, )
#undef SA_DOOR_VEC_INDEX
template <class T>
SA_INLINE void ArithProgression(const LocalTensor<T> &dst, softascend::same_t<T> firstValue,
                                softascend::same_t<T> diffValue, int32_t count)
{
    sa_arange(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), (double)firstValue,
              (double)diffValue, (uint32_t)count);
}
template <class T>
SA_INLINE void Arange(const LocalTensor<T> &dst, softascend::same_t<T> firstValue,
                      softascend::same_t<T> diffValue, int32_t count)
{
    ArithProgression(dst, firstValue, diffValue, count);
}

/* ---- transposes */

/* One square of 16 x 16 elements of 2 bytes. */
template <class T>
SA_INLINE void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src)
{
    static_assert(sizeof(T) == 2, "Transpose: elements of 2 bytes, 16 x 16 of them");
    sa_transpose(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), 16, 16);
}

/* [n, c, h, w] in the ways that TransposeType names and that need no more than a transposition. */
template <class T>
SA_INLINE void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                         const LocalTensor<uint8_t> &, const TransposeParamsExt &p)
{
    const uint32_t c = p.cSize, hw = (uint32_t)p.hSize * p.wSize;
    switch (p.transposeType) {
    case TransposeType::TRANSPOSE_ND2ND_B16:
        sa_transpose(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), 16, 16);
        return;
    case TransposeType::TRANSPOSE_NCHW2NHWC:
    case TransposeType::TRANSPOSE_NHWC2NCHW:
        for (uint32_t n = 0; n < p.nSize; n++) {
            bool to_nhwc = p.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;
            sa_transpose(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(n * c * hw),
                         src.GetPhyAddr(n * c * hw), to_nhwc ? c : hw, to_nhwc ? hw : c);
        }
        return;
    default:
        SA_FAULT("Transpose: type %d is not supported: NCHW2NHWC, NHWC2NCHW and ND2ND_B16 are",
                 (int)p.transposeType);
    }
}

template <class T>
SA_INLINE void TransDataTo5HD(const LocalTensor<T> (&dstList)[16],
                              const LocalTensor<T> (&srcList)[16], const TransDataTo5HDParams &p)
{
    void *dst[16];
    const void *src[16];
    for (int i = 0; i < 16; i++) {
        dst[i] = dstList[i].GetPhyAddr();
        src[i] = srcList[i].GetPhyAddr();
    }
    sa_transpose_blocks(sa_self(), softascend::dtype<T>, dst, src, p.dstHighHalf, p.srcHighHalf,
                        p.repeatTimes, p.dstRepStride, p.srcRepStride);
}
template <class T>
SA_INLINE void TransDataTo5HD(const uint64_t dstList[16], const uint64_t srcList[16],
                              const TransDataTo5HDParams &p)
{
    void *dst[16];
    const void *src[16];
    for (int i = 0; i < 16; i++) {
        dst[i] = (void *)(uintptr_t)dstList[i];
        src[i] = (const void *)(uintptr_t)srcList[i];
    }
    sa_transpose_blocks(sa_self(), softascend::dtype<T>, dst, src, p.dstHighHalf, p.srcHighHalf,
                        p.repeatTimes, p.dstRepStride, p.srcRepStride);
}
/* The addresses lie in UB. */
template <class T>
SA_INLINE void TransDataTo5HD(const LocalTensor<uint64_t> &dst, const LocalTensor<uint64_t> &src,
                              const TransDataTo5HDParams &p)
{
    TransDataTo5HD<T>(dst.GetPhyAddr(), src.GetPhyAddr(), p);
}
} // namespace AscendC

#endif
