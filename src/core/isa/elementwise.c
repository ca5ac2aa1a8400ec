/* Elementwise arithmetic and logic. Integer sums and products wrap. */
#include "core/isa/body.h"

#define BINARY(name, D, expression)                                                                \
    static void name##_##D(void *dst, const void *va, const void *vb, size_t n)                    \
    {                                                                                              \
        storage_##D *out = dst;                                                                    \
        const storage_##D *pa = va, *pb = vb;                                                      \
        for (size_t i = 0; i < n; i++) {                                                           \
            const compute_##D a = load_##D(pa[i]), b = load_##D(pb[i]);                            \
            out[i] = store_##D((compute_##D)(expression));                                         \
        }                                                                                          \
    }
#define UNARY(name, D, expression)                                                                 \
    static void name##_##D(void *dst, const void *va, size_t n)                                    \
    {                                                                                              \
        storage_##D *out = dst;                                                                    \
        const storage_##D *pa = va;                                                                \
        for (size_t i = 0; i < n; i++) {                                                           \
            const compute_##D a = load_##D(pa[i]);                                                 \
            out[i] = store_##D((compute_##D)(expression));                                         \
        }                                                                                          \
    }
/* `d` is what dst held */
#define SCALAR(name, D, expression)                                                                \
    static void name##_##D(void *dst, const void *va, double scalar, size_t n)                     \
    {                                                                                              \
        storage_##D *out = dst;                                                                    \
        const storage_##D *pa = va;                                                                \
        const compute_##D b = scalar_##D(scalar);                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const compute_##D a = load_##D(pa[i]), d = load_##D(out[i]);                           \
            (void)d;                                                                               \
            out[i] = store_##D((compute_##D)(expression));                                         \
        }                                                                                          \
    }

#define FLOATS(FORM, name, expression) FORM(name, F32, expression) FORM(name, F16, expression)
#define ARITH(FORM, name, expression, wrapping)                                                    \
    FLOATS(FORM, name, expression)                                                                 \
    FORM(name, I16, wrapping) FORM(name, I32, wrapping)
#define LOGIC(FORM, name, expression)                                                              \
    FORM(name, I16, expression)                                                                    \
    FORM(name, U16, expression)                                                                    \
    FORM(name, I32, expression) FORM(name, U32, expression) FORM(name, U8, expression)

#define WRAP(a, op, b) ((uint64_t)(a)op(uint64_t)(b))

ARITH(BINARY, add, a + b, WRAP(a, +, b))
BINARY(add, I64, WRAP(a, +, b))
ARITH(BINARY, sub, a - b, WRAP(a, -, b))
BINARY(sub, I64, WRAP(a, -, b))
ARITH(BINARY, mul, a *b, WRAP(a, *, b))
BINARY(mul, I64, WRAP(a, *, b))
FLOATS(BINARY, div, a / b)
ARITH(BINARY, max, MAX_OF(a, b), MAX_OF(a, b))
BINARY(max, I64, MAX_OF(a, b))
ARITH(BINARY, min, MIN_OF(a, b), MIN_OF(a, b))
BINARY(min, I64, MIN_OF(a, b))
LOGIC(BINARY, and, a &b)
BINARY(and, BOOL, a &&b)
LOGIC(BINARY, or, a | b)
BINARY(or, BOOL, a || b)

/* Dividing the lowest integer by -1 wraps. */
#define FLOOR_DIV(a, b)                                                                            \
    ((b) == 0    ? 0                                                                               \
     : (b) == -1 ? WRAP(0, -, a)                                                                   \
                 : (uint64_t)((a) / (b) - ((a) % (b) != 0 && ((a) < 0) != ((b) < 0))))
#define FLOOR_MOD(a, b)                                                                            \
    ((b) == 0 || (b) == -1                      ? 0                                                \
     : (a) % (b) != 0 && ((a) < 0) != ((b) < 0) ? (a) % (b) + (b)                                  \
                                                : (a) % (b))
static float floor_mod(float a, float b)
{
    float rest = fmodf(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

BINARY(floor_div, F32, floorf(a / b))
BINARY(floor_div, I32, FLOOR_DIV(a, b))
BINARY(floor_div, I64, FLOOR_DIV(a, b))
BINARY(floor_mod, F32, floor_mod(a, b))
BINARY(floor_mod, I32, FLOOR_MOD(a, b))
BINARY(floor_mod, I64, FLOOR_MOD(a, b))

FLOATS(UNARY, abs, fabsf(a))
UNARY(abs, I16, a < 0 ? WRAP(0, -, a) : (uint64_t)a)
UNARY(abs, I32, a < 0 ? WRAP(0, -, a) : (uint64_t)a)
FLOATS(UNARY, sqrt, sqrtf(a))
/* in double, so that the two operations round once */
FLOATS(UNARY, rsqrt, 1.0 / sqrt((double)a))
FLOATS(UNARY, rec, 1.0f / a)
FLOATS(UNARY, relu, MAX_OF(a, 0))
UNARY(relu, I32, MAX_OF(a, 0))
LOGIC(UNARY, not, ~a)
UNARY(not, BOOL, !a)

ARITH(SCALAR, adds, a + b, WRAP(a, +, b))
ARITH(SCALAR, muls, a *b, WRAP(a, *, b))
ARITH(SCALAR, maxs, MAX_OF(a, b), MAX_OF(a, b))
ARITH(SCALAR, mins, MIN_OF(a, b), MIN_OF(a, b))
FLOATS(SCALAR, lrelu, a > 0 ? a : a * b)
SCALAR(axpy, F32, d + a * b)
SCALAR(axpy, F16, d + load_F16(store_F16(a * b)))

void sa_isa_fill_elementwise(sa_isa *isa)
{
#define SET(name, D) isa->name[SA_##D] = name##_##D;
#define SET_FLOATS(name) SET(name, F32) SET(name, F16)
#define SET_ARITH(name) SET_FLOATS(name) SET(name, I16) SET(name, I32)
#define SET_LOGIC(name)                                                                            \
    SET(name, I16) SET(name, U16) SET(name, I32) SET(name, U32) SET(name, U8) SET(name, BOOL)
    SET(floor_div, F32)
    SET(floor_div, I32)
    SET(floor_div, I64)
    SET(floor_mod, F32)
    SET(floor_mod, I32)
    SET(floor_mod, I64)
    SET_ARITH(add)
    SET(add, I64)
    SET_ARITH(sub)
    SET(sub, I64)
    SET_ARITH(mul)
    SET(mul, I64)
    SET_FLOATS(div)
    SET_ARITH(max)
    SET(max, I64)
    SET_ARITH(min)
    SET(min, I64)
    SET_LOGIC(and)
    SET_LOGIC(or)
    SET_LOGIC(not )
    SET_FLOATS(abs)
    SET(abs, I16)
    SET(abs, I32)
    SET_FLOATS(sqrt)
    SET_FLOATS(rsqrt)
    SET_FLOATS(rec)
    SET_FLOATS(relu)
    SET(relu, I32)
    SET_ARITH(adds)
    SET_ARITH(muls) SET_ARITH(maxs) SET_ARITH(mins) SET_FLOATS(lrelu) SET_FLOATS(axpy)
}
