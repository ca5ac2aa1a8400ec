/* Random numbers: the generator against the known answers of its authors (Random123's kat_vectors);
 * uniform numbers against the definition; moments of the normal ones. tests/tensorflow compares all
 * of them with TensorFlow's. */
#include "views.h"

#include "aclnnop/sann_philox.h"
#include "softascend/philox.h"

static void test_known_answers(void **state)
{
    static const struct {
        uint64_t key, low, high;
        uint32_t words[4];
    } known[] = {
        {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {0x299f31d0a4093822,
         0x85a308d3243f6a88,
         0x0370734413198a2e,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t words[4];
        sa_philox(known[i].key, known[i].low, known[i].high, words);
        assert_memory_equal(words, known[i].words, sizeof words);
    }
}

static const int64_t sizes[] = {0, 1, 3, 4096, 4099, 70001};
#define SIZES (sizeof sizes / sizeof *sizes)

/* Past the end of the counter's low half, in every layout. */
static void test_uniform(void **state)
{
    static const sa_dtype dtypes[] = {SA_F32, SA_F16, SA_BF16};
    static const int bits[] = {23, 10, 7};
    const uint64_t key = 77, low = UINT64_MAX - 5, high = 9;
    (void)state;
    for (size_t s = 0; s < SIZES; s++)
        for (size_t d = 0; d < 3; d++) {
            ops_view out =
                ops_view_make(dtypes[d], 1, &sizes[s], (ops_layout)(s % OPS_LAYOUTS), NULL, NULL);
            OPS_OK(OPS_RUN(sannPhiloxUniform, key, low, high, out.t));
            ops_view_fetch(&out, "uniform");
            for (int64_t i = 0; i < out.elements; i++) {
                uint64_t at = low + (uint64_t)i / 4;
                uint32_t words[4];
                sa_philox(key, at, high + (at < low), words);
                double want = ldexp(words[i % 4] & ((1U << bits[d]) - 1), -bits[d]);
                assert_true(ops_view_at(&out, 1, &sizes[s], i) == want);
            }
            ops_view_free(&out);
        }
}

static void test_integers(void **state)
{
    static const sa_dtype dtypes[] = {SA_I32, SA_U32, SA_I64, SA_U64};
    static const int64_t n[] = {5001};
    static const struct {
        int64_t minimum;
        uint64_t range;
    } bounds[] = {{-7, 13}, {0, 0}, {5, 1}};
    (void)state;
    for (size_t d = 0; d < 4; d++)
        for (size_t b = 0; b < 3; b++) {
            bool wide = sa_dtype_bytes(dtypes[d]) == 8;
            ops_view out = ops_view_make(dtypes[d], 1, n, OPS_PLAIN, NULL, NULL);
            uint64_t got[5001];
            OPS_OK(
                OPS_RUN(sannPhiloxUniformInt, 3, 1, 2, bounds[b].minimum, bounds[b].range, out.t));
            ops_download(got, out.device, 5001 * sa_dtype_bytes(dtypes[d]));
            for (int i = 0; i < 5001; i++) {
                uint32_t w[4];
                sa_philox(3, 1 + (uint64_t)i / (wide ? 2 : 4), 2, w);
                uint64_t bits = wide ? w[i % 2 * 2] | (uint64_t)w[i % 2 * 2 + 1] << 32 : w[i % 4];
                uint64_t want =
                    (uint64_t)bounds[b].minimum + (bounds[b].range ? bits % bounds[b].range : bits);
                assert_true(wide ? got[i] == want : ((uint32_t *)got)[i] == (uint32_t)want);
            }
            ops_view_free(&out);
        }
}

/* n numbers: the mean lies within 5 of its own deviations of 0, the variance of its own. */
static void test_normal(void **state)
{
    static const int64_t n[] = {200000};
    (void)state;
    for (int truncated = 0; truncated < 2; truncated++) {
        ops_view out = ops_view_make(SA_F32, 1, n, OPS_PLAIN, NULL, NULL);
        double sum = 0, squares = 0, variance = truncated ? 0.7737 : 1;
        OPS_OK(truncated ? OPS_RUN(sannPhiloxTruncatedNormal, 5, 0, 6, out.t)
                         : OPS_RUN(sannPhiloxNormal, 5, 0, 6, out.t));
        ops_view_fetch(&out, "normal");
        for (int64_t i = 0; i < n[0]; i++) {
            double x = ops_load(SA_F32, out.host, i);
            assert_true(!truncated || fabs(x) < 2);
            sum += x;
            squares += x * x;
        }
        assert_true(fabs(sum / 200000) < 5 / sqrt(200000));
        assert_true(fabs(squares / 200000 - variance) < 5 * sqrt(2.0 / 200000));
        ops_view_free(&out);
    }
}

static void test_refusals(void **state)
{
    static const int64_t n[] = {4};
    (void)state;
    ops_view f = ops_view_make(SA_F32, 1, n, OPS_PLAIN, NULL, NULL);
    ops_view i = ops_view_make(SA_I32, 1, n, OPS_PLAIN, NULL, NULL);
    OPS_REFUSED(161001, "out", OPS_RUN(sannPhiloxUniform, 1, 2, 3, NULL));
    OPS_REFUSED(161002, "int32", OPS_RUN(sannPhiloxNormal, 1, 2, 3, i.t));
    OPS_REFUSED(161002, "float32", OPS_RUN(sannPhiloxUniformInt, 1, 2, 3, 0, 1, f.t));
    ops_view_free(&f);
    ops_view_free(&i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_integers),      cmocka_unit_test(test_normal),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, ops_setup, ops_teardown);
}
