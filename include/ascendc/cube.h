/* The cube's instructions of the Ascend C door (kernel_operator.h): LoadData, Mmad, Fixpipe. */
#ifndef ASCENDC_CUBE_H
#define ASCENDC_CUBE_H

#include "ascendc/cube_params.h"
#include "ascendc/move.h"

namespace softascend
{
SA_INLINE sa_load2d load_of(const AscendC::LoadData2DParams &p)
{
    return {p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, p.ifTranspose, p.addrMode == 1};
}

/* The scale that quantises: a scalar's bits, or float32 words in L1. */
SA_INLINE void set_scale(sa_fixpipe_params &p, QuantMode_t mode, uint64_t scalar,
                         const void *scales)
{
    switch (mode) {
    case DEQF16:
    case QF322B8_PRE:
    case REQ8: {
        uint32_t bits = (uint32_t)scalar;
        p.scale = __builtin_bit_cast(float, bits);
        p.scaled = true;
        return;
    }
    case VDEQF16:
    case VQF322B8_PRE:
    case VREQ8:
        p.scales = scales;
        p.scaled = true;
        if (!scales) {
            SA_FAULT("Fixpipe: quantPre %d needs a tensor of scales", (int)mode);
        }
        return;
    default:
        return;
    }
}

template <class T>
SA_INLINE sa_dtype accumulator(const AscendC::LocalTensor<T> &)
{
    return std::is_same_v<T, int32_t> ? SA_I32 : SA_F32;
}

template <class Dst, class T, class U>
SA_INLINE void fixpipe(const Dst &dst, bool to_l1, bool nz, const AscendC::LocalTensor<U> &src,
                       const AscendC::FixpipeParamsV220 &q, const void *scales)
{
    SA_NEEDS_SPLIT(split_for<T>, "Fixpipe", "DataCopy from CO1 to CO2, then to GM");
    sa_fixpipe_params p = {};
    p.n = q.nSize;
    p.m = q.mSize;
    p.src_stride = q.srcStride;
    p.dst_stride = q.dstStride;
    p.nz = nz;
    p.relu = q.reluEn;
    set_scale(p, q.quantPre, q.deqScalar, scales);
    p.nd = nz ? 1 : q.ndNum;
    p.src_nd_stride = q.srcNdStride;
    p.dst_nd_stride = q.dstNdStride;
    p.split_channels = q.isChannelSplit;
    sa_fixpipe_ext(sa_self(), dtype<T>, dst.GetPhyAddr(), to_l1, accumulator(src), src.GetPhyAddr(),
                   &p);
}
} // namespace softascend

namespace AscendC
{
/* ---- loads */

template <class T>
SA_INLINE void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                        const LoadData2DParams &params)
{
    const sa_load2d p = softascend::load_of(params);
    sa_load_2d(sa_self(), softascend::dtype<T>, softascend::memory_of(dst.position()),
               dst.GetPhyAddr(), src.GetPhyAddr(), &p);
}
template <class T>
SA_INLINE void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                        const LoadData2DParams &params)
{
    const sa_memory memory = softascend::memory_of(dst.position());
    if (memory == SA_L1) {
        sa_copy_l1_2d(sa_self(), dst.GetPhyAddr(), (params.dstGap + 1u) * 512,
                      src.GetPhyAddr(params.startIndex * (512 / sizeof(T))), params.srcStride * 512,
                      params.repeatTimes, 512);
        return;
    }
    const sa_load2d p = softascend::load_of(params);
    sa_load_2d_gm(sa_self(), softascend::dtype<T>, memory, dst.GetPhyAddr(), src.GetPhyAddr(), &p);
}
template <class T, auto... config>
SA_INLINE void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                        const LoadData3DParamsV2<T> &q)
{
    const sa_load3d p = {{q.padList[0], q.padList[1], q.padList[2], q.padList[3]},
                         q.l1H,
                         q.l1W,
                         q.channelSize,
                         q.kExtension,
                         q.mExtension,
                         q.kStartPt,
                         q.mStartPt,
                         q.strideW,
                         q.strideH,
                         q.filterW + (q.filterSizeW ? 256u : 0),
                         q.filterH + (q.filterSizeH ? 256u : 0),
                         q.dilationFilterW,
                         q.dilationFilterH,
                         q.enTranspose,
                         (double)q.padValue};
    sa_load_3d(sa_self(), softascend::dtype<T>, softascend::memory_of(dst.position()),
               dst.GetPhyAddr(), src.GetPhyAddr(), &p);
}
template <class T>
SA_INLINE void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                     const LoadData2dTransposeParams &q)
{
    const sa_load_transpose p = {q.startIndex, q.repeatTimes, q.srcStride,
                                 q.dstGap,     q.dstFracGap,  q.addrMode == 1};
    sa_load_transposed(sa_self(), softascend::dtype<T>, softascend::memory_of(dst.position()),
                       dst.GetPhyAddr(), src.GetPhyAddr(), &p);
}

/* Runs of 32 bytes in L1, of 512 in L0A and L0B. */
template <class T>
SA_INLINE void InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<T> &p)
{
    const uint32_t unit = softascend::memory_of(dst.position()) == SA_L1 ? 32 : 512;
    sa_fill_l1(sa_self(), softascend::dtype<T>, dst.GetPhyAddr(), (double)p.initValue,
               p.repeatTimes, p.blockNum * unit, p.dstGap * unit);
}

/* State of loads and of the cube that has no effect on values here. */
SA_INLINE void SetHF32Mode(bool) {}
SA_INLINE void SetHF32TransMode(bool) {}
SA_INLINE void SetMMLayoutTransform(bool) {}
template <class T>
SA_INLINE void SetLoadDataPaddingValue(T)
{
}

/* ---- products */

template <class T, class U, class S>
SA_INLINE void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm,
                    const LocalTensor<S> &filter, const MmadParams &p)
{
    static_assert(std::is_same_v<U, S>, "Mmad: both operands have one type");
    sa_mmad(sa_self(), softascend::dtype<U>, dst.GetPhyAddr(), fm.GetPhyAddr(), filter.GetPhyAddr(),
            p.m, p.k, p.n, p.isBias || !p.cmatrixInitVal);
}
/* `bias`: one row in the bias table, or accumulators. */
template <class T, class U, class S, class V>
SA_INLINE void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm,
                    const LocalTensor<S> &filter, const LocalTensor<V> &bias, const MmadParams &p)
{
    static_assert(std::is_same_v<U, S>, "Mmad: both operands have one type");
    if (bias.position() == TPosition::C2) {
        sa_mmad_bias(sa_self(), softascend::dtype<U>, dst.GetPhyAddr(), fm.GetPhyAddr(),
                     filter.GetPhyAddr(), bias.GetPhyAddr(), p.m, p.k, p.n);
        return;
    }
    if ((const void *)bias.GetPhyAddr() != (const void *)dst.GetPhyAddr()) {
        SA_FAULT("Mmad: a bias in CO1 must be the destination itself, or lie in C2");
    }
    sa_mmad(sa_self(), softascend::dtype<U>, dst.GetPhyAddr(), fm.GetPhyAddr(), filter.GetPhyAddr(),
            p.m, p.k, p.n, true);
}

/* ---- the way out */

template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR>
SA_INLINE void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
                       const FixpipeParamsV220 &params)
{
    softascend::fixpipe<GlobalTensor<T>, T>(dst, false, config.format == CO2Layout::NZ, src, params,
                                            softascend::state().quant_tensor);
}
/* `scales`: 64-bit words in L1, one a column. */
template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR>
SA_INLINE void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
                       const LocalTensor<uint64_t> &scales, const FixpipeParamsV220 &params)
{
    softascend::fixpipe<GlobalTensor<T>, T>(dst, false, config.format == CO2Layout::NZ, src, params,
                                            scales.GetPhyAddr());
}
template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR>
SA_INLINE void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                       const FixpipeParamsV220 &params)
{
    softascend::fixpipe<LocalTensor<T>, T>(dst, true, config.format == CO2Layout::NZ, src, params,
                                           softascend::state().quant_tensor);
}
template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR>
SA_INLINE void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                       const LocalTensor<uint64_t> &scales, const FixpipeParamsV220 &params)
{
    softascend::fixpipe<LocalTensor<T>, T>(dst, true, config.format == CO2Layout::NZ, src, params,
                                           scales.GetPhyAddr());
}

/* The same by registers: what they hold is for the next DataCopy from CO1. */
SA_INLINE void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride)
{
    softascend::block_state &s = softascend::state();
    s.nd = ndNum, s.nd_src_stride = srcNdStride, s.nd_dst_stride = dstNdStride;
}
SA_INLINE void SetFixpipePreQuantFlag(uint64_t config)
{
    softascend::state().quant = config;
}
template <class T>
SA_INLINE void SetFixPipeConfig(const LocalTensor<T> &scales, bool isUnitFlag = false)
{
    (void)isUnitFlag;
    softascend::state().quant_tensor = scales.GetPhyAddr();
}
template <class T>
SA_INLINE void SetFixPipeConfig(const LocalTensor<T> &, const LocalTensor<T> &scales,
                                bool isUnitFlag = false)
{
    SetFixPipeConfig(scales, isUnitFlag);
}
template <class T>
SA_INLINE void SetFixPipeClipRelu(T)
{
    SA_FAULT("SetFixPipeClipRelu: clipping on the way out is not supported: Mins afterwards");
}

namespace registers
{
SA_INLINE FixpipeParamsV220 params_of(const DataCopyCO12DstParams &q)
{
    const softascend::block_state &s = softascend::state();
    FixpipeParamsV220 p(q.nSize, q.mSize, q.srcStride, q.dstStride, q.reluPre != 0);
    p.quantPre = q.quantPre;
    p.deqScalar = s.quant;
    p.ndNum = s.nd ? (uint16_t)s.nd : 1;
    p.srcNdStride = (uint16_t)s.nd_src_stride;
    p.dstNdStride = (uint16_t)s.nd_dst_stride;
    p.isChannelSplit = q.channelSplit;
    return p;
}
} // namespace registers

template <class T, class U>
SA_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
                        const DataCopyCO12DstParams &q)
{
    softascend::fixpipe<GlobalTensor<T>, T>(dst, false, !q.nz2ndEn, src, registers::params_of(q),
                                            softascend::state().quant_tensor);
}
template <class T, class U>
SA_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                        const DataCopyCO12DstParams &q)
{
    softascend::fixpipe<LocalTensor<T>, T>(dst, true, !q.nz2ndEn, src, registers::params_of(q),
                                           softascend::state().quant_tensor);
}
} // namespace AscendC

#endif
