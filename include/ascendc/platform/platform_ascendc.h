/* What a tiling function asks about the chip. Names: the vendor's public documentation. The answers
 * are the chip file's of the process (libsoftascend). */
#ifndef ASCENDC_PLATFORM_H
#define ASCENDC_PLATFORM_H

#include "softascend/platform.h"

#include <cstdint>
#include <cstring>

namespace platform_ascendc
{
enum class CoreMemType { L0_A, L0_B, L0_C, L1, L2, UB, HBM, FB, BT, RESERVED };
enum class SocVersion { ASCEND910, ASCEND910B, ASCEND310P, ASCEND310B, RESERVED_VERSION = 99999 };

class PlatformAscendC
{
  public:
    PlatformAscendC() = default;
    template <class Info>
    explicit PlatformAscendC(const Info *)
    {
    }

    uint32_t GetCoreNum() const { return sa_platform_cores(SA_AIC); }
    uint32_t GetCoreNumAic() const { return sa_platform_cores(SA_AIC); }
    uint32_t GetCoreNumAiv() const { return sa_platform_cores(SA_AIV); }
    uint32_t GetCoreNumVector() const { return 0; } /* vector-only cores of other chips */
    SocVersion GetSocVersion() const
    {
        const char *name = sa_platform_name();
        return std::strncmp(name, "Ascend310P", 10) == 0     ? SocVersion::ASCEND310P
               : std::strncmp(name, "Ascend310B", 10) == 0   ? SocVersion::ASCEND310B
               : std::strncmp(name, "Ascend910B", 10) == 0   ? SocVersion::ASCEND910B
               : std::strncmp(name, "Ascend910_93", 12) == 0 ? SocVersion::ASCEND910B
                                                             : SocVersion::ASCEND910;
    }
    void GetCoreMemSize(CoreMemType type, uint64_t &size) const
    {
        constexpr sa_memory memories[] = {SA_L0A, SA_L0B, SA_L0C, SA_L1, SA_L1, SA_UB, SA_GM};
        size = type == CoreMemType::L2   ? sa_platform_l2_bytes()
               : type == CoreMemType::BT ? sa_platform_bytes(SA_BT)
               : (int)type < 7           ? sa_platform_bytes(memories[(int)type])
                                         : 0;
    }
    void GetCoreMemBw(CoreMemType type, uint64_t &bytes_a_cycle) const
    {
        bytes_a_cycle = type == CoreMemType::L2 ? 110 : 32;
    }
    /* The library uses no workspace; but kernels take one that is NULL for a failed allocation. */
    uint32_t GetLibApiWorkSpaceSize() const { return 512; }
    uint32_t GetResCubeGroupWorkSpaceSize() const { return 0; }
    uint32_t GetResGroupBarrierWorkSpaceSize() const { return 0; }
    /* Blocks to launch for so many vector slices and cube parts. */
    uint32_t CalcTschBlockDim(uint32_t slices, uint32_t cores, uint32_t vector_cores) const
    {
        if (cores == 0 || vector_cores == 0 || cores > vector_cores) {
            return slices;
        }
        uint32_t ratio = vector_cores / cores;
        return (slices + ratio - 1) / ratio;
    }
};

class PlatformAscendCManager
{
  public:
    static PlatformAscendC *GetInstance(const char * = nullptr)
    {
        static PlatformAscendC chip;
        return &chip;
    }
};
} // namespace platform_ascendc

#endif
