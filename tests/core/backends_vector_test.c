/* Every vector slot of every backend against the portable one, for every dtype that has a body:
 * same bits, NaN for NaN, nothing written past the end, operands anywhere, results in place. The
 * slots come from isa.def, so that a new instruction is tested from its first day. */
#include "backends.h"

enum { MOST = 1000, GUARD = 64, ROUNDS = 60 };

typedef struct operands {
    _Alignas(64) uint8_t a[(MOST + GUARD) * 8], b[(MOST + GUARD) * 8], mask[MOST / 8 + GUARD];
    uint32_t offset_bytes[MOST];
    size_t n, shift; /* elements; bytes that operands lie off their alignment */
    double scalar;
} operands;

typedef struct outcome {
    _Alignas(64) uint8_t bytes[(MOST + GUARD) * 8];
} outcome;

static bool is_float(sa_dtype d)
{
    return d == SA_F32 || d == SA_F16 || d == SA_BF16;
}

static const uint32_t specials_32[] = {
    0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F800001, 0x00000001,
    0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0xBF800000, 0x7FFFFFFF,
    0x42B17218, 0xC2CFF1B5, 0x3F000000, 0x477FF000, 0x387FE000, 0x33000000, 0x477FE000, 0x80000080,
};
static const uint16_t specials_16[] = {
    0x0000, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 0x0001, 0x8001, 0x03FF, 0x0400, 0x7BFF,
    0xFBFF, 0x3C00, 0xBC00, 0x7F80, 0xFF80, 0x7FC0, 0x7FFF, 0x8000, 0x0080, 0x7F7F, 0xFF7F, 0x3F80,
};

/* Random bits, numbers of usual size, special values. */
static void fill_values(sa_dtype dtype, uint8_t *p, size_t n)
{
    size_t size = sa_dtype_bytes(dtype);
    for (size_t i = 0; i < n; i++, p += size) {
        uint32_t kind = random_bits() % 8, bits = random_bits();
        uint64_t wide = (uint64_t)random_bits() << 32 | bits;
        if (dtype == SA_BOOL)
            wide &= 1;
        if (kind == 0 && size == 4)
            wide = specials_32[bits % 24];
        if (kind == 0 && size == 2)
            wide = specials_16[bits % 24];
        if (kind == 1 && size == 4) /* near the middle between two bf16, two fp16 */
            wide = bits & 1 ? (bits & 0xFFFF0000) + 0x7FFF + random_bits() % 3
                            : (bits & 0xBFFFE000) + 0x0FFF + random_bits() % 3;
        if (kind == 0 && size == 8)
            wide = bits & 1 ? (uint64_t)1 << 63 : UINT64_MAX >> 1;
        if (kind >= 5 && dtype == SA_F32) { /* in ±[2^-7, 2^9) */
            wide = (bits & 0x807FFFFF) | (120 + random_bits() % 16) << 23;
        } else if (kind >= 5 && dtype == SA_F16) {
            wide = (bits & 0x83FF) | (11 + random_bits() % 10) << 10;
        } else if (kind >= 6 && size >= 4) {
            wide = (uint64_t)(int64_t)((int32_t)bits % 300);
        }
        memcpy(p, &wide, size);
    }
}

static void prepare(sa_dtype dtype, operands *x)
{
    static const double scalars[] = {0,     -0.0,  1,    -1,     0.5,     3.3,
                                     -7.75, 1e-40, 1e30, -300.5, 65519.99};
    x->n = random_bits() % 4 ? random_size(1, MOST) : random_size(1, 70);
    x->shift = random_bits() % 2 ? 0 : random_size(0, 7) * sa_dtype_bytes(dtype);
    fill_values(dtype, x->a, MOST + 8);
    fill_values(dtype, x->b, MOST + 8);
    for (size_t i = 0; i < 40; i++) /* some equal elements */
        memcpy(x->b + i * 7 * sa_dtype_bytes(dtype), x->a + i * 7 * sa_dtype_bytes(dtype),
               sa_dtype_bytes(dtype));
    for (size_t i = 0; i < sizeof x->mask; i++)
        x->mask[i] = (uint8_t)random_bits();
    for (size_t i = 0; i < MOST; i++)
        x->offset_bytes[i] = (uint32_t)(random_bits() % MOST * sa_dtype_bytes(dtype));
    uint32_t kind = random_bits() % 14;
    x->scalar = kind < 11 ? scalars[kind] : kind == 11 ? NAN : kind == 12 ? INFINITY : -INFINITY;
}

static bool is_nan(sa_dtype dtype, const void *p)
{
    return is_float(dtype) && isnan(element(dtype, p, 0));
}

static void check_same(const char *instruction, const sa_isa *isa, sa_dtype dtype,
                       const operands *x, const uint8_t *want, const uint8_t *got)
{
    if (memcmp(want, got, sizeof(outcome)) == 0)
        return;
    size_t size = sa_dtype_bytes(dtype);
    for (size_t at = x->shift; at + size <= sizeof(outcome); at += size)
        if (memcmp(want + at, got + at, size) != 0 &&
            !(is_nan(dtype, want + at) && is_nan(dtype, got + at))) {
            uint64_t a = 0, b = 0, w = 0, g = 0;
            memcpy(&a, x->a + at, size);
            memcpy(&b, x->b + at, size);
            memcpy(&w, want + at, size);
            memcpy(&g, got + at, size);
            fail_msg("%s: %s %s, n %zu, scalar %a: element %zu is %llx, generic has %llx (operands "
                     "%llx, %llx)",
                     isa->backend, instruction, sa_dtype_name(dtype), x->n, x->scalar,
                     (at - x->shift) / size, (unsigned long long)g, (unsigned long long)w,
                     (unsigned long long)a, (unsigned long long)b);
        }
}

/* Runs `call` with BODY and DST of the portable and of the other backend. */
#define COMPARE_RUNS(result_dtype, call)                                                           \
    do {                                                                                           \
        static outcome want, got;                                                                  \
        for (int inplace = 0; inplace < 2; inplace++) {                                            \
            memset(&want, 0x5A, sizeof want);                                                      \
            memset(&got, 0x5A, sizeof got);                                                        \
            if (inplace)                                                                           \
                memcpy(want.bytes, x->a, sizeof want.bytes), memcpy(&got, &want, sizeof got);      \
            for (int other = 0; other < 2; other++) {                                              \
                uint8_t *dst = (other ? &got : &want)->bytes + x->shift;                           \
                const uint8_t *a = inplace ? dst : x->a + x->shift, *b = x->b + x->shift;          \
                void *body_of = *(void **)(other ? body : generic);                                \
                (void)a, (void)b;                                                                  \
                call;                                                                              \
            }                                                                                      \
            check_same(instruction, isa, result_dtype, x, want.bytes, got.bytes);                  \
            if (no_inplace)                                                                        \
                break;                                                                             \
        }                                                                                          \
    } while (0)

#define FORM(form, inplace, result_dtype, call)                                                    \
    static void check_##form(const char *instruction, const sa_isa *isa, sa_dtype dtype,           \
                             sa_body_##form *generic, sa_body_##form *body, const operands *x)     \
    {                                                                                              \
        const bool no_inplace = !(inplace);                                                        \
        (void)dtype;                                                                               \
        COMPARE_RUNS(result_dtype, sa_body_##form run; memcpy(&run, &body_of, sizeof run); call);  \
    }

FORM(BINARY, true, dtype, run(dst, a, b, x->n))
FORM(UNARY, true, dtype, run(dst, a, x->n))
FORM(SCALAR, true, dtype, run(dst, a, x->scalar, x->n))
FORM(WIDE_BINARY, false, dtype, run(dst, a, b, x->n))
FORM(WIDE_SCALAR, false, dtype, run(dst, a, x->scalar, x->n))
FORM(FILL, false, dtype, run(dst, x->scalar, x->n))
FORM(COMPARE, false, SA_U8, run(dst, a, b, (sa_cmp)(x->n % 6), x->n))
FORM(COMPARES, false, SA_U8, run(dst, a, x->scalar, (sa_cmp)(x->n % 6), x->n))
FORM(SELECT, true, dtype, run(dst, x->mask, a, b, x->n))
FORM(SELECTS, true, dtype, run(dst, x->mask, a, x->scalar, x->n))
FORM(GATHER, false, dtype, run(dst, a, x->offset_bytes, x->n))
FORM(TRANSPOSE, false, dtype, run(dst, a, x->n % 31 + 1, x->n / (x->n % 31 + 1)))
FORM(REDUCE, false, dtype, run(dst, a, x->n))
FORM(ARG, false, SA_U32, run(dst, a, x->n))

static void check_slots(const sa_isa *generic, const sa_isa *isa, operands *x)
{
#define CHECK(name, form)                                                                          \
    for (int d = 0; d < SA_DTYPE_END; d++) {                                                       \
        sa_body_##form want = generic->name[d], got = isa->name[d];                                \
        if (!(promised >> d & 1))                                                                  \
            continue;                                                                              \
        assert_true(want &&got);                                                                   \
        prepare((sa_dtype)d, x);                                                                   \
        if (want != got)                                                                           \
            check_##form(#name, isa, (sa_dtype)d, &want, &got, x);                                 \
    }
#define SA_T(dtype) | 1ull << SA_##dtype
#define SA_INSTR(name, pipe, form, dtypes, cost)                                                   \
    {                                                                                              \
        const uint64_t promised = 0 dtypes;                                                        \
        (void)promised;                                                                            \
        SLOT_##form(name, form)                                                                    \
    }
#define SLOT_BINARY CHECK
#define SLOT_UNARY CHECK
#define SLOT_SCALAR CHECK
#define SLOT_WIDE_BINARY CHECK
#define SLOT_WIDE_SCALAR CHECK
#define SLOT_OWN(name, form) /* made of other slots */
#define SLOT_FILL CHECK
#define SLOT_COMPARE CHECK
#define SLOT_COMPARES CHECK
#define SLOT_SELECT CHECK
#define SLOT_SELECTS CHECK
#define SLOT_GATHER CHECK
#define SLOT_TRANSPOSE CHECK
#define SLOT_REDUCE CHECK
#define SLOT_ARG CHECK
#define SLOT_CAST(name, form)     /* test_casts */
#define SLOT_COPY_IN(name, form)  /* memcpy in rows: the launch's tests */
#define SLOT_COPY_OUT(name, form) /* likewise */
#define SLOT_COPY_UB(name, form)
#define SLOT_COPY_L1(name, form)
#define SLOT_ND2NZ(name, form) /* backends_cube_test.c */
#define SLOT_LOAD_L0(name, form)
#define SLOT_FIXPIPE(name, form)
#define SLOT_MMAD(name, form)
#include "core/isa.def"
#undef SA_INSTR
#undef SA_T
}

static void test_slots(void **state)
{
    (void)state;
    operands *x = aligned_alloc(64, sizeof *x);
    assert_non_null(x);
    for (int i = 1; i < BACKEND_NAMES; i++) {
        const sa_isa *isa = sa_isa_named(backend_names[i]);
        for (int round = 0; isa && round < ROUNDS; round++)
            check_slots(sa_isa_named("generic"), isa, x);
    }
    free(x);
}

static void test_casts(void **state)
{
    (void)state;
    operands *x = aligned_alloc(64, sizeof *x);
    static outcome want, got;
    assert_non_null(x);
    const sa_isa *generic = sa_isa_named("generic");
    for (int i = 1; i < BACKEND_NAMES; i++) {
        const sa_isa *isa = sa_isa_named(backend_names[i]);
        for (int pass = 0; isa && pass < ROUNDS * SA_DTYPE_END * SA_DTYPE_END; pass++) {
            sa_dtype to = pass % SA_DTYPE_END, from = pass / SA_DTYPE_END % SA_DTYPE_END;
            sa_body_CAST a = generic->cast[to][from], b = isa->cast[to][from];
            sa_round round = random_bits() % 7;
            if (a == b)
                continue;
            prepare(from, x);
            x->shift = 0;
            memset(&want, 0x5A, sizeof want);
            memset(&got, 0x5A, sizeof got);
            a(want.bytes, x->a, round, x->n);
            b(got.bytes, x->a, round, x->n);
            check_same("cast", isa, to, x, want.bytes, got.bytes);
        }
    }
    free(x);
}

/* Every fp16 and bf16 there is to fp32, and fp32 back to them: the middle between neighbours goes
 * to the even one, the floats beside the middle to the nearer. */
static void test_16_bits(void **state)
{
    (void)state;
    enum { ALL = 1 << 16 };
    static uint16_t half[ALL], back[ALL];
    static float exact[ALL], beside[ALL];
    for (int i = 0; i < ALL; i++)
        half[i] = (uint16_t)i;
    for (int i = 0; i < BACKEND_NAMES; i++) {
        const sa_isa *isa = sa_isa_named(backend_names[i]);
        for (int bf16 = 0; isa && bf16 < 2; bf16++) {
            sa_dtype d = bf16 ? SA_BF16 : SA_F16;
            isa->cast[SA_F32][d](exact, half, SA_ROUND_NONE, ALL);
            for (int j = 0; j < ALL; j++) {
                double want = small_float(half[j], bf16 ? 8 : 5);
                assert_true(exact[j] == want || (isnan(exact[j]) && isnan(want)));
                assert_true(!signbit(want) == !signbit(exact[j]) || isnan(want));
            }
            for (int side = -1; side <= 1; side++) {
                for (int j = 0; j < ALL - 1; j++) {
                    float middle = exact[j] / 2 + exact[j + 1] / 2;
                    beside[j] = !isfinite(middle) ? exact[j]
                                : side ? nextafterf(middle, side < 0 ? exact[j] : exact[j + 1])
                                       : middle;
                }
                isa->cast[d][SA_F32](back, beside, SA_ROUND_RINT, ALL - 1);
                for (int j = 0; j < ALL - 1; j++) {
                    bool up = isfinite(exact[j] / 2 + exact[j + 1] / 2) &&
                              (side > 0 || (side == 0 && j % 2));
                    if (back[j] != j + up && !isnan(beside[j]))
                        fail_msg("%s: %s of %a is %04x, not %04x", isa->backend, sa_dtype_name(d),
                                 (double)beside[j], back[j], j + up);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_16_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
