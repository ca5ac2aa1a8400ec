/* Element types of the Ascend C door (kernel_operator.h): half, bfloat16_t, and their sa_dtype. */
#ifndef ASCENDC_TYPES_H
#define ASCENDC_TYPES_H

#include "ascendc/base.h"

#include <limits>
#include <type_traits>

/* fp16 as it lies in memory; arithmetic on single values goes through float. */
struct half {
    uint16_t bits;

    half() = default;
    constexpr SA_INLINE half(float value) : bits(from_float(value)) {}
    constexpr SA_INLINE operator float() const { return to_float(bits); }

    /* To nearest, ties to even; too large is infinity; a NaN stays one. */
    static constexpr uint16_t from_float(float value)
    {
        uint32_t f = __builtin_bit_cast(uint32_t, value);
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

    static constexpr float to_float(uint16_t h)
    {
        uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff;
        if (exponent == 0) {
            float value = (float)mantissa * 0x1p-24f;
            return sign ? -value : value;
        }
        return __builtin_bit_cast(
            float, sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | mantissa << 13);
    }
};

/* bf16 as it lies in memory. */
struct bfloat16_t {
    uint16_t bits;

    bfloat16_t() = default;
    constexpr SA_INLINE bfloat16_t(float value) : bits(from_float(value)) {}
    constexpr SA_INLINE operator float() const
    {
        return __builtin_bit_cast(float, (uint32_t)bits << 16);
    }

    static constexpr uint16_t from_float(float value)
    {
        uint32_t f = __builtin_bit_cast(uint32_t, value);
        bool nan = (f & 0x7fffffff) > 0x7f800000;
        return (uint16_t)((nan ? f | 0x400000 : f + 0x7fff + (f >> 16 & 1)) >> 16);
    }
};

#define SA_ASSIGN(type, op)                                                                        \
    template <class T>                                                                             \
    constexpr SA_INLINE type &operator op##=(type &a, T b)                                         \
    {                                                                                              \
        return a = type((float)a op(float) b);                                                     \
    }
#define SA_ASSIGNS(type) SA_ASSIGN(type, +) SA_ASSIGN(type, -) SA_ASSIGN(type, *) SA_ASSIGN(type, /)
SA_ASSIGNS(half)
SA_ASSIGNS(bfloat16_t)
#undef SA_ASSIGNS
#undef SA_ASSIGN

/* Two 4-bit integers a byte: storage only. */
struct int4b_t {
    uint8_t storage;
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
SA_DTYPE_OF(double, SA_F64)
SA_DTYPE_OF(half, SA_F16)
SA_DTYPE_OF(bfloat16_t, SA_BF16)
SA_DTYPE_OF(bool, SA_BOOL)
SA_DTYPE_OF(int8_t, SA_I8)
SA_DTYPE_OF(uint8_t, SA_U8)
SA_DTYPE_OF(int16_t, SA_I16)
SA_DTYPE_OF(uint16_t, SA_U16)
SA_DTYPE_OF(int32_t, SA_I32)
SA_DTYPE_OF(uint32_t, SA_U32)
SA_DTYPE_OF(int64_t, SA_I64)
SA_DTYPE_OF(uint64_t, SA_U64)
SA_DTYPE_OF(long long, SA_I64)
SA_DTYPE_OF(unsigned long long, SA_U64)
#undef SA_DTYPE_OF

template <class T>
constexpr sa_dtype dtype = dtype_of<T>::value;

template <class T>
constexpr uint64_t global_bytes_of(uint64_t count)
{
    return std::is_same_v<T, int4b_t> ? count / 2 : count * sizeof(T);
}
template <class T>
constexpr uint32_t bytes_of(uint64_t count)
{
    return (uint32_t)global_bytes_of<T>(count);
}

/* A parameter that takes what the others make of it: Adds(half…, 2.0f). */
template <class T>
struct same {
    using type = T;
};
template <class T>
using same_t = typename same<T>::type;
} // namespace softascend

template <>
struct std::numeric_limits<half> : std::numeric_limits<float> {
    static constexpr half from_bits(uint16_t bits) { return __builtin_bit_cast(half, bits); }
    static constexpr int digits = 11, max_exponent = 16, min_exponent = -13;
    static constexpr half max() { return from_bits(0x7bff); }
    static constexpr half lowest() { return from_bits(0xfbff); }
    static constexpr half min() { return from_bits(0x0400); }
    static constexpr half epsilon() { return from_bits(0x1400); }
    static constexpr half infinity() { return from_bits(0x7c00); }
    static constexpr half quiet_NaN() { return from_bits(0x7e00); }
};

#endif
