/* Comparisons, selection, fill, gather, transposition, moves: what they put where. */
#include "harness.h"

static const sa_dtype any[] = {SA_F32, SA_F16, SA_BF16, SA_I8,  SA_U8,  SA_I16,
                               SA_U16, SA_I32, SA_U32,  SA_I64, SA_U64, SA_BOOL};

static bool holds(sa_cmp cmp, long double a, long double b)
{
    switch (cmp) {
    case SA_LT:
        return a < b;
    case SA_GT:
        return a > b;
    case SA_EQ:
        return a == b;
    case SA_LE:
        return a <= b;
    case SA_GE:
        return a >= b;
    default:
        return a != b;
    }
}

static void check_mask(const sa_isa *isa, sa_dtype t, sa_cmp cmp, const unsigned char *mask,
                       const void *a, const void *b, long double scalar, uint32_t n)
{
    for (uint32_t i = 0; i < (n + 7) / 8 * 8; i++) {
        bool want = i < n && holds(cmp, value_of(t, bits_at(t, a, i)),
                                   b ? value_of(t, bits_at(t, b, i)) : scalar);
        if ((mask[i / 8] >> i % 8 & 1) != want)
            fail_msg("%s: compare %d of %s: element %u of %u", isa->backend, (int)cmp,
                     sa_dtype_name(t), i, n);
    }
    assert_int_equal(mask[(n + 7) / 8], 0xa5);
}

static void comparisons(void **state)
{
    (void)state;
    static const sa_dtype types[] = {SA_F32, SA_F16, SA_I16, SA_I32, SA_I64};
    static unsigned char a[SPECIALS * SPECIALS * 8], b[sizeof a], mask[SPECIALS * SPECIALS];
    EACH_BACKEND(isa)
    for (size_t k = 0; k < COUNT(types); k++) {
        sa_dtype t = types[k];
        uint64_t specials[SPECIALS];
        uint32_t count = (uint32_t)special_bits(t, specials), n = count * count;
        for (uint32_t i = 0; i < n; i++) {
            put_bits(t, a, i, specials[i / count]);
            put_bits(t, b, i, specials[i % count]);
        }
        for (sa_cmp cmp = SA_LT; cmp <= SA_NE; cmp++)
            for (uint32_t length = n; length; length = length > 70 ? 70 : length - 1) {
                memset(mask, 0xa5, sizeof mask);
                isa->compare[t](mask, a, b, cmp, length);
                check_mask(isa, t, cmp, mask, a, b, 0, length);
                if (t == SA_I64)
                    continue;
                static const double scalars[] = {0, 1, -1, 127.5};
                for (size_t s = 0; s < COUNT(scalars); s++) {
                    double scalar = format_of(t) ? scalars[s] : (double)truncl(scalars[s]);
                    memset(mask, 0xa5, sizeof mask);
                    isa->compares[t](mask, a, scalar, cmp, length);
                    check_mask(isa, t, cmp, mask, a, NULL, scalar, length);
                }
            }
    }
}

static void selection(void **state)
{
    (void)state;
    unsigned char a[1000 * 8], b[1000 * 8], out[1000 * 8 + 8], mask[126];
    uint64_t seed = 3;
    for (size_t i = 0; i < sizeof a; i++) {
        a[i] = (unsigned char)random64(&seed);
        b[i] = (unsigned char)random64(&seed);
    }
    for (size_t i = 0; i < sizeof mask; i++)
        mask[i] = (unsigned char)random64(&seed);
    EACH_BACKEND(isa)
    for (size_t k = 0; k < COUNT(any); k++)
        for (uint32_t n = 1; n <= 1000; n = n < 80 ? n + 1 : n + 307) {
            sa_dtype t = any[k];
            memset(out, 0xa5, sizeof out);
            isa->select[t](out, mask, a, b, n);
            for (uint32_t i = 0; i < n; i++)
                assert_true(bits_at(t, out, i) == bits_at(t, mask[i / 8] >> i % 8 & 1 ? a : b, i));
            assert_int_equal(out[n * sa_dtype_bytes(t)], 0xa5);
            isa->selects[t](out, mask, a, 1, n);
            for (uint32_t i = 0; i < n; i++)
                if (mask[i / 8] >> i % 8 & 1)
                    assert_true(bits_at(t, out, i) == bits_at(t, a, i));
                else
                    assert_true(value_of(t, bits_at(t, out, i)) == 1);
            assert_int_equal(out[n * sa_dtype_bytes(t)], 0xa5);
        }
}

static void fills(void **state)
{
    (void)state;
    /* value; what it becomes: float16, int8, uint8, int32, uint64 */
    static const struct {
        double value, f16, i8, u8, i32, u64;
    } cases[] = {
        {0, 0, 0, 0, 0, 0},
        {1, 1, 1, 1, 1, 1},
        {-1, -1, -1, 0, -1, 0},
        {2.75, 2.75, 2, 2, 2, 2},
        {300, 300, 127, 255, 300, 300},
        {1e10, INFINITY, 127, 255, INT32_MAX, 1e10},
        {-1e10, -INFINITY, -128, 0, INT32_MIN, 0},
        {NAN, NAN, 0, 0, 0, 0},
    };
    unsigned char out[130 * 8];
    EACH_BACKEND(isa)
    for (size_t c = 0; c < COUNT(cases); c++)
        for (uint32_t n = 1; n < 130; n++) {
            const struct {
                sa_dtype t;
                double want;
            } parts[] = {{SA_F16, cases[c].f16}, {SA_I8, cases[c].i8},
                         {SA_U8, cases[c].u8},   {SA_I32, cases[c].i32},
                         {SA_U64, cases[c].u64}, {SA_BOOL, cases[c].value != 0}};
            for (size_t p = 0; p < COUNT(parts); p++) {
                sa_dtype t = parts[p].t;
                memset(out, 0xa5, sizeof out);
                isa->fill[t](out, cases[c].value, n);
                for (uint32_t i = 0; i < n; i++) {
                    long double got = value_of(t, bits_at(t, out, i));
                    assert_true(isnan(parts[p].want) ? isnan(got) : got == parts[p].want);
                }
                assert_int_equal(out[n * sa_dtype_bytes(t)], 0xa5);
            }
        }
}

static void gathers_and_transposes(void **state)
{
    (void)state;
    static unsigned char in[100 * 70 * 8], out[sizeof in];
    uint64_t seed = 11;
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)random64(&seed);
    EACH_BACKEND(isa)
    for (size_t k = 0; k < COUNT(any); k++) {
        sa_dtype t = any[k];
        size_t size = sa_dtype_bytes(t);
        if (sa_instr_describe(SA_I_gather)->dtypes >> t & 1)
            for (uint32_t n = 1; n < 70; n++) {
                uint32_t offsets[70];
                for (uint32_t i = 0; i < n; i++)
                    offsets[i] = (uint32_t)(random64(&seed) % 500 * size);
                isa->gather[t](out, in, offsets, n);
                for (uint32_t i = 0; i < n; i++)
                    assert_memory_equal(out + i * size, in + offsets[i], size);
            }
        static const uint32_t shapes[][2] = {{1, 1},   {1, 70},   {70, 1}, {16, 16}, {17, 15},
                                             {32, 48}, {100, 70}, {8, 64}, {63, 65}, {3, 5}};
        for (size_t s = 0; s < COUNT(shapes); s++) {
            uint32_t rows = shapes[s][0], cols = shapes[s][1];
            isa->transpose[t](out, in, rows, cols);
            for (uint32_t r = 0; r < rows; r++)
                for (uint32_t c = 0; c < cols; c++)
                    assert_true(bits_at(t, out, c * rows + r) == bits_at(t, in, r * cols + c));
        }
    }
}

/* Through a kernel: pitches, both ways, and what lies between rows is left alone. */
typedef struct moved {
    unsigned char from[4096], to[4096];
} moved;

static void move_kernel(sa_core *core, void *args)
{
    moved *m = args;
    char *ub = sa_alloc(core, SA_UB, 8192), *other = sa_alloc(core, SA_UB, 8192);
    sa_copy_in_2d(core, ub, 96, m->from + 1, 100, 7, 33);
    sa_copy_ub(core, other, ub, 700);
    sa_copy_out_2d(core, m->to, 50, other, 96, 7, 33);
    sa_copy_in(core, ub, m->from + 5, 777);
    sa_copy_out(core, m->to + 1000, ub, 777);
    sa_copy_in_2d(core, ub, 32, m->from + 640, -32, 20, 32); /* rows from the last to the first */
    sa_copy_out(core, m->to + 2000, ub, 640);
}

static void moves(void **state)
{
    (void)state;
    static moved m;
    sa_error error;
    uint64_t seed = 4;
    for (size_t i = 0; i < sizeof m.from; i++)
        m.from[i] = (unsigned char)random64(&seed);
    memset(m.to, 0xa5, sizeof m.to);
    assert_int_equal(run_kernel(move_kernel, &m, 1, SA_AIV, &error), SA_OK);
    for (int r = 0; r < 7; r++) {
        assert_memory_equal(m.to + 50 * r, m.from + 1 + 100 * r, 33);
        for (int i = 33; i < 50; i++)
            assert_int_equal(m.to[50 * r + i], 0xa5);
    }
    assert_memory_equal(m.to + 1000, m.from + 5, 777);
    assert_int_equal(m.to[1777], 0xa5);
    for (int r = 0; r < 20; r++)
        assert_memory_equal(m.to + 2000 + 32 * r, m.from + 640 - 32 * r, 32);
}

/* sa_get, sa_set, through UB on a vector core and L1 on a cube core. */
static void scalar_kernel(sa_core *core, void *args)
{
    int *wrong = args;
    sa_memory memory = sa_local_bytes(core, SA_UB) ? SA_UB : SA_L1;
    void *p = sa_alloc(core, memory, 256);
    for (size_t k = 0; k < COUNT(any); k++)
        for (uint32_t i = 0; i < 3; i++) {
            sa_set(core, any[k], p, i, 1);
            sa_set(core, any[k], p, i + 1, 0);
            *wrong += sa_get(core, any[k], p, i) != 1;
            *wrong += sa_get(core, any[k], p, i + 1) != 0;
        }
    sa_set(core, SA_F16, p, 0, 0.1);
    *wrong += sa_get(core, SA_F16, p, 0) != 0.0999755859375;
    sa_set(core, SA_I8, p, 0, -7.9);
    *wrong += sa_get(core, SA_I8, p, 0) != -7;
    sa_set(core, SA_F64, p, 1, 0.1);
    *wrong += sa_get(core, SA_F64, p, 1) != 0.1;
}

static void scalars(void **state)
{
    (void)state;
    sa_error error;
    int wrong = 0;
    assert_int_equal(run_kernel(scalar_kernel, &wrong, 1, SA_AIV, &error), SA_OK);
    assert_int_equal(run_kernel(scalar_kernel, &wrong, 1, SA_AIC, &error), SA_OK);
    assert_int_equal(wrong, 0);
}

/* n = 0 does nothing, whatever the pointers. */
static void empty_kernel(sa_core *core, void *args)
{
    float *out = args;
    sa_add(core, SA_F32, NULL, NULL, NULL, 0);
    sa_cast(core, SA_F32, (void *)1, SA_F16, NULL, SA_ROUND_NONE, 0);
    sa_copy_in(core, NULL, NULL, 0);
    sa_copy_out_2d(core, NULL, 0, NULL, 0, 5, 0);
    sa_transpose(core, SA_F32, NULL, NULL, 0, 5);
    float *p = sa_alloc(core, SA_UB, 64);
    sa_reduce_sum(core, SA_F32, p, p, 0);
    sa_reduce_max(core, SA_F32, p + 1, p, 0);
    sa_reduce_min(core, SA_F32, p + 2, p, 0);
    sa_copy_out(core, out, p, 12);
}

/* k = 0: no products, so zeros, or what the accumulator held. */
static void no_products(sa_core *core, void *args)
{
    float *out = args;
    static const float ones[256] = {1};
    void *l1 = sa_alloc(core, SA_L1, 1024), *a = sa_alloc(core, SA_L0A, 1024);
    void *b = sa_alloc(core, SA_L0B, 1024), *c = sa_alloc(core, SA_L0C, 1024);
    sa_nd2nz(core, SA_F32, l1, 16, ones, 16, 16, 16);
    sa_load_l0a(core, SA_F32, a, l1, 16, 0, 0, 16, 16, false);
    sa_load_l0b(core, SA_F32, b, l1, 16, 0, 0, 16, 16, false);
    sa_mmad(core, SA_F32, c, a, b, 16, 16, 16, false);
    sa_mmad(core, SA_F32, c, a, b, 16, 0, 16, true);
    sa_fixpipe(core, SA_F32, out, 16, c, 16, 16);
    sa_mmad(core, SA_F32, c, a, b, 16, 0, 16, false);
    sa_fixpipe(core, SA_F32, out + 256, 16, c, 16, 16);
}

static void nothing(void **state)
{
    (void)state;
    sa_error error;
    float products[512];
    assert_int_equal(run_kernel(no_products, products, 1, SA_AIC, &error), SA_OK);
    for (int i = 0; i < 512; i++)
        assert_true(products[i] == (i == 0));
    float out[3] = {1, 1, 1};
    assert_int_equal(run_kernel(empty_kernel, out, 1, SA_AIV, &error), SA_OK);
    assert_true(out[0] == 0 && out[1] == -INFINITY && out[2] == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons), cmocka_unit_test(selection),
        cmocka_unit_test(fills),       cmocka_unit_test(gathers_and_transposes),
        cmocka_unit_test(moves),       cmocka_unit_test(scalars),
        cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
