/* The kernel of sannElementwise. Where nothing watches the core, steps read and write operands
 * where they lie; else pieces move through UB as on the chip, one buffer each: what a check or a
 * trace sees are the steps' instructions. */
#include "core/core.h"
#include "ops/elementwise/program.h"

#include <string.h>

typedef struct run {
    sa_core *core;
    const sa_program *p;
    bool watched;
    char *at[SA_PROGRAM_VALUES];     /* each value of the piece, or the single one */
    char *spread[SA_PROGRAM_VALUES]; /* single values, as often as a piece has elements */
    char *scratch[SA_PROGRAM_SCRATCH];
} run;

static void barrier(const run *r)
{
    if (r->watched)
        sa_barrier(r->core, SA_PIPE_V);
}

static void convert(const run *r, sa_dtype to, void *dst, sa_dtype from, const void *src,
                    uint32_t n)
{
    bool whole = to == SA_I64 && from != SA_I64;
    sa_round round = whole ? SA_ROUND_TRUNC : SA_ROUND_RINT;

    if (r->watched)
        sa_cast(r->core, to, dst, from, src, round, n);
    else
        r->core->isa->cast[to][from](dst, src, round, n);
}

static void copy(const run *r, void *to, const void *from, uint32_t bytes)
{
    if (r->watched)
        sa_copy_ub(r->core, to, from, bytes);
    else if (to != from)
        memcpy(to, from, bytes);
}

/* mask: where b compares with 0 */
static void compare(const run *r, sa_dtype t, sa_cmp cmp, void *mask, const void *b, uint32_t n)
{
    if (r->watched)
        sa_compares(r->core, t, cmp, mask, b, 0, n);
    else
        r->core->isa->compares[t](mask, b, 0, cmp, n);
    barrier(r);
}

static void select_or_zero(const run *r, sa_dtype t, void *to, const void *mask, const void *a,
                           uint32_t n)
{
    if (r->watched)
        sa_selects(r->core, t, to, mask, a, 0, n);
    else
        r->core->isa->selects[t](to, mask, a, 0, n);
}

#define TWO(name) (r->watched ? sa_##name(core, t, to, a, b, n) : core->isa->name[t](to, a, b, n))
#define ONE(name) (r->watched ? sa_##name(core, t, to, a, n) : core->isa->name[t](to, a, n))

/* One step on n elements in the dtype that it computes in. */
static void compute(const run *r, int op, sa_dtype t, void *to, const void *a, const void *b,
                    uint32_t n)
{
    sa_core *core = r->core;
    void *mask = r->scratch[3];

    switch (op) {
    case SANN_COPY:
        copy(r, to, a, n * (uint32_t)sa_dtype_bytes(t));
        break;
    case SANN_ADD:
        TWO(add);
        break;
    case SANN_SUB:
        TWO(sub);
        break;
    case SANN_MUL:
        TWO(mul);
        break;
    case SANN_DIV:
        TWO(div);
        break;
    case SANN_DIV_NO_NAN:
        compare(r, t, SA_NE, mask, b, n);
        TWO(div);
        barrier(r);
        select_or_zero(r, t, to, mask, to, n);
        break;
    case SANN_MAXIMUM:
        TWO(max);
        break;
    case SANN_MINIMUM:
        TWO(min);
        break;
    case SANN_POW:
        TWO(pow);
        break;
    case SANN_SQUARED_DIFFERENCE:
        TWO(sub);
        barrier(r);
        a = b = to;
        TWO(mul);
        break;
    case SANN_RELU_GRAD:
        compare(r, t, SA_GT, mask, b, n);
        select_or_zero(r, t, to, mask, a, n);
        break;
    case SANN_NEG:
        if (r->watched)
            sa_muls(core, t, to, a, -1, n);
        else
            core->isa->muls[t](to, a, -1, n);
        break;
    case SANN_ABS:
        ONE(abs);
        break;
    case SANN_SQRT:
        ONE(sqrt);
        break;
    case SANN_RSQRT:
        ONE(rsqrt);
        break;
    case SANN_RECIPROCAL:
        ONE(rec);
        break;
    case SANN_EXP:
        ONE(exp);
        break;
    case SANN_LOG:
        ONE(ln);
        break;
    case SANN_TANH:
        ONE(tanh);
        break;
    case SANN_SIGMOID:
        ONE(sigmoid);
        break;
    default:
        ONE(relu);
    }
    barrier(r);
}

static char *address(const run *r, int value, bool single)
{
    return !single && r->p->value[value].single ? r->spread[value] : r->at[value];
}

static void run_step(const run *r, const sa_program_step *x, uint32_t n)
{
    const sa_dtype t = x->dtype, wide = sa_ew_compute(t, sa_program_widens(x->op));
    void *to = r->at[x->to];
    const void *a = address(r, x->a, x->single), *b = address(r, x->b, x->single);

    if (x->op == SANN_CAST) {
        convert(r, t, to, r->p->value[x->a].dtype, a, n);
        barrier(r);
        return;
    }
    if (wide == t || x->op == SANN_COPY) {
        compute(r, x->op, t, to, a, b, n);
        return;
    }
    convert(r, wide, r->scratch[0], t, a, n);
    if (b != a)
        convert(r, wide, r->scratch[1], t, b, n);
    barrier(r);
    compute(r, x->op, wide, r->scratch[2], r->scratch[0], r->scratch[b != a], n);
    convert(r, t, to, wide, r->scratch[2], n);
    barrier(r);
}

/* n copies of a single value. */
static void spread(const run *r, int v, uint32_t n)
{
    const sa_program_value *x = &r->p->value[v];
    size_t e = sa_dtype_bytes(x->dtype), all = n * e, done = e;
    char *to = r->spread[v];

    copy(r, to, r->at[v], (uint32_t)e);
    barrier(r);
    for (; done < all; done *= 2) {
        copy(r, to + done, to, (uint32_t)(done < all - done ? done : all - done));
        barrier(r);
    }
}

static uint32_t size_of(const sa_program_value *x, uint32_t n)
{
    return (uint32_t)sa_dtype_bytes(x->dtype) * (x->single ? 1 : n);
}

static void take_buffers(run *r, uint32_t n)
{
    const sa_program *p = r->p;
    sa_core *core = r->core;
    char *slots = p->slots ? sa_alloc(core, SA_UB, p->slots * n * p->widest) : NULL;

    for (int v = 0; v < p->values; v++) {
        const sa_program_value *x = &p->value[v];
        if (x->data)
            r->at[v] = r->watched ? sa_alloc(core, SA_UB, size_of(x, n)) : x->data;
        else
            r->at[v] = x->single ? sa_alloc(core, SA_UB, 8) : slots + x->slot * n * p->widest;
        if (x->spread)
            r->spread[v] = sa_alloc(core, SA_UB, n * (uint32_t)sa_dtype_bytes(x->dtype));
    }
    for (int i = 0; p->scratch && i < SA_PROGRAM_SCRATCH; i++)
        r->scratch[i] = sa_alloc(core, SA_UB, n * 4 + 32);
}

static void hand_over(const run *r, sa_pipe from, sa_pipe to)
{
    sa_set_flag(r->core, from, to, 0);
    sa_wait_flag(r->core, from, to, 0);
}

/* What is read of the operands into UB, what was written out of it. */
static void load(const run *r, bool single, int64_t begin, uint32_t n)
{
    for (int v = 0; v < r->p->operands; v++) {
        const sa_program_value *x = &r->p->value[v];
        if (x->read && x->single == single)
            sa_copy_in(r->core, r->at[v], x->data + (single ? 0 : begin * size_of(x, 1)),
                       size_of(x, n));
    }
    hand_over(r, SA_PIPE_MTE2, SA_PIPE_V);
}

static void store(const run *r, bool single, int64_t begin, uint32_t n)
{
    hand_over(r, SA_PIPE_V, SA_PIPE_MTE3);
    for (int v = 0; v < r->p->operands; v++) {
        const sa_program_value *x = &r->p->value[v];
        if (x->written && x->single == single)
            sa_copy_out(r->core, x->data + (single ? 0 : begin * size_of(x, 1)), r->at[v],
                        size_of(x, n));
    }
    hand_over(r, SA_PIPE_MTE3, SA_PIPE_MTE2);
}

static void run_steps(const run *r, bool single, uint32_t n)
{
    for (int i = 0; i < r->p->steps; i++)
        if (r->p->step[i].single == single)
            run_step(r, &r->p->step[i], n);
}

void sa_program_kernel(sa_core *core, void *args)
{
    const sa_program *p = args;
    run r = {.core = core, .p = p, .watched = core->observer != NULL};
    int64_t begin, count;
    uint32_t n;

    sa_share(p->elements, 64, sa_block_idx(core), sa_block_num(core), &begin, &count);
    if (count == 0)
        return;
    n = count < p->piece ? (uint32_t)count : p->piece;
    take_buffers(&r, n);
    if (r.watched)
        load(&r, true, 0, 1);
    run_steps(&r, true, 1);
    if (r.watched)
        store(&r, true, 0, 1);
    if (p->elements == 1)
        return;
    for (int v = 0; v < p->values; v++)
        if (p->value[v].spread)
            spread(&r, v, n);
    for (int64_t i = begin, end = begin + count; i < end; i += n) {
        uint32_t now = end - i < n ? (uint32_t)(end - i) : n;
        if (!r.watched) {
            if (!sa_core_quiet(core))
                sa_core_attend(core, __builtin_return_address(0));
            for (int v = 0; v < p->operands; v++)
                if (!p->value[v].single)
                    r.at[v] = p->value[v].data + i * size_of(&p->value[v], 1);
        } else {
            load(&r, false, i, now);
        }
        run_steps(&r, false, now);
        if (r.watched)
            store(&r, false, i, now);
    }
}
