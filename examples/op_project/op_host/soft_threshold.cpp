/* The host half of y = sign(x) max(|x| - threshold, 0): what the operator takes and gives (OpDef),
 * the shape and dtype of its result, and how a call is dealt to the cores (tiling). */
#include "register/op_def_registry.h"
#include "soft_threshold_tiling.h"
#include "tiling/platform/platform_ascendc.h"

#include <algorithm>

namespace optiling
{
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    const uint32_t length = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const uint32_t bytes = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 4 : 2;
    const float threshold = *context->GetAttrs()->GetFloat(0);
    if (!(threshold >= 0)) {
        return ge::GRAPH_PARAM_INVALID; /* the caller reads this function's line and the values */
    }

    auto chip = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t ub = 0;
    chip.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);

    SoftThresholdTilingData tiling;
    tiling.set_length(length);
    /* x and y twice each, one scratch buffer, whole repeats of 256 bytes */
    tiling.set_tile(ub / 5 / 256 * 256 / bytes);
    tiling.set_threshold(threshold);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(),
                        context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());

    /* a core is worth 4096 elements */
    const uint32_t blocks = std::min(chip.GetCoreNumAiv(), (length + 4095) / 4096);
    context->SetBlockDim(std::max(blocks, 1u));
    context->SetTilingKey(threshold > 0 ? 1 : 0); /* without one, y is x */
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ge
{
static graphStatus InferShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}
} // namespace ge

namespace ops
{
class SoftThreshold : public OpDef
{
  public:
    explicit SoftThreshold(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("threshold").AttrType(OPTIONAL).Float(0.5);

        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(SoftThreshold);
} // namespace ops
