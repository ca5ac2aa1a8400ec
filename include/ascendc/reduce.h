/* Reductions of the Ascend C door (kernel_operator.h): of all elements, of each repeat, of each
 * block, of neighbours. The calls' shared buffers are the chip's to use; here nothing needs them.
 */
#ifndef ASCENDC_REDUCE_H
#define ASCENDC_REDUCE_H

#include "ascendc/elementwise.h"

namespace softascend
{
/* What GetAccVal and GetReduceMaxMinCount read. */
template <class T>
SA_INLINE void keep_sum(const AscendC::LocalTensor<T> &dst)
{
    if ((uintptr_t)dst.GetPhyAddr() >> 20) {
        std::memcpy(&state().sum_bits, dst.GetPhyAddr(), sizeof(T));
    }
}
template <class T>
SA_INLINE void keep_extreme(const AscendC::LocalTensor<T> &dst, bool index,
                            bool index_first = false)
{
    if (!((uintptr_t)dst.GetPhyAddr() >> 20)) {
        return; /* an offset, no address */
    }
    std::memcpy(&state().extreme_bits, dst.GetPhyAddr(index_first), sizeof(T));
    if (index) {
        state().extreme_index = 0;
        std::memcpy(&state().extreme_index, dst.GetPhyAddr(!index_first), sizeof(T));
    }
}
} // namespace softascend

namespace AscendC
{
template <class T, bool isSetMask = true>
SA_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                         const LocalTensor<T> &, int32_t count)
{
    sa_reduce_sum(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),
                  (uint32_t)count);
    softascend::keep_sum(dst);
}
#define SA_DOOR_REDUCE_SUM(Mask, ...)                                                              \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,                 \
                             const LocalTensor<T> &, Mask mask, int32_t repeatTimes,               \
                             int32_t srcRepStride)                                                 \
    {                                                                                              \
        sa_repeat r = softascend::lanes<true>(mask, (uint32_t)repeatTimes, sa_stride{1, 8},        \
                                              sa_stride{1, (uint32_t)srcRepStride});               \
        sa_reduce_sum_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),  \
                             &r);                                                                  \
        softascend::keep_sum(dst);                                                                 \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_REDUCE_SUM, )

/* With calIndex dst[1] is the index, as bits of an unsigned integer of T's size. */
#define SA_DOOR_REDUCE_EXTREME_REPEAT(Mask, Name, name)                                            \
    template <class T>                                                                             \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                        const LocalTensor<T> &, Mask mask, int32_t repeatTimes,                    \
                        int32_t srcRepStride, bool calIndex = false)                               \
    {                                                                                              \
        sa_repeat r = softascend::lanes<true>(mask, (uint32_t)repeatTimes, sa_stride{1, 8},        \
                                              sa_stride{1, (uint32_t)srcRepStride});               \
        sa_reduce_##name##_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(),               \
                                  src.GetPhyAddr(), calIndex, &r);                                 \
        softascend::keep_extreme(dst, calIndex);                                                   \
    }
#define SA_DOOR_REDUCE_EXTREME(Name, name)                                                         \
    template <class T>                                                                             \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                        const LocalTensor<T> &, int32_t count, bool calIndex = false)              \
    {                                                                                              \
        (calIndex ? sa_reduce_##name##_index : sa_reduce_##name)(                                  \
            sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), (uint32_t)count); \
        softascend::keep_extreme(dst, calIndex);                                                   \
    }                                                                                              \
    SA_DOOR_BOTH_MASKS(SA_DOOR_REDUCE_EXTREME_REPEAT, Name, name)
SA_DOOR_REDUCE_EXTREME(ReduceMax, max)
SA_DOOR_REDUCE_EXTREME(ReduceMin, min)

/* ---- one result a repeat */

#define SA_DOOR_WHOLE(Mask, ...)                                                                   \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask, \
                                  int32_t repeatTimes, int32_t dstRepStride, int32_t srcBlkStride, \
                                  int32_t srcRepStride)                                            \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(                                                \
            mask, (uint32_t)repeatTimes, sa_stride{1, (uint32_t)dstRepStride},                     \
            sa_stride{(uint32_t)srcBlkStride, (uint32_t)srcRepStride});                            \
        sa_whole_sum(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), &r);     \
        softascend::keep_sum(dst);                                                                 \
    }                                                                                              \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,           \
                                   int32_t repeatTimes, Mask mask, int32_t, int32_t srcBlkStride,  \
                                   int32_t dstRepStride, int32_t srcRepStride)                     \
    {                                                                                              \
        WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTimes, dstRepStride, srcBlkStride,      \
                                     srcRepStride);                                                \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_WHOLE, )

#define SA_DOOR_WHOLE_EXTREME(Mask, Name, name)                                                    \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask,           \
                        int32_t repeatTimes, int32_t dstRepStride, int32_t srcBlkStride,           \
                        int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)  \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(                                                \
            mask, (uint32_t)repeatTimes, sa_stride{1, (uint32_t)dstRepStride},                     \
            sa_stride{(uint32_t)srcBlkStride, (uint32_t)srcRepStride});                            \
        sa_whole_##name(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),       \
                        (sa_index_order)order, &r);                                                \
        if (order <= ReduceOrder::ORDER_INDEX_VALUE) {                                             \
            softascend::keep_extreme(dst, true, order == ReduceOrder::ORDER_INDEX_VALUE);          \
        }                                                                                          \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_WHOLE_EXTREME, WholeReduceMax, max)
SA_DOOR_BOTH_MASKS(SA_DOOR_WHOLE_EXTREME, WholeReduceMin, min)

/* ---- one result a block, or a pair */

#define SA_DOOR_BLOCK(Mask, Name, name)                                                            \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeatTimes, \
                        Mask mask, int32_t dstRepStride, int32_t srcBlkStride,                     \
                        int32_t srcRepStride)                                                      \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(                                                \
            mask, (uint32_t)repeatTimes, sa_stride{1, (uint32_t)dstRepStride},                     \
            sa_stride{(uint32_t)srcBlkStride, (uint32_t)srcRepStride});                            \
        sa_##name(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), &r);        \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_BLOCK, BlockReduceSum, block_sum)
SA_DOOR_BOTH_MASKS(SA_DOOR_BLOCK, BlockReduceMax, block_max)
SA_DOOR_BOTH_MASKS(SA_DOOR_BLOCK, BlockReduceMin, block_min)
SA_DOOR_BOTH_MASKS(SA_DOOR_BLOCK, PairReduceSum, pair_sum)

#undef SA_DOOR_REDUCE_SUM
#undef SA_DOOR_REDUCE_EXTREME
#undef SA_DOOR_REDUCE_EXTREME_REPEAT
#undef SA_DOOR_WHOLE
#undef SA_DOOR_WHOLE_EXTREME
#undef SA_DOOR_BLOCK
} // namespace AscendC

#endif
