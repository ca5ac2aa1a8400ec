/* sannLinear and sannActivationBackward against float64: sums within 2 K eps32 (|A||B| + |bias|),
 * what an activation makes of that, some units of float32, and half an ulp of the dtype. */
#include "aclnnop/sann_linear.h"
#include "views.h"

static const sa_dtype floats[] = {SA_F32, SA_F16, SA_BF16};
static const char *const names[] = {"none",    "relu", "relu6",     "tanh",
                                    "sigmoid", "gelu", "gelu_tanh", "silu"};
enum { ACTIVATIONS = sizeof names / sizeof *names };

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double value(int kind, double x)
{
    double wide = 2 * sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    switch (kind) {
    case 1:
        return x > 0 ? x : 0;
    case 2:
        return x > 6 ? 6 : x > 0 ? x : 0;
    case 3:
        return tanh(x);
    case 4:
        return sigmoid(x);
    case 5:
        return x * erfc(-x / sqrt(2)) / 2;
    case 6:
        return x * sigmoid(wide);
    case 7:
        return x * sigmoid(x);
    default:
        return x;
    }
}

static double slope(int kind, double x)
{
    const double h = 1e-5;
    return (value(kind, x + h) - value(kind, x - h)) / (2 * h);
}

static double some(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    (void)dtype;
    (void)i;
    return 2 * ops_random(seed);
}

typedef struct sizes {
    int rank;
    int64_t dims[4], k, n; /* of self */
} sizes;

static void check(sa_dtype dtype, const sizes *s, int kind, bool with_bias, bool keep,
                  ops_layout lx, ops_layout lw, ops_layout ly)
{
    uint64_t seed = (uint64_t)(s->k * 1009 + s->n * 31 + kind);
    int64_t out_dims[4], w_dims[] = {s->k, s->n};
    memcpy(out_dims, s->dims, sizeof out_dims);
    out_dims[s->rank - 1] = s->n;
    ops_view x = ops_view_make(dtype, s->rank, s->dims, lx, some, &seed);
    ops_view w = ops_view_make(dtype, 2, w_dims, lw, some, &seed);
    ops_view b = ops_view_make(dtype, 1, &s->n, ly, some, &seed);
    ops_view y = ops_view_make(dtype, s->rank, out_dims, ly, NULL, &seed);
    ops_view z = ops_view_make(dtype, s->rank, out_dims, ly, NULL, &seed);

    OPS_OK(OPS_RUN(sannLinear, x.t, w.t, with_bias ? b.t : NULL, kind ? names[kind] : NULL,
                   keep ? z.t : NULL, y.t));
    ops_view_fetch(&y, "out");
    ops_view_fetch(&z, "preactivation");
    for (int64_t i = 0; i < y.elements; i++) {
        int64_t row = i / s->n, col = i % s->n;
        double sum = with_bias ? ops_view_at(&b, 1, &s->n, col) : 0, most = fabs(sum);
        for (int64_t k = 0; k < s->k; k++) {
            double p = ops_view_at(&x, s->rank, s->dims, row * s->k + k) *
                       ops_view_at(&w, 2, w_dims, k * s->n + col);
            sum += p;
            most += fabs(p);
        }
        double off = 2 * (double)(s->k + 1) * 0x1p-24 * most, want = value(kind, sum);
        double bound = 1.2 * off + 6 * 0x1p-24 * fabs(want); /* slopes are below 1.2 */
        double have = ops_view_at(&y, s->rank, out_dims, i);
        if (dtype != SA_F32)
            bound += ops_ulp(dtype, fabs(want) + bound) / 2 * (1 + 0x1p-10),
                off += ops_ulp(dtype, fabs(sum) + off) / 2 * (1 + 0x1p-10);
        if (!(fabs(have - want) <= bound))
            fail_msg("%s %s k %lld n %lld: out %lld is %.9g, float64 says %.9g, allowed %.3g",
                     sa_dtype_name(dtype), names[kind], (long long)s->k, (long long)s->n,
                     (long long)i, have, want, bound);
        if (keep && !(fabs(ops_view_at(&z, s->rank, out_dims, i) - sum) <= off))
            fail_msg("%s %s: preactivation %lld is %.9g, float64 says %.9g", sa_dtype_name(dtype),
                     names[kind], (long long)i, ops_view_at(&z, s->rank, out_dims, i), sum);
    }
    ops_view_free(&x);
    ops_view_free(&w);
    ops_view_free(&b);
    ops_view_free(&y);
    ops_view_free(&z);
}

static void every_activation(void **state)
{
    static const sizes shapes[] = {
        {2, {1, 1}, 1, 1},        {2, {7, 33}, 33, 17},      {2, {80, 40}, 40, 130},
        {3, {2, 5, 19}, 19, 600}, {4, {2, 1, 3, 64}, 64, 9}, {2, {3, 0}, 0, 5},
        {2, {70, 500}, 500, 70},
    };
    (void)state;
    for (int d = 0; d < 3; d++)
        for (size_t i = 0; ops_has(floats[d]) && i < sizeof shapes / sizeof *shapes; i++)
            for (int kind = 0; kind < ACTIVATIONS; kind++)
                check(floats[d], &shapes[i], kind, (kind + (int)i) % 3 > 0, kind % 2, OPS_PLAIN,
                      OPS_PLAIN, OPS_PLAIN);
}

static void every_layout(void **state)
{
    const sizes flat = {2, {37, 21}, 21, 45}, deep = {3, {3, 11, 21}, 21, 45};
    (void)state;
    for (int d = 0; d < 3; d++)
        for (int x = 0; ops_has(floats[d]) && x < OPS_LAYOUTS; x++)
            for (int w = 0; w < OPS_LAYOUTS; w++) {
                check(floats[d], &flat, 1, true, true, x, w, (x + w) % OPS_LAYOUTS);
                check(floats[d], &deep, 5, true, false, x, w, (x + w) % OPS_LAYOUTS);
            }
}

static void backward(void **state)
{
    static const int64_t dims[] = {3, 701};
    (void)state;
    for (int d = 0; d < 3; d++)
        for (int kind = 0; ops_has(floats[d]) && kind < ACTIVATIONS; kind++)
            for (int l = 0; l < OPS_LAYOUTS; l++) {
                uint64_t seed = (uint64_t)kind + 1;
                sa_dtype dtype = floats[d];
                ops_view g = ops_view_make(dtype, 2, dims, l, some, &seed);
                ops_view z = ops_view_make(dtype, 2, dims, l, some, &seed);
                ops_view y = ops_view_make(dtype, 2, dims, l, NULL, &seed);
                OPS_OK(OPS_RUN(sannActivationBackward, g.t, z.t, names[kind], y.t));
                ops_view_fetch(&y, "gradInput");
                for (int64_t i = 0; i < y.elements; i++) {
                    double at = ops_view_at(&z, 2, dims, i), up = ops_view_at(&g, 2, dims, i);
                    double want = up * slope(kind, at), have = ops_view_at(&y, 2, dims, i);
                    double bound = fabs(up) * (8 * 0x1p-24 + 1e-9);
                    if (dtype != SA_F32)
                        bound += ops_ulp(dtype, fabs(want) + bound) / 2 * (1 + 0x1p-10);
                    if (fabs(at) > 1e-4 && !(fabs(have - want) <= bound))
                        fail_msg("%s %s: gradient at %.9g is %.9g, float64 says %.9g",
                                 sa_dtype_name(dtype), names[kind], at, have, want);
                }
                ops_view_free(&g);
                ops_view_free(&z);
                ops_view_free(&y);
            }
}

static void refusals(void **state)
{
    static const int64_t d23[] = {2, 3}, d34[] = {3, 4}, d24[] = {2, 4}, d4[] = {4}, d3[] = {3};
    uint64_t seed = 1;
    ops_view x = ops_view_make(SA_F32, 2, d23, OPS_PLAIN, some, &seed);
    ops_view w = ops_view_make(SA_F32, 2, d34, OPS_PLAIN, some, &seed);
    ops_view half = ops_view_make(SA_F16, 2, d34, OPS_PLAIN, some, &seed);
    ops_view b = ops_view_make(SA_F32, 1, d4, OPS_PLAIN, some, &seed);
    ops_view short_b = ops_view_make(SA_F32, 1, d3, OPS_PLAIN, some, &seed);
    ops_view y = ops_view_make(SA_F32, 2, d24, OPS_PLAIN, NULL, &seed);
    (void)state;
    OPS_REFUSED(161002, "k differs: self is [2, 4], weight is [3, 4]",
                OPS_RUN(sannLinear, y.t, w.t, b.t, NULL, NULL, y.t));
    OPS_REFUSED(161002, "bias", OPS_RUN(sannLinear, x.t, w.t, short_b.t, NULL, NULL, y.t));
    OPS_REFUSED(161002, "activation is 'swish'",
                OPS_RUN(sannLinear, x.t, w.t, b.t, "swish", NULL, y.t));
    OPS_REFUSED(161002, "weight", OPS_RUN(sannLinear, x.t, half.t, b.t, NULL, NULL, y.t));
    OPS_REFUSED(161002, "out", OPS_RUN(sannLinear, x.t, w.t, b.t, NULL, NULL, x.t));
    OPS_REFUSED(161002, "preactivation", OPS_RUN(sannLinear, x.t, w.t, b.t, NULL, x.t, y.t));
    OPS_REFUSED(161001, "self", OPS_RUN(sannLinear, NULL, w.t, b.t, NULL, NULL, y.t));
    OPS_REFUSED(161002, "preactivation", OPS_RUN(sannActivationBackward, y.t, x.t, "relu", y.t));
    OPS_REFUSED(161002, "activation is 'elu'",
                OPS_RUN(sannActivationBackward, y.t, y.t, "elu", y.t));
    ops_view_free(&x);
    ops_view_free(&w);
    ops_view_free(&half);
    ops_view_free(&b);
    ops_view_free(&short_b);
    ops_view_free(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_activation),
        cmocka_unit_test(every_layout),
        cmocka_unit_test(backward),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, ops_setup, ops_teardown);
}
