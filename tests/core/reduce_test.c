/* Reductions: the documented tree, NaN, first index, neutral elements; against double too, because
 * a tree that is only equal to itself could be wrong everywhere alike. */
#include "harness.h"

static const uint32_t lengths[] = {0,   1,   2,    3,    7,    15,   16,   31,  32,
                                   33,  63,  64,   65,   100,  127,  128,  129, 191,
                                   192, 200, 1000, 1023, 1024, 4097, 20000};

/* The tree of isa/reduce.c, in floats: lanes of 64, then halves. */
static float tree_sum(const float *x, size_t n)
{
    float lane[64] = {0};
    for (size_t i = 0; i < n; i++)
        lane[i % 64] += x[i];
    for (int h = 32; h; h /= 2)
        for (int l = 0; l < h; l++)
            lane[l] += lane[l + h];
    return lane[0];
}

static void sums_follow_the_tree(void **state)
{
    (void)state;
    static float x[20000], exact[20000];
    static uint16_t half[20000];
    uint64_t seed = 99;
    const format *f16 = format_of(SA_F16);
    for (int i = 0; i < 20000; i++) {
        x[i] = (float)((double)(int64_t)random64(&seed) * 0x1p-60);
        half[i] = (uint16_t)encode(f16, x[i], SA_ROUND_RINT);
        exact[i] = (float)decode(f16, half[i]);
    }
    EACH_BACKEND(isa)
    for (size_t k = 0; k < COUNT(lengths); k++) {
        uint32_t n = lengths[k];
        float got, want = tree_sum(x, n);
        isa->reduce_sum[SA_F32](&got, x, n);
        if (memcmp(&got, &want, sizeof got) != 0)
            fail_msg("%s: sum of %u: %a, not %a", isa->backend, n, got, want);
        long double sum = 0, magnitudes = 0;
        for (uint32_t i = 0; i < n; i++) {
            sum += x[i];
            magnitudes += fabsf(x[i]);
        }
        /* each element takes part in at most n / 64 + 7 additions */
        assert_true(fabsl(got - sum) <= (n / 64 + 7) * 0x1p-24L * magnitudes);

        uint16_t got_half;
        isa->reduce_sum[SA_F16](&got_half, half, n);
        assert_int_equal(got_half, encode(f16, tree_sum(exact, n), SA_ROUND_RINT));
    }
}

/* What single fp16 additions cannot do: 4,096 ones, and 1 + 2048 halves. */
static void half_sums_round_once(void **state)
{
    (void)state;
    static uint16_t x[4096];
    uint16_t got;
    EACH_BACKEND(isa)
    {
        for (int i = 0; i < 4096; i++)
            x[i] = 0x3c00;
        isa->reduce_sum[SA_F16](&got, x, 4096);
        assert_int_equal(got, 0x6c00); /* 4096 */
    }
}

static void integer_sums_wrap(void **state)
{
    (void)state;
    static int32_t x32[20000];
    static int64_t x64[20000];
    uint64_t seed = 5;
    for (int i = 0; i < 20000; i++) {
        x32[i] = (int32_t)random64(&seed);
        x64[i] = (int64_t)random64(&seed);
    }
    EACH_BACKEND(isa)
    for (size_t k = 0; k < COUNT(lengths); k++) {
        uint32_t sum32 = 0, got32;
        uint64_t sum64 = 0, got64;
        for (uint32_t i = 0; i < lengths[k]; i++) {
            sum32 += (uint32_t)x32[i];
            sum64 += (uint64_t)x64[i];
        }
        isa->reduce_sum[SA_I32](&got32, x32, lengths[k]);
        isa->reduce_sum[SA_I64](&got64, x64, lengths[k]);
        assert_int_equal(got32, sum32);
        assert_true(got64 == sum64);
    }
}

/* Of an array of any ordered dtype: the extreme and its first index, by looking at each. */
static void check_extremes(const sa_isa *isa, sa_dtype t, const void *x, uint32_t n)
{
    uint32_t first[2] = {0, 0};
    for (int which = 0; which < 2; which++)
        for (uint32_t i = 1; i < n; i++) {
            long double best = value_of(t, bits_at(t, x, first[which]));
            long double a = value_of(t, bits_at(t, x, i));
            if (!isnan(best) && (isnan(a) || (which ? a < best : a > best)))
                first[which] = i;
        }
    for (int which = 0; which < 2; which++) {
        uint64_t got = 0, want;
        uint32_t index;
        (which ? isa->reduce_min : isa->reduce_max)[t](&got, x, n);
        (which ? isa->arg_min : isa->arg_max)[t](&index, x, n);
        assert_int_equal(index, n ? first[which] : 0);
        if (n) {
            want = bits_at(t, x, first[which]);
        } else if (format_of(t)) {
            want = encode(format_of(t), which ? INFINITY : -INFINITY, SA_ROUND_RINT);
        } else {
            int width = 8 * (int)sa_dtype_bytes(t);
            want = which ? (1ull << (width - 1)) - 1 : 1ull << (width - 1);
        }
        bool zeros = value_of(t, got) == 0 && value_of(t, want) == 0;
        if (!zeros && !same(t, got, want))
            fail_msg("%s: %s of %u %s: %#llx, not %#llx", isa->backend, which ? "min" : "max", n,
                     sa_dtype_name(t), (unsigned long long)got, (unsigned long long)want);
    }
}

static void extremes(void **state)
{
    (void)state;
    static const sa_dtype types[] = {SA_F32, SA_F16, SA_I16, SA_I32, SA_I64};
    static unsigned char x[20000 * 8];
    EACH_BACKEND(isa)
    for (size_t k = 0; k < COUNT(types); k++) {
        sa_dtype t = types[k];
        uint64_t seed = 31 + t, specials[SPECIALS];
        size_t count = special_bits(t, specials);
        for (int pass = 0; pass < 4; pass++)
            for (size_t j = 0; j < COUNT(lengths); j++) {
                for (uint32_t i = 0; i < lengths[j]; i++) {
                    uint64_t bits = random64(&seed);
                    if (pass == 1) /* many equal ones */
                        bits = specials[bits % 5];
                    else if (pass == 2) /* infinities and NaN among them */
                        bits = specials[bits % count];
                    else if (is_nan_bits(t, bits & (t == SA_F16 ? 0xffff : 0xffffffff)))
                        bits = 0;
                    if (pass == 3 && format_of(t) && i % 977 == 976) /* a rare NaN */
                        bits = infinity_bits(format_of(t)) + 1;
                    put_bits(t, x, i, bits);
                }
                check_extremes(isa, t, x, lengths[j]);
            }
    }
}

/* The sign of a zero result follows the tree: same bits on every backend. */
static void zeros_agree(void **state)
{
    (void)state;
    const sa_isa *generic = sa_isa_named("generic");
    static const sa_dtype types[] = {SA_F32, SA_F16};
    static unsigned char x[300 * 4];
    uint64_t seed = 8;
    EACH_BACKEND(isa)
    for (size_t k = 0; k < COUNT(types); k++)
        for (uint32_t n = 1; n < 300; n++) {
            uint64_t sign = types[k] == SA_F32 ? 0x80000000 : 0x8000, a = 0, b = 0;
            for (uint32_t i = 0; i < n; i++)
                put_bits(types[k], x, i, random64(&seed) & sign);
            isa->reduce_max[types[k]](&a, x, n);
            generic->reduce_max[types[k]](&b, x, n);
            assert_true(a == b);
            isa->reduce_min[types[k]](&a, x, n);
            generic->reduce_min[types[k]](&b, x, n);
            assert_true(a == b);
            isa->reduce_sum[types[k]](&a, x, n);
            generic->reduce_sum[types[k]](&b, x, n);
            assert_true(a == b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_follow_the_tree), cmocka_unit_test(half_sums_round_once),
        cmocka_unit_test(integer_sums_wrap),    cmocka_unit_test(extremes),
        cmocka_unit_test(zeros_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
