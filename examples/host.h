/* What every example needs around its kernel: options, device memory, inputs, and the check of the
 * result against float64. It uses AscendCL only, in C17 or C++17.
 *
 *     example e = example_begin(argc, argv, …);       reads the options, opens device and stream
 *     float *x = example_values(&e, n, -8, 8);        random, as fp32 or fp16 hold them
 *     void *gm = example_upload(&e, x, n);            a copy in device memory, fp32 or fp16
 *     … launch on e.stream …
 *     example_download(&e, y, gm, n);                 waits for the stream
 *     example_expect(&e, i, y[i], exact, allowed);    for each element
 *     return example_end(&e);                         says what was found; 0 if all is right
 *
 * Values are floats here, whatever they are on the device. What fails ends the program, by name. */
#ifndef EXAMPLES_HOST_H
#define EXAMPLES_HOST_H

#include "acl/acl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct example {
    const char *name, *bound;
    uint64_t size[3];
    int sizes, f16, bf16; /* neither: fp32 */
    uint32_t blocks;
    aclrtStream stream;
    uint64_t random, checked, wrong, first;
    double worst, share, first_got, first_want;
} example;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int error_ = (int)(call);                                                                  \
        if (error_ != ACL_SUCCESS) {                                                               \
            const char *text_ = aclGetRecentErrMsg();                                              \
            fprintf(stderr, "%s:%d: %s: error %d: %s\n", __FILE__, __LINE__, #call, error_,        \
                    text_ ? text_ : "");                                                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* about: "y = f(x)". sizes: names and defaults, "ROWS=100 COLUMNS=1000". dtypes: "f32|f16", the
 * first is the default. bound: what `allowed` in example_expect stands for, in words. */
static inline example example_begin(int argc, char **argv, const char *name, const char *about,
                                    const char *sizes, const char *dtypes, const char *bound)
{
    example e;
    int given = 0, help = 0, bad = 0;
    const char *dtype = dtypes;
    memset(&e, 0, sizeof e);
    e.name = name, e.bound = bound, e.blocks = 8;
    for (const char *at = sizes; (at = strchr(at, '=')); e.sizes++) {
        e.size[e.sizes] = strtoull(++at, NULL, 10);
    }
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        char *end = argv[i];
        if (!strcmp(argv[i], "--help")) {
            help = 1;
        } else if (!strcmp(argv[i], "--blocks") && i++) {
            e.blocks = (uint32_t)strtoul(value, &end, 10);
            bad |= *end || e.blocks == 0 || e.blocks > 65535;
        } else if (!strcmp(argv[i], "--dtype") && i++) {
            size_t length = strlen(value);
            for (dtype = dtypes;
                 strncmp(dtype, value, length) || (dtype[length] && dtype[length] != '|');) {
                dtype = strchr(dtype, '|') ? strchr(dtype, '|') + 1 : "";
                if (!*dtype) {
                    bad = 1;
                    break;
                }
            }
        } else if (given < e.sizes && *argv[i] >= '0' && *argv[i] <= '9') {
            e.size[given++] = strtoull(argv[i], &end, 10);
            bad |= *end;
        } else {
            bad = 1;
        }
    }
    if (help || bad) {
        fprintf(bad ? stderr : stdout,
                "Usage: %s [SIZE...] [--dtype %s] [--blocks N]\n%s; sizes: %s; blocks: 8.\n"
                "The result is checked against float64. Allowed: %s.\n",
                name, dtypes, about, sizes, bound);
        exit(bad ? 2 : 0);
    }
    e.f16 = !strncmp(dtype, "f16", 3);
    e.bf16 = !strncmp(dtype, "bf16", 4);
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&e.stream));
    return e;
}

/* A float as 16 bits of the example's type, to nearest even, and back. */
static inline uint16_t example_narrow(const example *e, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return e->f16 ? aclFloatToFloat16(x) : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float example_widen(const example *e, uint16_t narrow)
{
    float x;
    uint32_t bits = (uint32_t)narrow << 16;
    memcpy(&x, &bits, sizeof x);
    return e->f16 ? aclFloat16ToFloat(narrow) : x;
}

static inline float example_round(const example *e, float x)
{
    return e->f16 || e->bf16 ? example_widen(e, example_narrow(e, x)) : x;
}

/* Room for n floats on the host; for 0 too, as for all below. */
static inline float *example_room(uint64_t n)
{
    float *x = (float *)calloc(n + 1, sizeof(float));
    if (!x) {
        fprintf(stderr, "no memory for %" PRIu64 " values\n", n);
        exit(1);
    }
    return x;
}

/* n values in [low, high], the same ones in every run. */
static inline float *example_values(example *e, uint64_t n, float low, float high)
{
    float *x = example_room(n);
    for (uint64_t i = 0; i < n; i++) {
        e->random = e->random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
        x[i] = example_round(e, low + (high - low) * (float)(e->random >> 40) * 0x1p-24f);
    }
    return x;
}

static inline void *example_device(size_t bytes)
{
    void *gm = NULL;
    CHECK(aclrtMalloc(&gm, bytes ? bytes : 32, ACL_MEM_MALLOC_HUGE_FIRST));
    return gm;
}

static inline size_t example_bytes(const example *e, uint64_t n)
{
    return n * (e->f16 || e->bf16 ? 2 : 4);
}

static inline void *example_upload(const example *e, const float *x, uint64_t n)
{
    size_t bytes = example_bytes(e, n);
    void *gm = example_device(bytes);
    uint16_t *narrow = e->f16 || e->bf16 ? (uint16_t *)example_room(n) : NULL;
    for (uint64_t i = 0; narrow && i < n; i++) {
        narrow[i] = example_narrow(e, x[i]);
    }
    if (bytes) {
        CHECK(aclrtMemcpy(gm, bytes, narrow ? (const void *)narrow : x, bytes,
                          ACL_MEMCPY_HOST_TO_DEVICE));
    }
    free(narrow);
    return gm;
}

/* Room for n values on the device, all NaN: what the kernel does not write is found. */
static inline void *example_output(const example *e, uint64_t n)
{
    void *gm = example_device(example_bytes(e, n));
    if (n) {
        CHECK(aclrtMemset(gm, example_bytes(e, n), 0xff, example_bytes(e, n)));
    }
    return gm;
}

/* Waits for the stream and copies bytes as they are. */
static inline void example_fetch(const example *e, void *to, const void *gm, size_t bytes)
{
    CHECK(aclrtSynchronizeStream(e->stream));
    if (bytes) {
        CHECK(aclrtMemcpy(to, bytes, gm, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    }
}

static inline void example_download(const example *e, float *y, const void *gm, uint64_t n)
{
    example_fetch(e, y, gm, example_bytes(e, n));
    for (uint64_t i = n; (e->f16 || e->bf16) && i-- > 0;) { /* in place, from behind */
        uint16_t narrow;
        memcpy(&narrow, (const char *)y + i * sizeof narrow, sizeof narrow);
        y[i] = example_widen(e, narrow);
    }
}

/* The distance of neighbours of the result's type at x: one unit in the last place. */
static inline double example_ulp(const example *e, double x)
{
    int least = e->f16 ? -14 : -126, digits = e->f16 ? 10 : e->bf16 ? 7 : 23;
    int exponent = x == 0 || !isfinite(x) ? least : ilogb(x);
    return ldexp(1, (exponent < least ? least : exponent) - digits);
}

/* An error of so many fp32 units of `size`, and the rounding of y to a narrower type. */
static inline double example_units(const example *e, double units, double size, double y)
{
    return units * 0x1p-23 * size + (e->f16 || e->bf16 ? 0.5 * example_ulp(e, y) : 0) + 0x1p-147;
}

static inline void example_expect(example *e, uint64_t i, double got, double want, double allowed)
{
    double error = got == want ? 0 : fabs(got - want);
    e->checked++;
    if (!(error <= allowed) && e->wrong++ == 0) { /* NaN is wrong too */
        e->first = i, e->first_got = got, e->first_want = want;
    }
    e->worst = error > e->worst ? error : e->worst;
    e->share = error > e->share * allowed ? error / allowed : e->share;
}

static inline int example_end(example *e)
{
    printf("%s:", e->name);
    for (int i = 0; i < e->sizes; i++) {
        printf("%s%" PRIu64, i ? " x " : " ", e->size[i]);
    }
    printf(" %s, %u block%s: ",
           e->f16    ? "f16"
           : e->bf16 ? "bf16"
                     : "f32",
           e->blocks, e->blocks == 1 ? "" : "s");
    if (e->wrong) {
        printf("WRONG: %" PRIu64 " of %" PRIu64 ", the first at %" PRIu64 ": %.9g, not %.9g\n",
               e->wrong, e->checked, e->first, e->first_got, e->first_want);
    } else {
        printf("largest error %.3g, %.2f of what is allowed (%s): OK\n", e->worst, e->share,
               e->bound);
    }
    CHECK(aclrtDestroyStream(e->stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return e->wrong != 0;
}

#endif
