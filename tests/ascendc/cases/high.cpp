/* High-level mathematics. Numbers: 0-2 byte offsets of dst and sources, 3 the count. */
#include "call.h"

using namespace AscendC;

#define N ((uint32_t)c.i[3])
#define TENSORS(T)                                                                                 \
    LocalTensor<T> d = c.at<T>(0), a = c.at<T>(1), b = c.at<T>(2);                                 \
    LocalTensor<uint8_t> tmp;                                                                      \
    (void)b, (void)tmp;
#define UNARY_OF(Name, T)                                                                          \
    CALL(#Name, T, TENSORS(T) Name(d, a, tmp, N); PipeBarrier<PIPE_V>(); Name(d, a, N);)
#define BINARY_OF(Name, T) CALL(#Name, T, TENSORS(T) Name(d, a, b, tmp, N);)
#define UNARY(Name) UNARY_OF(Name, float) UNARY_OF(Name, half)
#define BINARY(Name) BINARY_OF(Name, float) BINARY_OF(Name, half)
#define SCALARS(T)                                                                                 \
    CALL("Power.vs", T, TENSORS(T) Power(d, a, (T)c.f[0], N);)                                     \
    CALL("Power.sv", T, TENSORS(T) Power(d, (T)c.f[0], a, N);)                                     \
    CALL("Swish", T, TENSORS(T) Swish(d, a, N, (T)c.f[0]);)                                        \
    CALL("SwiGLU", T, TENSORS(T) SwiGLU(d, a, b, (float)c.f[0], tmp, N);)                          \
    CALL("ClampMax", T, TENSORS(T) ClampMax(d, a, tmp, (T)c.f[0], N);)                             \
    CALL("ClampMin", T, TENSORS(T) ClampMin(d, a, tmp, (T)c.f[0], N);)                             \
    CALL("ExpTaylor", T, TENSORS(T) Exp<T, 15>(d, a, tmp, N);)

static const entry entries[] = {
    UNARY(Sigmoid) UNARY(Tanh) UNARY(Gelu) UNARY(FasterGelu) UNARY(FasterGeluV2) UNARY(Silu)
        UNARY(Erf) UNARY(Erfc) UNARY(Sin) UNARY(Cos) UNARY(Tan) UNARY(Asin) UNARY(Acos) UNARY(Atan)
            UNARY(Sinh) UNARY(Cosh) UNARY(Asinh) UNARY(Acosh) UNARY(Atanh) UNARY(Floor) UNARY(Ceil)
                UNARY(Round) UNARY(Trunc) UNARY(Frac) UNARY(Log) UNARY(Log2) UNARY(Log10)
                    UNARY(Sign) UNARY(Lgamma) UNARY(Digamma) BINARY(Power) BINARY(Fmod)
                        BINARY(GeGLU) BINARY(ReGlu) BINARY_OF(Power, int32_t)
                            BINARY_OF(Xor, int16_t) BINARY_OF(Xor, uint16_t) SCALARS(float)
                                SCALARS(half)};

void add_high(table &t)
{
    t.insert(t.end(), std::begin(entries), std::end(entries));
}
