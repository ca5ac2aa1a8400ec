/* Sorting of the Ascend C door (kernel_operator.h). A sorted run is pairs of 8 bytes, value and
 * index; a half takes 4 of them, so that a run of n is n * 2 floats or n * 4 halves. */
#ifndef ASCENDC_SORT_H
#define ASCENDC_SORT_H

#include "ascendc/elementwise.h"

namespace softascend
{
/* Elements of T that a pair takes. */
template <class T>
constexpr uint32_t pair_elements = 8 / (uint32_t)sizeof(T);
} // namespace softascend

namespace AscendC
{
template <class T>
struct MrgSortSrcList {
    SA_INLINE MrgSortSrcList() {}
    SA_INLINE MrgSortSrcList(const LocalTensor<T> &a, const LocalTensor<T> &b,
                             const LocalTensor<T> &c, const LocalTensor<T> &d)
        : src1(a), src2(b), src3(c), src4(d)
    {
    }

    LocalTensor<T> src1, src2, src3, src4;
};

/* Each repeat sorts 32 values with their indices, highest first. */
template <class T>
SA_INLINE void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                      const LocalTensor<uint32_t> &src1, int32_t repeatTimes)
{
    sa_sort32(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src0.GetPhyAddr(),
              src1.GetPhyAddr(), (uint32_t)repeatTimes);
}

/* Merges up to four runs; validBit says which. */
template <class T>
SA_INLINE void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &list,
                       const MrgSort4Info &p)
{
    const void *runs[4] = {list.src1.GetPhyAddr(), list.src2.GetPhyAddr(), list.src3.GetPhyAddr(),
                           list.src4.GetPhyAddr()};
    uint32_t counts[4];
    for (int i = 0; i < 4; i++) {
        counts[i] = p.validBit >> i & 1 ? p.elementLengths[i] : 0;
    }
    sa_merge4(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), runs, counts,
              p.ifExhaustedSuspension, p.repeatTimes, softascend::state().taken);
}
template <class T, bool isExhaustedSuspension = false>
SA_INLINE void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &list,
                       const uint16_t elementCountList[4], uint32_t sortedNum[4], uint16_t validBit,
                       int32_t repeatTimes)
{
    MrgSort(dst, list,
            MrgSort4Info(elementCountList, isExhaustedSuspension, validBit, (uint16_t)repeatTimes));
    for (int i = 0; i < 4; i++) {
        sortedNum[i] = softascend::state().taken[i];
    }
}
template <class T>
SA_INLINE void MrgSort4(const LocalTensor<T> &dst, const MrgSortSrcList<T> &list,
                        const MrgSort4Info &p)
{
    MrgSort(dst, list, p);
}
SA_INLINE void GetMrgSortResult(uint16_t &n1, uint16_t &n2, uint16_t &n3, uint16_t &n4)
{
    const uint32_t *taken = softascend::state().taken;
    n1 = (uint16_t)taken[0], n2 = (uint16_t)taken[1];
    n3 = (uint16_t)taken[2], n4 = (uint16_t)taken[3];
}

/* What Sort sorts; the values as they are on this architecture. */
template <class T>
SA_INLINE void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &,
                      int32_t)
{
    concat = src;
}
/* Runs of 32 a repeat; with isFullSort one run of repeatTimes * 32. */
template <class T, bool isFullSort>
SA_INLINE void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat,
                    const LocalTensor<uint32_t> &index, const LocalTensor<T> &, int32_t repeatTimes)
{
    if constexpr (isFullSort) {
        sa_sort(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), concat.GetPhyAddr(),
                index.GetPhyAddr(), (uint32_t)repeatTimes * 32);
    } else {
        Sort32(dst, concat, index, repeatTimes);
    }
}
template <class T>
SA_INLINE void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex,
                       const LocalTensor<T> &sorted, int32_t repeatTimes)
{
    sa_extract(sa_self(), softascend::dtype<T>, dstValue.GetPhyAddr(), dstIndex.GetPhyAddr(),
               sorted.GetPhyAddr(), (uint32_t)repeatTimes * 32);
}
template <class T>
SA_INLINE uint32_t GetSortOffset(uint32_t elemOffset)
{
    return elemOffset * softascend::pair_elements<T>;
}
template <class T>
SA_INLINE uint32_t GetSortLen(uint32_t elemCount)
{
    return elemCount * softascend::pair_elements<T>;
}
} // namespace AscendC

#endif
