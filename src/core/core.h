/* The inside of an sa_core: what issue.c, launch.c and the observers see of it. */
#ifndef SA_CORE_CORE_H
#define SA_CORE_CORE_H

#include "core/observe.h"

#include <stdatomic.h>
#include <stdnoreturn.h>

#define SA_FLAG_IDS 8

/* A pointer below this is an offset into the memory that its role names. */
#define SA_OFFSET_LIMIT ((uintptr_t)1 << 20)

typedef struct sa_local_memory {
    uint8_t *base;
    uint32_t bytes; /* 0: this kind of core has no such memory */
    uint32_t used;  /* what sa_alloc has given away */
} sa_local_memory;

struct sa_core {
    const sa_isa *isa;
    /* what an instruction looks at before it runs: all three quiet on the fast path */
    const sa_observer *observer; /* with an issue callback, or NULL */
    const volatile bool *abandon;
    const volatile bool *stop; /* another block of the launch has faulted */
    uint32_t block_idx, block_num;
    sa_local_memory local[SA_MEMORIES];
    /* L0A and L0B as the cube reads them, 4 bytes an element, one region for each element size so
     * that tiles of different types side by side stay apart: [memory - SA_L0A][log2(size)] */
    uint8_t *packed[2][3];
    bool flags_used;
    uint8_t flags[SA_PIPE_ALL][SA_PIPE_ALL]
                 [SA_FLAG_IDS]; /* sets not yet waited for: from, to, id */
    void *observer_block;
    const sa_launch *launch;
    sa_core_type type;         /* SA_AIC or SA_AIV */
    bool coupled;              /* then of type SA_AIC, with both kinds' memories */
    uint32_t sub_block, ratio; /* in a mixed launch: which vector core, of how many a block */
    uint32_t ordinal;          /* counts the cores of the launch; block_idx if it is not mixed */
    /* registers that instructions leave to later ones */
    uint64_t mask[2], cmp_mask[2];
    bool mask_counter;
    sa_atomic atomic;
    sa_dtype atomic_dtype;
    double deq_scale;
    struct { /* what copy_in most likely reads next and is not fetched yet (ahead.h) */
        uintptr_t at;
        uint32_t lines;
    } ahead[2];
    unsigned ahead_last;
    uint64_t written; /* bytes that this thread has moved out in this launch */
    _Alignas(16) uint8_t block_data[SA_BLOCK_DATA];
};

static inline bool sa_core_quiet(const sa_core *core)
{
    /* as numbers: three loads and one branch */
    int watched = core->observer != NULL,
        abandoned = __atomic_load_n(core->abandon, __ATOMIC_RELAXED);
    int stopped = __atomic_load_n(core->stop, __ATOMIC_RELAXED);
    return !(watched | abandoned | stopped);
}

/* Leaves the kernel if its launch was abandoned or has failed. */
SA_API void sa_core_attend(sa_core *core, const void *pc);

/* Ends the running kernel with a fault whose call site is `pc`. */
noreturn void sa_core_fault(sa_core *core, const void *pc, sa_status code, const char *format, ...)
    SA_PRINTF(4, 5);

/* Stores `value` as one element of `dtype`: floats round to nearest even, integers truncate and
 * saturate, NaN is 0 there (isa/arrange.c). */
void sa_scalar_store(sa_dtype dtype, void *element, double value);

/* The exception code of the core's kind: 507035 on a vector core, 507015 on a cube core. */
static inline sa_status sa_core_exception(const sa_core *core)
{
    return core->type == SA_AIV ? SA_ERR_VECTOR_EXCEPTION : SA_ERR_AICORE_EXCEPTION;
}

/* "a cube", "a vector", "a coupled": which kind of core, for messages. */
const char *sa_core_article(const sa_core *core);

extern const char *const sa_memory_names[SA_MEMORIES];
extern const char *const sa_pipe_names[SA_PIPE_ALL + 1];

/* The name of the function that holds `pc`, from debug information or the symbol table; the module
 * and offset if there is neither (source.c). */
void sa_source_function(const void *pc, char *text, size_t bytes);

#endif
