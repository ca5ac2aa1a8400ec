/* The Ascend C door: kernels in the public Ascend C style, compiled by a plain C++17 compiler.
 *
 * Thin over softascend/core.h: every call here becomes instructions, flags and barriers there, on
 * the core that runs the calling block. Names and their meaning: the vendor's public Ascend C
 * documentation. Functions are always inlined, so that reports name the kernel's own line. What is
 * here and what is missing: docs/ascendc-coverage.md.
 *
 *   base.h types.h enums.h params.h   attributes, half and bfloat16_t, names, parameter structures
 *   tensor.h list_tensor.h            GlobalTensor, LocalTensor; lists of them in GM
 *   queue.h flags.h                   TPipe, TQue, TBuf
 *   move.h intrinsics.h               DataCopy, DataCopyPad, Copy; on raw pointers
 *   elementwise.h compare.h reduce.h arrange.h sort.h   the vector pipe
 *   operators.h unqualified.h         dst = a + b; names without AscendC::
 *   cube.h                            LoadData, Mmad, Fixpipe
 *   sync.h                            flags, barriers, cross-core, atomics
 *   system.h print.h tiling.h         block indices, workspaces; printf, assert; tiling data
 *   highlevel.h normalize.h           high-level functions
 *   launch.h                          how a host program launches a kernel without `ascc` */
#ifndef ASCENDC_KERNEL_OPERATOR_H
#define ASCENDC_KERNEL_OPERATOR_H

#if __CCE_AICORE__ >= 300 || __NPU_ARCH__ >= 3000
#error                                                                                             \
    "SoftAscend: register-level interfaces of later chips (MicroAPI, Reg, SIMT) are not supported"
#endif

#include "ascendc/arrange.h"
#include "ascendc/base.h"
#include "ascendc/compare.h"
#include "ascendc/cube.h"
#include "ascendc/elementwise.h"
#include "ascendc/highlevel.h"
#include "ascendc/intrinsics.h"
#include "ascendc/later_chips.h"
#include "ascendc/launch.h"
#include "ascendc/layout.h"
#include "ascendc/list_tensor.h"
#include "ascendc/move.h"
#include "ascendc/normalize.h"
#include "ascendc/norms.h"
#include "ascendc/operators.h"
#include "ascendc/print.h"
#include "ascendc/quant.h"
#include "ascendc/queue.h"
#include "ascendc/reduce.h"
#include "ascendc/softmax.h"
#include "ascendc/sort.h"
#include "ascendc/sync.h"
#include "ascendc/system.h"
#include "ascendc/tiling.h"
#include "ascendc/unqualified.h"

#endif
