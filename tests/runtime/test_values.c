/* Helpers that need no device: binary16, element sizes, data buffers. */
#include "fixture.h"

#include <math.h>

/* binary16 from its definition: sign, exponent, fraction. */
static double half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 31  ? (fraction ? NAN : INFINITY)
               : exponent == 0 ? ldexp(fraction, -24)
                               : ldexp(1024 + fraction, exponent - 25);
    return h & 0x8000 ? -v : v;
}

static void half_to_float(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        double want = half_value((uint16_t)h);
        float got = aclFloat16ToFloat((uint16_t)h);
        if (isnan(want))
            assert_true(isnan(got));
        else
            assert_true(got == (float)want && !signbit(got) == !signbit(want));
        if (!isnan(want))
            assert_int_equal(aclFloatToFloat16(got), h);
        else
            assert_true(isnan(half_value(aclFloatToFloat16(got))));
    }
}

/* Between neighbours the nearer one, on a tie the even one. */
static void float_to_half(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x7c00; h++) {
        double low = half_value((uint16_t)h);
        double high = h == 0x7bff ? 65536 : half_value((uint16_t)(h + 1));
        float middle = (float)((low + high) / 2); /* exact */
        for (int sign = 0; sign < 2; sign++) {
            uint16_t s = sign ? 0x8000 : 0;
            float m = sign ? -middle : middle;
            assert_int_equal(aclFloatToFloat16(m), s | (h & 1 ? h + 1 : h));
            assert_int_equal(aclFloatToFloat16(nextafterf(m, 0)), s | h);
            assert_int_equal(aclFloatToFloat16(nextafterf(m, sign ? -INFINITY : INFINITY)),
                             s | (h + 1));
        }
    }
    assert_int_equal(aclFloatToFloat16(INFINITY), 0x7c00);
    assert_int_equal(aclFloatToFloat16(-3.4e38f), 0xfc00);
    assert_int_equal(aclFloatToFloat16(1e-45f), 0);
    assert_int_equal(aclFloatToFloat16(-0.0f), 0x8000);
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        aclDataType type;
        size_t bytes;
    } cases[] = {{ACL_FLOAT, 4},     {ACL_FLOAT16, 2}, {ACL_INT8, 1},        {ACL_INT32, 4},
                 {ACL_UINT8, 1},     {ACL_INT16, 2},   {ACL_UINT16, 2},      {ACL_UINT32, 4},
                 {ACL_INT64, 8},     {ACL_UINT64, 8},  {ACL_DOUBLE, 8},      {ACL_BOOL, 1},
                 {ACL_BF16, 2},      {ACL_STRING, 0},  {ACL_COMPLEX64, 8},   {ACL_COMPLEX128, 16},
                 {ACL_COMPLEX32, 4}, {ACL_INT4, 0},    {ACL_DT_UNDEFINED, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(aclDataTypeSize(cases[i].type), cases[i].bytes);
}

static void buffers(void **state)
{
    (void)state;
    int a, b;
    aclDataBuffer *buffer = aclCreateDataBuffer(&a, (size_t)5 << 32);
    assert_non_null(buffer);
    assert_ptr_equal(aclGetDataBufferAddr(buffer), &a);
    assert_int_equal(aclGetDataBufferSizeV2(buffer), (size_t)5 << 32);
    ok(aclUpdateDataBuffer(buffer, &b, 4));
    assert_ptr_equal(aclGetDataBufferAddr(buffer), &b);
    assert_int_equal(aclGetDataBufferSizeV2(buffer), 4);
    ok(aclDestroyDataBuffer(buffer));
    fails(aclDestroyDataBuffer(NULL), ACL_ERROR_INVALID_PARAM);
    fails(aclUpdateDataBuffer(NULL, &a, 1), ACL_ERROR_INVALID_PARAM);
    assert_null(aclGetDataBufferAddr(NULL));
    assert_int_equal(aclGetDataBufferSizeV2(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_to_float),
        cmocka_unit_test(float_to_half),
        cmocka_unit_test(sizes),
        cmocka_unit_test(buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
