/* What tiling functions of op projects include: how a high-level Matmul is
 * cut, and what other high-level functions ask for. */
#ifndef ASCENDC_TILING_API_H
#define ASCENDC_TILING_API_H

#include "ascendc/cube_tiling.h"
#include "ascendc/matmul/host_batch.h"
#include "ascendc/matmul/host_tiling.h"
#include "ascendc/register/tilingdata_base.h"
#include "ascendc/tiling/function_tiling.h"
#include "ascendc/tiling/platform/platform_ascendc.h"

#endif
