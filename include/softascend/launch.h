/* How a host program launches a kernel on a stream: one C function, exported by libascendcl. The
 * launch macros of include/ascendc/ go through it; C kernels call it directly. */
#ifndef SOFTASCEND_LAUNCH_H
#define SOFTASCEND_LAUNCH_H

#include "softascend/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues `blocks` (1 … 65535) blocks of `kernel` on an aclrtStream (NULL: the current context's
 * default stream) and returns; errors of the kernel reach the stream's next synchronisation. Every
 * block gets the address of a copy of `args`, 64-byte aligned. `name` is for messages. The aclError
 * says what was wrong with the call: no context, a foreign or destroyed stream, nonsense arguments.
 */
SA_API int sa_stream_launch(void *stream, sa_kernel kernel, const char *name, uint32_t blocks,
                            sa_core_type type, const void *args, size_t args_bytes);

/* A library of kernels that ascc made describes them, so that a program can launch what it loads:
 * for a kernel NAME it exports
 *
 *     sa_parameter sa_parameters_NAME[];      ended by one whose name is NULL
 *     uint32_t sa_call_NAME(uint32_t blocks, void *stream, const void *const *values);
 *
 * values[i] points to the value of parameter i: `bytes` bytes, for a pointer the pointer. The
 * result is aclrtlaunch_NAME's. Templates and overloaded kernels are not described. */
typedef struct sa_parameter {
    const char *name, *type; /* as written; the name may be empty */
    uint32_t bytes;
    char kind;         /* p(ointer) b(ool) f(loating) i(nteger) u(nsigned) s(tructure or class) */
    char element_kind; /* of a pointer: what it points to, v(oid) too */
    uint16_t element_bytes;
} sa_parameter;

typedef uint32_t (*sa_call)(uint32_t blocks, void *stream, const void *const *values);

#ifdef __cplusplus
}
#endif

#endif
