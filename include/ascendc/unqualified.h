/* What kernels use without naming the namespace AscendC, and the older namespace tik2: for
 * kernel_operator.h.
 *
 * Cast<float>(a, …) on tensors is found through its arguments, but C++17 takes the < for "less
 * than" unless some template of that name is in sight. Those below are in sight and never called.
 */
#ifndef ASCENDC_UNQUALIFIED_H
#define ASCENDC_UNQUALIFIED_H

#include "ascendc/queue.h"

namespace softascend::in_sight
{
#define SA_TEMPLATE(Name)                                                                          \
    template <int>                                                                                 \
    void Name();
// clang-format off
SA_TEMPLATE(Add) SA_TEMPLATE(Sub) SA_TEMPLATE(Mul) SA_TEMPLATE(Div) SA_TEMPLATE(Max)
SA_TEMPLATE(Min) SA_TEMPLATE(And) SA_TEMPLATE(Or) SA_TEMPLATE(AddRelu) SA_TEMPLATE(SubRelu)
SA_TEMPLATE(Prelu) SA_TEMPLATE(FusedMulAdd) SA_TEMPLATE(FusedMulAddRelu) SA_TEMPLATE(MulAddDst)
SA_TEMPLATE(Abs) SA_TEMPLATE(Exp) SA_TEMPLATE(Ln) SA_TEMPLATE(Sqrt) SA_TEMPLATE(Rsqrt)
SA_TEMPLATE(Reciprocal) SA_TEMPLATE(Relu) SA_TEMPLATE(Not) SA_TEMPLATE(Adds) SA_TEMPLATE(Muls)
SA_TEMPLATE(Mins) SA_TEMPLATE(Maxs) SA_TEMPLATE(Divs) SA_TEMPLATE(LeakyRelu) SA_TEMPLATE(Axpy)
SA_TEMPLATE(ShiftLeft) SA_TEMPLATE(ShiftRight) SA_TEMPLATE(Cast) SA_TEMPLATE(CastDeq)
SA_TEMPLATE(Compare) SA_TEMPLATE(CompareScalar) SA_TEMPLATE(Select) SA_TEMPLATE(Duplicate)
SA_TEMPLATE(Copy) SA_TEMPLATE(DataCopy) SA_TEMPLATE(DataCopyPad) SA_TEMPLATE(ReduceSum)
SA_TEMPLATE(ReduceMax) SA_TEMPLATE(ReduceMin) SA_TEMPLATE(WholeReduceSum)
SA_TEMPLATE(WholeReduceMax) SA_TEMPLATE(WholeReduceMin) SA_TEMPLATE(BlockReduceSum)
SA_TEMPLATE(BlockReduceMax) SA_TEMPLATE(BlockReduceMin) SA_TEMPLATE(PairReduceSum)
SA_TEMPLATE(RepeatReduceSum) SA_TEMPLATE(Gatherb) SA_TEMPLATE(GatherMask) SA_TEMPLATE(Sort32)
SA_TEMPLATE(MrgSort) SA_TEMPLATE(MrgSort4) SA_TEMPLATE(Extract) SA_TEMPLATE(Brcb)
SA_TEMPLATE(BroadCast) SA_TEMPLATE(CreateVecIndex) SA_TEMPLATE(ArithProgression)
SA_TEMPLATE(TransDataTo5HD) SA_TEMPLATE(LoadData) SA_TEMPLATE(LoadDataWithTranspose)
SA_TEMPLATE(Mmad) SA_TEMPLATE(Fixpipe) SA_TEMPLATE(SetAtomicAdd) SA_TEMPLATE(SetAtomicMax)
SA_TEMPLATE(SetAtomicMin) SA_TEMPLATE(Floor) SA_TEMPLATE(Ceil) SA_TEMPLATE(Round)
SA_TEMPLATE(Rint) SA_TEMPLATE(Trunc) SA_TEMPLATE(Frac) SA_TEMPLATE(Tanh) SA_TEMPLATE(Sigmoid)
SA_TEMPLATE(Sin) SA_TEMPLATE(Cos) SA_TEMPLATE(Log) SA_TEMPLATE(Power) SA_TEMPLATE(ClampMax)
SA_TEMPLATE(ClampMin) SA_TEMPLATE(CumSum)
// clang-format on
#undef SA_TEMPLATE

    /* Of scalars, as the language has them, with no header included; any other in sight that takes
     * the same types is preferred. abs: the C library's alone would make an int of a float. */
    template <class T, class U, class... Nothing>
    constexpr auto min(T a, U b, Nothing...)
        -> std::enable_if_t<!sizeof...(Nothing), decltype(a + b)>
{
    return b < a ? b : a;
}
template <class T, class U, class... Nothing>
constexpr auto max(T a, U b, Nothing...) -> std::enable_if_t<!sizeof...(Nothing), decltype(a + b)>
{
    return a < b ? b : a;
}
template <class T, class... Nothing>
constexpr auto abs(T a, Nothing...)
    -> std::enable_if_t<!sizeof...(Nothing) && std::is_signed_v<T>, decltype(-a)>
{
    if constexpr (std::is_floating_point_v<T>) {
        return __builtin_signbit(a) ? -a : a;
    } else {
        return a < 0 ? -a : a;
    }
}
template <class T, class... Nothing>
auto sqrt(T a, Nothing...) -> std::enable_if_t<!sizeof...(Nothing) && std::is_arithmetic_v<T>,
                                               std::conditional_t<std::is_integral_v<T>, double, T>>
{
    if constexpr (std::is_same_v<T, float>) {
        return __builtin_sqrtf(a);
    } else {
        return __builtin_sqrt(a);
    }
}
} // namespace softascend::in_sight
using namespace softascend::in_sight;

using AscendC::GetTPipePtr;

/* The older namespace; kernels add to it. */
namespace tik2
{
using namespace AscendC;

/* This block's share of `base`, `length` elements a block. */
template <class T>
SA_INLINE GM_ADDR ParamOffset(GM_ADDR base, uint64_t length)
{
    return base + (uint64_t)sa_block_idx(sa_self()) * length * sizeof(T);
}
} // namespace tik2

#endif
