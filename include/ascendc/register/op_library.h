/* What a library of operators tells ascc when it is built: ascc includes this file into one host
 * source of an op project, loads what came out, and asks. */
#ifndef ASCENDC_REGISTER_OP_LIBRARY_H
#define ASCENDC_REGISTER_OP_LIBRARY_H

#include "register/op_def_registry.h"

extern "C" {
__attribute__((visibility("default"))) sa_project_op *const *softascend_ops(size_t *count)
{
    *count = softascend::project_ops().size();
    return softascend::project_ops().data();
}

__attribute__((visibility("default"))) const sa_project_struct *softascend_structs(size_t *count)
{
    static std::vector<sa_project_struct> list = [] {
        std::vector<sa_project_struct> all;
        for (const softascend::tiling_class &one : softascend::tiling_classes()) {
            all.push_back({one.op, one.name, one.bytes, one.fields.size(), one.fields.data()});
        }
        return all;
    }();
    *count = list.size();
    return list.data();
}
}

#endif
