/* Quantisation of the Ascend C door (kernel_operator.h): to int8 and back, scales for all or for
 * each column, and the conversions that the scale register takes part in. */
#ifndef ASCENDC_QUANT_H
#define ASCENDC_QUANT_H

#include "ascendc/softmax.h"

namespace softascend
{
SA_INLINE void quant_rows(const char *call, uint32_t columns, uint32_t count)
{
    if (columns == 0 || count % columns) {
        SA_FAULT("%s: %u elements are no rows of %u scales", call, count, columns);
    }
}
} // namespace softascend

namespace AscendC
{
/* ---- to int8, columns of scales: rows of scaleCount */

#define SA_DOOR_QUANT(...)                                                                         \
    template <class T, bool isReuseSource = false, auto... config>                                 \
    SA_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src,          \
                               __VA_ARGS__ const LocalTensor<T> &scale,                            \
                               softascend::same_t<T> offset, uint32_t scaleCount,                  \
                               uint32_t calCount)                                                  \
    {                                                                                              \
        softascend::quant_rows("AscendQuant", scaleCount, calCount);                               \
        sa_quant(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), 1,           \
                 (double)offset, softascend::dtype<T>, scale.GetPhyAddr(), nullptr,                \
                 calCount / scaleCount, scaleCount);                                               \
    }                                                                                              \
    template <class T, bool isReuseSource = false, auto... config>                                 \
    SA_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src,          \
                               __VA_ARGS__ const LocalTensor<T> &scale,                            \
                               const LocalTensor<T> &offset, uint32_t scaleCount,                  \
                               uint32_t offsetCount, uint32_t calCount)                            \
    {                                                                                              \
        (void)offsetCount;                                                                         \
        softascend::quant_rows("AscendQuant", scaleCount, calCount);                               \
        sa_quant(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), src.GetPhyAddr(), 1, 0,        \
                 softascend::dtype<T>, scale.GetPhyAddr(), offset.GetPhyAddr(),                    \
                 calCount / scaleCount, scaleCount);                                               \
    }
SA_DOOR_BOTH_BUFFERS(SA_DOOR_QUANT)
#undef SA_DOOR_QUANT
template <class T, bool isReuseSource = false, auto... config>
SA_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src,
                           const LocalTensor<uint8_t> &, float scale, float offset)
{
    AscendQuant<T, isReuseSource>(dst, src, scale, offset, src.GetSize());
}

/* ---- from int32 */

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW, DEQUANT_WITH_MULTI_ROW };

struct DequantParams {
    uint32_t m = 0, n = 0, calCount = 0;
};

/* m rows of n, calCount of each live; rows of the result in whole blocks. */
#define SA_DOOR_DEQUANT(...)                                                                       \
    template <class To, class S, auto... mode>                                                     \
    SA_INLINE void AscendDequant(const LocalTensor<To> &dst, const LocalTensor<int32_t> &src,      \
                                 const LocalTensor<S> &deqScale,                                   \
                                 __VA_ARGS__ const DequantParams &p)                               \
    {                                                                                              \
        const uint32_t each = 32 / (uint32_t)sizeof(To), pitch = (p.n + each - 1) / each * each;   \
        for (uint32_t row = 0; row < p.m; row++) {                                                 \
            sa_dequant(sa_self(), softascend::dtype<To>, dst.GetPhyAddr(row *pitch), SA_I32,       \
                       src.GetPhyAddr(row *p.n), 1, 0, softascend::dtype<S>,                       \
                       deqScale.GetPhyAddr(), nullptr, 1, p.calCount ? p.calCount : p.n);          \
        }                                                                                          \
    }                                                                                              \
    template <class To, class S, auto... mode,                                                     \
              class = std::enable_if_t<std::is_same_v<S, float> || std::is_same_v<S, bfloat16_t>>> \
    SA_INLINE void AscendDequant(const LocalTensor<To> &dst, const LocalTensor<int32_t> &src,      \
                                 S deqScale, __VA_ARGS__ const DequantParams &p)                   \
    {                                                                                              \
        const uint32_t each = 32 / (uint32_t)sizeof(To), pitch = (p.n + each - 1) / each * each;   \
        for (uint32_t row = 0; row < p.m; row++) {                                                 \
            sa_dequant(sa_self(), softascend::dtype<To>, dst.GetPhyAddr(row *pitch), SA_I32,       \
                       src.GetPhyAddr(row *p.n), (double)(float)deqScale, 0, SA_F32, nullptr,      \
                       nullptr, 1, p.calCount ? p.calCount : p.n);                                 \
        }                                                                                          \
    }
SA_DOOR_BOTH_BUFFERS(SA_DOOR_DEQUANT)
#undef SA_DOOR_DEQUANT
/* The scales' number says how long a row is. */
template <class To, class S, auto... mode>
SA_INLINE void AscendDequant(const LocalTensor<To> &dst, const LocalTensor<int32_t> &src,
                             const LocalTensor<S> &deqScale, const LocalTensor<uint8_t> &,
                             uint32_t calCount)
{
    AscendDequant<To, S>(dst, src, deqScale, DequantParams{1, calCount, calCount});
}
template <class To, class S, auto... mode>
SA_INLINE void AscendDequant(const LocalTensor<To> &dst, const LocalTensor<int32_t> &src,
                             const LocalTensor<S> &deqScale, const LocalTensor<uint8_t> &)
{
    const uint32_t n = deqScale.GetSize();
    AscendDequant<To, S>(dst, src, deqScale, DequantParams{src.GetSize() / n, n, n});
}

/* ---- from int8: (src + offset) * scale, rows of the scales' width */

struct AntiQuantShapeInfo {
    uint32_t offsetHeight = 0, offsetWidth = 0, scaleHeight = 0, scaleWidth = 0;
};

template <class From, class To, bool isTranspose>
SA_INLINE void AscendAntiQuant(const LocalTensor<To> &dst, const LocalTensor<From> &src,
                               const LocalTensor<To> &offset, const LocalTensor<To> &scale,
                               const LocalTensor<uint8_t> &, uint32_t K,
                               const AntiQuantShapeInfo &shape = {})
{
    static_assert(std::is_same_v<From, int8_t>, "AscendAntiQuant: int8_t sources");
    static_assert(!isTranspose, "AscendAntiQuant: sources [K, N], not transposed");
    const uint32_t heights = shape.scaleHeight ? shape.scaleHeight : 1;
    const uint32_t n = shape.scaleWidth ? shape.scaleWidth : scale.GetSize() / heights;
    sa_antiquant(sa_self(), softascend::dtype<To>, dst.GetPhyAddr(), src.GetPhyAddr(), 1, 0,
                 scale.GetPhyAddr(), offset.GetPhyAddr(), K, n, heights > 1 ? K / heights : 0);
}
template <class From, class To, bool isTranspose>
SA_INLINE void AscendAntiQuant(const LocalTensor<To> &dst, const LocalTensor<From> &src, To offset,
                               To scale, const LocalTensor<uint8_t> &, uint32_t K,
                               const AntiQuantShapeInfo & = {})
{
    static_assert(std::is_same_v<From, int8_t>, "AscendAntiQuant: int8_t sources");
    sa_antiquant(sa_self(), softascend::dtype<To>, dst.GetPhyAddr(), src.GetPhyAddr(),
                 (double)(float)scale, (double)(float)offset, nullptr, nullptr, K,
                 src.GetSize() / K, 0);
}

/* ---- by the scale register (SetDeqScale) */

constexpr uint8_t VDEQ_TENSOR_SIZE = 16;
struct VdeqInfo {
    SA_INLINE VdeqInfo() {}
    SA_INLINE VdeqInfo(const float scales[16], const int16_t offsets[16], const bool signs[16])
    {
        for (int i = 0; i < VDEQ_TENSOR_SIZE; i++) {
            vdeqScale[i] = scales[i], vdeqOffset[i] = offsets[i], vdeqSignMode[i] = signs[i];
        }
    }

    float vdeqScale[VDEQ_TENSOR_SIZE] = {};
    int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {};
    bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {};
};

SA_INLINE void SetDeqScale(float scale, int16_t offset, bool)
{
    softascend::state().deq_scale = scale;
    softascend::state().deq_offset = offset;
}
/* vdeq: 128 bytes in UB that the parameters are written to, a word each: scale below, offset above.
 */
template <class T>
SA_INLINE void SetDeqScale(const LocalTensor<T> &vdeq, const VdeqInfo &info)
{
    static_assert(sizeof(T) == 8, "SetDeqScale: a tensor of uint64_t");
    for (uint32_t i = 0; i < VDEQ_TENSOR_SIZE; i++) {
        uint64_t word = __builtin_bit_cast(uint32_t, info.vdeqScale[i]);
        vdeq.SetValue(i, word | (uint64_t)(uint16_t)info.vdeqOffset[i] << 32);
    }
    softascend::state().deq_words = vdeq.GetPhyAddr();
}

/* int16_t to int8_t or uint8_t. halfBlock: into the first half of each block, else the second. */
template <class To, class From, bool isVecDeq = true, bool halfBlock = true>
SA_INLINE void CastDeq(const LocalTensor<To> &dst, const LocalTensor<From> &src, uint32_t count)
{
    static_assert(std::is_same_v<From, int16_t> && sizeof(To) == 1,
                  "CastDeq: int16_t to int8_t or uint8_t");
    const softascend::block_state &s = softascend::state();
    float scales[16];
    int16_t offsets[16];
    for (int i = 0; i < 16; i++) {
        uint64_t word = 0;
        if constexpr (isVecDeq) {
            std::memcpy(&word, static_cast<const uint8_t *>(s.deq_words) + i * 8, sizeof word);
        }
        uint32_t bits = (uint32_t)word;
        scales[i] = isVecDeq ? __builtin_bit_cast(float, bits) : s.deq_scale;
        offsets[i] = isVecDeq ? (int16_t)(word >> 32) : s.deq_offset;
    }
    sa_cast_vdeq(sa_self(), softascend::dtype<To>, dst.GetPhyAddr(), src.GetPhyAddr(), scales,
                 offsets, !halfBlock, count);
}

/* max((src0 + src1) * scale, 0) in half. */
SA_INLINE void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,
                          const LocalTensor<int32_t> &src1, int32_t count)
{
    sa_add_deq_relu(sa_self(), dst.GetPhyAddr(), src0.GetPhyAddr(), src1.GetPhyAddr(),
                    (uint32_t)count);
}
#define SA_DOOR_ADD_DEQ_RELU(Mask, ...)                                                            \
    template <bool isSetMask = true>                                                               \
    SA_INLINE void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,      \
                              const LocalTensor<int32_t> &src1, Mask mask, uint8_t repeatTimes,    \
                              const BinaryRepeatParams &params)                                    \
    {                                                                                              \
        sa_repeat r = softascend::lanes<isSetMask>(mask, repeatTimes, params);                     \
        sa_add_deq_relu_repeat(sa_self(), dst.GetPhyAddr(), src0.GetPhyAddr(), src1.GetPhyAddr(),  \
                               &r);                                                                \
    }
SA_DOOR_BOTH_MASKS(SA_DOOR_ADD_DEQ_RELU, )
#undef SA_DOOR_ADD_DEQ_RELU
} // namespace AscendC

#endif
