/* Launching an Ascend C kernel from host code.
 *
 * ascc turns
 *
 *     add_custom<<<blocks, nullptr, stream>>>(x, y, z, n);
 *
 * into a call of softascend::kernel below, and gives the kernel the function aclrtlaunch_add_custom
 * that the toolkit's generated headers declare. Without ascc, for a plain C++ compiler,
 *
 *     extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n)
 *     { … }
 *     SOFTASCEND_KERNEL(add_custom, GM_ADDR, GM_ADDR, GM_ADDR, uint32_t)
 *
 * declares that function; the kernel then runs on vector cores. The call is the toolkit's, and
 * returns an aclError:
 *
 *     ACLRT_LAUNCH_KERNEL(add_custom)(blocks, stream, x, y, z, n);
 *
 * Parameters are pointers and plain values. */
#ifndef ASCENDC_LAUNCH_H
#define ASCENDC_LAUNCH_H

#include "ascendc/arch.h"
#include "softascend/launch.h"
#include "softascend/platform.h"
#include "softascend/status.h"

#include <cstdint>
#include <cstdio>
#include <tuple>
#include <type_traits>

namespace softascend
{
/* Which cores a kernel runs on; 0 is vector cores too. */
enum kernel_kind { KERNEL_AIV = 1, KERNEL_AIC, KERNEL_MIX_1_1, KERNEL_MIX_1_2 };

/* An argument of a launch for a pointer parameter: void * too, as device memory is allocated. */
template <class T>
struct pointer_argument {
    T *pointer;

    pointer_argument(T *p) : pointer(p) {}
    template <class Void, class = std::enable_if_t<std::is_void_v<Void>>>
    pointer_argument(Void *p) : pointer(static_cast<T *>(const_cast<void *>(p)))
    {
    }
    operator T *() const { return pointer; }
};

template <class Parameter>
struct argument_of {
    using type = Parameter;
};
template <class T>
struct argument_of<T *> {
    using type = std::conditional_t<std::is_void_v<T>, T *, pointer_argument<T>>;
};

/* The same for a kernel whose parameters are not known before its template arguments are. */
struct any_pointer {
    void *pointer;
    template <class T>
    operator T *() const
    {
        return static_cast<T *>(pointer);
    }
};

template <class T>
auto loosen(T value)
{
    if constexpr (std::is_pointer_v<T> && std::is_void_v<std::remove_pointer_t<T>>) {
        return any_pointer{const_cast<void *>(value)};
    } else {
        return value;
    }
}

/* A kernel with its arguments, as every block gets them. */
template <class Kernel, class... Args>
struct packed_call {
    Kernel kernel;
    std::tuple<Args...> args;

    static void run(sa_core *, void *call)
    {
        packed_call *self = static_cast<packed_call *>(call);
        std::apply(
            [self](auto... a) {
                if constexpr (std::is_invocable_v<Kernel, decltype(a)...>) {
                    static_assert(std::is_void_v<std::invoke_result_t<Kernel, decltype(a)...>>,
                                  "a kernel returns void");
                    self->kernel(a...);
                } else {
                    static_assert(std::is_invocable_v<Kernel, decltype(loosen(a))...>,
                                  "the kernel does not take the arguments of this launch");
                    self->kernel(loosen(a)...);
                }
            },
            self->args);
    }
};

#ifdef SOFTASCEND_SOC /* ascc --soc-version, --npu-arch: the chip unless SOFTASCEND_CHIP says */
[[maybe_unused]] static const int built_for = sa_platform_prefer(SOFTASCEND_SOC, __NPU_ARCH__);
#endif

template <int arch = __NPU_ARCH__, class Kernel, class... Args>
inline int enqueue(Kernel kernel, int kind, const char *name, int64_t blocks, void *stream,
                   Args... args)
{
    static_assert((std::is_trivially_copyable_v<Args> && ...),
                  "kernel parameters are pointers and plain values");
    packed_call<Kernel, Args...> call{kernel, {args...}};
    uint32_t count = blocks > 0 && blocks <= UINT16_MAX ? (uint32_t)blocks : 0;
    sa_core_type type = kind == KERNEL_AIC       ? SA_AIC
                        : kind == KERNEL_MIX_1_1 ? SA_MIX_1_1
                        : kind == KERNEL_MIX_1_2 ? SA_MIX_1_2
                                                 : SA_AIV;
    if (int wrong_chip = sa_platform_require(arch, name)) {
        return wrong_chip;
    }
    return sa_stream_launch(stream, call.run, name, count, type, &call, sizeof call);
}

/* What a launch names: a kernel, by its address or as what calls it, and the line it is on. */
template <class Kernel>
struct launch_site {
    Kernel kernel;
    int kind;
    const char *name, *file;
    int line;

    /* <<<…>>> has no result: a launch that is refused says so. */
    template <class... Args>
    void begin(int64_t blocks, void *stream, Args... args) const
    {
        int error = enqueue(kernel, kind, name, blocks, stream, args...);
        if (error) {
            std::fprintf(stderr, "%s:%d: launch of %s: error %d: %s\n", file, line, name, error,
                         sa_last_message());
        }
    }
};

/* Between <<<…>>> and the arguments. */
template <class Kernel>
struct configured {
    launch_site<Kernel> site;
    int64_t blocks;
    void *stream;

    template <class... Args>
    void operator()(Args... args) const
    {
        site.begin(blocks, stream, args...);
    }
};

template <class... Parameters>
struct configured<void (*)(Parameters...)> {
    launch_site<void (*)(Parameters...)> site;
    int64_t blocks;
    void *stream;

    void operator()(typename argument_of<Parameters>::type... args) const
    {
        site.begin(blocks, stream, static_cast<Parameters>(args)...);
    }
};

template <class Kernel>
struct launchable {
    launch_site<Kernel> site;

    /* <<<blocks, stream>>>, or a size and the default stream */
    template <class Second>
    configured<Kernel> operator()(int64_t blocks, Second second) const
    {
        if constexpr (std::is_pointer_v<Second>) {
            return {site, blocks, const_cast<void *>(static_cast<const void *>(second))};
        } else {
            return {site, blocks, nullptr};
        }
    }

    template <class Control>
    configured<Kernel> operator()(int64_t blocks, Control, void *stream) const
    {
        return {site, blocks, stream};
    }

    template <class Control, class Configuration>
    configured<Kernel> operator()(int64_t blocks, Control, void *stream, Configuration) const
    {
        return {site, blocks, stream};
    }

    template <class... Args>
    uint32_t launch(uint32_t blocks, void *stream, Args... args) const
    {
        return (uint32_t)enqueue(site.kernel, site.kind, site.name, blocks, stream, args...);
    }
};

/* What ascc writes for the kernel of a launch (sa_launch_of_ascc). */
template <class Kernel>
inline launchable<Kernel> kernel(Kernel kernel, int kind, const char *name,
                                 const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return {{kernel, kind, name, file, line}};
}

template <class T>
constexpr char parameter_kind()
{
    return std::is_pointer_v<T>                           ? 'p'
           : std::is_same_v<T, bool>                      ? 'b'
           : std::is_floating_point_v<T>                  ? 'f'
           : !std::is_integral_v<T> && !std::is_enum_v<T> ? std::is_void_v<T> ? 'v' : 's'
           : std::is_unsigned_v<T>                        ? 'u'
                                                          : 'i';
}

/* What a parameter's value is kept as. */
template <class T>
using stored = std::remove_cv_t<std::remove_reference_t<T>>;

/* A parameter of a kernel, for who loads its library. */
template <class T>
constexpr sa_parameter describe(const char *name, const char *type)
{
    using element = std::remove_cv_t<std::remove_pointer_t<T>>;
    size_t bytes = 0;
    if constexpr (std::is_pointer_v<T> && !std::is_void_v<element>) {
        bytes = sizeof(element);
    }
    return {name,
            type,
            sizeof(T),
            parameter_kind<stored<T>>(),
            parameter_kind<element>(),
            (uint16_t)(bytes < UINT16_MAX ? bytes : 0)};
}

/* For SOFTASCEND_KERNEL. */
template <class... Args>
struct launcher {
    void (*kernel)(Args...);
    const char *name;

    uint32_t operator()(uint32_t blocks, void *stream, Args... args) const
    {
        return (uint32_t)enqueue(kernel, KERNEL_AIV, name, blocks, stream, args...);
    }
};
} // namespace softascend

#ifdef SOFTASCEND_ASCC
#define SOFTASCEND_KERNEL(kernel, ...)
extern "C" void sa_launch_of_ascc(void); /* never called: ascc sees that this file was included */
#else
#define SOFTASCEND_KERNEL(kernel, ...)                                                             \
    [[maybe_unused]] static constexpr ::softascend::launcher<__VA_ARGS__> aclrtlaunch_##kernel{    \
        kernel, #kernel};
#endif

#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel

#endif
