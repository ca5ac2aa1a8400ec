/* Repeat forms: random masks, strides, counter mode and in-place operands against a model that
 * takes one element after the other from the documentation's addresses. */
#include "harness.h"

enum { UB_BYTES = 48 << 10, AREA = 12 << 10 };

typedef enum what {
    ADD,
    MULS,
    EXP,
    MAC,
    FILL,
    CAST,
    COMPARE,
    COMPARES,
    SELECT,
    SELECTS,
    COPY,
    GATHER
} what;

typedef struct test {
    what what;
    sa_dtype to, from;
    sa_repeat r;
    bool again, in_place;
    uint32_t dst, a, b, mask; /* offsets in UB */
    double scalar;
    uint8_t *ub; /* in and out */
} test;

static void kernel(sa_core *core, void *args)
{
    test *t = args;
    uint8_t *ub = sa_local(core, SA_UB, 0);
    memcpy(ub, t->ub, UB_BYTES);
    void *dst = ub + t->dst, *a = ub + t->a, *b = ub + t->b, *mask = ub + t->mask;
    const sa_repeat *r = &t->r;
    switch (t->what) {
    case ADD:
        sa_add_repeat(core, t->to, dst, a, b, r);
        break;
    case MULS:
        sa_muls_repeat(core, t->to, dst, a, t->scalar, r);
        break;
    case EXP:
        sa_relu_repeat(core, t->to, dst, a, r);
        break;
    case MAC:
        sa_mul_add_dst_repeat(core, t->to, dst, a, b, r);
        break;
    case FILL:
        sa_fill_repeat(core, t->to, dst, t->scalar, r);
        break;
    case CAST:
        sa_cast_repeat(core, t->to, dst, t->from, a, SA_ROUND_RINT, r);
        break;
    case COMPARE:
        sa_compare_repeat(core, t->from, SA_LT, mask, a, b, r);
        break;
    case COMPARES:
        sa_compares_repeat(core, t->from, SA_GE, mask, a, t->scalar, r);
        break;
    case SELECT:
        sa_select_repeat(core, t->to, dst, mask, t->again, a, b, r);
        break;
    case SELECTS:
        sa_selects_repeat(core, t->to, dst, mask, t->again, a, t->scalar, r);
        break;
    case COPY:
        sa_copy_repeat(core, t->to, dst, a, r);
        break;
    case GATHER:
        sa_gather_repeat(core, t->to, dst, a, b, r);
        break;
    }
    memcpy(t->ub, ub, UB_BYTES);
}

/* ---- the model */

static uint32_t place(uint32_t base, sa_dtype dtype, sa_stride s, uint32_t t, uint32_t i)
{
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    return base + 32 * (t * s.repeat + i * size / 32 * s.block) + i * size % 32;
}

static long double value_at(const uint8_t *ub, sa_dtype dtype, uint32_t at)
{
    return value_of(dtype, bits_at(dtype, ub + at, 0));
}

static void put_value(uint8_t *ub, sa_dtype dtype, uint32_t at, long double x)
{
    const format *f = format_of(dtype);
    put_bits(dtype, ub + at, 0, f ? encode(f, x, SA_ROUND_RINT) : (uint64_t)(int64_t)rintl(x));
}

static void model(test *t)
{
    size_t to = sa_dtype_bytes(t->to), from = sa_dtype_bytes(t->from);
    uint32_t elements = 256 / (uint32_t)(to > from ? to : from);
    uint32_t times = t->r.counter ? ((uint32_t)t->r.mask[0] + elements - 1) / elements : t->r.times;
    uint8_t *ub = t->ub;
    for (uint32_t k = 0; k < times; k++) {
        uint8_t before[UB_BYTES]; /* a repeat reads before it writes */
        memcpy(before, ub, UB_BYTES);
        for (uint32_t i = 0; i < elements; i++) {
            uint32_t number = k * elements + i, bit = t->again ? i : number;
            if (t->r.counter ? number >= t->r.mask[0] : !(t->r.mask[i / 64] >> i % 64 & 1))
                continue;
            uint32_t d = place(t->dst, t->to, t->r.dst, k, i);
            uint32_t pa = place(t->a, t->from, t->r.a, k, i),
                     pb = place(t->b, t->from, t->r.b, k, i);
            long double a = value_at(before, t->from, pa), b = value_at(before, t->from, pb);
            bool set = before[t->mask + bit / 8] >> bit % 8 & 1;
            switch (t->what) {
            case ADD:
                put_value(ub, t->to, d, a + b);
                break;
            case MULS:
                put_value(ub, t->to, d, a * (long double)t->scalar);
                break;
            case EXP:
                put_value(ub, t->to, d, a > 0 ? a : 0);
                break;
            case MAC:
                put_value(ub, t->to, d, a * b + value_at(before, t->to, d));
                break;
            case FILL:
                put_value(ub, t->to, d, (long double)t->scalar);
                break;
            case CAST:
                put_value(ub, t->to, d, a);
                break;
            case COMPARE:
            case COMPARES:
                set = t->what == COMPARE ? a < b : a >= (long double)t->scalar;
                ub[t->mask + number / 8] &= (uint8_t) ~(1 << number % 8);
                ub[t->mask + number / 8] |= (uint8_t)(set << number % 8);
                break;
            case SELECT:
                put_value(ub, t->to, d, set ? a : b);
                break;
            case SELECTS:
                put_value(ub, t->to, d, set ? a : (long double)t->scalar);
                break;
            case COPY:
                put_value(ub, t->to, d, a);
                break;
            case GATHER: {
                uint32_t offset;
                memcpy(&offset, before + t->b + 4 * number, 4);
                put_value(ub, t->to, d, value_at(before, t->to, t->a + offset));
                break;
            }
            }
        }
    }
}

/* ---- cases */

static uint64_t seed = 20261130;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(random64(&seed) >> 33) % n;
}

static void small_values(uint8_t *ub, sa_dtype dtype)
{
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    for (uint32_t at = 0; at < 3 * AREA; at += size) {
        long double x = (long double)below(2001) / 8 - 125;
        put_value(ub, dtype, at, format_of(dtype) ? x : rintl(x));
    }
    for (uint32_t at = 3 * AREA; at < UB_BYTES; at++)
        ub[at] = (uint8_t)below(256);
}

static sa_stride stride(void)
{
    static const sa_stride common[] = {{1, 8}, {1, 8}, {1, 4}, {2, 16}, {1, 9},
                                       {0, 1}, {1, 0}, {3, 1}, {0, 0}};
    return common[below(9)];
}

static const struct {
    what what;
    sa_dtype to, from;
} kinds[] = {
    {ADD, SA_F32, SA_F32},      {ADD, SA_F16, SA_F16},     {ADD, SA_I32, SA_I32},
    {ADD, SA_I16, SA_I16},      {MULS, SA_F32, SA_F32},    {MULS, SA_F16, SA_F16},
    {EXP, SA_F32, SA_F32},      {EXP, SA_F16, SA_F16},     {MAC, SA_F32, SA_F32},
    {MAC, SA_F16, SA_F16},      {FILL, SA_I32, SA_I32},    {FILL, SA_BF16, SA_BF16},
    {CAST, SA_F16, SA_F32},     {CAST, SA_F32, SA_F16},    {CAST, SA_I32, SA_F32},
    {CAST, SA_BF16, SA_F32},    {CAST, SA_F16, SA_I8},     {CAST, SA_I8, SA_F16},
    {COMPARE, SA_F32, SA_F32},  {COMPARE, SA_F16, SA_F16}, {COMPARES, SA_F32, SA_F32},
    {COMPARES, SA_F16, SA_F16}, {SELECT, SA_F32, SA_F32},  {SELECT, SA_F16, SA_F16},
    {SELECTS, SA_F32, SA_F32},  {SELECTS, SA_F16, SA_F16}, {COPY, SA_I16, SA_I16},
    {COPY, SA_F32, SA_F32},     {GATHER, SA_F32, SA_F32},  {GATHER, SA_F16, SA_F16},
};

static void any_mask_and_stride(void **state)
{
    (void)state;
    static uint8_t got[UB_BYTES], want[UB_BYTES];
    sa_error error;
    for (int pass = 0; pass < 60; pass++)
        for (size_t k = 0; k < COUNT(kinds); k++) {
            test t = {.what = kinds[k].what, .to = kinds[k].to, .from = kinds[k].from};
            uint32_t wide =
                (uint32_t)(sa_dtype_bytes(t.to) > sa_dtype_bytes(t.from) ? sa_dtype_bytes(t.to)
                                                                         : sa_dtype_bytes(t.from));
            uint32_t elements = 256 / wide;
            t.dst = 0, t.a = AREA, t.b = 2 * AREA, t.mask = 3 * AREA;
            t.r.times = below(9);
            t.r.counter = below(3) == 0;
            if (t.r.counter)
                t.r.mask[0] = below(elements * 8);
            else if (below(3) == 0)
                sa_mask_first(t.r.mask, elements);
            else if (below(2))
                sa_mask_first(t.r.mask, 1 + below(elements));
            else
                t.r.mask[0] = random64(&seed), t.r.mask[1] = elements > 64 ? random64(&seed) : 0;
            if (elements == 64)
                t.r.mask[1] = 0;
            t.r.dst = stride(), t.r.a = stride(), t.r.b = stride();
            if (below(3) == 0) /* all packed: the fast way */
                t.r.dst = t.r.a = t.r.b = (sa_stride){1, 8};
            if (t.from == t.to && t.what != GATHER && below(4) == 0)
                t.dst = t.a, t.r.dst = t.r.a; /* in place */
            else if (t.from == t.to && t.what == ADD && below(4) == 0)
                t.dst = t.a + 32 * below(12); /* overlapping */
            t.again = below(2);
            t.scalar = (double)below(50) - 25;
            small_values(got, t.from);
            if (t.what == GATHER)
                for (uint32_t i = 0; i < AREA / 4; i++) {
                    uint32_t offset = below(1000) * wide;
                    memcpy(got + t.b + 4 * i, &offset, 4);
                }
            memcpy(want, got, UB_BYTES);
            t.ub = got;
            if (run_kernel(kernel, &t, 1, SA_AIV, &error) != SA_OK)
                fail_msg("%s", error.message);
            t.ub = want;
            model(&t);
            uint32_t size = (uint32_t)sa_dtype_bytes(t.to);
            for (uint32_t at = 0; at < UB_BYTES; at++)
                if (got[at] != want[at] && /* any NaN is as good as another */
                    (at >= 3 * AREA ||
                     !same(t.to, bits_at(t.to, got, at / size), bits_at(t.to, want, at / size))))
                    fail_msg("kind %zu, pass %d: byte %u is %02x, not %02x (times %u, counter %d, "
                             "mask %llx %llx, dst %u/%u a %u/%u b %u/%u)",
                             k, pass, at, got[at], want[at], t.r.times, t.r.counter,
                             (unsigned long long)t.r.mask[0], (unsigned long long)t.r.mask[1],
                             t.r.dst.block, t.r.dst.repeat, t.r.a.block, t.r.a.repeat, t.r.b.block,
                             t.r.b.repeat);
        }
}

/* ---- the true extent is checked: one block less would do, and the last live element counts */

typedef struct reach {
    uint32_t offset;
    sa_repeat r;
} reach;

static void reach_kernel(sa_core *core, void *args)
{
    const reach *x = args;
    uint8_t *ub = sa_local(core, SA_UB, 0);
    sa_adds_repeat(core, SA_F32, ub, ub + x->offset, 1, &x->r);
}

static void extents(void **state)
{
    (void)state;
    sa_error error;
    uint32_t ub = 192 << 10;
    /* 5 elements of 2 repeats, 3 blocks apart: 96 + 20 bytes */
    reach x = {ub - 96 - 20, {{31, 0}, false, 2, {1, 8}, {1, 3}, {1, 8}}};
    assert_int_equal(run_kernel(reach_kernel, &x, 1, SA_AIV, &error), SA_OK);
    x.offset += 4;
    assert_int_equal(run_kernel(reach_kernel, &x, 1, SA_AIV, &error), SA_ERR_VECTOR_EXCEPTION);
    assert_non_null(strstr(error.message, "adds reads 116 bytes at UB+"));
    assert_non_null(strstr(error.message, "repeat_test.c:"));
    x.r.times = 0; /* nothing to do, wherever it points */
    assert_int_equal(run_kernel(reach_kernel, &x, 1, SA_AIV, &error), SA_OK);
}

/* ---- reductions inside repeats, on whole numbers: sums are exact */

typedef struct reduction {
    int kind; /* 0 whole, 1 block, 2 pair, 3 all */
    int op;   /* 0 sum, 1 max, 2 min */
    sa_dtype dtype;
    sa_index_order order;
    sa_repeat r;
    uint8_t *ub;
} reduction;

static void reduction_kernel(sa_core *core, void *args)
{
    reduction *x = args;
    uint8_t *dst = sa_local(core, SA_UB, 0), *src = dst + AREA;
    memcpy(dst, x->ub, UB_BYTES);
    if (x->kind == 0) {
        if (x->op == 0)
            sa_whole_sum(core, x->dtype, dst, src, &x->r);
        else
            (x->op == 1 ? sa_whole_max : sa_whole_min)(core, x->dtype, dst, src, x->order, &x->r);
    } else if (x->kind == 1) {
        (x->op == 0   ? sa_block_sum
         : x->op == 1 ? sa_block_max
                      : sa_block_min)(core, x->dtype, dst, src, &x->r);
    } else if (x->kind == 2) {
        sa_pair_sum(core, x->dtype, dst, src, &x->r);
    } else if (x->op == 0) {
        sa_reduce_sum_repeat(core, x->dtype, dst, src, &x->r);
    } else {
        (x->op == 1 ? sa_reduce_max_repeat : sa_reduce_min_repeat)(
            core, x->dtype, dst, src, x->order != SA_ONLY_VALUE, &x->r);
    }
    memcpy(x->ub, dst, UB_BYTES);
}

static bool better(int op, long double x, long double best)
{
    return op == 1 ? x > best : x < best;
}

/* Reduces the live elements in [from, to) of repeat t; false if there are none. */
static bool reduce(const reduction *x, uint32_t t, uint32_t from, uint32_t to, long double *value,
                   uint32_t *index)
{
    bool any = false;
    for (uint32_t i = from; i < to; i++) {
        if (!(x->r.mask[i / 64] >> i % 64 & 1))
            continue;
        long double v = value_at(x->ub, x->dtype, place(AREA, x->dtype, x->r.a, t, i));
        if (!any || (x->op && better(x->op, v, *value)))
            *value = v, *index = i;
        else if (x->op == 0)
            *value += v;
        any = true;
    }
    return any;
}

static void reductions(void **state)
{
    (void)state;
    static uint8_t got[UB_BYTES], want[UB_BYTES];
    static const sa_dtype types[] = {SA_F32, SA_F16};
    sa_error error;
    for (int pass = 0; pass < 400; pass++) {
        reduction x = {.kind = (int)below(4), .op = (int)below(3), .dtype = types[below(2)]};
        uint32_t size = (uint32_t)sa_dtype_bytes(x.dtype), elements = 256 / size;
        x.order = (sa_index_order)below(4);
        if (x.kind == 2 || (x.kind == 0 && x.op == 0))
            x.op = 0, x.order = SA_ONLY_VALUE;
        if (x.kind == 1)
            x.order = SA_ONLY_VALUE;
        x.r.times = 1 + below(6);
        x.r.dst.repeat = 1 + below(2);
        x.r.a = (sa_stride){1 + below(2), 8 + below(9)};
        if (below(2))
            sa_mask_first(x.r.mask, 1 + below(elements));
        else
            x.r.mask[0] = random64(&seed) | 1, x.r.mask[1] = elements > 64 ? random64(&seed) : 0;
        for (uint32_t at = 0; at < UB_BYTES; at += size)
            put_value(got, x.dtype, at, (long double)below(15) - 7);
        memcpy(want, got, UB_BYTES);
        x.ub = got;
        if (run_kernel(reduction_kernel, &x, 1, SA_AIV, &error) != SA_OK)
            fail_msg("%s", error.message);
        x.ub = want;
        long double all = 0;
        uint32_t all_at = 0;
        for (uint32_t t = 0; t < x.r.times; t++) {
            long double v = 0;
            uint32_t at = 0;
            if (x.kind == 0) {
                reduce(&x, t, 0, elements, &v, &at);
                uint32_t unit = x.order == SA_ONLY_VALUE   ? size
                                : x.order == SA_ONLY_INDEX ? 4
                                                           : 2 * size;
                uint32_t d = t * x.r.dst.repeat * unit;
                if (x.order != SA_ONLY_INDEX)
                    put_value(want, x.dtype, d + (x.order == SA_INDEX_VALUE ? size : 0), v);
                if (x.order != SA_ONLY_VALUE)
                    memcpy(want + d + (x.order == SA_VALUE_INDEX ? size : 0), &at,
                           x.order == SA_ONLY_INDEX ? 4 : size);
            } else if (x.kind < 3) {
                uint32_t group = x.kind == 1 ? 32 / size : 2, results = elements / group;
                for (uint32_t g = 0; g < results; g++)
                    if (reduce(&x, t, g * group, (g + 1) * group, &v, &at))
                        put_value(want, x.dtype, (t * x.r.dst.repeat * results + g) * size, v);
            } else {
                reduce(&x, t, 0, elements, &v, &at);
                if (x.op == 0)
                    all += v;
                else if (t == 0 || better(x.op, v, all))
                    all = v, all_at = t * elements + at;
            }
        }
        if (x.kind == 3) {
            put_value(want, x.dtype, 0, all);
            if (x.op && x.order != SA_ONLY_VALUE)
                memcpy(want + size, &all_at, size);
        }
        for (uint32_t at = 0; at < AREA; at++)
            if (got[at] != want[at])
                fail_msg("reduction kind %d op %d order %d of %s: byte %u is %02x, not %02x",
                         x.kind, x.op, x.order, sa_dtype_name(x.dtype), at, got[at], want[at]);
    }
}

/* ---- the compare register */

static void register_kernel(sa_core *core, void *args)
{
    float *out = args, *ub = sa_local(core, SA_UB, 0);
    for (int i = 0; i < 64; i++)
        ub[i] = (float)i;
    sa_repeat r = {{~0ull, 0}, false, 1, {1, 8}, {1, 8}, {1, 8}};
    sa_compares_repeat(core, SA_F32, SA_GE, NULL, ub, 40, &r);
    sa_selects_repeat(core, SA_F32, ub + 64, NULL, true, ub, -1, &r);
    sa_cmp_mask_get(core, ub + 128);
    memcpy(out, ub + 64, 256 + 16);
}

static void compare_register(void **state)
{
    (void)state;
    float out[64 + 4];
    sa_error error;
    if (run_kernel(register_kernel, out, 1, SA_AIV, &error) != SA_OK)
        fail_msg("%s", error.message);
    for (int i = 0; i < 64; i++)
        assert_true(out[i] == (i >= 40 ? (float)i : -1));
    uint64_t bits;
    memcpy(&bits, out + 64, 8);
    assert_true(bits == ~0ull << 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_mask_and_stride),
        cmocka_unit_test(extents),
        cmocka_unit_test(reductions),
        cmocka_unit_test(compare_register),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
