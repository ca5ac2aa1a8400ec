/* aclScalar: one value of any dtype, read by operators as double or int64. */
#include "ops/op.h"

#include <stdlib.h>
#include <string.h>

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
    size_t bytes = sa_dtype_bytes((sa_dtype)dataType);
    aclScalar *s;

    if (!value) {
        sa_fail(ACLNN_ERR_PARAM_NULLPTR, "aclCreateScalar: value is NULL");
        return NULL;
    }
    if (bytes == 0) {
        sa_fail(ACLNN_ERR_PARAM_INVALID, "aclCreateScalar: unsupported data type %d",
                (int)dataType);
        return NULL;
    }
    s = malloc(sizeof *s);
    if (!s) {
        sa_fail(SA_ERR_OUT_OF_MEMORY, "aclCreateScalar: out of host memory");
        return NULL;
    }
    *s = (aclScalar){.dtype = (sa_dtype)dataType};
    memcpy(s->value.bytes, value, bytes);
    return s;
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
    if (!scalar)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "aclDestroyScalar: scalar is NULL");
    free((void *)scalar);
    return ACLNN_SUCCESS;
}

static float from_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static float half_value(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = (h >> 10) & 31, mantissa = h & 1023;
    if (exponent == 31)
        return from_bits(sign | 0x7f800000 | mantissa << 13);
    if (exponent == 0) /* zero or subnormal: mantissa * 2^-24 */
        return (sign ? -1.0f : 1.0f) * (float)mantissa * 0x1p-24f;
    return from_bits(sign | (exponent + 112) << 23 | mantissa << 13);
}

#define VALUE(type) (*(const type *)(const void *)s->value.bytes)

double sa_scalar_double(const aclScalar *s)
{
    switch (s->dtype) {
    case SA_F32:
        return VALUE(float);
    case SA_F64:
        return s->value.f64;
    case SA_F16:
        return half_value(VALUE(uint16_t));
    case SA_BF16:
        return from_bits((uint32_t)VALUE(uint16_t) << 16);
    case SA_U64:
        return (double)VALUE(uint64_t);
    default:
        return (double)sa_scalar_int(s);
    }
}

int64_t sa_scalar_int(const aclScalar *s)
{
    double value;

    switch (s->dtype) {
    case SA_I8:
        return VALUE(int8_t);
    case SA_U8:
        return VALUE(uint8_t);
    case SA_BOOL:
        return VALUE(uint8_t) != 0;
    case SA_I16:
        return VALUE(int16_t);
    case SA_U16:
        return VALUE(uint16_t);
    case SA_I32:
        return VALUE(int32_t);
    case SA_U32:
        return VALUE(uint32_t);
    case SA_I64:
        return s->value.i64;
    case SA_U64:
        return VALUE(uint64_t) > INT64_MAX ? INT64_MAX : (int64_t)VALUE(uint64_t);
    default:
        value = sa_scalar_double(s);
        if (value != value)
            return 0;
        if (value >= 0x1p63)
            return INT64_MAX;
        return value < -0x1p63 ? INT64_MIN : (int64_t)value;
    }
}
