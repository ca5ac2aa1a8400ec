/* Expressions of whole tensors in the Ascend C door (kernel_operator.h): dst = a + b computes all
 * of dst, dst = a < b a bit for each element of a. */
#ifndef ASCENDC_OPERATORS_H
#define ASCENDC_OPERATORS_H

#include "ascendc/compare.h"

namespace softascend
{
#define SA_OPERATION(Name, ...)                                                                    \
    struct Name##_operation {                                                                      \
        template <class U, class T>                                                                \
        SA_INLINE static void run(const AscendC::LocalTensor<U> &dst,                              \
                                  const AscendC::LocalTensor<T> &a,                                \
                                  const AscendC::LocalTensor<T> &b)                                \
        {                                                                                          \
            AscendC::__VA_ARGS__;                                                                  \
        }                                                                                          \
    };
#define SA_WHOLE(Name) SA_OPERATION(Name, Name(dst, a, b, (int32_t)dst.GetSize()))
#define SA_COMPARISON(mode)                                                                        \
    SA_OPERATION(mode, Compare(dst, a, b, AscendC::CMPMODE::mode, a.GetSize()))
SA_WHOLE(Add)
SA_WHOLE(Sub)
SA_WHOLE(Mul)
SA_WHOLE(Div)
SA_WHOLE(And)
SA_WHOLE(Or)
SA_COMPARISON(LT)
SA_COMPARISON(GT)
SA_COMPARISON(LE)
SA_COMPARISON(GE)
SA_COMPARISON(EQ)
SA_COMPARISON(NE)
#undef SA_COMPARISON
#undef SA_WHOLE
#undef SA_OPERATION
} // namespace softascend

namespace AscendC
{
#define SA_DOOR_OPERATOR(op, Name)                                                                 \
    template <class T>                                                                             \
    SA_INLINE TensorExpression<T, softascend::Name##_operation> operator op(                       \
        const LocalTensor<T> &a, const LocalTensor<T> &b)                                          \
    {                                                                                              \
        return {a, b};                                                                             \
    }
SA_DOOR_OPERATOR(+, Add)
SA_DOOR_OPERATOR(-, Sub)
SA_DOOR_OPERATOR(*, Mul)
SA_DOOR_OPERATOR(/, Div)
SA_DOOR_OPERATOR(&, And)
SA_DOOR_OPERATOR(|, Or)
SA_DOOR_OPERATOR(<, LT)
SA_DOOR_OPERATOR(>, GT)
SA_DOOR_OPERATOR(<=, LE)
SA_DOOR_OPERATOR(>=, GE)
SA_DOOR_OPERATOR(==, EQ)
SA_DOOR_OPERATOR(!=, NE)
#undef SA_DOOR_OPERATOR
} // namespace AscendC

#endif
