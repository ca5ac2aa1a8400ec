/* Repeat forms of the instructions in isa.def whose forms have one: the same bodies, walked over
 * masks and strides (repeat.h). */
#include "core/isa/body.h"
#include "core/repeat.h"

#include <string.h>

/* What a body needs beyond its operands. */
typedef struct with {
    sa_body_BINARY binary;
    sa_body_UNARY unary;
    sa_body_SCALAR scalar;
    sa_body_FILL fill;
    sa_body_CAST cast;
    double value;
    uint32_t size; /* of an element */
    sa_round round;
} with;

static void run_binary(const void *c, void *dst, const void *a, const void *b, size_t n, uint64_t i)
{
    (void)i;
    ((const with *)c)->binary(dst, a, b, n);
}
static void run_unary(const void *c, void *dst, const void *a, const void *b, size_t n, uint64_t i)
{
    (void)b, (void)i;
    ((const with *)c)->unary(dst, a, n);
}
static void run_scalar(const void *c, void *dst, const void *a, const void *b, size_t n, uint64_t i)
{
    (void)b, (void)i;
    ((const with *)c)->scalar(dst, a, ((const with *)c)->value, n);
}
static void run_fill(const void *c, void *dst, const void *a, const void *b, size_t n, uint64_t i)
{
    (void)a, (void)b, (void)i;
    ((const with *)c)->fill(dst, ((const with *)c)->value, n);
}
static void run_cast(const void *c, void *dst, const void *a, const void *b, size_t n, uint64_t i)
{
    (void)b, (void)i;
    ((const with *)c)->cast(dst, a, ((const with *)c)->round, n);
}

static void run_arange(const void *c, void *dst, const void *a, const void *b, size_t n, uint64_t i)
{
    const with *w = c;
    (void)a, (void)b;
    for (size_t k = 0; k < n; k++)
        w->fill((uint8_t *)dst + k * w->size, w->value + (double)(i + k), 1);
}

static bool also_reads(sa_instr instr)
{
    return instr == SA_I_axpy || instr == SA_I_mul_add_dst || instr == SA_I_fused_mul_add ||
           instr == SA_I_fused_mul_add_relu || instr == SA_I_axpy_wide ||
           instr == SA_I_mul_add_dst_wide;
}

/* One, two or no sources of `from`, a destination of `to`. */
static void walk(sa_issue issue, sa_walk_run run, const with *c, sa_dtype to, void *dst,
                 sa_dtype from, const void *a, const void *b, const sa_repeat *r)
{
    uint32_t to_bytes = (uint32_t)sa_dtype_bytes(to), from_bytes = (uint32_t)sa_dtype_bytes(from);
    sa_walk w = sa_walk_of(r, to_bytes > from_bytes ? to_bytes : from_bytes);
    if (!w.work)
        return;
    sa_lanes ld = {dst, to_bytes, r->dst};
    sa_lanes la = {(uint8_t *)(uintptr_t)a, from_bytes, r->a};
    sa_lanes lb = {(uint8_t *)(uintptr_t)b, from_bytes, r->b};
    issue.event.dtype_from = from;
    bool has_a = run != run_fill && run != run_arange, has_b = run == run_binary || b;
    if (has_a)
        sa_walk_operand(&issue, &w, &la, false);
    if (has_b)
        sa_walk_operand(&issue, &w, &lb, false);
    if (also_reads(issue.event.instr))
        sa_walk_operand(&issue, &w, &ld, false);
    sa_walk_operand(&issue, &w, &ld, true);
    sa_issue_show(&issue, w.work);
    sa_walk_each(&w, &ld, has_a ? &la : NULL, has_b ? &lb : NULL, run, c);
}

#define REPEAT_BINARY(name)                                                                        \
    void sa_##name##_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *a,               \
                            const void *b, const sa_repeat *r)                                     \
    {                                                                                              \
        BEGIN(name, dtype);                                                                        \
        walk(issue, run_binary, &(with){.binary = core->isa->name[dtype]}, dtype, dst, dtype, a,   \
             b, r);                                                                                \
    }
#define REPEAT_UNARY(name)                                                                         \
    void sa_##name##_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *a,               \
                            const sa_repeat *r)                                                    \
    {                                                                                              \
        BEGIN(name, dtype);                                                                        \
        walk(issue, run_unary, &(with){.unary = core->isa->name[dtype]}, dtype, dst, dtype, a,     \
             NULL, r);                                                                             \
    }
#define REPEAT_SCALAR(name)                                                                        \
    void sa_##name##_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *a,               \
                            double scalar, const sa_repeat *r)                                     \
    {                                                                                              \
        BEGIN(name, dtype);                                                                        \
        walk(issue, run_scalar, &(with){.scalar = core->isa->name[dtype], .value = scalar}, dtype, \
             dst, dtype, a, NULL, r);                                                              \
    }
#define REPEAT_FILL(name)                                                                          \
    void sa_##name##_repeat(sa_core *core, sa_dtype dtype, void *dst, double value,                \
                            const sa_repeat *r)                                                    \
    {                                                                                              \
        BEGIN(name, dtype);                                                                        \
        walk(issue, run_fill, &(with){.fill = core->isa->name[dtype], .value = value}, dtype, dst, \
             dtype, NULL, NULL, r);                                                                \
    }
#define REPEAT_CAST(name)                                                                          \
    void sa_##name##_repeat(sa_core *core, sa_dtype to, void *dst, sa_dtype from, const void *src, \
                            sa_round round, const sa_repeat *r)                                    \
    {                                                                                              \
        sa_issue_begin(core, __builtin_return_address(0), SA_I_##name, from);                      \
        BEGIN(name, to);                                                                           \
        walk(issue, run_cast, &(with){.cast = core->isa->name[to][from], .round = round}, to, dst, \
             from, src, NULL, r);                                                                  \
    }
#define REPEAT_WIDE_SCALAR(name)                                                                   \
    void sa_##name(sa_core *core, void *dst, const void *a, double scalar, uint32_t n)             \
    {                                                                                              \
        BEGIN(name, SA_F32);                                                                       \
        sa_repeat r = {{n, 0}, true, 0, {1, 8}, {1, 4}, {1, 4}};                                   \
        walk(issue, run_scalar, &(with){.scalar = core->isa->name[SA_F32], .value = scalar},       \
             SA_F32, dst, SA_F16, a, NULL, &r);                                                    \
    }                                                                                              \
    void sa_##name##_repeat(sa_core *core, void *dst, const void *a, double scalar,                \
                            const sa_repeat *r)                                                    \
    {                                                                                              \
        BEGIN(name, SA_F32);                                                                       \
        walk(issue, run_scalar, &(with){.scalar = core->isa->name[SA_F32], .value = scalar},       \
             SA_F32, dst, SA_F16, a, NULL, r);                                                     \
    }
#define REPEAT_WIDE_BINARY(name)                                                                   \
    void sa_##name(sa_core *core, void *dst, const void *a, const void *b, uint32_t n)             \
    {                                                                                              \
        BEGIN(name, SA_F32);                                                                       \
        sa_repeat r = {{n, 0}, true, 0, {1, 8}, {1, 4}, {1, 4}};                                   \
        walk(issue, run_binary, &(with){.binary = core->isa->name[SA_F32]}, SA_F32, dst, SA_F16,   \
             a, b, &r);                                                                            \
    }                                                                                              \
    void sa_##name##_repeat(sa_core *core, void *dst, const void *a, const void *b,                \
                            const sa_repeat *r)                                                    \
    {                                                                                              \
        BEGIN(name, SA_F32);                                                                       \
        walk(issue, run_binary, &(with){.binary = core->isa->name[SA_F32]}, SA_F32, dst, SA_F16,   \
             a, b, r);                                                                             \
    }
#define REPEAT_COMPARE(name)
#define REPEAT_COMPARES(name)
#define REPEAT_SELECT(name)
#define REPEAT_SELECTS(name)
#define REPEAT_GATHER(name)
#define REPEAT_TRANSPOSE(name)
#define REPEAT_REDUCE(name)
#define REPEAT_ARG(name)
#define REPEAT_COPY_IN(name)
#define REPEAT_COPY_OUT(name)
#define REPEAT_COPY_UB(name)
#define REPEAT_COPY_L1(name)
#define REPEAT_ND2NZ(name)
#define REPEAT_LOAD_L0(name)
#define REPEAT_FIXPIPE(name)
#define REPEAT_MMAD(name)
#define REPEAT_OWN(name)
#define SA_INSTR(name, pipe, form, dtypes, cost) REPEAT_##form(name)
#include "core/isa.def"
#undef SA_INSTR

static void run_copy(const void *c, void *dst, const void *a, const void *b, size_t n, uint64_t i)
{
    (void)b, (void)i;
    memmove(dst, a, n * *(const uint32_t *)c);
}

void sa_copy_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *src, const sa_repeat *r)
{
    BEGIN(copy_lanes, dtype);
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    sa_walk w = sa_walk_of(r, size);
    if (!w.work)
        return;
    sa_lanes to = {dst, size, r->dst}, from = {(uint8_t *)(uintptr_t)src, size, r->a};
    sa_walk_operand(&issue, &w, &from, false);
    sa_walk_operand(&issue, &w, &to, true);
    sa_issue_show(&issue, w.work);
    sa_walk_each(&w, &to, &from, NULL, run_copy, &size);
}

void sa_arange_repeat(sa_core *core, sa_dtype dtype, void *dst, double first, const sa_repeat *r)
{
    BEGIN(arange, dtype);
    const with w = {
        .fill = core->isa->fill[dtype], .value = first, .size = (uint32_t)sa_dtype_bytes(dtype)};
    walk(issue, run_arange, &w, dtype, dst, dtype, NULL, NULL, r);
}

/* ---- int32 -> float16 by the scale register */

static void run_deq(const void *context, void *dst, const void *a, const void *b, size_t n,
                    uint64_t i)
{
    const double scale = ((const with *)context)->value;
    (void)b, (void)i;
    for (size_t k = 0; k < n; k++)
        ((sa_half *)dst)[k] = sa_double_to_half(((const int32_t *)a)[k] * scale);
}

void sa_deq_scale(sa_core *core, double scale)
{
    core->deq_scale = (double)(float)scale;
}

void sa_cast_deq(sa_core *core, void *dst, const void *src, uint32_t n)
{
    BEGIN(cast_deq, SA_F16);
    sa_repeat r = {{n, 0}, true, 0, {1, 4}, {1, 8}, {1, 8}};
    walk(issue, run_deq, &(with){.value = core->deq_scale}, SA_F16, dst, SA_I32, src, NULL, &r);
}

void sa_cast_deq_repeat(sa_core *core, void *dst, const void *src, const sa_repeat *r)
{
    BEGIN(cast_deq, SA_F16);
    walk(issue, run_deq, &(with){.value = core->deq_scale}, SA_F16, dst, SA_I32, src, NULL, r);
}

static void run_add_deq_relu(const void *context, void *dst, const void *a, const void *b, size_t n,
                             uint64_t i)
{
    const double scale = ((const with *)context)->value;
    (void)i;
    for (size_t k = 0; k < n; k++) {
        double x = (double)(((const int32_t *)a)[k] + (int64_t)((const int32_t *)b)[k]) * scale;
        ((sa_half *)dst)[k] = sa_double_to_half(x > 0 ? x : 0);
    }
}

void sa_add_deq_relu(sa_core *core, void *dst, const void *a, const void *b, uint32_t n)
{
    BEGIN(add_deq_relu, SA_F16);
    sa_repeat r = {{n, 0}, true, 0, {1, 4}, {1, 8}, {1, 8}};
    walk(issue, run_add_deq_relu, &(with){.value = core->deq_scale}, SA_F16, dst, SA_I32, a, b, &r);
}

void sa_add_deq_relu_repeat(sa_core *core, void *dst, const void *a, const void *b,
                            const sa_repeat *r)
{
    BEGIN(add_deq_relu, SA_F16);
    walk(issue, run_add_deq_relu, &(with){.value = core->deq_scale}, SA_F16, dst, SA_I32, a, b, r);
}

/* ---- masks */

void sa_mask_set(sa_core *core, const uint64_t mask[2])
{
    core->mask[0] = mask[0];
    core->mask[1] = mask[1];
}

void sa_mask_mode(sa_core *core, bool counter)
{
    core->mask_counter = counter;
}

void sa_mask_get(const sa_core *core, sa_repeat *r)
{
    r->mask[0] = core->mask[0];
    r->mask[1] = core->mask[1];
    r->counter = core->mask_counter;
}

void sa_cmp_mask_set(sa_core *core, const void *ub)
{
    BEGIN(cmp_mask, SA_U8);
    ub = READS(SA_UB, ub, 1, sizeof core->cmp_mask, 0);
    sa_issue_show(&issue, sizeof core->cmp_mask);
    memcpy(core->cmp_mask, ub, sizeof core->cmp_mask);
}

void sa_cmp_mask_get(sa_core *core, void *ub)
{
    BEGIN(cmp_mask, SA_U8);
    ub = WRITES(SA_UB, ub, 1, sizeof core->cmp_mask, 0);
    sa_issue_show(&issue, sizeof core->cmp_mask);
    memcpy(ub, core->cmp_mask, sizeof core->cmp_mask);
}

/* ---- comparisons: bits of a repeat follow those of the one before */

static void compare(sa_issue *issue, sa_dtype dtype, sa_cmp cmp, void *mask, const void *a,
                    const void *b, double scalar, const sa_repeat *r)
{
    sa_core *core = issue->core;
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    sa_repeat once = *r;
    if (!mask && !once.counter)
        once.times = once.times ? 1 : 0;
    sa_walk w = sa_walk_of(&once, size);
    if (!w.work)
        return;
    if (!mask && w.times > 1)
        sa_issue_refuse(issue, "the compare register takes one repeat, not %u", w.times);
    sa_lanes la = {(uint8_t *)(uintptr_t)a, size, r->a};
    sa_lanes lb = {(uint8_t *)(uintptr_t)b, size, r->b};
    sa_walk_operand(issue, &w, &la, false);
    if (b)
        sa_walk_operand(issue, &w, &lb, false);
    uint8_t *bits = (uint8_t *)core->cmp_mask;
    if (mask)
        bits = sa_issue_operand(issue, SA_UB, true, mask, 1,
                                ((uint64_t)(w.times - 1) * w.elements +
                                 (w.last_elements < w.end ? w.last_elements : w.end) + 7) /
                                    8,
                                0);
    sa_issue_show(issue, w.work);
    for (uint32_t t = 0; t < w.times; t++) {
        _Alignas(64) uint8_t copy_a[SA_REPEAT_BYTES], copy_b[SA_REPEAT_BYTES], got[16];
        uint32_t n = t + 1 == w.times && w.last_elements < w.end ? w.last_elements : w.end;
        sa_walk_load(&la, t, copy_a, n);
        if (b) {
            sa_walk_load(&lb, t, copy_b, n);
            core->isa->compare[dtype](got, copy_a, copy_b, cmp, n);
        } else {
            core->isa->compares[dtype](got, copy_a, scalar, cmp, n);
        }
        uint64_t first = (uint64_t)t * w.elements;
        for (uint32_t i = 0; i < n; i += 8) {
            uint8_t live = 0, *to = bits + (first + i) / 8;
            for (uint32_t j = 0; j < 8 && i + j < n; j++)
                live |= (uint8_t)(sa_walk_live(&w, t, i + j) << j);
            *to = (uint8_t)((*to & ~live) | (got[i / 8] & live));
        }
    }
}

void sa_compare_repeat(sa_core *core, sa_dtype dtype, sa_cmp cmp, void *mask, const void *a,
                       const void *b, const sa_repeat *r)
{
    BEGIN(compare, dtype);
    compare(&issue, dtype, cmp, mask, a, b, 0, r);
}

void sa_compares_repeat(sa_core *core, sa_dtype dtype, sa_cmp cmp, void *mask, const void *a,
                        double scalar, const sa_repeat *r)
{
    BEGIN(compares, dtype);
    compare(&issue, dtype, cmp, mask, a, NULL, scalar, r);
}

/* ---- selection */

typedef struct choice {
    const sa_isa *isa;
    sa_dtype dtype;
    const uint8_t *bits;
    bool again, tensors;
    double scalar;
    uint32_t elements;
} choice;

static void run_choice(const void *context, void *dst, const void *a, const void *b, size_t n,
                       uint64_t first)
{
    const choice *c = context;
    size_t size = sa_dtype_bytes(c->dtype);
    /* with the same bits again, no more than a repeat at a time */
    for (size_t i = 0; i < n;) {
        size_t here = c->again && n - i > c->elements ? c->elements : n - i;
        const uint8_t *bits = c->again ? c->bits : c->bits + (first + i) / 8;
        if (c->tensors)
            c->isa->select[c->dtype]((uint8_t *)dst + i * size, bits, (const uint8_t *)a + i * size,
                                     (const uint8_t *)b + i * size, here);
        else
            c->isa->selects[c->dtype]((uint8_t *)dst + i * size, bits,
                                      (const uint8_t *)a + i * size, c->scalar, here);
        i += here;
    }
}

static void choose(sa_issue *issue, sa_dtype dtype, void *dst, const void *mask, bool again,
                   const void *a, const void *b, double scalar, const sa_repeat *r)
{
    sa_core *core = issue->core;
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    sa_walk w = sa_walk_of(r, size);
    if (!w.work)
        return;
    uint32_t last = w.last_elements < w.end ? w.last_elements : w.end;
    uint64_t reach = (uint64_t)(w.times - 1) * w.elements + last;
    if (again || !mask)
        reach = w.times > 1 ? w.end : last;
    if (!mask && reach > 8 * sizeof core->cmp_mask)
        sa_issue_refuse(issue, "the compare register has 128 bits, not %llu",
                        (unsigned long long)reach);
    choice c = {core->isa, dtype,     (const uint8_t *)core->cmp_mask, again || !mask, b != NULL,
                scalar,    w.elements};
    if (mask)
        c.bits = sa_issue_operand(issue, SA_UB, false, mask, 1, (reach + 7) / 8, 0);
    sa_lanes ld = {dst, size, r->dst}, la = {(uint8_t *)(uintptr_t)a, size, r->a};
    sa_lanes lb = {(uint8_t *)(uintptr_t)b, size, r->b};
    sa_walk_operand(issue, &w, &la, false);
    if (b)
        sa_walk_operand(issue, &w, &lb, false);
    sa_walk_operand(issue, &w, &ld, true);
    sa_issue_show(issue, w.work);
    sa_walk_each(&w, &ld, &la, b ? &lb : NULL, run_choice, &c);
}

void sa_select_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *mask, bool again,
                      const void *a, const void *b, const sa_repeat *r)
{
    BEGIN(select, dtype);
    choose(&issue, dtype, dst, mask, again, a, b, 0, r);
}

void sa_selects_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *mask, bool again,
                       const void *a, double scalar, const sa_repeat *r)
{
    BEGIN(selects, dtype);
    choose(&issue, dtype, dst, mask, again, a, NULL, scalar, r);
}

/* ---- gather under mask: offsets are packed */

typedef struct from_offsets {
    sa_body_GATHER body;
    const uint8_t *base;
    const uint32_t *offset_bytes;
} from_offsets;

static void run_gather(const void *context, void *dst, const void *a, const void *b, size_t n,
                       uint64_t first)
{
    const from_offsets *c = context;
    (void)a, (void)b;
    c->body(dst, c->base, c->offset_bytes + first, n);
}

void sa_gather_repeat(sa_core *core, sa_dtype dtype, void *dst, const void *base,
                      const void *offset_bytes, const sa_repeat *r)
{
    BEGIN(gather, dtype);
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    sa_walk w = sa_walk_of(r, size);
    if (!w.work)
        return;
    uint32_t last = w.last_elements < w.end ? w.last_elements : w.end, most = 0;
    uint64_t n = (uint64_t)(w.times - 1) * w.elements + last;
    const uint32_t *offsets = READS(SA_UB, offset_bytes, 1, n * 4, 0);
    /* offsets of elements that do not take part may be anything: they read the first element */
    uint32_t live[SA_REPEAT_BYTES] = {0};
    for (uint64_t i = 0; i < n; i++)
        if (sa_walk_live(&w, (uint32_t)(i / w.elements), (uint32_t)(i % w.elements)))
            most = offsets[i] > most ? offsets[i] : most;
    base = READS(SA_UB, base, 1, (uint64_t)most + size, 0);
    sa_lanes ld = {dst, size, r->dst};
    sa_walk_operand(&issue, &w, &ld, true);
    sa_issue_show(&issue, w.work);
    from_offsets c = {core->isa->gather[dtype], base, offsets};
    if (w.prefix) {
        sa_walk_each(&w, &ld, NULL, NULL, run_gather, &c);
        return;
    }
    uint8_t got[SA_REPEAT_BYTES];
    for (uint32_t t = 0; t < w.times; t++) {
        for (uint32_t i = 0; i < w.end; i++)
            live[i] = sa_walk_live(&w, t, i) ? offsets[(uint64_t)t * w.elements + i] : 0;
        c.body(got, base, live, w.end);
        sa_walk_store(&w, &ld, t, got);
    }
}
