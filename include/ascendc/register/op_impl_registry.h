/* The same as op_def_registry.h, where op projects look for it. */
#ifndef ASCENDC_REGISTER_OP_IMPL_REGISTRY_H
#define ASCENDC_REGISTER_OP_IMPL_REGISTRY_H
#include "register/op_def_registry.h"
#endif
