/* The kernel of fused.h's ops. Where every value has as many elements as the largest or one, which
 * repeats, the steps are one pass over memory (sannElementwise); else they run as the ops that they
 * stand for, one after the other, without TensorFlow in between. The bits are the same. */
#include "tensorflow/kernels/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_sub.h"
#include "aclnnop/sann_elementwise.h"
#include "tensorflow/kernels/fused.h"
#include "tensorflow/kernels/loaded.h"

#define VALUES (TF_FUSED_HANDLES + TF_FUSED_INPUTS + TF_FUSED_STEPS)

typedef struct step_op {
    const char *name;
    tf_step_kind kind;
    sannElementwiseOp op;
} step_op;

static const step_op ops[] = {
    {"AddV2", TF_STEP_BINARY, SANN_ADD},
    {"Add", TF_STEP_BINARY, SANN_ADD},
    {"Sub", TF_STEP_BINARY, SANN_SUB},
    {"Mul", TF_STEP_BINARY, SANN_MUL},
    {"RealDiv", TF_STEP_BINARY, SANN_DIV},
    {"DivNoNan", TF_STEP_BINARY, SANN_DIV_NO_NAN},
    {"Maximum", TF_STEP_BINARY, SANN_MAXIMUM},
    {"Minimum", TF_STEP_BINARY, SANN_MINIMUM},
    {"Pow", TF_STEP_BINARY, SANN_POW},
    {"SquaredDifference", TF_STEP_BINARY, SANN_SQUARED_DIFFERENCE},
    {"Square", TF_STEP_UNARY, SANN_MUL},
    {"Neg", TF_STEP_UNARY, SANN_NEG},
    {"Abs", TF_STEP_UNARY, SANN_ABS},
    {"Sqrt", TF_STEP_UNARY, SANN_SQRT},
    {"Rsqrt", TF_STEP_UNARY, SANN_RSQRT},
    {"Reciprocal", TF_STEP_UNARY, SANN_RECIPROCAL},
    {"Exp", TF_STEP_UNARY, SANN_EXP},
    {"Log", TF_STEP_UNARY, SANN_LOG},
    {"Tanh", TF_STEP_UNARY, SANN_TANH},
    {"Sigmoid", TF_STEP_UNARY, SANN_SIGMOID},
    {"Relu", TF_STEP_UNARY, SANN_RELU},
    {"Cast", TF_STEP_CAST, SANN_CAST},
    {"ReadVariableOp", TF_STEP_READ, SANN_COPY},
    {"AssignAddVariableOp", TF_STEP_ASSIGN, SANN_ADD},
    {"AssignSubVariableOp", TF_STEP_ASSIGN, SANN_SUB},
};

static const step_op *find(const char *name)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    }
    return NULL;
}

static bool has(uint32_t types, int type)
{
    return type >= 0 && type < 32 && types & T_BIT(type);
}

tf_step_kind tf_step_of(const char *op, int type, int to)
{
    const step_op *o = find(op);
    if (!o)
        return TF_STEP_NONE;
    uint32_t types = T_FLOATS;
    if (o->kind == TF_STEP_CAST || o->kind == TF_STEP_READ ||
        (o->kind != TF_STEP_ASSIGN && o->op >= SANN_ADD && o->op <= SANN_MUL))
        types |= T_INT64;
    if (!has(types, type) || (o->kind == TF_STEP_CAST && (!has(types, to) || to == type)))
        return TF_STEP_NONE;
    if (o->kind >= TF_STEP_READ && !tf_bridge()->open_variables)
        return TF_STEP_NONE;
    return o->kind;
}

/* ---- the ops */

static void define(const char *name, bool stateful)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *b = TF_NewOpDefinitionBuilder(name);
    TF_OpDefinitionBuilderAddAttr(b, "handle_count: int >= 0");
    TF_OpDefinitionBuilderAddAttr(b, "Tin: list(type) >= 0");
    TF_OpDefinitionBuilderAddAttr(b, "Tout: list(type) >= 0");
    TF_OpDefinitionBuilderAddAttr(b, "program: string");
    TF_OpDefinitionBuilderAddInput(b, "handles: handle_count * resource");
    TF_OpDefinitionBuilderAddInput(b, "inputs: Tin");
    TF_OpDefinitionBuilderAddOutput(b, "outputs: Tout");
    TF_OpDefinitionBuilderSetIsStateful(b, stateful);
    TF_OpDefinitionBuilderSetShapeInferenceFunction(b, TF_ShapeInferenceContextSetUnknownShape);
    TF_RegisterOpDefinition(b, status);
    if (TF_GetCode(status) != TF_OK)
        fprintf(stderr, "softascend: op %s was refused: %s\n", name, TF_Message(status));
    TF_DeleteStatus(status);
}

void tf_define_fused(void)
{
    define("_AscendElementwise", false);
    define("_AscendUpdate", true);
}

/* ---- the program */

typedef struct fused_step {
    const step_op *what;
    TF_DataType type;
    int a, b;
    bool copy; /* a variable's value that is used after the variable has changed */
} fused_step;

typedef struct fused {
    int handles, inputs, steps, first; /* first: the number of the first step's value */
    bool writing[TF_FUSED_HANDLES];
    bool output;
    fused_step step[TF_FUSED_STEPS];
} fused;

static bool parse(fused *f, const char *text)
{
    int length;
    char name[64];
    for (const char *p = text; *p; p += length) {
        fused_step *s = &f->step[f->steps];
        int type, now = f->first + f->steps;
        length = 0;
        if (f->steps == TF_FUSED_STEPS ||
            sscanf(p, "%63[A-Za-z0-9] %d %d %d;%n", name, &type, &s->a, &s->b, &length) != 4 ||
            !length)
            return false;
        s->what = find(name);
        s->type = (TF_DataType)type;
        if (!s->what)
            return false;
        bool variable = s->what->kind >= TF_STEP_READ;
        if (s->a < (variable ? 0 : f->handles) || s->a >= (variable ? f->handles : now) ||
            s->b < 0 || s->b >= now)
            return false;
        if (s->what->kind == TF_STEP_ASSIGN)
            f->writing[s->a] = true;
        f->steps++;
    }
    return f->steps > 0;
}

static void find_copies(fused *f)
{
    for (int i = 0; i < f->steps; i++) {
        bool changed = false;
        for (int k = i + 1; f->step[i].what->kind == TF_STEP_READ && k < f->steps; k++) {
            const fused_step *s = &f->step[k];
            int value = f->first + i;
            bool names = s->b == value || (s->what->kind < TF_STEP_READ && s->a == value);
            f->step[i].copy |= changed && names;
            changed |= s->what->kind == TF_STEP_ASSIGN && s->a == f->step[i].a;
        }
    }
}

static void fused_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    fused *f = k->own = calloc(1, sizeof *f);
    int64_t handles = 0;
    int32_t inputs = 0, outputs = 0, size = 0;
    if (!f) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of host memory");
        return;
    }
    TF_OpKernelConstruction_GetAttrInt64(c, "handle_count", &handles, status);
    if (TF_GetCode(status) == TF_OK)
        TF_OpKernelConstruction_GetAttrSize(c, "Tin", &inputs, &size, status);
    if (TF_GetCode(status) == TF_OK)
        TF_OpKernelConstruction_GetAttrSize(c, "Tout", &outputs, &size, status);
    char *program = tf_string_attr(c, "program", NULL, status);
    if (TF_GetCode(status) == TF_OK) {
        f->handles = (int)handles;
        f->inputs = inputs;
        f->first = f->handles + f->inputs;
        f->output = outputs == 1;
        bool good = handles <= TF_FUSED_HANDLES && inputs <= TF_FUSED_INPUTS && outputs <= 1 &&
                    parse(f, program);
        if (good && (f->step[f->steps - 1].what->kind == TF_STEP_ASSIGN) == f->output)
            good = false;
        if (!good)
            tf_refuse(status, TF_INVALID_ARGUMENT, k->def->op, "the program is malformed");
        else
            find_copies(f);
    }
    free(program);
}

static void fused_drop(kernel *k)
{
    free(k->own);
}

/* ---- a call */

/* What the program's values are in this call. */
typedef struct values {
    operand of[VALUES];
    int64_t most;
    bool apart;  /* handles are of different variables */
    bool simple; /* each has `most` elements or one */
} values;

static bool same_shape(const operand *a, const operand *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

static void check_assign(job *j, const fused_step *s, const operand *variable, const operand *value)
{
    if (!same_shape(variable, value))
        tf_fail(j, TF_INVALID_ARGUMENT,
                "%s: Cannot update variable with shape %s using a Tensor with shape %s, shapes "
                "must be equal",
                s->what->name, tf_shape(j, variable->rank, variable->dims),
                tf_shape(j, value->rank, value->dims));
}

static void count(values *v, const operand *o)
{
    if (o->count == 0 || (o->count != 1 && v->most != 1 && o->count != v->most))
        v->simple = false;
    if (o->count > v->most)
        v->most = o->count;
}

/* The shape of two operands; false if they do not broadcast. */
static bool merge(job *j, operand *out, const operand *a, const operand *b)
{
    const operand *o[] = {a, b};
    const int64_t *dims = a->dims;
    int rank = a->rank;
    if (b->count == 1 && b->rank <= a->rank) {
        out->count = a->count;
    } else if (same_shape(a, b) || (a->count == 1 && a->rank <= b->rank)) {
        dims = b->dims;
        rank = b->rank;
        out->count = b->count;
    } else if (tf_broadcast(j, 2, o, &rank, &dims)) {
        out->count = tf_count(rank, dims);
    } else {
        return false;
    }
    out->rank = rank;
    out->dims = dims;
    return true;
}

/* Shapes of all values; where there is none, `simple` is false and the op will say so. */
static void infer(job *j, const fused *f, values *v)
{
    v->most = 1;
    v->simple = v->apart;
    for (int i = 0; i < f->first; i++)
        count(v, &v->of[i]);
    for (int i = 0; i < f->steps && v->simple && !j->failed; i++) {
        const fused_step *s = &f->step[i];
        const operand *a = &v->of[s->a], *b = &v->of[s->b];
        operand *out = &v->of[f->first + i];
        *out = *a;
        if (s->what->kind == TF_STEP_ASSIGN)
            check_assign(j, s, a, b);
        else if (s->what->kind == TF_STEP_BINARY)
            v->simple = merge(j, out, a, b);
        out->type = s->type;
        if (v->simple)
            count(v, out);
    }
    /* One element of a variable for all of a tensor: read by some steps before it changes. */
    for (int i = 0; i < f->handles; i++)
        v->simple &= !f->writing[i] || v->of[i].count == v->most;
}

/* ---- in one pass */

static void run_at_once(job *j, const fused *f, const values *v)
{
    sannOperand operands[SANN_OPERANDS];
    sannStep steps[SANN_STEPS];
    int place[VALUES], count = 0, next = 0;
    const operand *out = NULL;
    if (f->output) {
        const operand *last = &v->of[f->first + f->steps - 1];
        out = tf_out(j, 0, last->type, last->rank, last->dims);
        if (j->failed)
            return;
    }
    for (int i = 0; i < f->first; i++) {
        const operand *o = &v->of[i];
        for (place[i] = 0; place[i] < count && operands[place[i]].data != o->data;)
            place[i]++;
        if (place[i] == count)
            operands[count++] = (sannOperand){o->data, tf_acl_type(o->type), o->count < v->most};
    }
    if (out)
        operands[count++] = (sannOperand){out->data, tf_acl_type(out->type), out->count < v->most};
    next = count;
    int made = 0;
    for (int i = 0; i < f->steps; i++) {
        const fused_step *s = &f->step[i];
        int now = f->first + i;
        if (s->what->kind == TF_STEP_READ && !s->copy) {
            place[now] = place[s->a];
            continue;
        }
        bool last = out && i == f->steps - 1;
        place[now] = s->what->kind == TF_STEP_ASSIGN ? place[s->a] : last ? count - 1 : next++;
        steps[made++] = (sannStep){s->what->op, tf_acl_type(s->type), place[now], place[s->a],
                                   s->what->kind == TF_STEP_UNARY ? place[s->a] : place[s->b]};
    }
    TF_RUN(j, sannElementwise, v->most, operands, count, steps, made);
}

/* ---- step by step */

static void assign(job *j, const fused_step *s, const operand *variable, const operand *value)
{
    check_assign(j, s, variable, value);
    if (j->failed || variable->count == 0)
        return;
    aclTensor *target = tf_flat(j, variable), *change = tf_flat(j, value);
    aclScalar *one = tf_scalar(j, variable->type, 1);
    if (s->what->op == SANN_SUB)
        TF_RUN(j, aclnnSub, target, change, one, target);
    else
        TF_RUN(j, aclnnAdd, target, change, one, target);
}

static void read_copy(job *j, operand *out, const operand *variable)
{
    *out = *tf_temp(j, variable->type, variable->rank, variable->dims);
    tf_copy(j, out, 0, &(int64_t){1}, variable, 0, &(int64_t){1}, 1, &variable->count);
}

static void run_op(job *j, const fused_step *s, const values *v, operand *made)
{
    const kernel *outer = j->k;
    operand *in = j->in, given[2] = {v->of[s->a], v->of[s->b]};
    int inputs = j->inputs;
    bool cast = s->what->kind == TF_STEP_CAST;
    kernel k = {.type = cast ? given[0].type : s->type, .type2 = s->type};
    k.def = tf_row(s->what->name, (int)k.type, (int)k.type2);
    if (!k.def) {
        tf_fail(j, TF_INTERNAL, "there is no %s for %s", s->what->name, tf_type(k.type));
        return;
    }
    j->k = &k;
    j->in = given;
    j->inputs = s->what->kind == TF_STEP_BINARY ? 2 : 1;
    j->inner = true;
    j->made = made;
    k.def->compute(j);
    j->k = outer;
    j->in = in;
    j->inputs = inputs;
    j->inner = false;
    j->made = NULL;
}

static void run_one_by_one(job *j, const fused *f, values *v)
{
    bool changes = false;
    for (int i = 0; i < f->handles; i++)
        changes |= f->writing[i];
    for (int i = 0; i < f->steps && !j->failed; i++) {
        const fused_step *s = &f->step[i];
        operand *out = &v->of[f->first + i];
        if (s->what->kind == TF_STEP_ASSIGN)
            assign(j, s, &v->of[s->a], &v->of[s->b]);
        else if (s->what->kind != TF_STEP_READ)
            run_op(j, s, v, f->output && i == f->steps - 1 ? NULL : out);
        else if (changes)
            read_copy(j, out, &v->of[s->a]);
        else
            *out = v->of[s->a];
    }
}

static void run(job *j, const fused *f, values *v)
{
    for (int i = f->handles; i < f->first && !j->failed; i++)
        v->of[i] = *tf_in(j, i);
    for (int i = 0; i < f->steps && !j->failed; i++) {
        const fused_step *s = &f->step[i];
        if (s->what->kind >= TF_STEP_READ && v->of[s->a].type != s->type)
            tf_fail(j, TF_INVALID_ARGUMENT, "%s: the variable is %s, and the op's dtype %s",
                    s->what->name, tf_type(v->of[s->a].type), tf_type(s->type));
    }
    if (!j->failed)
        infer(j, f, v);
    if (j->failed)
        return;
    if (v->simple)
        run_at_once(j, f, v);
    else
        run_one_by_one(j, f, v);
}

/* Two handles of one variable: what one changes the other sees. */
static bool apart(const sa_variable *v, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            if (v[k].data == v[i].data)
                return false;
        }
    }
    return true;
}

static void on_variables(job *j, const fused *f, values *v)
{
    sa_variable variable[TF_FUSED_HANDLES];
    const sa_bridge *bridge = tf_bridge();
    if (!bridge->open_variables) {
        tf_fail(j, TF_UNIMPLEMENTED, "no way to a variable's tensor: %s", bridge->why_not);
        return;
    }
    bridge->open_variables(j->ctx, f->handles, f->writing, variable, j->status);
    if (TF_GetCode(j->status) != TF_OK) {
        j->failed = true;
        return;
    }
    for (int i = 0; i < f->handles; i++) {
        const sa_variable *x = &variable[i];
        v->of[i] = (operand){NULL, x->data, x->type, x->rank, x->dims, tf_count(x->rank, x->dims)};
    }
    v->apart = apart(variable, f->handles);
    run(j, f, v);
    tf_wait(j);
    for (int i = 0; i < f->handles; i++)
        bridge->close_variable(&variable[i]);
}

static void fused_compute(job *j)
{
    const fused *f = j->k->own;
    values v;
    v.apart = true;
    if (f->handles)
        on_variables(j, f, &v);
    else
        run(j, f, &v);
}

const kernel_def tf_kernels_fused[] = {
    {"_AscendElementwise", NULL, 0, fused_compute, fused_prepare, .host = {"handles"},
     .drop = fused_drop},
    {"_AscendUpdate", NULL, 0, fused_compute, fused_prepare, .host = {"handles"},
     .drop = fused_drop},
    {NULL},
};
