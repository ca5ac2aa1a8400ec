/* What watches a kernel: a check, a trace, or nothing. With nothing watching an instruction costs
 * one predictable branch. Chosen at run time: $SOFTASCEND_CHECK, $SOFTASCEND_TRACE. */
#ifndef SA_OBSERVE_H
#define SA_OBSERVE_H

#include "core/isa.h"
#include "core/launch.h"

#define SA_EVENT_ACCESSES 4

/* Bytes that an instruction reads or writes: `rows` runs of row_bytes, `pitch_bytes` apart. For L0A
 * and L0B the address is the architectural one (as the kernel sees it). */
typedef struct sa_access {
    sa_memory memory;
    bool write;
    uintptr_t address;
    uint32_t rows, row_bytes;
    int64_t pitch_bytes;
} sa_access;

typedef struct sa_event {
    sa_instr instr;
    sa_pipe pipe;  /* of set_flag, wait_flag: the pipe that sets or waits; of barrier: which */
    sa_pipe other; /* of set_flag: who will wait; of wait_flag: who set */
    uint32_t flag; /* flag id */
    sa_dtype dtype, dtype_from; /* dtype_from: of cast; of fixpipe the accumulator's */
    uint64_t work;              /* elements; of mmad m*k*n rounded up to fractals */
    bool atomic;                /* what it writes to GM is combined there, atomically */
    int accesses;
    sa_access access[SA_EVENT_ACCESSES];
    const void *pc; /* return address of the call: the call site is pc - 1 */
} sa_event;

/* Callbacks come from the thread that runs the block; blocks of a launch run on several threads. A
 * launch's `state` and a block's `state` belong to the observer. NULL callbacks are skipped. */
typedef struct sa_observer {
    void *(*launch_begin)(const sa_launch *launch);
    void *(*block_begin)(void *launch_state, sa_core *core);
    void (*issue)(void *block_state, sa_core *core, const sa_event *event);
    void (*block_end)(void *block_state, sa_core *core, bool faulted);
    /* may turn a finding into the launch's error; returns SA_OK to let it be */
    sa_status (*launch_end)(void *launch_state, sa_error *error);
} sa_observer;

/* The observer that the environment asks for, or NULL; read once (observe.c). */
SA_API const sa_observer *sa_observer_active(void);

/* The launch's name, else its kernel's from debug information. */
void sa_launch_name(const sa_launch *launch, char *text, size_t bytes);

extern const sa_observer sa_check_race; /* check/race.c */
extern const sa_observer sa_trace;      /* trace/record.c */

/* "file.c:42" for a code address, from debug information; `text` gets the module and offset if
 * there is none. Thread-safe, slow: for messages. Frames inside include/ascendc are skipped
 * (source.c). True if the line is the user's, not one of our headers or the C++ library. */
SA_API bool sa_source_line(const void *pc, char *text, size_t bytes);

#endif
