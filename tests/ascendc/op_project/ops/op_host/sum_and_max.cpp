// The sum and the greatest element: two outputs of different dtypes, blocks that meet in the
// workspace.
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling
{
BEGIN_TILING_DATA_DEF(SumAndMaxTiling)
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, library); /* of a high-level function */
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SumAndMax, SumAndMaxTiling)

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    SumAndMaxTiling tiling;
    tiling.set_length(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    tiling.library.srcM = 16; /* floats between the blocks' shares */
    context->SetBlockDim(8);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(),
                        context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    size_t *sizes = context->GetWorkspaceSizes(1);
    sizes[0] = platform.GetLibApiWorkSpaceSize() + 8 * 64;
    return context->GetWorkspaceNum() == 1 ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}
} // namespace optiling

static ge::graphStatus InferShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = {1};
    context->GetOutputShape(1)->SetScalar();
    return ge::GRAPH_SUCCESS;
}

namespace ops
{
class SumAndMax : public OpDef
{
  public:
    explicit SumAndMax(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("sum").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("max").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
        this->SetInferShape(InferShape);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(SumAndMax);
} // namespace ops
