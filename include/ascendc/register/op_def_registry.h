/* Registers the operators of an op project, OP_ADD, and lays their definitions out as plain data
 * for ascc, which writes the aclnn functions, and for libopapi, which runs them. Names: the
 * vendor's public documentation. */
#ifndef ASCENDC_REGISTER_OP_DEF_REGISTRY_H
#define ASCENDC_REGISTER_OP_DEF_REGISTRY_H

#include "register/op_def.h"
#include "register/tilingdata_base.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <set>

namespace softascend
{
/* IMPL_OP_OPTILING and IMPL_OP_INFERSHAPE name functions apart from the OpDef. */
inline std::map<std::string, op_functions> &separate_functions()
{
    static std::map<std::string, op_functions> map;
    return map;
}

/* An operator's definition and everything that its sa_project_op points to. */
class project_op
{
  public:
    project_op(std::unique_ptr<ops::OpDef> def, const char *file, int line) : def_(std::move(def))
    {
        ops::OpDef &d = *def_;
        functions_ = d.functions;
        auto apart = separate_functions().find(d.type);
        if (apart != separate_functions().end()) {
            const op_functions &f = apart->second;
            functions_.tiling = f.tiling ? f.tiling : functions_.tiling;
            functions_.infer_shape = f.infer_shape ? f.infer_shape : functions_.infer_shape;
            functions_.infer_dtype = f.infer_dtype ? f.infer_dtype : functions_.infer_dtype;
        }
        name_ = "aclnn" + d.type;
        op.owner = this;
        op.name = d.type.c_str();
        op.function = name_.c_str();
        op.file = file;
        op.line = line;
        op.kernel_file = d.aicore.kernel_file.empty() ? nullptr : d.aicore.kernel_file.c_str();
        check();
        combine();
        set_params(d.inputs, inputs_, &op.inputs, &op.input_count);
        set_params(d.outputs, outputs_, &op.outputs, &op.output_count);
        set_attrs();
        op.tiling = functions_.tiling ? call_tiling : nullptr;
        op.infer_shape = functions_.infer_shape ? call_infer_shape : nullptr;
        op.infer_dtype = functions_.infer_dtype ? call_infer_dtype : nullptr;
        op.tiling_address = reinterpret_cast<const void *>(functions_.tiling);
        op.infer_shape_address = reinterpret_cast<const void *>(functions_.infer_shape);
        op.infer_dtype_address = reinterpret_cast<const void *>(functions_.infer_dtype);
        op.fault = fault_.empty() ? nullptr : fault_.c_str();
    }
    project_op(const project_op &) = delete;
    project_op &operator=(const project_op &) = delete;

    sa_project_op op{};

  private:
    void fault(const std::string &text)
    {
        if (fault_.empty()) {
            fault_ = text;
        }
    }

    ops::OpParamDef *followed(ops::OpParamDef &param)
    {
        for (auto *list : {&def_->inputs, &def_->outputs}) {
            for (ops::OpParamDef &other : *list) {
                if (other.name == param.follows && &other != &param) {
                    return &other;
                }
            }
        }
        fault(param.name + " follows " + param.follows + ", which is no other parameter");
        return nullptr;
    }

    void check()
    {
        std::set<std::string> seen;
        if (def_->outputs.empty()) {
            fault("it has no output");
        }
        for (auto *list : {&def_->inputs, &def_->outputs}) {
            for (ops::OpParamDef &p : *list) {
                if (!p.follows.empty()) {
                    if (ops::OpParamDef *other = followed(p)) {
                        p.dtypes = other->dtypes;
                        p.formats = other->formats;
                        p.dtypes_apart = false;
                    }
                }
                if (p.name.empty()) {
                    fault("a parameter has an empty name");
                }
                if (p.option == ops::IGNORE || p.option == ops::VIRTUAL) {
                    fault(p.name + " is of a ParamType that is not supported; REQUIRED, OPTIONAL "
                                   "and DYNAMIC are");
                }
                if (p.scalar) {
                    fault(p.name + " is a Scalar, which is not supported: make it an Attr");
                }
                if (p.initialised && !p.zeroed) {
                    fault(p.name + " has an InitValue other than 0, which is not supported");
                }
                if (p.dtypes.empty()) {
                    fault(p.name + " has no DataType");
                }
            }
        }
        for (ops::OpAttrDef &a : def_->attrs) {
            if (a.unsupported) {
                fault("attribute " + a.name + " has " + a.unsupported);
            }
            if (!seen.insert(a.name).second) {
                fault("there are two of " + a.name);
            }
        }
        if (!functions_.tiling) {
            fault("it has no tiling function: call AICore().SetTiling");
        }
    }

    /* DataType lists go together, position by position; each DataTypeList is on its own. */
    void combine()
    {
        size_t together = 1;
        const ops::OpParamDef *first = nullptr;
        for (auto *list : {&def_->inputs, &def_->outputs}) {
            for (const ops::OpParamDef &p : *list) {
                if (p.dtypes_apart || p.dtypes.size() < 2) {
                    continue;
                }
                if (first && p.dtypes.size() != together) {
                    fault("DataType lists differ in length: " + first->name + " has " +
                          std::to_string(together) + ", " + p.name + " has " +
                          std::to_string(p.dtypes.size()));
                }
                first = first ? first : &p;
                together = p.dtypes.size();
            }
        }
        size_t count = together;
        for (auto *list : {&def_->inputs, &def_->outputs}) {
            for (ops::OpParamDef &p : *list) {
                count *= p.dtypes_apart && !p.dtypes.empty() ? p.dtypes.size() : 1;
                if (p.formats.empty()) {
                    p.formats.push_back(ge::FORMAT_ND);
                }
            }
        }
        if (count > 256) {
            fault("there are " + std::to_string(count) +
                  " combinations of dtypes, at most 256 are "
                  "supported");
            count = 1;
        }
        op.combination_count = count;
        size_t period = together;
        for (auto *list : {&def_->inputs, &def_->outputs}) {
            for (ops::OpParamDef &p : *list) {
                std::vector<int> dtypes(count, ge::DT_UNDEFINED), formats(count);
                for (size_t i = 0; i < count && !p.dtypes.empty(); i++) {
                    size_t at = p.dtypes_apart ? i / period : i % together;
                    dtypes[i] = p.dtypes[at % p.dtypes.size()];
                    formats[i] = p.formats[at % p.formats.size()];
                }
                period *= p.dtypes_apart && !p.dtypes.empty() ? p.dtypes.size() : 1;
                p.dtypes = dtypes;
                p.formats = formats;
            }
        }
    }

    void set_params(const std::deque<ops::OpParamDef> &from, std::vector<sa_project_param> &to,
                    const sa_project_param **pointer, size_t *count)
    {
        for (const ops::OpParamDef &p : from) {
            sa_project_param param{};
            param.name = p.name.c_str();
            param.kind = p.option == ops::OPTIONAL  ? SA_PARAM_OPTIONAL
                         : p.option == ops::DYNAMIC ? SA_PARAM_DYNAMIC
                                                    : SA_PARAM_REQUIRED;
            param.value_depend = p.value_depend;
            param.zeroed = p.zeroed;
            param.dtypes = p.dtypes.data();
            param.formats = p.formats.data();
            param.same_input = -1;
            for (size_t i = 0; &from == &def_->outputs && i < def_->inputs.size(); i++) {
                param.same_input = def_->inputs[i].name == p.name ? (int)i : param.same_input;
            }
            to.push_back(param);
        }
        *pointer = to.data();
        *count = to.size();
    }

    template <class T>
    const sa_project_list *list(const std::vector<T> &values)
    {
        lists_.emplace_back(sizeof(sa_project_list) + values.size() * sizeof(T));
        auto *head = reinterpret_cast<sa_project_list *>(lists_.back().data());
        head->capacity = head->size = values.size();
        if (!values.empty()) {
            std::memcpy(head + 1, values.data(), values.size() * sizeof(T));
        }
        return head;
    }

    void set_attrs()
    {
        for (const ops::OpAttrDef &a : def_->attrs) {
            sa_project_attr attr{};
            attr.name = a.name.c_str();
            attr.type = a.type;
            attr.required = a.option == ops::REQUIRED;
            attr.boolean = a.boolean;
            attr.integer = a.integer;
            attr.real = a.real;
            attr.string = a.string.c_str();
            attr.list = a.type == SA_ATTR_LIST_BOOL    ? list(a.bools)
                        : a.type == SA_ATTR_LIST_INT   ? list(a.integers)
                        : a.type == SA_ATTR_LIST_FLOAT ? list(a.reals)
                                                       : nullptr;
            attrs_.push_back(attr);
        }
        op.attrs = attrs_.data();
        op.attr_count = attrs_.size();
    }

    template <class Context, class Function>
    static uint32_t guarded(sa_project_call *call, Function function)
    {
        try {
            Context context(call);
            return function(&context);
        } catch (const std::exception &e) {
            std::snprintf(call->exception, sizeof call->exception, "%s", e.what());
        } catch (...) {
            std::snprintf(call->exception, sizeof call->exception, "an exception of unknown type");
        }
        return ge::GRAPH_FAILED;
    }
    static const op_functions &functions_of(sa_project_call *call)
    {
        return static_cast<const project_op *>(call->op->owner)->functions_;
    }
    static uint32_t call_tiling(sa_project_call *call)
    {
        return guarded<gert::TilingContext>(call, functions_of(call).tiling);
    }
    static uint32_t call_infer_shape(sa_project_call *call)
    {
        return guarded<gert::InferShapeContext>(call, functions_of(call).infer_shape);
    }
    static uint32_t call_infer_dtype(sa_project_call *call)
    {
        return guarded<gert::InferDataTypeContext>(call, functions_of(call).infer_dtype);
    }

    std::unique_ptr<ops::OpDef> def_;
    op_functions functions_;
    std::string name_, fault_;
    std::vector<sa_project_param> inputs_, outputs_;
    std::vector<sa_project_attr> attrs_;
    std::deque<std::vector<unsigned char>> lists_;
};

/* What OP_ADD leaves; the definition is made when it is first asked for, past static
 * initialisation. */
struct registered_op {
    const char *type, *file;
    int line;
    std::unique_ptr<ops::OpDef> (*make)(const char *);
};
inline std::vector<registered_op> &registered_ops()
{
    static std::vector<registered_op> list;
    return list;
}
template <class Def>
int add_op(const char *type, const char *file, int line)
{
    registered_ops().push_back({type, file, line, [](const char *name) {
                                    return std::unique_ptr<ops::OpDef>(new Def(name));
                                }});
    return 0;
}

/* Every operator of the library, in the order of their names. */
inline const std::vector<sa_project_op *> &project_ops()
{
    static std::deque<project_op> made;
    static const std::vector<sa_project_op *> list = [] {
        std::map<std::string, const registered_op *> order;
        std::vector<sa_project_op *> all;
        for (const registered_op &one : registered_ops()) {
            order[one.type] = &one;
        }
        for (const auto &one : order) {
            made.emplace_back(one.second->make(one.second->type), one.second->file,
                              one.second->line);
            all.push_back(&made.back().op);
        }
        return all;
    }();
    return list;
}

/* IMPL_OP_OPTILING(Op).Tiling(f).TilingParse<Info>(g) and so on. */
class separate
{
  public:
    explicit separate(const char *type) : functions_(&separate_functions()[type]) {}
    separate &Tiling(tiling_function function, size_t = 0)
    {
        functions_->tiling = function;
        return *this;
    }
    template <class Info, class Function>
    separate &TilingParse(Function &&)
    {
        return *this;
    }
    separate &InferShape(infer_shape_function function)
    {
        functions_->infer_shape = function;
        return *this;
    }
    separate &InferDataType(infer_dtype_function function)
    {
        functions_->infer_dtype = function;
        return *this;
    }
    template <class Function>
    separate &InferShapeRange(Function &&)
    {
        return *this;
    }
    separate &TilingInputsDataDependency(std::initializer_list<int32_t>) { return *this; }
    separate &InputsDataDependency(std::initializer_list<int32_t>) { return *this; }

  private:
    op_functions *functions_;
};
} // namespace softascend

#define SA_OP_ADD_NAME_(op, counter) softascend_add_##op##_##counter
#define SA_OP_ADD_NAME(op, counter) SA_OP_ADD_NAME_(op, counter)
/* The second argument, a type of compile information, has no use here. */
#define OP_ADD(op, ...)                                                                            \
    [[maybe_unused]] static const int softascend_add_##op =                                        \
        ::softascend::add_op<op>(#op, __FILE__, __LINE__)

#define IMPL_OP(op)                                                                                \
    [[maybe_unused]] static const ::softascend::separate SA_OP_ADD_NAME(op, __COUNTER__) =         \
        ::softascend::separate(#op)
#define IMPL_OP_OPTILING(op) IMPL_OP(op)
#define IMPL_OP_INFERSHAPE(op) IMPL_OP(op)

#endif
