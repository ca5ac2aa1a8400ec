/* Where a block is, workspaces, and small scalar helpers of the Ascend C door (kernel_operator.h).
 */
#ifndef ASCENDC_SYSTEM_H
#define ASCENDC_SYSTEM_H

#include "ascendc/enums.h"

#include <ctime>

SA_INLINE int64_t get_block_idx()
{
    return sa_block_idx(sa_self());
}
SA_INLINE int64_t get_block_num()
{
    return sa_block_num(sa_self());
}
SA_INLINE int64_t get_subblockid()
{
    return sa_sub_block_idx(sa_self());
}
SA_INLINE int64_t get_subblockdim()
{
    return sa_task_ratio(sa_self()) ? sa_task_ratio(sa_self()) : 1;
}

/* Kernels use these as variables, and some have variables of the same name. */
namespace softascend
{
template <int64_t (*get)()>
struct special_register {
    SA_INLINE operator int64_t() const { return get(); }
};
} // namespace softascend
[[maybe_unused]] constexpr softascend::special_register<get_block_idx> block_idx{};
[[maybe_unused]] constexpr softascend::special_register<get_block_num> block_num{};

/* For `if ASCEND_IS_AIC {`: they bring their parentheses. A coupled core is both. */
#define ASCEND_IS_AIV (::softascend::on_vector_core())
#define ASCEND_IS_AIC (::softascend::on_cube_core())
#define ASCEND_IS_NOT_AIV (!::softascend::on_vector_core())
#define ASCEND_IS_NOT_AIC (!::softascend::on_cube_core())

namespace softascend
{
SA_INLINE bool on_vector_core()
{
    return sa_kind(sa_self()) == SA_AIV || sa_coupled(sa_self());
}
SA_INLINE bool on_cube_core()
{
    return sa_kind(sa_self()) == SA_AIC || sa_coupled(sa_self());
}
} // namespace softascend

namespace softascend
{
alignas(512) inline uint8_t no_workspace[512];
}

namespace AscendC
{
SA_INLINE int64_t GetBlockIdx()
{
    return sa_block_idx(sa_self());
}
SA_INLINE int64_t GetBlockNum()
{
    return sa_block_num(sa_self());
}
SA_INLINE int64_t GetSubBlockIdx()
{
    return sa_sub_block_idx(sa_self());
}
SA_INLINE int64_t GetSubBlockNum()
{
    return get_subblockdim();
}
SA_INLINE int64_t GetTaskRation()
{
    return get_subblockdim();
}
SA_INLINE int64_t GetTaskRatio()
{
    return get_subblockdim();
}
constexpr int16_t GetDataBlockSizeInBytes()
{
    return 32;
}
SA_INLINE void GetArchVersion(uint32_t &coreVersion)
{
    coreVersion = __CCE_AICORE__;
}
/* Nanoseconds of the host: cycles are the trace's, docs/timing.md. */
SA_INLINE int64_t GetSystemCycle()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
SA_INLINE int64_t GetProgramCounter()
{
    return (int64_t)(uintptr_t)__builtin_return_address(0);
}
SA_INLINE void Trap()
{
    SA_FAULT("Trap: the kernel stopped itself");
}

/* The whole workspace is the kernel's: the system takes none of it. */
SA_INLINE __gm__ uint8_t *GetUserWorkspace(GM_ADDR workspace)
{
    return workspace;
}
SA_INLINE void SetSysWorkspace(GM_ADDR workspace)
{
    softascend::state().workspace = workspace;
}
SA_INLINE void SetSysWorkspaceForce(GM_ADDR workspace)
{
    softascend::state().workspace = workspace;
}
/* Kernels give up where it is NULL; nothing here needs one. */
SA_INLINE __gm__ uint8_t *GetSysWorkSpacePtr()
{
    void *set = softascend::state().workspace;
    return set ? static_cast<uint8_t *>(set) : softascend::no_workspace;
}
SA_INLINE void SetNextTaskStart() {}
SA_INLINE void WaitPreTaskEnd() {}

/* ---- numbers */

template <class T, class U>
constexpr auto CeilDivision(T a, U b)
{
    return b == 0 ? 0 : (a + b - 1) / b;
}
template <class T, class U>
constexpr auto DivCeil(T a, U b)
{
    return CeilDivision(a, b);
}
template <class T, class U>
constexpr auto AlignUp(T a, U b)
{
    return CeilDivision(a, b) * b;
}
template <class T, class U>
struct IsSameType {
    static constexpr bool value = std::is_same_v<T, U>;
};
template <bool condition, class T, class U>
struct Conditional {
    using type = std::conditional_t<condition, T, U>;
};

template <class From, class To, RoundMode round>
SA_INLINE To ScalarCast(From value)
{
    float x = (float)value;
    if constexpr (std::is_same_v<To, half> && round == RoundMode::CAST_ODD) {
        half near(x);
        if ((float)near != x && x == x) { /* the odd one of its two neighbours */
            near.bits -= __builtin_fabsf((float)near) > __builtin_fabsf(x);
            near.bits |= 1;
        }
        return near;
    } else if constexpr (std::is_same_v<To, half> || std::is_same_v<To, bfloat16_t>) {
        return To(x);
    } else if constexpr (round == RoundMode::CAST_FLOOR) {
        return (To)__builtin_floorf(x);
    } else if constexpr (round == RoundMode::CAST_CEIL) {
        return (To)__builtin_ceilf(x);
    } else if constexpr (round == RoundMode::CAST_ROUND) {
        return (To)__builtin_roundf(x);
    } else if constexpr (round == RoundMode::CAST_TRUNC) {
        return (To)__builtin_truncf(x);
    } else {
        return (To)__builtin_rintf(x);
    }
}
constexpr float ToFloat(bfloat16_t value)
{
    return (float)value;
}
constexpr bfloat16_t ToBfloat16(float value)
{
    return bfloat16_t(value);
}
template <class T, class U, RoundMode round = RoundMode::CAST_RINT>
constexpr U Cast(T value)
{
    return (U)(float)value;
}

template <int countValue>
SA_INLINE int64_t ScalarGetCountOfValue(uint64_t value)
{
    return __builtin_popcountll(countValue ? value : ~value);
}
SA_INLINE int64_t ScalarCountLeadingZero(uint64_t value)
{
    return value ? __builtin_clzll(value) : 64;
}
SA_INLINE int64_t CountBitsCntSameAsSignBit(int64_t value)
{
    return __builtin_clrsbll(value);
}
/* The lowest bit that is 1 (0); -1: none. */
template <int countValue>
SA_INLINE int64_t ScalarGetSFFValue(uint64_t value)
{
    uint64_t v = countValue ? value : ~value;
    return v ? __builtin_ctzll(v) : -1;
}
template <int countValue>
SA_INLINE int64_t GetSFFValue(uint64_t value)
{
    return ScalarGetSFFValue<countValue>(value);
}
} // namespace AscendC

#endif
