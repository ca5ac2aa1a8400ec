/* Slices, padding, choices by bytes, further reductions and fills of the Ascend C door
 * (kernel_operator.h). */
#ifndef ASCENDC_LAYOUT_H
#define ASCENDC_LAYOUT_H

#include "ascendc/highlevel.h"
#include "ascendc/move.h"
#include "ascendc/quant.h"
#include "ascendc/queue.h"
#include "ascendc/reduce.h"

namespace AscendC
{
/* ---- slices of a tensor of up to 8 dimensions, the first of them the innermost: from startIndex
 * to endIndex in pieces with `stride` elements between them. Of the innermost a piece is burstLen
 * blocks of 32 bytes, of the others one row. */

struct SliceInfo {
    SA_INLINE SliceInfo() {}
    SA_INLINE SliceInfo(uint32_t start, uint32_t end, uint32_t gap, uint32_t burst,
                        uint32_t shape = 0)
        : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape)
    {
    }

    uint32_t startIndex = 0, endIndex = 0, stride = 0, burstLen = 0, shapeValue = 0;
};

} // namespace AscendC

namespace softascend
{
/* Calls `row(from, to)` with the first elements of matching outer pieces. */
struct slices {
    static constexpr uint32_t max_dims = 8;
    uint32_t counts[max_dims];
    uint64_t first = 0, steps[max_dims];

    SA_INLINE slices(const AscendC::SliceInfo info[], uint32_t dims, uint32_t size)
    {
        uint64_t row = 1;
        for (uint32_t d = 0; d < dims; d++) {
            const AscendC::SliceInfo &s = info[d];
            const uint32_t piece = d == 0 ? s.burstLen * 32 / size : s.burstLen;
            if (piece == 0 || s.endIndex < s.startIndex) {
                SA_FAULT("DataCopy: slice %u goes from %u to %u in pieces of %u", d, s.startIndex,
                         s.endIndex, piece);
            }
            steps[d] = (piece + s.stride) * row;
            counts[d] = (s.endIndex - s.startIndex + 1 + s.stride) / (piece + s.stride);
            first += s.startIndex * row;
            row *= s.shapeValue ? s.shapeValue : s.endIndex + 1;
        }
    }
    /* The first element of outer piece `index`, counted from the second dimension on. */
    SA_INLINE uint64_t at(uint64_t index, uint32_t dims) const
    {
        uint64_t element = first;
        for (uint32_t d = 1; d < dims; d++) {
            element += index % counts[d] * steps[d];
            index /= counts[d];
        }
        return element;
    }
};

template <class T, class Move>
SA_INLINE void copy_slices(const AscendC::SliceInfo dst_info[], const AscendC::SliceInfo src_info[],
                           uint32_t dims, Move move)
{
    if (dims == 0 || dims > slices::max_dims) {
        SA_FAULT("DataCopy: slices of %u dimensions; 1 to %u are possible", dims, slices::max_dims);
    }
    const slices to(dst_info, dims, sizeof(T)), from(src_info, dims, sizeof(T));
    uint64_t outer = 1, other = 1;
    for (uint32_t d = 1; d < dims; d++) {
        outer *= from.counts[d];
        other *= to.counts[d];
    }
    if (outer * from.counts[0] * src_info[0].burstLen !=
        other * to.counts[0] * dst_info[0].burstLen) {
        SA_FAULT("DataCopy: the source's slices hold %llu blocks, the destination's %llu",
                 (unsigned long long)(outer * from.counts[0] * src_info[0].burstLen),
                 (unsigned long long)(other * to.counts[0] * dst_info[0].burstLen));
    }
    /* block by block where the two are cut differently */
    const bool same =
        from.counts[0] == to.counts[0] && src_info[0].burstLen == dst_info[0].burstLen;
    if (same && outer == other) {
        for (uint64_t i = 0; i < outer; i++) {
            move(to.at(i, dims), from.at(i, dims), from.counts[0], src_info[0].burstLen * 32,
                 to.steps[0], from.steps[0]);
        }
        return;
    }
    constexpr uint32_t block = 32 / sizeof(T);
    const auto place = [](const slices &s, const AscendC::SliceInfo *info, uint64_t k,
                          uint32_t n) -> uint64_t {
        const uint64_t a_row = (uint64_t)s.counts[0] * info[0].burstLen, in_row = k % a_row;
        return s.at(k / a_row, n) + in_row / info[0].burstLen * s.steps[0] +
               in_row % info[0].burstLen * block;
    };
    for (uint64_t k = 0; k < outer * from.counts[0] * src_info[0].burstLen; k++) {
        move(place(to, dst_info, k, dims), place(from, src_info, k, dims), 1, 32, 0, 0);
    }
}
} // namespace softascend

namespace AscendC
{
template <class T>
SA_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                        const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                        uint32_t dimValue = 1)
{
    softascend::copy_slices<T>(
        dstSliceInfo, srcSliceInfo, dimValue,
        [&](uint64_t to, uint64_t from, uint32_t n, uint32_t bytes, uint64_t to_step,
            uint64_t from_step) {
            sa_copy_in_2d(sa_self(), dst.GetPhyAddr((uint32_t)to), (uint32_t)(to_step * sizeof(T)),
                          src.GetPhyAddr(from), (int64_t)(from_step * sizeof(T)), n, bytes);
        });
}
template <class T>
SA_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                        const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                        uint32_t dimValue = 1)
{
    softascend::copy_slices<T>(dstSliceInfo, srcSliceInfo, dimValue,
                               [&](uint64_t to, uint64_t from, uint32_t n, uint32_t bytes,
                                   uint64_t to_step, uint64_t from_step) {
                                   sa_copy_out_2d(sa_self(), dst.GetPhyAddr(to),
                                                  (int64_t)(to_step * sizeof(T)),
                                                  src.GetPhyAddr((uint32_t)from),
                                                  (uint32_t)(from_step * sizeof(T)), n, bytes);
                               });
}

/* ---- rows of srcOriWidth elements, srcWidth apart, with padding on both sides; and without */

struct PadParams {
    uint16_t leftPad = 0, rightPad = 0;
    int32_t padValue = 0;
};
struct UnPadParams {
    uint16_t leftPad = 0, rightPad = 0;
};

template <class T>
SA_INLINE void Pad(const LocalTensor<T> &dst, const LocalTensor<T> &src, const PadParams &p,
                   const PadTiling &tiling)
{
    const uint32_t size = (uint32_t)sizeof(T), live = tiling.srcOriWidth;
    const uint32_t width = p.leftPad + live + p.rightPad;
    sa_fill(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), p.padValue,
            tiling.srcHeight * width);
    sa_barrier(sa_self(), SA_PIPE_V);
    sa_copy_ub_2d(sa_self(), dst.GetPhyAddr(p.leftPad), width * size, src.GetPhyAddr(),
                  tiling.srcWidth * size, tiling.srcHeight, live * size);
}
template <class T>
SA_INLINE void Pad(const LocalTensor<T> &dst, const LocalTensor<T> &src, const PadParams &p,
                   const LocalTensor<uint8_t> &, const PadTiling &tiling)
{
    Pad(dst, src, p, tiling);
}
template <class T>
SA_INLINE void UnPad(const LocalTensor<T> &dst, const LocalTensor<T> &src, const UnPadParams &p,
                     const UnPadTiling &tiling)
{
    const uint32_t size = (uint32_t)sizeof(T);
    if (p.leftPad + p.rightPad > tiling.srcWidth) {
        SA_FAULT("UnPad: %u and %u of a row of %u", p.leftPad, p.rightPad, tiling.srcWidth);
    }
    const uint32_t width = tiling.srcWidth - p.leftPad - p.rightPad;
    sa_copy_ub_2d(sa_self(), dst.GetPhyAddr(), width * size, src.GetPhyAddr(p.leftPad),
                  tiling.srcWidth * size, tiling.srcHeight, width * size);
}
template <class T>
SA_INLINE void UnPad(const LocalTensor<T> &dst, const LocalTensor<T> &src, const UnPadParams &p,
                     const LocalTensor<uint8_t> &, const UnPadTiling &tiling)
{
    UnPad(dst, src, p, tiling);
}

/* ---- choice by bytes: src1 where the mask's element is not 0 */

struct SelectWithBytesMaskShapeInfo {
    SA_INLINE SelectWithBytesMaskShapeInfo() {}
    SA_INLINE SelectWithBytesMaskShapeInfo(uint32_t rows, uint32_t cols, uint32_t maskRows,
                                           uint32_t maskCols)
        : firstAxis(rows), srcLastAxis(cols), maskLastAxis(maskCols)
    {
        (void)maskRows;
    }

    uint32_t firstAxis = 0, srcLastAxis = 0, maskLastAxis = 0;
};

template <class T, class U, bool isReuseMask = true>
SA_INLINE void SelectWithBytesMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                   softascend::same_t<T> src1, const LocalTensor<U> &mask,
                                   const LocalTensor<uint8_t> &,
                                   const SelectWithBytesMaskShapeInfo &p)
{
    sa_select_bytes(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src0.GetPhyAddr(), nullptr,
                    (double)src1, mask.GetPhyAddr(), softascend::dtype<U>, p.firstAxis,
                    p.srcLastAxis, p.maskLastAxis);
}
template <class T, class U, bool isReuseMask = true>
SA_INLINE void SelectWithBytesMask(const LocalTensor<T> &dst, softascend::same_t<T> src0,
                                   const LocalTensor<T> &src1, const LocalTensor<U> &mask,
                                   const LocalTensor<uint8_t> &,
                                   const SelectWithBytesMaskShapeInfo &p)
{
    sa_select_bytes(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), nullptr, src1.GetPhyAddr(),
                    (double)src0, mask.GetPhyAddr(), softascend::dtype<U>, p.firstAxis,
                    p.srcLastAxis, p.maskLastAxis);
}

/* ---- the mean of a matrix srcShape[0] x srcShape[1] along Pattern::Reduce::AR or RA */

template <class T, class pattern, bool isReuseSource = false>
SA_INLINE void ReduceMean(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                          const uint32_t srcShape[], bool)
{
    sa_sum_2d(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), srcShape[0],
              srcShape[1], softascend::padded<T>(srcShape[1]), pattern::axis);
    sa_barrier(sa_self(), SA_PIPE_V);
    sa_muls(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), dst.GetPhyAddr(),
            1.0 / srcShape[pattern::axis], srcShape[1 - pattern::axis]);
}
template <class T, class pattern, bool isReuseSource = false>
SA_INLINE void ReduceMean(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                          const LocalTensor<uint8_t> &, const uint32_t srcShape[], bool innerPad)
{
    ReduceMean<T, pattern, isReuseSource>(dst, src, srcShape, innerPad);
}

/* ---- what the last reduction left in registers */

template <class T>
SA_INLINE T GetAccVal()
{
    T value;
    std::memcpy(&value, &softascend::state().sum_bits, sizeof value);
    return value;
}
template <class T>
SA_INLINE T GetReduceRepeatSumSpr()
{
    return GetAccVal<T>();
}
template <class T>
SA_INLINE void GetReduceMaxMinCount(T &maxMinValue, T &maxMinIndex)
{
    std::memcpy(&maxMinValue, &softascend::state().extreme_bits, sizeof(T));
    std::memcpy(&maxMinIndex, &softascend::state().extreme_index, sizeof(T));
}
template <class T>
SA_INLINE void GetReduceMaxMinCount(T &maxMinValue)
{
    std::memcpy(&maxMinValue, &softascend::state().extreme_bits, sizeof(T));
}
template <class T>
SA_INLINE void GetReduceRepeatMaxMinSpr(T &maxMinValue, T &maxMinIndex)
{
    GetReduceMaxMinCount(maxMinValue, maxMinIndex);
}
template <class T>
SA_INLINE void GetReduceRepeatMaxMinSpr(T &maxMinValue)
{
    GetReduceMaxMinCount(maxMinValue);
}

/* ---- fills GM, by way of what is left of UB */

template <class T>
SA_INLINE void InitGlobalMemory(GlobalTensor<T> &gm, uint64_t size, T value)
{
    TPipe *pipe = GetTPipePtr();
    const uint32_t from = pipe->used_bytes(SA_UB), all = sa_local_bytes(sa_self(), SA_UB);
    const uint32_t free = (all - from) / 32 * 32, each = free < 16384 ? free : 16384;
    if (each == 0) {
        SA_FAULT("InitGlobalMemory: no UB is left to fill from: InitBuffer took %u bytes", from);
    }
    const LocalTensor<T> buffer(TPosition::VECCALC, from, each / (uint32_t)sizeof(T));
    const uint64_t step = buffer.GetSize();
    sa_barrier(sa_self(), SA_PIPE_ALL);
    Duplicate(buffer, value, (int32_t)(size < step ? size : step));
    sa_barrier(sa_self(), SA_PIPE_ALL);
    for (uint64_t i = 0; i < size; i += step) {
        DataCopy(gm[i], buffer, (uint32_t)(size - i < step ? size - i : step));
    }
    sa_barrier(sa_self(), SA_PIPE_ALL);
}
template <class T>
SA_INLINE void InitOutput(GlobalTensor<T> &gm, uint64_t size, T value = 0)
{
    InitGlobalMemory(gm, size, value);
}
} // namespace AscendC

#endif
