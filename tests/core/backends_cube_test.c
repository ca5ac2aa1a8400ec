/* The cube core's bodies: every backend against the portable one, bit for bit, and the portable one
 * against float64. Local memories start out full of NaN (of garbage, for int8): what is not an
 * operand must not reach a result. */
#include "backends.h"

typedef struct cube_case {
    sa_dtype dtype, out;
    size_t m, k, n;
    size_t row, col; /* where the operands lie in larger matrices in L1, in fractals */
    bool transpose_a, transpose_b, accumulate;
} cube_case;

typedef struct memories {
    uint8_t l1a[1 << 19], l1b[1 << 19];
    uint8_t l0a[1 << 19], l0b[1 << 19], l0c[1 << 19];
    uint8_t out[1 << 19];
} memories;

enum { EXTRA_COLUMNS = 3 }; /* row pitch in GM beyond the matrix */

static size_t up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

static void fill_random(sa_dtype dtype, void *p, size_t n, bool subnormal)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = random_bits();
        /* of both signs, three binades, now and then 0, subnormal */
        uint32_t kind = random_bits() % 16;
        if (kind == 1 && !subnormal)
            kind = 0;
        if (dtype == SA_F32)
            ((uint32_t *)p)[i] = kind == 0   ? 0
                                 : kind == 1 ? bits & 0x807FFFFF
                                             : (bits & 0x807FFFFF) | (126 + bits % 3) << 23;
        else if (dtype == SA_F16)
            ((uint16_t *)p)[i] = (uint16_t)(kind == 0   ? 0
                                            : kind == 1 ? bits & 0x83FF
                                                        : (bits & 0x83FF) | (14 + bits % 3) << 10);
        else if (dtype == SA_BF16)
            ((uint16_t *)p)[i] = (uint16_t)(kind == 0   ? 0
                                            : kind == 1 ? bits & 0x807F
                                                        : (bits & 0x807F) | (126 + bits % 3) << 7);
        else
            ((uint8_t *)p)[i] = (uint8_t)bits;
    }
}

/* GM -> L1 -> L0 for one operand [rows, cols] as it is stored. */
static size_t to_l1(const sa_isa *isa, const cube_case *t, void *l1, const void *gm, size_t rows,
                    size_t cols)
{
    size_t nz_rows = up(rows, 16);
    isa->nd2nz[t->dtype](l1, nz_rows, gm, (int64_t)(cols + EXTRA_COLUMNS), rows, cols);
    return nz_rows;
}

static void run(const sa_isa *isa, const cube_case *t, const void *a, const void *b,
                const float *c_before, memories *mem)
{
    size_t c0 = 32 / sa_dtype_bytes(t->dtype);
    size_t row = t->row * up(16, c0), col = t->col * up(16, c0); /* skipped on both axes */
    size_t m = t->m + row, ka = t->k + col, kb = t->k + row, n = t->n + col;
    memset(mem, 0xFF, sizeof *mem);
    size_t rows = to_l1(isa, t, mem->l1a, a, t->transpose_a ? ka : m, t->transpose_a ? m : ka);
    isa->load_l0a[t->dtype](mem->l0a, mem->l1a, rows, t->transpose_a ? col : row,
                            t->transpose_a ? row : col, t->m, t->k, t->transpose_a);
    rows = to_l1(isa, t, mem->l1b, b, t->transpose_b ? n : kb, t->transpose_b ? kb : n);
    isa->load_l0b[t->dtype](mem->l0b, mem->l1b, rows, t->transpose_b ? col : row,
                            t->transpose_b ? row : col, t->k, t->n, t->transpose_b);
    size_t m16 = up(t->m, 16);
    for (size_t i = 0; i < t->m; i++)
        for (size_t j = 0; j < t->n; j++)
            memcpy(mem->l0c + ((j / 16 * m16 + i) * 16 + j % 16) * 4, &c_before[i * t->n + j], 4);
    isa->mmad[t->dtype](mem->l0c, mem->l0a, mem->l0b, t->m, t->k, t->n, t->accumulate);
    isa->fixpipe[t->out](mem->out, (int64_t)t->n + EXTRA_COLUMNS, mem->l0c, t->m, t->n);
}

/* An element of an operand: (i, j) of the matrix as stored, past what is skipped. */
static double operand(const cube_case *t, const void *p, size_t i, size_t j, bool transpose,
                      size_t rows_skipped, size_t cols_skipped, size_t cols)
{
    size_t row = rows_skipped + (transpose ? j : i), col = cols_skipped + (transpose ? i : j);
    return element(t->dtype, p, row * (cols + EXTRA_COLUMNS) + col);
}

static void check_float64(const cube_case *t, const void *a, const void *b, const float *c_before,
                          const memories *mem)
{
    size_t c0 = 32 / sa_dtype_bytes(t->dtype), unit = up(16, c0);
    size_t row = t->row * unit, col = t->col * unit;
    size_t a_cols = t->transpose_a ? t->m + row : t->k + col;
    size_t b_cols = t->transpose_b ? t->k + row : t->n + col;
    for (size_t i = 0; i < t->m; i++) {
        for (size_t j = 0; j < t->n; j++) {
            double sum = 0, size = 0;
            if (t->accumulate) {
                sum = element(t->out == SA_I32 ? SA_I32 : SA_F32, c_before, i * t->n + j);
                size = fabs(sum);
            }
            for (size_t k = 0; k < t->k; k++) {
                double x = operand(t, a, i, k, t->transpose_a, t->transpose_a ? col : row,
                                   t->transpose_a ? row : col, a_cols);
                double y = operand(t, b, k, j, t->transpose_b, t->transpose_b ? col : row,
                                   t->transpose_b ? row : col, b_cols);
                sum += x * y;
                size += fabs(x * y);
            }
            double got = element(t->out, mem->out, i * (t->n + EXTRA_COLUMNS) + j);
            double bound =
                t->out == SA_I32 ? 0 : 2 * (double)(t->k + 1) * 0x1p-24 * size + 0x1p-149;
            if (t->out == SA_F16)
                bound += fmax(fabs(sum) * 0x1p-11, 0x1p-25);
            if (t->out == SA_BF16)
                bound += fmax(fabs(sum) * 0x1p-8, 0x1p-134);
            if (!(fabs(got - sum) <= bound))
                fail_msg("%s -> %s %zux%zux%zu ta %d tb %d: C[%zu, %zu] is %a, float64 has %a, "
                         "bound %a",
                         sa_dtype_name(t->dtype), sa_dtype_name(t->out), t->m, t->k, t->n,
                         t->transpose_a, t->transpose_b, i, j, got, sum, bound);
        }
    }
}

static void check_same(const cube_case *t, const sa_isa *isa, const memories *want,
                       const memories *got)
{
    size_t size = sa_dtype_bytes(t->out), m16 = up(t->m, 16);
    for (size_t i = 0; i < t->m; i++) {
        for (size_t j = 0; j < t->n; j++) {
            size_t at = ((j / 16 * m16 + i) * 16 + j % 16) * 4;
            size_t out = (i * (t->n + EXTRA_COLUMNS) + j) * size;
            if (memcmp(want->l0c + at, got->l0c + at, 4) != 0 ||
                memcmp(want->out + out, got->out + out, size) != 0)
                fail_msg("%s: %s -> %s %zux%zux%zu at %zu, %zu fractals, ta %d tb %d acc %d: "
                         "C[%zu, %zu] differs from generic: L0C %a, generic %a",
                         isa->backend, sa_dtype_name(t->dtype), sa_dtype_name(t->out), t->m, t->k,
                         t->n, t->row, t->col, t->transpose_a, t->transpose_b, t->accumulate, i, j,
                         *(const float *)(const void *)(got->l0c + at),
                         *(const float *)(const void *)(want->l0c + at));
        }
        /* between the rows nothing is written */
        size_t end = (i * (t->n + EXTRA_COLUMNS) + t->n) * size;
        for (size_t j = 0; j < EXTRA_COLUMNS * size; j++)
            assert_int_equal(got->out[end + j], 0xFF);
    }
}

/* dtype and result: what kernels use, 16-bit results of fp32 too */
static const struct {
    sa_dtype dtype, out;
} pairs[] = {{SA_F32, SA_F32}, {SA_F16, SA_F32},  {SA_F16, SA_F16}, {SA_BF16, SA_BF16},
             {SA_I8, SA_I32},  {SA_BF16, SA_F32}, {SA_F32, SA_F16}, {SA_F32, SA_BF16}};

static const size_t shapes[][3] = {
    {1, 1, 1},     {16, 16, 16}, {1, 64, 64},   {64, 64, 1},   {7, 7, 7},   {17, 17, 17},
    {32, 130, 33}, {63, 63, 63}, {48, 257, 40}, {31, 129, 50}, {96, 32, 9}, {5, 300, 18},
};

static void test_cube(void **state)
{
    (void)state;
    memories *want = malloc(sizeof *want), *got = malloc(sizeof *got);
    size_t bytes = 1 << 18;
    void *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    assert_true(want && got && a && b && c);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            for (int flags = 0; flags < 8; flags++) {
                bool subnormal = random_bits() % 2;
                cube_case t = {pairs[p].dtype,   pairs[p].out,      shapes[s][0],      shapes[s][1],
                               shapes[s][2],     random_bits() % 3, random_bits() % 2, flags & 1,
                               (flags & 2) != 0, (flags & 4) != 0};
                fill_random(t.dtype, a, bytes / sa_dtype_bytes(t.dtype), subnormal);
                fill_random(t.dtype, b, bytes / sa_dtype_bytes(t.dtype), subnormal);
                fill_random(SA_F32, c, bytes / 4, subnormal);
                if (t.out == SA_I32) /* far from overflow */
                    for (size_t i = 0; i < bytes / 4; i++)
                        ((int32_t *)c)[i] = (int32_t)random_bits() / 16;
                run(sa_isa_named("generic"), &t, a, b, c, want);
                check_float64(&t, a, b, c, want);
                for (int i = 1; i < BACKEND_NAMES; i++) {
                    const sa_isa *isa = sa_isa_named(backend_names[i]);
                    if (!isa)
                        continue;
                    run(isa, &t, a, b, c, got);
                    if (t.dtype == SA_BF16 && strcmp(isa->backend, "amx") == 0)
                        check_float64(&t, a, b, c, got); /* its sums round in another order */
                    else
                        check_same(&t, isa, want, got);
                }
            }
        }
    }
    free(want);
    free(got);
    free(a);
    free(b);
    free(c);
}

/* K = 0: zeros, or what was there. */
static void test_no_k(void **state)
{
    (void)state;
    for (int i = 0; i < BACKEND_NAMES; i++) {
        const sa_isa *isa = sa_isa_named(backend_names[i]);
        if (!isa)
            continue;
        float c[256], nan[256];
        for (int j = 0; j < 256; j++)
            c[j] = nan[j] = NAN;
        isa->mmad[SA_F32](c, nan, nan, 3, 0, 5, false);
        assert_true(c[0] == 0 && c[4] == 0 && c[2 * 16 + 4] == 0);
        c[1] = 7;
        isa->mmad[SA_F32](c, nan, nan, 3, 0, 5, true);
        assert_true(c[1] == 7);
    }
}

/* The conversion on the way out, on every kind of value: the portable one against itself is in the
 * tests of cast; here the backends against it. */
static void test_fixpipe_values(void **state)
{
    (void)state;
    enum { VALUES = 256 };
    uint32_t c[VALUES];
    for (int pass = 0; pass < 2000; pass++) {
        for (int j = 0; j < VALUES; j++) {
            c[j] = random_bits();
            if (j % 4 == 1) /* halfway between two bf16, or just beside */
                c[j] = (c[j] & 0xFFFF0000) + 0x7FFF + random_bits() % 3;
            if (j % 4 == 2) /* the same for fp16, in its range */
                c[j] = (c[j] & 0x80000000) + ((112 - 12 + random_bits() % 45) << 23) +
                       (c[j] & 0x7FE000) + 0xFFF + random_bits() % 3;
        }
        for (int i = 1; i < BACKEND_NAMES; i++) {
            const sa_isa *isa = sa_isa_named(backend_names[i]);
            if (!isa)
                continue;
            for (int bf16 = 0; bf16 < 2; bf16++) {
                sa_dtype out = bf16 ? SA_BF16 : SA_F16;
                uint16_t want[VALUES], got[VALUES];
                sa_isa_named("generic")->fixpipe[out](want, 16, c, 16, 16);
                isa->fixpipe[out](got, 16, c, 16, 16);
                for (int j = 0; j < VALUES; j++) {
                    double x = small_float(want[j], bf16 ? 8 : 5);
                    double y = small_float(got[j], bf16 ? 8 : 5);
                    if (want[j] != got[j] && !(isnan(x) && isnan(y)))
                        fail_msg("%s: fixpipe to %s of %08x gives %04x, generic %04x", isa->backend,
                                 sa_dtype_name(out), c[j], got[j], want[j]);
                }
            }
        }
    }
}

/* panel on matrices with gaps: the portable one against float64, the others against it. */
static void panel_case(size_t m, size_t k, size_t n, int flags, const float *a, const float *b,
                       const float *before, float *want, float *got)
{
    bool side = flags & 1, accumulate = flags & 2, apart = flags & 4;
    int64_t step = apart ? 2 : 1, b_row = (int64_t)n + 5, c_row = (int64_t)n + 3;
    int64_t a_row = side ? step : ((int64_t)k + 1) * step,
            a_k = side ? (int64_t)m * step + 3 : step;
    size_t c_bytes = m * (size_t)c_row * sizeof *want;
    memcpy(want, before, c_bytes);
    sa_isa_named("generic")->panel(want, c_row, a, a_row, a_k, b, b_row, m, k, n, accumulate);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t at = i * (size_t)c_row + j;
            double sum = accumulate ? before[at] : 0, size = fabs(sum);
            for (size_t p = 0; p < k; p++) {
                double x = a[(int64_t)i * a_row + (int64_t)p * a_k];
                double y = b[(int64_t)p * b_row + (int64_t)j];
                sum += x * y;
                size += fabs(x * y);
            }
            if (!(fabs(want[at] - sum) <= 2 * (double)(k + 1) * 0x1p-24 * size + 0x1p-149))
                fail_msg("panel %zux%zux%zu flags %d: C[%zu, %zu] is %a, float64 has %a", m, k, n,
                         flags, i, j, want[at], sum);
        }
    }
    for (int i = 1; i < BACKEND_NAMES; i++) {
        const sa_isa *isa = sa_isa_named(backend_names[i]);
        if (!isa)
            continue;
        memcpy(got, before, c_bytes);
        isa->panel(got, c_row, a, a_row, a_k, b, b_row, m, k, n, accumulate);
        for (size_t at = 0; at < m * (size_t)c_row; at++) /* the gaps too */
            if (bits_of(got[at]) != bits_of(want[at]))
                fail_msg("%s: panel %zux%zux%zu flags %d: C[%zu, %zu] is %a, generic has %a",
                         isa->backend, m, k, n, flags, at / (size_t)c_row, at % (size_t)c_row,
                         got[at], want[at]);
    }
    /* in three runs, and what is left of k */
    for (int i = 0; i < BACKEND_NAMES && k >= 3; i++) {
        const sa_isa *isa = sa_isa_named(backend_names[i]);
        int64_t run = (int64_t)k / 3, rest = (int64_t)k % 3, at = run * 3;
        if (!isa)
            continue;
        memcpy(got, before, c_bytes);
        isa->panel_runs(got, c_row, a, a_row, a_k, run * a_k, b, b_row, run * b_row, m, 3,
                        (size_t)run, n, accumulate);
        isa->panel(got, c_row, a + at * a_k, a_row, a_k, b + at * b_row, b_row, m, (size_t)rest, n,
                   true);
        if (memcmp(got, want, c_bytes) != 0)
            fail_msg("%s: panel_runs %zux%zux%zu flags %d is not panel", isa->backend, m, k, n,
                     flags);
    }
}

static void test_panel(void **state)
{
    (void)state;
    static const size_t large[][3] = {
        {28, 128, 96}, {37, 511, 45}, {1, 300, 257}, {129, 64, 33}, {6, 99, 130}};
    size_t floats = 1 << 18;
    float *a = malloc(floats * sizeof *a), *b = malloc(floats * sizeof *b);
    float *before = malloc(floats * sizeof *before);
    float *want = malloc(floats * sizeof *want), *got = malloc(floats * sizeof *got);
    assert_true(a && b && before && want && got);
    fill_random(SA_F32, a, floats, true);
    fill_random(SA_F32, b, floats, true);
    fill_random(SA_F32, before, floats, true);
    for (size_t m = 0; m <= 30; m++)
        for (size_t n = 0; n <= 70; n++)
            for (size_t k = random_bits() % 4; k < 10; k += 4)
                panel_case(m, k, n, (int)(random_bits() % 8), a, b, before, want, got);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        for (int flags = 0; flags < 8; flags++)
            panel_case(large[i][0], large[i][1], large[i][2], flags, a, b, before, want, got);
    free(a);
    free(b);
    free(before);
    free(want);
    free(got);
}

/* pack_pairs with panel_pairs: the bits of the portable pack and panel, or refused. */
static void pairs_case(size_t m, size_t k, size_t n, int flags, const uint16_t *a,
                       const uint16_t *b, float *scratch[4], float *want, float *got)
{
    bool across_a = flags & 1, across_b = flags & 2, along = across_a && flags & 4;
    size_t steps = (k + 1) / 2;
    int64_t pitch_a = (int64_t)(across_a ? k : m) + 3, pitch_b = (int64_t)(across_b ? k : n) + 5;
    int64_t c_row = (int64_t)n + 3;
    const sa_isa *generic = sa_isa_named("generic");
    for (int i = 0; i < BACKEND_NAMES; i++) {
        const sa_isa *isa = sa_isa_named(backend_names[i]);
        if (!isa || !isa->panel_pairs)
            continue;
        size_t width = isa->panel_cols, high = (m + 15) / 16 * 16;
        size_t strips = (n + width - 1) / width, wide = k * width + 7, narrow = steps * width + 9;
        size_t row = (steps + 15) / 16 * 16 + 16, a_row = along ? row : 1, a_k = along ? 1 : high;
        assert_true(strips * wide <= 1 << 18 && high * (k + 32) <= 1 << 18);
        for (size_t at = 0; at < m * (size_t)c_row; at++)
            want[at] = got[at] = NAN;
        memset(scratch[2], 0xFF, high * (steps + 32) * sizeof(float));
        memset(scratch[3], 0xFF, strips * narrow * sizeof(float));
        generic->pack[SA_BF16](scratch[0], 0, high, a, pitch_a, m, k, across_a);
        generic->pack[SA_BF16](scratch[1], wide, width, b, pitch_b, n, k, across_b);
        assert_true(isa->pack_pairs(scratch[2], along ? row : 0, along ? 0 : high, a, pitch_a, m, k,
                                    across_a));
        assert_true(isa->pack_pairs(scratch[3], narrow, width, b, pitch_b, n, k, across_b));
        for (size_t s = 0; s < strips; s++) {
            size_t cols = n - s * width < width ? n - s * width : width;
            generic->panel(want + s * width, c_row, scratch[0], 1, (int64_t)high,
                           scratch[1] + s * wide, (int64_t)width, m, k, cols, false);
            /* k in two runs, the second on the sums of the first */
            size_t first = steps / 2;
            isa->panel_pairs(got + s * width, c_row, scratch[2], (int64_t)a_row, (int64_t)a_k,
                             scratch[3] + s * narrow, (int64_t)width, m, first, cols, false);
            isa->panel_pairs(got + s * width, c_row, scratch[2] + first * a_k, (int64_t)a_row,
                             (int64_t)a_k, scratch[3] + s * narrow + first * width, (int64_t)width,
                             m, steps - first, cols, true);
        }
        for (size_t at = 0; at < m * (size_t)c_row; at++) /* the gaps too */
            if (bits_of(got[at]) != bits_of(want[at]))
                fail_msg("%s: pairs %zux%zux%zu flags %d: C[%zu, %zu] is %a, generic has %a",
                         isa->backend, m, k, n, flags, at / (size_t)c_row, at % (size_t)c_row,
                         got[at], want[at]);
    }
}

static void test_pairs(void **state)
{
    (void)state;
    static const size_t large[][3] = {{28, 128, 96}, {37, 511, 45}, {1, 300, 257}, {6, 99, 130}};
    size_t elements = 1 << 18;
    uint16_t *a = malloc(elements * 2), *b = malloc(elements * 2);
    float *want = malloc(elements * 4), *got = malloc(elements * 4), *scratch[4];
    for (int i = 0; i < 4; i++)
        assert_non_null(scratch[i] = malloc(elements * 4));
    assert_true(a && b && want && got);
    for (int small = 0; small < 2; small++) {
        for (size_t i = 0; i < elements; i++) {
            /* of two exponents; the small ones as small as is taken */
            uint16_t exponent = (uint16_t)((small ? 71 : 127) + random_bits() % 2) << 7;
            a[i] = (random_bits() % 16) ? (random_bits() & 0x807F) | exponent : 0x8000;
            b[i] = (random_bits() % 16) ? (random_bits() & 0x807F) | exponent : 0;
        }
        for (size_t m = 1; m <= 30; m += 1 + m / 4)
            for (size_t n = 1; n <= 70; n++)
                for (size_t k = 1 + random_bits() % 4; k < 80; k += 9)
                    pairs_case(m, k, n, (int)(random_bits() % 8), a, b, scratch, want, got);
        for (size_t i = 0; i < sizeof large / sizeof *large; i++)
            for (int flags = 0; flags < 8; flags++)
                pairs_case(large[i][0], large[i][1], large[i][2], flags, a, b, scratch, want, got);
    }
    free(a);
    free(b);
    free(want);
    free(got);
    for (int i = 0; i < 4; i++)
        free(scratch[i]);
}

/* One operand whose products may be subnormal, anywhere: refused, and those beside it are not read.
 */
static void test_pairs_too_small(void **state)
{
    (void)state;
    enum { LANES = 50, KS = 70, PITCH = 80 };
    static const uint16_t values[] = {0x0001, 0x807F, 0x0080, 0x237F, 0xA37F};
    uint16_t a[PITCH * PITCH];
    float *to = malloc(sizeof(float) * 64 * 80);
    assert_non_null(to);
    for (int i = 0; i < BACKEND_NAMES; i++) {
        const sa_isa *isa = sa_isa_named(backend_names[i]);
        if (!isa || !isa->pack_pairs)
            continue;
        for (int at = 0; at < PITCH * PITCH; at++) {
            uint16_t value = values[at % 5];
            size_t row = (size_t)at / PITCH, col = (size_t)at % PITCH;
            for (int across = 0; across < 2; across++) {
                bool inside = across ? row < LANES && col < KS : row < KS && col < LANES;
                for (int j = 0; j < PITCH * PITCH; j++)
                    a[j] = j % 3 ? 0x2380 : 0x8000;
                a[at] = value;
                bool fit = isa->pack_pairs(to, KS / 2 * 32, 32, a, PITCH, LANES, KS, across);
                if (across && fit != isa->pack_pairs(to, 80, 0, a, PITCH, LANES, KS, true))
                    fit = inside;
                if (fit == inside)
                    fail_msg("%s: %04x at [%zu, %zu], across %d: pack_pairs says %d", isa->backend,
                             value, row, col, across, fit);
            }
        }
    }
    free(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cube),           cmocka_unit_test(test_no_k),
        cmocka_unit_test(test_fixpipe_values), cmocka_unit_test(test_panel),
        cmocka_unit_test(test_pairs),          cmocka_unit_test(test_pairs_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
