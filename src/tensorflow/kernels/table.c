/* Registers every row of the tables, once per combination of types. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/kernels/run.h"

#include "tensorflow/bridge.h"
#include "tensorflow/graph/fallback.h"
#include "tensorflow/graph/wire.h"
#include "tensorflow/kernels/fused.h"
#include "tensorflow/kernels/run.h"

static const kernel_def *const tables[] = {
    tf_kernels_elementwise, tf_kernels_gradient,   tf_kernels_matmul,   tf_kernels_nn,
    tf_kernels_conv,        tf_kernels_reduce,     tf_kernels_fill,     tf_kernels_layout,
    tf_kernels_slice,       tf_kernels_index,      tf_kernels_variable, tf_kernels_near_zero,
    tf_kernels_random,      tf_kernels_library,    tf_kernels_project,  tf_kernels_attention,
    tf_kernels_fused,       tf_kernels_layer_norm, tf_kernels_linear,
};

#define TABLES (sizeof tables / sizeof *tables)

static bool has_type(uint32_t types, int type)
{
    return type >= 0 && type < 32 && types & T_BIT(type);
}

/* ---- instances ---- */

/* The value of type attribute `name` in a NodeDef's attribute map entry; -1 if it is another. */
static int type_of(const wire_field *entry, const char *name)
{
    wire w = wire_of(entry->data, entry->size);
    wire_field f, value = {0};
    bool named = false;
    while (wire_next(&w, &f)) {
        if (f.number == 1)
            named = wire_is(&f, name);
        else if (f.number == 2)
            value = f;
    }
    if (!named || !value.data)
        return -1;
    w = wire_of(value.data, value.size);
    while (wire_next(&w, &f)) {
        if (f.number == 6)
            return (int)f.value;
    }
    return -1;
}

static int node_type(const TF_Buffer *node, const char *name)
{
    wire w = wire_of(node->data, node->length);
    wire_field f;
    int type = -1;
    while (name && wire_next(&w, &f)) {
        int t = f.number == 5 ? type_of(&f, name) : -1;
        type = t >= 0 ? t : type;
    }
    return type;
}

static const kernel_def *row_of(const TF_Buffer *node, int *type, int *type2)
{
    wire w = wire_of(node->data, node->length);
    wire_field f, op = {0};
    while (wire_next(&w, &f)) {
        if (f.number == 2)
            op = f;
    }
    for (size_t t = 0; op.data && t < TABLES; t++) {
        for (const kernel_def *d = tables[t]; d->op; d++) {
            if (!wire_is(&op, d->op))
                continue;
            *type = node_type(node, d->attr);
            *type2 = node_type(node, d->attr2);
            if ((!d->attr || has_type(d->types, *type)) &&
                (!d->attr2 || has_type(d->types2, *type2)))
                return d;
        }
    }
    return NULL;
}

const kernel_def *tf_row(const char *op, int type, int type2)
{
    for (size_t t = 0; t < TABLES; t++) {
        for (const kernel_def *d = tables[t]; d->op; d++) {
            if (strcmp(op, d->op) == 0 && (!d->attr || has_type(d->types, type)) &&
                (!d->attr2 || has_type(d->types2, type2)))
                return d;
        }
    }
    return NULL;
}

static kernel *create(TF_OpKernelConstruction *c, bool cpu)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *node = TF_OpKernelConstruction_GetNodeDef(c, status);
    kernel *k = NULL;
    int type = -1, type2 = -1;
    const kernel_def *def =
        TF_GetCode(status) == TF_OK && node ? row_of(node, &type, &type2) : NULL;
    if (def)
        k = calloc(1, sizeof *k);
    if (k) {
        k->def = def;
        k->type = (TF_DataType)type;
        k->type2 = (TF_DataType)type2;
        k->cpu = cpu;
        if (def->prepare)
            def->prepare(k, c, status);
    } else if (TF_GetCode(status) == TF_OK) {
        TF_SetStatus(status, TF_INTERNAL, "softascend: no row for this node in the kernel tables");
    }
    if (TF_GetCode(status) != TF_OK)
        TF_OpKernelConstruction_Failure(c, status);
    if (node)
        TF_DeleteBuffer(node);
    TF_DeleteStatus(status);
    return k;
}

static void *create_on_npu(TF_OpKernelConstruction *c)
{
    return create(c, false);
}

static void *create_on_cpu(TF_OpKernelConstruction *c)
{
    return create(c, true);
}

static void destroy(void *p)
{
    kernel *k = p;
    if (k && k->def->drop)
        k->def->drop(k);
    free(k);
}

/* ---- registration ---- */

static void register_one(const kernel_def *d, const char *device, int type, int type2,
                         TF_Status *status)
{
    bool cpu = strcmp(device, "CPU") == 0;
    TF_KernelBuilder *b = TF_NewKernelBuilder(d->op, device, cpu ? create_on_cpu : create_on_npu,
                                              tf_compute, destroy);
    TF_SetStatus(status, TF_OK, "");
    if (d->attr)
        TF_KernelBuilder_TypeConstraint(b, d->attr, (TF_DataType)type, status);
    if (d->attr2 && TF_GetCode(status) == TF_OK)
        TF_KernelBuilder_TypeConstraint(b, d->attr2, (TF_DataType)type2, status);
    for (int i = 0; i < 6 && d->host[i]; i++)
        TF_KernelBuilder_HostMemory(b, d->host[i]);
    if (TF_GetCode(status) == TF_OK)
        TF_RegisterKernelBuilder(d->op, b, status);
    else
        TF_DeleteKernelBuilder(b);
    if (TF_GetCode(status) != TF_OK)
        fprintf(stderr, "softascend: kernel for op %s on %s was refused: %s\n", d->op, device,
                TF_Message(status));
}

static void register_row(const kernel_def *d, TF_Status *status)
{
    for (int t = 0; t < 32; t++) {
        if (d->attr ? !has_type(d->types, t) : t > 0)
            continue;
        for (int u = 0; u < 32; u++) {
            if (d->attr2 ? !has_type(d->types2, u) : u > 0)
                continue;
            register_one(d, "NPU", t, u, status);
            if (d->on_cpu)
                register_one(d, "CPU", t, u, status);
        }
    }
}

TF_ENTRY void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    tf_define_fused();
    for (size_t t = 0; t < TABLES; t++) {
        for (const kernel_def *d = tables[t]; d->op; d++)
            register_row(d, status);
    }
    TF_DeleteStatus(status);
    if (tf_device_count() > 0 && tf_bridge()->start_eager)
        tf_bridge()->start_eager(sa_graph_report_fallback);
}

static void write_types(FILE *f, const char *attr, uint32_t types)
{
    const char *separator = "=";
    fprintf(f, " %s", attr);
    for (int t = 0; t < 32; t++) {
        if (has_type(types, t)) {
            fprintf(f, "%s%s", separator, tf_type((TF_DataType)t));
            separator = ",";
        }
    }
}

/* One line a row: op, then each constrained attribute with its types:
 * "Cast SrcT=float32,float16 DstT=int32". For tools that say why an op did not run on the NPU. The
 * text lives as long as the process; NULL when memory is short. */
TF_ENTRY const char *sa_tf_kernel_table(void)
{
    static char *text;
    if (text)
        return text;
    char *made = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&made, &size);
    if (!f)
        return NULL;
    for (size_t t = 0; t < TABLES; t++) {
        for (const kernel_def *d = tables[t]; d->op; d++) {
            fputs(d->op, f);
            if (d->attr)
                write_types(f, d->attr, d->types);
            if (d->attr2)
                write_types(f, d->attr2, d->types2);
            fputc('\n', f);
        }
    }
    fclose(f);
    text = made;
    return text;
}
