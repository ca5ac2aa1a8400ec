/* Parameter structures of the Ascend C door's cube calls (cube.h). */
#ifndef ASCENDC_CUBE_PARAMS_H
#define ASCENDC_CUBE_PARAMS_H

#include "ascendc/enums.h"

enum QuantMode_t {
    NoQuant,
    F322F16,
    F322BF16,
    DEQF16,
    VDEQF16,
    QF322B8_PRE,
    VQF322B8_PRE,
    REQ8,
    VREQ8,
};

namespace AscendC
{
/* Fractals of 512 bytes. */
struct LoadData2DParams {
    SA_INLINE LoadData2DParams() {}
    SA_INLINE LoadData2DParams(uint16_t start, uint8_t repeats, uint16_t stride, uint8_t sidIn,
                               uint16_t gap, bool transpose, uint8_t mode)
        : startIndex(start), dstGap(gap), srcStride(stride), ifTranspose(transpose),
          repeatTimes(repeats), sid(sidIn), addrMode(mode)
    {
    }

    uint16_t startIndex = 0, dstGap = 0, srcStride = 0;
    bool ifTranspose = false;
    uint8_t repeatTimes = 0, sid = 0, addrMode = 0;
};
using LoadData2dParams = LoadData2DParams;

struct LoadData2dTransposeParams {
    SA_INLINE LoadData2dTransposeParams() {}
    SA_INLINE LoadData2dTransposeParams(uint16_t start, uint8_t repeats, uint16_t stride,
                                        uint16_t gap, uint16_t fracGap, uint8_t mode = 0)
        : startIndex(start), repeatTimes(repeats), srcStride(stride), dstGap(gap),
          dstFracGap(fracGap), addrMode(mode)
    {
    }

    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0;
    uint8_t addrMode = 0;
};

template <class T>
struct LoadData3DParamsV2 {
    SA_INLINE LoadData3DParamsV2() {}

    uint8_t padList[4] = {0, 0, 0, 0};
    uint16_t l1H = 0, l1W = 0, channelSize = 0;
    uint16_t kExtension = 0, mExtension = 0, kStartPt = 0, mStartPt = 0;
    uint8_t strideW = 1, strideH = 1, filterW = 1, filterH = 1;
    uint8_t dilationFilterW = 1, dilationFilterH = 1;
    bool enTranspose = false, enSmallK = false;
    T padValue = T(0);
    bool filterSizeW = false, filterSizeH = false, fMatrixCtrl = false;
};

template <class T>
struct InitConstValueParams {
    SA_INLINE InitConstValueParams() {}
    SA_INLINE InitConstValueParams(uint16_t repeats, uint16_t blocks, uint16_t gap, T value)
        : repeatTimes(repeats), blockNum(blocks), dstGap(gap), initValue(value)
    {
    }

    uint16_t repeatTimes = 0, blockNum = 0, dstGap = 0;
    T initValue = T(0);
};

struct MmadParams {
    SA_INLINE MmadParams() {}
    SA_INLINE MmadParams(uint16_t mIn, uint16_t nIn, uint16_t kIn, bool bias, int32_t offset,
                         bool sparse, bool winogradA, bool winogradB)
        : m(mIn), n(nIn), k(kIn), isBias(bias), fmOffset(offset), enSsparse(sparse),
          enWinogradA(winogradA), enWinogradB(winogradB)
    {
    }
    SA_INLINE MmadParams(uint16_t mIn, uint16_t nIn, uint16_t kIn, uint8_t unit, bool source,
                         bool init)
        : m(mIn), n(nIn), k(kIn), unitFlag(unit), cmatrixSource(source), cmatrixInitVal(init)
    {
    }

    uint16_t m = 0, n = 0, k = 0;
    bool isBias = false; /* older kernels: accumulate */
    int32_t fmOffset = 0;
    bool enSsparse = false, enWinogradA = false, enWinogradB = false;
    int8_t unitFlag = 0;
    bool kDirectionAlign = false;
    bool cmatrixSource = false; /* initial values: false CO1, true the bias table */
    bool cmatrixInitVal = true; /* initial values: true zeros, false from cmatrixSource */
};

enum class CO2Layout : uint8_t { NZ, ROW_MAJOR };
struct FixpipeConfig {
    CO2Layout format;
    bool isToUB = false;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

struct FixpipeParamsV220 {
    SA_INLINE FixpipeParamsV220() {}
    SA_INLINE FixpipeParamsV220(uint16_t nIn, uint16_t mIn, uint16_t src, uint32_t dst, bool relu)
        : nSize(nIn), mSize(mIn), srcStride(src), dstStride(dst), reluEn(relu)
    {
    }
    SA_INLINE FixpipeParamsV220(uint16_t nIn, uint16_t mIn, uint16_t src, uint32_t dst, bool relu,
                                QuantMode_t quant, int64_t scale, uint16_t nds, uint16_t srcNd,
                                uint16_t dstNd, uint8_t unit)
        : nSize(nIn), mSize(mIn), srcStride(src), dstStride(dst), quantPre(quant),
          deqScalar((uint64_t)scale), ndNum(nds), srcNdStride(srcNd), dstNdStride(dstNd),
          reluEn(relu), unitFlag(unit)
    {
    }

    uint16_t nSize = 0, mSize = 0, srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0; /* the low half is a float's bits */
    uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;
};

struct DataCopyCO12DstParams {
    SA_INLINE DataCopyCO12DstParams() {}
    SA_INLINE DataCopyCO12DstParams(uint16_t nIn, uint16_t mIn, uint32_t dst, uint16_t src,
                                    QuantMode_t quant, uint8_t relu, bool split, bool nz2nd)
        : nSize(nIn), mSize(mIn), dstStride(dst), srcStride(src), quantPre(quant), reluPre(relu),
          channelSplit(split), nz2ndEn(nz2nd)
    {
    }

    uint8_t sid = 0;
    uint16_t nSize = 0, mSize = 0;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    uint8_t unitFlag = 0, clipReluPre = 0, eltWiseOp = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false, nz2ndEn = false;
};
} // namespace AscendC

#endif
