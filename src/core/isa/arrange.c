/* Fill, gather, transpose: elements are moved, not computed with. */
#include "core/core.h"
#include "core/isa/body.h"

#define FILL(D)                                                                                    \
    static void fill_##D(void *dst, double value, size_t n)                                        \
    {                                                                                              \
        storage_##D *out = dst;                                                                    \
        const storage_##D x = store_##D(scalar_##D(value));                                        \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = x;                                                                            \
    }
#define GATHER(bits)                                                                               \
    static void gather_##bits(void *dst, const void *base, const uint32_t *offset_bytes, size_t n) \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            memcpy((uint##bits##_t *)dst + i, (const uint8_t *)base + offset_bytes[i], bits / 8);  \
    }
/* in squares that stay in the cache */
#define TRANSPOSE(bits)                                                                            \
    static void transpose_##bits(void *dst, const void *src, size_t rows, size_t cols)             \
    {                                                                                              \
        enum { SIDE = 16 };                                                                        \
        uint##bits##_t *out = dst;                                                                 \
        const uint##bits##_t *in = src;                                                            \
        for (size_t r0 = 0; r0 < rows; r0 += SIDE)                                                 \
            for (size_t c0 = 0; c0 < cols; c0 += SIDE)                                             \
                for (size_t r = r0; r < rows && r < r0 + SIDE; r++)                                \
                    for (size_t c = c0; c < cols && c < c0 + SIDE; c++)                            \
                        out[c * rows + r] = in[r * cols + c];                                      \
    }
GATHER(16)
GATHER(32)
TRANSPOSE(8)
TRANSPOSE(16)
TRANSPOSE(32)
TRANSPOSE(64)

#define NARROW_AND_WIDE(X)                                                                         \
    X(F32, 32) X(F16, 16) X(BF16, 16) X(I16, 16) X(U16, 16) X(I32, 32) X(U32, 32)
#define ANY(X) NARROW_AND_WIDE(X) X(I8, 8) X(U8, 8) X(BOOL, 8) X(I64, 64) X(U64, 64)
#define FILL_OF(D, bits) FILL(D)
ANY(FILL_OF)

void sa_isa_fill_arrange(sa_isa *isa)
{
#define SET(D, bits)                                                                               \
    isa->fill[SA_##D] = fill_##D;                                                                  \
    isa->transpose[SA_##D] = transpose_##bits;
    ANY(SET)
#define SET_GATHER(D, bits) isa->gather[SA_##D] = gather_##bits;
    NARROW_AND_WIDE(SET_GATHER)
}

void sa_scalar_store(sa_dtype dtype, void *element, double value)
{
    switch (dtype) {
#define STORE(D, bits)                                                                             \
    case SA_##D:                                                                                   \
        fill_##D(element, value, 1);                                                               \
        break;
        ANY(STORE)
    case SA_F64:
        memcpy(element, &value, sizeof value);
        break;
    default:
        break;
    }
}
