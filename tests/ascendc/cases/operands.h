/* What the calls of elementwise kind take, read from a case's numbers:
 *   0 form   0 count; 1 the first of a repeat; 2 bits; 3 counter mode; 4 mask register
 *   1-3      byte offsets of dst, first and second source
 *   4, 5     count or mask (low, high)      6  times
 *   7-9      block strides of dst, sources  10-12  repeat strides
 * Numbers: 0 the scalar. */
#ifndef TEST_ASCENDC_CASES_OPERANDS_H
#define TEST_ASCENDC_CASES_OPERANDS_H

#include "call.h"

using namespace AscendC;

template <class T, class U = T>
struct operands {
    LocalTensor<T> d;
    LocalTensor<U> a, b;
    int32_t n;
    uint64_t first, bits[2];
    uint8_t times;
    BinaryRepeatParams two;
    UnaryRepeatParams one;
    U scalar;

    operands(const call &c)
        : d(c.at<T>(1)), a(c.at<U>(2)), b(c.at<U>(3)), n((int32_t)c.i[4]),
          first((uint64_t)c.i[4]), bits{(uint64_t)c.i[4], (uint64_t)c.i[5]}, times((uint8_t)c.i[6]),
          two((uint8_t)c.i[7], (uint8_t)c.i[8], (uint8_t)c.i[9], (uint8_t)c.i[10], (uint8_t)c.i[11],
              (uint8_t)c.i[12]),
          one((uint16_t)c.i[7], (uint16_t)c.i[8], (uint16_t)c.i[10], (uint16_t)c.i[11]),
          scalar((U)c.f[0])
    {
    }
};

/* The five forms of a call: the arguments are those before the count, `params` the strides. */
#define FORMS(T, U, Call, CallNoMask, params, ...)                                                 \
    operands<T, U> o(c);                                                                           \
    switch (c.i[0]) {                                                                              \
    case 0:                                                                                        \
        return Call(__VA_ARGS__, o.n);                                                             \
    case 1:                                                                                        \
        return Call(__VA_ARGS__, o.first, o.times, o.params);                                      \
    case 2:                                                                                        \
        return Call(__VA_ARGS__, o.bits, o.times, o.params);                                       \
    case 3:                                                                                        \
        SetMaskCount();                                                                            \
        SetVectorMask<T, MaskMode::COUNTER>(o.n);                                                  \
        return CallNoMask(__VA_ARGS__, MASK_PLACEHOLDER, 1, o.params);                             \
    default:                                                                                       \
        SetVectorMask<T, MaskMode::NORMAL>(o.bits[1], o.bits[0]);                                  \
        return CallNoMask(__VA_ARGS__, MASK_PLACEHOLDER, o.times, o.params);                       \
    }

#endif
