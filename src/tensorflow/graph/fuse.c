/* An op is joined to the one that consumes it if nothing else does: then no path leaves the group
 * but from its last op, and the group can run when its last op would. From the graph's end to its
 * start: an op whose consumers, by data and by control, are all in one group joins it.
 *
 * A node is dead (TensorFlow's word for: on a branch not taken) if anything before it is, and lives
 * in the loop of whatever it hangs on. Both follow from the control flow ops that it is reached
 * from without another between: only nodes with the same set of these are joined. */
#include "tensorflow/graph/fuse.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/graph/wire.h"
#include "tensorflow/kernels/fused.h"

#define CONTROL (-1) /* port of a control edge */
#define MOST_WORDS ((size_t)1 << 22)

typedef struct edge {
    int node, port;
    wire_field text; /* as the input is written */
} edge;

typedef struct node {
    wire_field name, op, device;
    const uint8_t *data; /* the NodeDef */
    size_t size;
    int first, inputs; /* in edges */
    int consumers, consumers_at;
    int waits; /* for as many nodes, while sorting */
    tf_step_kind kind;
    int type, to;      /* of its attributes: what the step computes in, what a Cast gives */
    bool flow, merges; /* a control flow op; one that takes edges from a loop's end */
    bool kept, read_kept;
    int ports, bit; /* of a control flow op: distinct outputs used, the first one's bit */
    int group;      /* the number of its group's last node, -1: none */
    int steps, reads;
} node;

typedef struct graph {
    node *nodes;
    edge *edges;
    int *table, *consumers, *order;
    uint64_t *sets;
    int count, edge_count, slots, words;
    bool function;
} graph;

/* ---- reading */

static uint32_t hash(const uint8_t *p, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}

/* The slot of a name, or the empty one where it belongs. */
static int *slot(const graph *g, const uint8_t *name, size_t size)
{
    uint32_t i = hash(name, size) & (uint32_t)(g->slots - 1);
    while (g->table[i] >= 0) {
        const wire_field *n = &g->nodes[g->table[i]].name;
        if (n->size == size && memcmp(n->data, name, size) == 0)
            break;
        i = (i + 1) & (uint32_t)(g->slots - 1);
    }
    return &g->table[i];
}

static bool is_node(const wire_field *f)
{
    return f->number == 1 && f->type == 2;
}

/* The value of attribute `name`; its size is 0 if there is none. */
static wire_field attribute(const node *n, const char *name)
{
    wire w = wire_of(n->data, n->size);
    wire_field entry, none = {0};
    while (wire_next(&w, &entry)) {
        if (entry.number != 5)
            continue;
        wire e = wire_of(entry.data, entry.size);
        wire_field f, value = {0};
        bool named = false;
        while (wire_next(&e, &f)) {
            if (f.number == 1)
                named = wire_is(&f, name);
            else if (f.number == 2)
                value = f;
        }
        if (named)
            return value;
    }
    return none;
}

/* A varint in an attribute: 5 a bool, 6 a type. */
static int number(const node *n, const char *name, uint32_t field, int otherwise)
{
    wire_field value = attribute(n, name), f;
    wire w = wire_of(value.data, value.size);
    while (wire_next(&w, &f)) {
        if (f.number == field)
            return (int)f.value;
    }
    return otherwise;
}

static bool any_of(const wire_field *op, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (wire_is(op, names[i]))
            return true;
    }
    return false;
}

static void classify(node *n)
{
    static const char *const flow[] = {"Switch",   "RefSwitch", "_SwitchN",      "Merge",
                                       "RefMerge", "_XlaMerge", "Enter",         "RefEnter",
                                       "Exit",     "RefExit",   "NextIteration", "RefNextIteration",
                                       "LoopCond", "_Recv",     "_HostRecv",     "ControlTrigger"};
    static const char *const ends[] = {"NextIteration", "RefNextIteration"};
    char op[64];
    n->flow = any_of(&n->op, flow, sizeof flow / sizeof *flow);
    n->merges = any_of(&n->op, ends, 2);
    n->group = -1;
    if (n->op.size >= sizeof op || !memmem(n->device.data, n->device.size, "device:NPU:", 11))
        return;
    snprintf(op, sizeof op, "%.*s", (int)n->op.size, (const char *)n->op.data);
    bool cast = strcmp(op, "Cast") == 0;
    n->type = number(n, cast ? "SrcT" : strstr(op, "VariableOp") ? "dtype" : "T", 6, -1);
    n->to = cast ? number(n, "DstT", 6, -1) : n->type;
    n->kind = tf_step_of(op, n->type, n->to);
    if (cast && number(n, "Truncate", 5, 0))
        n->kind = TF_STEP_NONE;
}

/* Counts or, the second time, takes what there is. */
static bool read_nodes(graph *g, const uint8_t *data, size_t size, bool take)
{
    wire w = wire_of(data, size);
    wire_field f, part;
    g->count = g->edge_count = 0;
    while (wire_next(&w, &f)) {
        if (!is_node(&f))
            continue;
        node n = {.data = f.data, .size = f.size, .first = g->edge_count};
        wire x = wire_of(f.data, f.size);
        while (wire_next(&x, &part)) {
            if (part.number == 1)
                n.name = part;
            else if (part.number == 2)
                n.op = part;
            else if (part.number == 4)
                n.device = part;
            else if (part.number == 3 && part.size) {
                if (take)
                    g->edges[g->edge_count] = (edge){.text = part};
                g->edge_count++;
                n.inputs++;
            }
        }
        if (x.bad || !n.name.size || !n.op.size)
            return false;
        if (take) {
            classify(&n);
            g->nodes[g->count] = n;
            int *s = slot(g, n.name.data, n.name.size);
            if (*s >= 0)
                return false;
            *s = g->count;
            if (wire_is(&n.op, "_Arg") || wire_is(&n.op, "_Retval"))
                g->function = true;
        }
        g->count++;
    }
    return !w.bad;
}

/* "name", "name:port", "^name" */
static bool resolve(graph *g, edge *e)
{
    const uint8_t *p = e->text.data, *end = p + e->text.size;
    if (*p == '^') {
        e->port = CONTROL;
        p++;
    } else {
        const uint8_t *colon = memrchr(p, ':', (size_t)(end - p));
        if (colon) {
            for (const uint8_t *d = colon + 1; d < end; d++)
                e->port = e->port * 10 + (*d - '0');
            end = colon;
        }
    }
    e->node = *slot(g, p, (size_t)(end - p));
    return e->node >= 0 && e->port < 64;
}

static void release(graph *g)
{
    free(g->nodes);
    free(g->edges);
    free(g->table);
    free(g->consumers);
    free(g->order);
    free(g->sets);
}

static bool read_graph(graph *g, const uint8_t *data, size_t size)
{
    if (!read_nodes(g, data, size, false) || !g->count)
        return false;
    for (g->slots = 16; g->slots < 2 * g->count;)
        g->slots *= 2;
    g->nodes = malloc((size_t)g->count * sizeof *g->nodes);
    g->edges = malloc(((size_t)g->edge_count + 1) * sizeof *g->edges);
    g->table = malloc((size_t)g->slots * sizeof *g->table);
    g->consumers = malloc(((size_t)g->edge_count + 1) * sizeof *g->consumers);
    g->order = malloc((size_t)g->count * sizeof *g->order);
    if (!g->nodes || !g->edges || !g->table || !g->consumers || !g->order)
        return false;
    memset(g->table, -1, (size_t)g->slots * sizeof *g->table);
    if (!read_nodes(g, data, size, true))
        return false;
    for (int i = 0; i < g->edge_count; i++) {
        if (!resolve(g, &g->edges[i]))
            return false;
        node *from = &g->nodes[g->edges[i].node];
        from->consumers++;
        int used = g->edges[i].port == CONTROL ? 65 : g->edges[i].port + 1;
        if (from->flow && used > from->ports)
            from->ports = used;
    }
    int at = 0;
    for (int i = 0; i < g->count; i++) {
        g->nodes[i].consumers_at = at;
        at += g->nodes[i].consumers;
        g->nodes[i].consumers = 0;
    }
    for (int i = 0; i < g->count; i++) {
        for (int k = 0; k < g->nodes[i].inputs; k++) {
            node *from = &g->nodes[g->edges[g->nodes[i].first + k].node];
            g->consumers[from->consumers_at + from->consumers++] = i;
        }
    }
    return true;
}

/* Producers before consumers, but for what a loop's end gives its start. */
static bool sort(graph *g)
{
    int done = 0;
    for (int i = 0; i < g->count; i++) {
        node *n = &g->nodes[i];
        for (int k = 0; k < n->inputs; k++)
            n->waits += !g->nodes[g->edges[n->first + k].node].merges;
        if (!n->waits)
            g->order[done++] = i;
    }
    for (int i = 0; i < done; i++) {
        const node *n = &g->nodes[g->order[i]];
        for (int k = 0; k < n->consumers && !n->merges; k++) {
            int c = g->consumers[n->consumers_at + k];
            if (--g->nodes[c].waits == 0)
                g->order[done++] = c;
        }
    }
    return done == g->count;
}

/* The control flow outputs that each node is reached from. */
static bool find_sets(graph *g)
{
    int bits = 0;
    for (int i = 0; i < g->count; i++) {
        g->nodes[i].bit = bits;
        bits += g->nodes[i].ports;
    }
    g->words = (bits + 63) / 64;
    if ((size_t)g->words * (size_t)g->count > MOST_WORDS)
        return false;
    g->sets = calloc((size_t)g->words * (size_t)g->count + 1, sizeof *g->sets);
    for (int i = 0; g->sets && i < g->count; i++) {
        const node *n = &g->nodes[g->order[i]];
        uint64_t *set = g->sets + (size_t)g->order[i] * (size_t)g->words;
        for (int k = 0; k < n->inputs; k++) {
            const edge *e = &g->edges[n->first + k];
            const node *from = &g->nodes[e->node];
            if (from->flow) {
                int bit = from->bit + (e->port == CONTROL ? 64 : e->port);
                set[bit / 64] |= UINT64_C(1) << bit % 64;
                continue;
            }
            const uint64_t *more = g->sets + (size_t)e->node * (size_t)g->words;
            for (int w = 0; w < g->words; w++)
                set[w] |= more[w];
        }
    }
    return g->sets != NULL;
}

/* ---- what must stay */

typedef void (*list_size)(const TF_GrapplerItem *, int *, size_t *, TF_Status *);
typedef void (*list_get)(const TF_GrapplerItem *, char **, size_t *, int, void *, size_t,
                         TF_Status *);

/* Marks the nodes of one of TensorFlow's lists; false if it cannot be had. */
static bool mark(graph *g, const TF_GrapplerItem *item, const char *size_name, const char *name,
                 bool fetched)
{
    void *cc = dlopen("libtensorflow_cc.so.2", RTLD_NOLOAD | RTLD_LAZY);
    list_size size = NULL;
    list_get get = NULL;
    int count = 0;
    size_t bytes = 0;
    void *symbol = cc ? dlsym(cc, size_name) : NULL;
    memcpy(&size, &symbol, sizeof size);
    symbol = cc ? dlsym(cc, name) : NULL;
    memcpy(&get, &symbol, sizeof get);
    if (!size || !get)
        return false;
    TF_Status *status = TF_NewStatus();
    size(item, &count, &bytes, status);
    char **text = calloc((size_t)count + 1, sizeof *text);
    size_t *length = calloc((size_t)count + 1, sizeof *length);
    void *storage = malloc(bytes + 1);
    bool good = TF_GetCode(status) == TF_OK && text && length && storage;
    if (good && count) {
        get(item, text, length, count, storage, bytes, status);
        good = TF_GetCode(status) == TF_OK;
    }
    for (int i = 0; good && i < count; i++) {
        const char *colon = memchr(text[i], ':', length[i]);
        size_t n = colon ? (size_t)(colon - text[i]) : length[i];
        int at = *slot(g, (const uint8_t *)text[i], n);
        if (at >= 0 && fetched)
            g->nodes[at].read_kept = true;
        else if (at >= 0)
            g->nodes[at].kept = true;
    }
    free(text);
    free(length);
    free(storage);
    TF_DeleteStatus(status);
    return good;
}

/* Nodes that others name as where they want to be. */
static void mark_colocated(graph *g)
{
    static const char prefix[] = "loc:@";
    for (int i = 0; i < g->count; i++) {
        wire_field value = attribute(&g->nodes[i], "_class"), list, f;
        wire w = wire_of(value.data, value.size);
        while (wire_next(&w, &list)) {
            wire l = wire_of(list.data, list.number == 1 ? list.size : 0);
            while (wire_next(&l, &f)) {
                if (f.number != 2 || f.size <= 5 || memcmp(f.data, prefix, 5) != 0)
                    continue;
                int at = *slot(g, f.data + 5, f.size - 5);
                if (at >= 0 && at != i)
                    g->nodes[at].kept = g->nodes[at].read_kept = true;
            }
        }
    }
}

/* Whether a node may go. TensorFlow asks to keep all that a function does to variables, so that it
 * is done: the group does it, and a node of that name waits for the group (put_marker). In a
 * session, such a node may be fed or fetched. */
static bool may_go(const graph *g, const node *n)
{
    if (n->kind < TF_STEP_READ || !g->function)
        return !n->kept && !n->read_kept;
    return !n->read_kept;
}

/* ---- grouping */

static bool alike(const graph *g, int a, int b)
{
    const wire_field *da = &g->nodes[a].device, *db = &g->nodes[b].device;
    const uint64_t *sa = g->sets + (size_t)a * (size_t)g->words;
    const uint64_t *sb = g->sets + (size_t)b * (size_t)g->words;
    return da->size == db->size && memcmp(da->data, db->data, da->size) == 0 &&
           memcmp(sa, sb, (size_t)g->words * sizeof *sa) == 0;
}

/* The group that all consumers of a node are in, -1: there is none. */
static int common_group(const graph *g, const node *n)
{
    int group = -1;
    for (int k = 0; k < n->consumers; k++) {
        int c = g->nodes[g->consumers[n->consumers_at + k]].group;
        if (c < 0 || (group >= 0 && c != group))
            return -1;
        group = c;
    }
    return group;
}

static void group(graph *g)
{
    for (int i = g->count - 1; i >= 0; i--) {
        int index = g->order[i];
        node *n = &g->nodes[index];
        if (n->kind == TF_STEP_NONE || n->flow)
            continue;
        int c = common_group(g, n);
        bool reads = n->kind >= TF_STEP_READ;
        /* As if every step had inputs of its own: room for all of them, whatever they share. */
        if (c >= 0 && may_go(g, n) && alike(g, index, c) && g->nodes[c].steps < TF_FUSED_STEPS &&
            (!reads || g->nodes[c].reads < TF_FUSED_HANDLES)) {
            n->group = c;
            g->nodes[c].reads += reads;
        } else if (n->kind != TF_STEP_READ) {
            n->group = c = index;
            n->reads = n->kind == TF_STEP_ASSIGN;
        } else {
            continue;
        }
        g->nodes[c].steps++;
    }
}

/* ---- writing */

typedef struct buffer {
    uint8_t *data;
    size_t size, room;
    bool failed;
} buffer;

static void put(buffer *b, const void *data, size_t n)
{
    if (b->size + n > b->room) {
        size_t room = 2 * (b->size + n);
        uint8_t *more = b->failed ? NULL : realloc(b->data, room);
        if (!more) {
            b->failed = true;
            return;
        }
        b->data = more;
        b->room = room;
    }
    if (n)
        memcpy(b->data + b->size, data, n);
    b->size += n;
}

static void put_varint(buffer *b, uint64_t v)
{
    uint8_t bytes[10];
    size_t n = 0;
    do {
        bytes[n++] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
        v >>= 7;
    } while (v);
    put(b, bytes, n);
}

static void put_bytes(buffer *b, uint32_t field, const void *data, size_t n)
{
    put_varint(b, field << 3 | 2);
    put_varint(b, n);
    put(b, data, n);
}

static void put_number(buffer *b, uint32_t field, uint64_t v)
{
    put_varint(b, field << 3);
    put_varint(b, v);
}

/* attr[name] = value, and empties the value. */
static void put_attribute(buffer *b, const char *name, buffer *value)
{
    buffer entry = {0};
    put_bytes(&entry, 1, name, strlen(name));
    put_bytes(&entry, 2, value->data, value->size);
    put_bytes(b, 5, entry.data, entry.size);
    b->failed |= entry.failed || value->failed;
    free(entry.data);
    value->size = 0;
}

static void put_types(buffer *b, const char *name, const int *types, int n)
{
    buffer list = {0}, value = {0};
    for (int i = 0; i < n; i++)
        put_number(&list, 6, (uint64_t)types[i]);
    put_bytes(&value, 1, list.data, list.size);
    value.failed |= list.failed;
    put_attribute(b, name, &value);
    free(list.data);
    free(value.data);
}

/* A group's node as it takes shape. */
typedef struct fusion {
    int member[TF_FUSED_STEPS], members;
    edge handle[TF_FUSED_HANDLES], input[TF_FUSED_INPUTS];
    int handles, inputs, types[TF_FUSED_INPUTS];
    bool updates;
} fusion;

static int place_of(edge *list, int *count, int most, const edge *e)
{
    for (int i = 0; i < *count; i++) {
        if (list[i].node == e->node && list[i].port == e->port)
            return i;
    }
    if (*count == most)
        return -1;
    list[*count] = *e;
    return (*count)++;
}

/* The number of the step that makes what an edge brings, -1: it comes from outside. */
static int step_of(const graph *g, const fusion *x, const edge *e, int group)
{
    for (int i = 0; g->nodes[e->node].group == group && i < x->members; i++) {
        if (x->member[i] == e->node)
            return i;
    }
    return -1;
}

/* Finds what comes from outside; false if it is too much. */
static bool gather(const graph *g, fusion *x, int group)
{
    for (int i = 0; i < x->members; i++) {
        const node *n = &g->nodes[x->member[i]];
        for (int k = 0; k < n->inputs; k++) {
            const edge *e = &g->edges[n->first + k];
            if (e->port == CONTROL)
                continue;
            if (n->kind >= TF_STEP_READ && k == 0) {
                if (g->nodes[e->node].group == group ||
                    place_of(x->handle, &x->handles, TF_FUSED_HANDLES, e) < 0)
                    return false;
                continue;
            }
            if (step_of(g, x, e, group) >= 0)
                continue;
            int at = place_of(x->input, &x->inputs, TF_FUSED_INPUTS, e);
            if (at < 0)
                return false;
            x->types[at] = n->type;
        }
        x->updates |= n->kind >= TF_STEP_READ;
    }
    return true;
}

static void put_program(buffer *b, const graph *g, fusion *x, int group)
{
    buffer program = {0}, value = {0};
    for (int i = 0; i < x->members; i++) {
        const node *n = &g->nodes[x->member[i]];
        int argument[2] = {0, 0}, found = 0;
        char text[128];
        for (int k = 0; k < n->inputs && found < 2; k++) {
            const edge *e = &g->edges[n->first + k];
            if (e->port == CONTROL)
                continue;
            int s = step_of(g, x, e, group);
            if (n->kind >= TF_STEP_READ && k == 0)
                argument[found++] = place_of(x->handle, &x->handles, x->handles, e);
            else if (s >= 0)
                argument[found++] = x->handles + x->inputs + s;
            else
                argument[found++] = x->handles + place_of(x->input, &x->inputs, x->inputs, e);
        }
        int length = snprintf(text, sizeof text, "%.*s %d %d %d;", (int)n->op.size,
                              (const char *)n->op.data, n->to, argument[0], argument[1]);
        put(&program, text, (size_t)length);
    }
    put_bytes(&value, 2, program.data, program.size);
    value.failed |= program.failed;
    put_attribute(b, "program", &value);
    free(program.data);
    free(value.data);
}

/* Control edges into the group, each node once. */
static void put_controls(buffer *b, const graph *g, const fusion *x, int group)
{
    buffer seen = {0};
    for (int i = 0; i < x->members; i++) {
        const node *n = &g->nodes[x->member[i]];
        for (int k = 0; k < n->inputs; k++) {
            const edge *e = &g->edges[n->first + k];
            bool again = e->port != CONTROL || g->nodes[e->node].group == group;
            for (size_t s = 0; s < seen.size && !again; s += sizeof(int))
                again = memcmp(seen.data + s, &e->node, sizeof(int)) == 0;
            if (again)
                continue;
            put(&seen, &e->node, sizeof(int));
            put_bytes(b, 3, e->text.data, e->text.size);
        }
    }
    b->failed |= seen.failed;
    free(seen.data);
}

/* The node that takes the place, and the name, of the group's last op. */
static void put_group(buffer *out, const graph *g, fusion *x, int last)
{
    const node *n = &g->nodes[last];
    buffer b = {0}, value = {0};
    const char *op = x->updates ? "_AscendUpdate" : "_AscendElementwise";
    put_bytes(&b, 1, n->name.data, n->name.size);
    put_bytes(&b, 2, op, strlen(op));
    for (int i = 0; i < x->handles; i++)
        put_bytes(&b, 3, x->handle[i].text.data, x->handle[i].text.size);
    for (int i = 0; i < x->inputs; i++)
        put_bytes(&b, 3, x->input[i].text.data, x->input[i].text.size);
    put_controls(&b, g, x, last);
    put_bytes(&b, 4, n->device.data, n->device.size);
    put_number(&value, 3, (uint64_t)x->handles);
    put_attribute(&b, "handle_count", &value);
    put_types(&b, "Tin", x->types, x->inputs);
    put_types(&b, "Tout", &n->to, n->kind != TF_STEP_ASSIGN);
    put_program(&b, g, x, last);
    wire_field colocation = attribute(n, "_class");
    if (colocation.size) {
        put(&value, colocation.data, colocation.size);
        put_attribute(&b, "_class", &value);
    }
    /* Whatever else TensorFlow says of the node, as where it comes from. */
    wire w = wire_of(n->data, n->size);
    wire_field f;
    while (wire_next(&w, &f)) {
        if (f.number > 5)
            put(&b, f.start, (size_t)(w.p - f.start));
    }
    put_bytes(out, 1, b.data, b.size);
    out->failed |= b.failed || value.failed;
    free(b.data);
    free(value.data);
}

/* A kept node's name, done when the group is. */
static void put_marker(buffer *out, const graph *g, const node *n, int last)
{
    const wire_field *after = &g->nodes[last].name;
    buffer b = {0}, input = {0};
    put_bytes(&b, 1, n->name.data, n->name.size);
    put_bytes(&b, 2, "NoOp", 4);
    put(&input, "^", 1);
    put(&input, after->data, after->size);
    put_bytes(&b, 3, input.data, input.size);
    put_bytes(&b, 4, n->device.data, n->device.size);
    put_bytes(out, 1, b.data, b.size);
    out->failed |= b.failed || input.failed;
    free(b.data);
    free(input.data);
}

/* Ops that compute, of a group; reads and casts of one op are not worth a group. */
static int worth(const graph *g, const fusion *x)
{
    int n = 0;
    for (int i = 0; i < x->members; i++)
        n += g->nodes[x->member[i]].kind != TF_STEP_READ;
    return n;
}

/* Decides on each group: those that are not to be lose their members. */
static int settle(graph *g, fusion *fusions)
{
    int groups = 0;
    int *at = malloc((size_t)g->count * sizeof *at);
    if (!at)
        return 0;
    for (int i = 0; i < g->count; i++)
        at[i] = -1;
    for (int i = 0; i < g->count; i++) {
        int index = g->order[i], last = g->nodes[index].group;
        if (last < 0)
            continue;
        if (at[last] < 0) {
            at[last] = groups++;
            memset(&fusions[at[last]], 0, sizeof *fusions);
        }
        fusion *x = &fusions[at[last]];
        x->member[x->members++] = index;
    }
    int kept = 0;
    for (int i = 0; i < groups; i++) {
        fusion *x = &fusions[i];
        int last = x->member[x->members - 1];
        if (worth(g, x) > 1 && gather(g, x, last)) {
            fusions[kept++] = *x;
            continue;
        }
        for (int k = 0; k < x->members; k++)
            g->nodes[x->member[k]].group = -1;
    }
    free(at);
    return kept;
}

static void write_graph(buffer *out, graph *g, fusion *fusions, int groups, const uint8_t *data,
                        size_t size)
{
    wire w = wire_of(data, size);
    wire_field f;
    int index = 0;
    while (wire_next(&w, &f)) {
        const node *n = is_node(&f) ? &g->nodes[index++] : NULL;
        int last = n ? n->group : -1;
        bool is_last = n && last == (int)(n - g->nodes);
        if (last < 0) {
            put(out, f.start, (size_t)(w.p - f.start));
            continue;
        }
        if (!is_last && n->kept)
            put_marker(out, g, n, last);
        for (int i = 0; is_last && i < groups; i++) {
            if (fusions[i].member[fusions[i].members - 1] == last)
                put_group(out, g, &fusions[i], last);
        }
    }
}

uint8_t *sa_graph_fuse(const uint8_t *data, size_t *bytes, const TF_GrapplerItem *item)
{
    graph g = {0};
    buffer out = {0};
    fusion *fusions = NULL;
    int roots = 0, groups = 0;
    if (!memmem(data, *bytes, "device:NPU:", 11) || !read_graph(&g, data, *bytes) || !sort(&g) ||
        !find_sets(&g) ||
        !mark(&g, item, "TF_GetNodesToPreserveListSize", "TF_GetNodesToPreserveList", false) ||
        !mark(&g, item, "TF_GetFetchNodesListSize", "TF_GetFetchNodesList", true))
        goto done;
    mark_colocated(&g);
    group(&g);
    for (int i = 0; i < g.count; i++)
        roots += g.nodes[i].group == i;
    fusions = malloc(((size_t)roots + 1) * sizeof *fusions);
    if (!fusions)
        goto done;
    groups = settle(&g, fusions);
    if (groups)
        write_graph(&out, &g, fusions, groups, data, *bytes);
done:
    free(fusions);
    release(&g);
    if (!groups || out.failed) {
        free(out.data);
        return NULL;
    }
    *bytes = out.size;
    return out.data;
}
