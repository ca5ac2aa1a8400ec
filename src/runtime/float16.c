/* binary16 and binary32, in integer arithmetic: the caller's rounding mode and denormal flags do
 * not matter. */
#include "acl/acl_base.h"

#include <string.h>

float aclFloat16ToFloat(aclFloat16 value)
{
    uint32_t sign = (uint32_t)(value & 0x8000) << 16;
    uint32_t exponent = value >> 10 & 31, fraction = value & 0x3ff, bits;
    if (exponent == 31) {
        bits = 0x7f800000 | fraction << 13;
    } else if (exponent) {
        bits = (exponent + 112) << 23 | fraction << 13;
    } else if (fraction) {
        exponent = 113;
        while (!(fraction & 0x400)) {
            fraction <<= 1;
            exponent--;
        }
        bits = exponent << 23 | (fraction & 0x3ff) << 13;
    } else {
        bits = 0;
    }
    bits |= sign;
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

aclFloat16 aclFloatToFloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) /* NaN: keeps the payload's top, quiet */
        return sign | 0x7e00 | (magnitude >> 13 & 0x1ff);
    if (magnitude >= 0x477ff000) /* 65520 and above round to infinity */
        return sign | 0x7c00;
    uint32_t exponent = magnitude >> 23;
    if (exponent < 102) /* below half of the smallest subnormal */
        return sign;
    /* The result is `kept` in units of its last place; what was cut decides the rounding. */
    uint32_t fraction = magnitude & 0x7fffff, cut = 13, kept = magnitude - (112u << 23);
    if (exponent < 113) {
        kept = fraction | 0x800000;
        cut = 126 - exponent;
    }
    uint32_t rest = kept & ((1u << cut) - 1), half = 1u << (cut - 1);
    kept >>= cut;
    if (rest > half || (rest == half && kept & 1))
        kept++;
    return sign | (uint16_t)kept;
}
