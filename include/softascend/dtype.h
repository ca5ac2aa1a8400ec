/* Element types. The values are AscendCL's aclDataType values, so that no translation is needed. */
#ifndef SOFTASCEND_DTYPE_H
#define SOFTASCEND_DTYPE_H

#include <stddef.h>
#include <stdint.h>

typedef enum sa_dtype {
    SA_F32 = 0,
    SA_F16 = 1,
    SA_I8 = 2,
    SA_I32 = 3,
    SA_U8 = 4,
    SA_I16 = 6,
    SA_U16 = 7,
    SA_U32 = 8,
    SA_I64 = 9,
    SA_U64 = 10,
    SA_F64 = 11,
    SA_BOOL = 12,
    SA_BF16 = 27,
    SA_DTYPE_END = 28,
} sa_dtype;

/* Bytes of one element; 0 for a value that is no dtype of ours. */
static inline size_t sa_dtype_bytes(sa_dtype t)
{
    switch (t) {
    case SA_I8:
    case SA_U8:
    case SA_BOOL:
        return 1;
    case SA_F16:
    case SA_BF16:
    case SA_I16:
    case SA_U16:
        return 2;
    case SA_F32:
    case SA_I32:
    case SA_U32:
        return 4;
    case SA_I64:
    case SA_U64:
    case SA_F64:
        return 8;
    default:
        return 0;
    }
}

static inline const char *sa_dtype_name(sa_dtype t)
{
    switch (t) {
    case SA_F32:
        return "float32";
    case SA_F16:
        return "float16";
    case SA_BF16:
        return "bfloat16";
    case SA_F64:
        return "float64";
    case SA_I8:
        return "int8";
    case SA_U8:
        return "uint8";
    case SA_I16:
        return "int16";
    case SA_U16:
        return "uint16";
    case SA_I32:
        return "int32";
    case SA_U32:
        return "uint32";
    case SA_I64:
        return "int64";
    case SA_U64:
        return "uint64";
    case SA_BOOL:
        return "bool";
    default:
        return "unknown dtype";
    }
}

/* fp16 and bf16 are kept as 16-bit storage: clang 14 has no _Float16 on x86. */
typedef uint16_t sa_half;
typedef uint16_t sa_bf16;

#endif
