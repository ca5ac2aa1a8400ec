/* The compiler's own names for moves on raw pointers, which older kernels call: for
 * kernel_operator.h. Lengths and gaps are blocks of 32 bytes. */
#ifndef ASCENDC_INTRINSICS_H
#define ASCENDC_INTRINSICS_H

#include "ascendc/move.h"

/* A byte of UB as a number, for kernels that place things by hand. */
SA_INLINE uint64_t get_imm(uint64_t value)
{
    return (uint64_t)softascend::local(value, AscendC::TPosition::VECCALC);
}

namespace softascend
{
SA_INLINE rows blocks(uint16_t count, uint16_t length, uint16_t src_gap, uint16_t dst_gap)
{
    return rows(AscendC::DataCopyParams(count, length, src_gap, dst_gap));
}
} // namespace softascend

SA_INLINE void copy_gm_to_ubuf(__ubuf__ void *dst, __gm__ const void *src, uint8_t, uint16_t count,
                               uint16_t length, uint16_t srcGap, uint16_t dstGap)
{
    softascend::move_in(SA_UB, dst, src, softascend::blocks(count, length, srcGap, dstGap));
}
SA_INLINE void copy_ubuf_to_gm(__gm__ void *dst, __ubuf__ const void *src, uint8_t, uint16_t count,
                               uint16_t length, uint16_t srcGap, uint16_t dstGap)
{
    softascend::move_out(dst, SA_UB, src, softascend::blocks(count, length, srcGap, dstGap));
}
SA_INLINE void copy_ubuf_to_ubuf(__ubuf__ void *dst, __ubuf__ const void *src, uint8_t,
                                 uint16_t count, uint16_t length, uint16_t srcGap, uint16_t dstGap)
{
    softascend::move_local(SA_UB, dst, SA_UB, src,
                           softascend::blocks(count, length, srcGap, dstGap));
}

#endif
