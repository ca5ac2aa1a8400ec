/* Compare, Select, and the registers they use. Numbers beyond operands.h's: 13 the mode, 14 the
 * byte offset of the bits. */
#include "operands.h"

#define MODE ((CMPMODE)c.i[13])
#define COMPARE(T)                                                                                 \
    CALL(                                                                                          \
        "Compare", T, operands<T> o(c); LocalTensor<uint8_t> d = c.at<uint8_t>(1);                 \
        switch (c.i[0]) {                                                                          \
            case 0:                                                                                \
                return Compare(d, o.a, o.b, MODE, (uint32_t)o.n);                                  \
            case 1:                                                                                \
                return Compare(d, o.a, o.b, MODE, o.first, o.times, o.two);                        \
            case 2:                                                                                \
                return Compare(d, o.a, o.b, MODE, o.bits, o.times, o.two);                         \
            case 5: /* into the register, and from there to UB */                                  \
                Compare(o.a, o.b, MODE, o.first, o.two);                                           \
                PipeBarrier<PIPE_V>();                                                             \
                return GetCmpMask(d);                                                              \
        })
#define COMPARE_SCALAR(T)                                                                          \
    CALL(                                                                                          \
        "CompareScalar", T, operands<T> o(c); LocalTensor<uint8_t> d = c.at<uint8_t>(1);           \
        switch (c.i[0]) {                                                                          \
            case 0:                                                                                \
                return CompareScalar(d, o.a, o.scalar, MODE, (uint32_t)o.n);                       \
            case 1:                                                                                \
                return CompareScalar(d, o.a, o.scalar, MODE, o.first, o.times, o.one);             \
            case 2:                                                                                \
                return CompareScalar(d, o.a, o.scalar, MODE, o.bits, o.times, o.one);              \
        })
#define SELECT(T)                                                                                  \
    CALL(                                                                                          \
        "Select", T, operands<T> o(c); LocalTensor<uint8_t> m = c.at<uint8_t>(14);                 \
        SELMODE mode = (SELMODE)c.i[13]; if (mode == SELMODE::VSEL_TENSOR_SCALAR_MODE) {           \
            c.i[0] == 0   ? Select(o.d, m, o.a, o.scalar, mode, (uint32_t)o.n)                     \
            : c.i[0] == 1 ? Select(o.d, m, o.a, o.scalar, mode, o.first, o.times, o.two)           \
                          : Select(o.d, m, o.a, o.scalar, mode, o.bits, o.times, o.two);           \
        } else if (c.i[0] == 5) {                                                                  \
            SetCmpMask(m);                                                                         \
            SetVectorMask<T, MaskMode::NORMAL>(o.bits[1], o.bits[0]);                              \
            PipeBarrier<PIPE_V>();                                                                 \
            Select(o.d, o.a, o.b, o.times, o.two);                                                 \
        } else {                                                                                   \
            c.i[0] == 0   ? Select(o.d, m, o.a, o.b, mode, (uint32_t)o.n)                          \
            : c.i[0] == 1 ? Select(o.d, m, o.a, o.b, mode, o.first, o.times, o.two)                \
                          : Select(o.d, m, o.a, o.b, mode, o.bits, o.times, o.two);                \
        })

static const entry entries[] = {COMPARE(float) COMPARE(half) COMPARE(int32_t) COMPARE_SCALAR(
    float) COMPARE_SCALAR(half) COMPARE_SCALAR(int32_t) SELECT(float) SELECT(half)};

void add_compare(table &t)
{
    t.insert(t.end(), std::begin(entries), std::end(entries));
}
