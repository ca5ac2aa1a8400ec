/* Readable reports of races (report.h). */
#include "core/check/report.h"

#include "core/gm.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 256
#define CAUSES 1024 /* a program with more has other worries */

static const char *const pipe_name[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL"};
static const char *const memory_name[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT"};

/* What was reported, so that a cause is named once however often it happens. */
static struct {
    pthread_mutex_t lock;
    int pairs, reports;
    struct {
        const void *earlier, *later;
    } pair[CAUSES];
    struct {
        char earlier[LINE_BYTES], later[LINE_BYTES];
    } * line; /* one a report */
} said = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool pair_known(const void *earlier, const void *later)
{
    for (int i = 0; i < said.pairs; i++) {
        if (said.pair[i].earlier == earlier && said.pair[i].later == later) {
            return true;
        }
    }
    if (said.pairs == CAUSES) {
        return true;
    }
    said.pair[said.pairs].earlier = earlier;
    said.pair[said.pairs++].later = later;
    return false;
}

static bool lines_known(const char *earlier, const char *later)
{
    for (int i = 0; i < said.reports; i++) {
        if ((!strcmp(said.line[i].earlier, earlier) && !strcmp(said.line[i].later, later)) ||
            (!strcmp(said.line[i].earlier, later) && !strcmp(said.line[i].later, earlier))) {
            return true;
        }
    }
    void *grown = realloc(said.line, (size_t)(said.reports + 1) * sizeof(said.line[0]));
    if (!grown) {
        return true;
    }
    said.line = grown;
    snprintf(said.line[said.reports].earlier, LINE_BYTES, "%s", earlier);
    snprintf(said.line[said.reports++].later, LINE_BYTES, "%s", later);
    return false;
}

static void summary(void)
{
    fprintf(stderr, "softascend racecheck: %d %s found\n", said.reports,
            said.reports == 1 ? "race" : "races");
}

static void print_where(const sa_race *race)
{
    sa_gm_block gm;
    if (race->memory != SA_GM) {
        fprintf(stderr, "%s bytes [%" PRIuPTR ", %" PRIuPTR ")", memory_name[race->memory],
                race->from - race->memory_base, race->to - race->memory_base);
    } else if (sa_gm_find((const void *)race->from, &gm)) {
        fprintf(stderr, "GM bytes [%" PRIuPTR ", %" PRIuPTR ") of allocation %" PRIu64,
                race->from - gm.address, race->to - gm.address, gm.ordinal);
    } else {
        fprintf(stderr, "GM bytes [0x%" PRIxPTR ", 0x%" PRIxPTR ")", race->from, race->to);
    }
}

static void print_touch(const sa_race *race, const sa_touch *touch, const char *line)
{
    const sa_instr_info *info = sa_instr_describe(touch->instr);
    fprintf(stderr, "    %-5s by pipe %-4s %s (sa_%s", touch->write ? "write" : "read",
            pipe_name[touch->pipe], line, info && info->name ? info->name : "?");
    if (!race->across) {
        fprintf(stderr, ")\n");
    } else if (touch->shared) {
        fprintf(stderr, ", several blocks)\n");
    } else {
        fprintf(stderr, ", block %" PRIu32 ")\n", touch->block);
    }
}

/* Is a line of a kernel in Ascend C? Else in C. */
static bool ascend_c(const char *line)
{
    const char *colon = strrchr(line, ':');
    return colon && !(colon - line > 2 && !strncmp(colon - 2, ".c", 2));
}

static void print_advice(const sa_race *race, const char *earlier, const char *later)
{
    const char *from = pipe_name[race->earlier->pipe], *to = pipe_name[race->later->pipe];
    const bool cpp = ascend_c(later);
    if (race->across) {
        fprintf(
            stderr,
            "    Blocks run side by side and nothing orders these two. Give each block bytes of "
            "its own, or put %s between %s and %s.\n",
            cpp ? "SyncAll()" : "sa_sync_all(core)", earlier, later);
    } else if (race->earlier->pipe == race->later->pipe) {
        fprintf(
            stderr,
            "    The pipe starts an instruction before the one ahead of it has finished. Insert "
            "%s%s%s after %s and before %s.\n",
            cpp ? "PipeBarrier<PIPE_" : "sa_barrier(core, SA_PIPE_", to, cpp ? ">()" : ")", earlier,
            later);
    } else if (cpp) {
        fprintf(
            stderr,
            "    Pipes run side by side and nothing orders these two. Pass the tensor through a "
            "queue (EnQue, DeQue), or insert SetFlag<HardEvent::%s_%s>(id) after %s and "
            "WaitFlag<HardEvent::%s_%s>(id) before %s.\n",
            from, to, earlier, from, to, later);
    } else {
        fprintf(stderr,
                "    Pipes run side by side and nothing orders these two. Insert sa_set_flag(core, "
                "SA_PIPE_%s, SA_PIPE_%s, id) after %s and sa_wait_flag(core, SA_PIPE_%s, "
                "SA_PIPE_%s, id) before %s.\n",
                from, to, earlier, from, to, later);
    }
}

void sa_race_report(const sa_race *race)
{
    pthread_mutex_lock(&said.lock);
    char earlier[LINE_BYTES], later[LINE_BYTES];
    if (!pair_known(race->earlier->pc, race->later->pc)) {
        sa_source_line(race->earlier->pc, earlier, sizeof(earlier));
        sa_source_line(race->later->pc, later, sizeof(later));
        if (!lines_known(earlier, later)) {
            if (said.reports == 1) {
                atexit(summary);
            }
            fprintf(stderr, "softascend racecheck: %s after %s, unordered: ",
                    race->later->write ? "write" : "read", race->earlier->write ? "write" : "read");
            print_where(race);
            fprintf(stderr, "\n    in kernel %s, %s", race->kernel,
                    race->type == SA_AIC ? "cube core" : "vector core");
            if (!race->across) {
                fprintf(stderr, ", block %" PRIu32, race->block);
            }
            fprintf(stderr, "\n");
            print_touch(race, race->earlier, earlier);
            print_touch(race, race->later, later);
            print_advice(race, earlier, later);
        }
    }
    pthread_mutex_unlock(&said.lock);
}
