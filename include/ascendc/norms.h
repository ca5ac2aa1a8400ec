/* Normalisations beyond LayerNorm and RmsNorm, their gradients, and Welford's running statistics,
 * of the Ascend C door (kernel_operator.h). */
#ifndef ASCENDC_NORMS_H
#define ASCENDC_NORMS_H

#include "ascendc/softmax.h"

namespace AscendC
{
/* ---- layer norm: from mean and variance, and the other way */

struct LayerNormGradShapeInfo {
    DataFormat dataFormat = DataFormat::ND;
};

#define SA_DOOR_LAYER_GRAD(...)                                                                    \
    template <class T, bool isReuseSource = false>                                                 \
    SA_INLINE void LayerNormGrad(                                                                  \
        const LocalTensor<T> &outputPdX, const LocalTensor<T> &resForGamma,                        \
        const LocalTensor<T> &inputDy, const LocalTensor<T> &inputX,                               \
        const LocalTensor<T> &inputVariance, const LocalTensor<T> &inputMean,                      \
        const LocalTensor<T> &inputGamma, __VA_ARGS__ T epsilon,                                   \
        const LayerNormGradTiling &tiling, const LayerNormGradShapeInfo & = {})                    \
    {                                                                                              \
        sa_layer_norm_grad(                                                                        \
            sa_self(), softascend::dtype<T>, outputPdX.GetPhyAddr(), resForGamma.GetPhyAddr(),     \
            inputDy.GetPhyAddr(), inputX.GetPhyAddr(), inputVariance.GetPhyAddr(),                 \
            inputMean.GetPhyAddr(), inputGamma.GetPhyAddr(), (double)epsilon,                      \
            tiling.bLength *tiling.sLength, softascend::live_columns(tiling), tiling.hLength);     \
    }                                                                                              \
    template <class T, bool isReuseSource = false>                                                 \
    SA_INLINE void LayerNormGradBeta(                                                              \
        const LocalTensor<T> &outputPdGamma, const LocalTensor<T> &outputPdBeta,                   \
        const LocalTensor<T> &resForGamma, const LocalTensor<T> &inputDy,                          \
        __VA_ARGS__ const LayerNormGradBetaTiling &tiling)                                         \
    {                                                                                              \
        sa_layer_norm_grad_beta(sa_self(), softascend::dtype<T>, outputPdGamma.GetPhyAddr(),       \
                                outputPdBeta.GetPhyAddr(), resForGamma.GetPhyAddr(),               \
                                inputDy.GetPhyAddr(), tiling.bLength *tiling.sLength,              \
                                softascend::live_columns(tiling), tiling.hLength);                 \
    }
SA_DOOR_BOTH_BUFFERS(SA_DOOR_LAYER_GRAD)
#undef SA_DOOR_LAYER_GRAD

struct NormalizePara {
    uint32_t aLength = 0, rLength = 0, rLengthWithPadding = 0;
};
struct NormalizeConfig {
    ReducePattern reducePattern = ReducePattern::AR;
    int32_t aLength = -1;
    bool isNoBeta = false, isNoGamma = false, isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {};

#define SA_DOOR_NORMALIZE(...)                                                                     \
    template <class U, class T, bool isReuseSource = false,                                        \
              const NormalizeConfig &config = NLCFG_NORM>                                          \
    SA_INLINE void Normalize(                                                                      \
        const LocalTensor<T> &output, const LocalTensor<float> &outputRstd,                        \
        const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,              \
        const LocalTensor<T> &inputX, const LocalTensor<U> &gamma, const LocalTensor<U> &beta,     \
        __VA_ARGS__ float epsilon, const NormalizePara &p)                                         \
    {                                                                                              \
        sa_normalize(sa_self(), softascend::dtype<T>, output.GetPhyAddr(),                         \
                     outputRstd.GetPhyAddr(), inputMean.GetPhyAddr(), inputVariance.GetPhyAddr(),  \
                     inputX.GetPhyAddr(), softascend::dtype<U>,                                    \
                     config.isNoGamma ? nullptr : gamma.GetPhyAddr(),                              \
                     config.isNoBeta ? nullptr : beta.GetPhyAddr(), epsilon, p.aLength, p.rLength, \
                     p.rLengthWithPadding);                                                        \
    }
SA_DOOR_BOTH_BUFFERS(SA_DOOR_NORMALIZE)
#undef SA_DOOR_NORMALIZE

/* ---- over the batch, over groups of channels */

#define SA_DOOR_NORMS(...)                                                                         \
    template <class T, bool isReuseSource = false, bool isBasicBlock = false>                      \
    SA_INLINE void BatchNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,       \
                             const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,   \
                             const LocalTensor<T> &gamm, const LocalTensor<T> &beta,               \
                             __VA_ARGS__ T epsilon, const BatchNormTiling &tiling)                 \
    {                                                                                              \
        sa_batch_norm(sa_self(), softascend::dtype<T>, output.GetPhyAddr(),                        \
                      outputMean.GetPhyAddr(), outputVariance.GetPhyAddr(), inputX.GetPhyAddr(),   \
                      gamm.GetPhyAddr(), beta.GetPhyAddr(), (double)epsilon,                       \
                      tiling.originalBLength, tiling.meanVarSize, tiling.meanVarSize);             \
    }                                                                                              \
    template <class T, bool isReuseSource = false>                                                 \
    SA_INLINE void GroupNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,       \
                             const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,   \
                             const LocalTensor<T> &gamma, const LocalTensor<T> &beta,              \
                             __VA_ARGS__ T epsilon, const GroupNormTiling &tiling)                 \
    {                                                                                              \
        sa_group_norm(sa_self(), softascend::dtype<T>, output.GetPhyAddr(),                        \
                      outputMean.GetPhyAddr(), outputVariance.GetPhyAddr(), inputX.GetPhyAddr(),   \
                      gamma.GetPhyAddr(), beta.GetPhyAddr(), (double)epsilon, tiling.n, tiling.g,  \
                      tiling.d, tiling.hw, tiling.hwAlignSize);                                    \
    }                                                                                              \
    /* layer norm of alpha * src + gx */                                                           \
    template <class T, bool isReuseSrc = false, bool isBasicBlock = false>                         \
    SA_INLINE void DeepNorm(                                                                       \
        const LocalTensor<T> &dst, const LocalTensor<T> &mean, const LocalTensor<T> &rstd,         \
        const LocalTensor<T> &src, const LocalTensor<T> &gx, const LocalTensor<T> &beta,           \
        const LocalTensor<T> &gamma, __VA_ARGS__ T alpha, T epsilon, const DeepNormTiling &tiling) \
    {                                                                                              \
        const uint32_t rows = tiling.bLength * tiling.sLength, n = rows * tiling.hLength;          \
        sa_muls(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),               \
                (double)alpha, n);                                                                 \
        sa_barrier(sa_self(), SA_PIPE_V);                                                          \
        sa_add(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), dst.GetPhyAddr(),                \
               gx.GetPhyAddr(), n);                                                                \
        sa_barrier(sa_self(), SA_PIPE_V);                                                          \
        sa_layer_norm(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), mean.GetPhyAddr(),        \
                      rstd.GetPhyAddr(), dst.GetPhyAddr(), gamma.GetPhyAddr(), beta.GetPhyAddr(),  \
                      (double)epsilon, rows, softascend::live_columns(tiling), tiling.hLength);    \
    }
SA_DOOR_BOTH_BUFFERS(SA_DOOR_NORMS)
#undef SA_DOOR_NORMS

/* ---- Welford */

struct WelfordUpdateParam {
    uint32_t rnLength = 1, abLength = 0, abComputeLength = 0;
    float nRec = 0;
};
struct WelfordUpdateConfig {
    bool isInplace = false;
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};
struct WelfordFinalizePara {
    uint32_t rnLength = 1, abLength = 0, headCount = 0, headCountLength = 0, tailCount = 0,
             tailCountLength = 0;
    float abRec = 0, rRec = 0;
};

#define SA_DOOR_WELFORD(...)                                                                       \
    template <class T, class U, bool isReuseSource = false,                                        \
              const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>                            \
    SA_INLINE void WelfordUpdate(                                                                  \
        const LocalTensor<U> &outputMean, const LocalTensor<U> &outputVariance,                    \
        const LocalTensor<U> &inputMean, const LocalTensor<U> &inputVariance,                      \
        const LocalTensor<T> &inputX, __VA_ARGS__ const WelfordUpdateParam &p)                     \
    {                                                                                              \
        static_assert(std::is_same_v<U, float>, "WelfordUpdate: mean and variance are float");     \
        sa_welford_update(sa_self(), softascend::dtype<T>, outputMean.GetPhyAddr(),                \
                          outputVariance.GetPhyAddr(), inputMean.GetPhyAddr(),                     \
                          inputVariance.GetPhyAddr(), inputX.GetPhyAddr(), p.nRec,                 \
                          p.abComputeLength);                                                      \
    }                                                                                              \
    /* each of abLength statistics is of as many elements as `counts` says */                      \
    template <bool isReuseSource = false>                                                          \
    SA_INLINE void WelfordFinalize(                                                                \
        const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,            \
        const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,              \
        const LocalTensor<int32_t> &counts, __VA_ARGS__ const WelfordFinalizePara &p)              \
    {                                                                                              \
        sa_welford_finalize(sa_self(), outputMean.GetPhyAddr(), outputVariance.GetPhyAddr(),       \
                            inputMean.GetPhyAddr(), inputVariance.GetPhyAddr(),                    \
                            counts.GetPhyAddr(), 0, p.rRec, p.abLength);                           \
    }                                                                                              \
    /* all of equally many: rnLength */                                                            \
    template <bool isReuseSource = false>                                                          \
    SA_INLINE void WelfordFinalize(                                                                \
        const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,            \
        const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,              \
        __VA_ARGS__ const WelfordFinalizePara &p)                                                  \
    {                                                                                              \
        if (p.tailCount != 0) {                                                                    \
            SA_FAULT("WelfordFinalize: unequal counts (head %u, tail %u) need the tensor of "      \
                     "counts",                                                                     \
                     p.headCount, p.tailCount);                                                    \
        }                                                                                          \
        sa_welford_finalize(sa_self(), outputMean.GetPhyAddr(), outputVariance.GetPhyAddr(),       \
                            inputMean.GetPhyAddr(), inputVariance.GetPhyAddr(), nullptr,           \
                            p.rnLength, p.rRec, p.abLength);                                       \
    }
SA_DOOR_BOTH_BUFFERS(SA_DOOR_WELFORD)
#undef SA_DOOR_WELFORD
} // namespace AscendC

#endif
