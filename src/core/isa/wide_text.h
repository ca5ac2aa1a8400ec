/* The vocabulary of vector_text.h for MATH_WIDE vectors at a time, and math_text.h's functions in
 * it. A function is one long chain of operations that wait for each other; the chains of several
 * vectors side by side keep a CPU busy whose window is too short to reach the next vector by
 * itself. The bits stay the same.
 *
 * Whoever includes this text defines the vocabulary for one vector first. */
#include "core/isa/body.h"

typedef struct wide {
    vf v[MATH_WIDE];
} wide;
typedef struct wide_bits {
    vi v[MATH_WIDE];
} wide_bits;
typedef struct wide_mask {
    vm v[MATH_WIDE];
} wide_mask;
enum { ONE = VF_LANES, ALL = VF_LANES * MATH_WIDE };

#ifdef __clang__
#define WIDE_EACH _Pragma("clang loop unroll(full)") for (int i = 0; i < MATH_WIDE; i++)
#else
#define WIDE_EACH _Pragma("GCC unroll 8") for (int i = 0; i < MATH_WIDE; i++)
#endif
#define WIDE_0(T, name, A, expression)                                                             \
    MATH_INLINE T wide_##name(A a)                                                                 \
    {                                                                                              \
        T r;                                                                                       \
        WIDE_EACH r.v[i] = expression;                                                             \
        return r;                                                                                  \
    }
#define WIDE_1(T, name, A, expression)                                                             \
    MATH_INLINE T wide_##name(A from)                                                              \
    {                                                                                              \
        T r;                                                                                       \
        WIDE_EACH                                                                                  \
        {                                                                                          \
            __typeof__(from.v[0]) a = from.v[i];                                                   \
            r.v[i] = expression;                                                                   \
        }                                                                                          \
        return r;                                                                                  \
    }
#define WIDE_2(T, name, A, expression)                                                             \
    MATH_INLINE T wide_##name(A left, A right)                                                     \
    {                                                                                              \
        T r;                                                                                       \
        WIDE_EACH                                                                                  \
        {                                                                                          \
            __typeof__(left.v[0]) a = left.v[i], b = right.v[i];                                   \
            r.v[i] = expression;                                                                   \
        }                                                                                          \
        return r;                                                                                  \
    }
#define WIDE_SHIFT(name, expression)                                                               \
    MATH_INLINE wide_bits wide_##name(wide_bits a, int n)                                          \
    {                                                                                              \
        wide_bits r;                                                                               \
        WIDE_EACH r.v[i] = expression;                                                             \
        return r;                                                                                  \
    }
#define WIDE_SAVE(name, T, expression)                                                             \
    MATH_INLINE void wide_##name(T *to, wide from)                                                 \
    {                                                                                              \
        WIDE_EACH                                                                                  \
        {                                                                                          \
            T *p = to + i * ONE;                                                                   \
            vf v = from.v[i];                                                                      \
            expression;                                                                            \
        }                                                                                          \
    }

WIDE_0(wide, F, float, F(a))
WIDE_0(wide_bits, I, uint32_t, I(a))
WIDE_0(wide, load, const float *, vf_load(a + i * ONE))
WIDE_0(wide, load_f16, const sa_half *, vf_load_f16(a + i * ONE))
WIDE_0(wide, load_bf16, const sa_bf16 *, vf_load_bf16(a + i * ONE))
WIDE_SAVE(store, float, vf_store(p, v))
WIDE_SAVE(store_f16, sa_half, vf_store_f16(p, v))
WIDE_SAVE(store_bf16, sa_bf16, vf_store_bf16(p, v))
WIDE_SAVE(stream, float, vf_stream(p, v))
WIDE_SAVE(stream_f16, sa_half, vf_stream_f16(p, v))
WIDE_SAVE(stream_bf16, sa_bf16, vf_stream_bf16(p, v))
WIDE_2(wide, add, wide, vf_add(a, b))
WIDE_2(wide, sub, wide, vf_sub(a, b))
WIDE_2(wide, mul, wide, vf_mul(a, b))
WIDE_2(wide, above, wide, vf_above(a, b))
WIDE_2(wide, below, wide, vf_below(a, b))
WIDE_2(wide_mask, lt, wide, vf_lt(a, b))
WIDE_2(wide_mask, eq, wide, vf_eq(a, b))
WIDE_1(wide_bits, bits_of, wide, vf_bits(a))
WIDE_1(wide, of, wide_bits, vf_of(a))
WIDE_1(wide, int, wide_bits, vf_int(a))
WIDE_2(wide_bits, bits_sub, wide_bits, vi_sub(a, b))
WIDE_2(wide_bits, bits_and, wide_bits, vi_and(a, b))
WIDE_2(wide_bits, bits_or, wide_bits, vi_or(a, b))
WIDE_SHIFT(shl, vi_shl(a.v[i], n))
WIDE_SHIFT(sra, vi_sra(a.v[i], n))

MATH_INLINE wide wide_fma(wide a, wide b, wide c)
{
    wide r;
    WIDE_EACH r.v[i] = vf_fma(a.v[i], b.v[i], c.v[i]);
    return r;
}
MATH_INLINE wide wide_if(wide_mask m, wide a, wide b)
{
    wide r;
    WIDE_EACH r.v[i] = vf_if(m.v[i], a.v[i], b.v[i]);
    return r;
}
MATH_INLINE wide wide_scale(wide p, wide_bits n, wide whole)
{
    wide r;
    WIDE_EACH r.v[i] = vf_scale(p.v[i], n.v[i], whole.v[i]);
    return r;
}
MATH_INLINE bool wide_any(wide_mask m)
{
    bool any = false;
    WIDE_EACH any |= vm_any(m.v[i]);
    return any;
}

#undef F
#undef I
#undef VF_LANES
#undef vf_load
#undef vf_load_f16
#undef vf_load_bf16
#undef vf_store
#undef vf_store_f16
#undef vf_store_bf16
#undef vf_stream
#undef vf_stream_f16
#undef vf_stream_bf16
#undef vf_add
#undef vf_sub
#undef vf_mul
#undef vf_fma
#undef vf_above
#undef vf_below
#undef vf_lt
#undef vf_eq
#undef vf_if
#undef vf_bits
#undef vf_of
#undef vf_int
#undef vi_sub
#undef vi_and
#undef vi_or
#undef vi_shl
#undef vi_sra
#undef vf_scale
#undef vf_scale_live
#undef vm_any
#define vf wide
#define vi wide_bits
#define vm wide_mask
#define F(c) wide_F(c)
#define I(c) wide_I(c)
#define VF_LANES ALL
#define vf_load wide_load
#define vf_load_f16 wide_load_f16
#define vf_load_bf16 wide_load_bf16
#define vf_store wide_store
#define vf_store_f16 wide_store_f16
#define vf_store_bf16 wide_store_bf16
#define vf_stream wide_stream
#define vf_stream_f16 wide_stream_f16
#define vf_stream_bf16 wide_stream_bf16
#define vf_add wide_add
#define vf_sub wide_sub
#define vf_mul wide_mul
#define vf_fma wide_fma
#define vf_above wide_above
#define vf_below wide_below
#define vf_lt wide_lt
#define vf_eq wide_eq
#define vf_if wide_if
#define vf_bits wide_bits_of
#define vf_of wide_of
#define vf_int wide_int
#define vi_sub wide_bits_sub
#define vi_and wide_bits_and
#define vi_or wide_bits_or
#define vi_shl wide_shl
#define vi_sra wide_sra
#define vf_scale wide_scale
#define vm_any wide_any

#include "core/isa/apply_text.h"
#include "core/isa/math_text.h"

#include "core/isa/math_bodies_text.h"
