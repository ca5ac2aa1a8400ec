/* The machine's peaks as JSON: flops a second of each multiply-add that the CPU has, and the copy
 * bandwidth for every number of threads.
 *
 *   peak [MIB]      MIB of each copy's source (default 256) */
#define _GNU_SOURCE /* CPU_COUNT */
#include "peak.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int kind, wide;
} multiplies[] = {
    {"f32", PEAK_F32, 1},
#ifdef __x86_64__
    {"f32_avx2", PEAK_F32, 0},
#endif
    {"bf16_dot", PEAK_BF16_DOT, 1},
    {"bf16_tile", PEAK_BF16_TILE, 1},
};

static double greater(double a, double b)
{
    return a > b ? a : b;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    unsigned long mib = argc > 1 ? strtoul(argv[1], &end, 10) : 256;
    if (argc > 2 || (end && *end) || mib < 1 || mib > 65536) {
        fprintf(stderr, "usage: peak [MIB]\nMIB, of each copy's source, is from 1 to 65536\n");
        return 2;
    }
    cpu_set_t set;
    int threads = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    size_t bytes = mib << 20;
    char *source = aligned_alloc(4096, bytes), *destination = aligned_alloc(4096, bytes);
    if (!source || !destination) {
        fprintf(stderr, "peak: no memory for two times %lu MiB\n", mib);
        free(source);
        free(destination);
        return 1;
    }
    memset(source, 1, bytes);
    memset(destination, 2, bytes);

    printf("{\"threads\": %d, \"gflops\": {", threads);
    const char *comma = "";
    for (size_t i = 0; i < sizeof multiplies / sizeof *multiplies; i++) {
        double best = 0;
        for (int turn = 0; turn < 10; turn++)
            best =
                greater(best, sa_peak_fma(multiplies[i].kind, multiplies[i].wide, threads, 0.02));
        if (best > 0) {
            printf("%s\"%s\": %.1f", comma, multiplies[i].name, 1e-9 * best);
            comma = ", ";
        }
    }
    printf("}, \"copy_mib\": %lu, \"copy_gbytes\": [", mib);
    comma = "";
    for (int count = 1; count <= threads; count++) {
        double best[2] = {0, 0};
        for (int turn = 0; turn < 6; turn++)
            best[turn % 2] = greater(
                best[turn % 2], sa_peak_copy(destination, source, bytes, turn % 2, count, 0.1));
        printf("%s{\"threads\": %d, \"memcpy\": %.2f, \"streaming\": %.2f}", comma, count,
               1e-9 * best[0], 1e-9 * best[1]);
        comma = ", ";
    }
    printf("]}\n");
    free(source);
    free(destination);
    return 0;
}
