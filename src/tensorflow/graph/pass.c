/* TensorFlow's hook into graphs after placement. Elementwise ops are joined (fuse.h). Keras
 * compiles with XLA by default, and XLA knows no NPU: without the attribute that demands it the
 * same graph runs op by op, on the NPU's kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "tensorflow/graph/fallback.h"
#include "tensorflow/graph/fuse.h"
#include "tensorflow/graph/wire.h"
#include "tensorflow/tf.h"

static const char must_compile[] = "_XlaMustCompile";

/* Where attributes may be: graph, library of functions, function, node. */
typedef enum message { GRAPH, LIBRARY, FUNCTION, NODE, ATTRIBUTE, OTHER } message;

static message child(message m, uint32_t field)
{
    switch (m) {
    case GRAPH:
        return field == 1 ? NODE : field == 2 ? LIBRARY : OTHER;
    case LIBRARY:
        return field == 1 ? FUNCTION : OTHER;
    case FUNCTION:
        return field == 3 ? NODE : field == 5 ? ATTRIBUTE : OTHER;
    case NODE:
        return field == 5 ? ATTRIBUTE : OTHER;
    default:
        return OTHER;
    }
}

static bool unwanted(const wire_field *entry)
{
    wire w = wire_of(entry->data, entry->size);
    wire_field f;
    while (wire_next(&w, &f)) {
        if (f.number == 1)
            return wire_is(&f, must_compile);
    }
    return false;
}

static uint8_t *append(uint8_t *out, const uint8_t *begin, const uint8_t *end)
{
    memcpy(out, begin, (size_t)(end - begin));
    return out + (end - begin);
}

/* Copies a message without the attribute; the end of the copy, or NULL if the bytes are no message.
 * A message only gets shorter, so its new length fits where the old one stood: lengths are written
 * with as many bytes as before, which protobuf allows. */
static uint8_t *strip(message m, const uint8_t *data, size_t size, uint8_t *out)
{
    wire w = wire_of(data, size);
    wire_field f;
    while (wire_next(&w, &f)) {
        message c = f.type == 2 ? child(m, f.number) : OTHER;
        if (c == ATTRIBUTE && unwanted(&f))
            continue;
        if (c == OTHER || c == ATTRIBUTE) {
            out = append(out, f.start, w.p);
            continue;
        }
        wire tag = wire_of(f.start, (size_t)(f.data - f.start));
        wire_varint(&tag);
        out = append(out, f.start, tag.p);
        size_t width = (size_t)(f.data - tag.p);
        uint8_t *length = out;
        uint8_t *end = strip(c, f.data, f.size, out + width);
        if (!end)
            return NULL;
        uint64_t n = (uint64_t)(end - (out + width));
        for (size_t i = 0; i < width; i++, n >>= 7)
            length[i] = (uint8_t)((n & 0x7f) | (i + 1 < width ? 0x80 : 0));
        out = end;
    }
    return w.bad ? NULL : out;
}

/* SOFTASCEND_FUSION=0 leaves elementwise ops apart: the same bits, op by op. */
static bool fusion(void)
{
    const char *text = getenv("SOFTASCEND_FUSION");
    return !text || strcmp(text, "0") != 0;
}

static void release(void *data, size_t length)
{
    (void)length;
    free(data);
}

static void optimize(void *optimizer, const TF_Buffer *graph, const TF_GrapplerItem *item,
                     TF_Buffer *result, TF_Status *status)
{
    (void)optimizer;
    uint8_t *copy = malloc(graph->length ? graph->length : 1);
    if (!copy) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "softascend: no memory to copy a graph");
        return;
    }
    uint8_t *end = NULL;
    if (memmem(graph->data, graph->length, must_compile, sizeof must_compile - 1))
        end = strip(GRAPH, graph->data, graph->length, copy);
    if (!end) /* nothing to strip, or not understood: TensorFlow judges it */
        end = append(copy, graph->data, (const uint8_t *)graph->data + graph->length);
    sa_graph_report_fallbacks(graph->data, graph->length);
    size_t length = (size_t)(end - copy);
    uint8_t *fused = fusion() ? sa_graph_fuse(copy, &length, item) : NULL;
    if (fused) {
        free(copy);
        copy = fused;
    }
    result->data = copy;
    result->length = length;
    result->data_deallocator = release;
    TF_SetStatus(status, TF_OK, "");
}

static void *create(void)
{
    return malloc(1);
}

TF_ENTRY void TF_InitGraph(TP_OptimizerRegistrationParams *params, TF_Status *status)
{
    params->struct_size = TP_OPTIMIZER_REGISTRATION_PARAMS_STRUCT_SIZE;
    params->device_type = "NPU";
    params->optimizer_configs->struct_size = TP_OPTIMIZER_CONFIGS_STRUCT_SIZE;
    params->optimizer->struct_size = TP_OPTIMIZER_STRUCT_SIZE;
    params->optimizer->create_func = create;
    params->optimizer->optimize_func = optimize;
    params->optimizer->destroy_func = free;
    TF_SetStatus(status, TF_OK, "");
}
