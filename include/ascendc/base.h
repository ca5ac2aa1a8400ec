/* Attributes, element types and the running core of the Ascend C door (kernel_operator.h). */
#ifndef ASCENDC_BASE_H
#define ASCENDC_BASE_H

#include "softascend/core.h"

#include <cstdint>
#include <cstring>

#ifndef __global__ /* ascc reads it */
#define __global__
#endif
#define __aicore__
#define __gm__
#define __ubuf__
#define GM_ADDR uint8_t *
#define SA_INLINE inline __attribute__((always_inline))

/* fp16 as it lies in memory; arithmetic on single values goes through float. */
struct half {
    uint16_t bits;

    half() = default;
    SA_INLINE half(float value) : bits(from_float(value)) {}
    SA_INLINE operator float() const { return to_float(bits); }

    /* To nearest, ties to even; too large is infinity; a NaN stays one. */
    static uint16_t from_float(float value)
    {
        uint32_t f;
        std::memcpy(&f, &value, sizeof f);
        uint32_t sign = f >> 16 & 0x8000, mantissa = f & 0x7fffff;
        int exponent = (int)(f >> 23 & 0xff) - 127;
        if (exponent == 128) {
            return (uint16_t)(sign | 0x7c00 | (mantissa ? 0x200 | mantissa >> 13 : 0));
        }
        if (exponent < -25) {
            return (uint16_t)sign;
        }
        /* the value is significand * 2^(exponent - 23); below 2^-14 the step stays 2^-24 */
        uint32_t significand = mantissa | 0x800000;
        int drop = exponent < -14 ? -exponent - 1 : 13;
        uint32_t kept = significand >> drop, lost = significand & ((1u << drop) - 1);
        uint32_t halfway = 1u << (drop - 1);
        kept += lost > halfway || (lost == halfway && (kept & 1));
        /* a carry out of the significand moves the exponent, up to infinity */
        uint32_t magnitude = exponent < -14 ? kept : (uint32_t)((exponent + 14) * 1024) + kept;
        return (uint16_t)(sign | (magnitude > 0x7c00 ? 0x7c00 : magnitude));
    }

    static float to_float(uint16_t h)
    {
        uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff;
        float value;
        if (exponent == 0) {
            value = (float)mantissa * 0x1p-24f;
            return sign ? -value : value;
        }
        uint32_t f =
            sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | mantissa << 13;
        std::memcpy(&value, &f, sizeof value);
        return value;
    }
};

/* bf16 as it lies in memory. */
struct bfloat16_t {
    uint16_t bits;

    bfloat16_t() = default;
    SA_INLINE bfloat16_t(float value)
    {
        uint32_t f;
        std::memcpy(&f, &value, sizeof f);
        bool nan = (f & 0x7fffffff) > 0x7f800000;
        bits = (uint16_t)((nan ? f | 0x400000 : f + 0x7fff + (f >> 16 & 1)) >> 16);
    }
    SA_INLINE operator float() const
    {
        uint32_t f = (uint32_t)bits << 16;
        float value;
        std::memcpy(&value, &f, sizeof value);
        return value;
    }
};

namespace softascend
{
template <class T>
struct dtype_of;
#define SA_DTYPE_OF(type, dtype)                                                                   \
    template <>                                                                                    \
    struct dtype_of<type> {                                                                        \
        static constexpr sa_dtype value = dtype;                                                   \
    };
SA_DTYPE_OF(float, SA_F32)
SA_DTYPE_OF(half, SA_F16)
SA_DTYPE_OF(bfloat16_t, SA_BF16)
SA_DTYPE_OF(int8_t, SA_I8)
SA_DTYPE_OF(uint8_t, SA_U8)
SA_DTYPE_OF(int16_t, SA_I16)
SA_DTYPE_OF(uint16_t, SA_U16)
SA_DTYPE_OF(int32_t, SA_I32)
SA_DTYPE_OF(uint32_t, SA_U32)
SA_DTYPE_OF(int64_t, SA_I64)
SA_DTYPE_OF(uint64_t, SA_U64)
#undef SA_DTYPE_OF
} // namespace softascend

namespace AscendC
{
enum class TPosition { GM, A1, B1, A2, B2, CO1, VECIN, VECOUT, VECCALC };
using QuePosition = TPosition;

SA_INLINE int64_t GetBlockIdx()
{
    return sa_block_idx(sa_self());
}

SA_INLINE int64_t GetBlockNum()
{
    return sa_block_num(sa_self());
}
} // namespace AscendC

#endif
