/* The slots of rows on every backend against the portable ones, and those against the
 * instructions' bodies that they take the place of: same bits. */
#include "backends.h"

enum { MOST = 1100, ROUNDS = 3000, GUARD = 16 };

static const sa_dtype dtypes[] = {SA_F32, SA_F16, SA_BF16};

/* Operands at any alignment; out has room around it that must stay as it is. */
typedef struct state {
    _Alignas(64) char x[4 * MOST + 64], y[4 * MOST + 64], out[4 * MOST + 64 + 2 * GUARD];
    float e[MOST], f[MOST], w[MOST], b[MOST], scalar[2], result, sums[2];
    sa_row_norm by;
} state;

typedef struct call {
    sa_dtype dtype;
    size_t n, at, bytes;
    bool past, with_y;
} call;

static float some_float(void)
{
    static const float odd[] = {-INFINITY, -3e38f, -0.0f, 0, -90, -103.97f, 1e-40f};
    return random_bits() % 32 ? (float)(int32_t)random_bits() * 0x1p-28f : odd[random_bits() % 7];
}

static void fill(state *s, call *c, int round)
{
    const sa_isa *isa = sa_isa_named("generic");
    float wide[MOST];
    c->dtype = dtypes[round % 3];
    c->n = random_size(1, round % 2 ? MOST - GUARD : 200);
    c->bytes = c->dtype == SA_F32 ? 4 : 2;
    c->at = random_size(0, 15);
    c->past = random_bits() % 2;
    c->with_y = random_bits() % 2;
    memset(s, 0x5A, sizeof *s);
    for (int k = 0; k < 2; k++) {
        char *to = (k ? s->y : s->x) + c->at * c->bytes;
        for (size_t i = 0; i < c->n; i++)
            wide[i] = some_float();
        if (random_bits() % 16 == 0)
            wide[random_size(0, c->n - 1)] = NAN;
        if (c->dtype == SA_F32)
            memcpy(to, wide, 4 * c->n);
        else
            isa->cast[c->dtype][SA_F32](to, wide, SA_ROUND_RINT, c->n);
    }
    for (size_t i = 0; i < MOST; i++) {
        s->e[i] = fabsf(some_float());
        s->f[i] = some_float();
        s->w[i] = some_float();
        s->b[i] = some_float();
    }
    s->by = (sa_row_norm){.near = some_float(),
                          .rest = some_float(),
                          .mean = some_float(),
                          .rstd = some_float(),
                          .a = some_float(),
                          .c = some_float()};
    s->sums[0] = s->sums[1] = 0;
    s->scalar[0] = some_float();
    s->scalar[1] = some_float();
    s->result = 0;
}

static const char *const names[] = {"max",       "exp",       "scale",   "log",     "log_dot",
                                    "grad",      "dot",       "sum",     "moments", "norm",
                                    "norm_dots", "norm_grad", "norm_add"};
enum { MAX, EXP, SCALE, LOG, LOG_DOT, GRAD, DOT, SLOTS_OF_SOFTMAX };
enum { SUM = SLOTS_OF_SOFTMAX, MOMENTS, NORM, NORM_DOTS, NORM_GRAD, NORM_ADD, SLOTS };

static void compute(const sa_isa *isa, int slot, const call *c, state *s)
{
    const char *x = s->x + c->at * c->bytes, *y = s->y + c->at * c->bytes;
    char *out = s->out + GUARD + c->at * c->bytes;
    const sa_dtype t = c->dtype;
    switch (slot) {
    case MAX:
        s->result = isa->row_max[t](x, c->n);
        break;
    case EXP:
        s->result = isa->row_exp[t](s->e, x, c->n, isa->row_max[t](x, c->n), x);
        break;
    case SCALE:
        isa->row_scale[t](out, s->e, c->with_y ? y : NULL, c->n, s->scalar[0], c->past);
        break;
    case LOG:
        isa->row_log[t](out, x, c->n, s->scalar[0], s->scalar[1], c->past);
        break;
    case LOG_DOT:
        s->result = isa->row_log_dot[t](x, y, c->n, s->scalar[0], s->scalar[1]);
        break;
    case GRAD:
        isa->row_grad[t](out, x, y, c->n, s->scalar[0], c->past);
        break;
    case DOT:
        s->result = isa->row_dot[t](x, y, c->n);
        break;
    case SUM:
        s->result = isa->row_sum[t](x, c->n);
        break;
    case MOMENTS:
        isa->row_moments[t](x, c->n, s->by.near, s->sums, c->with_y ? x : NULL);
        break;
    case NORM:
        s->by.w = c->with_y ? s->w : NULL;
        s->by.b = c->n % 3 ? s->b : NULL;
        isa->row_norm[t](out, x, c->n, &s->by, c->past);
        break;
    case NORM_DOTS:
        s->by.w = c->with_y ? s->w : NULL;
        isa->row_norm_dots[t](y, x, c->n, &s->by, s->sums);
        break;
    case NORM_GRAD:
        s->by.w = c->with_y ? s->w : NULL;
        isa->row_norm_grad[t](out, y, x, c->n, &s->by, c->past);
        break;
    case NORM_ADD:
        isa->row_norm_add[t](c->with_y ? s->e : NULL, c->n % 3 ? s->f : NULL, y, x, c->n, &s->by);
        break;
    }
}

/* The same by instructions: all in float32, rounded once. */
static void instructions(const sa_isa *isa, int slot, const call *c, state *s)
{
    const sa_dtype t = c->dtype;
    float x[MOST], y[MOST];
    char *out = s->out + GUARD + c->at * c->bytes;
    size_t n = c->n;
    memcpy(x, s->x + c->at * 4, t == SA_F32 ? 4 * n : 0);
    memcpy(y, s->y + c->at * 4, t == SA_F32 ? 4 * n : 0);
    if (t != SA_F32) {
        isa->cast[SA_F32][t](x, s->x + c->at * 2, SA_ROUND_NONE, n);
        isa->cast[SA_F32][t](y, s->y + c->at * 2, SA_ROUND_NONE, n);
    }
    switch (slot) {
    case MAX:
    case EXP:
        isa->reduce_max[SA_F32](&s->result, x, n);
        if (slot == MAX)
            return;
        isa->adds[SA_F32](s->e, x, -(double)s->result, n);
        isa->exp[SA_F32](s->e, s->e, n);
        isa->reduce_sum[SA_F32](&s->result, s->e, n);
        return;
    case SCALE:
        isa->muls[SA_F32](x, s->e, (double)s->scalar[0], n);
        if (c->with_y)
            isa->sub[SA_F32](x, x, y, n);
        break;
    case LOG:
    case LOG_DOT:
        isa->adds[SA_F32](x, x, -(double)s->scalar[0], n);
        isa->adds[SA_F32](x, x, -(double)s->scalar[1], n);
        if (slot == LOG)
            break;
        isa->mul[SA_F32](x, x, y, n);
        isa->reduce_sum[SA_F32](&s->result, x, n);
        return;
    case GRAD:
        isa->adds[SA_F32](x, x, -(double)s->scalar[0], n);
        isa->mul[SA_F32](x, x, y, n);
        break;
    case DOT:
        isa->mul[SA_F32](x, x, y, n);
        isa->reduce_sum[SA_F32](&s->result, x, n);
        return;
    }
    if (t == SA_F32)
        memcpy(out, x, 4 * n);
    else
        isa->cast[t][SA_F32](out, x, SA_ROUND_RINT, n);
}

static bool equal(double a, double b)
{
    return a != a ? b != b : a == b && signbit(a) == signbit(b);
}

static void same(const state *want, const state *got, int slot, const call *c, const char *backend)
{
    char what[120];
    size_t first = GUARD + c->at * c->bytes, last = first + c->n * c->bytes;
    snprintf(what, sizeof what, "%s row_%s %s, %zu from %zu on, past %d", backend, names[slot],
             sa_dtype_name(c->dtype), c->n, c->at, c->past);
    if (!equal((double)want->result, (double)got->result))
        fail_msg("%s: %a, not %a", what, (double)got->result, (double)want->result);
    for (int i = 0; i < 2; i++)
        if (!equal((double)want->sums[i], (double)got->sums[i]))
            fail_msg("%s: sum %d is %a, not %a", what, i, (double)got->sums[i],
                     (double)want->sums[i]);
    for (size_t i = 0; i < MOST; i++)
        if (!equal((double)want->f[i], (double)got->f[i]))
            fail_msg("%s: f[%zu] is %a, not %a", what, i, (double)got->f[i], (double)want->f[i]);
    for (size_t i = 0; i < MOST; i++)
        if (!equal((double)want->e[i], (double)got->e[i]))
            fail_msg("%s: e[%zu] is %a, not %a", what, i, (double)got->e[i], (double)want->e[i]);
    for (size_t i = 0; i < sizeof want->out; i++)
        if ((i < first || i >= last) && want->out[i] != got->out[i])
            fail_msg("%s: byte %zu is written, outside the row", what, i);
    for (size_t i = 0; i < c->n; i++) {
        double a = element(c->dtype, want->out + first, i);
        double b = element(c->dtype, got->out + first, i);
        if (!equal(a, b))
            fail_msg("%s: out[%zu] is %a, not %a", what, i, b, a);
    }
}

static void test_backends(void **unused)
{
    static state start, want, got;
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        int slot = round / 3 % SLOTS;
        call c;
        fill(&start, &c, round);
        want = start;
        compute(sa_isa_named("generic"), slot, &c, &want);
        for (int b = 0; b < BACKEND_NAMES; b++) {
            const sa_isa *isa = sa_isa_named(backend_names[b]);
            if (!isa)
                continue;
            got = start;
            compute(isa, slot, &c, &got);
            same(&want, &got, slot, &c, isa->backend);
        }
    }
}

/* Of softmax; layer norm's by whole operators (tests/ops). But for NaN among the operands, which a
 * row's maximum passes over. */
static void test_is_the_instructions(void **unused)
{
    static state start, want, got;
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        int slot = round / 3 % SLOTS_OF_SOFTMAX;
        bool nan = false;
        call c;
        fill(&start, &c, round);
        for (size_t i = 0; i < c.n; i++)
            nan |= isnan(element(c.dtype, start.x + c.at * c.bytes, i));
        if (nan && slot <= EXP)
            continue;
        want = got = start;
        instructions(sa_isa_named("generic"), slot, &c, &want);
        compute(sa_isa_active(), slot, &c, &got);
        if (slot == MAX) /* of zeros of both signs, either */
            want.result += 0.0f, got.result += 0.0f;
        same(&want, &got, slot, &c, "active");
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
