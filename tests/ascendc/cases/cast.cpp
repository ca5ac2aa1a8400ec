/* Cast of every pair that the documentation of arch 2201 lists. Numbers beyond operands.h's: 13 the
 * rounding mode. */
#include "operands.h"

#define ROUND ((RoundMode)c.i[13])
template <class To, class From>
static void cast(const call &c)
{
    LocalTensor<To> d = c.at<To>(1);
    LocalTensor<From> a = c.at<From>(2);
    const uint64_t bits[2] = {(uint64_t)c.i[4], (uint64_t)c.i[5]};
    UnaryRepeatParams p((uint16_t)c.i[7], (uint16_t)c.i[8], (uint16_t)c.i[10], (uint16_t)c.i[11]);
    uint8_t times = (uint8_t)c.i[6];
    SetDeqScale(half((float)c.f[0]));
    if constexpr (std::is_same_v<To, int4b_t> || std::is_same_v<From, int4b_t>) {
        return Cast(d, a, ROUND, (uint32_t)c.i[4]);
    } else
        switch (c.i[0]) {
        case 0:
            return Cast(d, a, ROUND, (uint32_t)c.i[4]);
        case 1:
            return Cast(d, a, ROUND, bits[0], times, p);
        case 2:
            return Cast(d, a, ROUND, bits, times, p);
        case 3:
            SetMaskCount();
            SetVectorMask<To, MaskMode::COUNTER>((int32_t)c.i[4]);
            return Cast<To, From, false>(d, a, ROUND, MASK_PLACEHOLDER, 1, p);
        default:
            SetVectorMask<To, MaskMode::NORMAL>(bits[1], bits[0]);
            return Cast<To, From, false>(d, a, ROUND, MASK_PLACEHOLDER, times, p);
        }
}
#define CAST(To, From) {"Cast." NAME_##To "." NAME_##From, cast<To, From>},

static const entry entries[] = {
    CAST(float, half) CAST(int32_t, half) CAST(int16_t, half) CAST(int8_t, half) CAST(uint8_t, half)
        CAST(int4b_t, half) CAST(float, float) CAST(half, float) CAST(bfloat16_t, float)
            CAST(int64_t, float) CAST(int32_t, float) CAST(int16_t, float) CAST(float, bfloat16_t)
                CAST(int32_t, bfloat16_t) CAST(half, int4b_t) CAST(half, uint8_t) CAST(half, int8_t)
                    CAST(half, int16_t) CAST(float, int16_t) CAST(float, int32_t)
                        CAST(int64_t, int32_t) CAST(int16_t, int32_t) CAST(half, int32_t)
                            CAST(int32_t, int64_t) CAST(float, int64_t)};

void add_cast(table &t)
{
    t.insert(t.end(), std::begin(entries), std::end(entries));
}
