/* How near to the CPU's multiply-add peak the cube core's bodies come.
 *
 *   core_mmad [backend [M N K]]
 *
 * Three figures on one core: Mmad alone on operands that stay in L0; the whole path GM -> L1 -> L0
 * -> Mmad -> GM; sigmoid on a tile that stays in UB. The path's tiles are those of the operator:
 * blocks of C in L0C over all of K, A and B through L1 in slices of k. */
#include "core/isa.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* This thread's time: others may be loading the machine. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *buffer(size_t bytes)
{
    void *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!p)
        abort();
    memset(p, 0, bytes);
    return p;
}

/* ---- the peak: independent fused multiply-adds in registers */

#ifdef __x86_64__
#define FMA_LOOP(name, isa, reg, lanes)                                                            \
    __attribute__((target(isa))) static double name(void)                                          \
    {                                                                                              \
        enum { TIMES = 100000 };                                                                   \
        double start = now();                                                                      \
        for (int i = 0; i < TIMES; i++)                                                            \
            __asm__ volatile("vfmadd231ps %%" reg "0, %%" reg "0, %%" reg "1\n\t"                  \
                             "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg "2\n\t"                  \
                             "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg "3\n\t"                  \
                             "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg "4\n\t"                  \
                             "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg "5\n\t"                  \
                             "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg "6\n\t"                  \
                             "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg "7\n\t"                  \
                             "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg "8\n\t"                  \
                             "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg "9\n\t"                  \
                             "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg "10" ::                  \
                                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", \
                                   "xmm8", "xmm9", "xmm10");                                       \
        return 2.0 * 10 * lanes * TIMES / (now() - start);                                         \
    }
FMA_LOOP(peak_256, "avx2,fma", "ymm", 8)
FMA_LOOP(peak_512, "avx512f", "zmm", 16)

static double peak_once(const char *backend)
{
    if (strncmp(backend, "avx512", 6) == 0 || strcmp(backend, "amx") == 0)
        return peak_512();
    return strcmp(backend, "avx2") == 0 ? peak_256() : 0;
}
#else
static double peak_once(const char *backend)
{
    (void)backend;
    return 0;
}
#endif

/* ---- what is measured; each returns operations (bytes) of one run */

typedef struct bench {
    const sa_isa *isa;
    sa_dtype dtype;
    size_t m, n, k;        /* of the matrices */
    size_t tile_m, tile_n; /* of a block of C in L0C */
    size_t l1_k, l0_k;     /* slices of k in L1 and in L0 */
    void *a, *b, *c;       /* GM */
    void *l1a, *l1b, *l0a, *l0b, *l0c, *ub;
} bench;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}
static size_t up16(size_t x)
{
    return (x + 15) / 16 * 16;
}

static double mmad_alone(const bench *t)
{
    for (int i = 0; i < 20; i++)
        t->isa->mmad[t->dtype](t->l0c, t->l0a, t->l0b, t->tile_m, t->l0_k, t->tile_n, true);
    return 20 * 2.0 * (double)t->tile_m * (double)t->tile_n * (double)t->l0_k;
}

static double whole_path(const bench *t)
{
    size_t size = sa_dtype_bytes(t->dtype);
    sa_dtype d = t->dtype;
    for (size_t n0 = 0; n0 < t->n; n0 += t->tile_n) {
        size_t n = least(t->tile_n, t->n - n0);
        for (size_t m0 = 0; m0 < t->m; m0 += t->tile_m) {
            size_t m = least(t->tile_m, t->m - m0);
            for (size_t k0 = 0; k0 < t->k; k0 += t->l1_k) {
                size_t ks = least(t->l1_k, t->k - k0);
                t->isa->nd2nz[d](t->l1a, up16(m), (char *)t->a + (m0 * t->k + k0) * size,
                                 (int64_t)t->k, m, ks);
                t->isa->nd2nz[d](t->l1b, up16(ks), (char *)t->b + (k0 * t->n + n0) * size,
                                 (int64_t)t->n, ks, n);
                for (size_t kk = 0; kk < ks; kk += t->l0_k) {
                    size_t k = least(t->l0_k, ks - kk);
                    t->isa->load_l0a[d](t->l0a, t->l1a, up16(m), 0, kk, m, k, false);
                    t->isa->load_l0b[d](t->l0b, t->l1b, up16(ks), kk, 0, k, n, false);
                    t->isa->mmad[d](t->l0c, t->l0a, t->l0b, m, k, n, k0 + kk > 0);
                }
            }
            t->isa->fixpipe[d]((char *)t->c + (m0 * t->n + n0) * size, (int64_t)t->n, t->l0c, m, n);
        }
    }
    return 2.0 * (double)t->m * (double)t->n * (double)t->k;
}

#define UB_FLOATS 16384
static double sigmoid(const bench *t)
{
    for (int i = 0; i < 100; i++)
        t->isa->sigmoid[SA_F32]((float *)t->ub + UB_FLOATS, t->ub, UB_FLOATS);
    return 100.0 * UB_FLOATS * 8;
}

typedef struct measured {
    double rate, peak; /* a second */
} measured;

/* Best rate of several runs (of one if that took long: the generic backend's), and the peak between
 * them: the clock depends on what runs. */
static measured measure(double (*run)(const bench *), const bench *t)
{
    measured best = {0, 0};
    double begin = now();
    for (int i = 0; i < 30 && (i == 0 || now() - begin < 0.5); i++) {
        best.peak = fmax(best.peak, peak_once(t->isa->backend));
        double start = now(), work = run(t);
        best.rate = fmax(best.rate, work / (now() - start));
    }
    return best;
}

static double percent(measured m)
{
    return m.peak ? 100 * m.rate / m.peak : 0;
}

int main(int argc, char **argv)
{
    const sa_isa *isa = argc > 1 ? sa_isa_named(argv[1]) : sa_isa_active();
    if (!isa) {
        fprintf(stderr, "core_mmad: this CPU has no backend %s\n", argv[1]);
        return 1;
    }
    bench t = {.isa = isa, .m = 1024, .n = 1024, .k = 1024};
    if (argc > 4) {
        t.m = strtoul(argv[2], NULL, 10);
        t.n = strtoul(argv[3], NULL, 10);
        t.k = strtoul(argv[4], NULL, 10);
    }
    t.a = buffer(t.m * t.k * 4);
    t.b = buffer(t.k * t.n * 4);
    t.c = buffer(t.m * t.n * 4);
    t.l1a = buffer(512 << 10);
    t.l0a = buffer(128 << 10);
    t.l0b = buffer(128 << 10);
    t.l0c = buffer(128 << 10);
    t.ub = buffer(UB_FLOATS * 8);

    static const struct {
        sa_dtype dtype;
        size_t tile_m, tile_n, l1_k, l0_k;
    } cases[] = {
        {SA_F32, 128, 256, 256, 64},
        {SA_F32, 128, 128, 512, 128},
        {SA_F16, 128, 256, 256, 128},
        {SA_BF16, 128, 256, 256, 128},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        t.dtype = cases[i].dtype;
        t.tile_m = cases[i].tile_m;
        t.tile_n = cases[i].tile_n;
        t.l1_k = cases[i].l1_k;
        t.l0_k = cases[i].l0_k;
        t.l1b = (char *)t.l1a + t.tile_m * t.l1_k * sa_dtype_bytes(t.dtype);
        measured alone = measure(mmad_alone, &t), path = measure(whole_path, &t);
        printf("%s %s tile %zux%zu, k %zu in L1, %zu in L0: Mmad %.1f GFLOPS (%.0f%% of peak), "
               "whole path %zux%zux%zu %.1f (%.0f%%)\n",
               isa->backend, sa_dtype_name(t.dtype), t.tile_m, t.tile_n, t.l1_k, t.l0_k,
               alone.rate * 1e-9, percent(alone), t.m, t.n, t.k, path.rate * 1e-9, percent(path));
    }
    printf("sigmoid float32 in UB: %.1f GB/s read and written\n", measure(sigmoid, &t).rate * 1e-9);
    return 0;
}
