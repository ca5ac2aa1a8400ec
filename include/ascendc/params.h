/* Parameter structures of the Ascend C door's calls (kernel_operator.h). Fields, their order and
 * defaults are the public documentation's; a block is 32 bytes, a repeat eight blocks. */
#ifndef ASCENDC_PARAMS_H
#define ASCENDC_PARAMS_H

#include "ascendc/enums.h"

namespace AscendC
{
/* Strides between blocks of a repeat (Blk) and between repeats (Rep), in blocks. */
struct UnaryRepeatParams {
    SA_INLINE UnaryRepeatParams() {}
    SA_INLINE UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk, uint16_t dstRep, uint16_t srcRep)
        : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep), srcRepStride(srcRep)
    {
    }
    SA_INLINE UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk, uint16_t dstRep, uint16_t srcRep,
                                bool halved)
        : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep), srcRepStride(srcRep),
          halfBlock(halved)
    {
    }

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = 1, srcBlkStride = 1;
    uint16_t dstRepStride = 8, srcRepStride = 8;
    bool repeatStrideMode = false, strideSizeMode = false, halfBlock = false;
};

struct BinaryRepeatParams {
    SA_INLINE BinaryRepeatParams() {}
    SA_INLINE BinaryRepeatParams(uint8_t dstBlk, uint8_t src0Blk, uint8_t src1Blk, uint8_t dstRep,
                                 uint8_t src0Rep, uint8_t src1Rep)
        : dstBlkStride(dstBlk), src0BlkStride(src0Blk), src1BlkStride(src1Blk),
          dstRepStride(dstRep), src0RepStride(src0Rep), src1RepStride(src1Rep)
    {
    }

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1;
    uint8_t dstRepStride = 8, src0RepStride = 8, src1RepStride = 8;
    bool repeatStrideMode = false, strideSizeMode = false;
};

struct CopyRepeatParams {
    SA_INLINE CopyRepeatParams() {}
    SA_INLINE CopyRepeatParams(uint16_t dst, uint16_t src, uint16_t dstRep, uint16_t srcRep)
        : dstStride(dst), srcStride(src), dstRepeatSize(dstRep), srcRepeatSize(srcRep)
    {
    }

    uint16_t dstStride = 1, srcStride = 1, dstRepeatSize = 8, srcRepeatSize = 8;
};

struct BrcbRepeatParams {
    SA_INLINE BrcbRepeatParams() {}
    SA_INLINE BrcbRepeatParams(uint16_t dstBlk, uint16_t dstRep)
        : dstBlkStride(dstBlk), dstRepStride(dstRep)
    {
    }

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = 1, dstRepStride = 8;
};

struct GatherRepeatParams {
    SA_INLINE GatherRepeatParams() {}
    SA_INLINE GatherRepeatParams(uint8_t dstBlk, uint8_t dstRep)
        : dstBlkStride(dstBlk), dstRepStride(dstRep)
    {
    }

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint8_t dstBlkStride = 1, dstRepStride = 8;
};

struct GatherMaskParams {
    SA_INLINE GatherMaskParams() {}
    SA_INLINE GatherMaskParams(uint8_t src0Blk, uint16_t repeats, uint16_t src0Rep, uint8_t src1Rep)
        : src0BlockStride(src0Blk), repeatTimes(repeats), src0RepeatStride(src0Rep),
          src1RepeatStride(src1Rep)
    {
    }

    uint8_t src0BlockStride = 1;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = 0;
    uint8_t src1RepeatStride = 8;
};

/* ---- moves: lengths in blocks of 32 bytes, the gaps between them too */

struct DataCopyParams {
    SA_INLINE DataCopyParams() {}
    SA_INLINE DataCopyParams(uint16_t count, uint16_t len, uint16_t srcGap, uint16_t dstGap)
        : blockCount(count), blockLen(len), srcStride(srcGap), dstStride(dstGap)
    {
    }

    uint16_t blockCount = 1;
    uint16_t blockLen = 0;
    union {
        uint16_t srcStride = 0;
        uint16_t srcGap;
    };
    union {
        uint16_t dstStride = 0;
        uint16_t dstGap;
    };
};

/* DataCopyPad: lengths and GM's gaps in bytes, UB's gaps in blocks. */
struct DataCopyExtParams {
    SA_INLINE DataCopyExtParams() {}
    SA_INLINE DataCopyExtParams(uint16_t count, uint32_t len, uint32_t srcGap, uint32_t dstGap,
                                uint32_t reserved)
        : blockCount(count), blockLen(len), srcStride(srcGap), dstStride(dstGap), rsv(reserved)
    {
    }

    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    uint32_t rsv = 0;
};

struct DataCopyPadParams {
    SA_INLINE DataCopyPadParams() {}
    SA_INLINE DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }

    bool isPad = false;
    uint8_t leftPadding = 0, rightPadding = 0;
    uint64_t paddingValue = 0;
};

template <class T>
struct DataCopyPadExtParams {
    SA_INLINE DataCopyPadExtParams() {}
    SA_INLINE DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }

    bool isPad = false;
    uint8_t leftPadding = 0, rightPadding = 0;
    T paddingValue = T(0);
};

enum class BlockMode : uint8_t {
    BLOCK_MODE_NORMAL,
    BLOCK_MODE_MATRIX,
    BLOCK_MODE_VECTOR,
    BLOCK_MODE_SMALL_CHANNEL,
    BLOCK_MODE_DEPTHWISE,
};
enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };

struct DataCopyEnhancedParams {
    BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
    DeqScale deqScale = DeqScale::DEQ_NONE;
    uint64_t deqValue = 0;
    uint8_t sidStoreMode = 0;
    bool isRelu = false;
};

/* ndNum row-major matrices of nValue rows of dValue elements, srcDValue apart. */
struct Nd2NzParams {
    SA_INLINE Nd2NzParams() {}
    SA_INLINE Nd2NzParams(uint16_t nds, uint16_t n, uint16_t d, uint16_t srcNd, uint16_t srcD,
                          uint16_t dstC0, uint16_t dstN, uint16_t dstNz)
        : ndNum(nds), nValue(n), dValue(d), srcNdMatrixStride(srcNd), srcDValue(srcD),
          dstNzC0Stride(dstC0), dstNzNStride(dstN), dstNzMatrixStride(dstNz)
    {
    }

    uint16_t ndNum = 0, nValue = 0, dValue = 0, srcNdMatrixStride = 0;
    uint16_t srcDValue = 0, dstNzC0Stride = 0, dstNzNStride = 0, dstNzMatrixStride = 0;
};

struct Nz2NdParamsFull {
    SA_INLINE Nz2NdParamsFull() {}
    SA_INLINE Nz2NdParamsFull(uint16_t nds, uint16_t n, uint16_t d, uint16_t srcNd, uint16_t srcN,
                              uint16_t dstD, uint16_t dstNd)
        : ndNum(nds), nValue(n), dValue(d), srcNdMatrixStride(srcNd), srcNStride(srcN),
          dstDStride(dstD), dstNdMatrixStride(dstNd)
    {
    }

    uint16_t ndNum = 1, nValue = 0, dValue = 0, srcNdMatrixStride = 1;
    uint16_t srcNStride = 0, dstDStride = 0, dstNdMatrixStride = 1;
};

/* ---- sort and merge */

struct MrgSort4Info {
    SA_INLINE MrgSort4Info() {}
    SA_INLINE MrgSort4Info(const uint16_t lengths[4], bool exhausted, uint16_t valid,
                           uint16_t repeats)
        : ifExhaustedSuspension(exhausted), validBit(valid), repeatTimes((uint8_t)repeats)
    {
        for (int i = 0; i < 4; i++) {
            elementLengths[i] = lengths[i];
        }
    }

    uint16_t elementLengths[4] = {};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};

struct TransDataTo5HDParams {
    SA_INLINE TransDataTo5HDParams() {}
    SA_INLINE TransDataTo5HDParams(bool dstHigh, bool srcHigh, uint8_t repeats, uint16_t dstRep,
                                   uint16_t srcRep)
        : dstHighHalf(dstHigh), srcHighHalf(srcHigh), repeatTimes(repeats), dstRepStride(dstRep),
          srcRepStride(srcRep)
    {
    }

    bool dstHighHalf = false, srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0, srcRepStride = 0;
};

struct TransposeParamsExt {
    uint16_t nSize = 0, cSize = 0, hSize = 0, wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

/* ---- tensors */

struct ShapeInfo {
    SA_INLINE ShapeInfo() {}
    SA_INLINE ShapeInfo(uint8_t dims, const uint32_t sizes[], DataFormat format = DataFormat::ND)
        : shapeDim(dims), originalShapeDim(dims), dataFormat(format)
    {
        for (int i = 0; i < dims && i < 8; i++) {
            shape[i] = originalShape[i] = sizes[i];
        }
    }

    uint8_t shapeDim = 0, originalShapeDim = 0;
    uint32_t shape[8] = {}, originalShape[8] = {};
    DataFormat dataFormat = DataFormat::ND;
};
} // namespace AscendC

#endif
