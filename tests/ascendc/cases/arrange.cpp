/* Gathering, packing, broadcasts, transposes, sorting; the numbers of each call as arrange.py lists
 * them, byte offsets first. */
#include "call.h"

using namespace AscendC;

#define I(k) ((uint32_t)c.i[k])
#define BITS(k) const uint64_t bits[2] = {(uint64_t)c.i[k], (uint64_t)c.i[k + 1]};

#define MOVES(T)                                                                                   \
    /* dst, src, offsets, base, form, count or mask low, high, times, dst repeat stride */         \
    CALL("Gather", T, BITS(5) LocalTensor<uint32_t> at = c.at<uint32_t>(2);                        \
         c.i[4] == 0 ? Gather(c.at<T>(0), c.at<T>(1), at, I(3), I(5))                              \
         : c.i[4] == 1                                                                             \
             ? Gather(c.at<T>(0), c.at<T>(1), at, I(3), bits[0], (uint8_t)I(7), (uint16_t)I(8))    \
             : Gather(c.at<T>(0), c.at<T>(1), at, I(3), bits, (uint8_t)I(7), (uint16_t)I(8));)     \
    CALL("Gatherb", T,                                                                             \
         Gatherb(c.at<T>(0), c.at<T>(1), c.at<uint32_t>(2), (uint8_t)I(3),                         \
                 {(uint8_t)I(4), (uint8_t)I(5)});)                                                 \
    CALL("Scatter", T, Scatter(c.at<T>(0), c.at<T>(1), c.at<uint32_t>(2), I(3), I(4));)            \
    /* dst, src, bits, pattern, reduce mode, mask, block stride, times, repeat strides */          \
    CALL("GatherMask", T, uint64_t left = 0;                                                       \
         GatherMaskParams p((uint8_t)I(6), (uint16_t)I(7), (uint16_t)I(8), (uint8_t)I(9));         \
         if (c.i[3])                                                                               \
             GatherMask(c.at<T>(0), c.at<T>(1), (uint8_t)I(3), c.i[4] != 0, I(5), p, left);        \
         else if constexpr (sizeof(T) == 4)                                                        \
             GatherMask(c.at<T>(0), c.at<T>(1), c.at<uint32_t>(2), c.i[4] != 0, I(5), p, left);    \
         else GatherMask(c.at<T>(0), c.at<T>(1), c.at<uint16_t>(2), c.i[4] != 0, I(5), p, left);   \
         c.out[0] = (int64_t)left; c.out[1] = GetGatherMaskRemainCount();)                         \
    CALL("Brcb", T, Brcb(c.at<T>(0), c.at<T>(1), (uint8_t)I(2), {(uint16_t)I(3), (uint16_t)I(4)});)

#define BROADCAST(T)                                                                               \
    CALL("Broadcast", T, const uint32_t to[] = {I(2), I(3)}; const uint32_t from[] = {I(4), I(5)}; \
         LocalTensor<uint8_t> tmp;                                                                 \
         c.i[6] ? Broadcast<T, 2, 1>(c.at<T>(0), c.at<T>(1), to, from, tmp)                        \
                : Broadcast<T, 2, 0>(c.at<T>(0), c.at<T>(1), to, from, tmp);)
#define INDEX(T)                                                                                   \
    CALL("CreateVecIndex", T,                                                                      \
         BITS(3) c.i[1] == 0 ? CreateVecIndex(c.at<T>(0), (T)c.f[0], I(3))                         \
         : c.i[1] == 1       ? CreateVecIndex(c.at<T>(0), (T)c.f[0], bits[0], (uint8_t)I(2), 1, 8) \
                             : CreateVecIndex(c.at<T>(0), (T)c.f[0], bits, (uint8_t)I(2), 2, 16);)       \
    CALL("ArithProgression", T, ArithProgression(c.at<T>(0), (T)c.f[0], (T)c.f[1], (int32_t)I(3));)
#define FIVE_HD(T)                                                                                 \
    CALL(                                                                                          \
        "TransDataTo5HD", T, LocalTensor<T> to[16]; LocalTensor<T> from[16];                       \
        for (int i = 0; i < 16; i++) {                                                             \
            to[i] = c.ub[I(0) + i * I(2)].ReinterpretCast<T>();                                    \
            from[i] = c.ub[I(1) + i * I(3)].ReinterpretCast<T>();                                  \
        } TransDataTo5HD(to, from,                                                                 \
                         TransDataTo5HDParams(c.i[4] != 0, c.i[5] != 0, (uint8_t)I(6),             \
                                              (uint16_t)I(7), (uint16_t)I(8)));)
#define SQUARE(T) CALL("Transpose", T, Transpose(c.at<T>(0), c.at<T>(1));)
#define NHWC(T)                                                                                    \
    CALL("TransposeExt", T, LocalTensor<uint8_t> tmp; TransposeParamsExt p;                        \
         p.nSize = (uint16_t)I(2), p.cSize = (uint16_t)I(3), p.hSize = (uint16_t)I(4),             \
         p.wSize = (uint16_t)I(5),                                                                 \
         p.transposeType =                                                                         \
             c.i[6] ? TransposeType::TRANSPOSE_NHWC2NCHW : TransposeType::TRANSPOSE_NCHW2NHWC;     \
         Transpose(c.at<T>(0), c.at<T>(1), tmp, p);)
#define SORTS(T)                                                                                   \
    CALL("Sort32", T, Sort32(c.at<T>(0), c.at<T>(1), c.at<uint32_t>(2), (int32_t)I(3));)           \
    CALL("SortFull", T, LocalTensor<T> all, tmp; Concat(all, c.at<T>(1), tmp, (int32_t)I(3) * 2);  \
         Sort<T, true>(c.at<T>(0), all, c.at<uint32_t>(2), tmp, (int32_t)I(3));                    \
         PipeBarrier<PIPE_V>(); Extract(c.at<T>(4), c.at<uint32_t>(5), c.at<T>(0), (int32_t)I(3)); \
         c.out[0] = GetSortLen<T>(32), c.out[1] = GetSortOffset<T>(3);)                            \
    /* dst, four runs, their lengths, valid bits, suspension */                                    \
    CALL(                                                                                          \
        "MrgSort", T,                                                                              \
        const uint16_t lengths[4] = {(uint16_t)I(5), (uint16_t)I(6), (uint16_t)I(7),               \
                                     (uint16_t)I(8)};                                              \
        MrgSortSrcList<T> list(c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<T>(4));                    \
        MrgSort(c.at<T>(0), list, MrgSort4Info(lengths, c.i[10] != 0, (uint16_t)I(9), 1));         \
        uint16_t n[4]; GetMrgSortResult(n[0], n[1], n[2], n[3]);                                   \
        for (int i = 0; i < 4; i++) { c.out[i] = n[i]; })

static const entry entries[] = {
    MOVES(float) MOVES(half) MOVES(bfloat16_t) MOVES(int16_t) MOVES(uint16_t) MOVES(int32_t)
        MOVES(uint32_t) BROADCAST(float) BROADCAST(half) BROADCAST(int8_t) BROADCAST(uint8_t)
            INDEX(float) INDEX(half) INDEX(int16_t) INDEX(int32_t) FIVE_HD(half) FIVE_HD(float)
                FIVE_HD(int32_t) FIVE_HD(uint16_t) FIVE_HD(int8_t) FIVE_HD(uint8_t) SQUARE(half)
                    SQUARE(int16_t) SQUARE(uint16_t) NHWC(half) NHWC(float) SORTS(float)
                        SORTS(half)};

void add_arrange(table &t)
{
    t.insert(t.end(), std::begin(entries), std::end(entries));
}
