/* The roofs of the roofline: the multiply-add peak and the copy bandwidth, on all threads at once.
 */
#include "peak.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { MOST_THREADS = 256 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- multiply-adds; each function does some and returns their flops */

typedef double (*multiply)(void);

/* Fifteen sums hide the latency, six cycles of two dots each; the operands are small, so that none
 * overflows. */
static const float small[16] = {1e-3F, 2e-3F, 3e-3F, 4e-3F, 5e-3F, 6e-3F, 7e-3F, 8e-3F,
                                1e-3F, 2e-3F, 3e-3F, 4e-3F, 5e-3F, 6e-3F, 7e-3F, 8e-3F};

#define SUM(op, reg, n) op " %%" reg "0, %%" reg "0, %%" reg #n "\n\t"
#define SUMS(op, reg)                                                                              \
    SUM(op, reg, 1)                                                                                \
    SUM(op, reg, 2)                                                                                \
    SUM(op, reg, 3)                                                                                \
    SUM(op, reg, 4)                                                                                \
    SUM(op, reg, 5)                                                                                \
    SUM(op, reg, 6)                                                                                \
    SUM(op, reg, 7)                                                                                \
    SUM(op, reg, 8)                                                                                \
    SUM(op, reg, 9)                                                                                \
    SUM(op, reg, 10)                                                                               \
    SUM(op, reg, 11)                                                                               \
    SUM(op, reg, 12)                                                                               \
    SUM(op, reg, 13)                                                                               \
    SUM(op, reg, 14)                                                                               \
    SUM(op, reg, 15)

#ifdef __x86_64__
/* One asm holds the whole loop, so that the compiler puts nothing of its own between the sums. */
#define REGISTERS(name, isa, op, reg, flops)                                                       \
    __attribute__((target(isa))) static double name(void)                                          \
    {                                                                                              \
        enum { TIMES = 2000 };                                                                     \
        int64_t left = TIMES;                                                                      \
        __asm__ volatile("vmovups %1, %%" reg "0\n\t"                                              \
                         "vmovaps %%" reg "0, %%" reg "1\n\t"                                      \
                         "vmovaps %%" reg "0, %%" reg "2\n\t"                                      \
                         "vmovaps %%" reg "0, %%" reg "3\n\t"                                      \
                         "vmovaps %%" reg "0, %%" reg "4\n\t"                                      \
                         "vmovaps %%" reg "0, %%" reg "5\n\t"                                      \
                         "vmovaps %%" reg "0, %%" reg "6\n\t"                                      \
                         "vmovaps %%" reg "0, %%" reg "7\n\t"                                      \
                         "vmovaps %%" reg "0, %%" reg "8\n\t"                                      \
                         "vmovaps %%" reg "0, %%" reg "9\n\t"                                      \
                         "vmovaps %%" reg "0, %%" reg "10\n\t"                                     \
                         "vmovaps %%" reg "0, %%" reg "11\n\t"                                     \
                         "vmovaps %%" reg "0, %%" reg "12\n\t"                                     \
                         "vmovaps %%" reg "0, %%" reg "13\n\t"                                     \
                         "vmovaps %%" reg "0, %%" reg "14\n\t"                                     \
                         "vmovaps %%" reg "0, %%" reg "15\n\t"                                     \
                         "1:\n\t" SUMS(op, reg) "decq %0\n\tjnz 1b\n\tvzeroupper"                  \
                         : "+r"(left)                                                              \
                         : "m"(small)                                                              \
                         : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",   \
                           "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");  \
        return 15.0 * flops * TIMES;                                                               \
    }
REGISTERS(avx2_f32, "avx2,fma", "vfmadd231ps", "ymm", 16)
REGISTERS(avx512_f32, "avx512f", "vfmadd231ps", "zmm", 32)
REGISTERS(avx512_dot, "avx512f,avx512bf16", "vdpbf16ps", "zmm", 64)

__attribute__((target("amx-tile,amx-bf16"))) static double amx_tiles(void)
{
    enum { TIMES = 500 };
    struct {
        uint8_t palette, start_row, zero[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shape __attribute__((aligned(64))) = {.palette = 1};
    static const char zeros[1024] __attribute__((aligned(64)));
    for (int i = 0; i < 8; i++) {
        shape.bytes[i] = 64;
        shape.rows[i] = 16;
    }
    __asm__ volatile("" ::"r"(&shape) : "memory"); /* gcc 12 believes that 8 bytes are read */
    _tile_loadconfig(&shape);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_loadd(4, zeros, 64);
    _tile_loadd(5, zeros, 64);
    _tile_loadd(6, zeros, 64);
    _tile_loadd(7, zeros, 64);
    for (int i = 0; i < TIMES; i++) {
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_release();
    return 4.0 * TIMES * 2 * 16 * 16 * 32;
}

static bool has_bf16_dot(void)
{
    unsigned eax, ebx, ecx, edx;
    return __builtin_cpu_supports("avx512f") && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) &&
           (eax & (1U << 5));
}

/* Linux gives a process the tiles' state when it asks. */
static bool has_bf16_tiles(void)
{
    enum { REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18, AMX_TILE = 1 << 24, AMX_BF16 = 1 << 22 };
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx & AMX_TILE) &&
           (edx & AMX_BF16) && !syscall(SYS_arch_prctl, REQ_XCOMP_PERM, XTILEDATA);
}

static multiply multiply_of(int kind, bool wide)
{
    if (kind == PEAK_BF16_DOT)
        return has_bf16_dot() ? avx512_dot : NULL;
    if (kind == PEAK_BF16_TILE)
        return has_bf16_tiles() ? amx_tiles : NULL;
    if (wide && __builtin_cpu_supports("avx512f"))
        return avx512_f32;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? avx2_f32 : NULL;
}
#elif defined(__aarch64__)
static double neon_f32(void)
{
    enum { TIMES = 2000 };
    int64_t left = TIMES;
    __asm__ volatile("ld1 {v0.4s}, [%1]\n"
                     "1:\n\t"
                     "fmla v1.4s, v0.4s, v0.4s\n\tfmla v2.4s, v0.4s, v0.4s\n\t"
                     "fmla v3.4s, v0.4s, v0.4s\n\tfmla v4.4s, v0.4s, v0.4s\n\t"
                     "fmla v5.4s, v0.4s, v0.4s\n\tfmla v6.4s, v0.4s, v0.4s\n\t"
                     "fmla v7.4s, v0.4s, v0.4s\n\tfmla v16.4s, v0.4s, v0.4s\n\t"
                     "fmla v17.4s, v0.4s, v0.4s\n\tfmla v18.4s, v0.4s, v0.4s\n\t"
                     "fmla v19.4s, v0.4s, v0.4s\n\tfmla v20.4s, v0.4s, v0.4s\n\t"
                     "fmla v21.4s, v0.4s, v0.4s\n\tfmla v22.4s, v0.4s, v0.4s\n\t"
                     "fmla v23.4s, v0.4s, v0.4s\n\tfmla v24.4s, v0.4s, v0.4s\n\t"
                     "subs %0, %0, #1\n\tb.ne 1b"
                     : "+r"(left)
                     : "r"(small)
                     : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17",
                       "v18", "v19", "v20", "v21", "v22", "v23", "v24");
    return 16.0 * 8 * TIMES;
}

static multiply multiply_of(int kind, bool wide)
{
    (void)wide;
    return kind == PEAK_F32 ? neon_f32 : NULL;
}
#else
static multiply multiply_of(int kind, bool wide)
{
    (void)kind, (void)wide, (void)small;
    return NULL;
}
#endif

/* ---- copies */

static void copy_past_caches(char *to, const char *from, size_t bytes)
{
#ifdef __x86_64__
    /* Four lines at once; what is left at the end, and a destination off 16 bytes, is memcpy's. */
    size_t done = 0;
    if ((uintptr_t)to % 16 == 0) {
        for (; done + 256 <= bytes; done += 256) {
            for (size_t i = done; i < done + 256; i += 64)
                _mm_prefetch(from + i + 2048, _MM_HINT_T0);
            for (size_t i = done; i < done + 256; i += 16)
                _mm_stream_si128((__m128i *)(void *)(to + i),
                                 _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
        }
    }
    memcpy(to + done, from + done, bytes - done);
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
}

/* ---- a measurement: all threads begin together, each counts what it did until the time is up */

enum { HOLD, GO, STOP };

typedef struct shared {
    atomic_int begin;  /* HOLD, then GO, or STOP if not all threads could be had */
    multiply multiply; /* NULL: copy */
    bool streaming;
    double seconds;
} shared;

typedef struct worker {
    shared *shared;
    char *to;
    const char *from;
    size_t bytes;
    double rate;
} worker;

static void *work(void *of)
{
    worker *w = of;
    const shared *s = w->shared;
    while (atomic_load(&w->shared->begin) == HOLD)
        sched_yield();
    if (atomic_load(&w->shared->begin) == STOP)
        return NULL;
    double start = now(), done = 0, passed;
    do {
        if (s->multiply) {
            done += s->multiply();
        } else {
            if (s->streaming)
                copy_past_caches(w->to, w->from, w->bytes);
            else
                memcpy(w->to, w->from, w->bytes);
            done += 2.0 * (double)w->bytes;
        }
        passed = now() - start;
    } while (passed < s->seconds);
    w->rate = done / passed;
    return NULL;
}

static double run(shared *s, worker *workers, int threads)
{
    pthread_t started[MOST_THREADS];
    int count = 1;
    while (count < threads && !pthread_create(&started[count], NULL, work, &workers[count]))
        count++;
    atomic_store(&s->begin, count == threads ? GO : STOP);
    work(&workers[0]);
    double rate = workers[0].rate;
    for (int i = 1; i < count; i++) {
        pthread_join(started[i], NULL);
        rate += workers[i].rate;
    }
    return rate;
}

double sa_peak_fma(int kind, int wide, int threads, double seconds)
{
    shared s = {.multiply = multiply_of(kind, wide), .seconds = seconds};
    if (!s.multiply || threads < 1 || threads > MOST_THREADS)
        return 0;
    worker workers[MOST_THREADS];
    for (int i = 0; i < threads; i++)
        workers[i] = (worker){.shared = &s};
    return run(&s, workers, threads);
}

double sa_peak_copy(void *destination, const void *source, size_t bytes, int streaming, int threads,
                    double seconds)
{
    shared s = {.streaming = streaming, .seconds = seconds};
    if (threads < 1 || threads > MOST_THREADS)
        return 0;
    worker workers[MOST_THREADS];
    size_t lines = bytes / 64;
    for (int i = 0; i < threads; i++) {
        size_t begin = lines * (size_t)i / (size_t)threads * 64;
        size_t end = i + 1 < threads ? lines * (size_t)(i + 1) / (size_t)threads * 64 : bytes;
        workers[i] = (worker){.shared = &s,
                              .to = (char *)destination + begin,
                              .from = (const char *)source + begin,
                              .bytes = end - begin};
    }
    return run(&s, workers, threads);
}
