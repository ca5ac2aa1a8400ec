/* Elementwise calls; their numbers are those of operands.h. */
#include "operands.h"

#define BINARY(Name, T) CALL(#Name, T, FORMS(T, T, Name, (Name<T, false>), two, o.d, o.a, o.b))
#define UNARY(Name, T) CALL(#Name, T, FORMS(T, T, Name, (Name<T, false>), one, o.d, o.a))
#define SCALAR(Name, T) CALL(#Name, T, FORMS(T, T, Name, (Name<T, false>), one, o.d, o.a, o.scalar))
#define FLOATS(KIND, Name) KIND(Name, float) KIND(Name, half)
#define ARITH(KIND, Name) FLOATS(KIND, Name) KIND(Name, int16_t) KIND(Name, int32_t)
#define SHORTS(KIND, Name) KIND(Name, int16_t) KIND(Name, uint16_t)
#define BITS(KIND, Name) SHORTS(KIND, Name) KIND(Name, int32_t) KIND(Name, uint32_t)

static const entry entries[] = {
    ARITH(BINARY, Add) ARITH(BINARY, Sub) ARITH(BINARY, Mul) FLOATS(BINARY, Div) ARITH(BINARY, Max)
        ARITH(BINARY, Min) SHORTS(BINARY, And) SHORTS(BINARY, Or) FLOATS(BINARY, AddRelu)
            BINARY(AddRelu, int16_t) FLOATS(BINARY, SubRelu) BINARY(SubRelu, int16_t)
                FLOATS(BINARY, Prelu) FLOATS(BINARY, FusedMulAdd) FLOATS(BINARY, FusedMulAddRelu)

                    FLOATS(UNARY, Abs) FLOATS(UNARY, Exp) FLOATS(UNARY, Ln) FLOATS(UNARY, Sqrt)
                        FLOATS(UNARY, Rsqrt) FLOATS(UNARY, Reciprocal) FLOATS(UNARY, Relu)
                            UNARY(Relu, int32_t) SHORTS(UNARY, Not)

                                ARITH(SCALAR, Adds) ARITH(SCALAR, Muls) ARITH(SCALAR, Maxs) ARITH(
                                    SCALAR, Mins) FLOATS(SCALAR, Divs) FLOATS(SCALAR, LeakyRelu)
                                    BITS(SCALAR, ShiftLeft) BITS(SCALAR, ShiftRight)

#define WIDE(T, U, Name)                                                                           \
    {Name,                                                                                         \
     [](const call &c) { FORMS(T, U, MulAddDst, (MulAddDst<T, U, false>), two, o.d, o.a, o.b) }},
                                        WIDE(float, float, "MulAddDst.f32")
                                            WIDE(half, half, "MulAddDst.f16")
                                                WIDE(float, half, "MulAddDst.f32.f16")
#define AXPY(T, U, Name)                                                                           \
    {Name, [](const call &c) { FORMS(T, U, Axpy, (Axpy<T, U, false>), one, o.d, o.a, o.scalar) }},
                                                    AXPY(float, float, "Axpy.f32")
                                                        AXPY(half, half, "Axpy.f16")
                                                            AXPY(float, half, "Axpy.f32.f16")};

/* ShiftRight with rounding. */
#define ROUNDED(T)                                                                                 \
    CALL("ShiftRightRound", T, operands<T> o(c);                                                   \
         c.i[0] == 0 ? ShiftRight(o.d, o.a, o.scalar, o.n, true)                                   \
                     : ShiftRight(o.d, o.a, o.scalar, o.bits, o.times, o.one, true);)
static const entry rounded[] = {ROUNDED(int16_t) ROUNDED(int32_t)};

#define DUPLICATE(T)                                                                               \
    CALL(                                                                                          \
        "Duplicate", T, operands<T> o(c); uint16_t block = (uint16_t)c.i[7];                       \
        uint8_t repeat = (uint8_t)c.i[10]; switch (c.i[0]) {                                       \
            case 0:                                                                                \
                return Duplicate(o.d, o.scalar, o.n);                                              \
            case 1:                                                                                \
                return Duplicate(o.d, o.scalar, o.first, o.times, block, repeat);                  \
            case 2:                                                                                \
                return Duplicate(o.d, o.scalar, o.bits, o.times, block, repeat);                   \
            case 3:                                                                                \
                SetMaskCount();                                                                    \
                SetVectorMask<T, MaskMode::COUNTER>(o.n);                                          \
                return Duplicate<T, false>(o.d, o.scalar, MASK_PLACEHOLDER, 1, block, repeat);     \
            default:                                                                               \
                SetVectorMask<T, MaskMode::NORMAL>(o.bits[1], o.bits[0]);                          \
                return Duplicate<T, false>(o.d, o.scalar, MASK_PLACEHOLDER, o.times, block,        \
                                           repeat);                                                \
        })
#define COPY(T)                                                                                    \
    CALL(                                                                                          \
        "Copy", T, operands<T> o(c); CopyRepeatParams p(o.one.dstBlkStride, o.one.srcBlkStride,    \
                                                        o.one.dstRepStride, o.one.srcRepStride);   \
        switch (c.i[0]) {                                                                          \
            case 1:                                                                                \
                return Copy(o.d, o.a, o.first, o.times, p);                                        \
            case 2:                                                                                \
                return Copy(o.d, o.a, o.bits, o.times, p);                                         \
            case 3:                                                                                \
                SetMaskCount();                                                                    \
                SetVectorMask<T, MaskMode::COUNTER>(o.n);                                          \
                return Copy<T, false>(o.d, o.a, MASK_PLACEHOLDER, 1, p);                           \
            default:                                                                               \
                SetVectorMask<T, MaskMode::NORMAL>(o.bits[1], o.bits[0]);                          \
                return Copy<T, false>(o.d, o.a, MASK_PLACEHOLDER, o.times, p);                     \
        })
static const entry fills[] = {
    DUPLICATE(float) DUPLICATE(half) DUPLICATE(bfloat16_t) DUPLICATE(int16_t) DUPLICATE(uint16_t)
        DUPLICATE(int32_t) DUPLICATE(uint32_t) COPY(float) COPY(half) COPY(bfloat16_t) COPY(int16_t)
            COPY(uint16_t) COPY(int32_t) COPY(uint32_t)};

void add_elementwise(table &t)
{
    t.insert(t.end(), std::begin(entries), std::end(entries));
    t.insert(t.end(), std::begin(rounded), std::end(rounded));
    t.insert(t.end(), std::begin(fills), std::end(fills));
}
