/* High-level functions of the Ascend C door (kernel_operator.h): one body in the core for what the
 * chip does in several instructions. The temporary buffers that the calls take are the chip's. */
#ifndef ASCENDC_HIGHLEVEL_H
#define ASCENDC_HIGHLEVEL_H

#include "ascendc/elementwise.h"

namespace softascend
{
/* Columns of a row that ends at a block of 32 bytes. */
template <class T>
constexpr uint32_t padded(uint32_t cols)
{
    constexpr uint32_t each = 32 / (uint32_t)sizeof(T);
    return (cols + each - 1) / each * each;
}
} // namespace softascend

namespace AscendC
{
/* ---- dst[i] = f(src[i]), of `count` elements or of as many as src holds */

#define SA_DOOR_MATH(Name, name)                                                                   \
    template <class T, bool isReuseSource = false, auto... config>                                 \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count)      \
    {                                                                                              \
        sa_##name(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), count);     \
    }                                                                                              \
    SA_DOOR_MATH_FORMS(Name)
#define SA_DOOR_MATH_FORMS(Name)                                                                   \
    template <class T, bool isReuseSource = false, auto... config>                                 \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src)                      \
    {                                                                                              \
        Name<T, isReuseSource>(dst, src, src.GetSize());                                           \
    }                                                                                              \
    template <class T, bool isReuseSource = false, auto... config>                                 \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                        const LocalTensor<uint8_t> &, uint32_t count)                              \
    {                                                                                              \
        Name<T, isReuseSource>(dst, src, count);                                                   \
    }                                                                                              \
    template <class T, bool isReuseSource = false, auto... config>                                 \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                        const LocalTensor<uint8_t> &)                                              \
    {                                                                                              \
        Name<T, isReuseSource>(dst, src, src.GetSize());                                           \
    }

SA_DOOR_MATH(Sigmoid, sigmoid)
SA_DOOR_MATH(Tanh, tanh)
SA_DOOR_MATH(Gelu, gelu)
SA_DOOR_MATH(FasterGelu, gelu_fast)
SA_DOOR_MATH(FasterGeluV2, gelu_fast)
SA_DOOR_MATH(Silu, silu)
SA_DOOR_MATH(Erf, erf)
SA_DOOR_MATH(Erfc, erfc)
SA_DOOR_MATH(Sin, sin)
SA_DOOR_MATH(Cos, cos)
SA_DOOR_MATH(Tan, tan)
SA_DOOR_MATH(Asin, asin)
SA_DOOR_MATH(Acos, acos)
SA_DOOR_MATH(Atan, atan)
SA_DOOR_MATH(Sinh, sinh)
SA_DOOR_MATH(Cosh, cosh)
SA_DOOR_MATH(Asinh, asinh)
SA_DOOR_MATH(Acosh, acosh)
SA_DOOR_MATH(Atanh, atanh)
SA_DOOR_MATH(Floor, floor)
SA_DOOR_MATH(Ceil, ceil)
SA_DOOR_MATH(Round, rint)
SA_DOOR_MATH(Rint, rint)
SA_DOOR_MATH(Trunc, trunc)
SA_DOOR_MATH(Frac, frac)
SA_DOOR_MATH(Log, ln)
SA_DOOR_MATH(Log2, log2)
SA_DOOR_MATH(Log10, log10)
SA_DOOR_MATH(Sign, sign)
SA_DOOR_MATH(Lgamma, lgamma)
SA_DOOR_MATH(Digamma, digamma)
#undef SA_DOOR_MATH
#undef SA_DOOR_MATH_FORMS

/* Exp with a chosen number of Taylor terms: the same values here. */
template <class T, uint8_t taylorExpandLevel, bool isReuseSource = false>
SA_INLINE void Exp(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count)
{
    sa_exp(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), count);
}
template <class T, uint8_t taylorExpandLevel, bool isReuseSource = false>
SA_INLINE void Exp(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                   const LocalTensor<uint8_t> &, uint32_t count)
{
    sa_exp(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), count);
}

/* ---- dst[i] = f(a[i], b[i]) */

#define SA_DOOR_MATH2(Name, name)                                                                  \
    template <class T, bool isReuseSource = false, auto... config>                                 \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                     \
                        const LocalTensor<T> &src1, uint32_t count)                                \
    {                                                                                              \
        sa_##name(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src0.GetPhyAddr(),            \
                  src1.GetPhyAddr(), count);                                                       \
    }                                                                                              \
    template <class T, bool isReuseSource = false, auto... config>                                 \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                     \
                        const LocalTensor<T> &src1, const LocalTensor<uint8_t> &, uint32_t count)  \
    {                                                                                              \
        Name<T, isReuseSource>(dst, src0, src1, count);                                            \
    }                                                                                              \
    template <class T, bool isReuseSource = false, auto... config>                                 \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                     \
                        const LocalTensor<T> &src1)                                                \
    {                                                                                              \
        Name<T, isReuseSource>(dst, src0, src1, src0.GetSize());                                   \
    }                                                                                              \
    template <class T, bool isReuseSource = false, auto... config>                                 \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                     \
                        const LocalTensor<T> &src1, const LocalTensor<uint8_t> &)                  \
    {                                                                                              \
        Name<T, isReuseSource>(dst, src0, src1, src0.GetSize());                                   \
    }

SA_DOOR_MATH2(Power, pow)
SA_DOOR_MATH2(Fmod, mod)
SA_DOOR_MATH2(Xor, xor)
SA_DOOR_MATH2(GeGLU, geglu)
SA_DOOR_MATH2(ReGlu, reglu)
#undef SA_DOOR_MATH2

/* ---- with a scalar */

template <class T, bool isReuseSource = false>
SA_INLINE void Power(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                     softascend::same_t<T> src1, uint32_t count)
{
    sa_pows(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src0.GetPhyAddr(), (double)src1,
            count);
}
template <class T, bool isReuseSource = false>
SA_INLINE void Power(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                     softascend::same_t<T> src1, const LocalTensor<uint8_t> &, uint32_t count)
{
    Power<T, isReuseSource>(dst, src0, src1, count);
}
template <class T, bool isReuseSource = false>
SA_INLINE void Power(const LocalTensor<T> &dst, softascend::same_t<T> src0,
                     const LocalTensor<T> &src1, uint32_t count)
{
    sa_rpows(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src1.GetPhyAddr(), (double)src0,
             count);
}
template <class T, bool isReuseSource = false>
SA_INLINE void Power(const LocalTensor<T> &dst, softascend::same_t<T> src0,
                     const LocalTensor<T> &src1, const LocalTensor<uint8_t> &, uint32_t count)
{
    Power<T, isReuseSource>(dst, src0, src1, count);
}
template <class T, bool isReuseSource = false>
SA_INLINE void Swish(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, T scalar)
{
    sa_swish(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), (double)scalar,
             count);
}
template <class T, bool isReuseSource = false>
SA_INLINE void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                      const LocalTensor<T> &src1, float beta, uint32_t count)
{
    sa_swiglu(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src0.GetPhyAddr(),
              src1.GetPhyAddr(), beta, count);
}
template <class T, bool isReuseSource = false>
SA_INLINE void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                      const LocalTensor<T> &src1, float beta)
{
    SwiGLU<T, isReuseSource>(dst, src0, src1, beta, src0.GetSize());
}
template <class T, bool isReuseSource = false>
SA_INLINE void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                      const LocalTensor<T> &src1, float beta, const LocalTensor<uint8_t> &,
                      uint32_t count)
{
    SwiGLU<T, isReuseSource>(dst, src0, src1, beta, count);
}
template <class T, bool isReuseSource = false>
SA_INLINE void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                      const LocalTensor<T> &src1, float beta, const LocalTensor<uint8_t> &)
{
    SwiGLU<T, isReuseSource>(dst, src0, src1, beta, src0.GetSize());
}
#define SA_DOOR_CLAMP(Name, name)                                                                  \
    template <class T, bool isReuseSource = false>                                                 \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                        softascend::same_t<T> scalar, uint32_t count)                              \
    {                                                                                              \
        sa_##name(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),             \
                  (double)scalar, count);                                                          \
    }                                                                                              \
    template <class T, bool isReuseSource = false>                                                 \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                        const LocalTensor<uint8_t> &, softascend::same_t<T> scalar,                \
                        uint32_t count)                                                            \
    {                                                                                              \
        Name<T, isReuseSource>(dst, src, scalar, count);                                           \
    }
SA_DOOR_CLAMP(ClampMax, mins)
SA_DOOR_CLAMP(ClampMin, maxs)
#undef SA_DOOR_CLAMP

/* ---- rows: outter rows of n live elements, inner apart */

struct SumParams {
    uint32_t outter = 1, inner = 0, n = 0;
};
struct MeanParams {
    uint32_t outter = 1, inner = 0, n = 0;
};
struct CumSumInfo {
    uint32_t outter = 0, inner = 0;
};
struct CumSumConfig {
    bool isLastAxis = true, isReuseSource = false, outputLastRow = true;
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true};

template <class T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
SA_INLINE void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SumParams &p)
{
    sa_sum_2d(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), p.outter, p.n,
              p.inner, 1);
}
template <class T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
SA_INLINE void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                   const LocalTensor<uint8_t> &, const SumParams &p)
{
    Sum(dst, src, p);
}
template <class T, class acc = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
SA_INLINE void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, const MeanParams &p)
{
    sa_sum_2d(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), p.outter, p.n,
              p.inner, 1);
    sa_barrier(sa_self(), SA_PIPE_V);
    sa_muls(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), dst.GetPhyAddr(), 1.0 / p.n,
            p.outter);
}
template <class T, class acc = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
SA_INLINE void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                    const LocalTensor<uint8_t> &, const MeanParams &p)
{
    Mean(dst, src, p);
}

/* Running sums along the last axis, or down the rows; `last`: the last row of the result. */
template <class T, const CumSumConfig &config = defaultCumSumConfig>
SA_INLINE void CumSum(LocalTensor<T> &dst, LocalTensor<T> &last, const LocalTensor<T> &src,
                      const CumSumInfo &p)
{
    sa_cumsum(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), p.outter,
              p.inner, config.isLastAxis ? 1 : 0);
    if constexpr (config.outputLastRow) {
        sa_barrier(sa_self(), SA_PIPE_V);
        sa_copy_ub(sa_self(), last.GetPhyAddr(), dst.GetPhyAddr((p.outter - 1) * p.inner),
                   p.inner * (uint32_t)sizeof(T));
    }
}
template <class T, const CumSumConfig &config = defaultCumSumConfig>
SA_INLINE void CumSum(LocalTensor<T> &dst, LocalTensor<T> &last, const LocalTensor<T> &src,
                      LocalTensor<uint8_t> &, const CumSumInfo &p)
{
    CumSum<T, config>(dst, last, src, p);
}

namespace Pattern
{
namespace Reduce
{
struct AR {
    static constexpr int axis = 1; /* along each row */
};
struct RA {
    static constexpr int axis = 0; /* down the columns */
};
} // namespace Reduce
} // namespace Pattern

/* Of a matrix srcShape[0] x srcShape[1]. */
#define SA_DOOR_PATTERN(Name, name)                                                                \
    template <class T, class pattern, bool isReuseSource = false>                                  \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                        const uint32_t srcShape[], bool)                                           \
    {                                                                                              \
        sa_##name##_2d(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(),        \
                       srcShape[0], srcShape[1], softascend::padded<T>(srcShape[1]),               \
                       pattern::axis);                                                             \
    }                                                                                              \
    template <class T, class pattern, bool isReuseSource = false>                                  \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                      \
                        const LocalTensor<uint8_t> &, const uint32_t srcShape[], bool innerPad)    \
    {                                                                                              \
        Name<T, pattern, isReuseSource>(dst, src, srcShape, innerPad);                             \
    }
SA_DOOR_PATTERN(ReduceSum, sum)
SA_DOOR_PATTERN(ReduceMax, max)
SA_DOOR_PATTERN(ReduceMin, min)
SA_DOOR_PATTERN(ReduceProd, prod)
SA_DOOR_PATTERN(ReduceAny, any)
SA_DOOR_PATTERN(ReduceAll, all)
#undef SA_DOOR_PATTERN
} // namespace AscendC

#endif
