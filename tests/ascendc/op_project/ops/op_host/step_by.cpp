// y = x + 1, x + 10 or x + 100 by the tiling key; a structure named as another operator's; the
// newer way to name the functions, and dtypes that combine freely.
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"

namespace optiling
{
BEGIN_TILING_DATA_DEF(TilingData)
TILING_DATA_FIELD_DEF(int64_t, count);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(StepBy, TilingData)
BEGIN_TILING_DATA_DEF(StepByLarge)
TILING_DATA_FIELD_DEF(int64_t, count);
TILING_DATA_FIELD_DEF(int32_t, step);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(StepBy_3, StepByLarge)

struct CompileInfo {
};
static ge::graphStatus Tiling(gert::TilingContext *context)
{
    int64_t by = *context->GetAttrs()->GetInt(0);
    context->SetBlockDim(1);
    if (by == 3) {
        StepByLarge *large = context->GetTilingData<StepByLarge>();
        large->count = context->GetRequiredInputShape(0)->GetOriginShape()[0];
        large->step = 100;
    } else {
        TilingData tiling;
        tiling.set_count(context->GetInputTensor(0)->GetShapeSize());
        tiling.SaveToBuffer(context->GetRawTilingData()->GetData(),
                            context->GetRawTilingData()->GetCapacity());
        context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    }
    context->SetTilingKey(by);
    return context->GetInputDesc(0)->GetDataType() == ge::DT_INT32 ? ge::GRAPH_SUCCESS
                                                                   : ge::GRAPH_FAILED;
}
static ge::graphStatus Prepare(gert::TilingParseContext *)
{
    return ge::GRAPH_SUCCESS;
}
static ge::graphStatus Shape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetRequiredInputShape(0);
    *context->GetOutputShape(1) = *context->GetInputShape(0);
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(StepBy).Tiling(Tiling).TilingParse<CompileInfo>(Prepare);
IMPL_OP_INFERSHAPE(StepBy).InferShape(Shape);
} // namespace optiling

namespace ops
{
class StepBy : public OpDef
{
  public:
    explicit StepBy(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataTypeList({ge::DT_INT32, ge::DT_INT16})
            .FormatList({ge::FORMAT_ND});
        this->Output("default").ParamType(REQUIRED).DataTypeList({ge::DT_INT32, ge::DT_INT64});
        this->Output("same").ParamType(OPTIONAL).Follow("x");
        this->Attr("by").AttrType(REQUIRED).Int();
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(StepBy, optiling::CompileInfo);
} // namespace ops
