/* Rearranging and sorting, against plain loops and the C library's sort. */
#include "harness.h"

static uint64_t seed = 7;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(random64(&seed) >> 33) % n;
}

static void run(sa_kernel kernel)
{
    sa_error error;
    if (run_kernel(kernel, NULL, 1, SA_AIV, &error) != SA_OK)
        fail_msg("%s", error.message);
}

/* ---- rearranging */

static void gather_mask_kernel(sa_core *core, void *args)
{
    (void)args;
    uint8_t *ub = sa_local(core, SA_UB, 0);
    uint16_t *in = (uint16_t *)ub, *out = (uint16_t *)(ub + 8192);
    uint8_t *bits = ub + 16384;
    for (int pass = 0; pass < 200; pass++) {
        for (int i = 0; i < 4096; i++)
            in[i] = (uint16_t)random64(&seed);
        for (int i = 0; i < 1024; i++)
            bits[i] = (uint8_t)random64(&seed);
        int pattern = (int)below(8);
        uint32_t n = below(2) ? 0 : 1 + below(200), times = 1 + below(4), count = 0;
        sa_stride s = {1, 8 + below(6)};
        if (n)
            s.repeat = 16;
        uint32_t got = sa_gather_mask(core, SA_F16, out, in, pattern, bits, n, times, s, 1);
        for (uint32_t t = 0; t < times; t++)
            for (uint32_t i = 0; i < (n ? n : 128); i++) {
                static const char *const of_four[] = {"",     "1010", "0101", "1000",
                                                      "0100", "0010", "0001", "1111"};
                bool take =
                    pattern ? of_four[pattern][i % 4] == '1' : bits[t * 32 + i / 8] >> i % 8 & 1;
                if (take && count < 2048)
                    assert_int_equal(out[count++], in[t * s.repeat * 16 + i]);
            }
        assert_int_equal(got, count);
    }
}

static void gather_by_mask(void **state)
{
    (void)state;
    run(gather_mask_kernel);
}

static void moves_kernel(sa_core *core, void *args)
{
    (void)args;
    uint8_t *ub = sa_local(core, SA_UB, 0);
    float *in = (float *)ub, *out = (float *)(ub + 8192);
    uint32_t *offsets = (uint32_t *)(ub + 65536);
    for (int i = 0; i < 2048; i++)
        in[i] = (float)i;
    for (uint32_t i = 0; i < 24; i++)
        offsets[i] = below(200) * 32;
    sa_gather_blocks(core, SA_F32, out, in, offsets, 3, (sa_stride){2, 17});
    for (uint32_t i = 0; i < 24; i++)
        for (uint32_t j = 0; j < 8; j++)
            assert_true(out[i / 8 * 17 * 8 + i % 8 * 16 + j] == (float)(offsets[i] / 4 + j));

    sa_brcb(core, SA_F32, out, in + 3, 2, (sa_stride){1, 8});
    for (int i = 0; i < 128; i++)
        assert_true(out[i] == (float)(3 + i / 8));

    sa_broadcast(core, SA_F32, out, in + 5, 7, 9, 0);
    for (int i = 0; i < 63; i++)
        assert_true(out[i] == (float)(5 + i % 9));
    sa_broadcast(core, SA_F32, out, in + 5, 7, 9, 1);
    for (int i = 0; i < 63; i++)
        assert_true(out[i] == (float)(5 + i / 9));

    sa_arange(core, SA_F32, out, 0.5, -0.25, 33);
    for (int i = 0; i < 33; i++)
        assert_true(out[i] == 0.5f - 0.25f * (float)i);
    sa_arange(core, SA_I32, out, 100, 3, 33);
    for (int i = 0; i < 33; i++)
        assert_int_equal(((int32_t *)out)[i], 100 + 3 * i);

    for (uint32_t i = 0; i < 50; i++) /* each place once, in a mixed order */
        offsets[i] = i * 17 % 50 * 4;
    sa_scatter(core, SA_F32, out, in, offsets, 50);
    for (uint32_t i = 0; i < 50; i++)
        assert_true(out[i * 17 % 50] == (float)i);
}

static void elements_move(void **state)
{
    (void)state;
    run(moves_kernel);
}

static void transpose_kernel(sa_core *core, void *args)
{
    (void)args;
    static const sa_dtype types[] = {SA_F16, SA_F32, SA_I8};
    uint8_t *ub = sa_local(core, SA_UB, 0);
    for (int k = 0; k < 12; k++) {
        sa_dtype t = types[k % 3];
        size_t size = sa_dtype_bytes(t);
        bool high = k / 3 % 2, from_high = k / 6;
        void *dst[16];
        const void *src[16];
        for (int i = 0; i < 4096; i++)
            ub[i] = (uint8_t)random64(&seed);
        for (int i = 0; i < 16; i++) {
            src[i] = ub + 128 * i;
            dst[i] = ub + 8192 + 128 * ((i * 5) % 16);
        }
        sa_transpose_blocks(core, t, dst, src, high, from_high, 2, 1, 2);
        for (size_t repeat = 0; repeat < 2; repeat++)
            for (size_t j = 0; j < 16; j++)
                for (size_t i = 0; i < (size == 4 ? 8 : 16); i++) {
                    const uint8_t *from = (const uint8_t *)src[j] + 64 * repeat;
                    const uint8_t *row = dst[size == 4 ? 2 * i + j / 8 : i];
                    size_t at = size == 4 ? j % 8 : j + (size == 1 && high ? 16 : 0);
                    assert_true(bits_at(t, row + 32 * repeat, at) ==
                                bits_at(t, from, i + (size == 1 && from_high ? 16 : 0)));
                }
    }
}

static void blocks_transpose(void **state)
{
    (void)state;
    run(transpose_kernel);
}

/* ---- sorting */

typedef struct pair {
    double value;
    uint32_t index;
} pair;

static int by_value(const void *a, const void *b) /* highest first, then by place */
{
    const pair *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static double pair_value(sa_dtype t, const uint8_t *pairs, size_t i)
{
    return (double)value_of(t, bits_at(t, pairs + 8 * i, 0));
}

static uint32_t pair_index(const uint8_t *pairs, size_t i)
{
    uint32_t index;
    memcpy(&index, pairs + 8 * i + 4, 4);
    return index;
}

static void sort_kernel(sa_core *core, void *args)
{
    (void)args;
    static pair want[4096];
    static const sa_dtype types[] = {SA_F32, SA_F16};
    uint8_t *ub = sa_local(core, SA_UB, 0), *values = ub, *indices = ub + 16384;
    uint8_t *pairs = ub + 32768, *more = ub + 65536;
    for (int k = 0; k < 2; k++) {
        sa_dtype t = types[k];
        enum { N = 4 * 128 };
        for (uint32_t i = 0; i < N; i++) {
            want[i] = (pair){(double)below(100) - 50, i};
            put_bits(t, values, i, encode(format_of(t), want[i].value, SA_ROUND_RINT));
            memcpy(indices + 4 * i, &i, 4);
        }
        sa_sort32(core, t, pairs, values, indices, N / 32);
        for (int run = 0; run < N / 32; run++)
            qsort(want + 32 * run, 32, sizeof *want, by_value);
        for (size_t i = 0; i < N; i++) {
            assert_true(pair_value(t, pairs, i) == want[i].value);
            assert_int_equal(pair_index(pairs, i), want[i].index);
        }
        /* four repeats merge four runs of 32 each */
        const void *src[4] = {pairs, pairs + 256, pairs + 512, pairs + 768};
        const uint32_t lengths[4] = {32, 32, 32, 32};
        uint32_t taken[4];
        assert_int_equal(sa_merge4(core, t, more, src, lengths, false, 4, taken), N);
        for (int run = 0; run < 4; run++)
            qsort(want + 128 * run, 128, sizeof *want, by_value);
        for (size_t i = 0; i < N; i++) {
            assert_true(pair_value(t, more, i) == want[i].value);
            assert_int_equal(pair_index(more, i), want[i].index);
        }
        /* runs of other lengths, one of them none; once to the end, once until one is empty */
        const void *runs[4] = {more, more + 8 * 128, more, more + 8 * 256};
        const uint32_t some[4] = {100, 128, 0, 37};
        assert_int_equal(sa_merge4(core, t, pairs, runs, some, false, 1, taken), 265);
        for (size_t i = 1; i < 265; i++)
            assert_true(pair_value(t, pairs, i - 1) >= pair_value(t, pairs, i));
        uint32_t n = sa_merge4(core, t, pairs, runs, some, true, 1, taken);
        assert_int_equal(n, taken[0] + taken[1] + taken[3]);
        assert_true((taken[0] == 100) + (taken[1] == 128) + (taken[3] == 37) == 1);
        assert_int_equal(taken[2], 0);
        /* sort as a whole, and apart again */
        for (uint32_t i = 0; i < 1001; i++) {
            want[i] = (pair){(double)below(300), i};
            put_bits(t, values, i, encode(format_of(t), want[i].value, SA_ROUND_RINT));
        }
        qsort(want, 1001, sizeof *want, by_value);
        sa_sort(core, t, pairs, values, NULL, 1001);
        sa_extract(core, t, more, indices, pairs, 1001);
        for (uint32_t i = 0; i < 1001; i++) {
            assert_true((double)value_of(t, bits_at(t, more, i)) == want[i].value);
            uint32_t index;
            memcpy(&index, indices + 4 * i, 4);
            assert_int_equal(index, want[i].index);
        }
    }
}

static void pairs_sort_and_merge(void **state)
{
    (void)state;
    run(sort_kernel);
}

static void topk_kernel(sa_core *core, void *args)
{
    (void)args;
    enum { ROWS = 3, COLS = 77, PITCH = 80, K = 9, K_PITCH = 16 };
    float *in = sa_alloc(core, SA_UB, ROWS * PITCH * 4), *v = sa_alloc(core, SA_UB, 1024);
    int32_t *x = sa_alloc(core, SA_UB, 1024);
    for (int largest = 0; largest < 2; largest++) {
        for (int i = 0; i < ROWS * PITCH; i++)
            in[i] = i % PITCH < COLS ? (float)below(60) - 30 : largest ? 1e9f : -1e9f;
        sa_topk(core, SA_F32, v, x, in, NULL, ROWS, COLS, PITCH, K, K_PITCH, largest);
        for (int r = 0; r < ROWS; r++) {
            pair want[COLS];
            for (uint32_t i = 0; i < COLS; i++)
                want[i] = (pair){(largest ? 1 : -1) * (double)in[r * PITCH + (int)i], i};
            qsort(want, COLS, sizeof *want, by_value);
            for (int i = 0; i < K; i++) {
                assert_true((double)v[r * K_PITCH + i] == (largest ? 1 : -1) * want[i].value);
                assert_int_equal(x[r * K_PITCH + i], want[i].index);
            }
        }
    }
}

static void rows_give_their_k_best(void **state)
{
    (void)state;
    run(topk_kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gather_by_mask),         cmocka_unit_test(elements_move),
        cmocka_unit_test(blocks_transpose),       cmocka_unit_test(pairs_sort_and_merge),
        cmocka_unit_test(rows_give_their_k_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
