/* Moves between GM and UB, atomics. Numbers: 0 offset in UB, 1 offset in GM (of UB to UB: the
 * source), then as move.py lists them. */
#include "call.h"

using namespace AscendC;

#define I(k) ((uint32_t)c.i[k])
#define TENSORS(T)                                                                                 \
    LocalTensor<T> u = c.at<T>(0);                                                                 \
    GlobalTensor<T> g = c.global<T>(1);
#define PARAMS DataCopyParams p((uint16_t)I(2), (uint16_t)I(3), (uint16_t)I(4), (uint16_t)I(5));
#define EXT DataCopyExtParams p((uint16_t)I(2), I(3), I(4), I(5), 0);
#define SLICES                                                                                     \
    SliceInfo to[2], from[2];                                                                      \
    for (int d = 0; d < 2; d++) {                                                                  \
        const int64_t *s = c.i + 3 + d * 5, *t = c.i + 13 + d * 5;                                 \
        from[d] = SliceInfo((uint32_t)s[0], (uint32_t)s[1], (uint32_t)s[2], (uint32_t)s[3],        \
                            (uint32_t)s[4]);                                                       \
        to[d] = SliceInfo((uint32_t)t[0], (uint32_t)t[1], (uint32_t)t[2], (uint32_t)t[3],          \
                          (uint32_t)t[4]);                                                         \
    }

#define MOVES(T)                                                                                   \
    CALL("CopyIn", T, TENSORS(T) DataCopy(u, g, I(2));)                                            \
    CALL("CopyOut", T, TENSORS(T) DataCopy(g, u, I(2));)                                           \
    CALL("CopyLocal", T, DataCopy(c.at<T>(0), c.at<T>(1), I(2));)                                  \
    CALL("RowsIn", T, TENSORS(T) PARAMS DataCopy(u, g, p);)                                        \
    CALL("RowsOut", T, TENSORS(T) PARAMS DataCopy(g, u, p);)                                       \
    CALL("RowsLocal", T, PARAMS DataCopy(c.at<T>(0), c.at<T>(1), p);)                              \
    CALL("PadIn", T,                                                                               \
         TENSORS(T) EXT DataCopyPad(                                                               \
             u, g, p,                                                                              \
             DataCopyPadExtParams<T>(c.i[6] != 0, (uint8_t)I(7), (uint8_t)I(8), (T)c.f[0]));)      \
    CALL("PadOut", T, TENSORS(T) EXT DataCopyPad(g, u, p);)                                        \
    CALL("SlicesIn", T, TENSORS(T) SLICES DataCopy(u, g, to, from, I(2));)                         \
    CALL("SlicesOut", T, TENSORS(T) SLICES DataCopy(g, u, to, from, I(2));)
#define ATOMIC(T)                                                                                  \
    CALL("Atomic", T,                                                                              \
         TENSORS(T) c.i[3] == 0 ? SetAtomicAdd<T>()                                                \
         : c.i[3] == 1          ? SetAtomicMax<T>()                                                \
                                : SetAtomicMin<T>();                                                        \
         if (c.i[4]) DataCopyPad(g, u, DataCopyExtParams(1, I(2) * (uint32_t)sizeof(T), 0, 0, 0)); \
         else DataCopy(g, u, I(2)); SetAtomicNone(); PipeBarrier<PIPE_ALL>();                      \
         DataCopy(g[I(2)], u, I(2));)

static const entry entries[] = {MOVES(float) MOVES(half) MOVES(int16_t) MOVES(int32_t) MOVES(int8_t)
                                    ATOMIC(float) ATOMIC(half) ATOMIC(bfloat16_t) ATOMIC(int32_t)
                                        ATOMIC(int16_t) ATOMIC(int8_t)};

void add_move(table &t)
{
    t.insert(t.end(), std::begin(entries), std::end(entries));
}
