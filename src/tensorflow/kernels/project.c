/* AscendOperator: an operator of an op project's library (ascc --op-project), loaded while the
 * program runs. The library describes its operators (softascend/op_project.h) and infers the shapes
 * of their results; the op's attributes say which inputs there are and what the operator's
 * attributes are. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softascend/op_project.h"
#include "tensorflow/kernels/loaded.h"

#define MOST 64 /* arguments, and tensors of one list */

typedef aclnnStatus (*second_phase)(void *, uint64_t, aclOpExecutor *, aclrtStream);

typedef struct project_kernel {
    char *path, *name;
    const sa_project_library *library;
    const sa_project_op *op;
    second_phase run;
    int64_t counts[MOST]; /* tensors of each input */
    int64_t *words;       /* values, see the op's documentation */
    int64_t word_count;
} project_kernel;

static void load(project_kernel *own, TF_Status *status)
{
    char text[600];
    void *handle = tf_load_library(own->path, own->name, status);
    if (!handle)
        return;
    const sa_project_library *(*get)(void);
    *(void **)&get = dlsym(handle, "softascend_op_library");
    own->library = get ? get() : NULL;
    for (size_t i = 0; own->library && i < own->library->count; i++)
        if (!strcmp(own->library->ops[i]->name, own->name))
            own->op = own->library->ops[i];
    if (own->op)
        *(void **)&own->run = dlsym(handle, own->op->function);
    if (!own->run) {
        snprintf(text, sizeof text, "%.500s has no such operator", own->path);
        tf_refuse(status, TF_NOT_FOUND, own->name, text);
    }
}

static void project_drop(kernel *k)
{
    project_kernel *own = k->own;
    if (own) {
        free(own->path);
        free(own->name);
        free(own->words);
        free(own);
    }
}

static void project_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    project_kernel *own = k->own = calloc(1, sizeof *own);
    int32_t inputs = 0, bytes = 0;
    int64_t size = 0;
    if (!own) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of host memory");
        return;
    }
    own->path = tf_string_attr(c, "library", NULL, status);
    own->name = tf_string_attr(c, "operator", NULL, status);
    own->words = (int64_t *)tf_string_attr(c, "values", &size, status);
    own->word_count = size / 8;
    k->name = own->name;
    if (TF_GetCode(status) == TF_OK)
        load(own, status);
    if (TF_GetCode(status) == TF_OK)
        TF_OpKernelConstruction_GetAttrSize(c, "counts", &inputs, &bytes, status);
    if (TF_GetCode(status) != TF_OK)
        return;
    if ((size_t)inputs != own->op->input_count || inputs > MOST)
        tf_refuse(status, TF_INVALID_ARGUMENT, own->name,
                  "`counts` must have a number for each input");
    else if (inputs)
        TF_OpKernelConstruction_GetAttrInt64List(c, "counts", own->counts, inputs, status);
}

/* ---- a call */

typedef struct call {
    const project_kernel *own;
    sa_project_arg args[3 * MOST];
    tf_words values;
    int in; /* of TensorFlow's inputs */
    /* what is freed at the end */
    const aclTensorList *lists[MOST];
    const aclIntArray *ints[2 * MOST];
    const aclFloatArray *floats[2 * MOST];
    const aclBoolArray *bools[2 * MOST];
    int list_count, int_count, float_count, bool_count;
} call;

static void release(call *c)
{
    while (c->list_count)
        aclDestroyTensorList(c->lists[--c->list_count]);
    while (c->int_count)
        aclDestroyIntArray(c->ints[--c->int_count]);
    while (c->float_count)
        aclDestroyFloatArray(c->floats[--c->float_count]);
    while (c->bool_count)
        aclDestroyBoolArray(c->bools[--c->bool_count]);
}

static double real_of(int64_t word)
{
    double real;
    memcpy(&real, &word, sizeof real);
    return real;
}

typedef enum list_kind { LIST_INT, LIST_FLOAT, LIST_BOOL } list_kind;

/* How many there are, then each as a word; -1: none. */
static const void *take_list(job *j, call *c, list_kind kind)
{
    const int64_t *count = tf_take(j, &c->values, 1);
    const int64_t *words = count && *count >= 0 ? tf_take(j, &c->values, *count) : NULL;
    if (!words)
        return NULL;
    size_t n = (size_t)*count;
    if (kind == LIST_INT)
        return c->ints[c->int_count++] = aclCreateIntArray(words, n);
    float *floats = (float *)tf_ints(j, *count);
    bool *bools = (bool *)floats;
    for (size_t i = 0; i < n; i++) {
        if (kind == LIST_FLOAT)
            floats[i] = (float)real_of(words[i]);
        else
            bools[i] = words[i] != 0;
    }
    if (kind == LIST_FLOAT)
        return c->floats[c->float_count++] = aclCreateFloatArray(floats, n);
    return c->bools[c->bool_count++] = aclCreateBoolArray(bools, n);
}

static const operand *next_input(job *j, call *c)
{
    if (!j->failed && c->in >= j->inputs)
        tf_fail(j, TF_INVALID_ARGUMENT, "`counts` has more tensors than the %d inputs", j->inputs);
    return j->failed ? NULL : tf_in(j, c->in++);
}

static const aclTensorList *take_tensors(job *j, call *c, int64_t count)
{
    const aclTensor *tensors[MOST];
    int n = 0;
    if (count > MOST)
        tf_fail(j, TF_INVALID_ARGUMENT, "a list has %lld tensors, at most %d are supported",
                (long long)count, MOST);
    for (; !j->failed && n < count; n++) {
        const operand *o = next_input(j, c);
        /* not one that the job frees: the list owns them */
        tensors[n] = !o ? NULL
                        : aclCreateTensor(o->dims, (uint64_t)o->rank, tf_acl_type(o->type), NULL, 0,
                                          ACL_FORMAT_ND, o->dims, (uint64_t)o->rank, o->data);
        if (o && !tensors[n])
            tf_fail_acl(j, ACLNN_ERR_PARAM_INVALID);
    }
    const aclTensorList *list = j->failed ? NULL : aclCreateTensorList(tensors, (uint64_t)n);
    if (list)
        c->lists[c->list_count++] = list;
    return list;
}

static void take_input(job *j, call *c, size_t i)
{
    const sa_project_param *p = &c->own->op->inputs[i];
    int64_t count = c->own->counts[i];
    if (p->value_depend)
        c->args[i].array = take_list(j, c,
                                     p->dtypes[0] == ACL_FLOAT  ? LIST_FLOAT
                                     : p->dtypes[0] == ACL_BOOL ? LIST_BOOL
                                                                : LIST_INT);
    else if (p->kind == SA_PARAM_DYNAMIC)
        c->args[i].tensors = take_tensors(j, c, count);
    else if (count == 1) {
        const operand *o = next_input(j, c);
        c->args[i].tensor = o ? tf_shaped(j, o, o->rank, o->dims) : NULL;
    }
}

static void take_attr(job *j, call *c, const sa_project_attr *a, sa_project_arg *arg)
{
    const int64_t *word;
    switch (a->type) {
    case SA_ATTR_LIST_INT:
        arg->array = take_list(j, c, LIST_INT);
        return;
    case SA_ATTR_LIST_FLOAT:
        arg->array = take_list(j, c, LIST_FLOAT);
        return;
    case SA_ATTR_LIST_BOOL:
        arg->array = take_list(j, c, LIST_BOOL);
        return;
    default:
        word = tf_take(j, &c->values, 1);
    }
    if (!word)
        return;
    if (a->type == SA_ATTR_STRING) { /* bytes with a 0 behind them, to whole words; -1: none */
        const char *text = *word >= 0 ? (const char *)tf_take(j, &c->values, *word / 8 + 1) : NULL;
        arg->string = text;
    } else if (a->type == SA_ATTR_FLOAT) {
        arg->real = real_of(*word);
    } else if (a->type == SA_ATTR_BOOL) {
        arg->boolean = *word != 0;
    } else {
        arg->integer = *word;
    }
}

/* Allocates the outputs as the project's functions infer them. What an output has the name of an
 * input for is written over a copy of that. */
static void make_outputs(job *j, call *c)
{
    const sa_project_op *op = c->own->op;
    sa_project_tensor *outputs = calloc(op->output_count, sizeof *outputs);
    size_t at = op->input_count + op->attr_count;
    if (!outputs) {
        tf_fail(j, TF_RESOURCE_EXHAUSTED, "out of host memory");
        return;
    }
    aclnnStatus s = c->own->library->infer(op, c->args, outputs);
    if (s)
        tf_fail_acl(j, s);
    if (!j->failed && TF_NumOutputs(j->ctx) != (int)op->output_count)
        tf_fail(j, TF_INVALID_ARGUMENT, "it has %zu outputs, not %d", op->output_count,
                TF_NumOutputs(j->ctx));
    for (size_t i = 0; !j->failed && i < op->output_count; i++) {
        const sa_project_shape *shape = &outputs[i].shape.origin;
        TF_DataType type = TF_ExpectedOutputDataType(j->ctx, (int)i);
        if ((int)tf_acl_type(type) != outputs[i].dtype) {
            tf_fail(j, TF_INVALID_ARGUMENT, "%s is %s by its dtype function, the graph has %s",
                    op->outputs[i].name, sa_dtype_name((sa_dtype)outputs[i].dtype), tf_type(type));
            break;
        }
        const operand *out = tf_out(j, (int)i, type, (int)shape->rank, shape->dims);
        int same = op->outputs[i].same_input;
        const aclTensor *view = tf_shaped(j, out, out->rank, out->dims);
        if (same < 0) {
            c->args[at++].tensor = view;
            continue;
        }
        size_t bytes = (size_t)out->count * TF_DataTypeSize(type);
        int before = 0;
        for (int n = 0; n < same; n++)
            before += op->inputs[n].value_depend ? 0 : (int)c->own->counts[n];
        if (!j->failed && bytes) {
            s = aclrtMemcpyAsync(out->data, bytes, tf_in(j, before)->data, bytes,
                                 ACL_MEMCPY_DEVICE_TO_DEVICE, j->session.stream);
            if (s)
                tf_fail_acl(j, s);
        }
        c->args[same].tensor = view;
    }
    free(outputs);
}

static void project_compute(job *j)
{
    const project_kernel *own = j->k->own;
    const sa_project_op *op = own->op;
    call *c = calloc(1, sizeof *c);
    if (!c || op->attr_count > MOST || op->output_count > MOST) {
        tf_fail(j, TF_RESOURCE_EXHAUSTED, "out of host memory, or over %d arguments", MOST);
        free(c);
        return;
    }
    c->own = own;
    c->values = (tf_words){"`values`", own->words, own->word_count, 0};
    for (size_t i = 0; !j->failed && i < op->input_count; i++)
        take_input(j, c, i);
    for (size_t i = 0; !j->failed && i < op->attr_count; i++)
        take_attr(j, c, &op->attrs[i], &c->args[op->input_count + i]);
    if (!j->failed && (c->in != j->inputs || c->values.at != c->values.count))
        tf_fail(j, TF_INVALID_ARGUMENT, "%d inputs and %lld words are left over", j->inputs - c->in,
                (long long)(c->values.count - c->values.at));
    if (!j->failed)
        make_outputs(j, c);
    if (!j->failed) {
        uint64_t workspace = 0;
        aclOpExecutor *executor = NULL;
        aclnnStatus first = own->library->plan(op, c->args, &workspace, &executor);
        tf_launch(j, first, workspace, executor, own->run);
    }
    release(c);
    free(c);
}

const kernel_def tf_kernels_project[] = {
    {"AscendOperator", NULL, 0, project_compute, project_prepare, .on_cpu = true,
     .drop = project_drop},
    {NULL},
};
