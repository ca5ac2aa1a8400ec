/* Softmax beyond its plain forms, of the Ascend C door (kernel_operator.h): tiles of a row one
 * after the other, gradients, and rows that hold nothing. */
#ifndef ASCENDC_SOFTMAX_H
#define ASCENDC_SOFTMAX_H

#include "ascendc/normalize.h"

/* A call that takes a temporary buffer before the parameters of its shape, or none: FORM(, ) and
 * FORM(the buffer's parameter). */
#define SA_DOOR_BOTH_BUFFERS(FORM)                                                                 \
    FORM()                                                                                         \
    FORM(const LocalTensor<uint8_t> &, )

namespace AscendC
{
/* dst is divided by the sum that the tiles so far have; expMax is what earlier tiles' results are
 * to be multiplied with. */
#define SA_DOOR_FLASH(...)                                                                         \
    template <class T, bool isReuseSource = false, bool isBasicBlock = false, class S>             \
    SA_INLINE void SoftmaxFlash(                                                                   \
        const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,           \
        const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<S> &inSum,      \
        const LocalTensor<S> &inMax, __VA_ARGS__ const SoftMaxTiling &tiling,                      \
        bool isUpdate = false, const SoftMaxShapeInfo &shape = {})                                 \
    {                                                                                              \
        const SoftMaxShapeInfo s = normalize::shape_of(shape, tiling);                             \
        sa_softmax_flash_ratio(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(),                  \
                               softascend::dtype<S>, sum.GetPhyAddr(), max.GetPhyAddr(),           \
                               expMax.GetPhyAddr(), inSum.GetPhyAddr(), inMax.GetPhyAddr(),        \
                               32 / (uint32_t)sizeof(S), src.GetPhyAddr(), s.oriSrcM, s.oriSrcK,   \
                               s.srcK, isUpdate);                                                  \
    }
SA_DOOR_BOTH_BUFFERS(SA_DOOR_FLASH)
#undef SA_DOOR_FLASH

/* grad: of the result; src: the softmax. isFront: only the rows' sums of their product. */
#define SA_DOOR_GRAD(...)                                                                          \
    template <class T, bool isReuseSource = false, bool isDataFormatNZ = false>                    \
    SA_INLINE void SoftmaxGrad(const LocalTensor<T> &dst, const LocalTensor<T> &grad,              \
                               const LocalTensor<T> &src, __VA_ARGS__ const SoftMaxTiling &tiling, \
                               bool isFront = false, const SoftMaxShapeInfo &shape = {})           \
    {                                                                                              \
        static_assert(!isDataFormatNZ, "SoftmaxGrad: rows only, no NZ format");                    \
        const SoftMaxShapeInfo s = normalize::shape_of(shape, tiling);                             \
        sa_softmax_grad(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), grad.GetPhyAddr(),      \
                        src.GetPhyAddr(), s.oriSrcM, s.oriSrcK, s.srcK, isFront);                  \
    }                                                                                              \
    template <class T, bool isBasicBlock = false, bool isDataFormatNZ = false>                     \
    SA_INLINE void SoftmaxGradFront(                                                               \
        const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,          \
        __VA_ARGS__ const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})               \
    {                                                                                              \
        static_assert(!isDataFormatNZ, "SoftmaxGradFront: rows only, no NZ format");               \
        const SoftMaxShapeInfo s = normalize::shape_of(shape, tiling);                             \
        sa_softmax_grad(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), grad.GetPhyAddr(),      \
                        src.GetPhyAddr(), s.oriSrcM, s.oriSrcK, s.srcK, true);                     \
    }
SA_DOOR_BOTH_BUFFERS(SA_DOOR_GRAD)
#undef SA_DOOR_GRAD

template <class T, bool isReuseSource = false>
SA_INLINE void LogSoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                          const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling,
                          const SoftMaxShapeInfo &shape = {})
{
    LogSoftMax<T, isReuseSource>(dst, src, tiling, shape);
}

/* Rows whose maximum is `from` (bits) hold `to` afterwards; says whether there was one. */
template <class T, class S, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
SA_INLINE bool AdjustSoftMaxRes(const LocalTensor<T> &softMaxRes, const LocalTensor<S> &max,
                                uint32_t from, softascend::same_t<T> to, const SoftMaxShapeInfo &s)
{
    static_assert(!isDataFormatNZ, "AdjustSoftMaxRes: rows only, no NZ format");
    return sa_softmax_adjust(
        sa_self(), softascend::dtype<T>, softMaxRes.GetPhyAddr(), softascend::dtype<S>,
        max.GetPhyAddr(), stepSizeMode ? 1 : 32 / (uint32_t)sizeof(S), from, (double)to,
        s.oriSrcM ? s.oriSrcM : s.srcM, s.oriSrcK ? s.oriSrcK : s.srcK, s.srcK);
}
} // namespace AscendC

#endif
