/* Elementwise instructions against long double, rounded once by a search in the format; integers
 * against modular arithmetic. Special values crossed with each other, random bit patterns, and for
 * fp16's functions of one argument all 65,536. */
#include "harness.h"

typedef long double (*real2)(long double a, long double b);
typedef uint64_t (*whole2)(uint64_t a, uint64_t b); /* low bits are what counts */

static long double r_add(long double a, long double b)
{
    return a + b;
}
static long double r_sub(long double a, long double b)
{
    return a - b;
}
static long double r_mul(long double a, long double b)
{
    return a * b;
}
static long double r_div(long double a, long double b)
{
    return a / b;
}
/* NaN wins; of two zeros either will do where the caller compares values */
static long double r_max(long double a, long double b)
{
    return isnan(a) ? a : isnan(b) ? b : a > b ? a : b;
}
static long double r_min(long double a, long double b)
{
    return isnan(a) ? a : isnan(b) ? b : a < b ? a : b;
}
static long double r_lrelu(long double a, long double b)
{
    return a > 0 ? a : a * b;
}
static long double r_abs(long double a, long double b)
{
    (void)b;
    return fabsl(a);
}
static long double r_sqrt(long double a, long double b)
{
    (void)b;
    return sqrtl(a);
}
static long double r_rsqrt(long double a, long double b)
{
    (void)b;
    return 1 / sqrtl(a);
}
static long double r_rec(long double a, long double b)
{
    (void)b;
    return 1 / a;
}
static long double r_relu(long double a, long double b)
{
    (void)b;
    return isnan(a) ? a : a > 0 ? a : 0;
}

static uint64_t w_add(uint64_t a, uint64_t b)
{
    return a + b;
}
static uint64_t w_sub(uint64_t a, uint64_t b)
{
    return a - b;
}
static uint64_t w_mul(uint64_t a, uint64_t b)
{
    return a * b;
}
static uint64_t w_max(uint64_t a, uint64_t b)
{
    return (int64_t)a > (int64_t)b ? a : b;
}
static uint64_t w_min(uint64_t a, uint64_t b)
{
    return (int64_t)a < (int64_t)b ? a : b;
}
static uint64_t w_and(uint64_t a, uint64_t b)
{
    return a & b;
}
static uint64_t w_or(uint64_t a, uint64_t b)
{
    return a | b;
}
static uint64_t w_not(uint64_t a, uint64_t b)
{
    (void)b;
    return ~a;
}
static uint64_t w_abs(uint64_t a, uint64_t b)
{
    (void)b;
    return (int64_t)a < 0 ? 0 - a : a;
}
static uint64_t w_relu(uint64_t a, uint64_t b)
{
    (void)b;
    return (int64_t)a < 0 ? 0 : a;
}

typedef enum form { BINARY, UNARY, SCALAR } form;
typedef struct instruction {
    sa_instr instr;
    form form;
    size_t slot; /* offset of its bodies in sa_isa */
    real2 real;
    whole2 whole;
} instruction;
#define CASE(name, form, real, whole)                                                              \
    {                                                                                              \
        SA_I_##name, form, offsetof(sa_isa, name), real, whole                                     \
    }

static const instruction instructions[] = {
    CASE(add, BINARY, r_add, w_add),    CASE(sub, BINARY, r_sub, w_sub),
    CASE(mul, BINARY, r_mul, w_mul),    CASE(div, BINARY, r_div, NULL),
    CASE(max, BINARY, r_max, w_max),    CASE(min, BINARY, r_min, w_min),
    CASE(and, BINARY, NULL, w_and),     CASE(or, BINARY, NULL, w_or),
    CASE(abs, UNARY, r_abs, w_abs),     CASE(sqrt, UNARY, r_sqrt, NULL),
    CASE(rsqrt, UNARY, r_rsqrt, NULL),  CASE(rec, UNARY, r_rec, NULL),
    CASE(relu, UNARY, r_relu, w_relu),  CASE(not, UNARY, NULL, w_not),
    CASE(adds, SCALAR, r_add, w_add),   CASE(muls, SCALAR, r_mul, w_mul),
    CASE(maxs, SCALAR, r_max, w_max),   CASE(mins, SCALAR, r_min, w_min),
    CASE(lrelu, SCALAR, r_lrelu, NULL),
};

static const sa_dtype dtypes[] = {SA_F32, SA_F16, SA_BF16, SA_I8,  SA_U8,  SA_I16,
                                  SA_U16, SA_I32, SA_U32,  SA_I64, SA_U64, SA_BOOL};

static uint64_t expected(const instruction *in, sa_dtype t, uint64_t a, uint64_t b)
{
    const format *f = format_of(t);
    if (f)
        return encode(f, in->real(decode(f, (uint32_t)a), decode(f, (uint32_t)b)), SA_ROUND_RINT);
    if (t == SA_BOOL)
        return in->whole(a, b) & 1;
    int spare = 64 - 8 * (int)sa_dtype_bytes(t);
    if (is_signed_integer(t)) {
        a = (uint64_t)((int64_t)(a << spare) >> spare);
        b = (uint64_t)((int64_t)(b << spare) >> spare);
    }
    return in->whole(a, b) << spare >> spare;
}

/* max and min of zeros of both signs: the second operand's (body.h), the same on every backend. */
static uint64_t settle_zeros(const instruction *in, sa_dtype t, uint64_t a, uint64_t b,
                             uint64_t want)
{
    bool extreme = in->real == r_max || in->real == r_min;
    if (format_of(t) && extreme && value_of(t, a) == 0 && value_of(t, b) == 0)
        return b;
    return want;
}

static void compare(const sa_isa *isa, const instruction *in, sa_dtype t, const void *a,
                    const void *b, size_t n, double scalar, uint64_t scalar_bits)
{
    size_t size = sa_dtype_bytes(t);
    unsigned char *out = malloc(n * size + 64);
    memset(out, 0xa5, n * size + 64);
    void *body;
    memcpy(&body, (const char *)isa + in->slot + t * sizeof body, sizeof body);
    if (in->form == BINARY)
        ((sa_body_BINARY)body)(out, a, b, n);
    else if (in->form == UNARY)
        ((sa_body_UNARY)body)(out, a, n);
    else
        ((sa_body_SCALAR)body)(out, a, scalar, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t x = bits_at(t, a, i), y = in->form == BINARY ? bits_at(t, b, i) : scalar_bits;
        uint64_t want = settle_zeros(in, t, x, y, expected(in, t, x, y)), got = bits_at(t, out, i);
        if (!same(t, got, want))
            fail_msg("%s %s %s: element %zu of %zu: %#llx, %#llx gives %#llx, not %#llx",
                     isa->backend, sa_instr_describe(in->instr)->name, sa_dtype_name(t), i, n,
                     (unsigned long long)x, (unsigned long long)y, (unsigned long long)got,
                     (unsigned long long)want);
    }
    for (int i = 0; i < 64; i++)
        if (out[n * size + i] != 0xa5)
            fail_msg("%s %s %s of %zu writes past its end", isa->backend,
                     sa_instr_describe(in->instr)->name, sa_dtype_name(t), n);
    free(out);
}

static void compare_all(const sa_isa *isa, const instruction *in, sa_dtype t)
{
    static unsigned char a[SPECIALS * SPECIALS * 8], b[SPECIALS * SPECIALS * 8];
    uint64_t specials[SPECIALS], seed = 0x9e3779b97f4a7c15u + t;
    size_t count = special_bits(t, specials), n = 0;
    assert_true(count <= SPECIALS);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++, n++) {
            put_bits(t, a, n, specials[i]);
            put_bits(t, b, n, specials[j]);
        }
    static const double scalars[] = {0, 1, -1, 2.5, 0.1, -65504, 1e9, 40000, 1e-7};
    const format *f = format_of(t);
    for (int pass = 0; pass < 2; pass++) {
        if (in->form != SCALAR) {
            compare(isa, in, t, a, b, n, 0, 0);
        } else {
            for (size_t i = 0; i < COUNT(scalars); i++) {
                double s = f ? scalars[i] : truncl(scalars[i]);
                double limit = f ? INFINITY : ldexp(1, 8 * (int)sa_dtype_bytes(t) - 1);
                if (fabs(s) >= limit)
                    continue;
                uint64_t bits = 0;
                put_bits(t, &bits, 0, f ? encode(f, s, SA_ROUND_RINT) : (uint64_t)(int64_t)s);
                compare(isa, in, t, a, b, n, s, bits);
            }
        }
        /* then random patterns; for fp16, every one of them as the first operand */
        n = t == SA_F16 ? sizeof a / 8 : 5000;
        for (size_t i = 0; i < n; i++) {
            put_bits(t, a, i, t == SA_BOOL ? random64(&seed) & 1 : random64(&seed));
            put_bits(t, b, i, t == SA_BOOL ? random64(&seed) & 1 : random64(&seed));
        }
    }
    for (size_t length = 1; length < 70; length++) /* tails */
        if (in->form != SCALAR)
            compare(isa, in, t, a, b, length, 0, 0);
}

static void elementwise(void **state)
{
    (void)state;
    EACH_BACKEND(isa)
    for (size_t i = 0; i < COUNT(instructions); i++)
        for (size_t j = 0; j < COUNT(dtypes); j++)
            if (sa_instr_describe(instructions[i].instr)->dtypes >> dtypes[j] & 1)
                compare_all(isa, &instructions[i], dtypes[j]);
}

static void every_fp16_value(void **state)
{
    (void)state;
    static uint16_t all[65536];
    for (uint32_t i = 0; i < 65536; i++)
        all[i] = (uint16_t)i;
    EACH_BACKEND(isa)
    for (size_t i = 0; i < COUNT(instructions); i++)
        if (instructions[i].form == UNARY && instructions[i].real)
            compare(isa, &instructions[i], SA_F16, all, NULL, 65536, 0, 0);
}

/* dst + a * scalar, the product rounded first. */
static void axpy(void **state)
{
    (void)state;
    static const sa_dtype types[] = {SA_F32, SA_F16};
    uint64_t seed = 12345;
    EACH_BACKEND(isa)
    for (size_t k = 0; k < COUNT(types); k++) {
        sa_dtype t = types[k];
        const format *f = format_of(t);
        for (int i = 0; i < 20000; i++) {
            uint64_t d = 0, a = 0, s = 0;
            put_bits(t, &d, 0, random64(&seed));
            put_bits(t, &a, 0, random64(&seed));
            put_bits(t, &s, 0, random64(&seed));
            long double scalar = value_of(t, s);
            uint32_t product = encode(f, value_of(t, a) * scalar, SA_ROUND_RINT);
            uint64_t want = encode(f, value_of(t, d) + decode(f, product), SA_ROUND_RINT), got = d;
            isa->axpy[t](&got, &a, (double)scalar, 1);
            if (!same(t, got, want))
                fail_msg("%s axpy %s: %#llx + %#llx * %Lg gives %#llx, not %#llx", isa->backend,
                         sa_dtype_name(t), (unsigned long long)d, (unsigned long long)a, scalar,
                         (unsigned long long)got, (unsigned long long)want);
        }
    }
}

/* dst may be a source. */
static void in_place(void **state)
{
    (void)state;
    EACH_BACKEND(isa)
    {
        float a[37], b[37];
        for (int i = 0; i < 37; i++) {
            a[i] = (float)i;
            b[i] = 2;
        }
        isa->mul[SA_F32](a, a, b, 37);
        isa->add[SA_F32](b, a, b, 37);
        isa->sub[SA_F32](a, a, a, 37);
        for (int i = 0; i < 37; i++) {
            assert_true(b[i] == (float)(2 * i + 2));
            assert_true(a[i] == 0);
        }
    }
}

/* The slots of an instruction; NULL if it is made of others' (form OWN). */
static const char *sa_slots(const sa_isa *isa, const char *name)
{
#define SA_T(D)
#define SA_INSTR(instr, pipe, form, dtypes, cost) SLOTS_##form(instr)
#define SLOTS_(instr)                                                                              \
    if (strcmp(name, #instr) == 0)                                                                 \
        return (const char *)isa->instr;
#define SLOTS_OWN(instr)
#define SLOTS_ARG SLOTS_
#define SLOTS_BINARY SLOTS_
#define SLOTS_CAST SLOTS_
#define SLOTS_COMPARE SLOTS_
#define SLOTS_COMPARES SLOTS_
#define SLOTS_COPY_IN SLOTS_
#define SLOTS_COPY_L1 SLOTS_
#define SLOTS_COPY_OUT SLOTS_
#define SLOTS_COPY_UB SLOTS_
#define SLOTS_FILL SLOTS_
#define SLOTS_FIXPIPE SLOTS_
#define SLOTS_GATHER SLOTS_
#define SLOTS_LOAD_L0 SLOTS_
#define SLOTS_MMAD SLOTS_
#define SLOTS_ND2NZ SLOTS_
#define SLOTS_REDUCE SLOTS_
#define SLOTS_SCALAR SLOTS_
#define SLOTS_SELECT SLOTS_
#define SLOTS_SELECTS SLOTS_
#define SLOTS_TRANSPOSE SLOTS_
#define SLOTS_UNARY SLOTS_
#define SLOTS_WIDE_BINARY SLOTS_
#define SLOTS_WIDE_SCALAR SLOTS_
#include "core/isa.def"
#undef SA_INSTR
#undef SA_T
    return NULL;
}

/* Every dtype that isa.def promises has a body on every backend. */
static void no_slot_is_empty(void **state)
{
    (void)state;
    EACH_BACKEND(isa)
    {
        const void *body;
#define SA_T(D)                                                                                    \
    memcpy(&body, slots + SA_##D * sizeof body, sizeof body);                                      \
    if (!body)                                                                                     \
        fail_msg("%s: %s has no body for " #D, isa->backend, name);
#define SA_INSTR(instr, pipe, form, dtypes, cost)                                                  \
    {                                                                                              \
        const char *name = #instr, *slots = sa_slots(isa, #instr);                                 \
        if (slots && strcmp(name, "cast") != 0) {                                                  \
            dtypes                                                                                 \
        }                                                                                          \
    }
#include "core/isa.def"
#undef SA_INSTR
#undef SA_T
        for (size_t i = 0; i < COUNT(dtypes); i++)
            for (size_t j = 0; j < COUNT(dtypes); j++)
                assert_non_null(isa->cast[dtypes[i]][dtypes[j]]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_slot_is_empty), cmocka_unit_test(elementwise),
        cmocka_unit_test(every_fp16_value), cmocka_unit_test(axpy),
        cmocka_unit_test(in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
