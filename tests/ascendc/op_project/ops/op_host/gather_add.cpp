// sum += everything in a list, plus an optional bias at the positions of a list of the host: an
// output that is an input, dynamic and optional inputs, values on the host, list attributes, a
// zeroed output.
#include "register/op_def_registry.h"

namespace optiling
{
BEGIN_TILING_DATA_DEF(GatherAddTiling)
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF(uint32_t, tensors);
TILING_DATA_FIELD_DEF(uint32_t, positions);
TILING_DATA_FIELD_DEF(bool, biased);
TILING_DATA_FIELD_DEF(float, weight);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(GatherAdd, GatherAddTiling)

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    GatherAddTiling tiling;
    auto list = context->GetComputeNodeInfo();
    tiling.set_length(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    tiling.set_tensors(context->GetIrInputInstanceInfo(1)->GetInstanceNum());
    tiling.set_biased(context->GetOptionalInputShape(2) != nullptr);
    const gert::Tensor *at = context->GetRequiredInputTensor(3);
    tiling.set_positions(at->GetShapeSize());
    for (int64_t i = 0; i < at->GetShapeSize(); i++) {
        if (at->GetData<int64_t>()[i] >= tiling.get_length()) {
            return ge::GRAPH_PARAM_INVALID;
        }
    }
    auto weights = context->GetAttrs()->GetListFloat(0);
    auto powers = context->GetAttrs()->GetAttrPointer<gert::ContinuousVector>(1);
    auto signs = context->GetAttrs()->GetListInt(1);
    float weight = 1;
    for (size_t i = 0; i < weights->GetSize(); i++) {
        weight *= weights->GetData()[i];
    }
    for (size_t i = 0; i < powers->GetSize(); i++) {
        weight *= ((const int64_t *)powers->GetData())[i] * signs->GetData()[i];
    }
    tiling.set_weight(weight);
    context->SetBlockDim(1);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(),
                        context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return list->GetInputsNum() == 2 + tiling.get_tensors() + tiling.get_biased()
               ? ge::GRAPH_SUCCESS
               : ge::GRAPH_FAILED;
}
} // namespace optiling

namespace ops
{
class GatherAdd : public OpDef
{
  public:
    explicit GatherAdd(const char *name) : OpDef(name)
    {
        this->Input("sum")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("list").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("at").ParamType(REQUIRED).DataType({ge::DT_INT32}).ValueDepend(OPTIONAL);
        this->Output("sum").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("hits")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32})
            .Format({ge::FORMAT_ND})
            .InitValue(0);
        this->Attr("weights").AttrType(OPTIONAL).ListFloat({0.5f, 4.0f});
        this->Attr("signs").AttrType(OPTIONAL).ListInt({1});
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(GatherAdd);
} // namespace ops
