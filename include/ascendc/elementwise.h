/* Elementwise instructions of the Ascend C door (kernel_operator.h), each in three forms: a count
 * of elements; repeats under a bit mask; repeats under "the first `mask` elements". With isSetMask
 * false the mask registers decide (SetVectorMask). */
#ifndef ASCENDC_ELEMENTWISE_H
#define ASCENDC_ELEMENTWISE_H

#include "ascendc/tensor.h"

namespace softascend
{
/* Mask and times; strides are the caller's. In counter mode the mask is a number of elements. */
template <bool set>
SA_INLINE sa_repeat lanes(const uint64_t *mask, uint32_t times)
{
    sa_repeat r;
    if (set) {
        sa_mask_set(sa_self(), mask);
    }
    sa_mask_get(sa_self(), &r);
    r.times = times;
    return r;
}
template <bool set>
SA_INLINE sa_repeat lanes(uint64_t first, uint32_t times)
{
    sa_repeat r;
    sa_mask_get(sa_self(), &r);
    if (set) {
        uint64_t mask[2] = {first, 0};
        if (!r.counter) {
            sa_mask_first(mask, (uint32_t)first);
        }
        r.mask[0] = mask[0], r.mask[1] = mask[1];
        sa_mask_set(sa_self(), mask);
    }
    r.times = times;
    return r;
}

template <bool set, class M>
SA_INLINE sa_repeat lanes(M mask, uint32_t times, const AscendC::BinaryRepeatParams &p)
{
    sa_repeat r = lanes<set>(mask, times);
    r.dst = {p.dstBlkStride, p.dstRepStride};
    r.a = {p.src0BlkStride, p.src0RepStride};
    r.b = {p.src1BlkStride, p.src1RepStride};
    return r;
}
template <bool set, class M>
SA_INLINE sa_repeat lanes(M mask, uint32_t times, const AscendC::UnaryRepeatParams &p)
{
    sa_repeat r = lanes<set>(mask, times);
    r.dst = {p.dstBlkStride, p.dstRepStride};
    r.a = {p.srcBlkStride, p.srcRepStride};
    r.b = {1, 8};
    return r;
}
template <bool set, class M>
SA_INLINE sa_repeat lanes(M mask, uint32_t times, sa_stride dst, sa_stride a)
{
    sa_repeat r = lanes<set>(mask, times);
    r.dst = dst;
    r.a = a;
    r.b = {1, 8};
    return r;
}
} // namespace softascend

/* The two repeat forms of a call, from one body that has `r`: MASK is replaced by each type. */
#define SA_DOOR_BOTH_MASKS(FORM, ...)                                                              \
    FORM(const uint64_t *, __VA_ARGS__)                                                            \
    FORM(uint64_t, __VA_ARGS__)

namespace AscendC
{
#define SA_DOOR_BINARY_REPEAT(Mask, Name, name)                                                    \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                     \
                        const LocalTensor<T> &src1, Mask mask, uint8_t repeatTimes,                \
                        const BinaryRepeatParams &params)                                          \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        sa_##name##_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src0.GetPhyAddr(),   \
                           src1.GetPhyAddr(), &r);                                                 \
    }
#define SA_DOOR_BINARY(Name, name)                                                                 \
    template <class T>                                                                             \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                     \
                        const LocalTensor<T> &src1, int32_t count)                                 \
    {                                                                                              \
        sa_##name(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src0.GetPhyAddr(),            \
                  src1.GetPhyAddr(), (uint32_t)count);                                             \
    }                                                                                              \
    SA_DOOR_BOTH_MASKS(SA_DOOR_BINARY_REPEAT, Name, name)

SA_DOOR_BINARY(Add, add)
SA_DOOR_BINARY(Sub, sub)
SA_DOOR_BINARY(Mul, mul)
SA_DOOR_BINARY(Div, div)
SA_DOOR_BINARY(Max, max)
SA_DOOR_BINARY(Min, min)
SA_DOOR_BINARY(And, and)
SA_DOOR_BINARY(Or, or)
SA_DOOR_BINARY(AddRelu, add_relu)
SA_DOOR_BINARY(SubRelu, sub_relu)
SA_DOOR_BINARY(Prelu, prelu)
SA_DOOR_BINARY(FusedMulAdd, fused_mul_add)
SA_DOOR_BINARY(FusedMulAddRelu, fused_mul_add_relu)

#define SA_DOOR_UNARY_REPEAT(Mask, Name, name)                                                     \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask,           \
                        uint8_t repeatTimes, const UnaryRepeatParams &params)                      \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        sa_##name##_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),    \
                           &r);                                                                    \
    }
#define SA_DOOR_UNARY(Name, name)                                                                  \
    template <class T>                                                                             \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t count)       \
    {                                                                                              \
        sa_##name(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),             \
                  (uint32_t)count);                                                                \
    }                                                                                              \
    SA_DOOR_BOTH_MASKS(SA_DOOR_UNARY_REPEAT, Name, name)

SA_DOOR_UNARY(Abs, abs)
SA_DOOR_UNARY(Exp, exp)
SA_DOOR_UNARY(Ln, ln)
SA_DOOR_UNARY(Sqrt, sqrt)
SA_DOOR_UNARY(Rsqrt, rsqrt)
SA_DOOR_UNARY(Reciprocal, rec)
SA_DOOR_UNARY(Relu, relu)
SA_DOOR_UNARY(Not, not )

#define SA_DOOR_SCALAR_REPEAT(Mask, Name, name)                                                    \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                        softascend::same_t<T> scalar, Mask mask, uint8_t repeatTimes,              \
                        const UnaryRepeatParams &params)                                           \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        sa_##name##_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),    \
                           (double)scalar, &r);                                                    \
    }
#define SA_DOOR_SCALAR(Name, name)                                                                 \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                        softascend::same_t<T> scalar, int32_t count)                               \
    {                                                                                              \
        sa_##name(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),             \
                  (double)scalar, (uint32_t)count);                                                \
    }                                                                                              \
    SA_DOOR_BOTH_MASKS(SA_DOOR_SCALAR_REPEAT, Name, name)

SA_DOOR_SCALAR(Adds, adds)
SA_DOOR_SCALAR(Muls, muls)
SA_DOOR_SCALAR(Maxs, maxs)
SA_DOOR_SCALAR(Mins, mins)
SA_DOOR_SCALAR(Divs, divs)
SA_DOOR_SCALAR(LeakyRelu, lrelu)
SA_DOOR_SCALAR(ShiftLeft, shl)

template <class T, bool isSetMask = true>
SA_INLINE void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                          softascend::same_t<T> scalar, int32_t count, bool roundEn = false)
{
    (roundEn ? sa_shr_round : sa_shr)(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(),
                                      src.GetPhyAddr(), (double)scalar, (uint32_t)count);
}
#define SA_DOOR_SHIFT_RIGHT(Mask, ...)                                                             \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src,                \
                              softascend::same_t<T> scalar, Mask mask, uint8_t repeatTimes,        \
                              const UnaryRepeatParams &params, bool roundEn = false)               \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        (roundEn ? sa_shr_round_repeat : sa_shr_repeat)(sa_self(), softascend::dtype<T>,           \
                                                        dst.GetPhyAddr(), src.GetPhyAddr(),        \
                                                        (double)scalar, &r);                       \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_SHIFT_RIGHT, )

/* dst += src * scalar; half sources may add into float. */
template <class T, class U, bool isSetMask = true>
SA_INLINE void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                    softascend::same_t<U> scalar, int32_t count)
{
    if constexpr (std::is_same_v<T, U>) {
        sa_axpy(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), (double)scalar,
                (uint32_t)count);
    } else {
        static_assert(std::is_same_v<T, float> && std::is_same_v<U, half>,
                      "Axpy: types are equal, or float and half");
        sa_axpy_wide(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(), (double)scalar,
                     (uint32_t)count);
    }
}
#define SA_DOOR_AXPY(Mask, ...)                                                                    \
    template <class T, class U, bool isSetMask = true>                                             \
    SA_INLINE void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,                      \
                        softascend::same_t<U> scalar, Mask mask, uint8_t repeatTimes,              \
                        const UnaryRepeatParams &params)                                           \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        if constexpr (std::is_same_v<T, U>) {                                                      \
            sa_axpy_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),    \
                           (double)scalar, &r);                                                    \
        } else {                                                                                   \
            static_assert(std::is_same_v<T, float> && std::is_same_v<U, half>,                     \
                          "Axpy: types are equal, or float and half");                             \
            sa_axpy_wide_repeat(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(), (double)scalar,     \
                                &r);                                                               \
        }                                                                                          \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_AXPY, )

/* dst += src0 * src1, likewise. */
template <class T, class U>
SA_INLINE void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
                         const LocalTensor<U> &src1, int32_t count)
{
    if constexpr (std::is_same_v<T, U>) {
        sa_mul_add_dst(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src0.GetPhyAddr(),
                       src1.GetPhyAddr(), (uint32_t)count);
    } else {
        static_assert(std::is_same_v<T, float> && std::is_same_v<U, half>,
                      "MulAddDst: types are equal, or float and half");
        sa_mul_add_dst_wide(sa_self(), dst.GetPhyAddr(), src0.GetPhyAddr(), src1.GetPhyAddr(),
                            (uint32_t)count);
    }
}
#define SA_DOOR_MUL_ADD_DST(Mask, ...)                                                             \
    template <class T, class U, bool isSetMask = true>                                             \
    SA_INLINE void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,                \
                             const LocalTensor<U> &src1, Mask mask, uint8_t repeatTimes,           \
                             const BinaryRepeatParams &params)                                     \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        if constexpr (std::is_same_v<T, U>) {                                                      \
            sa_mul_add_dst_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(),               \
                                  src0.GetPhyAddr(), src1.GetPhyAddr(), &r);                       \
        } else {                                                                                   \
            static_assert(std::is_same_v<T, float> && std::is_same_v<U, half>,                     \
                          "MulAddDst: types are equal, or float and half");                        \
            sa_mul_add_dst_wide_repeat(sa_self(), dst.GetPhyAddr(), src0.GetPhyAddr(),             \
                                       src1.GetPhyAddr(), &r);                                     \
        }                                                                                          \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_MUL_ADD_DST, )

/* ---- duplicate */

template <class T, bool isSetMask = true>
SA_INLINE void Duplicate(const LocalTensor<T> &dst, softascend::same_t<T> scalar, int32_t count)
{
    sa_fill(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), (double)scalar, (uint32_t)count);
}
#define SA_DOOR_DUPLICATE(Mask, ...)                                                               \
    template <class T, bool isSetMask = true>                                                      \
    SA_INLINE void Duplicate(const LocalTensor<T> &dst, softascend::same_t<T> scalar, Mask mask,   \
                             uint8_t repeatTimes, uint16_t dstBlockStride,                         \
                             uint8_t dstRepeatStride)                                              \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(                                                \
            mask, repeatTimes, sa_stride{dstBlockStride, dstRepeatStride}, sa_stride{1, 8});       \
        sa_fill_repeat(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), (double)scalar, &r);     \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_DUPLICATE, )

/* ---- cast */

/* Integers that get narrower saturate. */
template <class To, class From>
constexpr sa_round cast_round(RoundMode round)
{
    return std::is_integral_v<To> && std::is_integral_v<From> ? SA_ROUND_SATURATE : (sa_round)round;
}

template <class To, class From>
SA_INLINE void Cast(const LocalTensor<To> &dst, const LocalTensor<From> &src, RoundMode round,
                    uint32_t count)
{
    if constexpr (std::is_same_v<To, int4b_t>) {
        static_assert(std::is_same_v<From, half>, "Cast: int4b_t comes from half");
        sa_cast_i4(sa_self(), true, dst.GetPhyAddr(), src.GetPhyAddr(), (sa_round)round, count);
    } else if constexpr (std::is_same_v<From, int4b_t>) {
        static_assert(std::is_same_v<To, half>, "Cast: int4b_t becomes half");
        sa_cast_i4(sa_self(), false, dst.GetPhyAddr(), src.GetPhyAddr(), (sa_round)round, count);
    } else if constexpr (std::is_same_v<To, half> && std::is_same_v<From, int32_t>) {
        sa_cast_deq(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(), count);
    } else {
        sa_cast(sa_self(), softascend::dtype<To>, dst.GetPhyAddr(), softascend::dtype<From>,
                src.GetPhyAddr(), cast_round<To, From>(round), count);
    }
}
#define SA_DOOR_CAST(Mask, ...)                                                                    \
    template <class To, class From, bool isSetMask = true>                                         \
    SA_INLINE void Cast(const LocalTensor<To> &dst, const LocalTensor<From> &src, RoundMode round, \
                        Mask mask, uint8_t repeatTimes, const UnaryRepeatParams &params)           \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        if constexpr (std::is_same_v<To, half> && std::is_same_v<From, int32_t>) {                 \
            sa_cast_deq_repeat(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(), &r);                 \
        } else {                                                                                   \
            sa_cast_repeat(sa_self(), softascend::dtype<To>, dst.GetPhyAddr(),                     \
                           softascend::dtype<From>, src.GetPhyAddr(), cast_round<To, From>(round), \
                           &r);                                                                    \
        }                                                                                          \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_CAST, )

/* The scale of int32 -> half. */
SA_INLINE void SetDeqScale(half scale)
{
    sa_deq_scale(sa_self(), (double)(float)scale);
}
#undef SA_DOOR_BINARY
#undef SA_DOOR_BINARY_REPEAT
#undef SA_DOOR_UNARY
#undef SA_DOOR_UNARY_REPEAT
#undef SA_DOOR_SCALAR
#undef SA_DOOR_SCALAR_REPEAT
#undef SA_DOOR_SHIFT_RIGHT
#undef SA_DOOR_AXPY
#undef SA_DOOR_MUL_ADD_DST
#undef SA_DOOR_DUPLICATE
#undef SA_DOOR_CAST
} // namespace AscendC

#endif
