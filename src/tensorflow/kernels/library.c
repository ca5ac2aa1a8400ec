/* AscendKernel: a kernel of a library that ascc made, loaded while the program runs. The library
 * describes its kernels' parameters (softascend/launch.h); the op's attributes say what each of
 * them is, and the plan, a host operand, what may differ from call to call. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softascend/launch.h"
#include "tensorflow/kernels/loaded.h"

typedef struct library_kernel {
    char *library, *name, *roles; /* the attributes */
    int parameters, inputs;
    const sa_parameter *parameter;
    sa_call call;
} library_kernel;

/* ---- from attributes */

static void *symbol(void *handle, const char *prefix, const char *name)
{
    char text[512];
    int n = snprintf(text, sizeof text, "%s%s", prefix, name);
    return n < (int)sizeof text ? dlsym(handle, text) : NULL;
}

static void load(library_kernel *own, TF_Status *status)
{
    char text[1024];
    void *handle = tf_load_library(own->library, own->name, status);
    if (!handle)
        return;
    own->parameter = symbol(handle, "sa_parameters_", own->name);
    *(void **)&own->call = symbol(handle, "sa_call_", own->name);
    if (!own->parameter || !own->call) {
        snprintf(text, sizeof text, "%s has no such kernel", own->library);
        tf_refuse(status, TF_NOT_FOUND, own->name, text);
        return;
    }
    while (own->parameter[own->parameters].name)
        own->parameters++;
    size_t roles = strlen(own->roles);
    if ((size_t)own->parameters != roles) {
        snprintf(text, sizeof text, "the kernel has %d parameters, and `arguments` names %zu",
                 own->parameters, roles);
        tf_refuse(status, TF_INVALID_ARGUMENT, own->name, text);
        return;
    }
    for (int i = 0; i < own->parameters; i++) {
        const sa_parameter *p = &own->parameter[i];
        bool known = strchr("iozwtv", own->roles[i]) != NULL;
        if (!known || (p->kind == 'p') != (own->roles[i] != 'v')) {
            snprintf(text, sizeof text, "parameter %s is a %s, and cannot be \"%c\"", p->name,
                     p->type, own->roles[i]);
            tf_refuse(status, TF_INVALID_ARGUMENT, own->name, text);
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
    own->library = tf_string_attr(c, "library", NULL, status);
    own->name = tf_string_attr(c, "kernel", NULL, status);
    own->roles = tf_string_attr(c, "arguments", NULL, status);
    k->name = own->name;
    if (TF_GetCode(status) == TF_OK)
        load(own, status);
}

/* ---- a call */

static int64_t take_one(job *j, tf_words *p)
{
    const int64_t *word = tf_take(j, p, 1);
    return word ? *word : 0;
}

static const operand *take_output(job *j, tf_words *p, int i, int64_t *elements)
{
    int64_t rank = take_one(j, p);
    const int64_t *dims = tf_take(j, p, rank);
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
    tf_words p = {.what = "the plan", .words = words->data, .count = words->count};
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
            const int64_t *bytes = tf_take(j, &p, (size + 7) / 8);
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
