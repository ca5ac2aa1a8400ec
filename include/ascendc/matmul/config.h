/* What a Matmul's type says (lib/matmul_intf.h): operand types and the configuration. The
 * configuration chooses between the vendor's schedules of the same product; here there is one, so
 * that its fields change nothing. Names: the vendor's public documentation. */
#ifndef ASCENDC_MATMUL_CONFIG_H
#define ASCENDC_MATMUL_CONFIG_H

#include "ascendc/positions.h"

#include <cstdint>

enum class LayoutMode : uint8_t { NONE, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC
{
enum class BatchMode : uint8_t {
    NONE,
    BATCH_LESS_THAN_L1,
    BATCH_LARGE_THAN_L1,
    SINGLE_LARGE_THAN_L1
};
enum class IterateMode : uint8_t {
    ITERATE_MODE_NORMAL,
    ITERATE_MODE_ALL,
    ITERATE_MODE_BATCH,
    ITERATE_MODE_N_BATCH,
    ITERATE_MODE_DEFAULT,
};
enum class IterateOrder : uint8_t { ORDER_M, ORDER_N, UNDEF };
enum class ScheduleType : uint8_t { INNER_PRODUCT, OUTER_PRODUCT, N_BUFFER_33 };
enum class MatmulConfigMode : uint8_t {
    CONFIG_NORM,
    CONFIG_MDL,
    CONFIG_SPECIALMDL,
    CONFIG_IBSHARE
};
enum class MatrixMadType : uint8_t { NORMAL, HF32 };

template <TPosition position, CubeFormat cube_format, class type, bool transposed = false,
          LayoutMode layout_mode = LayoutMode::NONE, bool shared = false>
struct MatmulType {
    static constexpr TPosition pos = position;
    static constexpr CubeFormat format = cube_format;
    using T = type;
    static constexpr bool isTrans = transposed;
    static constexpr LayoutMode layout = layout_mode;
    static constexpr bool ibShare = shared;
};

struct MatmulConfig {
    bool doNorm = false;
    bool doBasicBlock = false;
    bool doMultiDataLoad = false;
    uint32_t basicM = 0, basicN = 0, basicK = 0;
    bool intrinsicsCheck = false;
    bool isNBatch = false;
    bool enVecND2NZ = false;
    bool doSpecialBasicBlock = false;
    uint32_t doMTE2Preload = 0;
    uint32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;
    uint32_t stepM = 0, stepN = 0;
    uint32_t baseMN = 0, singleCoreMN = 0;
    bool enUnitFlag = true;
    bool isPerTensor = false;
    bool hasAntiQuantOffset = false;
    bool doIBShareNorm = false;
    bool doSpecialMDL = false;
    bool enableInit = true;
    BatchMode batchMode = BatchMode::NONE;
    bool enableEnd = true;
    bool enableGetTensorC = true;
    bool enableSetOrgShape = true;
    bool enableSetBias = true;
    bool enableSetTail = true;
    bool enableQuantVector = true;
    bool enableSetDefineData = true;
    uint8_t iterateMode = (uint8_t)IterateMode::ITERATE_MODE_DEFAULT;
    bool enableReuse = true;
    bool enableUBReuse = true;
    bool enableL1CacheUB = false;
    bool intraBlockPartSum = false;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableDoubleCache = false;
    bool isBiasBatch = true;
    bool enableStaticPadZeros = false;
    bool isPartialOutput = false;
    bool enableMixDualMaster = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
};

/* Each takes the vendor's parameters, and none needs one. */
template <class... Choices>
constexpr MatmulConfig GetNormalConfig(Choices...)
{
    MatmulConfig c;
    c.doNorm = true;
    return c;
}
template <class... Choices>
constexpr MatmulConfig GetMDLConfig(Choices...)
{
    MatmulConfig c;
    c.doMultiDataLoad = true;
    return c;
}
template <class... Choices>
constexpr MatmulConfig GetSpecialMDLConfig(Choices...)
{
    MatmulConfig c;
    c.doSpecialMDL = true;
    return c;
}
template <class... Choices>
constexpr MatmulConfig GetIBShareNormConfig(Choices...)
{
    MatmulConfig c;
    c.doIBShareNorm = true;
    return c;
}
template <class... Choices>
constexpr MatmulConfig GetBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK, Choices...)
{
    MatmulConfig c;
    c.doBasicBlock = true;
    c.basicM = basicM, c.basicN = basicN, c.basicK = basicK;
    return c;
}
template <class... Choices>
constexpr MatmulConfig GetSpecialBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK,
                                             uint32_t singleCoreM, uint32_t singleCoreN,
                                             uint32_t singleCoreK, uint32_t stepM, uint32_t stepN,
                                             Choices...)
{
    MatmulConfig c;
    c.doSpecialBasicBlock = true;
    c.basicM = basicM, c.basicN = basicN, c.basicK = basicK;
    c.singleCoreM = singleCoreM, c.singleCoreN = singleCoreN, c.singleCoreK = singleCoreK;
    c.stepM = stepM, c.stepN = stepN;
    return c;
}
/* Parameters by structure. */
struct MatmulShapeParams {
    uint32_t singleCoreM, singleCoreN, singleCoreK, basicM, basicN, basicK;
};
struct MatmulQuantParams {
    bool isPerTensor, hasAntiQuantOffset;
};
struct MatmulBatchParams {
    bool isNBatch;
    BatchMode batchMode;
    bool isBiasBatch;
};
struct MatmulFuncParams {
    bool intrinsicsCheck, enVecND2NZ, enableDoubleCache, enableL1CacheUB;
    uint32_t doMTE2Preload;
    IterateOrder iterateOrder;
    ScheduleType scheduleType;
    bool enableReuse, enableUBReuse, isPartialOutput, isA2B2Shared, isEnableChannelSplit,
        enableKdimReorderLoad;
};
template <MatmulConfigMode mode, class... Choices>
constexpr MatmulConfig GetMMConfig(Choices...)
{
    return mode == MatmulConfigMode::CONFIG_NORM         ? GetNormalConfig()
           : mode == MatmulConfigMode::CONFIG_MDL        ? GetMDLConfig()
           : mode == MatmulConfigMode::CONFIG_SPECIALMDL ? GetSpecialMDLConfig()
                                                         : GetIBShareNormConfig();
}

constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig CFG_SPECIAL_MDL = GetSpecialMDLConfig();
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();
constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);

/* A kernel's own moves in place of Matmul's: none is supported (object.h says so). */
template <auto data_copy_out = nullptr, auto copy_a1 = nullptr, auto copy_b1 = nullptr>
struct MatmulCallBackFunc {
    static constexpr bool any =
        data_copy_out != nullptr || copy_a1 != nullptr || copy_b1 != nullptr;
};
template <class... Types>
struct MatmulPolicy {
};
} // namespace AscendC

#endif
