/* How a high-level Matmul is cut: one structure for the host, which sets it (tiling/tiling_api.h),
 * and for the kernel, which reads its fields (lib/matmul_intf.h). Field names and their meaning:
 * the vendor's public documentation. */
#ifndef ASCENDC_CUBE_TILING_H
#define ASCENDC_CUBE_TILING_H

#include <cstddef>
#include <cstdint>
#include <cstring>

struct TCubeTiling {
#define SA_FIELD(name)                                                                             \
    int32_t name = 0;                                                                              \
    void set_##name(int32_t value)                                                                 \
    {                                                                                              \
        name = value;                                                                              \
    }                                                                                              \
    int32_t get_##name() const                                                                     \
    {                                                                                              \
        return name;                                                                               \
    }
    SA_FIELD(usedCoreNum)
    SA_FIELD(M) /* of the whole matrices: A [M, Ka], B [Kb, N] */
    SA_FIELD(N)
    SA_FIELD(Ka)
    SA_FIELD(Kb)
    SA_FIELD(singleCoreM) /* of a core's share */
    SA_FIELD(singleCoreN)
    SA_FIELD(singleCoreK)
    SA_FIELD(baseM) /* of one product in L0 */
    SA_FIELD(baseN)
    SA_FIELD(baseK)
    SA_FIELD(depthA1) /* blocks of baseM x baseK in L1 */
    SA_FIELD(depthB1)
    SA_FIELD(stepM)
    SA_FIELD(stepN)
    SA_FIELD(isBias)
    SA_FIELD(transLength)
    SA_FIELD(iterateOrder) /* 0: along M first, 1: along N first */
    SA_FIELD(shareMode)
    SA_FIELD(shareL1Size)
    SA_FIELD(shareL0CSize)
    SA_FIELD(shareUbSize)
    SA_FIELD(batchM)
    SA_FIELD(batchN)
    SA_FIELD(singleBatchM)
    SA_FIELD(singleBatchN)
    SA_FIELD(stepKa) /* blocks along K that one move to L1 brings */
    SA_FIELD(stepKb)
    SA_FIELD(depthAL1CacheUB)
    SA_FIELD(depthBL1CacheUB)
    SA_FIELD(dbL0A)
    SA_FIELD(dbL0B)
    SA_FIELD(dbL0C)
    SA_FIELD(ALayoutInfoB) /* of batches: B, S, N, G and D of each operand */
    SA_FIELD(ALayoutInfoS)
    SA_FIELD(ALayoutInfoN)
    SA_FIELD(ALayoutInfoG)
    SA_FIELD(ALayoutInfoD)
    SA_FIELD(BLayoutInfoB)
    SA_FIELD(BLayoutInfoS)
    SA_FIELD(BLayoutInfoN)
    SA_FIELD(BLayoutInfoG)
    SA_FIELD(BLayoutInfoD)
    SA_FIELD(CLayoutInfoB)
    SA_FIELD(CLayoutInfoS1)
    SA_FIELD(CLayoutInfoN)
    SA_FIELD(CLayoutInfoG)
    SA_FIELD(CLayoutInfoS2)
    SA_FIELD(BatchNum)
    SA_FIELD(mxTypePara)
#undef SA_FIELD

    size_t GetDataSize() const
    {
        return sizeof(TCubeTiling);
    }
    void SaveToBuffer(void *buffer, size_t capacity) const
    {
        if (capacity >= sizeof(TCubeTiling)) {
            std::memcpy(buffer, static_cast<const void *>(this), sizeof(TCubeTiling));
        }
    }
};

namespace optiling
{
using TCubeTiling = ::TCubeTiling;
}

#endif
