/* OpDef: how an op project says what an operator takes and gives. It collects, then lays the
 * definition out as sa_project_op (op_def_registry.h). Names: the vendor's public documentation. */
#ifndef ASCENDC_REGISTER_OP_DEF_H
#define ASCENDC_REGISTER_OP_DEF_H

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace softascend
{
using tiling_function = ge::graphStatus (*)(gert::TilingContext *);
using infer_shape_function = ge::graphStatus (*)(gert::InferShapeContext *);
using infer_dtype_function = ge::graphStatus (*)(gert::InferDataTypeContext *);

struct op_functions {
    tiling_function tiling = nullptr;
    infer_shape_function infer_shape = nullptr;
    infer_dtype_function infer_dtype = nullptr;
};
} // namespace softascend

namespace ops
{
enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };

class OpParamDef
{
  public:
    explicit OpParamDef(const char *name) : name(name) {}

    OpParamDef &ParamType(Option type)
    {
        option = type;
        return *this;
    }
    OpParamDef &DataType(std::vector<ge::DataType> types)
    {
        dtypes.assign(types.begin(), types.end());
        return *this;
    }
    OpParamDef &DataTypeList(std::vector<ge::DataType> types)
    {
        dtypes_apart = true;
        return DataType(std::move(types));
    }
    OpParamDef &DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
    OpParamDef &Format(std::vector<ge::Format> list)
    {
        formats.assign(list.begin(), list.end());
        return *this;
    }
    OpParamDef &FormatList(std::vector<ge::Format> list) { return Format(std::move(list)); }
    OpParamDef &FormatForBinQuery(std::vector<ge::Format>) { return *this; }
    OpParamDef &UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
    OpParamDef &ValueDepend(Option)
    {
        value_depend = true;
        return *this;
    }
    template <class Scope>
    OpParamDef &ValueDepend(Option, Scope)
    {
        return ValueDepend(OPTIONAL);
    }
    OpParamDef &Scalar()
    {
        scalar = true;
        return *this;
    }
    OpParamDef &ScalarList() { return Scalar(); }
    /* Operands are made contiguous for every kernel. */
    OpParamDef &AutoContiguous() { return *this; }
    OpParamDef &IgnoreContiguous() { return *this; }
    OpParamDef &To(ge::DataType) { return *this; }
    OpParamDef &To(const char *) { return *this; }
    template <class... Kind>
    OpParamDef &Follow(const char *other, Kind...)
    {
        follows = other;
        return *this;
    }
    template <class Value>
    OpParamDef &InitValue(Value value)
    {
        if constexpr (std::is_arithmetic_v<Value>) {
            zeroed = value == 0;
        }
        initialised = true;
        return *this;
    }
    OpParamDef &OutputShapeDependOnCompute() { return *this; }
    OpParamDef &Version(uint32_t) { return *this; }
    OpParamDef &Comment(const char *) { return *this; }

    std::string name, follows;
    Option option = REQUIRED;
    bool value_depend = false, scalar = false, dtypes_apart = false, zeroed = false;
    bool initialised = false;
    std::vector<int> dtypes, formats;
};

class OpAttrDef
{
  public:
    explicit OpAttrDef(const char *name) : name(name) {}

    OpAttrDef &AttrType(Option type)
    {
        option = type;
        return *this;
    }
    OpAttrDef &Bool(bool value = false)
    {
        boolean = value;
        return is(SA_ATTR_BOOL);
    }
    OpAttrDef &Int(int64_t value = 0)
    {
        integer = value;
        return is(SA_ATTR_INT);
    }
    OpAttrDef &Float(float value = 0)
    {
        real = value;
        return is(SA_ATTR_FLOAT);
    }
    OpAttrDef &String(const char *value = "")
    {
        string = value ? value : "";
        return is(SA_ATTR_STRING);
    }
    OpAttrDef &ListBool(std::vector<bool> values = {})
    {
        bools.assign(values.begin(), values.end());
        return is(SA_ATTR_LIST_BOOL);
    }
    OpAttrDef &ListInt(std::vector<int64_t> values = {})
    {
        integers = std::move(values);
        return is(SA_ATTR_LIST_INT);
    }
    OpAttrDef &ListFloat(std::vector<float> values = {})
    {
        reals = std::move(values);
        return is(SA_ATTR_LIST_FLOAT);
    }
    OpAttrDef &ListListInt(std::vector<std::vector<int64_t>> = {})
    {
        unsupported = "ListListInt";
        return *this;
    }
    OpAttrDef &Version(uint32_t) { return *this; }
    OpAttrDef &Comment(const char *) { return *this; }

    std::string name;
    Option option = OPTIONAL;
    sa_project_attr_type type = SA_ATTR_INT;
    const char *unsupported = "no type: call Bool, Int, Float, String, ListInt …";
    bool boolean = false;
    int64_t integer = 0;
    float real = 0;
    std::string string;
    std::vector<unsigned char> bools;
    std::vector<int64_t> integers;
    std::vector<float> reals;

  private:
    OpAttrDef &is(sa_project_attr_type which)
    {
        type = which;
        unsupported = nullptr;
        return *this;
    }
};

/* Of what it says, a build here needs the kernel's file alone. */
class OpAICoreConfig
{
  public:
    OpAICoreConfig() = default;
    explicit OpAICoreConfig(const char *) {}

    OpAICoreConfig &AsyncFlag(bool) { return *this; }
    OpAICoreConfig &DynamicCompileStaticFlag(bool) { return *this; }
    OpAICoreConfig &DynamicFormatFlag(bool) { return *this; }
    OpAICoreConfig &DynamicRankSupportFlag(bool) { return *this; }
    OpAICoreConfig &DynamicShapeSupportFlag(bool) { return *this; }
    OpAICoreConfig &HeavyOp(bool) { return *this; }
    OpAICoreConfig &NeedCheckSupportFlag(bool) { return *this; }
    OpAICoreConfig &PrecisionReduceFlag(bool) { return *this; }
    OpAICoreConfig &RangeLimitValue(const char *) { return *this; }
    OpAICoreConfig &ExtendCfgInfo(const char *key, const char *value)
    {
        if (std::string(key) == "opFile.value") {
            kernel_file = value;
        }
        return *this;
    }
    /* Dtypes of one chip; those of the OpDef hold here. */
    OpParamDef &Input(const char *name)
    {
        others_.emplace_back(name);
        return others_.back();
    }
    OpParamDef &Output(const char *name) { return Input(name); }

    std::string kernel_file;

  private:
    std::deque<OpParamDef> others_;
};

class OpAICoreDef
{
  public:
    explicit OpAICoreDef(softascend::op_functions *functions) : functions_(functions) {}

    OpAICoreDef &SetTiling(softascend::tiling_function function)
    {
        functions_->tiling = function;
        return *this;
    }
    template <class Function>
    OpAICoreDef &SetTilingParse(Function &&)
    {
        return *this;
    }
    template <class Function>
    OpAICoreDef &SetCheckSupport(Function &&)
    {
        return *this;
    }
    template <class Function>
    OpAICoreDef &SetOpSelectFormat(Function &&)
    {
        return *this;
    }
    template <class Function>
    OpAICoreDef &SetOpSupportInfo(Function &&)
    {
        return *this;
    }
    template <class Function>
    OpAICoreDef &SetOpSpecInfo(Function &&)
    {
        return *this;
    }
    template <class Function>
    OpAICoreDef &SetParamGeneralize(Function &&)
    {
        return *this;
    }
    OpAICoreDef &AddConfig(const char *)
    {
        configured = true;
        return *this;
    }
    OpAICoreDef &AddConfig(const char *, const OpAICoreConfig &config)
    {
        configured = true;
        if (!config.kernel_file.empty()) {
            kernel_file = config.kernel_file;
        }
        return *this;
    }

    bool configured = false;
    std::string kernel_file;

  private:
    softascend::op_functions *functions_;
};

class OpDef
{
  public:
    explicit OpDef(const char *type) : type(type), aicore(&functions) {}
    virtual ~OpDef() = default;
    OpDef(const OpDef &) = delete;
    OpDef &operator=(const OpDef &) = delete;

    OpParamDef &Input(const char *name) { return named(inputs, name); }
    OpParamDef &Output(const char *name) { return named(outputs, name); }
    OpAttrDef &Attr(const char *name) { return named(attrs, name); }

    OpDef &SetInferShape(softascend::infer_shape_function function)
    {
        functions.infer_shape = function;
        return *this;
    }
    OpDef &SetInferDataType(softascend::infer_dtype_function function)
    {
        functions.infer_dtype = function;
        return *this;
    }
    template <class Function>
    OpDef &SetInferShapeRange(Function &&)
    {
        return *this;
    }
    OpDef &Comment(const char *) { return *this; }
    template <class Category>
    OpDef &Comment(Category, const char *)
    {
        return *this;
    }
    OpAICoreDef &AICore() { return aicore; }

    std::string type;
    softascend::op_functions functions;
    OpAICoreDef aicore;
    std::deque<OpParamDef> inputs, outputs; /* a reference to one stays good */
    std::deque<OpAttrDef> attrs;

  private:
    template <class T>
    static T &named(std::deque<T> &list, const char *name)
    {
        for (T &one : list) {
            if (one.name == name) {
                return one;
            }
        }
        list.emplace_back(name);
        return list.back();
    }
};
} // namespace ops

#endif
