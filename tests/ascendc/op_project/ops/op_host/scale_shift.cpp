// y = scale x + shift: two dtypes, attributes of several types, tails.
#include "register/op_def_registry.h"
#include "scale_shift_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling
{
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    TilingData tiling;
    const gert::RuntimeAttrs *attrs = context->GetAttrs();
    const float *scale = attrs->GetFloat(0);
    const float *shift = attrs->GetAttrPointer<float>(1);
    const char *mode = attrs->GetStr(2);
    const bool *negate = attrs->GetBool(3);
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    if (platform.GetCoreNumAiv() == 0 || std::string(mode) == "refuse") {
        return ge::GRAPH_FAILED;
    }
    if (std::string(mode) == "throw") {
        throw std::runtime_error("no such mode");
    }
    uint32_t length = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    if (std::string(mode) == "count") {
        length = *attrs->GetInt(4);
    }
    uint16_t tile[3] = {7, 8, 2048};
    tiling.set_length(length);
    tiling.set_shift(*shift);
    tiling.range.set_scale(*scale);
    tiling.range.set_negate(*negate);
    tiling.set_tile(tile);
    context->SetBlockDim(std::string(mode) == "no blocks" ? 0 : 3);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(),
                        context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(std::string(mode) == "large" ? 1000000
                                                                          : tiling.GetDataSize());
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
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
} // namespace ge

namespace ops
{
class ScaleShift : public OpDef
{
  public:
    explicit ScaleShift(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("scale").AttrType(OPTIONAL).Float(2.0);
        this->Attr("constant_shift").AttrType(REQUIRED).Float();
        this->Attr("mode").AttrType(OPTIONAL).String("all");
        this->Attr("negate").AttrType(OPTIONAL).Bool(false);
        this->Attr("count").AttrType(OPTIONAL).Int(1);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        OpAICoreConfig config;
        config.DynamicShapeSupportFlag(true).ExtendCfgInfo("opFile.value", "scale_kernel");
        this->AICore().AddConfig("ascend910b", config);
    }
};
OP_ADD(ScaleShift);
} // namespace ops
