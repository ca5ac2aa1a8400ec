#ifndef SCALE_SHIFT_TILING_H
#define SCALE_SHIFT_TILING_H
#include "register/tilingdata_base.h"

namespace optiling
{
BEGIN_TILING_DATA_DEF(ScaleRange)
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF(int8_t, negate);
TILING_DATA_FIELD_DEF_ARR(int64_t, 2, unused);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleRangeOp, ScaleRange)

BEGIN_TILING_DATA_DEF(TilingData)
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF_STRUCT(ScaleRange, range);
TILING_DATA_FIELD_DEF(float, shift);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, tile);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleShift, TilingData)
} // namespace optiling
#endif
