/* The high-level Matmul of the Ascend C door: MatmulType, Matmul, REGIST_MATMUL_OBJ. Names and
 * their meaning: the vendor's public documentation.
 *
 *   matmul/config.h    types and configurations          cube_tiling.h    TCubeTiling
 *   matmul/plan.h      shapes, operands, what is refused
 *   matmul/product.h   how a cube core runs a product
 *   matmul/object.h    the object that kernels call; matmul/batch.h its calls on batches
 *
 * Kernels with a Matmul are mixed, and their vector cores call it, unless ASCENDC_CUBE_ONLY is
 * defined before this file is included: then they run on cube cores. Host code makes the tiling
 * with tiling/tiling_api.h. */
#ifndef ASCENDC_LIB_MATMUL_INTF_H
#define ASCENDC_LIB_MATMUL_INTF_H

#include "ascendc/matmul/object.h"
#include "kernel_operator.h"

namespace softascend
{
SA_INLINE void matmul_init_all(AscendC::TPipe *) {}
template <class Object, class... Rest>
SA_INLINE void matmul_init_all(AscendC::TPipe *pipe, Object &object, Rest &&...rest);

template <class Object, class Next, class... Rest>
SA_INLINE void matmul_init_one(AscendC::TPipe *pipe, Object &object, Next &&next, Rest &&...rest)
{
    if constexpr (std::is_convertible_v<Next, const TCubeTiling *>) {
        object.Init(static_cast<const TCubeTiling *>(next), pipe);
        matmul_init_all(pipe, rest...);
    } else {
        object.Init(nullptr, pipe);
        matmul_init_all(pipe, next, rest...);
    }
}
template <class Object, class... Rest>
SA_INLINE void matmul_init_all(AscendC::TPipe *pipe, Object &object, Rest &&...rest)
{
    if constexpr (sizeof...(rest) == 0) {
        object.Init(nullptr, pipe);
    } else {
        matmul_init_one(pipe, object, rest...);
    }
}

/* ascc: kernels that name this one are mixed. True on a cube core that has served its vector cores:
 * the kernel is over there. */
template <class Workspace, class... Objects>
SA_INLINE bool sa_matmul_mixed(AscendC::TPipe *pipe, Workspace, Objects &&...objects)
{
    if (sa_kind(sa_self()) == SA_AIC && sa_task_ratio(sa_self()) && !sa_coupled(sa_self())) {
        matmul_serve(pipe);
        return true;
    }
    matmul_init_all(pipe, objects...);
    return false;
}
/* ascc: kernels that name this one run on cube cores. */
template <class Workspace, class... Objects>
SA_INLINE void sa_matmul_cube(AscendC::TPipe *pipe, Workspace, Objects &&...objects)
{
    if (sa_kind(sa_self()) == SA_AIC || sa_coupled(sa_self())) {
        matmul_init_all(pipe, objects...);
    }
}
} // namespace softascend

/* pipe, workspace, then objects, each with its tiling's address or without. */
#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                   \
    ::softascend::sa_matmul_cube(tpipe, workspace, __VA_ARGS__)
#else
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                   \
    if (!::softascend::sa_matmul_mixed(tpipe, workspace, __VA_ARGS__)) {                           \
    } else                                                                                         \
        return
#endif

using AscendC::CubeFormat;

/* The older namespace. */
namespace matmul
{
using namespace AscendC;
}

#endif
