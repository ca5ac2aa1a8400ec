/* Reductions. Numbers:
 *   0 form (0 count, 1 first, 2 bits)  1 dst  2 src  3 work  4, 5 count or mask  6 times
 *   7 dst repeat stride  8 src block stride  9 src repeat stride  10 with index, or the order */
#include "call.h"

using namespace AscendC;

#define BITS const uint64_t bits[2] = {(uint64_t)c.i[4], (uint64_t)c.i[5]};
#define WITH(T)                                                                                    \
    LocalTensor<T> d = c.at<T>(1), a = c.at<T>(2), w = c.at<T>(3);                                 \
    BITS int32_t times = (int32_t)c.i[6], dst = (int32_t)c.i[7], block = (int32_t)c.i[8],          \
                 rep = (int32_t)c.i[9];
#define SUM(T)                                                                                     \
    CALL("ReduceSum", T, WITH(T)(void) dst; (void)block;                                           \
         c.i[0] == 0   ? ReduceSum(d, a, w, (int32_t)c.i[4])                                       \
         : c.i[0] == 1 ? ReduceSum(d, a, w, bits[0], times, rep)                                   \
                       : ReduceSum(d, a, w, bits, times, rep);)
#define EXTREME(Name, T)                                                                           \
    CALL(#Name, T, WITH(T)(void) dst; (void)block; bool index = c.i[10];                           \
         c.i[0] == 0   ? Name(d, a, w, (int32_t)c.i[4], index)                                     \
         : c.i[0] == 1 ? Name(d, a, w, bits[0], times, rep, index)                                 \
                       : Name(d, a, w, bits, times, rep, index);)
#define WHOLE(T)                                                                                   \
    CALL("WholeReduceSum", T, WITH(T)(void) w;                                                     \
         c.i[0] == 1 ? WholeReduceSum(d, a, bits[0], times, dst, block, rep)                       \
                     : WholeReduceSum(d, a, bits, times, dst, block, rep);)                        \
    CALL("RepeatReduceSum", T, WITH(T)(void) w;                                                    \
         c.i[0] == 1 ? RepeatReduceSum(d, a, times, bits[0], 1, block, dst, rep)                   \
                     : RepeatReduceSum(d, a, times, bits, 1, block, dst, rep);)
#define WHOLE_EXTREME(Name, T)                                                                     \
    CALL(#Name, T, WITH(T)(void) w; ReduceOrder order = (ReduceOrder)c.i[10];                      \
         c.i[0] == 1 ? Name(d, a, bits[0], times, dst, block, rep, order)                          \
                     : Name(d, a, bits, times, dst, block, rep, order);)
#define GROUPS(Name, T)                                                                            \
    CALL(#Name, T, WITH(T)(void) w; c.i[0] == 1 ? Name(d, a, times, bits[0], dst, block, rep)      \
                                                : Name(d, a, times, bits, dst, block, rep);)
#define BOTH(X, Name) X(Name, float) X(Name, half)

static const entry entries[] = {
    SUM(float) SUM(half) BOTH(EXTREME, ReduceMax) BOTH(EXTREME, ReduceMin) WHOLE(float) WHOLE(half)
        BOTH(WHOLE_EXTREME, WholeReduceMax) BOTH(WHOLE_EXTREME, WholeReduceMin)
            BOTH(GROUPS, BlockReduceSum) BOTH(GROUPS, BlockReduceMax) BOTH(GROUPS, BlockReduceMin)
                BOTH(GROUPS, PairReduceSum)};

void add_reduce(table &t)
{
    t.insert(t.end(), std::begin(entries), std::end(entries));
}
