/* A graph that TensorFlow has placed says for each node where it runs, not why. An op that has no
 * kernel for the NPU (or for any device) under its types had no choice; others were put on the CPU
 * by the user. TensorFlow's own list of kernels decides. */
#include "tensorflow/graph/fallback.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/graph/wire.h"
#include "tensorflow/kernels/kernel.h"

typedef struct node {
    wire_field op, device;
    const uint8_t *data;
    size_t size;
} node;

static node read_node(const void *data, size_t size)
{
    node n = {.data = data, .size = size};
    wire w = wire_of(data, size);
    wire_field f;
    while (wire_next(&w, &f)) {
        if (f.number == 2)
            n.op = f;
        else if (f.number == 4)
            n.device = f;
    }
    return n;
}

static bool contains(const wire_field *f, const char *text)
{
    return f->size && memmem(f->data, f->size, text, strlen(text));
}

/* Arguments, input pipelines, strings and calls: not what anybody expects on an NPU. */
static bool belongs_on_cpu(const wire_field *op)
{
    static const char *const parts[] = {
        "Iterator", "Dataset", "Optional", "Assert", "Print", "String", "Summary",
        "Restore",  "Save",    "Call",     "Const",  "NoOp",  "Queue",  "Decode",
        "Parse",    "Reader",  "File",     "Lookup", "Seed",  "Rng",    "PyFunc"};
    if (op->size == 0 || op->data[0] == '_')
        return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (contains(op, parts[i]))
            return true;
    }
    return false;
}

/* The node's type attribute of that name, -1 if it has none. */
static int node_attr(const node *n, const wire_field *name)
{
    wire w = wire_of(n->data, n->size);
    wire_field entry;
    while (wire_next(&w, &entry)) {
        if (entry.number != 5)
            continue;
        wire e = wire_of(entry.data, entry.size);
        wire_field f, key = {0}, value = {0};
        while (wire_next(&e, &f)) {
            if (f.number == 1)
                key = f;
            else if (f.number == 2)
                value = f;
        }
        if (!key.size || key.size != name->size || memcmp(key.data, name->data, key.size))
            continue;
        wire v = wire_of(value.data, value.size);
        while (wire_next(&v, &f)) {
            if (f.number == 6 && f.type == 0)
                return (int)f.value;
        }
    }
    return -1;
}

/* Whether `type` is among a KernelDef.AttrConstraint's allowed values. */
static bool allows(const wire_field *allowed, int type)
{
    wire w = wire_of(allowed->data, allowed->size);
    wire_field list, f;
    while (wire_next(&w, &list)) {
        if (list.number != 1 || list.type != 2)
            continue;
        wire l = wire_of(list.data, list.size);
        while (wire_next(&l, &f)) {
            if (f.number == 6 && f.type == 0 && (int)f.value == type)
                return true;
            wire packed = wire_of(f.data, f.number == 6 && f.type == 2 ? f.size : 0);
            while (packed.p < packed.end && !packed.bad) {
                if ((int)wire_varint(&packed) == type)
                    return true;
            }
        }
    }
    return false;
}

/* Whether a KernelDef fits the node; *refused becomes the type that it does not take. */
static bool fits(const wire_field *kernel, const node *n, bool *npu, int *refused)
{
    wire w = wire_of(kernel->data, kernel->size);
    wire_field f;
    bool device = false, types = true;
    while (wire_next(&w, &f)) {
        if (f.number == 2) {
            device = wire_is(&f, "NPU") || wire_is(&f, "DEFAULT");
        } else if (f.number == 3) {
            wire c = wire_of(f.data, f.size);
            wire_field g, name = {0}, allowed = {0};
            while (wire_next(&c, &g)) {
                if (g.number == 1)
                    name = g;
                else if (g.number == 2)
                    allowed = g;
            }
            int type = node_attr(n, &name);
            if (type >= 0 && !allows(&allowed, type)) {
                types = false;
                if (device)
                    *refused = type;
            }
        }
    }
    *npu = *npu || device;
    return device && types;
}

typedef TF_Buffer *(*kernels_of_op)(const char *, TF_Status *);

static kernels_of_op find_lister(void)
{
    void *cc = dlopen("libtensorflow_cc.so.2", RTLD_NOLOAD | RTLD_LAZY);
    void *symbol = cc ? dlsym(cc, "TF_GetRegisteredKernelsForOp") : NULL;
    kernels_of_op f = NULL;
    memcpy(&f, &symbol, sizeof f);
    return f;
}

/* True once for each text. */
static bool first_time(const char *text)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static char **said;
    static size_t count;
    bool first = true;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < count && first; i++)
        first = strcmp(said[i], text) != 0;
    char **more = first ? realloc(said, (count + 1) * sizeof *said) : NULL;
    if (more) {
        said = more;
        said[count] = strdup(text);
        count += said[count] != NULL;
    }
    pthread_mutex_unlock(&mutex);
    return first;
}

static void report(const node *n, kernels_of_op lister, TF_Status *status)
{
    char op[128], text[256];
    snprintf(op, sizeof op, "%.*s", (int)n->op.size, (const char *)n->op.data);
    TF_Buffer *list = lister(op, status);
    if (!list)
        return;
    wire w = wire_of(list->data, list->length);
    wire_field kernel;
    bool fit = false, npu = false, any = false;
    int refused = -1;
    while (!fit && wire_next(&w, &kernel)) {
        any = true;
        fit = fits(&kernel, n, &npu, &refused);
    }
    TF_DeleteBuffer(list);
    if (fit || !any)
        return;
    if (npu && refused >= 0)
        snprintf(text, sizeof text, "softascend: op '%s' runs on CPU: no NPU kernel for dtype %s",
                 op, tf_type((TF_DataType)refused));
    else
        snprintf(text, sizeof text, "softascend: op '%s' runs on CPU: it has no NPU kernel", op);
    if (first_time(text))
        fprintf(stderr, "%s\n", text);
}

void sa_graph_report_fallback(const void *data, size_t bytes)
{
    node n = read_node(data, bytes);
    kernels_of_op lister = find_lister();
    if (!lister || belongs_on_cpu(&n.op))
        return;
    TF_Status *status = TF_NewStatus();
    report(&n, lister, status);
    TF_DeleteStatus(status);
}

void sa_graph_report_fallbacks(const void *graph, size_t bytes)
{
    wire w = wire_of(graph, bytes);
    wire_field f;
    if (!memmem(graph, bytes, "device:NPU:", 11))
        return;
    kernels_of_op lister = find_lister();
    if (!lister)
        return;
    TF_Status *status = TF_NewStatus();
    while (wire_next(&w, &f)) {
        if (f.number != 1 || f.type != 2)
            continue;
        node n = read_node(f.data, f.size);
        if (contains(&n.device, "device:CPU:") && !belongs_on_cpu(&n.op))
            report(&n, lister, status);
    }
    TF_DeleteStatus(status);
}
