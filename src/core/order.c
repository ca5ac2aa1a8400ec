/* Flags and barriers. A block runs its instructions in order, so that they never wait here; a count
 * says whether a wait was answered, and observers see what a chip would do. */
#include "core/core.h"

static void show(sa_core *core, const void *pc, sa_instr instr, sa_pipe pipe, sa_pipe other,
                 uint32_t flag)
{
    sa_core_attend(core, pc);
    if (!core->observer)
        return;
    sa_event event = {.instr = instr, .pipe = pipe, .other = other, .flag = flag, .pc = pc};
    core->observer->issue(core->observer_block, core, &event);
}

static uint8_t *flag_of(sa_core *core, const void *pc, const char *name, sa_pipe from, sa_pipe to,
                        uint32_t id)
{
    if (from >= SA_PIPE_ALL || to >= SA_PIPE_ALL || id >= SA_FLAG_IDS)
        sa_core_fault(core, pc, sa_core_exception(core),
                      "%s: pipe %d to pipe %d, flag %u: flags join two pipes and are 0 to %d", name,
                      (int)from, (int)to, id, SA_FLAG_IDS - 1);
    return &core->flags[from][to][id];
}

void sa_set_flag(sa_core *core, sa_pipe from, sa_pipe to, uint32_t id)
{
    const void *pc = __builtin_return_address(0);
    uint8_t *sets = flag_of(core, pc, "set_flag", from, to, id);
    if (*sets == UINT8_MAX)
        sa_core_fault(core, pc, sa_core_exception(core),
                      "set_flag: flag %u from %s to %s was set %d times and never waited for", id,
                      sa_pipe_names[from], sa_pipe_names[to], UINT8_MAX);
    ++*sets;
    core->flags_used = true;
    if (__builtin_expect(!sa_core_quiet(core), 0))
        show(core, pc, SA_I_set_flag, from, to, id);
}

void sa_wait_flag(sa_core *core, sa_pipe from, sa_pipe to, uint32_t id)
{
    const void *pc = __builtin_return_address(0);
    uint8_t *sets = flag_of(core, pc, "wait_flag", from, to, id);
    if (*sets == 0)
        sa_core_fault(core, pc, sa_core_exception(core),
                      "wait_flag: flag %u from %s to %s was never set; nothing can set it now", id,
                      sa_pipe_names[from], sa_pipe_names[to]);
    --*sets;
    if (__builtin_expect(!sa_core_quiet(core), 0))
        show(core, pc, SA_I_wait_flag, to, from, id);
}

void sa_barrier(sa_core *core, sa_pipe pipe)
{
    const void *pc = __builtin_return_address(0);
    if (pipe > SA_PIPE_ALL)
        sa_core_fault(core, pc, sa_core_exception(core), "barrier: %d is no pipe", (int)pipe);
    if (__builtin_expect(!sa_core_quiet(core), 0))
        show(core, pc, SA_I_barrier, pipe, pipe, 0);
}
