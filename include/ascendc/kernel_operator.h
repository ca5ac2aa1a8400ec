/* The Ascend C door: kernels in the public Ascend C style, compiled by a plain C++17 compiler.
 *
 * Thin over softascend/core.h: every call here becomes instructions, flags and barriers there, on
 * the core that runs the calling block. Names and their meaning: the vendor's public Ascend C
 * documentation of the basic API. Functions are always inlined, so that reports name the kernel's
 * own line.
 *
 *   base.h     attributes, types (half, bfloat16_t), the running core
 *   tensor.h   GlobalTensor, LocalTensor
 *   queue.h    TPipe, TQue, TBuf
 *   compute.h  DataCopy, elementwise instructions, flags and barriers
 *   launch.h   how a host program launches a kernel without `ascc` */
#ifndef ASCENDC_KERNEL_OPERATOR_H
#define ASCENDC_KERNEL_OPERATOR_H

#include "ascendc/base.h"
#include "ascendc/compute.h"
#include "ascendc/launch.h"
#include "ascendc/queue.h"
#include "ascendc/tensor.h"

#endif
