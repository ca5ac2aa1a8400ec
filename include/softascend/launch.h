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

#ifdef __cplusplus
}
#endif

#endif
