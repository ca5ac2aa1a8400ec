/* The architecture that kernels are compiled for: ascc defines it (--npu-arch, --soc-version), else
 * it is 2201, the split chips. What coupled chips lack (public documentation) fails to compile. */
#ifndef ASCENDC_ARCH_H
#define ASCENDC_ARCH_H

#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif

namespace softascend
{
/* Whether the chip is split; of a template parameter, so that only a use counts. */
template <class>
constexpr bool split_for = __NPU_ARCH__ == 2201;
template <auto>
constexpr bool split_with = __NPU_ARCH__ == 2201;
} // namespace softascend

#define SA_NEEDS_SPLIT(there, name, instead)                                                       \
    static_assert(::softascend::there, name " is not on coupled chips (dav-2002 Ascend310P, "      \
                                            "dav-1001 Ascend910A), only on split ones "            \
                                            "(dav-2201 Ascend910B): " instead)

#endif
