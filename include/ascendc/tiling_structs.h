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

struct LayerNormGradTiling {
    uint32_t stackBufferSize, bLength, sLength, hLength, originalHLength, oneCalSize, nohCalSize;
    uint32_t loopNum, tailSize, nohTailSize, tmpTensorBSHPos, tmpTensorBSHSize;
    uint32_t pdVarTensorPos, pdVarTensorSize, pdMeanTensorPos, pdMeanTensorSize;
    uint32_t x1TensorPos, x1TensorSize, x2TensorPos, x2TensorSize, x3TensorPos, x3TensorSize;
    uint32_t tmpTensorPos, tmpTensorSize, tmpTensor1Pos, tmpTensor1Size, tmpTensor2Pos,
        tmpTensor2Size;
    uint32_t lastDimValueBack, lastDimValueBackMulTwo;
};

struct LayerNormGradBetaTiling {
    uint32_t stackBufferSize, bLength, sLength, hLength, originalHLength, bshLength, bsLength;
    uint32_t oneCalSize, numPerLoop, loopRound, inputTailSize, inputTailPos, bsTailSize;
    uint32_t bshCurLength, bsCurLength, gammaTempTensorPos, betaTempTensorPos, inputDyTmpTensorPos;
    uint32_t resForGammaTmpTensorPos, reserved;
};

struct BatchNormTiling {
    uint32_t originalBLength, meanVarSize, meanTmpTensorPos, varianceTmpTensorPos, tmpBufSize;
    uint32_t oneTmpSize, firstTmpStartPos, secondTmpStartPos, thirdTmpStartPos, loopRound;
    uint32_t inputTailSize, inputTailPos, meanVarTailSize, meanVarTailPos, bshCurLength,
        shCurLength;
    float firstDimValueBack;
    uint32_t castHalfRepStride, shCurLengthBlockNum, castHalfOutRepStride;
};

struct GroupNormTiling {
    uint32_t n, c, hw, g, d, hwAlignSize, dhwAlignSize, inputXSize, meanVarSize, numberOfTmpBuf;
    uint32_t meanTmpTensorPos, meanTmpTensorSize, varianceTmpTensorPos, varianceTmpTensorSize;
    uint32_t tmpBufSize, oneTmpSize, firstTmpStartPos, secondTmpStartPos, thirdTmpStartPos;
    uint32_t loopRound, inputRoundSize, inputTailSize, inputTailPos;
    uint32_t meanVarRoundSize, meanVarTailSize, meanVarTailPos, bshCurLength;
    float factor;
    bool smallShape;
};

struct DeepNormTiling {
    uint32_t bLength, sLength, hLength, originalHLength, inputXSize, meanVarSize, numberOfTmpBuf;
    uint32_t meanTmpTensorPos, meanTmpTensorSize, varianceTmpTensorPos, varianceTmpTensorSize;
    uint32_t tmpBufSize, oneTmpSize, firstTmpStartPos, secondTmpStartPos, thirdTmpStartPos;
    uint32_t loopRound, inputRoundSize, inputTailSize, inputTailPos;
    uint32_t meanVarRoundSize, meanVarTailSize, meanVarTailPos, bshCurLength;
    float lastDimValueBack;
};

struct PadTiling {
    uint32_t srcHeight, srcWidth, srcOriWidth, widthWithoutLastBlock, blocksPerRow, heightTiling;
    uint32_t heightFractal, heightFractalTail, mainLoopOffset, tailBlockOffset;
    uint32_t tmpBuffer1BlockNum, tmpBuffer1RowNum, tmpBuffer2Offset, widthTiling, widthFractal;
    uint32_t widthFractalTail, widthFractalTailAlingned, brcbTiling, brcbFractal, brcbFractalTail;
    uint32_t maxRepeatTimes, brcbTilingRepeatTimes, brcbTilingRepeatTimesTail;
};

struct UnPadTiling {
    uint32_t srcHeight, srcWidth, tmpBuffer1BlockNum, tmpBuffer1RowNum, tmpBuffer2Offset;
    uint32_t widthTiling, widthFractal, widthFractalTail;
};

struct ConfusionTransposeTiling {
    uint32_t param0, param1, param2, param3, param4, param5, param6, param7, param8, param9;
    uint32_t param10, param11, param12, param13, param14, param15, param16, param17;
};

struct MeanTiling {
    uint32_t param0;
};

namespace AscendC
{
enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
} // namespace AscendC

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
