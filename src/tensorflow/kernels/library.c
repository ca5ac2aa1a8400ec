/* AscendKernel: a kernel of a library that ascc made, loaded while the program runs. The library
 * describes its kernels' parameters (softascend/launch.h); the op's attributes say what each of
 * them is, and the plan, a host operand, what may differ from call to call. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softascend/launch.h"
#include "tensorflow/kernels/kernel.h"

typedef struct library_kernel {
    char *library, *name, *roles; /* the attributes */
    int parameters, inputs;
    const sa_parameter *parameter;
    sa_call call;
} library_kernel;

/* ---- from attributes */

static char *string_attr(TF_OpKernelConstruction *c, const char *name, TF_Status *status)
{
    int32_t list, bytes = 0;
    if (TF_GetCode(status) != TF_OK)
        return NULL;
    TF_OpKernelConstruction_GetAttrSize(c, name, &list, &bytes, status);
    char *text = TF_GetCode(status) == TF_OK ? calloc(1, (size_t)bytes + 1) : NULL;
    if (text)
        TF_OpKernelConstruction_GetAttrString(c, name, text, (size_t)bytes, status);
    else if (TF_GetCode(status) == TF_OK)
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of host memory");
    return text;
}

static void refuse(TF_Status *status, TF_Code code, const library_kernel *own, const char *what)
{
    char text[1024];
    snprintf(text, sizeof text, "%.200s: %.800s", own->name, what);
    TF_SetStatus(status, code, text);
}

static void *symbol(void *handle, const char *prefix, const char *name)
{
    char text[512];
    int n = snprintf(text, sizeof text, "%s%s", prefix, name);
    return n < (int)sizeof text ? dlsym(handle, text) : NULL;
}

/* Libraries stay loaded: kernels may still be named in reports. */
static void load(library_kernel *own, TF_Status *status)
{
    char text[1024];
    void *handle = dlopen(own->library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        refuse(status, TF_NOT_FOUND, own, dlerror());
        return;
    }
    own->parameter = symbol(handle, "sa_parameters_", own->name);
    *(void **)&own->call = symbol(handle, "sa_call_", own->name);
    if (!own->parameter || !own->call) {
        snprintf(text, sizeof text, "%s has no such kernel", own->library);
        refuse(status, TF_NOT_FOUND, own, text);
        return;
    }
    while (own->parameter[own->parameters].name)
        own->parameters++;
    size_t roles = strlen(own->roles);
    if ((size_t)own->parameters != roles) {
        snprintf(text, sizeof text, "the kernel has %d parameters, and `arguments` names %zu",
                 own->parameters, roles);
        refuse(status, TF_INVALID_ARGUMENT, own, text);
        return;
    }
    for (int i = 0; i < own->parameters; i++) {
        const sa_parameter *p = &own->parameter[i];
        bool known = strchr("iozwtv", own->roles[i]) != NULL;
        if (!known || (p->kind == 'p') != (own->roles[i] != 'v')) {
            snprintf(text, sizeof text, "parameter %s is a %s, and cannot be \"%c\"", p->name,
                     p->type, own->roles[i]);
            refuse(status, TF_INVALID_ARGUMENT, own, text);
            return;
        }
        own->inputs += own->roles[i] == 'i';
    }
}

static void library_drop(kernel *k)
{
    library_kernel *own = k->own;
    if (own) {
        free(own->library);
        free(own->name);
        free(own->roles);
        free(own);
    }
}

static void library_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    library_kernel *own = k->own = calloc(1, sizeof *own);
    if (!own) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of host memory");
        return;
    }
    own->library = string_attr(c, "library", status);
    own->name = string_attr(c, "kernel", status);
    own->roles = string_attr(c, "arguments", status);
    k->name = own->name;
    if (TF_GetCode(status) == TF_OK)
        load(own, status);
}

/* ---- a call */

typedef struct plan {
    const int64_t *words;
    int64_t count, at;
} plan;

/* The next n words. */
static const int64_t *take(job *j, plan *p, int64_t n)
{
    if (!j->failed && (n < 0 || n > p->count - p->at))
        tf_fail(j, TF_INVALID_ARGUMENT, "the plan has %lld words and ends too early",
                (long long)p->count);
    if (j->failed)
        return NULL;
    p->at += n;
    return p->words + p->at - n;
}

static int64_t take_one(job *j, plan *p)
{
    const int64_t *word = take(j, p, 1);
    return word ? *word : 0;
}

static const operand *take_output(job *j, plan *p, int i, int64_t *elements)
{
    int64_t rank = take_one(j, p);
    const int64_t *dims = take(j, p, rank);
    for (int64_t d = 0; dims && d < rank; d++) {
        if (dims[d] < 0)
            tf_fail(j, TF_INVALID_ARGUMENT, "output %d would have shape %s", i,
                    tf_shape(j, (int)rank, dims));
    }
    if (j->failed)
        return NULL;
    const operand *out =
        tf_out(j, i, TF_ExpectedOutputDataType(j->ctx, i), rank > 254 ? 255 : (int)rank, dims);
    *elements += out->count;
    return j->failed ? NULL : out;
}

/* What comes before the kernel on the stream. */
static void run_acl(job *j, aclError e)
{
    if (e)
        tf_fail_acl(j, e);
}

static void *bytes_in_gm(job *j, const void *bytes, int64_t size)
{
    const operand *room = tf_temp(j, TF_UINT8, 1, &(int64_t){size ? size : 1});
    if (!j->failed && size)
        run_acl(j, aclrtMemcpyAsync(room->data, (size_t)size, bytes, (size_t)size,
                                    ACL_MEMCPY_HOST_TO_DEVICE, j->session.stream));
    return room->data;
}

static void *zeroed(job *j, const operand *out)
{
    size_t bytes = (size_t)out->count * TF_DataTypeSize(out->type);
    if (bytes)
        run_acl(j, aclrtMemsetAsync(out->data, bytes, 0, bytes, j->session.stream));
    return out->data;
}

static void library_compute(job *j)
{
    const library_kernel *own = j->k->own;
    const operand *words = tf_in(j, own->inputs);
    plan p = {.words = words->data, .count = words->count};
    int64_t blocks = take_one(j, &p), workspace = take_one(j, &p), elements = 0;
    int outputs = TF_NumOutputs(j->ctx), in = 0, out = 0;
    /* pointers, and beside them what values point to */
    const void **values = (const void **)tf_ints(j, own->parameters);
    void **pointers = (void **)tf_ints(j, own->parameters);
    const operand **made = (const operand **)tf_ints(j, outputs);
    for (int i = 0; i < outputs && !j->failed; i++)
        made[i] = take_output(j, &p, i, &elements);
    if (j->failed || !elements)
        return; /* nothing to compute */
    for (int i = 0; i < own->parameters && !j->failed; i++) {
        const sa_parameter *parameter = &own->parameter[i];
        char role = own->roles[i];
        values[i] = &pointers[i];
        if (role == 'i') {
            pointers[i] = tf_in(j, in++)->data;
        } else if (role == 'o' || role == 'z') {
            const operand *o = out < outputs ? made[out] : NULL;
            pointers[i] = !o ? NULL : role == 'z' ? zeroed(j, o) : o->data;
            out++;
        } else if (role == 'w') {
            pointers[i] = tf_temp(j, TF_UINT8, 1, &(int64_t){workspace > 0 ? workspace : 1})->data;
        } else {
            int64_t size = take_one(j, &p);
            const int64_t *bytes = take(j, &p, (size + 7) / 8);
            if (!j->failed && role == 'v' && size != parameter->bytes)
                tf_fail(j, TF_INVALID_ARGUMENT, "%s: %s has %u bytes, got %lld", parameter->name,
                        parameter->type, parameter->bytes, (long long)size);
            if (role == 't')
                pointers[i] = bytes_in_gm(j, bytes, size);
            else
                values[i] = bytes;
        }
    }
    if (!j->failed && (out != outputs || p.at != p.count))
        tf_fail(j, TF_INVALID_ARGUMENT,
                "the kernel has %d outputs, the op %d; %lld words of the plan are left", out,
                outputs, (long long)(p.count - p.at));
    if (!j->failed && (blocks < 1 || blocks > UINT16_MAX))
        tf_fail(j, TF_INVALID_ARGUMENT, "%lld blocks; a launch has 1 to 65535", (long long)blocks);
    if (!j->failed)
        run_acl(j, (aclError)own->call((uint32_t)blocks, j->session.stream, values));
}

const kernel_def tf_kernels_library[] = {
    {"AscendKernel", NULL, 0, library_compute, library_prepare, .host = {"plan", "attributes"},
     .on_cpu = true, .drop = library_drop},
    {NULL},
};
