/* Launching an Ascend C kernel from host code that a plain C++ compiler builds.
 *
 *     extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n)
 *     { … }
 *     SOFTASCEND_KERNEL(add_custom, GM_ADDR, GM_ADDR, GM_ADDR, uint32_t)
 *
 * declares what the toolkit's generated header aclrtlaunch_add_custom.h declares; the call is the
 * toolkit's too, and returns an aclError:
 *
 *     ACLRT_LAUNCH_KERNEL(add_custom)(blocks, stream, x, y, z, n);
 *
 * The kernel runs on vector cores. Parameters are pointers and plain values. */
#ifndef ASCENDC_LAUNCH_H
#define ASCENDC_LAUNCH_H

#include "softascend/launch.h"

#include <tuple>
#include <type_traits>

namespace softascend
{
template <class... Args>
struct launcher {
    void (*kernel)(Args...);
    const char *name;

    uint32_t operator()(uint32_t blocks, void *stream, Args... args) const
    {
        static_assert((std::is_trivially_copyable_v<Args> && ...),
                      "kernel parameters are pointers and plain values");
        packed arguments{kernel, {args...}};
        return (uint32_t)sa_stream_launch(stream, run, name, blocks, SA_AIV, &arguments,
                                          sizeof arguments);
    }

  private:
    struct packed {
        void (*kernel)(Args...);
        std::tuple<Args...> args;
    };

    static void run(sa_core *, void *arguments)
    {
        packed *call = static_cast<packed *>(arguments);
        std::apply(call->kernel, call->args);
    }
};
} // namespace softascend

#define SOFTASCEND_KERNEL(kernel, ...)                                                             \
    [[maybe_unused]] static constexpr ::softascend::launcher<__VA_ARGS__> aclrtlaunch_##kernel{    \
        kernel, #kernel};

#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel

#endif
