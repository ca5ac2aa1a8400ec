/* The arguments of an aclnn function of an op project, checked and laid out as the project's tiling
 * and shape functions see them; and the messages when those fail. */
#include "ops/project/project.h"

#include "core/observe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages */

static void add_text(char text[PROJECT_TEXT], const char *more)
{
    size_t at = strlen(text);
    snprintf(text + at, PROJECT_TEXT - at, "%s%s", at ? ", " : "", more);
}

static void add_tensors(char text[PROJECT_TEXT], const sa_project_param *param,
                        sa_project_instance instance, const sa_project_tensor *tensors)
{
    char one[SA_SHAPE_TEXT + 128], dims[SA_SHAPE_TEXT];

    for (uint32_t i = 0; i < instance.count; i++) {
        const sa_project_tensor *t = &tensors[instance.start + i];
        snprintf(one, sizeof one, "%s %s %s", param->name, sa_dtype_name((sa_dtype)t->dtype),
                 sa_shape_text(dims, (int)t->shape.origin.rank, t->shape.origin.dims));
        add_text(text, one);
    }
}

static void add_attr(char text[PROJECT_TEXT], const sa_project_attr *attr, const void *value)
{
    char one[160];
    size_t at = (size_t)snprintf(one, sizeof one, "%s ", attr->name), room = sizeof one - at;
    const sa_project_list *list = value;

    switch (attr->type) {
    case SA_ATTR_BOOL:
        snprintf(one + at, room, "%s", *(const bool *)value ? "true" : "false");
        break;
    case SA_ATTR_INT:
        snprintf(one + at, room, "%lld", (long long)*(const int64_t *)value);
        break;
    case SA_ATTR_FLOAT:
        snprintf(one + at, room, "%g", (double)*(const float *)value);
        break;
    case SA_ATTR_STRING:
        snprintf(one + at, room, "\"%.100s\"", (const char *)value);
        break;
    default:
        snprintf(one + at, room, "of %zu values", list->size);
    }
    add_text(text, one);
}

const char *project_text(char text[PROJECT_TEXT], const sa_project_call *call)
{
    const sa_project_op *op = call->op;

    text[0] = '\0';
    for (size_t i = 0; i < op->input_count; i++)
        add_tensors(text, &op->inputs[i], call->input[i], call->inputs);
    for (size_t i = 0; i < op->attr_count; i++)
        add_attr(text, &op->attrs[i], call->attrs[i]);
    for (size_t i = 0; i < op->output_count; i++)
        add_tensors(text, &op->outputs[i], call->output[i], call->outputs);
    return text;
}

aclnnStatus project_failed(const sa_project_call *call, const char *what, const void *address,
                           uint32_t status)
{
    char text[PROJECT_TEXT], line[128] = "?";

    if (address)
        sa_source_line((const char *)address + 1, line, sizeof line);
    project_text(text, call);
    if (call->exception[0])
        return sa_refuse(call->op->function, "the %s function (%s) threw \"%.200s\" for %s", what,
                         line, call->exception, text);
    return sa_refuse(call->op->function, "the %s function (%s) returned %s%d for %s", what, line,
                     status == UINT32_MAX ? "GRAPH_FAILED, " : "", (int)status, text);
}

/* ---- the frame */

static size_t list_bytes(const sa_project_attr *attr, const sa_project_arg *arg)
{
    size_t element = attr->type == SA_ATTR_LIST_BOOL    ? sizeof(bool)
                     : attr->type == SA_ATTR_LIST_INT   ? sizeof(int64_t)
                     : attr->type == SA_ATTR_LIST_FLOAT ? sizeof(float)
                                                        : 0;
    return element && arg->array ? *(const uint64_t *)arg->array * element : 0;
}

static uint32_t instances(const sa_project_param *param, const sa_project_arg *arg)
{
    if (param->kind == SA_PARAM_DYNAMIC)
        return arg->tensors ? (uint32_t)arg->tensors->size : 0;
    return arg->tensor != NULL;
}

/* Hands out pieces of one allocation, 16-byte aligned. */
static void *take(char **at, size_t bytes)
{
    void *piece = *at;
    *at += (bytes + 15) & ~(size_t)15;
    return piece;
}

/* The host's values of an input with ValueDepend, as a tensor of one dimension. */
static aclnnStatus describe_values(sa_project_tensor *t, const sa_project_param *param,
                                   const void *array)
{
    uint64_t size = *(const uint64_t *)array;
    sa_dtype dtype = (sa_dtype)param->dtypes[0];

    t->dtype = dtype == SA_F32 || dtype == SA_BOOL ? (int32_t)dtype : (int32_t)SA_I64;
    t->format = ACL_FORMAT_ND;
    t->shape.origin.rank = 1;
    t->shape.origin.dims[0] = (int64_t)size;
    t->shape.storage = t->shape.origin;
    t->data = (uint64_t *)array + 1;
    t->bytes = size * sa_dtype_bytes((sa_dtype)t->dtype);
    return ACLNN_SUCCESS;
}

static aclnnStatus describe(sa_project_tensor *to, const char *op, const char *name,
                            const aclTensor *t, bool needs_data)
{
    aclnnStatus s =
        needs_data ? sa_check_tensor(op, name, t, SA_DTYPES_ANY) : sa_check_pointer(op, name, t);

    if (s)
        return s;
    to->dtype = (int32_t)t->dtype;
    to->format = (int32_t)t->format;
    to->shape.origin.rank = (size_t)t->rank;
    memcpy(to->shape.origin.dims, t->dims, sizeof t->dims);
    to->shape.storage = to->shape.origin;
    to->data = t->data ? sa_tensor_data(t) : NULL;
    to->bytes = (size_t)t->elements * sa_dtype_bytes(t->dtype);
    return ACLNN_SUCCESS;
}

static aclnnStatus describe_param(project_frame *f, const sa_project_param *param,
                                  const sa_project_arg *arg, sa_project_instance instance,
                                  sa_project_tensor *tensors, const aclTensor **views,
                                  bool needs_data)
{
    const char *op = f->call.op->function;
    aclnnStatus s = ACLNN_SUCCESS;

    if (instance.count == 0 && param->kind == SA_PARAM_REQUIRED)
        return sa_check_pointer(op, param->name, NULL);
    for (uint32_t i = 0; !s && i < instance.count; i++) {
        sa_project_tensor *t = &tensors[instance.start + i];
        if (param->value_depend) {
            s = describe_values(t, param, arg->array);
        } else {
            views[instance.start + i] =
                param->kind == SA_PARAM_DYNAMIC ? arg->tensors->value[i] : arg->tensor;
            s = describe(t, op, param->name, views[instance.start + i], needs_data);
        }
    }
    return s;
}

/* Where the function's value of an attribute, or its default, lies. */
static const void *attr_value(const sa_project_attr *attr, const sa_project_arg *arg, char **at)
{
    size_t bytes = list_bytes(attr, arg);
    union {
        bool boolean;
        int64_t integer;
        float real;
    } * value;
    sa_project_list *list;

    switch (attr->type) {
    case SA_ATTR_STRING:
        return arg->string ? arg->string : attr->string;
    case SA_ATTR_LIST_BOOL:
    case SA_ATTR_LIST_INT:
    case SA_ATTR_LIST_FLOAT:
        if (!arg->array)
            return attr->list;
        list = take(at, sizeof *list + bytes);
        list->capacity = list->size = *(const uint64_t *)arg->array;
        memcpy(list + 1, (const uint64_t *)arg->array + 1, bytes);
        return list;
    default:
        value = take(at, sizeof *value);
        if (attr->type == SA_ATTR_BOOL)
            value->boolean = arg->boolean;
        else if (attr->type == SA_ATTR_INT)
            value->integer = arg->integer;
        else
            value->real = (float)arg->real;
        return value;
    }
}

static aclnnStatus check_attr(const sa_project_op *op, const sa_project_attr *attr,
                              const sa_project_arg *arg)
{
    bool pointer = attr->type >= SA_ATTR_STRING;
    return pointer && attr->required ? sa_check_pointer(op->function, attr->name, arg->array)
                                     : ACLNN_SUCCESS;
}

/* The argument of output i: an output with an input's name has that one's. */
static const sa_project_arg *output_arg(const sa_project_op *op, const sa_project_arg *args,
                                        size_t i)
{
    size_t at = op->input_count + op->attr_count;

    if (op->outputs[i].same_input >= 0)
        return &args[op->outputs[i].same_input];
    for (size_t n = 0; n < i; n++)
        at += op->outputs[n].same_input < 0;
    return &args[at];
}

aclnnStatus project_open(project_frame *f, const sa_project_op *op, const sa_project_arg *args,
                         bool inferring)
{
    sa_project_instance *input, *output;
    const void **attrs;
    uint32_t inputs = 0, outputs = 0;
    size_t attr_bytes = 0;
    aclnnStatus s = ACLNN_SUCCESS;

    memset(f, 0, sizeof *f);
    f->call.op = op;
    for (size_t i = 0; i < op->input_count; i++)
        inputs += instances(&op->inputs[i], &args[i]);
    for (size_t i = 0; i < op->output_count; i++)
        outputs += inferring ? 1 : instances(&op->outputs[i], output_arg(op, args, i));
    for (size_t i = 0; i < op->attr_count; i++)
        attr_bytes += 64 + list_bytes(&op->attrs[i], &args[op->input_count + i]);
    if (inputs + outputs + 2 > SA_PROJECT_POINTERS)
        return sa_refuse(op->function, "%u inputs and %u outputs, at most %d are supported", inputs,
                         outputs, SA_PROJECT_POINTERS - 2);
    f->memory = calloc(1, (inputs + outputs) * (sizeof(sa_project_tensor) + 32) +
                              (op->input_count + op->output_count + op->attr_count + 8) * 16 +
                              attr_bytes + SA_PROJECT_TILING_BYTES + 64);
    if (!f->memory)
        return sa_fail(SA_ERR_OUT_OF_MEMORY, "%s: out of host memory", op->function);
    char *at = f->memory;
    f->call.tiling = take(&at, SA_PROJECT_TILING_BYTES);
    f->call.tiling_capacity = SA_PROJECT_TILING_BYTES;
    f->call.inputs = take(&at, (inputs + outputs) * sizeof(sa_project_tensor));
    f->call.outputs = f->call.inputs + inputs;
    f->call.input_count = inputs;
    f->call.output_count = outputs;
    f->tensors = take(&at, (inputs + outputs) * sizeof *f->tensors);
    f->call.input = input = take(&at, op->input_count * sizeof *input);
    f->call.output = output = take(&at, op->output_count * sizeof *output);
    f->call.attrs = attrs = take(&at, op->attr_count * sizeof *attrs);

    for (size_t i = 0; !s && i < op->attr_count; i++) {
        s = check_attr(op, &op->attrs[i], &args[op->input_count + i]);
        attrs[i] = attr_value(&op->attrs[i], &args[op->input_count + i], &at);
    }
    uint32_t start = 0;
    for (size_t i = 0; !s && i < op->input_count; i++) {
        input[i] = (sa_project_instance){start, instances(&op->inputs[i], &args[i])};
        start += input[i].count;
        s = describe_param(f, &op->inputs[i], &args[i], input[i], f->call.inputs, f->tensors,
                           !inferring);
    }
    start = 0;
    for (size_t i = 0; !s && i < op->output_count; i++) {
        const sa_project_arg *arg = inferring ? NULL : output_arg(op, args, i);
        output[i] = (sa_project_instance){start, arg ? instances(&op->outputs[i], arg) : 1};
        start += output[i].count;
        if (arg)
            s = describe_param(f, &op->outputs[i], arg, output[i], f->call.outputs,
                               f->tensors + inputs, true);
    }
    return s;
}

void project_close(project_frame *f)
{
    free(f->memory);
    f->memory = NULL;
}

/* ---- dtypes */

/* A value-depending input's integers are int64 here, whatever it declares. */
static bool dtype_fits(const sa_project_param *param, size_t combination, int32_t dtype)
{
    return param->value_depend || param->dtypes[combination] == dtype;
}

static bool fits(const sa_project_param *params, size_t count, const sa_project_instance *instance,
                 const sa_project_tensor *tensors, size_t combination, bool formats)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < instance[i].count; n++) {
            const sa_project_tensor *t = &tensors[instance[i].start + n];
            if (!dtype_fits(&params[i], combination, t->dtype) ||
                (formats && params[i].formats[combination] != t->format))
                return false;
        }
    return true;
}

int project_combination(const sa_project_call *call)
{
    const sa_project_op *op = call->op;

    for (int formats = 1; formats >= 0; formats--)
        for (size_t c = 0; c < op->combination_count; c++)
            if (fits(op->inputs, op->input_count, call->input, call->inputs, c, formats) &&
                fits(op->outputs, op->output_count, call->output, call->outputs, c, formats))
                return (int)c;
    return -1;
}
