/* What the core's tests share: running one kernel, backends, random and special values, and a
 * reference for floating-point formats that shares nothing with the product: a format is the list
 * of its values, rounding is a search in it. */
#ifndef HARNESS_H
#define HARNESS_H

#include "core/isa.h"
#include "core/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline sa_status run_kernel(sa_kernel kernel, void *args, uint32_t blocks, sa_core_type type,
                                   sa_error *error)
{
    sa_launch launch = {.kernel = kernel, .args = args, .blocks = blocks, .type = type};
    error->code = SA_OK;
    error->message[0] = '\0';
    return sa_launch_run(&launch, error);
}

#define EACH_BACKEND(isa)                                                                          \
    for (int backend_ = 0; backend_ < 6; backend_++)                                               \
        for (const sa_isa *isa = sa_isa_named((const char *[]){                                    \
                 "generic", "avx2", "avx512", "avx512_bf16", "amx", "neon"}[backend_]);            \
             isa; isa = NULL)

static inline uint64_t random64(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* ---- formats */

typedef struct format {
    sa_dtype dtype;
    int mantissa_bits, exponent_bits;
} format;

static const format formats[] = {{SA_F32, 23, 8}, {SA_F16, 10, 5}, {SA_BF16, 7, 8}};

static inline const format *format_of(sa_dtype dtype)
{
    for (size_t i = 0; i < COUNT(formats); i++)
        if (formats[i].dtype == dtype)
            return &formats[i];
    return NULL;
}

static inline uint32_t infinity_bits(const format *f)
{
    return ((1u << f->exponent_bits) - 1) << f->mantissa_bits;
}

/* The value of a bit pattern; the pattern of infinity counts as the next power of two. */
static inline long double magnitude(const format *f, uint32_t bits)
{
    int bias = (1 << (f->exponent_bits - 1)) - 1;
    int exponent = (int)(bits >> f->mantissa_bits);
    uint32_t fraction = bits & ((1u << f->mantissa_bits) - 1);
    if (exponent)
        fraction |= 1u << f->mantissa_bits;
    return ldexpl(fraction, (exponent ? exponent : 1) - bias - f->mantissa_bits);
}

static inline long double decode(const format *f, uint32_t bits)
{
    int width = f->mantissa_bits + f->exponent_bits;
    uint32_t rest = bits & ((1u << width) - 1);
    long double x = rest > infinity_bits(f)    ? (long double)NAN
                    : rest == infinity_bits(f) ? (long double)INFINITY
                                               : magnitude(f, rest);
    return bits >> width & 1 ? -x : x;
}

static inline uint32_t encode(const format *f, long double x, sa_round round)
{
    uint32_t sign = signbit(x) ? 1u << (f->mantissa_bits + f->exponent_bits) : 0;
    uint32_t infinite = infinity_bits(f), low = 0, high = infinite;
    long double a = fabsl(x);
    if (isnan(x))
        return infinite | 1u << (f->mantissa_bits - 1);
    if (isinf(x))
        return sign | infinite;
    while (high - low > 1) { /* low <= a < high, infinity above all */
        uint32_t middle = (low + high) / 2;
        if (magnitude(f, middle) <= a)
            low = middle;
        else
            high = middle;
    }
    if (magnitude(f, low) == a)
        return sign | low;
    long double half = (magnitude(f, low) + magnitude(f, high)) / 2;
    bool up;
    switch (round) {
    case SA_ROUND_FLOOR:
        up = sign != 0;
        break;
    case SA_ROUND_CEIL:
        up = sign == 0;
        break;
    case SA_ROUND_TRUNC:
        up = false;
        break;
    case SA_ROUND_ODD:
        up = low % 2 == 0;
        break;
    case SA_ROUND_ROUND:
        up = a >= half;
        break;
    default:
        up = a > half || (a == half && low % 2 == 1);
    }
    return sign | (up ? high : low);
}

/* ---- elements of any dtype */

static inline uint64_t bits_at(sa_dtype dtype, const void *array, size_t i)
{
    uint64_t bits = 0;
    size_t size = sa_dtype_bytes(dtype);
    memcpy(&bits, (const char *)array + i * size, size); /* little endian */
    return bits;
}

static inline void put_bits(sa_dtype dtype, void *array, size_t i, uint64_t bits)
{
    size_t size = sa_dtype_bytes(dtype);
    memcpy((char *)array + i * size, &bits, size);
}

static inline bool is_signed_integer(sa_dtype t)
{
    return t == SA_I8 || t == SA_I16 || t == SA_I32 || t == SA_I64;
}

/* The value of a bit pattern, exactly. */
static inline long double value_of(sa_dtype dtype, uint64_t bits)
{
    const format *f = format_of(dtype);
    if (f)
        return decode(f, (uint32_t)bits);
    if (dtype == SA_BOOL)
        return bits != 0;
    if (is_signed_integer(dtype)) {
        int spare = 64 - 8 * (int)sa_dtype_bytes(dtype);
        return (long double)((int64_t)(bits << spare) >> spare);
    }
    return (long double)bits;
}

static inline bool is_nan_bits(sa_dtype dtype, uint64_t bits)
{
    return format_of(dtype) && isnan(value_of(dtype, bits));
}

/* Same bits; any NaN is as good as another. */
static inline bool same(sa_dtype dtype, uint64_t a, uint64_t b)
{
    return a == b || (is_nan_bits(dtype, a) && is_nan_bits(dtype, b));
}

/* Special values of a dtype, as bits: zeros, ones, neighbours of limits, halves, inf, NaN. */
static inline size_t special_bits(sa_dtype dtype, uint64_t *out)
{
    size_t n = 0;
    const format *f = format_of(dtype);
    int width = 8 * (int)sa_dtype_bytes(dtype);
    uint64_t sign = 1ull << (width - 1);
    if (dtype == SA_BOOL) {
        out[n++] = 0;
        out[n++] = 1;
    } else if (f) {
        static const double values[] = {
            0,     1,       0.5,     1.5,          2.5,    3,       0.49999997, 2,
            100,   127.5,   128,     255.5,        256,    32767.5, 32768,      65504,
            65519, 65520,   65536,   2147483647.5, 0x1p31, 0x1p32,  0x1p63,     0x1p64,
            1e-8,  0x1p-24, 0x1p-25, 0x1.8p-25,    6.1e-5, 3.14159};
        uint32_t inf = infinity_bits(f);
        for (size_t i = 0; i < COUNT(values); i++)
            out[n++] = encode(f, values[i], SA_ROUND_RINT);
        const uint64_t patterns[] = {1,
                                     2,
                                     3,
                                     (1u << f->mantissa_bits) - 1,
                                     1u << f->mantissa_bits,
                                     inf - 1,
                                     inf,
                                     inf | 1u << (f->mantissa_bits - 1),
                                     inf | 1};
        for (size_t i = 0; i < COUNT(patterns); i++)
            out[n++] = patterns[i];
        for (size_t i = n; i--;)
            out[n++] = out[i] | sign;
    } else {
        const uint64_t patterns[] = {
            0,   1,    2,        3,        5,     10,    127,       128,
            255, sign, sign - 1, sign + 1, ~0ull, ~1ull, sign >> 1, 0x5555555555555555ull};
        uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
        for (size_t i = 0; i < COUNT(patterns); i++)
            out[n++] = patterns[i] & mask;
    }
    return n;
}
#define SPECIALS 96

#endif
