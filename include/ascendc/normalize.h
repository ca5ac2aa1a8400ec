/* Softmax, normalisations, top-k and quantisation of the Ascend C door (kernel_operator.h). */
#ifndef ASCENDC_NORMALIZE_H
#define ASCENDC_NORMALIZE_H

#include "ascendc/highlevel.h"
#include "ascendc/tiling_structs.h"

namespace AscendC
{
/* ---- softmax: srcM rows srcK apart, of which oriSrcM x oriSrcK are live. Sums and maxima fill a
 * block a row. */

struct SoftMaxShapeInfo {
    uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0;
};
struct SoftmaxConfig {
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0, oriSrcK = 0;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0};

namespace normalize
{
SA_INLINE SoftMaxShapeInfo shape_of(const SoftMaxShapeInfo &shape, const SoftMaxTiling &tiling)
{
    SoftMaxShapeInfo s = shape;
    if (s.srcM == 0 || s.srcK == 0) {
        s.srcM = tiling.srcM, s.srcK = tiling.srcK;
    }
    s.oriSrcM = s.oriSrcM ? s.oriSrcM : s.srcM;
    s.oriSrcK = s.oriSrcK ? s.oriSrcK : s.srcK;
    if (s.srcK == 0) {
        SA_FAULT("SoftMax: neither the tiling nor SoftMaxShapeInfo says how long a row is");
    }
    return s;
}
} // namespace normalize

template <class T, bool isReuseSource = false, bool isBasicBlock = false, auto... config, class S>
SA_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &sum,
                       const LocalTensor<S> &max, const LocalTensor<T> &src,
                       const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
    const SoftMaxShapeInfo s = normalize::shape_of(shape, tiling);
    sa_softmax(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), softascend::dtype<S>,
               sum.GetPhyAddr(), max.GetPhyAddr(), 32 / (uint32_t)sizeof(S), src.GetPhyAddr(),
               s.oriSrcM, s.oriSrcK, s.srcK);
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false, auto... config, class S>
SA_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &sum,
                       const LocalTensor<S> &max, const LocalTensor<T> &src,
                       const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling,
                       const SoftMaxShapeInfo &shape = {})
{
    const SoftMaxShapeInfo s = normalize::shape_of(shape, tiling);
    sa_softmax(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), softascend::dtype<S>,
               sum.GetPhyAddr(), max.GetPhyAddr(), 32 / (uint32_t)sizeof(S), src.GetPhyAddr(),
               s.oriSrcM, s.oriSrcK, s.srcK);
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false, auto... config>
SA_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                       const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
    const SoftMaxShapeInfo s = normalize::shape_of(shape, tiling);
    sa_softmax(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), softascend::dtype<T>, nullptr,
               nullptr, 32 / (uint32_t)sizeof(T), src.GetPhyAddr(), s.oriSrcM, s.oriSrcK, s.srcK);
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false, auto... config>
SA_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                       const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling,
                       const SoftMaxShapeInfo &shape = {})
{
    SoftMax<T, isReuseSource>(dst, src, tiling, shape);
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false, auto... config, class S>
SA_INLINE void SimpleSoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &sum,
                             const LocalTensor<S> &max, const LocalTensor<T> &src,
                             const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
    const SoftMaxShapeInfo s = normalize::shape_of(shape, tiling);
    sa_softmax_given(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), softascend::dtype<S>,
                     sum.GetPhyAddr(), max.GetPhyAddr(), 32 / (uint32_t)sizeof(S), src.GetPhyAddr(),
                     s.oriSrcM, s.oriSrcK, s.srcK);
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false, auto... config, class S>
SA_INLINE void SimpleSoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &sum,
                             const LocalTensor<S> &max, const LocalTensor<T> &src,
                             const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling,
                             const SoftMaxShapeInfo &shape = {})
{
    SimpleSoftMax<T, isReuseSource>(dst, sum, max, src, tiling, shape);
}

/* A further tile of each row; isUpdate: there is an earlier one. */
template <class T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          auto... config, class S>
SA_INLINE void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<S> &sum,
                              const LocalTensor<S> &max, const LocalTensor<T> &src,
                              const LocalTensor<T> &expMax, const LocalTensor<S> &inSum,
                              const LocalTensor<S> &inMax, const SoftMaxTiling &tiling,
                              const SoftMaxShapeInfo &shape = {})
{
    const SoftMaxShapeInfo s = normalize::shape_of(shape, tiling);
    sa_softmax_flash(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), softascend::dtype<S>,
                     sum.GetPhyAddr(), max.GetPhyAddr(), expMax.GetPhyAddr(), inSum.GetPhyAddr(),
                     inMax.GetPhyAddr(), 32 / (uint32_t)sizeof(S), src.GetPhyAddr(), s.oriSrcM,
                     s.oriSrcK, s.srcK, isUpdate);
}
template <class T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          auto... config, class S>
SA_INLINE void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<S> &sum,
                              const LocalTensor<S> &max, const LocalTensor<T> &src,
                              const LocalTensor<T> &expMax, const LocalTensor<S> &inSum,
                              const LocalTensor<S> &inMax, const LocalTensor<uint8_t> &,
                              const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
    SoftmaxFlashV2<T, isUpdate>(dst, sum, max, src, expMax, inSum, inMax, tiling, shape);
}
template <class T, bool isReuseSource = false>
SA_INLINE void LogSoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                          const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
    const SoftMaxShapeInfo s = normalize::shape_of(shape, tiling);
    sa_log_softmax(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), s.oriSrcM,
                   s.oriSrcK, s.srcK);
}

/* ---- normalisations */
} // namespace AscendC

namespace softascend
{
/* Of rows of hLength; a tiling may leave out how many of them are live. */
template <class Tiling>
SA_INLINE uint32_t live_columns(const Tiling &tiling)
{
    return tiling.originalHLength ? tiling.originalHLength : tiling.hLength;
}
} // namespace softascend

namespace AscendC
{

template <class T, bool isReuseSource = false>
SA_INLINE void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean,
                         const LocalTensor<T> &variance, const LocalTensor<T> &input,
                         const LocalTensor<T> &gamma, const LocalTensor<T> &beta, T epsilon,
                         LayerNormTiling &tiling)
{
    sa_layer_norm(sa_self(), softascend::dtype<T>, output.GetPhyAddr(), mean.GetPhyAddr(),
                  variance.GetPhyAddr(), input.GetPhyAddr(), gamma.GetPhyAddr(), beta.GetPhyAddr(),
                  (double)epsilon, tiling.bLength * tiling.sLength,
                  softascend::live_columns(tiling), tiling.hLength);
}
template <class T, bool isReuseSource = false>
SA_INLINE void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean,
                         const LocalTensor<T> &variance, const LocalTensor<T> &input,
                         const LocalTensor<T> &gamma, const LocalTensor<T> &beta,
                         const LocalTensor<uint8_t> &, T epsilon, LayerNormTiling &tiling)
{
    LayerNorm<T, isReuseSource>(output, mean, variance, input, gamma, beta, epsilon, tiling);
}
template <class T, bool isBasicBlock = false>
SA_INLINE void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                       const LocalTensor<T> &gamma, T epsilon, const RmsNormTiling &tiling)
{
    sa_rms_norm(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),
                gamma.GetPhyAddr(), (double)epsilon, tiling.bLength * tiling.sLength,
                softascend::live_columns(tiling), tiling.hLength);
}
template <class T, bool isBasicBlock = false>
SA_INLINE void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                       const LocalTensor<T> &gamma, const LocalTensor<uint8_t> &, T epsilon,
                       const RmsNormTiling &tiling)
{
    RmsNorm<T, isBasicBlock>(dst, src, gamma, epsilon, tiling);
}

/* ---- top-k of each of `outter` rows, `inner` apart, n live: k values and indices a row, each row
 * in whole blocks */

struct TopKInfo {
    int32_t outter = 1, inner = 0, n = 0;
};

template <class T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode mode = TopKMode::TOPK_NORMAL>
SA_INLINE void TopK(const LocalTensor<T> &dstValue, const LocalTensor<int32_t> &dstIndex,
                    const LocalTensor<T> &src, const LocalTensor<int32_t> &srcIndex,
                    const LocalTensor<bool> &finish, int32_t k, const TopkTiling &,
                    const TopKInfo &info, bool isLargest = true)
{
    const uint32_t values = 32 / (uint32_t)sizeof(T), n = (uint32_t)k;
    const uint32_t value_pitch =
        mode == TopKMode::TOPK_NSMALL ? n : (n + values - 1) / values * values;
    const uint32_t index_pitch = mode == TopKMode::TOPK_NSMALL ? n : (n + 7) / 8 * 8;
    for (uint32_t row = 0; row < (uint32_t)info.outter; row++) {
        if (isHasfinish && finish.GetValue(row)) {
            for (uint32_t i = 0; i < n; i++) { /* a finished row's indices are one past its end */
                dstIndex.SetValue(row * index_pitch + i, info.n);
            }
            continue;
        }
        sa_topk(sa_self(), softascend::dtype<T>, dstValue.GetPhyAddr(row * value_pitch),
                dstIndex.GetPhyAddr(row * index_pitch), src.GetPhyAddr(row * (uint32_t)info.inner),
                isInitIndex ? srcIndex.GetPhyAddr() : nullptr, 1, (uint32_t)info.n,
                (uint32_t)info.inner, n, n, isLargest);
    }
}
template <class T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode mode = TopKMode::TOPK_NORMAL>
SA_INLINE void TopK(const LocalTensor<T> &dstValue, const LocalTensor<int32_t> &dstIndex,
                    const LocalTensor<T> &src, const LocalTensor<int32_t> &srcIndex,
                    const LocalTensor<bool> &finish, const LocalTensor<uint8_t> &, int32_t k,
                    const TopkTiling &tiling, const TopKInfo &info, bool isLargest = true)
{
    TopK<T, isInitIndex, isHasfinish, isReuseSrc, mode>(dstValue, dstIndex, src, srcIndex, finish,
                                                        k, tiling, info, isLargest);
}

/* ---- quantisation */

template <class T, bool isReuseSource = false, auto... config>
SA_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, float scale,
                           float offset, uint32_t count)
{
    sa_quant(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), scale, offset,
             SA_F32, nullptr, nullptr, 1, count);
}
template <class T, bool isReuseSource = false, auto... config>
SA_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src,
                           const LocalTensor<uint8_t> &, float scale, float offset, uint32_t count)
{
    AscendQuant<T, isReuseSource>(dst, src, scale, offset, count);
}
template <class T, bool isReuseSource = false, auto... config>
SA_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, float scale,
                           float offset)
{
    AscendQuant<T, isReuseSource>(dst, src, scale, offset, src.GetSize());
}
} // namespace AscendC

#endif
