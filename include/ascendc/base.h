/* Attributes and the running block of the Ascend C door (kernel_operator.h). */
#ifndef ASCENDC_BASE_H
#define ASCENDC_BASE_H

#include "ascendc/arch.h"
#include "softascend/core.h"
#include "softascend/cube.h"
#include "softascend/vector.h"

#include <cstdint>
#include <cstring>

#ifndef __global__ /* ascc reads it */
#define __global__
#endif
#define __aicore__
#define __inout_pipe__(pipe)
#define __in_pipe__(pipe)
#define __out_pipe__(pipe)
#define __check_sync_alias__
#define __sync_noalias__
#define __sync_alias__
#ifndef SOFTASCEND_ASCC /* ascc reads these three */
#define __mix__(...)
#define __cube__
#define __vector__
#endif

/* Address spaces are one here. */
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __ssbuf__
#define __biasbuf__

#define GM_ADDR uint8_t *
#define __kfc_workspace__
#define __workspace__
#define SA_INLINE inline __attribute__((always_inline))

namespace softascend
{
/* What the door keeps of a block between calls, in the core's block data; all zero at its start. */
struct block_state {
    void *pipe;          /* the TPipe in use */
    void *workspace;     /* of SetSysWorkspace */
    uint64_t tiling_key; /* of TILING_KEY_IS, when has_tiling_key */
    bool has_tiling_key, asked_tiling_key, is_tiling_key; /* asked, and one was it */
    bool hf32, relu;
    uint32_t nd, nd_src_stride, nd_dst_stride; /* of SetFixpipeNz2ndFlag; nd 0: none */
    uint64_t quant;                            /* of SetFixpipePreQuantFlag */
    const void *quant_tensor;                  /* of SetFixPipeConfig */
    uint32_t pad_value;                        /* of SetLoadDataPaddingValue */
    uint16_t feature_map[2];                   /* of SetFmatrix: h, w */
    uint8_t feature_pad[4];
    uint32_t taken[4];     /* what the last MrgSort took of each run */
    uint64_t gathered;     /* of GatherMask */
    const void *deq_words; /* of SetDeqScale, for CastDeq */
    float deq_scale;
    int16_t deq_offset;
    uint16_t matmuls; /* objects registered with the block's cube core */
    uint32_t sum_bits, extreme_bits, extreme_index; /* of the last ReduceSum, ReduceMax … */
};
static_assert(sizeof(block_state) <= SA_BLOCK_DATA, "");

SA_INLINE block_state &state()
{
    return *static_cast<block_state *>(sa_block_data(sa_self()));
}

/* The exception of the running core's kind. */
SA_INLINE sa_status fault_code()
{
    return sa_kind(sa_self()) == SA_AIC ? SA_ERR_AICORE_EXCEPTION : SA_ERR_VECTOR_EXCEPTION;
}
/* Stops the kernel with a message. */
#define SA_FAULT(...) sa_fault(sa_self(), ::softascend::fault_code(), __VA_ARGS__)
} // namespace softascend

#endif
