/* Bodies of one operand over the vocabulary of vector_text.h: a whole operand, or a run of GM. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whole vectors, then the rest through a buffer. */
#define UNARY(name, T, load, save, expression)                                                     \
    static void name(void *dst, const void *va, size_t n)                                          \
    {                                                                                              \
        T *out = dst;                                                                              \
        const T *pa = va;                                                                          \
        size_t i = 0;                                                                              \
        for (; i + VF_LANES <= n; i += VF_LANES) {                                                 \
            vf a = load(pa + i);                                                                   \
            save(out + i, expression);                                                             \
        }                                                                                          \
        if (i < n) {                                                                               \
            T rest[VF_LANES] = {0};                                                                \
            memcpy(rest, pa + i, (n - i) * sizeof(T));                                             \
            vf a = load(rest);                                                                     \
            save(rest, expression);                                                                \
            memcpy(out + i, rest, (n - i) * sizeof(T));                                            \
        }                                                                                          \
    }

/* A run is fetched ahead of its reading, as a page's end stops the CPU's own guessing. */
#define AHEAD_BYTES 2048
#define RUN(name, T, load, save, stream, body)                                                     \
    static void name##_run(void *dst, const void *src, size_t n, bool past)                        \
    {                                                                                              \
        T *out = dst;                                                                              \
        const T *in = src;                                                                         \
        enum { BYTES = VF_LANES * sizeof(T) };                                                     \
        past = past && (uintptr_t)out % sizeof(T) == 0;                                            \
        size_t i = past ? -(uintptr_t)out % BYTES / sizeof(T) : 0;                                 \
        i = i < n ? i : n;                                                                         \
        name(out, in, i);                                                                          \
        if (past) {                                                                                \
            for (; i + VF_LANES <= n; i += VF_LANES) {                                             \
                __builtin_prefetch((const char *)(in + i) + AHEAD_BYTES);                          \
                stream(out + i, body(load(in + i)));                                               \
            }                                                                                      \
            vf_streamed();                                                                         \
        } else {                                                                                   \
            for (; i + VF_LANES <= n; i += VF_LANES) {                                             \
                __builtin_prefetch((const char *)(in + i) + AHEAD_BYTES);                          \
                save(out + i, body(load(in + i)));                                                 \
            }                                                                                      \
        }                                                                                          \
        name(out + i, in + i, n - i);                                                              \
    }
