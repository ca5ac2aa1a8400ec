/* Names that calls of the Ascend C door take (kernel_operator.h): positions, pipes, events, modes.
 * The names are the public documentation's; the values are the core's where it has the same. */
#ifndef ASCENDC_ENUMS_H
#define ASCENDC_ENUMS_H

#include "ascendc/positions.h"
#include "ascendc/types.h"

using pipe_t = sa_pipe;
constexpr sa_pipe PIPE_S = SA_PIPE_S;
constexpr sa_pipe PIPE_V = SA_PIPE_V;
constexpr sa_pipe PIPE_M = SA_PIPE_M;
constexpr sa_pipe PIPE_MTE1 = SA_PIPE_MTE1;
constexpr sa_pipe PIPE_MTE2 = SA_PIPE_MTE2;
constexpr sa_pipe PIPE_MTE3 = SA_PIPE_MTE3;
constexpr sa_pipe PIPE_FIX = SA_PIPE_FIX;
constexpr sa_pipe PIPE_ALL = SA_PIPE_ALL;

enum event_t {
    EVENT_ID0,
    EVENT_ID1,
    EVENT_ID2,
    EVENT_ID3,
    EVENT_ID4,
    EVENT_ID5,
    EVENT_ID6,
    EVENT_ID7
};

/* Kernel kinds of KERNEL_TASK_TYPE; the launch (ascc) decides by them. */
enum KernelMetaType {
    KERNEL_TYPE_AIV_ONLY,
    KERNEL_TYPE_AIC_ONLY,
    KERNEL_TYPE_MIX_AIV_1_0,
    KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1,
    KERNEL_TYPE_MIX_AIC_1_2,
    KERNEL_TYPE_AICORE,
    KERNEL_TYPE_VECTORCORE,
    KERNEL_TYPE_MIX_AICORE,
    KERNEL_TYPE_MIX_VECTOR_CORE,
};

namespace AscendC
{
enum class RoundMode {
    CAST_NONE = SA_ROUND_NONE,
    CAST_RINT = SA_ROUND_RINT,
    CAST_FLOOR = SA_ROUND_FLOOR,
    CAST_CEIL = SA_ROUND_CEIL,
    CAST_ROUND = SA_ROUND_ROUND,
    CAST_TRUNC = SA_ROUND_TRUNC,
    CAST_ODD = SA_ROUND_ODD,
};

enum class CMPMODE : uint8_t {
    LT = SA_LT,
    GT = SA_GT,
    EQ = SA_EQ,
    LE = SA_LE,
    GE = SA_GE,
    NE = SA_NE,
};

enum class SELMODE : uint8_t {
    VSEL_CMPMASK_SPR,
    VSEL_TENSOR_SCALAR_MODE,
    VSEL_TENSOR_TENSOR_MODE,
};

enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class ReduceMode : uint8_t { SUM, MIN, MAX };
enum class ReduceOrder : uint8_t {
    ORDER_VALUE_INDEX,
    ORDER_INDEX_VALUE,
    ORDER_ONLY_VALUE,
    ORDER_ONLY_INDEX,
};

/* Who sets and who waits, as one value: from * 8 + to. */
#define SA_HARD_EVENT(from, to) from##_##to = SA_PIPE_##from * 8 + SA_PIPE_##to
enum class HardEvent : uint8_t {
    SA_HARD_EVENT(MTE2, MTE1),
    SA_HARD_EVENT(MTE1, MTE2),
    SA_HARD_EVENT(MTE1, M),
    SA_HARD_EVENT(M, MTE1),
    SA_HARD_EVENT(M, FIX),
    SA_HARD_EVENT(FIX, M),
    SA_HARD_EVENT(MTE2, V),
    SA_HARD_EVENT(V, MTE2),
    SA_HARD_EVENT(MTE3, V),
    SA_HARD_EVENT(V, MTE3),
    SA_HARD_EVENT(M, V),
    SA_HARD_EVENT(V, M),
    SA_HARD_EVENT(V, V),
    SA_HARD_EVENT(MTE3, MTE1),
    SA_HARD_EVENT(MTE1, MTE3),
    SA_HARD_EVENT(MTE1, V),
    SA_HARD_EVENT(V, MTE1),
    SA_HARD_EVENT(MTE2, M),
    SA_HARD_EVENT(M, MTE2),
    SA_HARD_EVENT(M, MTE3),
    SA_HARD_EVENT(MTE3, M),
    SA_HARD_EVENT(MTE2, MTE3),
    SA_HARD_EVENT(MTE3, MTE2),
    SA_HARD_EVENT(S, V),
    SA_HARD_EVENT(V, S),
    SA_HARD_EVENT(S, MTE2),
    SA_HARD_EVENT(MTE2, S),
    SA_HARD_EVENT(S, MTE3),
    SA_HARD_EVENT(MTE3, S),
    SA_HARD_EVENT(S, M),
    SA_HARD_EVENT(M, S),
    SA_HARD_EVENT(S, MTE1),
    SA_HARD_EVENT(MTE1, S),
    SA_HARD_EVENT(S, FIX),
    SA_HARD_EVENT(FIX, S),
    SA_HARD_EVENT(FIX, V),
    SA_HARD_EVENT(V, FIX),
    SA_HARD_EVENT(FIX, MTE1),
    SA_HARD_EVENT(MTE1, FIX),
    SA_HARD_EVENT(FIX, MTE2),
    SA_HARD_EVENT(MTE2, FIX),
    SA_HARD_EVENT(FIX, MTE3),
    SA_HARD_EVENT(MTE3, FIX),
    SA_HARD_EVENT(FIX, FIX),
    SA_HARD_EVENT(MTE2, MTE2),
    SA_HARD_EVENT(MTE3, MTE3),
    SA_HARD_EVENT(MTE1, MTE1),
};
#undef SA_HARD_EVENT

enum class CacheMode {
    CACHE_MODE_DISABLE,
    CACHE_MODE_NORMAL,
    CACHE_MODE_LAST,
    CACHE_MODE_PERSISTENT
};
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class MemDsbT : uint64_t { ALL, DDR, UB, SEQ };
enum class AtomicDtype {
    ATOMIC_NONE,
    ATOMIC_F32,
    ATOMIC_F16,
    ATOMIC_S16,
    ATOMIC_S32,
    ATOMIC_S8,
    ATOMIC_BF16
};
enum class AtomicOp { ATOMIC_SUM };

enum class ReducePattern : uint32_t { AR, RA };
enum class DataFormat : uint8_t { ND, NZ, NCHW, NC1HWC0, NHWC };
enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE,
    TRANSPOSE_NZ2ND_0213,
    TRANSPOSE_NZ2NZ_0213,
    TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N,
    TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM,
    TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16,
    TRANSPOSE_NCHW2NHWC,
    TRANSPOSE_NHWC2NCHW,
};

/* For calls that take the mask from the registers. */
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};

constexpr int32_t ONE_BLK_SIZE = 32;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr int32_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr int32_t DEFAULT_BLOCK_SIZE = 256;
constexpr int32_t TOTAL_UB_SIZE = 192 * 1024;
constexpr int32_t TOTAL_VEC_LOCAL_SIZE = 184 * 1024;
} // namespace AscendC

#endif
