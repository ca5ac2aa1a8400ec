/* Tilings of the Ascend C door's high-level functions: plain structures, the same for host and
 * kernel. The host functions that fill them write what a kernel here reads: the shapes. Field names
 * are the public documentation's. */
#ifndef ASCENDC_TILING_STRUCTS_H
#define ASCENDC_TILING_STRUCTS_H

#include <cstdint>

struct SoftMaxTiling {
    uint32_t srcM, srcK, srcSize;
    uint32_t outMaxM, outMaxK, outMaxSize;
    uint32_t splitM, splitK, splitSize;
    uint32_t reduceM, reduceK, reduceSize;
    uint32_t rangeM, tailM, tailSplitSize, tailReduceSize;
};
using LogSoftMaxTiling = SoftMaxTiling;

struct LayerNormTiling {
    uint32_t bLength, sLength, hLength, originalHLength;
    uint32_t inputXSize, meanVarSize, numberOfTmpBuf, meanTmpTensorPos, meanTmpTensorSize;
    uint32_t varianceTmpTensorPos, varianceTmpTensorSize, tmpBufSize, oneTmpSize, firstTmpStartPos;
    uint32_t secondTmpStartPos, thirdTmpStartPos, loopRound, inputRoundSize, inputTailSize;
    uint32_t inputTailPos, meanVarRoundSize, meanVarTailSize, meanVarTailPos, bshCurLength;
    float lastDimValueBack;
};

struct LayerNormSeparateTiling {
    uint32_t aLength, rLength, halfAddRepeatTimes, rHeadLength;
    float k2Rec, k2RRec;
    uint32_t inputXSize, meanVarSize, numberOfTmpBuf, varianceTmpTensorPos, varianceTmpTensorSize;
    uint32_t tmpBufSize, oneTmpSize, firstTmpStartPos, secondTmpStartPos, thirdTmpStartPos;
    uint32_t loopRound, inputRoundSize, inputTailSize, inputTailPos;
    uint32_t meanVarRoundSize, meanVarTailSize, meanVarTailPos, arCurLength;
    float rValueBack;
};

struct RmsNormTiling {
    uint32_t bLength, sLength, hLength, originalHLength;
    float reciprocalOfHLength;
    uint32_t mainBshLength, mainBsLength, mainBsLengthAlign, loopRound, inputTailPos;
    uint32_t tailBshLength, tailBsLength;
};

struct TopkTiling {
    int32_t tmpLocalSize, allDataSize, innerDataSize, sortRepeat, mrgSortRepeat, kAlignFourBytes;
    int32_t kAlignTwoBytes, maskOffset, maskVreducev2FourBytes, maskVreducev2TwoBytes;
    int32_t mrgSortSrc1offset, mrgSortSrc2offset, mrgSortSrc3offset, mrgSortTwoQueueSrc1Offset;
    int32_t mrgFourQueueTailPara1, mrgFourQueueTailPara2, srcIndexOffset, copyUbToUbBlockCount;
    int32_t topkMrgSrc1MaskSizeOffset, topkNSmallSrcIndexOffset;
    uint32_t vreduceValMask0, vreduceValMask1, vreduceIdxMask0, vreduceIdxMask1,
        vreducehalfValMask0;
    uint32_t vreducehalfValMask1, vreducehalfValMask2, vreducehalfValMask3, vreducehalfValMask4;
    uint32_t vreducehalfValMask5, vreducehalfValMask6, vreducehalfValMask7;
};

#endif
