/* Interfaces of later chips (registers, SIMT): a kernel that uses one does not compile, and the
 * error says why. */
#ifndef ASCENDC_LATER_CHIPS_H
#define ASCENDC_LATER_CHIPS_H

namespace softascend
{
template <class...>
constexpr bool never = false;
} // namespace softascend

#define __simd_vf__                                                                                \
    static_assert(false, "SoftAscend: __simd_vf__ belongs to later chips' register-level "         \
                         "interface, which is not supported");
#define __simd_callee__ __simd_vf__
#define __simt_vf__                                                                                \
    static_assert(                                                                                 \
        false,                                                                                     \
        "SoftAscend: __simt_vf__ belongs to later chips' SIMT interface, which is not supported");
#define __VEC_SCOPE__                                                                              \
    static_assert(false, "SoftAscend: __VEC_SCOPE__ belongs to later chips' register-level "       \
                         "interface, which is not supported");

namespace AscendC
{
namespace MicroAPI
{
template <class T, auto... traits>
struct RegTensor {
    static_assert(softascend::never<T>, "SoftAscend: MicroAPI (register-level interface of later "
                                        "chips) is not supported; the basic interface is");
};
struct MaskReg;
} // namespace MicroAPI
namespace Reg = MicroAPI;
} // namespace AscendC

#endif
