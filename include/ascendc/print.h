/* printf, DumpTensor and assert of the Ascend C door (kernel_operator.h): they print on the host's
 * standard output, a line at a time; a failed assertion stops the kernel. */
#ifndef ASCENDC_PRINT_H
#define ASCENDC_PRINT_H

#include "ascendc/tensor.h"

#include <cassert>
#include <cinttypes>
#include <cstdio>

namespace softascend
{
/* What an ellipsis takes: half and bfloat16_t as numbers. */
template <class T>
constexpr auto printable(T value)
{
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>) {
        return (double)(float)value;
    } else {
        return value;
    }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
template <class... Args>
inline int print(const char *format, Args... args)
{
    return std::printf(format, printable(args)...);
}
template <class... Args>
[[noreturn]] SA_INLINE void assertion_failed(const char *file, int line, const char *condition,
                                             const char *format = "", Args... args)
{
    char text[256];
    std::snprintf(text, sizeof text, format, printable(args)...);
    if (!sa_self()) {
        std::fprintf(stderr, "%s:%d: assertion '%s' failed. %s\n", file, line, condition, text);
        __builtin_abort();
    }
    SA_FAULT("assertion '%s' failed%s%s", condition, *text ? ": " : "", text);
}
#pragma GCC diagnostic pop

template <class Tensor>
inline void dump(const char *memory, const Tensor &tensor, uint32_t desc, uint32_t count)
{
    using T = typename Tensor::PrimType;
    char line[512];
    int used =
        std::snprintf(line, sizeof line, "DumpTensor: block %u, desc %u, %s, %u elements of %s:",
                      sa_block_idx(sa_self()), desc, memory, count, sa_dtype_name(dtype<T>));
    for (uint32_t i = 0; i < count; i++) {
        if (used > 400) {
            std::printf("%s\n", line);
            used = std::snprintf(line, sizeof line, "  [%u]", i);
        }
        T value = tensor.GetValue(i);
        char *at = line + used;
        size_t room = sizeof line - (size_t)used;
        if constexpr (std::is_integral_v<T>) {
            used += std::snprintf(at, room, " %lld", (long long)value);
        } else {
            used += std::snprintf(at, room, " %.9g", (double)(float)value);
        }
    }
    std::printf("%s\n", line);
}
} // namespace softascend

namespace AscendC
{
template <class... Args>
inline void PRINTF(const char *format, Args... args)
{
    softascend::print(format, args...);
}
template <class... Args>
inline void printf(const char *format, Args... args)
{
    softascend::print(format, args...);
}

template <class T>
inline void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize)
{
    softascend::dump("local", tensor, desc, dumpSize);
}
template <class T>
inline void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize)
{
    softascend::dump("GM", tensor, desc, dumpSize);
}
template <class Tensor>
inline void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &)
{
    DumpTensor(tensor, desc, dumpSize);
}
template <class T>
inline void DumpAccChkPoint(const LocalTensor<T> &tensor, uint32_t index, uint32_t countOff,
                            uint32_t dumpSize)
{
    softascend::dump("local", tensor[countOff], index, dumpSize);
}
} // namespace AscendC

/* In a kernel a failed assertion must not end the host. */
#undef assert
#define assert(condition, ...)                                                                     \
    ((condition) ? (void)0                                                                         \
                 : ::softascend::assertion_failed(__FILE__, __LINE__,                              \
                                                  #condition __VA_OPT__(, ) __VA_ARGS__))
#define ascendc_assert assert
#define ASSERT(condition) assert(condition)
#define ASCENDC_ASSERT(condition, behavior)                                                        \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            behavior;                                                                              \
            assert(condition);                                                                     \
        }                                                                                          \
    } while (0)
#define KERNEL_LOG(level, ...) ((void)0)
#define ASCENDC_REPORT_OVERFLOW_MEM(condition) ((void)(condition))

#endif
