/* What stops an instruction: no body, an operand out of range. All cold. */
#include "core/issue.h"
#include "core/run.h"

#include <stdio.h>

#define COLD __attribute__((noinline, cold))

/* Coupled chips: what issue refuses because of the chip, not of the call. */
COLD static noreturn void not_coupled(sa_core *core, const void *pc, sa_instr instr)
{
    const run *r = ((sa_fiber *)core)->run;
    const char *chip = r->chip->name;
    const sa_instr_info *info = sa_instr_describe(instr);
    if (info->pipe == SA_PIPE_FIX)
        sa_core_fault(core, pc, sa_core_exception(core),
                      "%s: %s is a coupled chip and has no FIX pipe (Fixpipe); split chips "
                      "(Ascend910B) have: copy L0C to UB (DataCopy from CO1 to CO2) and UB to GM",
                      info->name, chip);
    sa_core_fault(core, pc, sa_core_exception(core),
                  "%s: %s is a coupled chip and has no bfloat16; split chips (Ascend910B) have: "
                  "use float16 or float32",
                  info->name, chip);
}

COLD noreturn void sa_issue_no_body(sa_core *core, const void *pc, sa_instr instr, sa_dtype dtype)
{
    bool known = (unsigned)dtype < SA_DTYPE_END && sa_instr_describe(instr)->dtypes >> dtype & 1;
    if (core->coupled && known)
        not_coupled(core, pc, instr);
    char have[256] = "";
    size_t used = 0;
    for (int t = 0; t < SA_DTYPE_END; t++)
        if (sa_instr_describe(instr)->dtypes >> t & 1)
            used += (size_t)snprintf(have + used, sizeof have - used, "%s%s", used ? ", " : "",
                                     sa_dtype_name(t));
    sa_core_fault(core, pc, sa_core_exception(core), "%s does not take %s (%d); it takes %s",
                  sa_instr_describe(instr)->name, sa_dtype_name(dtype), (int)dtype, have);
}

/* The second look at an operand that failed the one comparison: an offset, or out of range. */
COLD void *sa_issue_outside(sa_core *core, const void *pc, sa_instr instr, sa_memory memory,
                            bool write, const void *pointer, uint64_t bytes)
{
    const sa_local_memory *local = &core->local[memory];
    const char *name = sa_instr_describe(instr)->name, *verb = write ? "writes" : "reads";
    const char *where = sa_memory_names[memory];
    sa_status code = sa_core_exception(core);
    uintptr_t address = (uintptr_t)pointer;
    if (!local->bytes)
        sa_core_fault(core, pc, code, "%s %s %s, which %s core does not have%s", name, verb, where,
                      sa_core_article(core),
                      instr == SA_I_copy_l0c_ub && !core->coupled
                          ? "; cores of coupled chips have (SOFTASCEND_CHIP=Ascend310P3): here "
                            "Fixpipe takes L0C to GM"
                          : "");
    if (address < SA_OFFSET_LIMIT)
        address += (uintptr_t)local->base;
    uint64_t offset = address - (uintptr_t)local->base;
    if (offset <= local->bytes && bytes <= local->bytes - offset)
        return (void *)address;
    if (offset <= ((uint64_t)1 << 32))
        sa_core_fault(core, pc, code,
                      "%s %s %llu bytes at %s+%llu, which has %u (past the end by %llu)", name,
                      verb, (unsigned long long)bytes, where, (unsigned long long)offset,
                      local->bytes, (unsigned long long)(offset + bytes - local->bytes));
    for (int m = SA_UB; m < SA_MEMORIES; m++)
        if (address - (uintptr_t)core->local[m].base < core->local[m].bytes)
            sa_core_fault(core, pc, code,
                          "%s %s %llu bytes at %s+%llu, but this operand lies in %s", name, verb,
                          (unsigned long long)bytes, sa_memory_names[m],
                          (unsigned long long)(address - (uintptr_t)core->local[m].base), where);
    sa_core_fault(core, pc, code, "%s %s %llu bytes at %p, which is not in %s", name, verb,
                  (unsigned long long)bytes, pointer, where);
}

COLD noreturn void sa_issue_null_gm(sa_core *core, const void *pc, sa_instr instr, bool write,
                                    const void *pointer)
{
    sa_core_fault(core, pc, sa_core_exception(core), "%s %s GM at %p, which is no global memory",
                  sa_instr_describe(instr)->name, write ? "writes" : "reads", pointer);
}

COLD noreturn void sa_issue_misplaced(sa_core *core, const void *pc, sa_instr instr,
                                      const char *what, uint64_t value, uint64_t unit)
{
    sa_core_fault(core, pc, sa_core_exception(core), "%s: %s is %llu, not a multiple of %llu",
                  sa_instr_describe(instr)->name, what, (unsigned long long)value,
                  (unsigned long long)unit);
}
