/* Moves, elementwise instructions, flags and barriers of the Ascend C door (kernel_operator.h). */
#ifndef ASCENDC_COMPUTE_H
#define ASCENDC_COMPUTE_H

#include "ascendc/tensor.h"

#define PIPE_S SA_PIPE_S
#define PIPE_V SA_PIPE_V
#define PIPE_M SA_PIPE_M
#define PIPE_MTE1 SA_PIPE_MTE1
#define PIPE_MTE2 SA_PIPE_MTE2
#define PIPE_MTE3 SA_PIPE_MTE3
#define PIPE_FIX SA_PIPE_FIX
#define PIPE_ALL SA_PIPE_ALL

namespace AscendC
{
enum class RoundMode {
    CAST_NONE = SA_ROUND_NONE,
    CAST_RINT = SA_ROUND_RINT,
    CAST_FLOOR = SA_ROUND_FLOOR,
    CAST_CEIL = SA_ROUND_CEIL,
    CAST_ROUND = SA_ROUND_ROUND,
    CAST_TRUNC = SA_ROUND_TRUNC,
    CAST_ODD = SA_ROUND_ODD,
};

/* ---- order */

/* Who sets and who waits, as one value: from * 8 + to. */
#define SA_HARD_EVENT(from, to) from##_##to = SA_PIPE_##from * 8 + SA_PIPE_##to
enum class HardEvent {
    SA_HARD_EVENT(MTE2, MTE1),
    SA_HARD_EVENT(MTE1, MTE2),
    SA_HARD_EVENT(MTE1, M),
    SA_HARD_EVENT(M, MTE1),
    SA_HARD_EVENT(M, FIX),
    SA_HARD_EVENT(FIX, M),
    SA_HARD_EVENT(MTE2, V),
    SA_HARD_EVENT(V, MTE2),
    SA_HARD_EVENT(MTE3, V),
    SA_HARD_EVENT(V, MTE3),
    SA_HARD_EVENT(MTE2, MTE3),
    SA_HARD_EVENT(MTE3, MTE2),
    SA_HARD_EVENT(MTE1, V),
    SA_HARD_EVENT(V, MTE1),
    SA_HARD_EVENT(M, V),
    SA_HARD_EVENT(V, M),
    SA_HARD_EVENT(S, V),
    SA_HARD_EVENT(V, S),
    SA_HARD_EVENT(S, MTE2),
    SA_HARD_EVENT(MTE2, S),
    SA_HARD_EVENT(S, MTE3),
    SA_HARD_EVENT(MTE3, S),
};
#undef SA_HARD_EVENT

template <HardEvent event>
SA_INLINE void SetFlag(int32_t id)
{
    sa_set_flag(sa_self(), (sa_pipe)((int)event / 8), (sa_pipe)((int)event % 8), (uint32_t)id);
}

template <HardEvent event>
SA_INLINE void WaitFlag(int32_t id)
{
    sa_wait_flag(sa_self(), (sa_pipe)((int)event / 8), (sa_pipe)((int)event % 8), (uint32_t)id);
}

template <sa_pipe pipe>
SA_INLINE void PipeBarrier()
{
    sa_barrier(sa_self(), pipe);
}

SA_INLINE void SyncAll()
{
    sa_sync_all(sa_self());
}

/* ---- moves of `count` elements */

template <class T>
SA_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t count)
{
    sa_copy_in(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(), count * (uint32_t)sizeof(T));
}

template <class T>
SA_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count)
{
    sa_copy_out(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(), count * (uint32_t)sizeof(T));
}

template <class T>
SA_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count)
{
    sa_copy_ub(sa_self(), dst.GetPhyAddr(), src.GetPhyAddr(), count * (uint32_t)sizeof(T));
}

/* ---- elementwise, on the first `count` elements */

#define SA_DOOR_BINARY(Name, name)                                                                 \
    template <class T>                                                                             \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &a,                        \
                        const LocalTensor<T> &b, int32_t count)                                    \
    {                                                                                              \
        sa_##name(sa_self(), softascend::dtype_of<T>::value, dst.GetPhyAddr(), a.GetPhyAddr(),     \
                  b.GetPhyAddr(), (uint32_t)count);                                                \
    }
#define SA_DOOR_UNARY(Name, name)                                                                  \
    template <class T>                                                                             \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &a, int32_t count)         \
    {                                                                                              \
        sa_##name(sa_self(), softascend::dtype_of<T>::value, dst.GetPhyAddr(), a.GetPhyAddr(),     \
                  (uint32_t)count);                                                                \
    }
#define SA_DOOR_SCALAR(Name, name)                                                                 \
    template <class T>                                                                             \
    SA_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &a, T scalar,              \
                        int32_t count)                                                             \
    {                                                                                              \
        sa_##name(sa_self(), softascend::dtype_of<T>::value, dst.GetPhyAddr(), a.GetPhyAddr(),     \
                  (double)scalar, (uint32_t)count);                                                \
    }

SA_DOOR_BINARY(Add, add)
SA_DOOR_BINARY(Sub, sub)
SA_DOOR_BINARY(Mul, mul)
SA_DOOR_BINARY(Div, div)
SA_DOOR_BINARY(Max, max)
SA_DOOR_BINARY(Min, min)
SA_DOOR_UNARY(Relu, relu)
SA_DOOR_UNARY(Exp, exp)
SA_DOOR_SCALAR(Adds, adds)
SA_DOOR_SCALAR(Muls, muls)

#undef SA_DOOR_BINARY
#undef SA_DOOR_UNARY
#undef SA_DOOR_SCALAR

template <class T>
SA_INLINE void Duplicate(const LocalTensor<T> &dst, T value, int32_t count)
{
    sa_fill(sa_self(), softascend::dtype_of<T>::value, dst.GetPhyAddr(), (double)value,
            (uint32_t)count);
}

template <class To, class From>
SA_INLINE void Cast(const LocalTensor<To> &dst, const LocalTensor<From> &src, RoundMode round,
                    uint32_t count)
{
    sa_cast(sa_self(), softascend::dtype_of<To>::value, dst.GetPhyAddr(),
            softascend::dtype_of<From>::value, src.GetPhyAddr(), (sa_round)round, count);
}
} // namespace AscendC

#endif
