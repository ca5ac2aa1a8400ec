/* What tiling functions on the host ask about high-level functions (tiling/tiling_api.h): how much
 * room for temporaries a call wants, and the structures that some calls take. Calls here need no
 * temporaries, so the room is one block of 32 bytes; the structures hold the shapes, which is what
 * calls here read. On a chip the same questions get the chip's answers. Names: the vendor's public
 * documentation. */
#ifndef ASCENDC_TILING_FUNCTION_TILING_H
#define ASCENDC_TILING_FUNCTION_TILING_H

#include "ascendc/tiling/platform/platform_ascendc.h"
#include "ascendc/tiling_structs.h"

#include <cstdint>
#include <vector>

namespace ge
{
/* Of the host's tiling functions; -1 where a dimension does not exist. */
class Shape
{
  public:
    Shape() = default;
    explicit Shape(const std::vector<int64_t> &dims) : dims_(dims) {}
    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t i) const { return i < dims_.size() ? dims_[i] : -1; }
    std::vector<int64_t> GetDims() const { return dims_; }
    int64_t GetShapeSize() const
    {
        int64_t size = 1;
        for (int64_t dim : dims_) {
            size *= dim;
        }
        return size;
    }

  private:
    std::vector<int64_t> dims_;
};
} // namespace ge

namespace softascend
{
constexpr uint32_t no_temporaries = 32;

template <class Shape>
uint32_t last_dim(const Shape &shape)
{
    return shape.GetDimNum() ? (uint32_t)shape.GetDim(shape.GetDimNum() - 1) : 1;
}
template <class Shape>
uint32_t rows_of(const Shape &shape)
{
    return last_dim(shape) ? (uint32_t)(shape.GetShapeSize() / last_dim(shape)) : 0;
}
/* [B, S, H] of shapes with two to four dimensions: what is before the last two is B. */
template <class Shape, class Tiling>
void batch_rows(const Shape &shape, const Shape &origin, Tiling &tiling)
{
    const size_t n = shape.GetDimNum();
    tiling = {};
    tiling.sLength = n > 1 ? (uint32_t)shape.GetDim(n - 2) : 1;
    tiling.hLength = last_dim(shape);
    tiling.bLength = tiling.sLength ? rows_of(shape) / tiling.sLength : 0;
    tiling.originalHLength = last_dim(origin);
}
inline void no_room(uint32_t &max, uint32_t &min)
{
    max = min = no_temporaries;
}
} // namespace softascend

namespace AscendC
{
/* ---- elementwise functions: (shape, bytes of an element, isReuseSource, max, min) */

#define SA_TMP_SIZE(Name)                                                                          \
    template <class Shape>                                                                         \
    void Get##Name##MaxMinTmpSize(const Shape &, uint32_t, bool, uint32_t &maxValue,               \
                                  uint32_t &minValue)                                              \
    {                                                                                              \
        softascend::no_room(maxValue, minValue);                                                   \
    }                                                                                              \
    /* how many times a call's own temporaries an element costs, and what stays */                 \
    inline void Get##Name##TmpBufferFactorSize(uint32_t, uint32_t &maxLiveNodeCnt,                 \
                                               uint32_t &extraBuf)                                 \
    {                                                                                              \
        maxLiveNodeCnt = 0;                                                                        \
        extraBuf = softascend::no_temporaries;                                                     \
    }
#define SA_TMP_SIZES                                                                               \
    SA_TMP_SIZE(Sigmoid)                                                                           \
    SA_TMP_SIZE(Tanh)                                                                              \
    SA_TMP_SIZE(Sin)                                                                               \
    SA_TMP_SIZE(Cos)                                                                               \
    SA_TMP_SIZE(Tan)                                                                               \
    SA_TMP_SIZE(Asin)                                                                              \
    SA_TMP_SIZE(Acos)                                                                              \
    SA_TMP_SIZE(Atan)                                                                              \
    SA_TMP_SIZE(Sinh)                                                                              \
    SA_TMP_SIZE(Cosh)                                                                              \
    SA_TMP_SIZE(Asinh)                                                                             \
    SA_TMP_SIZE(Acosh)                                                                             \
    SA_TMP_SIZE(Atanh)                                                                             \
    SA_TMP_SIZE(Erf)                                                                               \
    SA_TMP_SIZE(Erfc)                                                                              \
    SA_TMP_SIZE(Exp)                                                                               \
    SA_TMP_SIZE(Log)                                                                               \
    SA_TMP_SIZE(Log2)                                                                              \
    SA_TMP_SIZE(Log10)                                                                             \
    SA_TMP_SIZE(Floor)                                                                             \
    SA_TMP_SIZE(Ceil)                                                                              \
    SA_TMP_SIZE(Round)                                                                             \
    SA_TMP_SIZE(Trunc)                                                                             \
    SA_TMP_SIZE(Frac)                                                                              \
    SA_TMP_SIZE(Sign)                                                                              \
    SA_TMP_SIZE(Lgamma)                                                                            \
    SA_TMP_SIZE(Digamma)                                                                           \
    SA_TMP_SIZE(Xor)                                                                               \
    SA_TMP_SIZE(Fmod)                                                                              \
    SA_TMP_SIZE(Clamp)                                                                             \
    SA_TMP_SIZE(Axpy)                                                                              \
    SA_TMP_SIZE(GeGLU)                                                                             \
    SA_TMP_SIZE(ReGlu)                                                                             \
    SA_TMP_SIZE(SwiGLU)                                                                            \
    SA_TMP_SIZE(Silu)                                                                              \
    SA_TMP_SIZE(Swish)                                                                             \
    SA_TMP_SIZE(AscendQuant)                                                                       \
    SA_TMP_SIZE(AscendAntiQuant)                                                                   \
    SA_TMP_SIZE(LayerNorm)                                                                         \
    SA_TMP_SIZE(LayerNormGrad)                                                                     \
    SA_TMP_SIZE(LayerNormGradBeta)                                                                 \
    SA_TMP_SIZE(ReduceSum)                                                                         \
    SA_TMP_SIZE(ReduceMax)                                                                         \
    SA_TMP_SIZE(ReduceMin)                                                                         \
    SA_TMP_SIZE(ReduceProd)                                                                        \
    SA_TMP_SIZE(ReduceAny)                                                                         \
    SA_TMP_SIZE(ReduceAll)                                                                         \
    SA_TMP_SIZE(ReduceMean)
SA_TMP_SIZES
#undef SA_TMP_SIZES
#undef SA_TMP_SIZE

template <class Shape>
void GetGeluMaxMinTmpSize(const Shape &, uint32_t, uint32_t &maxValue, uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
}
template <class Shape>
void GetAscendDequantMaxMinTmpSize(const Shape &, uint32_t, uint32_t &maxValue, uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
}
template <class Shape>
void GetPowerMaxMinTmpSize(const Shape &, const Shape &, bool, uint32_t, bool, uint32_t &maxValue,
                           uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
}
template <class Shape>
void GetCumSumMaxMinTmpSize(const Shape &, uint32_t, bool, bool, uint32_t &maxValue,
                            uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
}
template <class Shape>
void GetSelectWithBytesMaskMaxMinTmpSize(const Shape &, const Shape &, uint32_t, const Shape &,
                                         uint32_t, bool, uint32_t &maxValue, uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
}
template <class Shape>
void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const Shape &,
                               const Shape &, uint32_t, bool, uint32_t &maxValue,
                               uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
}
inline void GetSumMaxMinTmpSize(uint32_t, uint32_t, bool, uint32_t &maxValue, uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
}
inline void GetMeanMaxMinTmpSize(uint32_t, uint32_t, uint32_t, bool, uint32_t &maxValue,
                                 uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
}
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC &, uint32_t, uint32_t)
{
    return softascend::no_temporaries;
}
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC &, uint32_t, uint32_t)
{
    return softascend::no_temporaries;
}

/* ---- softmax */

#define SA_SOFTMAX_SIZES(Name, ...)                                                                \
    template <class Shape>                                                                         \
    uint32_t Get##Name##MaxTmpSize(const Shape &, __VA_ARGS__)                                     \
    {                                                                                              \
        return softascend::no_temporaries;                                                         \
    }                                                                                              \
    template <class Shape>                                                                         \
    uint32_t Get##Name##MinTmpSize(const Shape &, __VA_ARGS__)                                     \
    {                                                                                              \
        return softascend::no_temporaries;                                                         \
    }
SA_SOFTMAX_SIZES(SoftMax, uint32_t, bool)
SA_SOFTMAX_SIZES(LogSoftMax, uint32_t, bool)
SA_SOFTMAX_SIZES(SoftMaxFlash, uint32_t, bool, bool)
SA_SOFTMAX_SIZES(SoftMaxFlashV2, uint32_t, uint32_t, bool, bool = false, bool = false)
SA_SOFTMAX_SIZES(SoftMaxGrad, uint32_t, bool, bool)
#undef SA_SOFTMAX_SIZES

template <class Shape>
void SoftMaxTilingFunc(const Shape &srcShape, uint32_t, uint32_t, SoftMaxTiling &tiling)
{
    tiling = {};
    tiling.srcM = softascend::rows_of(srcShape);
    tiling.srcK = softascend::last_dim(srcShape);
    tiling.srcSize = tiling.srcM * tiling.srcK;
}
template <class Shape>
void LogSoftMaxTilingFunc(const Shape &srcShape, uint32_t size, uint32_t room,
                          LogSoftMaxTiling &tiling)
{
    SoftMaxTilingFunc(srcShape, size, room, tiling);
}
template <class Shape>
void SoftMaxFlashTilingFunc(const Shape &srcShape, uint32_t size, uint32_t room,
                            SoftMaxTiling &tiling, bool = false)
{
    SoftMaxTilingFunc(srcShape, size, room, tiling);
}
template <class Shape>
void SoftMaxFlashV2TilingFunc(const Shape &srcShape, uint32_t size, uint32_t, uint32_t room,
                              SoftMaxTiling &tiling, bool, bool = false, bool = false)
{
    SoftMaxTilingFunc(srcShape, size, room, tiling);
}
template <class Shape>
void SoftMaxGradTilingFunc(const Shape &srcShape, uint32_t size, uint32_t room,
                           SoftMaxTiling &tiling, bool = false)
{
    SoftMaxTilingFunc(srcShape, size, room, tiling);
}
/* Whether rows are whole multiples that isBasicBlock asks for. */
inline bool IsBasicBlockInSoftMax(const SoftMaxTiling &tiling, uint32_t = 2)
{
    return tiling.srcM % 8 == 0 && tiling.srcK % 64 == 0 && tiling.srcK < 2048;
}

/* ---- normalisations: (shape, room, bytes of an element, isReuseSource, tiling) */

#define SA_NORM_TILING(Name, Tiling)                                                               \
    template <class Shape>                                                                         \
    void Name(const Shape &srcShape, uint32_t, uint32_t, bool, Tiling &tiling)                     \
    {                                                                                              \
        softascend::batch_rows(srcShape, srcShape, tiling);                                        \
    }
SA_NORM_TILING(GetLayerNormNDTilingInfo, LayerNormTiling)
SA_NORM_TILING(GetLayerNormNDTillingInfo, LayerNormTiling) /* as older documents spell it */
SA_NORM_TILING(GetLayerNormGradNDTilingInfo, LayerNormGradTiling)
SA_NORM_TILING(GetLayerNormGradBetaNDTilingInfo, LayerNormGradBetaTiling)
#undef SA_NORM_TILING

template <class Shape>
bool GetRmsNormMaxMinTmpSize(const Shape &, uint32_t, uint32_t &maxValue, uint32_t &minValue,
                             bool = false)
{
    softascend::no_room(maxValue, minValue);
    return true;
}
template <class Shape>
bool GetRmsNormTilingInfo(const Shape &srcShape, const Shape &originSrcShape, uint32_t, uint32_t,
                          RmsNormTiling &tiling, bool = false)
{
    softascend::batch_rows(srcShape, originSrcShape, tiling);
    tiling.reciprocalOfHLength = 1.0f / (float)tiling.originalHLength;
    return true;
}
template <class Shape>
bool GetBatchNormMaxMinTmpSize(const Shape &, const Shape &, uint32_t, bool, uint32_t &maxValue,
                               uint32_t &minValue, bool = false)
{
    softascend::no_room(maxValue, minValue);
    return true;
}
template <class Shape>
bool GetBatchNormNDTilingInfo(const Shape &srcShape, const Shape &originSrcShape, uint32_t,
                              uint32_t, bool, BatchNormTiling &tiling, bool = false)
{
    tiling = {};
    tiling.originalBLength = (uint32_t)originSrcShape.GetDim(0);
    tiling.meanVarSize = (uint32_t)(srcShape.GetShapeSize() / srcShape.GetDim(0));
    return true;
}
template <class Shape>
bool GetDeepNormMaxMinTmpSize(const Shape &, uint32_t, bool, bool, uint32_t &maxValue,
                              uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
    return true;
}
template <class Shape>
bool GetDeepNormTilingInfo(const Shape &srcShape, const Shape &originSrcShape, uint32_t, uint32_t,
                           bool, bool, DeepNormTiling &tiling)
{
    softascend::batch_rows(srcShape, originSrcShape, tiling);
    return true;
}
template <class Shape>
void GetGroupNormMaxMinTmpSize(const Shape &, uint32_t, bool, uint32_t, uint32_t &maxValue,
                               uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
}
/* [N, C, H, W]; rows of H * W in whole blocks. */
template <class Shape>
void GetGroupNormNDTilingInfo(const Shape &srcShape, uint32_t, uint32_t typeSize, bool,
                              uint32_t groupNum, GroupNormTiling &tiling)
{
    const uint32_t each = 32 / typeSize;
    tiling = {};
    tiling.n = (uint32_t)srcShape.GetDim(0);
    tiling.c = (uint32_t)srcShape.GetDim(1);
    tiling.hw = (uint32_t)(srcShape.GetDim(2) * srcShape.GetDim(3));
    tiling.g = groupNum;
    tiling.d = tiling.c / groupNum;
    tiling.hwAlignSize = (tiling.hw + each - 1) / each * each;
}

/* ---- top-k, padding */

inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, int32_t, int32_t, bool,
                                 bool, TopKMode, bool, uint32_t, uint32_t &maxValue,
                                 uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
    return true;
}
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC &, int32_t inner, int32_t outter,
                           int32_t, uint32_t, bool, TopKMode, bool, TopkTiling &tiling)
{
    tiling = {};
    tiling.tmpLocalSize = (int32_t)softascend::no_temporaries;
    tiling.innerDataSize = inner;
    tiling.allDataSize = inner * outter;
    return true;
}
template <class Shape>
void GetPadMaxMinTmpSize(const Shape &, uint32_t, uint32_t &maxValue, uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
}
template <class Shape>
void PadTilingFunc(const Shape &srcShape, const Shape &oriSrcShape, uint32_t, uint32_t,
                   PadTiling &tiling)
{
    tiling = {};
    tiling.srcHeight = softascend::rows_of(srcShape);
    tiling.srcWidth = softascend::last_dim(srcShape);
    tiling.srcOriWidth = softascend::last_dim(oriSrcShape);
}
template <class Shape>
void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const Shape &, uint32_t,
                           uint32_t &maxValue, uint32_t &minValue)
{
    softascend::no_room(maxValue, minValue);
}
template <class Shape>
void UnPadTilingFunc(const Shape &srcShape, uint32_t, uint32_t, UnPadTiling &tiling)
{
    tiling = {};
    tiling.srcHeight = softascend::rows_of(srcShape);
    tiling.srcWidth = softascend::last_dim(srcShape);
}
} // namespace AscendC

#endif
