/* First phase of sannElementwise: checks the steps, gives temporaries their buffers. */
#include "ops/elementwise/program.h"

#include "runtime/runtime.h"

static const char op[] = "sannElementwise";

/* Fewer elements than this are not worth another block. */
#define GRAIN 16384
/* A piece's operands and temporaries are to stay in the first-level cache. */
#define PIECE 1024

static bool takes(int step_op, sa_dtype t)
{
    if (step_op == SANN_COPY || step_op == SANN_CAST || step_op == SANN_ADD ||
        step_op == SANN_SUB || step_op == SANN_MUL)
        return (SA_DTYPES_FLOAT | SA_DTYPE_BIT(SA_I64)) >> t & 1;
    return SA_DTYPES_FLOAT >> t & 1;
}

/* Value `index` as a source of step i; NULL, and *s says why, if it cannot be one. */
static const sa_program_value *source(sa_program *p, int i, const char *name, int index,
                                      aclnnStatus *s)
{
    sa_program_value *v = index >= 0 && index < p->values ? &p->value[index] : NULL;

    if (!v || (!v->data && !v->written)) {
        *s = sa_refuse(op, "step %d: %s is value %d, which nothing has made", i, name, index);
        return NULL;
    }
    v->read |= v->data && !v->written;
    return v;
}

static aclnnStatus check_types(const sa_program *p, int i, const sannStep *x)
{
    const sa_program_value *a = &p->value[x->a];
    bool cast = x->op == SANN_CAST;

    if (!takes(x->op, (sa_dtype)x->dtype) || (cast && !takes(x->op, (sa_dtype)a->dtype)))
        return sa_refuse(op, "step %d: operation %d has no body for %s", i, (int)x->op,
                         sa_dtype_name((sa_dtype)x->dtype));
    if (!cast && a->dtype != (int)x->dtype)
        return sa_refuse(op, "step %d: a is %s, the step %s", i, sa_dtype_name(a->dtype),
                         sa_dtype_name((sa_dtype)x->dtype));
    if (sa_program_binary(x->op) && p->value[x->b].dtype != (int)x->dtype)
        return sa_refuse(op, "step %d: b is %s, the step %s", i,
                         sa_dtype_name(p->value[x->b].dtype), sa_dtype_name((sa_dtype)x->dtype));
    return ACLNN_SUCCESS;
}

static aclnnStatus add_step(sa_program *p, int i, const sannStep *x)
{
    aclnnStatus s = ACLNN_SUCCESS;
    bool binary = sa_program_binary(x->op);
    const sa_program_value *a, *b;
    sa_program_value *to;
    sa_program_step *step = &p->step[i];

    if ((unsigned)x->op >= SANN_ELEMENTWISE_END || (unsigned)x->dtype >= SA_DTYPE_END)
        return sa_refuse(op, "step %d: there is no operation %d on dtype %d", i, (int)x->op,
                         (int)x->dtype);
    a = source(p, i, "a", x->a, &s);
    b = binary && a ? source(p, i, "b", x->b, &s) : a;
    if (!a || !b)
        return s;
    s = check_types(p, i, x);
    if (s)
        return s;
    if (x->to < 0 || x->to > p->values || x->to >= SA_PROGRAM_VALUES)
        return sa_refuse(op, "step %d: to is %d; the next temporary is %d", i, x->to, p->values);
    to = &p->value[x->to];
    *step = (sa_program_step){(uint8_t)x->op,
                              (uint8_t)x->dtype,
                              (uint8_t)x->to,
                              (uint8_t)x->a,
                              (uint8_t)(binary ? x->b : x->a),
                              a->single && b->single};
    if (x->to == p->values) {
        p->values++;
        *to = (sa_program_value){.dtype = (uint8_t)x->dtype, .single = step->single};
    }
    if (to->dtype != (int)x->dtype || to->single != step->single)
        return sa_refuse(op, "step %d: writes %s %s, value %d is %s %s", i,
                         step->single ? "one" : "all", sa_dtype_name((sa_dtype)x->dtype), x->to,
                         to->single ? "one" : "all", sa_dtype_name(to->dtype));
    if (to->data && to->single && p->elements > 1)
        return sa_refuse(op, "step %d: writes operand %d, which has one element for all", i, x->to);
    to->written = true;
    p->value[step->a].spread |= a->single && !step->single;
    p->value[step->b].spread |= b->single && !step->single;
    p->scratch |=
        sa_ew_compute((sa_dtype)x->dtype, sa_program_widens(x->op)) != (sa_dtype)x->dtype ||
        x->op == SANN_DIV_NO_NAN || x->op == SANN_RELU_GRAD;
    return ACLNN_SUCCESS;
}

/* A temporary has its buffer from the first step that writes it to the last that names it. */
static void give_slots(sa_program *p)
{
    int last[SA_PROGRAM_VALUES];
    bool used[SANN_STEPS] = {false};

    for (int i = 0; i < p->steps; i++)
        last[p->step[i].to] = last[p->step[i].a] = last[p->step[i].b] = i;
    for (int v = 0; v < p->values; v++)
        p->value[v].slot = UINT8_MAX;
    for (int i = 0; i < p->steps; i++) {
        const sa_program_step *x = &p->step[i];
        sa_program_value *to = &p->value[x->to];
        int named[] = {x->to, x->a, x->b};
        if (!to->data && !to->single && to->slot == UINT8_MAX) {
            uint8_t s = 0;
            while (used[s])
                s++;
            used[s] = true;
            to->slot = s;
            p->slots = s >= p->slots ? s + 1 : p->slots;
            if (sa_dtype_bytes(to->dtype) > p->widest)
                p->widest = (uint8_t)sa_dtype_bytes(to->dtype);
        }
        for (int k = 0; k < 3; k++) {
            const sa_program_value *v = &p->value[named[k]];
            if (v->slot != UINT8_MAX && last[named[k]] == i)
                used[v->slot] = false;
        }
    }
}

/* How many elements of everything UB holds. */
static aclnnStatus choose_piece(sa_program *p, uint32_t ub_bytes)
{
    uint32_t fixed = 2048 + 64 * SA_PROGRAM_VALUES;
    uint32_t each = (uint32_t)p->slots * p->widest + (p->scratch ? SA_PROGRAM_SCRATCH * 4u : 0);

    for (int v = 0; v < p->values; v++) {
        const sa_program_value *x = &p->value[v];
        if (x->spread || (x->data && !x->single))
            each += (uint32_t)sa_dtype_bytes(x->dtype);
    }
    p->piece = each ? (ub_bytes - fixed) / each / 64 * 64 : PIECE;
    if (p->piece > PIECE)
        p->piece = PIECE;
    return p->piece ? ACLNN_SUCCESS
                    : sa_refuse(op, "the steps keep more values than UB has room for");
}

static aclnnStatus plan(aclOpExecutor *ex, sa_program *p)
{
    const sa_chip *chip = sa_current_chip();
    aclnnStatus s;
    uint32_t blocks;

    if (!chip)
        return ACLNN_ERR_RUNTIME_ERROR;
    give_slots(p);
    s = choose_piece(p, chip->ub_bytes);
    if (s)
        return s;
    blocks = sa_blocks(chip, SA_AIV, p->elements, GRAIN);
    return sa_op_launch(ex, sa_program_kernel, op, SA_AIV, blocks, p, sizeof *p, NULL);
}

static aclnnStatus make(sa_program *p, const sannOperand *operands, const sannStep *steps)
{
    aclnnStatus s = ACLNN_SUCCESS;

    for (int i = 0; i < p->operands; i++) {
        const sannOperand *x = &operands[i];
        if (!x->data)
            return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: operand %d has no data", op, i);
        if ((unsigned)x->dtype >= SA_DTYPE_END || !takes(SANN_COPY, (sa_dtype)x->dtype))
            return sa_refuse(op, "operand %d is %s", i, sa_dtype_name((sa_dtype)x->dtype));
        p->value[i] = (sa_program_value){
            .data = x->data, .dtype = (uint8_t)x->dtype, .single = x->single || p->elements == 1};
    }
    for (int i = 0; i < p->steps && !s; i++)
        s = add_step(p, i, &steps[i]);
    return s;
}

aclnnStatus sannElementwiseGetWorkspaceSize(int64_t elements, const sannOperand *operands,
                                            int operandsNum, const sannStep *steps, int stepsNum,
                                            uint64_t *workspaceSize, aclOpExecutor **executor)
{
    aclOpExecutor *ex = NULL;
    aclnnStatus s = sa_op_begin(op, workspaceSize, executor, &ex);
    sa_program p;

    if (!s)
        s = sa_check_pointer(op, "operands", operands);
    if (!s)
        s = sa_check_pointer(op, "steps", steps);
    if (!s && (elements < 0 || operandsNum < 1 || operandsNum > SANN_OPERANDS || stepsNum < 0 ||
               stepsNum > SANN_STEPS))
        s = sa_refuse(op, "%lld elements, %d operands (1 to %d), %d steps (0 to %d)",
                      (long long)elements, operandsNum, SANN_OPERANDS, stepsNum, SANN_STEPS);
    if (!s && elements && stepsNum) {
        p.elements = elements;
        p.operands = p.values = (uint8_t)operandsNum;
        p.steps = (uint8_t)stepsNum;
        p.slots = p.widest = 0;
        p.scratch = false;
        s = make(&p, operands, steps);
        if (!s)
            s = plan(ex, &p);
    }
    return sa_op_end(ex, s, workspaceSize, executor);
}

SA_OP_RUN(sannElementwise)
