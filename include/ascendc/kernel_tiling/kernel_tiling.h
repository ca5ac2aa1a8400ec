/* Tilings of high-level functions, for kernels that take one in their own structure. */
#ifndef ASCENDC_KERNEL_TILING_H
#define ASCENDC_KERNEL_TILING_H
#include "ascendc/cube_tiling.h"
#include "ascendc/tiling_structs.h"
#endif
