/* Cores that wait for cores: sync_all, flags between cores, flags in GM. A core that must wait
 * parks its fiber; whoever completes what it waits for releases it. */
#include "core/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where am I in the launch */

sa_core_type sa_kind(const sa_core *core)
{
    return core->type;
}

uint32_t sa_sub_block_idx(const sa_core *core)
{
    return core->sub_block;
}

uint32_t sa_task_ratio(const sa_core *core)
{
    return core->ratio;
}

bool sa_coupled(const sa_core *core)
{
    return core->coupled;
}

/* How many cores of the launch are of the core's kind. */
static uint32_t of_kind(const run *r, sa_core_type kind)
{
    if (r->per_block == 1)
        return r->cores;
    return kind == SA_AIC ? r->launch->blocks : r->launch->blocks * (r->per_block - 1);
}

static bool is_kind(const run *r, uint32_t ordinal, sa_core_type kind)
{
    return r->per_block == 1 || (ordinal % r->per_block == 0) == (kind == SA_AIC);
}

/* ---- deadlocks */

/* "0, 1, 2 and 7 more", of the blocks that are (not) on the list of waiters. */
static void list_blocks(const run *r, bool waiting, char *text, size_t bytes)
{
    unsigned named = 0, total = 0;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < r->cores; i++) {
        bool waits = false;
        for (const sa_fiber *f = r->waiters; f && !waits; f = f->next_waiting)
            waits = f->core.ordinal == i;
        if (waits != waiting)
            continue;
        total++;
        if (named < 4)
            used += (size_t)snprintf(text + used, bytes - used, "%s%u", named++ ? ", " : "", i);
        else if (total > 1000)
            break; /* enough to say "and more" */
    }
    if (total > named)
        snprintf(text + used, bytes - used, " and %u%s more", total - named,
                 total > 1000 ? " or" : "");
}

/* "cube core of block 0 in cross_wait of flag 3 at f.c:7; …": the first few that wait. */
static void list_waiters(const run *r, char *text, size_t bytes)
{
    size_t used = 0;
    int named = 0;
    text[0] = '\0';
    for (const sa_fiber *f = r->waiters; f && named < 3 && used < bytes; f = f->next_waiting) {
        char line[128], what[48] = "SyncAll";
        sa_source_line(f->pc, line, sizeof line);
        if (f->wait == SA_WAIT_FLAG)
            snprintf(what, sizeof what, "CrossCoreWaitFlag (cross_wait) of flag %u", f->wait_flag);
        else if (f->wait == SA_WAIT_KIND)
            snprintf(what, sizeof what, "sync_kind");
        else if (f->wait == SA_WAIT_REQUEST)
            snprintf(what, sizeof what, "request_take, for its vector cores,");
        else if (f->wait == SA_WAIT_ANSWER)
            snprintf(what, sizeof what, "request_wait, for its cube core to answer,");
        used += (size_t)snprintf(text + used, bytes - used, "%s%s core %u in %s at %s",
                                 named++ ? "; " : "", f->core.type == SA_AIC ? "cube" : "vector",
                                 f->core.block_idx, what, line);
    }
}

void sa_run_check_deadlock(run *r)
{
    unsigned waiting = atomic_load(&r->waiting), ended = atomic_load(&r->ended);
    if (!waiting || waiting + ended < r->cores)
        return;
    pthread_mutex_lock(&r->lock);
    waiting = atomic_load(&r->waiting);
    ended = atomic_load(&r->ended);
    bool dead = waiting && waiting + ended == r->cores;
    if (dead && r->error->code == SA_OK) {
        char kernel[128];
        sa_launch_name(r->launch, kernel, sizeof kernel);
        sa_status code = r->launch->type == SA_AIV && r->chip->split ? SA_ERR_VECTOR_EXCEPTION
                                                                     : SA_ERR_AICORE_EXCEPTION;
        bool all_in_sync = r->per_block == 1;
        for (const sa_fiber *f = r->waiters; f; f = f->next_waiting)
            all_in_sync &= f->wait != SA_WAIT_FLAG;
        if (all_in_sync) {
            char line[192], who[96], gone[96];
            sa_source_line(r->waiters->pc, line, sizeof line);
            list_blocks(r, true, who, sizeof who);
            list_blocks(r, false, gone, sizeof gone);
            sa_error_set(
                r->error, code,
                "%s in kernel %s: deadlock in SyncAll (sync_all): of %u blocks, %u wait (block %s) "
                "at %s; %u ended without it (block %s)",
                sa_exception_name(code), kernel, r->launch->blocks, waiting, who, line, ended,
                gone);
        } else {
            char who[640];
            list_waiters(r, who, sizeof who);
            sa_error_set(r->error, code,
                         "%s in kernel %s: deadlock: of %u cores, %u wait for each other or for "
                         "what never comes: %s",
                         sa_exception_name(code), kernel, r->cores, waiting, who);
        }
    }
    pthread_mutex_unlock(&r->lock);
    if (dead)
        sa_run_stop(r);
}

/* ---- parking and releasing */

void sa_run_show(sa_core *core, sa_instr instr, uint32_t flag)
{
    sa_fiber *fiber = (sa_fiber *)core;
    if (__builtin_expect(sa_core_quiet(core), 1))
        return;
    sa_core_attend(core, fiber->pc);
    if (core->observer) {
        sa_event event = {.instr = instr,
                          .pipe = instr == SA_I_sync_all ? SA_PIPE_ALL : SA_PIPE_S,
                          .flag = flag,
                          .pc = fiber->pc};
        core->observer->issue(core->observer_block, core, &event);
    }
}

/* Under the lock: puts the fiber on the list; it leaves once the lock is given back. */
void sa_run_wait_for(run *r, sa_fiber *fiber, sa_wait what, uint32_t flag)
{
    fiber->wait = what;
    fiber->wait_flag = flag;
    atomic_store(&fiber->released, false);
    fiber->next_waiting = r->waiters;
    r->waiters = fiber;
    atomic_fetch_add(&r->waiting, 1);
}

void sa_run_park(sa_fiber *fiber)
{
    sa_fiber_leave(fiber, SA_FIBER_PARKED);
    sa_core_attend(&fiber->core, fiber->pc);
}

/* Under the lock. */
void sa_run_release(run *r, sa_fiber **place)
{
    sa_fiber *fiber = *place;
    *place = fiber->next_waiting;
    atomic_fetch_sub(&r->waiting, 1);
    atomic_store(&fiber->released, true);
    atomic_fetch_add(&r->generation, 1);
}

static void synchronise(sa_core *core, sa_wait what)
{
    sa_fiber *fiber = (sa_fiber *)core;
    run *r = fiber->run;
    pthread_mutex_lock(&r->lock);
    uint32_t *arrived = what == SA_WAIT_ALL ? &r->arrived_everywhere : &r->arrived[core->type];
    uint32_t all = what == SA_WAIT_ALL ? r->cores : of_kind(r, core->type);
    if (++*arrived < all) {
        sa_run_wait_for(r, fiber, what, 0);
        pthread_mutex_unlock(&r->lock);
        sa_run_park(fiber);
        return;
    }
    *arrived = 0;
    for (sa_fiber **f = &r->waiters; *f;) {
        if ((*f)->wait == what && (what == SA_WAIT_ALL || (*f)->core.type == core->type))
            sa_run_release(r, f);
        else
            f = &(*f)->next_waiting;
    }
    pthread_mutex_unlock(&r->lock);
    if (all > 1)
        sa_word_wake(&r->generation);
}

void sa_sync_all(sa_core *core)
{
    ((sa_fiber *)core)->pc = __builtin_return_address(0);
    sa_run_show(core, SA_I_sync_all, 0);
    synchronise(core, SA_WAIT_ALL);
}

void sa_sync_kind(sa_core *core)
{
    const run *r = ((sa_fiber *)core)->run;
    ((sa_fiber *)core)->pc = __builtin_return_address(0);
    bool alone = r->per_block == 1; /* of one kind: the same as sync_all */
    sa_run_show(core, alone ? SA_I_sync_all : SA_I_sync_kind, 0);
    synchronise(core, alone ? SA_WAIT_ALL : SA_WAIT_KIND);
}

/* Behind all others; fiber->pc says where. */
static void give_way(sa_fiber *fiber)
{
    sa_core_attend(&fiber->core, fiber->pc);
    fiber->wait = SA_WAIT_TURN;
    atomic_store(&fiber->released, true);
    sa_run_park(fiber);
}

void sa_yield(sa_core *core)
{
    sa_fiber *fiber = (sa_fiber *)core;
    fiber->pc = __builtin_return_address(0);
    give_way(fiber);
}

/* ---- flags between cores, of split chips */

static void require_flag(sa_core *core, const void *pc, const char *name, int mode, uint32_t id)
{
    run *r = ((sa_fiber *)core)->run;
    if (core->coupled)
        sa_core_fault(core, pc, sa_core_exception(core),
                      "%s: %s is a coupled chip, whose cores have no flags between them; split "
                      "chips (Ascend910B) have: cores here meet in sync_all",
                      name, r->chip->name);
    if (id >= SA_CROSS_FLAGS || mode < 0 || mode > 2)
        sa_core_fault(core, pc, sa_core_exception(core),
                      "%s: mode %d, flag %u: modes are 0 to 2, flags 0 to %d", name, mode, id,
                      SA_CROSS_FLAGS - 1);
    pthread_mutex_lock(&r->lock);
    if (!r->cross)
        r->cross = calloc(r->cores, sizeof *r->cross);
    bool made = r->cross != NULL;
    pthread_mutex_unlock(&r->lock);
    if (!made)
        sa_core_fault(core, pc, SA_ERR_OUT_OF_MEMORY,
                      "%s: no host memory for the flags of %u cores", name, r->cores);
}

/* Under the lock: one set for `ordinal` to wait for. */
static void raise_flag(run *r, uint32_t ordinal, uint32_t id)
{
    for (sa_fiber **f = &r->waiters; *f; f = &(*f)->next_waiting)
        if ((*f)->core.ordinal == ordinal && (*f)->wait == SA_WAIT_FLAG && (*f)->wait_flag == id) {
            sa_run_release(r, f);
            return;
        }
    r->cross[ordinal].flag[id]++;
}

/* Who must set before the set counts, and for whom: cores `from` … `to` - 1 that are of `kind`. */
typedef struct group {
    uint32_t from, to;
    sa_core_type kind;
} group;

static bool all_pending(const run *r, const group *g, int mode, uint32_t id)
{
    for (uint32_t i = g->from; i < g->to; i++)
        if (is_kind(r, i, g->kind) && !r->cross[i].pending[mode][id])
            return false;
    return true;
}

void sa_cross_set(sa_core *core, int mode, sa_pipe pipe, uint32_t id)
{
    sa_fiber *fiber = (sa_fiber *)core;
    run *r = fiber->run;
    (void)pipe;
    fiber->pc = __builtin_return_address(0);
    require_flag(core, fiber->pc, "cross_set", mode, id);
    sa_run_show(core, SA_I_cross_set, id);
    uint32_t first = core->ordinal - core->ordinal % r->per_block;
    group block = {first, first + r->per_block, core->type};
    group setters = mode == 0 ? (group){0, r->cores, core->type} : block, getters = setters;
    if (mode == 2)
        getters.kind = core->type == SA_AIC ? SA_AIV : SA_AIC;
    pthread_mutex_lock(&r->lock);
    bool full = ++r->cross[core->ordinal].pending[mode][id] == UINT16_MAX;
    if (all_pending(r, &setters, mode, id)) {
        for (uint32_t i = setters.from; i < setters.to; i++)
            if (is_kind(r, i, setters.kind))
                r->cross[i].pending[mode][id]--;
        for (uint32_t i = getters.from; i < getters.to; i++)
            if (is_kind(r, i, getters.kind))
                raise_flag(r, i, id);
    }
    pthread_mutex_unlock(&r->lock);
    sa_word_wake(&r->generation);
    if (full)
        sa_core_fault(core, fiber->pc, sa_core_exception(core),
                      "cross_set: flag %u was set %d times and never matched", id, UINT16_MAX);
}

void sa_cross_wait(sa_core *core, sa_pipe pipe, uint32_t id)
{
    sa_fiber *fiber = (sa_fiber *)core;
    run *r = fiber->run;
    (void)pipe;
    fiber->pc = __builtin_return_address(0);
    require_flag(core, fiber->pc, "cross_wait", 0, id);
    sa_run_show(core, SA_I_cross_wait, id);
    pthread_mutex_lock(&r->lock);
    uint16_t *flag = &r->cross[core->ordinal].flag[id];
    bool there = *flag > 0;
    if (there)
        --*flag;
    else
        sa_run_wait_for(r, fiber, SA_WAIT_FLAG, id);
    pthread_mutex_unlock(&r->lock);
    if (!there)
        sa_run_park(fiber);
}

/* ---- flags in GM */

static int32_t *mark_of(sa_core *core, const void *pc, const char *name, void *workspace,
                        uint32_t block, uint32_t event)
{
    if ((uintptr_t)workspace < SA_OFFSET_LIMIT || (uintptr_t)workspace % 4)
        sa_core_fault(core, pc, sa_core_exception(core),
                      "%s: workspace at %p, which is no aligned "
                      "global memory",
                      name, workspace);
    return (int32_t *)workspace + ((uint64_t)event * core->block_num + block) * 8;
}

void sa_ib_set(sa_core *core, void *workspace, uint32_t block, uint32_t event)
{
    const void *pc = ((sa_fiber *)core)->pc = __builtin_return_address(0);
    int32_t *mark = mark_of(core, pc, "ib_set", workspace, block, event);
    sa_run_show(core, SA_I_ib_set, event);
    __atomic_fetch_add(mark, 1, __ATOMIC_RELEASE);
}

void sa_ib_wait(sa_core *core, void *workspace, uint32_t block, uint32_t event)
{
    const void *pc = ((sa_fiber *)core)->pc = __builtin_return_address(0);
    int32_t *mark = mark_of(core, pc, "ib_wait", workspace, block, event);
    sa_run_show(core, SA_I_ib_wait, event);
    while (__atomic_load_n(mark, __ATOMIC_ACQUIRE) == 0)
        give_way((sa_fiber *)core);
    __atomic_fetch_sub(mark, 1, __ATOMIC_ACQUIRE);
}
