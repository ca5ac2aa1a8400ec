/* What issue functions share: checks of dtypes and operands, and showing an instruction to whatever
 * watches. issue.c generates the common forms around one comparison an operand; instructions with
 * operands of their own (repeats, parameter structures) go through sa_issue below. */
#ifndef SA_ISSUE_H
#define SA_ISSUE_H

#include "core/core.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UP(n, unit) (((uint64_t)(n) + (unit)-1) / (unit) * (unit))

noreturn void sa_issue_no_body(sa_core *core, const void *pc, sa_instr instr, sa_dtype dtype);
noreturn void sa_issue_null_gm(sa_core *core, const void *pc, sa_instr instr, bool write,
                               const void *pointer);
noreturn void sa_issue_misplaced(sa_core *core, const void *pc, sa_instr instr, const char *what,
                                 uint64_t value, uint64_t unit);
/* The second look at an operand that failed the one comparison: an offset, or out of range. */
void *sa_issue_outside(sa_core *core, const void *pc, sa_instr instr, sa_memory memory, bool write,
                       const void *pointer, uint64_t bytes);

/* ---- operands */

static inline void *sa_issue_in_range(sa_core *core, const void *pc, sa_instr instr,
                                      sa_memory memory, bool write, const void *pointer,
                                      uint64_t bytes)
{
    if (memory == SA_GM) {
        if (!LIKELY((uintptr_t)pointer >= SA_OFFSET_LIMIT))
            sa_issue_null_gm(core, pc, instr, write, pointer);
        return (void *)pointer;
    }
    const sa_local_memory *local = &core->local[memory];
    uint64_t offset = (uintptr_t)pointer - (uintptr_t)local->base;
    if (LIKELY((offset <= local->bytes) & (bytes <= local->bytes - offset)))
        return (void *)pointer;
    return sa_issue_outside(core, pc, instr, memory, write, pointer, bytes);
}

/* Bytes from the first to the last of `rows` runs. */
static inline uint64_t sa_issue_extent(uint64_t rows, uint64_t row_bytes, int64_t pitch)
{
    return rows <= 1 ? row_bytes : (rows - 1) * (uint64_t)pitch + row_bytes;
}

/* ---- an instruction with operands of its own */

typedef struct sa_issue {
    sa_core *core;
    sa_event event;
} sa_issue;

/* Begins an instruction at call site `pc`; a dtype that it does not take stops the kernel. */
sa_issue sa_issue_begin(sa_core *core, const void *pc, sa_instr instr, sa_dtype dtype);

/* An operand of `rows` runs of row_bytes, pitch_bytes apart: checked; its address. Nothing is asked
 * of an operand of no bytes. */
void *sa_issue_operand(sa_issue *issue, sa_memory memory, bool write, const void *pointer,
                       uint64_t rows, uint64_t row_bytes, int64_t pitch_bytes);
#define READS(memory, p, ...) sa_issue_operand(&issue, memory, false, p, __VA_ARGS__)
#define WRITES(memory, p, ...) sa_issue_operand(&issue, memory, true, p, __VA_ARGS__)

/* Shows it to whatever watches; stops if the launch has. Before it computes. */
void sa_issue_show(sa_issue *issue, uint64_t work);

/* A parameter that makes no sense. */
noreturn void sa_issue_refuse(const sa_issue *issue, const char *format, ...) SA_PRINTF(2, 3);

#define BEGIN(name, dtype)                                                                         \
    sa_issue issue = sa_issue_begin(core, __builtin_return_address(0), SA_I_##name, dtype)

/* ---- moves to GM while an atomic is set (issue_atomic.c) */

void sa_atomic_rows(sa_core *core, const void *pc, sa_instr instr, sa_memory from, void *gm,
                    int64_t gm_pitch, const void *local, uint32_t local_pitch, uint32_t rows,
                    uint32_t row_bytes);
void sa_atomic_fixpipe(sa_core *core, const void *pc, sa_dtype dtype, void *gm, int64_t gm_pitch,
                       const void *l0c, uint32_t m, uint32_t n);

/* Combines n elements of `dtype` into GM as the atomic in force says. */
void sa_atomic_combine(const sa_issue *issue, sa_dtype dtype, void *gm, const void *from, size_t n);

/* Where in its packed storage an address of L0A or L0B is. */
static inline void *sa_packed(const sa_core *core, sa_memory memory, const void *l0, uint64_t size)
{
    uint64_t offset = (uintptr_t)l0 - (uintptr_t)core->local[memory].base;
    return core->packed[memory - SA_L0A][size >> 1] + offset / size * 4;
}

#endif
