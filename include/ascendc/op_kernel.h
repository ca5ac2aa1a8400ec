/* What surrounds a kernel of an op project: ascc writes, for each combination of dtypes, a file
 * that includes this one, the tiling structures and the kernel's source, and ends in
 * SOFTASCEND_OP_VARIANT. */
#ifndef ASCENDC_OP_KERNEL_H
#define ASCENDC_OP_KERNEL_H

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "softascend/op_project.h"

#include <utility>

/* The user's file is included here, and no less the main one for it. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

/* Values of ORIG_DTYPE_… and FORMAT_…, for the preprocessor too. */
#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_DOUBLE 11
#define DT_BOOL 12
#define DT_BF16 27
#define DT_INT4 29
#define FORMAT_NCHW 0
#define FORMAT_NHWC 1
#define FORMAT_ND 2
#define FORMAT_NC1HWC0 3
#define FORMAT_FRACTAL_Z 4
#define FORMAT_NDHWC 27
#define FORMAT_FRACTAL_NZ 29
#define FORMAT_NCDHW 30
#define FORMAT_NCL 47

namespace softascend
{
template <class Kernel>
struct parameters_of;
template <class... Parameters>
struct parameters_of<void (*)(Parameters...)> {
    static constexpr size_t count = sizeof...(Parameters);
    static constexpr bool pointers = (std::is_pointer_v<Parameters> && ...);
    using indices = std::index_sequence_for<Parameters...>;
};

template <class... Parameters, size_t... i>
void enter_kernel(void (*kernel)(Parameters...), const char *name, sa_project_args *args,
                  std::index_sequence<i...>)
{
    auto pointer = [args](size_t n) {
        char *p = static_cast<char *>(args->pointers[n]);
        return static_cast<void *>(
            args->relative >> n & 1 ? reinterpret_cast<char *>(args) + (uintptr_t)p : p);
    };
    block_state &s = state();
    set_tiling_key(args->tiling_key);
    kernel(static_cast<Parameters>(pointer(i))...);
    if (s.asked_tiling_key && !s.is_tiling_key) {
        SA_FAULT("%s: none of its TILING_KEY_IS is for the tiling key %llu", name,
                 (unsigned long long)args->tiling_key);
    }
}
} // namespace softascend

#define SOFTASCEND_OP_VARIANT(op, kernel, expected)                                                \
    static_assert(::softascend::parameters_of<decltype(&kernel)>::count == (expected),             \
                  "the kernel " #kernel " must take " #expected                                    \
                  " parameters: the OpDef's inputs and outputs, workspace, tiling");               \
    static_assert(::softascend::parameters_of<decltype(&kernel)>::pointers,                        \
                  "the parameters of the kernel " #kernel " must be GM_ADDR");                     \
    static void softascend_enter_##op(sa_core *, void *args)                                       \
    {                                                                                              \
        ::softascend::enter_kernel(&kernel, #kernel, static_cast<sa_project_args *>(args),         \
                                   ::softascend::parameters_of<decltype(&kernel)>::indices{});     \
    }                                                                                              \
    extern "C" {                                                                                   \
    extern const sa_project_variant softascend_variant_##op;                                       \
    const sa_project_variant softascend_variant_##op = {softascend_enter_##op, &sa_kind_##kernel,  \
                                                        nullptr, 0};                               \
    }

#endif
