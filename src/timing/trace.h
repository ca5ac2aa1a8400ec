/* A trace file in memory (core/trace/format.h), read one launch at a time. */
#ifndef SA_TIMING_TRACE_H
#define SA_TIMING_TRACE_H

#include "core/isa.h"
#include "softascend/status.h"

typedef struct sa_trace_access {
    sa_memory memory;
    bool write;
    uint64_t ordinal, offset; /* ordinal: of the GM allocation; 0 for local memories */
    uint32_t rows, row_bytes;
    int64_t pitch_bytes;
} sa_trace_access;

typedef struct sa_trace_event {
    sa_instr instr;
    uint32_t line; /* into the launch's lines */
    sa_pipe pipe, other;
    uint32_t flag;
    sa_dtype dtype, dtype_from;
    uint64_t work;
    int accesses;
    size_t first_access; /* into the block's accesses */
} sa_trace_event;

typedef struct sa_trace_block {
    size_t events, accesses;
    sa_trace_event *event;
    sa_trace_access *access;
} sa_trace_block;

typedef struct sa_trace_launch {
    char *name;
    sa_core_type type;
    uint32_t blocks, lines;
    char **line;
    sa_trace_block *block;
} sa_trace_launch;

typedef struct sa_trace_file sa_trace_file;

/* Reads the head of a trace. Not a trace, another version, cut off: SA_ERR_INVALID_FILE and a
 * message with the file and the offset. The second form reads bytes that stay the caller's. */
SA_API sa_status sa_trace_open(const char *path, sa_trace_file **file);
SA_API sa_status sa_trace_open_bytes(const char *name, const void *data, size_t bytes,
                                     sa_trace_file **file);
SA_API void sa_trace_close(sa_trace_file *file);

/* The architecture that the trace was recorded on, and the sizes of its UB … BT. */
SA_API int sa_trace_arch(const sa_trace_file *file);
SA_API const uint64_t *sa_trace_local_bytes(const sa_trace_file *file);

/* Reads the next launch; *more is false after the last. Errors as above. */
SA_API sa_status sa_trace_next(sa_trace_file *file, sa_trace_launch *launch, bool *more);
SA_API void sa_trace_launch_free(sa_trace_launch *launch);

#endif
