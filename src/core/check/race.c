/* Race check ($SOFTASCEND_CHECK=race): instructions that touch the same bytes, one of them writing,
 * with nothing that orders them. On a chip such a kernel gives the right result on one day and a
 * wrong one on another; here, where instructions run one after the other, it would always look
 * right.
 *
 * Order comes from flags, barriers, SyncAll and the scalar pipe (clocks.h). A pipe starts its
 * instructions in order but does not finish one before it starts the next, so its own accesses need
 * a barrier too, with two exceptions: the scalar pipe, and products that accumulate in L0C, which
 * the cube adds in order. Blocks are ordered by SyncAll only, whichever cores they run on. */
#include "core/check/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL_PAGE_SHIFT = 12, GM_PAGE_SHIFT = 16 };

typedef struct finding {
    sa_race_block *block;
    sa_memory memory;
    bool across;
} finding;

static bool ordered_in_core(void *context, const sa_touch *earlier, const sa_touch *later)
{
    const finding *f = context;
    if (earlier->pipe == later->pipe &&
        (later->pipe == SA_PIPE_S || (later->pipe == SA_PIPE_M && f->memory == SA_L0C))) {
        return true;
    }
    if (earlier->pipe == SA_PIPE_S && !earlier->write) {
        return true; /* the value was there before anything else was issued */
    }
    return sa_clocks_ordered(&f->block->clocks, earlier->pipe, earlier->epoch, later->pipe);
}

/* Whoever is ordered after `later` is ordered after `earlier` too, and conflicts with `later`
 * wherever it conflicts with `earlier`. */
static bool replaces_in_core(void *context, const sa_touch *earlier, sa_touch *later)
{
    if (earlier->pipe == later->pipe && earlier->write == later->write) {
        return true;
    }
    return later->write && ordered_in_core(context, earlier, later);
}

/* Touches of GM that all pipes that reach GM know as finished are put aside, or every later one
 * would be compared with them all. */
static bool settled_in_core(void *context, const sa_touch *touch)
{
    const finding *f = context;
    const sa_clocks *clocks = &f->block->clocks;
    bool vector = f->block->base[SA_UB] != 0, cube = f->block->base[SA_L0C] != 0;
    return sa_clocks_ordered(clocks, touch->pipe, touch->epoch, SA_PIPE_MTE2) &&
           ((cube && !vector) ||
            sa_clocks_ordered(clocks, touch->pipe, touch->epoch, SA_PIPE_MTE3)) &&
           ((vector && !cube) || sa_clocks_ordered(clocks, touch->pipe, touch->epoch, SA_PIPE_FIX));
}

static bool ordered_across(void *context, const sa_touch *earlier, const sa_touch *later)
{
    (void)context;
    return earlier->epoch != later->epoch || (earlier->block == later->block && !earlier->shared);
}

static bool replaces_across(void *context, const sa_touch *earlier, sa_touch *later)
{
    (void)context;
    if (earlier->epoch != later->epoch || earlier->write != later->write) {
        return false;
    }
    if (earlier->block == later->block && !earlier->shared) {
        return true;
    }
    if (earlier->write || !sa_span_equal(&earlier->span, &later->span)) {
        return false;
    }
    later->shared = true;
    return true;
}

static void found(void *context, sa_touch *earlier, sa_touch *later, uintptr_t from, uintptr_t to)
{
    const finding *f = context;
    if (!f->across && earlier->pipe == later->pipe) {
        if (earlier->raced || later->raced) {
            return; /* what orders the pipes orders these */
        }
    } else {
        earlier->raced = later->raced = true;
    }
    atomic_fetch_add(&f->block->launch->races, 1);
    sa_race_report(&(sa_race){.kernel = f->block->launch->kernel,
                              .type = f->block->launch->type,
                              .block = f->block->block,
                              .across = f->across,
                              .memory = f->memory,
                              .memory_base = f->block->base[f->memory],
                              .earlier = earlier,
                              .later = later,
                              .from = from,
                              .to = to});
}

static void merge_gm(sa_race_block *block)
{
    if (atomic_load(&block->launch->ordered_by_flags)) {
        sa_touches_clear(&block->touches[SA_GM]);
        return;
    }
    finding f = {block, SA_GM, true};
    sa_touch_rules rules = {&f, ordered_across, found, NULL, replaces_across};
    pthread_mutex_lock(&block->launch->lock);
    sa_touches_merge(&block->launch->gm, &block->touches[SA_GM], block->block, block->phase,
                     &rules);
    pthread_mutex_unlock(&block->launch->lock);
    sa_touches_clear(&block->touches[SA_GM]);
}

sa_race_launch *sa_race_launch_create(const char *kernel, sa_core_type type)
{
    sa_race_launch *launch = calloc(1, sizeof(*launch));
    if (launch) {
        snprintf(launch->kernel, sizeof(launch->kernel), "%s", kernel);
        launch->type = type;
        launch->gm.page_shift = GM_PAGE_SHIFT;
        pthread_mutex_init(&launch->lock, NULL);
    }
    return launch;
}

void sa_race_launch_destroy(sa_race_launch *launch)
{
    sa_touches_clear(&launch->gm);
    pthread_mutex_destroy(&launch->lock);
    free(launch);
}

sa_race_block *sa_race_block_create(sa_race_launch *launch, uint32_t index,
                                    const uintptr_t base[SA_MEMORIES])
{
    sa_race_block *block = calloc(1, sizeof(*block));
    if (block) {
        block->launch = launch;
        block->block = index;
        memcpy(block->base, base, sizeof(block->base));
        sa_clocks_init(&block->clocks);
        for (int m = 0; m < SA_MEMORIES; m++) {
            block->touches[m].page_shift = m == SA_GM ? GM_PAGE_SHIFT : LOCAL_PAGE_SHIFT;
        }
    }
    return block;
}

/* What cores combine into GM atomically may meet there. */
static bool atomics_meet(const sa_event *event, int access)
{
    return event->atomic && event->access[access].memory == SA_GM;
}

void sa_race_issue(sa_race_block *block, const sa_event *event)
{
    switch (event->instr) {
    case SA_I_set_flag:
        sa_clocks_set_flag(&block->clocks, event->pipe, event->other, event->flag);
        return;
    case SA_I_wait_flag:
        sa_clocks_wait_flag(&block->clocks, event->other, event->pipe, event->flag);
        return;
    case SA_I_barrier:
        sa_clocks_barrier(&block->clocks, event->pipe);
        return;
    case SA_I_sync_all:
        merge_gm(block);
        block->phase++;
        sa_clocks_barrier(&block->clocks, SA_PIPE_ALL);
        return;
    case SA_I_cross_set:
    case SA_I_cross_wait:
    case SA_I_ib_set:
    case SA_I_ib_wait:
        /* blocks that order each other by flags of their own are compared no further */
        atomic_store(&block->launch->ordered_by_flags, true);
        return;
    default:
        break;
    }
    sa_touch touch[SA_EVENT_ACCESSES];
    finding f = {.block = block};
    sa_touch_rules rules = {&f, ordered_in_core, found, NULL, replaces_in_core};
    for (int i = 0; i < event->accesses; i++) {
        if (atomics_meet(event, i)) {
            continue;
        }
        touch[i] = (sa_touch){.span = sa_span_of(&event->access[i]),
                              .pc = event->pc,
                              .epoch = block->clocks.epoch[event->pipe],
                              .block = block->block,
                              .instr = (uint16_t)event->instr,
                              .pipe = (uint8_t)event->pipe,
                              .write = event->access[i].write};
        f.memory = event->access[i].memory;
        rules.settled = f.memory == SA_GM ? settled_in_core : NULL;
        sa_touches_check(&block->touches[f.memory], &touch[i], &rules);
    }
    for (int i = 0; i < event->accesses; i++) {
        if (atomics_meet(event, i)) {
            continue;
        }
        f.memory = event->access[i].memory;
        rules.settled = f.memory == SA_GM ? settled_in_core : NULL;
        sa_touches_keep(&block->touches[f.memory], &touch[i], &rules);
    }
}

void sa_race_block_destroy(sa_race_block *block)
{
    merge_gm(block);
    for (int m = 0; m < SA_MEMORIES; m++) {
        sa_touches_clear(&block->touches[m]);
    }
    free(block);
}

static void *launch_begin(const sa_launch *launch)
{
    char name[128];
    sa_launch_name(launch, name, sizeof(name));
    sa_race_launch *made = sa_race_launch_create(name, launch->type);
    if (made && launch->type > SA_AIV) {
        atomic_store(&made->ordered_by_flags, true); /* a mixed kernel */
    }
    return made;
}

static void *block_begin(void *launch_state, sa_core *core)
{
    uintptr_t base[SA_MEMORIES] = {0};
    for (int m = SA_UB; m < SA_MEMORIES; m++) {
        if (sa_local_bytes(core, m)) {
            base[m] = (uintptr_t)sa_local(core, m, 0);
        }
    }
    return launch_state ? sa_race_block_create(launch_state, sa_block_idx(core), base) : NULL;
}

static void issue(void *block_state, sa_core *core, const sa_event *event)
{
    (void)core;
    if (block_state) {
        sa_race_issue(block_state, event);
    }
}

static void block_end(void *block_state, sa_core *core, bool faulted)
{
    (void)core, (void)faulted;
    if (block_state) {
        sa_race_block_destroy(block_state);
    }
}

static sa_status launch_end(void *launch_state, sa_error *error)
{
    sa_race_launch *launch = launch_state;
    if (!launch) {
        return SA_OK;
    }
    unsigned races = atomic_load(&launch->races);
    sa_status status = SA_OK;
    const char *check = getenv("SOFTASCEND_CHECK");
    if (races && check && strstr(check, "fail")) {
        status = sa_error_set(
            error, launch->type == SA_AIC ? SA_ERR_AICORE_EXCEPTION : SA_ERR_VECTOR_EXCEPTION,
            "kernel %s has races (SOFTASCEND_CHECK=%s); the reports are on stderr", launch->kernel,
            check);
    }
    sa_race_launch_destroy(launch);
    return status;
}

const sa_observer sa_check_race = {launch_begin, block_begin, issue, block_end, launch_end};
