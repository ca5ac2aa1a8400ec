/* What the tiling function tells the kernel. The kernel gets a structure of the same name and
 * fields, made from this one's registration. */
#ifndef SOFT_THRESHOLD_TILING_H
#define SOFT_THRESHOLD_TILING_H

#include "register/tilingdata_base.h"

namespace optiling
{
BEGIN_TILING_DATA_DEF(SoftThresholdTilingData)
TILING_DATA_FIELD_DEF(uint32_t, length); /* elements in all */
TILING_DATA_FIELD_DEF(uint32_t, tile);   /* elements at a time */
TILING_DATA_FIELD_DEF(float, threshold);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(SoftThreshold, SoftThresholdTilingData)
} // namespace optiling

#endif
