/* Casts between all pairs of dtypes in all rounding modes, against long double and a search in the
 * format; fp16 and bf16 sources exhaustively. */
#include "harness.h"

static const sa_dtype dtypes[] = {SA_F32, SA_F16, SA_BF16, SA_I8,  SA_U8,  SA_I16,
                                  SA_U16, SA_I32, SA_U32,  SA_I64, SA_U64, SA_BOOL};

static long double to_integral(long double x, sa_round round)
{
    switch (round) {
    case SA_ROUND_FLOOR:
        return floorl(x);
    case SA_ROUND_CEIL:
        return ceill(x);
    case SA_ROUND_ROUND:
        return roundl(x);
    case SA_ROUND_TRUNC:
        return truncl(x);
    case SA_ROUND_ODD:
        return floorl(x) == x ? x : fmodl(floorl(x), 2) == 0 ? floorl(x) + 1 : floorl(x);
    default: {
        long double low = floorl(x), over = x - low;
        return over < 0.5L || (over == 0.5L && fmodl(low, 2) == 0) ? low : low + 1;
    }
    }
}

static uint64_t expected(sa_dtype to, sa_dtype from, uint64_t bits, sa_round round)
{
    long double x = value_of(from, bits);
    const format *source = format_of(from), *target = format_of(to);
    int width = 8 * (int)sa_dtype_bytes(to);
    uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
    if (to == SA_BOOL)
        return x != 0 || isnan(x);
    if (to == from && target && round != SA_ROUND_NONE) {
        long double whole = isnan(x) || isinf(x) ? x : copysignl(to_integral(x, round), x);
        return encode(target, whole, SA_ROUND_RINT);
    }
    if (target)
        return encode(target, x, round);
    if (!source) { /* integers keep their low bits */
        if (from == SA_BOOL)
            return bits != 0;
        int spare = 64 - 8 * (int)sa_dtype_bytes(from);
        if (is_signed_integer(from))
            bits = (uint64_t)((int64_t)(bits << spare) >> spare);
        return bits & mask;
    }
    if (isnan(x))
        return 0;
    long double low = is_signed_integer(to) ? -ldexpl(1, width - 1) : 0;
    long double high = ldexpl(1, is_signed_integer(to) ? width - 1 : width) - 1;
    long double whole = isinf(x) ? x : to_integral(x, round);
    if (whole <= low)
        return is_signed_integer(to) ? 1ull << (width - 1) : 0;
    if (whole >= high)
        return is_signed_integer(to) ? mask >> 1 : mask;
    return (whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole) & mask;
}

static void compare(const sa_isa *isa, sa_dtype to, sa_dtype from, const void *in, size_t n,
                    sa_round round)
{
    static const char *const modes[] = {"NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD"};
    unsigned char *out = malloc(n * 8 + 64);
    size_t end = n * sa_dtype_bytes(to);
    memset(out, 0xa5, n * 8 + 64);
    isa->cast[to][from](out, in, round, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t x = bits_at(from, in, i), got = bits_at(to, out, i);
        uint64_t want = expected(to, from, x, round);
        if (!same(to, got, want))
            fail_msg("%s: %s %#llx (%Lg) to %s, %s: %#llx, not %#llx", isa->backend,
                     sa_dtype_name(from), (unsigned long long)x, value_of(from, x),
                     sa_dtype_name(to), modes[round], (unsigned long long)got,
                     (unsigned long long)want);
    }
    for (size_t i = end; i < end + 64; i++)
        assert_int_equal(out[i], 0xa5);
    free(out);
}

static void all_pairs(void **state)
{
    (void)state;
    static unsigned char in[2000 * 8];
    EACH_BACKEND(isa)
    for (size_t i = 0; i < COUNT(dtypes); i++) {
        sa_dtype from = dtypes[i];
        uint64_t specials[SPECIALS], seed = 77 + from;
        size_t n = special_bits(from, specials);
        for (size_t k = 0; k < n; k++)
            put_bits(from, in, k, specials[k]);
        for (; n < 1500; n++)
            put_bits(from, in, n, from == SA_BOOL ? n & 1 : random64(&seed));
        for (; n < 2000; n++) /* floats that round to small integers */
            put_bits(from, in, n,
                     format_of(from)
                         ? encode(format_of(from), ((int)n - 1750) / 4.0L, SA_ROUND_RINT)
                         : n & 1);
        for (size_t j = 0; j < COUNT(dtypes); j++)
            for (sa_round round = SA_ROUND_NONE; round <= SA_ROUND_ODD; round++)
                compare(isa, dtypes[j], from, in, n, round);
        for (size_t j = 0; j < COUNT(dtypes); j++)
            for (size_t length = 1; length < 40; length++)
                compare(isa, dtypes[j], from, in, length, SA_ROUND_RINT);
    }
}

static void every_16_bit_float(void **state)
{
    (void)state;
    static uint16_t all[65536];
    static const sa_dtype from[] = {SA_F16, SA_BF16},
                          to[] = {SA_F32, SA_F16, SA_BF16, SA_I8, SA_I32};
    for (uint32_t i = 0; i < 65536; i++)
        all[i] = (uint16_t)i;
    EACH_BACKEND(isa)
    for (size_t i = 0; i < COUNT(from); i++)
        for (size_t j = 0; j < COUNT(to); j++)
            compare(isa, to[j], from[i], all, 65536, SA_ROUND_NONE);
}

/* Values known from IEEE 754 and from TensorFlow's casts. */
static void known_answers(void **state)
{
    (void)state;
    static const struct {
        float x;
        uint16_t half, bf16;
    } floats[] = {
        {1.0f, 0x3c00, 0x3f80},       {-2.0f, 0xc000, 0xc000},       {65504.0f, 0x7bff, 0x4780},
        {65519.996f, 0x7bff, 0x4780}, {65520.0f, 0x7c00, 0x4780},    {0x1p-24f, 0x0001, 0x3380},
        {0x1p-25f, 0x0000, 0x3300},   {0x1.000002p-25f, 1, 0x3300},  {0x1p-14f, 0x0400, 0x3880},
        {0.1f, 0x2e66, 0x3dcd},       {3.14159265f, 0x4248, 0x4049},
    };
    static const struct {
        float x;
        int32_t none, floor, ceil, round, trunc, odd;
    } integers[] = {
        {0.5f, 0, 0, 1, 1, 0, 1},
        {1.5f, 2, 1, 2, 2, 1, 1},
        {2.5f, 2, 2, 3, 3, 2, 3},
        {-0.5f, 0, -1, 0, -1, 0, -1},
        {-1.5f, -2, -2, -1, -2, -1, -1},
        {-2.5f, -2, -3, -2, -3, -2, -3},
        {3e9f, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX},
        {NAN, 0, 0, 0, 0, 0, 0},
    };
    EACH_BACKEND(isa)
    {
        for (size_t i = 0; i < COUNT(floats); i++) {
            uint16_t half, bf16;
            isa->cast[SA_F16][SA_F32](&half, &floats[i].x, SA_ROUND_NONE, 1);
            isa->cast[SA_BF16][SA_F32](&bf16, &floats[i].x, SA_ROUND_NONE, 1);
            assert_int_equal(half, floats[i].half);
            assert_int_equal(bf16, floats[i].bf16);
        }
        for (size_t i = 0; i < COUNT(integers); i++) {
            const int32_t want[] = {integers[i].none, integers[i].none,  integers[i].floor,
                                    integers[i].ceil, integers[i].round, integers[i].trunc,
                                    integers[i].odd};
            for (sa_round round = SA_ROUND_NONE; round <= SA_ROUND_ODD; round++) {
                int32_t got;
                isa->cast[SA_I32][SA_F32](&got, &integers[i].x, round, 1);
                assert_int_equal(got, want[round]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(all_pairs),
        cmocka_unit_test(every_16_bit_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
