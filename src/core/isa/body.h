/* The vocabulary of the portable bodies: how each dtype is stored and computed with.
 *
 * For a dtype D, storage_D is what memory holds, compute_D what arithmetic is done in, load_D and
 * store_D go between. fp16 and bf16 compute in float and round once when stored; integers compute
 * unsigned where they may wrap. */
#ifndef SA_BODY_H
#define SA_BODY_H

#include "core/backend.h"
#include "core/isa/half.h"

#include <math.h>

/* A double to fp16 or bf16 in one rounding: to odd first, so that the second cannot err. */
static inline float sa_double_to_float_odd(double x)
{
    float near = (float)x;
    if ((double)near == x || x != x || near - near != 0)
        return near;
    uint32_t bits = sa_float_bits(near);
    bool above = (double)near > x;
    if (above == (bits >> 31 == 0)) /* rounded away from zero: step back */
        bits--;
    return sa_bits_float(bits | 1);
}

static inline sa_half sa_double_to_half(double x)
{
    return sa_float_to_half(sa_double_to_float_odd(x));
}

static inline sa_bf16 sa_double_to_bf16(double x)
{
    return sa_float_to_bf16(sa_double_to_float_odd(x));
}

typedef float storage_F32, compute_F32;
typedef sa_half storage_F16;
typedef sa_bf16 storage_BF16;
typedef float compute_F16, compute_BF16;
typedef int8_t storage_I8, compute_I8;
typedef uint8_t storage_U8, compute_U8;
typedef uint8_t storage_BOOL, compute_BOOL;
typedef int16_t storage_I16, compute_I16;
typedef uint16_t storage_U16, compute_U16;
typedef int32_t storage_I32, compute_I32;
typedef uint32_t storage_U32, compute_U32;
typedef int64_t storage_I64, compute_I64;
typedef uint64_t storage_U64, compute_U64;

#define SAME(D)                                                                                    \
    static inline compute_##D load_##D(storage_##D x)                                              \
    {                                                                                              \
        return x;                                                                                  \
    }                                                                                              \
    static inline storage_##D store_##D(compute_##D x)                                             \
    {                                                                                              \
        return x;                                                                                  \
    }
SAME(F32)
SAME(I8)
SAME(U8)
SAME(BOOL)
SAME(I16)
SAME(U16)
SAME(I32)
SAME(U32)
SAME(I64)
SAME(U64)
#undef SAME

#define load_F16 sa_half_to_float
#define store_F16 sa_float_to_half
#define load_BF16 sa_bf16_to_float
#define store_BF16 sa_float_to_bf16

/* A kernel's scalar (double) as an operand of dtype D: rounded to D first, integers saturate.
 */
static inline float scalar_F32(double x)
{
    return (float)x;
}
static inline float scalar_F16(double x)
{
    return sa_half_to_float(sa_double_to_half(x));
}
static inline float scalar_BF16(double x)
{
    return sa_bf16_to_float(sa_double_to_bf16(x));
}
#define SATURATE(D, low, high)                                                                     \
    static inline compute_##D scalar_##D(double x)                                                 \
    {                                                                                              \
        return x != x                ? 0                                                           \
               : x <= (double)(low)  ? (low)                                                       \
               : x >= (double)(high) ? (high)                                                      \
                                     : (compute_##D)x;                                             \
    }
SATURATE(I8, INT8_MIN, INT8_MAX)
SATURATE(U8, 0, UINT8_MAX)
SATURATE(I16, INT16_MIN, INT16_MAX)
SATURATE(U16, 0, UINT16_MAX)
SATURATE(I32, INT32_MIN, INT32_MAX)
SATURATE(U32, 0, UINT32_MAX)
SATURATE(I64, INT64_MIN, INT64_MAX)
SATURATE(U64, 0, UINT64_MAX)
#undef SATURATE
static inline uint8_t scalar_BOOL(double x)
{
    return x != 0;
}

/* Maximum and minimum as every backend has them: NaN wins, of two the first; of equals (zeros of
 * both signs) the second. */
#define MAX_OF(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#define MIN_OF(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))

#endif
