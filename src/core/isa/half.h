/* fp16 and bf16 to and from fp32, to nearest even, on the bits: exact on every CPU, subnormals and
 * infinities included. NaN stays NaN. */
#ifndef SA_HALF_H
#define SA_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t sa_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float sa_bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float sa_half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7FFF;
    if (rest >= 0x7C00) /* infinity, NaN (made quiet) */
        return sa_bits_float(sign | 0x7F800000u | rest << 13 | (rest > 0x7C00 ? 0x400000u : 0));
    if (rest < 0x0400) { /* zero, subnormal: rest * 2^-24 */
        float x = (float)rest * 0x1p-24f;
        return sign ? -x : x;
    }
    return sa_bits_float(sign | ((rest << 13) + 0x38000000u));
}

static inline uint16_t sa_float_to_half(float x)
{
    uint32_t bits = sa_float_bits(x), sign = bits >> 16 & 0x8000, rest = bits & 0x7FFFFFFF;
    if (rest > 0x7F800000u)
        return (uint16_t)(sign | 0x7E00 | (rest >> 13 & 0x3FF));
    if (rest >= 0x477FF000u) /* 65520 and above */
        return (uint16_t)(sign | 0x7C00);
    if (rest < 0x38800000u) /* below 2^-14: adding 1/2 leaves multiples of 2^-24 */
        return (uint16_t)(sign | (sa_float_bits(sa_bits_float(rest) + 0.5f) - 0x3F000000u));
    return (uint16_t)(sign | ((rest - 0x38000000u + 0xFFF + (rest >> 13 & 1)) >> 13));
}

static inline float sa_bf16_to_float(uint16_t h)
{
    return sa_bits_float((uint32_t)h << 16);
}

static inline uint16_t sa_float_to_bf16(float x)
{
    uint32_t bits = sa_float_bits(x);
    if ((bits & 0x7FFFFFFF) > 0x7F800000u)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

#endif
