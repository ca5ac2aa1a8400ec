/* The slots of attention on every backend against the portable ones: same bits; and those against
 * the instructions' bodies that they take the place of. */
#include "backends.h"

enum { ROWS = 37, COLS = 300, PITCH = 320, ROUNDS = 200 };

typedef struct state {
    _Alignas(64) float s[ROWS * PITCH], g[ROWS * PITCH];
    float max[ROWS], sum[ROWS], factor[ROWS], over[ROWS], dot[ROWS];
    uint8_t mask[COLS];
    size_t rows, cols;
} state;

static float usual(void)
{
    return (float)(int32_t)random_bits() * 0x1p-28f;
}

static void fill(state *x)
{
    static const float odd[] = {-INFINITY, -3e38f, NAN, 0, -90, -103.97f};
    x->rows = random_size(1, ROWS);
    x->cols = random_size(1, COLS);
    for (size_t i = 0; i < ROWS * PITCH; i++) {
        x->s[i] = random_bits() % 64 ? usual() : odd[random_bits() % 6];
        x->g[i] = usual();
    }
    for (size_t i = 0; i < ROWS; i++) {
        x->max[i] = random_bits() % 4 ? usual() : -0x1.fffffep127f;
        x->sum[i] = usual();
        x->factor[i] = usual();
        x->over[i] = usual();
        x->dot[i] = usual();
    }
    for (size_t i = 0; i < COLS; i++)
        x->mask[i] = random_bits() % 3 == 0;
}

static void compute(const sa_isa *isa, int what, state *x)
{
    if (what == 0)
        isa->attend(x->s, PITCH, x->rows, x->cols, x->max, x->sum, x->factor);
    else if (what == 1)
        isa->attend_grad(x->s, x->g, PITCH, x->rows, x->cols, x->max, x->over, x->dot);
    else if (what == 2)
        isa->attend_blend(x->s, x->g, PITCH, x->rows, x->cols, x->factor);
    else
        isa->attend_mask(x->s, x->mask, 7, x->cols);
}

static void same(const float *want, const float *got, size_t n, const char *backend, int what)
{
    for (size_t i = 0; i < n; i++)
        if (bits_of(want[i]) != bits_of(got[i]) && !(want[i] != want[i] && got[i] != got[i]))
            fail_msg("%s, slot %d: element %zu is %a, not %a", backend, what, i, (double)got[i],
                     (double)want[i]);
}

static void test_backends(void **unused)
{
    static state start, want, got;
    (void)unused;
    for (int b = 0; b < BACKEND_NAMES; b++) {
        const sa_isa *isa = sa_isa_named(backend_names[b]);
        for (int round = 0; isa && round < ROUNDS; round++) {
            int what = round % 4;
            fill(&start);
            want = got = start;
            compute(sa_isa_named("generic"), what, &want);
            compute(isa, what, &got);
            same(want.s, got.s, ROWS * PITCH, isa->backend, what);
            same(want.g, got.g, ROWS * PITCH, isa->backend, what);
            same(want.max, got.max, ROWS, isa->backend, what);
            same(want.sum, got.sum, ROWS, isa->backend, what);
            same(want.factor, got.factor, ROWS, isa->backend, what);
        }
    }
}

/* A step is ReduceMax, Max, Adds, Exp, ReduceSum and a multiply-add, to the bit. */
static void test_is_the_instructions(void **unused)
{
    static state x, y;
    const sa_isa *isa = sa_isa_active();
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        fill(&x);
        for (size_t i = 0; i < ROWS * PITCH; i++)
            x.s[i] = x.s[i] != x.s[i] ? 0 : x.s[i];
        y = x;
        isa->attend(x.s, PITCH, x.rows, x.cols, x.max, x.sum, x.factor);
        for (size_t r = 0; r < y.rows; r++) {
            float *row = y.s + r * PITCH, m, factor, sum;
            isa->reduce_max[SA_F32](&m, row, y.cols);
            isa->max[SA_F32](&m, &m, &y.max[r], 1);
            isa->sub[SA_F32](&factor, &y.max[r], &m, 1);
            isa->exp[SA_F32](&factor, &factor, 1);
            isa->adds[SA_F32](row, row, -(double)m, y.cols);
            isa->exp[SA_F32](row, row, y.cols);
            isa->reduce_sum[SA_F32](&sum, row, y.cols);
            sum = fmaf(y.sum[r], factor, sum);
            same(row, x.s + r * PITCH, y.cols, isa->backend, 0);
            same(&m, &x.max[r], 1, "max", 0);
            same(&factor, &x.factor[r], 1, "factor", 0);
            same(&sum, &x.sum[r], 1, "sum", 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backends),
        cmocka_unit_test(test_is_the_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
