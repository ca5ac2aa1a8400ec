/* Launch: deals a kernel's blocks to the calling thread and to workers, and runs each on a fiber.
 *
 * Blocks are dealt one by one from a counter. A block that waits for others parks (wait.c): its
 * thread keeps its fiber and takes the next block, so that every block starts whatever the number
 * of threads; when all have been dealt, threads go on with what they parked as it is released.
 */
#include "core/launch.h"
#include "core/crash.h"
#include "core/interrupt.h"
#include "core/run.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ABANDON_POLL_US 10000
#define STOP_POLL_NS 5000000
#define POLL_US 50 /* between looks of blocks that poll GM */

static const bool never; /* what `abandon` points to when no one watches */

/* ---- faults */

static bool stopped(run *r)
{
    return __atomic_load_n(&r->stop, __ATOMIC_RELAXED);
}

void sa_run_stop(run *r)
{
    __atomic_store_n(&r->stop, true, __ATOMIC_RELEASE);
    atomic_fetch_add(&r->generation, 1);
    sa_word_wake(&r->generation);
}

void sa_launch_name(const sa_launch *launch, char *text, size_t bytes)
{
    if (launch->name)
        snprintf(text, bytes, "%s", launch->name);
    else
        sa_source_function((const char *)(uintptr_t)launch->kernel + 1, text, bytes);
}

const char *sa_exception_name(sa_status code)
{
    switch (code) {
    case SA_ERR_VECTOR_EXCEPTION:
        return "vector core exception";
    case SA_ERR_AICORE_EXCEPTION:
        return "AI core exception";
    case SA_ERR_AICORE_TIMEOUT:
        return "AI core timeout";
    default:
        return "error";
    }
}

/* On the thread's own stack: debug information needs more than a fiber has. */
static void report_fault(run *r, const sa_fiber *fiber)
{
    pthread_mutex_lock(&r->lock);
    if (r->error->code == SA_OK) {
        char kernel[128], line[192];
        sa_launch_name(r->launch, kernel, sizeof kernel);
        sa_source_line(fiber->pc, line, sizeof line);
        sa_error_set(r->error, fiber->fault_code, "%s in kernel %s, block %u: %s at %s",
                     sa_exception_name(fiber->fault_code), kernel, fiber->core.block_idx,
                     fiber->fault_text, line);
    }
    pthread_mutex_unlock(&r->lock);
    sa_run_stop(r);
}

void sa_core_fault(sa_core *core, const void *pc, sa_status code, const char *format, ...)
{
    sa_fiber *fiber = (sa_fiber *)core;
    va_list args;
    va_start(args, format);
    vsnprintf(fiber->fault_text, sizeof fiber->fault_text, format, args);
    va_end(args);
    fiber->fault_code = code == SA_OK ? SA_ERR_INTERNAL : code;
    fiber->pc = pc;
    sa_fiber_leave(fiber, SA_FIBER_FAULTED);
    __builtin_unreachable();
}

void sa_fault(sa_core *core, sa_status code, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sa_core_fault(core, __builtin_return_address(0), code, "%s", text);
}

void sa_core_attend(sa_core *core, const void *pc)
{
    if (__atomic_load_n(core->stop, __ATOMIC_RELAXED))
        sa_fiber_leave((sa_fiber *)core, SA_FIBER_ABANDONED);
    if (__atomic_load_n(core->abandon, __ATOMIC_RELAXED))
        sa_core_fault(core, pc, SA_ERR_AICORE_TIMEOUT,
                      "stopped because it ran past the stream's limit,");
}

/* ---- blocks */

/* Core `index` of the launch: in a mixed one, each block's cube core and then its vector cores. */
static void place(const run *r, sa_core *core, uint32_t index)
{
    core->ordinal = index;
    core->block_idx = index;
    core->sub_block = 0;
    core->ratio = r->per_block - 1;
    core->coupled = !r->chip->split;
    core->type = core->coupled || r->launch->type > SA_AIV ? SA_AIC : r->launch->type;
    if (core->ratio) {
        uint32_t block = index / r->per_block, part = index % r->per_block;
        core->type = part ? SA_AIV : SA_AIC;
        core->sub_block = part ? part - 1 : 0;
        core->block_idx = part ? block * core->ratio + core->sub_block : block;
    }
}

static void begin_block(run *r, sa_fiber *fiber, uint32_t index)
{
    const sa_launch *launch = r->launch;
    sa_core *core = &fiber->core;
    place(r, core, index);
    bool vector = core->coupled || core->type == SA_AIV;
    bool cube = core->coupled || core->type == SA_AIC;
    for (int m = SA_UB; m < SA_MEMORIES; m++) {
        core->local[m].bytes = (m == SA_UB ? vector : cube) ? fiber->memory_bytes[m] : 0;
        core->local[m].used = 0;
    }
    if (core->flags_used) {
        memset(core->flags, 0, sizeof core->flags);
        core->flags_used = false;
    }
    memset(core->block_data, 0, sizeof core->block_data);
    core->isa = r->isa;
    core->abandon = r->abandon;
    core->stop = &r->stop;
    core->block_num = launch->blocks;
    core->launch = launch;
    core->mask[0] = core->mask[1] = ~(uint64_t)0;
    core->mask_counter = false;
    core->cmp_mask[0] = core->cmp_mask[1] = 0;
    core->atomic = SA_ATOMIC_NONE;
    core->deq_scale = 1;
    core->ahead[0].lines = core->ahead[1].lines = 0;
    fiber->kernel = launch->kernel;
    fiber->args = launch->args;
    fiber->run = r;
    core->observer = r->observer && r->observer->issue ? r->observer : NULL;
    core->observer_block = NULL;
    if (r->observer && r->observer->block_begin)
        core->observer_block = r->observer->block_begin(r->observer_state, core);
}

/* After a fiber left: true if its block is over and the fiber free. */
static bool settle(run *r, sa_fiber *fiber)
{
    if (fiber->state == SA_FIBER_PARKED) {
        if (fiber->wait != SA_WAIT_TURN)
            sa_run_check_deadlock(r);
        return false;
    }
    if (fiber->state == SA_FIBER_FAULTED)
        report_fault(r, fiber);
    if (r->observer && r->observer->block_end)
        r->observer->block_end(fiber->core.observer_block, &fiber->core,
                               fiber->state != SA_FIBER_ENDED);
    sa_run_core_ended(r, &fiber->core);
    if (r->cores == 1)
        atomic_store_explicit(&r->ended, 1, memory_order_relaxed);
    else
        atomic_fetch_add(&r->ended, 1);
    if (atomic_load(&r->waiting) && !stopped(r))
        sa_run_check_deadlock(r);
    return true;
}

static void no_fiber(run *r, uint32_t index)
{
    pthread_mutex_lock(&r->lock);
    if (r->error->code == SA_OK)
        sa_error_set(r->error, SA_ERR_OUT_OF_MEMORY,
                     "no host memory for the local memories of block %u of %u (%u blocks wait in "
                     "sync_all)",
                     index, r->launch->blocks, atomic_load(&r->waiting));
    pthread_mutex_unlock(&r->lock);
    sa_run_stop(r);
}

/* A block has faulted; those of other threads may be in loops that would wait for it for ever. */
static void await_others(run *r)
{
    const struct timespec pause = {.tv_nsec = STOP_POLL_NS};
    while (atomic_load(&r->inside)) {
        nanosleep(&pause, NULL);
        sa_interrupt_all();
    }
}

/* Resumes those of the list that were released; the end of what still waits. */
static sa_fiber **resume_released(run *r, sa_fiber **list)
{
    while (*list) {
        sa_fiber *fiber = *list;
        if (atomic_load(&fiber->released) && fiber->wait != SA_WAIT_TURN) {
            sa_fiber_resume(fiber);
            if (settle(r, fiber)) {
                *list = fiber->next;
                sa_fiber_give(fiber);
                continue;
            }
        }
        list = &fiber->next;
    }
    return list;
}

/* The next core to run, or one past the last. A launch of one core has no other thread to agree
 * with.
 */
static uint32_t deal(run *r)
{
    if (r->cores > 1)
        return atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed);
    uint32_t index = atomic_load_explicit(&r->next, memory_order_relaxed);
    atomic_store_explicit(&r->next, 1, memory_order_relaxed);
    return index;
}

/* A thread's share of the launch: deal and run until no block is left, then see the parked ones
 * through. */
static void take_part(run *r)
{
    const uint32_t blocks = r->cores;
    sa_fiber *fiber = NULL, *parked = NULL, **last = &parked;
    uint64_t written = 0;
    unsigned seen = 0;
    sa_crash_guard_thread();
    if (blocks > 1)
        atomic_fetch_add_explicit(&r->inside, 1, memory_order_relaxed);
    while (!stopped(r)) {
        /* a mixed block that can go on does so before another begins: who asked is answered, and
         * threads share the blocks by the work in them */
        if (parked && r->per_block > 1 && seen != atomic_load(&r->generation)) {
            seen = atomic_load(&r->generation);
            last = resume_released(r, &parked);
            continue;
        }
        uint32_t index = deal(r);
        if (index >= blocks)
            break;
        if (!fiber && !(fiber = sa_fiber_take(r->chip))) {
            no_fiber(r, index);
            break;
        }
        fiber->core.written = written;
        begin_block(r, fiber, index);
        sa_fiber_resume(fiber);
        written = fiber->core.written;
        if (!settle(r, fiber)) {
            fiber->next = NULL;
            *last = fiber;
            last = &fiber->next;
            fiber = NULL;
        }
    }
    if (fiber)
        sa_fiber_give(fiber);
    while (parked) {
        unsigned generation = atomic_load(&r->generation);
        sa_interrupt_note(parked, &parked->pc, 1);
        bool leave = stopped(r) || __atomic_load_n(r->abandon, __ATOMIC_RELAXED);
        bool resumed = false, idle = true; /* idle: those that ran only gave up their turn again */
        sa_fiber *round = parked;
        parked = NULL;
        last = &parked;
        while (round) {
            fiber = round;
            round = fiber->next;
            if (leave || atomic_load(&fiber->released)) {
                resumed = true;
                sa_fiber_resume(fiber);
                bool over = settle(r, fiber);
                idle &= !over && fiber->wait == SA_WAIT_TURN;
                if (over) {
                    sa_fiber_give(fiber);
                    continue;
                }
            }
            fiber->next = NULL;
            *last = fiber;
            last = &fiber->next;
        }
        if (parked && !resumed)
            sa_word_wait(&r->generation, generation, r->abandon == &never ? 0 : ABANDON_POLL_US);
        else if (parked && idle)
            sa_word_wait(&r->generation, generation, POLL_US);
    }
    if (blocks > 1 && atomic_fetch_sub(&r->inside, 1) > 1 && stopped(r))
        await_others(r);
}

static void help(sa_pool_job *job)
{
    take_part((run *)job);
}

static bool has_blocks(sa_pool_job *job)
{
    run *r = (run *)job;
    return atomic_load_explicit(&r->next, memory_order_relaxed) < r->cores && !stopped(r);
}

/* ---- is help worth its cost? What the kernel's launches of this many blocks took before. */

#define WORTHWHILE_NS 8000
#define MEMORIES 256

static atomic_ullong memories[MEMORIES]; /* high 32 bits: whose; low: nanoseconds, all threads */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The name too: all kernels of one signature may come through one function (ascendc/launch.h). */
static uint32_t key_of(const sa_launch *launch)
{
    uint64_t h = ((uint64_t)(uintptr_t)launch->kernel * 31 + (uintptr_t)launch->name) * 31;
    h = (h + launch->blocks) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32) | 1;
}

static bool worthwhile(uint32_t key)
{
    uint64_t m = atomic_load_explicit(&memories[key / 2 % MEMORIES], memory_order_relaxed);
    return m >> 32 != key || (uint32_t)m > WORTHWHILE_NS;
}

static void remember(uint32_t key, uint64_t ns)
{
    if (ns > UINT32_MAX)
        ns = UINT32_MAX;
    atomic_store_explicit(&memories[key / 2 % MEMORIES], (uint64_t)key << 32 | ns,
                          memory_order_relaxed);
}

/* ---- the door */

sa_status sa_launch_run(const sa_launch *launch, sa_error *error)
{
    sa_error unwanted;
    if (!error)
        error = &unwanted;
    if (sa_fiber_current())
        return sa_error_set(error, SA_ERR_INVALID_PARAM, "launch from inside a kernel");
    if (!launch->kernel || launch->blocks < 1 || launch->blocks > 65535 ||
        (unsigned)launch->type > SA_MIX_1_2)
        return sa_error_set(error, SA_ERR_INVALID_PARAM,
                            "launch of kernel %p with %u blocks on core type %d: needs a kernel, 1 "
                            "to 65535 blocks, SA_AIC, SA_AIV, SA_MIX_1_1 or SA_MIX_1_2",
                            (void *)(uintptr_t)launch->kernel, launch->blocks, (int)launch->type);
    const sa_chip *chip = launch->chip ? launch->chip : sa_chip_default();
    if (!chip)
        return sa_error_set(error, SA_ERR_UNINITIALIZED, "%s", sa_last_message());

    uint32_t per_block = 1;
    if (launch->type > SA_AIV && chip->split)
        per_block = launch->type == SA_MIX_1_1 ? 2 : 3;
    error->code = SA_OK;
    run r = {
        .per_block = per_block,
        .cores = launch->blocks * per_block,
        .job = {.help = help, .open = has_blocks},
        .launch = launch,
        .chip = chip,
        .isa = chip->split ? sa_isa_active() : sa_isa_coupled(),
        .observer = sa_observer_active(),
        .abandon = launch->abandon ? launch->abandon : &never,
        .error = error,
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    if (per_block > 1 && !(r.mail = calloc(launch->blocks, sizeof *r.mail)))
        return sa_error_set(error, SA_ERR_OUT_OF_MEMORY, "no host memory for %u mixed blocks",
                            launch->blocks);
    if (r.observer && r.observer->launch_begin)
        r.observer_state = r.observer->launch_begin(launch);
    if (r.cores == 1 || sa_launch_threads() == 1) {
        take_part(&r);
    } else {
        uint32_t key = key_of(launch);
        bool shared = worthwhile(key);
        uint64_t begin = now_ns();
        if (shared)
            sa_pool_offer(&r.job, r.cores - 1);
        take_part(&r);
        uint64_t ns = now_ns() - begin;
        if (shared)
            sa_pool_close(&r.job);
        remember(key, shared ? 2 * ns : ns);
    }
    free(r.cross);
    sa_run_free_scratch(&r);
    sa_status status = error->code;
    if (r.observer && r.observer->launch_end) {
        sa_status found = r.observer->launch_end(r.observer_state, error);
        if (status == SA_OK)
            status = found;
    }
    return status;
}
