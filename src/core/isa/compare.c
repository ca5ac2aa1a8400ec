/* Comparisons into bit masks (bit i % 8 of byte i / 8; bits past n in the last byte are 0), and
 * selection by them. Comparisons with NaN are false, but for NE. */
#include "core/isa/body.h"

#include <string.h>

/* One byte of the mask at a time. */
#define EACH_BYTE(expression)                                                                      \
    for (size_t i = 0; i < n; i += 8) {                                                            \
        size_t bits = n - i < 8 ? n - i : 8;                                                       \
        uint8_t byte = 0;                                                                          \
        for (size_t j = 0; j < bits; j++)                                                          \
            byte |= (uint8_t)((expression) << j);                                                  \
        out[i / 8] = byte;                                                                         \
    }
#define SWITCH(D, b)                                                                               \
    switch (cmp) {                                                                                 \
    case SA_LT:                                                                                    \
        EACH_BYTE(load_##D(a[i + j]) < (b)) break;                                                 \
    case SA_GT:                                                                                    \
        EACH_BYTE(load_##D(a[i + j]) > (b)) break;                                                 \
    case SA_EQ:                                                                                    \
        EACH_BYTE(load_##D(a[i + j]) == (b)) break;                                                \
    case SA_LE:                                                                                    \
        EACH_BYTE(load_##D(a[i + j]) <= (b)) break;                                                \
    case SA_GE:                                                                                    \
        EACH_BYTE(load_##D(a[i + j]) >= (b)) break;                                                \
    case SA_NE:                                                                                    \
        EACH_BYTE(load_##D(a[i + j]) != (b)) break;                                                \
    }

#define COMPARE(D)                                                                                 \
    static void compare_##D(void *mask, const void *va, const void *vb, sa_cmp cmp, size_t n)      \
    {                                                                                              \
        uint8_t *out = mask;                                                                       \
        const storage_##D *a = va, *b = vb;                                                        \
        SWITCH(D, load_##D(b[i + j]))                                                              \
    }
#define COMPARES(D)                                                                                \
    static void compares_##D(void *mask, const void *va, double scalar, sa_cmp cmp, size_t n)      \
    {                                                                                              \
        uint8_t *out = mask;                                                                       \
        const storage_##D *a = va;                                                                 \
        const compute_##D b = scalar_##D(scalar);                                                  \
        SWITCH(D, b)                                                                               \
    }
#define BOTH(D) COMPARE(D) COMPARES(D)
BOTH(F32)
BOTH(F16)
BOTH(I16)
BOTH(I32)
COMPARE(I64)

/* Selection moves bits: one body for each size, eight elements (a byte of the mask) at a time. */
#define SELECT(bits)                                                                               \
    static inline void select_some_##bits(uint##bits##_t *out, uint8_t byte,                       \
                                          const uint##bits##_t *a, const uint##bits##_t *b,        \
                                          size_t n)                                                \
    {                                                                                              \
        uint##bits##_t keep[8];                                                                    \
        for (size_t j = 0; j < n; j++)                                                             \
            keep[j] = (uint##bits##_t)(0 - (uint##bits##_t)(byte >> j & 1));                       \
        for (size_t j = 0; j < n; j++)                                                             \
            keep[j] = (uint##bits##_t)((a[j] & keep[j]) | (b[j] & ~keep[j]));                      \
        for (size_t j = 0; j < n; j++)                                                             \
            out[j] = keep[j];                                                                      \
    }                                                                                              \
    /* `step`: how b advances with a; 0: it is the same eight elements throughout */               \
    static inline void select_all_##bits(uint##bits##_t *out, const uint8_t *m,                    \
                                         const uint##bits##_t *a, const uint##bits##_t *b,         \
                                         size_t step, size_t n)                                    \
    {                                                                                              \
        for (; n >= 8; n -= 8, out += 8, a += 8, b += step)                                        \
            select_some_##bits(out, *m++, a, b, 8);                                                \
        if (n)                                                                                     \
            select_some_##bits(out, *m, a, b, n);                                                  \
    }                                                                                              \
    static void select_##bits(void *dst, const void *mask, const void *a, const void *b, size_t n) \
    {                                                                                              \
        select_all_##bits(dst, mask, a, b, 8, n);                                                  \
    }
SELECT(8)
SELECT(16)
SELECT(32)
SELECT(64)

#define SELECTS(D, bits)                                                                           \
    static void selects_##D(void *dst, const void *mask, const void *a, double scalar, size_t n)   \
    {                                                                                              \
        const storage_##D value = store_##D(scalar_##D(scalar));                                   \
        uint##bits##_t b[8];                                                                       \
        for (int j = 0; j < 8; j++)                                                                \
            memcpy(&b[j], &value, sizeof value);                                                   \
        select_all_##bits(dst, mask, a, b, 0, n);                                                  \
    }
#define ANY(X)                                                                                     \
    X(F32, 32)                                                                                     \
    X(F16, 16)                                                                                     \
    X(BF16, 16)                                                                                    \
    X(I8, 8)                                                                                       \
    X(U8, 8)                                                                                       \
    X(BOOL, 8) X(I16, 16) X(U16, 16) X(I32, 32) X(U32, 32) X(I64, 64) X(U64, 64)
ANY(SELECTS)

void sa_isa_fill_compare(sa_isa *isa)
{
#define SET(name, D) isa->name[SA_##D] = name##_##D;
    SET(compare, F32)
    SET(compare, F16)
    SET(compare, I16)
    SET(compare, I32)
    SET(compare, I64)
    SET(compares, F32)
    SET(compares, F16)
    SET(compares, I16)
    SET(compares, I32)
#define SET_SELECT(D, bits)                                                                        \
    isa->select[SA_##D] = select_##bits;                                                           \
    isa->selects[SA_##D] = selects_##D;
    ANY(SET_SELECT)
}
