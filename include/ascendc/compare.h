/* Comparisons, selection and the mask registers of the Ascend C door (kernel_operator.h). */
#ifndef ASCENDC_COMPARE_H
#define ASCENDC_COMPARE_H

#include "ascendc/elementwise.h"

namespace AscendC
{
/* ---- mask registers */

SA_INLINE void SetMaskCount()
{
    sa_mask_mode(sa_self(), true);
}
SA_INLINE void SetMaskNorm()
{
    sa_mask_mode(sa_self(), false);
}
template <class T, MaskMode mode = MaskMode::NORMAL>
SA_INLINE void SetVectorMask(uint64_t maskHigh, uint64_t maskLow)
{
    const uint64_t mask[2] = {maskLow, maskHigh};
    sa_mask_set(sa_self(), mask);
}
template <class T, MaskMode mode = MaskMode::NORMAL>
SA_INLINE void SetVectorMask(int32_t len)
{
    uint64_t mask[2] = {(uint64_t)len, 0};
    if constexpr (mode == MaskMode::NORMAL) {
        sa_mask_first(mask, (uint32_t)len);
    }
    sa_mask_set(sa_self(), mask);
}
SA_INLINE void ResetMask()
{
    const uint64_t mask[2] = {~(uint64_t)0, ~(uint64_t)0};
    sa_mask_set(sa_self(), mask);
}

/* ---- compare: bits into dst */

template <class T, class U>
SA_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                       const LocalTensor<T> &src1, CMPMODE mode, uint32_t count)
{
    sa_compare(sa_self(), softascend::dtype<T>, (sa_cmp)mode, dst.GetPhyAddr(), src0.GetPhyAddr(),
               src1.GetPhyAddr(), count);
}
template <class T, class U, bool isSetMask = true>
SA_INLINE void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                             softascend::same_t<T> scalar, CMPMODE mode, uint32_t count)
{
    sa_compares(sa_self(), softascend::dtype<T>, (sa_cmp)mode, dst.GetPhyAddr(), src0.GetPhyAddr(),
                (double)scalar, count);
}
#define SA_DOOR_COMPARE(Mask, ...)                                                                 \
    template <class T, class U, bool isSetMask = true>                                             \
    SA_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,                  \
                           const LocalTensor<T> &src1, CMPMODE mode, Mask mask,                    \
                           uint8_t repeatTimes, const BinaryRepeatParams &params)                  \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        sa_compare_repeat(sa_self(), softascend::dtype<T>, (sa_cmp)mode, dst.GetPhyAddr(),         \
                          src0.GetPhyAddr(), src1.GetPhyAddr(), &r);                               \
    }                                                                                              \
    /* into the compare register */                                                                \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,   \
                           Mask mask, const BinaryRepeatParams &params)                            \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, 1, params);                               \
        sa_compare_repeat(sa_self(), softascend::dtype<T>, (sa_cmp)mode, nullptr,                  \
                          src0.GetPhyAddr(), src1.GetPhyAddr(), &r);                               \
    }                                                                                              \
    template <class T, class U, bool isSetMask = true>                                             \
    SA_INLINE void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0,            \
                                 softascend::same_t<T> scalar, CMPMODE mode, Mask mask,            \
                                 uint8_t repeatTimes, const UnaryRepeatParams &params)             \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        sa_compares_repeat(sa_self(), softascend::dtype<T>, (sa_cmp)mode, dst.GetPhyAddr(),        \
                           src0.GetPhyAddr(), (double)scalar, &r);                                 \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_COMPARE, )

template <class T>
SA_INLINE void SetCmpMask(const LocalTensor<T> &src)
{
    sa_cmp_mask_set(sa_self(), src.GetPhyAddr());
}
template <class T>
SA_INLINE void GetCmpMask(const LocalTensor<T> &dst)
{
    sa_cmp_mask_get(sa_self(), dst.GetPhyAddr());
}

/* ---- select by bits. VSEL_CMPMASK_SPR: every repeat uses the same bits. */

template <class T, class U>
SA_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                      const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE mode,
                      uint32_t count)
{
    if (mode != SELMODE::VSEL_CMPMASK_SPR) {
        sa_select(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), selMask.GetPhyAddr(),
                  src0.GetPhyAddr(), src1.GetPhyAddr(), count);
        return;
    }
    const sa_repeat r = {{count, 0}, true, 1, {1, 8}, {1, 8}, {1, 8}};
    sa_select_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), selMask.GetPhyAddr(), true,
                     src0.GetPhyAddr(), src1.GetPhyAddr(), &r);
}
template <class T, class U>
SA_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                      const LocalTensor<T> &src0, softascend::same_t<T> src1, SELMODE,
                      uint32_t count)
{
    sa_selects(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), selMask.GetPhyAddr(),
               src0.GetPhyAddr(), (double)src1, count);
}
#define SA_DOOR_SELECT(Mask, ...)                                                                  \
    template <class T, class U, bool isSetMask = true>                                             \
    SA_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,                \
                          const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE mode,    \
                          Mask mask, uint8_t repeatTimes, const BinaryRepeatParams &params)        \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        sa_select_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), selMask.GetPhyAddr(),  \
                         mode == SELMODE::VSEL_CMPMASK_SPR, src0.GetPhyAddr(), src1.GetPhyAddr(),  \
                         &r);                                                                      \
    }                                                                                              \
    template <class T, class U, bool isSetMask = true>                                             \
    SA_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,                \
                          const LocalTensor<T> &src0, softascend::same_t<T> src1, SELMODE,         \
                          Mask mask, uint8_t repeatTimes, const BinaryRepeatParams &params)        \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        sa_selects_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), selMask.GetPhyAddr(), \
                          false, src0.GetPhyAddr(), (double)src1, &r);                             \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_SELECT, )

/* By the mask registers and the compare register as they are. */
template <class T, SELMODE mode = SELMODE::VSEL_CMPMASK_SPR>
SA_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                      const LocalTensor<T> &src1, int32_t repeatTimes,
                      const BinaryRepeatParams &params)
{
    sa_repeat r = softascend::lanes<false>((uint64_t)0, (uint32_t)repeatTimes, params);
    sa_select_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), nullptr, true,
                     src0.GetPhyAddr(), src1.GetPhyAddr(), &r);
}
#undef SA_DOOR_COMPARE
#undef SA_DOOR_SELECT
} // namespace AscendC

#endif
