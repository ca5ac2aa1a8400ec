/* Replay: cores, each a scalar pipe that issues in order and one unit for each other pipe, driven
 * by a clock that jumps from event to event.
 *
 * Only +, -, *, / on doubles, in one order: the cycles are the same on every machine. */
#include "timing/replay.h"

#include "timing/cost.h"
#include "timing/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLAG_IDS 8
#define NEVER INFINITY

typedef struct queue { /* instructions issued to a pipe, by number in the block's events */
    size_t *event;
    size_t head, count;
} queue;

typedef struct pipe {
    queue issued;
    double free_at;    /* takes its next instruction */
    double done_at;    /* all its results are there */
    bool moving;       /* a move to or from GM is under way; ends when the bandwidth lets it */
    double move_since; /* … since */
    sa_transfer transfer;
} pipe;

typedef struct flag {
    double *at; /* when each set is seen, in order */
    size_t first, count, capacity;
} flag;

typedef struct core {
    const sa_trace_block *block; /* NULL: idle */
    uint32_t block_index;
    size_t next;      /* event that the scalar pipe issues next */
    double scalar_at; /* when it may */
    bool arrived;     /* waits in SyncAll */
    pipe pipe[SA_PIPES];
    flag flag[SA_PIPES][SA_PIPES][FLAG_IDS];
    double wake; /* when something may happen without others' help */
} core;

typedef struct replay {
    const sa_trace_launch *launch;
    const sa_chip *chip;
    sa_timing *timing;
    sa_l2 *l2;
    core *core;
    uint32_t cores, next_block, blocks_done, arrived;
    double now;
    bool out_of_memory;
} replay;

static double later_of(double a, double b)
{
    return a > b ? a : b;
}

static double sooner(double a, double b)
{
    return a < b ? a : b;
}

/* ---- flags
 * --------------------------------------------------------------------------------------- */

static void flag_push(replay *r, flag *f, double at)
{
    if (f->count == f->capacity) {
        size_t capacity = f->capacity ? 2 * f->capacity : 16;
        double *grown = realloc(f->at, capacity * sizeof(*grown));
        if (!grown) {
            r->out_of_memory = true;
            return;
        }
        f->at = grown;
        f->capacity = capacity;
    }
    f->at[f->count++] = at;
}

/* When the next set is seen; NEVER if there is none yet. */
static double flag_at(const flag *f)
{
    return f->first < f->count ? f->at[f->first] : NEVER;
}

/* ---- the scalar pipe
 * ----------------------------------------------------------------------------- */

/* When all pipes have drained; NEVER while that depends on others. */
static double drained_at(const core *c)
{
    double at = c->scalar_at;
    for (int p = 0; p < SA_PIPES; p++) {
        const pipe *u = &c->pipe[p];
        if (u->moving || u->issued.head < u->issued.count) {
            return NEVER;
        }
        at = later_of(at, later_of(u->free_at, u->done_at));
    }
    return at;
}

/* Issues one event if that can happen now; else sets when it can. */
static bool scalar_step(replay *r, core *c, double *wake)
{
    if (c->arrived || c->next == c->block->events) {
        return false;
    }
    if (c->scalar_at > r->now) {
        *wake = sooner(*wake, c->scalar_at);
        return false;
    }
    const sa_chip *chip = r->chip;
    const sa_trace_event *e = &c->block->event[c->next];
    double busy = chip->scalar_cycles;
    bool drains = e->instr == SA_I_sync_all || (e->instr == SA_I_barrier && e->pipe == SA_PIPE_ALL);
    if (drains) {
        double at = drained_at(c);
        if (at > r->now) {
            *wake = sooner(*wake, at);
            return false;
        }
        busy = chip->flag_cycles;
        if (e->instr == SA_I_sync_all) {
            c->arrived = true;
            r->arrived++;
        }
    } else if (e->pipe != SA_PIPE_S) {
        queue *q = &c->pipe[e->pipe].issued;
        q->event[q->count++] = c->next;
    } else if (e->instr == SA_I_wait_flag) {
        flag *f = &c->flag[e->other][SA_PIPE_S][e->flag];
        double at = flag_at(f);
        if (at > r->now) {
            *wake = sooner(*wake, at);
            return false;
        }
        f->first++;
        busy = chip->flag_cycles;
    } else if (e->instr == SA_I_set_flag) {
        busy = chip->flag_cycles;
        flag_push(r, &c->flag[SA_PIPE_S][e->other][e->flag], r->now + busy);
    }
    r->timing->busy_cycles[SA_PIPE_S] += busy;
    c->scalar_at = r->now + busy;
    c->next++;
    return true;
}

/* ---- the other pipes
 * ----------------------------------------------------------------------------- */

static void start_move(replay *r, core *c, pipe *u, const sa_trace_event *e)
{
    double hbm = 0, total = 0;
    bool write = false;
    for (int i = 0; i < e->accesses; i++) {
        const sa_trace_access *a = &c->block->access[e->first_access + (size_t)i];
        if (a->memory == SA_GM) {
            uint64_t bytes = (uint64_t)a->rows * a->row_bytes;
            uint64_t missed = sa_l2_touch(r->l2, a);
            *(a->write ? &r->timing->gm_write_bytes : &r->timing->gm_read_bytes) += bytes;
            r->timing->hbm_bytes += missed;
            hbm += (double)missed;
            total += (double)bytes;
            write |= a->write;
        }
    }
    u->transfer =
        (sa_transfer){hbm, later_of(total - hbm, 0), sa_cost_move_rate(r->chip, e), write};
    u->moving = true;
    u->move_since = r->now;
}

static void end_move(replay *r, pipe *u, int p)
{
    u->moving = false;
    u->free_at = r->now;
    u->done_at = later_of(u->done_at, r->now + r->chip->move_start_cycles);
    r->timing->busy_cycles[p] += r->now - u->move_since;
}

static bool touches_gm(const sa_trace_block *b, const sa_trace_event *e)
{
    for (int i = 0; i < e->accesses; i++) {
        const sa_trace_access *a = &b->access[e->first_access + (size_t)i];
        if (a->memory == SA_GM && a->rows && a->row_bytes) {
            return true;
        }
    }
    return false;
}

/* Starts a pipe's next instruction if that can happen now; else sets when it can. */
static bool pipe_step(replay *r, core *c, int p, double *wake)
{
    pipe *u = &c->pipe[p];
    if (u->moving || u->issued.head == u->issued.count) {
        return false;
    }
    if (u->free_at > r->now) {
        *wake = sooner(*wake, u->free_at);
        return false;
    }
    const sa_trace_event *e = &c->block->event[u->issued.event[u->issued.head]];
    const double flag_cycles = r->chip->flag_cycles;
    if (e->instr == SA_I_set_flag) {
        flag_push(r, &c->flag[p][e->other][e->flag], later_of(u->done_at, r->now) + flag_cycles);
        u->free_at = r->now + flag_cycles;
    } else if (e->instr == SA_I_wait_flag) {
        flag *f = &c->flag[e->other][p][e->flag];
        double at = flag_at(f);
        if (at > r->now) {
            *wake = sooner(*wake, at);
            return false;
        }
        f->first++;
        u->free_at = r->now + flag_cycles;
    } else if (e->instr == SA_I_barrier) {
        u->free_at = later_of(u->done_at, r->now) + flag_cycles;
    } else if (touches_gm(c->block, e)) {
        start_move(r, c, u, e);
    } else {
        sa_cost_cycles cost = sa_cost_local(r->chip, c->block, e);
        u->free_at = r->now + cost.occupied;
        u->done_at = later_of(u->done_at, u->free_at + cost.latency);
        r->timing->busy_cycles[p] += cost.occupied;
        if (e->instr == SA_I_mmad) {
            r->timing->macs += e->work;
        }
    }
    u->issued.head++;
    return true;
}

/* ---- a core
 * -------------------------------------------------------------------------------------- */

static void drop_queues(core *c)
{
    for (int p = 0; p < SA_PIPES; p++) {
        free(c->pipe[p].issued.event);
        c->pipe[p].issued = (queue){0};
        for (int q = 0; q < SA_PIPES; q++) {
            for (int id = 0; id < FLAG_IDS; id++) {
                free(c->flag[p][q][id].at);
                c->flag[p][q][id] = (flag){0};
            }
        }
    }
}

static void start_block(replay *r, core *c)
{
    drop_queues(c);
    c->block_index = r->next_block;
    c->block = &r->launch->block[r->next_block++];
    c->next = 0;
    c->scalar_at = r->now;
    size_t count[SA_PIPES] = {0};
    for (size_t i = 0; i < c->block->events; i++) {
        unsigned p = c->block->event[i].pipe;
        count[p < SA_PIPES ? p : SA_PIPE_S]++;
    }
    for (int p = 0; p < SA_PIPES; p++) {
        c->pipe[p].free_at = c->pipe[p].done_at = r->now;
        c->pipe[p].issued.event = malloc((count[p] + 1) * sizeof(size_t));
        r->out_of_memory |= !c->pipe[p].issued.event;
    }
}

/* Does all that can happen now on one core and finds when more can. */
static void core_step(replay *r, core *c)
{
    c->wake = NEVER;
    while (c->block && !r->out_of_memory) {
        double wake = NEVER;
        bool moved = false;
        while (scalar_step(r, c, &wake)) {
            moved = true;
        }
        for (int p = 0; p < SA_PIPES; p++) {
            while (p != SA_PIPE_S && pipe_step(r, c, p, &wake)) {
                moved = true;
            }
        }
        if (moved) {
            continue; /* one pipe's step may have set another free */
        }
        c->wake = wake;
        if (c->next < c->block->events) {
            return;
        }
        double end = drained_at(c);
        if (end > r->now) {
            c->wake = sooner(wake, end);
            return;
        }
        r->blocks_done++;
        c->block = NULL;
        c->wake = NEVER;
        if (r->next_block < r->launch->blocks) {
            start_block(r, c);
        }
    }
}

/* ---- all cores
 * ----------------------------------------------------------------------------------- */

static sa_shares shares_now(const replay *r)
{
    int hbm = 0, reads = 0, writes = 0;
    for (uint32_t i = 0; i < r->cores; i++) {
        for (int p = 0; p < SA_PIPES; p++) {
            const pipe *u = &r->core[i].pipe[p];
            if (u->moving) {
                *(u->transfer.hbm_left > 0 ? &hbm : u->transfer.write ? &writes : &reads) += 1;
            }
        }
    }
    return sa_share_bandwidth(r->chip, hbm, reads, writes);
}

/* Cycles until the phase of a move that is under way ends. */
static double phase_left(const sa_transfer *t, const sa_shares *shares)
{
    return (t->hbm_left > 0 ? t->hbm_left : t->l2_left) / sa_transfer_rate(t, shares);
}

/* Moves the clock to the next thing that happens; false if nothing ever will. */
static bool advance(replay *r)
{
    sa_shares shares = shares_now(r);
    double next = NEVER;
    for (uint32_t i = 0; i < r->cores; i++) {
        next = sooner(next, r->core[i].wake);
        for (int p = 0; p < SA_PIPES; p++) {
            if (r->core[i].pipe[p].moving) {
                next = sooner(next, r->now + phase_left(&r->core[i].pipe[p].transfer, &shares));
            }
        }
    }
    if (next == NEVER) {
        return false;
    }
    double passed = next - r->now;
    for (uint32_t i = 0; i < r->cores; i++) {
        core *c = &r->core[i];
        bool ended = false;
        for (int p = 0; p < SA_PIPES; p++) {
            sa_transfer *t = &c->pipe[p].transfer;
            if (!c->pipe[p].moving) {
                continue;
            }
            double *left = t->hbm_left > 0 ? &t->hbm_left : &t->l2_left;
            if (r->now + phase_left(t, &shares) <= next) {
                *left = 0;
            } else {
                *left -= passed * sa_transfer_rate(t, &shares);
                *left = later_of(*left, 0);
            }
            if (t->hbm_left <= 0 && t->l2_left <= 0) {
                double before = r->now;
                r->now = next;
                end_move(r, &c->pipe[p], p);
                r->now = before;
                ended = true;
            }
        }
        if (ended) {
            c->wake = next;
        }
    }
    r->now = next;
    return true;
}

static void release_sync(replay *r)
{
    if (r->arrived < r->launch->blocks) {
        return;
    }
    r->arrived = 0;
    for (uint32_t i = 0; i < r->cores; i++) {
        r->core[i].arrived = false;
        r->core[i].scalar_at = r->now + r->chip->flag_cycles + r->chip->move_start_cycles;
        core_step(r, &r->core[i]);
    }
}

static const char *const pipe_name[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL"};

static sa_status stuck(const replay *r)
{
    for (uint32_t i = 0; i < r->cores; i++) {
        const core *c = &r->core[i];
        for (int p = 0; c->block && p < SA_PIPES; p++) {
            const queue *q = &c->pipe[p].issued;
            size_t at = q->head < q->count ? q->event[q->head] : c->next;
            if (q->head < q->count || (p == SA_PIPE_S && !c->arrived && at < c->block->events)) {
                return sa_fail(SA_ERR_INVALID_FILE,
                               "kernel %s would hang: block %" PRIu32 ", pipe %s waits at %s for "
                               "what never comes",
                               r->launch->name, c->block_index, pipe_name[p],
                               r->launch->line[c->block->event[at].line]);
            }
        }
    }
    return sa_fail(SA_ERR_INVALID_FILE,
                   "kernel %s would hang: %" PRIu32 " of %" PRIu32 " blocks wait in SyncAll",
                   r->launch->name, r->arrived, r->launch->blocks);
}

static bool meets(const sa_trace_launch *l)
{
    for (uint32_t b = 0; b < l->blocks; b++) {
        for (size_t i = 0; i < l->block[b].events; i++) {
            if (l->block[b].event[i].instr == SA_I_sync_all) {
                return true;
            }
        }
    }
    return false;
}

static uint64_t most_lines(const sa_trace_launch *l)
{
    uint64_t lines = 0;
    for (uint32_t b = 0; b < l->blocks; b++) {
        for (size_t i = 0; i < l->block[b].accesses; i++) {
            lines += sa_l2_most_lines(&l->block[b].access[i]);
        }
    }
    return lines;
}

static void summarise(replay *r)
{
    sa_timing *t = r->timing;
    const sa_trace_launch *l = r->launch;
    double rate = r->chip->cube_f16_macs_per_cycle;
    for (uint32_t b = 0; b < l->blocks; b++) {
        for (size_t i = 0; i < l->block[b].events; i++) {
            if (l->block[b].event[i].instr == SA_I_mmad) {
                rate = sa_cost_cube_rate(r->chip, l->block[b].event[i].dtype);
            }
        }
    }
    t->cycles = r->now;
    t->us = r->now / (r->chip->frequency_ghz * 1000);
    if (r->now > 0) {
        t->cube_peak_share = (double)t->macs / (rate * r->chip->ai_cores * r->now);
        t->tflops = 2 * (double)t->macs / t->us / 1e6;
    }
}

sa_status sa_replay(const sa_trace_launch *launch, const sa_chip *chip, sa_timing *timing)
{
    *timing = (sa_timing){0};
    uint32_t have = chip->ai_cores *
                    (launch->type == SA_AIV && chip->split ? chip->vector_cores_per_ai_core : 1);
    uint32_t cores = launch->blocks < have ? launch->blocks : have;
    if (launch->blocks > have && meets(launch)) {
        cores = launch->blocks;
        snprintf(timing->note, sizeof(timing->note),
                 "its %" PRIu32 " blocks meet in SyncAll, but %s has %" PRIu32
                 " such cores: there it would hang; timed as if there were enough",
                 launch->blocks, chip->name, have);
    }
    sa_status status = SA_OK;
    replay r = {.launch = launch, .chip = chip, .timing = timing, .cores = cores};
    timing->cores = cores;
    r.l2 = sa_l2_create(chip, most_lines(launch));
    r.core = calloc(cores + 1, sizeof(*r.core));
    if (!r.l2 || !r.core) {
        status = sa_fail(SA_ERR_OUT_OF_MEMORY, "timing %s: out of memory", launch->name);
        goto done;
    }
    for (uint32_t i = 0; i < cores; i++) {
        start_block(&r, &r.core[i]);
    }
    while (r.blocks_done < launch->blocks && !r.out_of_memory) {
        for (uint32_t i = 0; i < cores; i++) {
            if (r.core[i].block && r.core[i].wake <= r.now) {
                core_step(&r, &r.core[i]);
            }
        }
        release_sync(&r);
        if (r.blocks_done < launch->blocks && !advance(&r)) {
            status = stuck(&r);
            goto done;
        }
    }
    if (r.out_of_memory) {
        status = sa_fail(SA_ERR_OUT_OF_MEMORY, "timing %s: out of memory", launch->name);
        goto done;
    }
    summarise(&r);
done:
    for (uint32_t i = 0; r.core && i < cores; i++) {
        drop_queues(&r.core[i]);
    }
    free(r.core);
    sa_l2_destroy(r.l2);
    return status;
}
