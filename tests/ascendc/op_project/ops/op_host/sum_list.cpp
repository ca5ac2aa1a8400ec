// y[i] = the sum of the list's tensor i, of any shape: the kernel knows nothing but the list.
#include "register/op_def_registry.h"

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}

namespace ops
{
class SumList : public OpDef
{
  public:
    explicit SumList(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
    }
};
OP_ADD(SumList);
} // namespace ops
