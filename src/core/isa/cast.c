/* Conversions between all pairs of dtypes.
 *
 *   float to float     to nearest even; a rounding mode other than NONE and RINT is honoured when
 * the result has fewer bits. Same dtype: NONE copies, others round to an integral value. float to
 * integer   rounds as asked (NONE: to nearest even), saturates, NaN becomes 0 integer to float
 * rounds as asked integer to integer keeps the low bits; SATURATE clamps int32 to int16, int64 to
 * int32. to bool            is it other than 0; bool counts as 0 or 1
 *
 * Every value passes through a double: all dtypes but the 64-bit integers fit one, and those are
 * rounded to odd, so that the second rounding cannot err. */
#include "core/isa/body.h"

/* An integral value from x in the mode asked for. */
static inline double integral(double x, sa_round round)
{
    switch (round) {
    case SA_ROUND_FLOOR:
        return floor(x);
    case SA_ROUND_CEIL:
        return ceil(x);
    case SA_ROUND_ROUND:
        return __builtin_round(x);
    case SA_ROUND_TRUNC:
        return trunc(x);
    case SA_ROUND_ODD: {
        double down = floor(x);
        return down == x || fmod(down, 2) != 0 ? down : down + 1;
    }
    default:
        return rint(x);
    }
}

/* x rounded to a float format of `bits` significant bits, smallest positive `tiny`, largest finite
 * `largest`: a double that the format holds exactly, or an infinity. */
static double to_format(double x, sa_round round, int bits, double tiny, double largest)
{
    if (x != x || x - x != 0 || x == 0)
        return x;
    int exponent;
    frexp(x, &exponent);
    double unit = ldexp(1, exponent - bits); /* of the last place */
    if (unit < tiny)
        unit = tiny;
    double y = copysign(integral(x / unit, round) * unit, x);
    if (fabs(y) <= largest)
        return y;
    switch (round) { /* past the largest: modes that round inwards stop there */
    case SA_ROUND_TRUNC:
    case SA_ROUND_ODD:
        return copysign(largest, x);
    case SA_ROUND_FLOOR:
        return x > 0 ? largest : -INFINITY;
    case SA_ROUND_CEIL:
        return x > 0 ? INFINITY : -largest;
    default:
        return copysign(INFINITY, x);
    }
}

static inline storage_F32 narrow_F32(double x, sa_round round)
{
    if (round <= SA_ROUND_RINT)
        return (float)x;
    return (float)to_format(x, round, 24, 0x1p-149, 0x1.fffffep127);
}
static inline storage_F16 narrow_F16(double x, sa_round round)
{
    if (round <= SA_ROUND_RINT)
        return sa_double_to_half(x);
    return sa_double_to_half(to_format(x, round, 11, 0x1p-24, 65504));
}
static inline storage_BF16 narrow_BF16(double x, sa_round round)
{
    if (round <= SA_ROUND_RINT)
        return sa_double_to_bf16(x);
    return sa_double_to_bf16(to_format(x, round, 8, 0x1p-133, 0x1.fep127));
}

/* Integers as doubles; of 64-bit ones the lost bits are gathered in the last kept one. */
static inline double odd_I64(int64_t x)
{
    uint64_t m = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    if (m >> 53) /* keep 53 bits and more: 11 are left over */
        m = (m >> 11 | ((m & 0x7ff) != 0)) << 11;
    return x < 0 ? -(double)m : (double)m;
}
static inline double odd_U64(uint64_t x)
{
    return x >> 53 ? (double)((x >> 11 | ((x & 0x7ff) != 0)) << 11) : (double)x;
}
#define WIDE(D, expression)                                                                        \
    static inline double wide_##D(storage_##D x)                                                   \
    {                                                                                              \
        return expression;                                                                         \
    }
WIDE(F32, (double)x)
WIDE(F16, (double)sa_half_to_float(x))
WIDE(BF16, (double)sa_bf16_to_float(x))
WIDE(I8, x)
WIDE(U8, x)
WIDE(BOOL, x != 0)
WIDE(I16, x)
WIDE(U16, x)
WIDE(I32, x)
WIDE(U32, x)
WIDE(I64, odd_I64(x))
WIDE(U64, odd_U64(x))

#define PAIR(to, from, expression)                                                                 \
    static void cast_##to##_##from(void *dst, const void *src, sa_round round, size_t n)           \
    {                                                                                              \
        storage_##to *out = dst;                                                                   \
        const storage_##from *in = src;                                                            \
        (void)round;                                                                               \
        for (size_t i = 0; i < n; i++) {                                                           \
            const storage_##from x = in[i];                                                        \
            out[i] = (storage_##to)(expression);                                                   \
        }                                                                                          \
    }

#define TO_FLOAT(to, from) PAIR(to, from, narrow_##to(wide_##from(x), round))
#define FLOAT_TO_INTEGER(to, from) PAIR(to, from, scalar_##to(integral(wide_##from(x), round)))
#define INTEGER_TO_INTEGER(to, from) PAIR(to, from, load_##from(x))
#define BOOL_TO_INTEGER(to, from) PAIR(to, from, x != 0)
#define TO_BOOL(to, from) PAIR(to, from, load_##from(x) != 0)
#define SAME_FLOAT(D)                                                                              \
    PAIR(D, D, round == SA_ROUND_NONE ? x : store_##D((float)integral(wide_##D(x), round)))

#define FOR_FLOATS(X, to) X(to, F32) X(to, F16) X(to, BF16)
#define FOR_INTEGERS(X, to)                                                                        \
    X(to, I8) X(to, U8) X(to, I16) X(to, U16) X(to, I32) X(to, U32) X(to, I64) X(to, U64)

SAME_FLOAT(F32)
SAME_FLOAT(F16)
SAME_FLOAT(BF16)
TO_FLOAT(F32, F16)
TO_FLOAT(F32, BF16)
TO_FLOAT(F16, F32)
TO_FLOAT(F16, BF16)
TO_FLOAT(BF16, F32)
TO_FLOAT(BF16, F16)
#define TO_FLOAT_ROW(to) FOR_INTEGERS(TO_FLOAT, to) TO_FLOAT(to, BOOL)
TO_FLOAT_ROW(F32)
TO_FLOAT_ROW(F16)
TO_FLOAT_ROW(BF16)
#define TO_INTEGER_ROW(to)                                                                         \
    FOR_FLOATS(FLOAT_TO_INTEGER, to) FOR_INTEGERS(INTEGER_TO_INTEGER, to) BOOL_TO_INTEGER(to, BOOL)
TO_INTEGER_ROW(I8)
TO_INTEGER_ROW(U8)
TO_INTEGER_ROW(I16)
TO_INTEGER_ROW(U16)
TO_INTEGER_ROW(I32)
TO_INTEGER_ROW(U32)
TO_INTEGER_ROW(I64)
TO_INTEGER_ROW(U64)
FOR_FLOATS(TO_BOOL, BOOL)
FOR_INTEGERS(TO_BOOL, BOOL)
TO_BOOL(BOOL, BOOL)

/* As Cast of the vector unit narrows integers. */
#define NARROW(to, from, low, high)                                                                \
    static void narrow_##to##_##from(void *dst, const void *src, sa_round round, size_t n)         \
    {                                                                                              \
        storage_##to *out = dst;                                                                   \
        const storage_##from *in = src;                                                            \
        if (round != SA_ROUND_SATURATE) {                                                          \
            cast_##to##_##from(dst, src, round, n);                                                \
            return;                                                                                \
        }                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            const storage_##from x = in[i];                                                        \
            out[i] = (storage_##to)(x < low ? low : x > high ? high : x);                          \
        }                                                                                          \
    }
NARROW(I16, I32, INT16_MIN, INT16_MAX)
NARROW(I32, I64, INT32_MIN, INT32_MAX)

/* The pairs that programs use most, without the way through double. */
#define DIRECT(to, from, expression)                                                               \
    static void direct_##to##_##from(void *dst, const void *src, sa_round round, size_t n)         \
    {                                                                                              \
        storage_##to *out = dst;                                                                   \
        const storage_##from *in = src;                                                            \
        if (round > SA_ROUND_RINT) {                                                               \
            cast_##to##_##from(dst, src, round, n);                                                \
            return;                                                                                \
        }                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            const storage_##from x = in[i];                                                        \
            out[i] = (expression);                                                                 \
        }                                                                                          \
    }
DIRECT(F32, F16, sa_half_to_float(x))
DIRECT(F32, BF16, sa_bf16_to_float(x))
DIRECT(F16, F32, sa_float_to_half(x))
DIRECT(BF16, F32, sa_float_to_bf16(x))
DIRECT(F32, I32, (float)x)
DIRECT(F32, BOOL, (float)(x != 0))

void sa_isa_fill_cast(sa_isa *isa)
{
#define SET(to, from) isa->cast[SA_##to][SA_##from] = cast_##to##_##from;
#define SET_ROW(to) FOR_FLOATS(SET, to) FOR_INTEGERS(SET, to) SET(to, BOOL)
    SET_ROW(F32)
    SET_ROW(F16)
    SET_ROW(BF16)
    SET_ROW(I8)
    SET_ROW(U8)
    SET_ROW(I16)
    SET_ROW(U16)
    SET_ROW(I32)
    SET_ROW(U32)
    SET_ROW(I64)
    SET_ROW(U64)
    SET_ROW(BOOL)
#define SET_DIRECT(to, from) isa->cast[SA_##to][SA_##from] = direct_##to##_##from;
    SET_DIRECT(F32, F16)
    SET_DIRECT(F32, BF16)
    SET_DIRECT(F16, F32)
    SET_DIRECT(BF16, F32)
    SET_DIRECT(F32, I32)
    SET_DIRECT(F32, BOOL)
    isa->cast[SA_I16][SA_I32] = narrow_I16_I32;
    isa->cast[SA_I32][SA_I64] = narrow_I32_I64;
}
