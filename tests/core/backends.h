/* What the tests that compare backends share: which there are, random numbers, special values. */
#ifndef SA_TEST_BACKENDS_H
#define SA_TEST_BACKENDS_H

#include "core/isa.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const backend_names[] = {"generic",     "avx2", "avx512",
                                            "avx512_bf16", "amx",  "neon"};
enum { BACKEND_NAMES = sizeof backend_names / sizeof *backend_names };

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static inline uint32_t random_bits(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 32);
}

/* in [low, high] */
static inline size_t random_size(size_t low, size_t high)
{
    return low + random_bits() % (high - low + 1);
}

static inline float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* An fp16 or bf16 (exponent_bits 5, 8) as a double; apart from the code under test. */
static inline double small_float(uint16_t h, int exponent_bits)
{
    int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = (h & 0x7FFF) >> fraction_bits, fraction = h & ((1 << fraction_bits) - 1);
    double sign = h & 0x8000 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

/* Element i as a double. */
static inline double element(sa_dtype dtype, const void *p, size_t i)
{
    switch (dtype) {
    case SA_F32:
        return ((const float *)p)[i];
    case SA_F16:
        return small_float(((const uint16_t *)p)[i], 5);
    case SA_BF16:
        return small_float(((const uint16_t *)p)[i], 8);
    case SA_I8:
        return ((const int8_t *)p)[i];
    default:
        return ((const int32_t *)p)[i];
    }
}

#endif
