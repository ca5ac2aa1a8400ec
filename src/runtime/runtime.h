/* What our own libraries see of the runtime besides the public acl* calls. */
#ifndef SA_RUNTIME_H
#define SA_RUNTIME_H

#include "acl/acl_rt.h"
#include "core/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Holds the runtime for a library, beside the program's own aclInit and aclFinalize: contexts,
 * streams and memory live until the program and every library have let go. */
SA_API aclError sa_runtime_retain(void);
SA_API void sa_runtime_release(void);

/* How many devices there are. If none and `why` is not NULL, *why says why (valid for ever); the
 * same line went to stderr once. Needs no aclInit. */
SA_API int sa_device_count(const char **why);

/* Enqueues a kernel on `stream` (NULL: the current context's default stream) and returns; its
 * errors reach the stream's next synchronisation. `args` (args_bytes of it) is copied into the task
 * and every block gets the copy's address, 64-byte aligned. blocks 1 … 65535. `name` must outlive
 * the task. Errors: no context, foreign or destroyed stream, nonsense arguments. */
SA_API aclError sa_stream_launch(aclrtStream stream, sa_kernel kernel, const char *name,
                                 uint32_t blocks, sa_core_type type, const void *args,
                                 size_t args_bytes);

/* The chip of the current context's device; NULL and a message if there is none. */
SA_API const sa_chip *sa_current_chip(void);

#ifdef __cplusplus
}
#endif

#endif
