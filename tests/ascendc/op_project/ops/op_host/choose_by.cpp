// y = x + by, x * by or x / by, of which the kernel's preprocessor chooses by the tiling key; one
// key has tiling data of its own.
#include "../op_kernel/choose_keys.h"
#include "register/op_def_registry.h"

namespace optiling
{
BEGIN_TILING_DATA_DEF(ChooseByTiling)
TILING_DATA_FIELD_DEF(int64_t, count);
TILING_DATA_FIELD_DEF(int32_t, by);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ChooseBy, ChooseByTiling)
BEGIN_TILING_DATA_DEF(ScaleTiling)
TILING_DATA_FIELD_DEF(int32_t, by);
TILING_DATA_FIELD_DEF(int64_t, count);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ChooseBy_10000000000000002, ScaleTiling)

template <class Data>
static void fill(gert::TilingContext *context)
{
    Data data;
    data.set_count(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    data.set_by(static_cast<int32_t>(*context->GetAttrs()->GetInt(1)));
    data.SaveToBuffer(context->GetRawTilingData()->GetData(),
                      context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
}

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    uint64_t key = static_cast<uint64_t>(*context->GetAttrs()->GetInt(0));
    if (key == BY_SCALING) {
        fill<ScaleTiling>(context);
    } else {
        fill<ChooseByTiling>(context);
    }
    context->SetBlockDim(1);
    context->SetTilingKey(key);
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops
{
class ChooseBy : public OpDef
{
  public:
    explicit ChooseBy(const char *name) : OpDef(name)
    {
        this->Input("x")
            .DataType({ge::DT_FLOAT, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .DataType({ge::DT_FLOAT, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("key").AttrType(REQUIRED).Int();
        this->Attr("by").AttrType(REQUIRED).Int();
        this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b");
    }
};
OP_ADD(ChooseBy);
} // namespace ops
