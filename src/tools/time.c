/* softascend time: replays a trace on a chip and prints where the cycles went. */
#include "tools/tools.h"

#include "chip/chip.h"
#include "timing/replay.h"

#include <argp.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All launches of one kernel. */
typedef struct kernel {
    char *name, *note;
    sa_core_type type;
    uint32_t launches, blocks, cores; /* blocks and cores: of the last launch */
    double cycles, us, core_cycles, busy_cycles[SA_PIPES], peak_cycles;
    uint64_t macs, gm_read_bytes, gm_write_bytes, hbm_bytes;
} kernel;

typedef struct options {
    const char *file, *chip, *kernel;
    bool json;
} options;

static const char *const pipe_name[SA_PIPES] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case 'c':
        o->chip = arg;
        return 0;
    case 'j':
        o->json = true;
        return 0;
    case 'k':
        o->kernel = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->file) {
            argp_error(state, "one trace file, please: '%s' and '%s'", o->file, arg);
        }
        o->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static kernel *kernel_of(kernel **list, size_t *count, const sa_trace_launch *launch)
{
    for (size_t i = 0; i < *count; i++) {
        if ((*list)[i].type == launch->type && !strcmp((*list)[i].name, launch->name)) {
            return &(*list)[i];
        }
    }
    kernel *grown = realloc(*list, (*count + 1) * sizeof(**list));
    if (!grown) {
        return NULL;
    }
    *list = grown;
    kernel *k = &grown[(*count)++];
    *k = (kernel){.name = strdup(launch->name), .type = launch->type};
    return k->name ? k : NULL;
}

static void add(kernel *k, const sa_trace_launch *launch, const sa_timing *t)
{
    k->launches++;
    k->blocks = launch->blocks;
    k->cores = t->cores;
    k->cycles += t->cycles;
    k->us += t->us;
    k->core_cycles += t->cycles * t->cores;
    k->peak_cycles += t->cube_peak_share * t->cycles;
    for (int p = 0; p < SA_PIPES; p++) {
        k->busy_cycles[p] += t->busy_cycles[p];
    }
    k->macs += t->macs;
    k->gm_read_bytes += t->gm_read_bytes;
    k->gm_write_bytes += t->gm_write_bytes;
    k->hbm_bytes += t->hbm_bytes;
    if (*t->note && !k->note) {
        k->note = strdup(t->note);
    }
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void print_bytes(uint64_t bytes)
{
    if (bytes < 10240) {
        printf("%" PRIu64 " bytes", bytes);
    } else if (bytes < (uint64_t)10 << 20) {
        printf("%.1f KiB", (double)bytes / 1024);
    } else {
        printf("%.1f MiB", (double)bytes / 1048576);
    }
}

static void print_kernel(const kernel *k)
{
    printf("%s\n", k->name);
    printf("  launches   %" PRIu32 " of %" PRIu32 " blocks on %" PRIu32 " %s cores\n", k->launches,
           k->blocks, k->cores, k->type == SA_AIC ? "cube" : "vector");
    printf("  time       %.0f cycles, %.2f us\n", k->cycles, k->us);
    if (k->macs) {
        printf("  cube       %.1f TFLOPS, %.1f%% of the chip's peak\n",
               2 * (double)k->macs / k->us / 1e6, 100 * share(k->peak_cycles, k->cycles));
    }
    printf("  memory     read ");
    print_bytes(k->gm_read_bytes);
    printf(", written ");
    print_bytes(k->gm_write_bytes);
    printf("; HBM moves ");
    print_bytes(k->hbm_bytes);
    printf("\n");
    for (int p = 0; p < SA_PIPES; p++) {
        double busy = share(k->busy_cycles[p], k->core_cycles);
        if (k->busy_cycles[p] > 0) {
            char bar[41];
            for (int i = 0; i < 40; i++) {
                bar[i] = i < (int)(busy * 40 + 0.5) ? '#' : '.';
            }
            bar[40] = 0;
            printf("  %-10s %s %5.1f%% busy\n", pipe_name[p], bar, 100 * busy);
        }
    }
    if (k->note) {
        printf("  note       %s\n", k->note);
    }
    printf("\n");
}

static void print_string(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        if ((unsigned char)*s < 0x20) {
            printf("\\u%04x", (unsigned)*s);
        } else {
            if (*s == '"' || *s == '\\') {
                putchar('\\');
            }
            putchar(*s);
        }
    }
    putchar('"');
}

static void print_json(const kernel *list, size_t count, const sa_chip *chip)
{
    printf("{\"chip\": ");
    print_string(chip->name);
    printf(", \"kernels\": [");
    for (size_t i = 0; i < count; i++) {
        const kernel *k = &list[i];
        printf("%s\n  {\"name\": ", i ? "," : "");
        print_string(k->name);
        printf(", \"core_type\": \"%s\", \"launches\": %" PRIu32 ", \"blocks\": %" PRIu32
               ", \"cores\": %" PRIu32 ",\n   \"cycles\": %.17g, \"us\": %.17g, \"tflops\": %.17g, "
               "\"cube_peak_share\": %.17g,\n   \"gm_read_bytes\": %" PRIu64
               ", \"gm_write_bytes\": %" PRIu64 ", \"hbm_bytes\": %" PRIu64 ",\n   \"busy\": {",
               k->type == SA_AIC ? "AIC" : "AIV", k->launches, k->blocks, k->cores, k->cycles,
               k->us, share(2 * (double)k->macs / 1e6, k->us), share(k->peak_cycles, k->cycles),
               k->gm_read_bytes, k->gm_write_bytes, k->hbm_bytes);
        for (int p = 0; p < SA_PIPES; p++) {
            printf("%s\"%s\": %.17g", p ? ", " : "", pipe_name[p],
                   share(k->busy_cycles[p], k->core_cycles));
        }
        printf("}");
        if (k->note) {
            printf(", \"note\": ");
            print_string(k->note);
        }
        printf("}");
    }
    printf("\n]}\n");
}

/* A record holds for chips of its architecture and local sizes. */
static sa_status same_kind(const sa_trace_file *file, const options *o, const sa_chip *chip)
{
    if (sa_trace_arch(file) != chip->arch) {
        return sa_fail(SA_ERR_INVALID_PARAM,
                       "%s was recorded on architecture %d, %s has %d: "
                       "record it anew with SOFTASCEND_CHIP=%s",
                       o->file, sa_trace_arch(file), chip->name, chip->arch, chip->name);
    }
    static const char *const name[] = {"UB", "L1", "L0A", "L0B", "L0C", "BT"};
    const uint32_t size[] = {chip->ub_bytes,  chip->l1_bytes,  chip->l0a_bytes,
                             chip->l0b_bytes, chip->l0c_bytes, chip->bt_bytes};
    for (int i = 0; i < 6; i++) {
        if (sa_trace_local_bytes(file)[i] != size[i]) {
            return sa_fail(SA_ERR_INVALID_PARAM,
                           "%s was recorded with %" PRIu64 " bytes of %s, %s has %" PRIu32
                           ": record it anew with SOFTASCEND_CHIP=%s",
                           o->file, sa_trace_local_bytes(file)[i], name[i], chip->name, size[i],
                           chip->name);
        }
    }
    return SA_OK;
}

static sa_status replay_all(sa_trace_file *file, const options *o, const sa_chip *chip,
                            kernel **list, size_t *count)
{
    for (;;) {
        sa_trace_launch launch;
        sa_timing timing;
        bool more;
        sa_status status = sa_trace_next(file, &launch, &more);
        if (status != SA_OK || !more) {
            return status;
        }
        if (!o->kernel || !strcmp(o->kernel, launch.name)) {
            status = sa_replay(&launch, chip, &timing);
            kernel *k = status == SA_OK ? kernel_of(list, count, &launch) : NULL;
            if (k) {
                add(k, &launch, &timing);
            } else if (status == SA_OK) {
                status = sa_fail(SA_ERR_OUT_OF_MEMORY, "out of memory");
            }
        }
        sa_trace_launch_free(&launch);
        if (status != SA_OK) {
            return status;
        }
    }
}

static sa_status run(const options *o)
{
    sa_chip chip;
    sa_trace_file *file = NULL;
    kernel *list = NULL;
    size_t count = 0;
    sa_status status = sa_chip_find(o->chip, &chip);
    if (status == SA_OK) {
        status = sa_trace_open(o->file, &file);
    }
    if (status == SA_OK) {
        status = same_kind(file, o, &chip);
    }
    if (status == SA_OK) {
        status = replay_all(file, o, &chip, &list, &count);
    }
    if (status == SA_OK && count == 0 && o->kernel) {
        status = sa_fail(SA_ERR_INVALID_PARAM, "%s has no kernel %s", o->file, o->kernel);
    }
    if (status == SA_OK && o->json) {
        print_json(list, count, &chip);
    } else if (status == SA_OK) {
        printf("%s on %s\n\n", o->file, chip.name);
        double cycles = 0, us = 0;
        for (size_t i = 0; i < count; i++) {
            print_kernel(&list[i]);
            cycles += list[i].cycles;
            us += list[i].us;
        }
        printf("all kernels  %.0f cycles, %.2f us\n", cycles, us);
    }
    for (size_t i = 0; i < count; i++) {
        free(list[i].name);
        free(list[i].note);
    }
    free(list);
    sa_trace_close(file);
    return status;
}

int sa_tool_time(int argc, char **argv)
{
    static const struct argp_option option[] = {
        {"chip", 'c', "NAME", 0, "The chip, by name or chip file; Ascend910B1 if not given", 0},
        {"kernel", 'k', "NAME", 0, "Only this kernel", 0},
        {"json", 'j', 0, 0, "Print JSON", 0},
        {0},
    };
    static const struct argp argp = {
        .options = option,
        .parser = parse,
        .args_doc = "FILE",
        .doc = "Prints cycles, the share that each pipe was busy, TFLOPS and bytes moved of the "
               "kernels in a trace, on a chip's rates.\v"
               "FILE is recorded by running a program with SOFTASCEND_TRACE=FILE. The same file "
               "and chip give the same cycles on every machine; docs/timing.md says what is "
               "modelled."};
    options o = {.chip = "Ascend910B1"};
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (run(&o) != SA_OK) {
        fprintf(stderr, "softascend time: %s\n", sa_last_message());
        return 1;
    }
    return 0;
}
