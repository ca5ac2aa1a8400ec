/* Records what kernels do ($SOFTASCEND_TRACE=FILE) for replay on a chip's rates (timing/).
 *
 * Each block encodes its own events as they come; the launch's end puts the blocks in order and
 * writes one chunk, so the file is the same whichever threads ran. Format: format.h. */
#include "core/gm.h"
#include "core/observe.h"
#include "core/trace/format.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct buffer {
    uint8_t *data;
    size_t bytes, capacity;
    bool failed; /* out of memory: the launch is left out */
} buffer;

typedef struct block {
    uint64_t events;
    buffer code;
    const void **site; /* call sites by number, in order of first use */
    uint32_t sites, sites_capacity;
    uintptr_t base[SA_MEMORIES];
    sa_gm_block gm; /* where the last GM access was */
} block;

typedef struct launch {
    char name[128];
    sa_core_type type;
    uint32_t blocks;
    block **block; /* by index; NULL: never ran */
} launch;

static struct {
    pthread_mutex_t lock;
    FILE *file;
    const char *path;
    bool tried, dead, told;
    uint64_t launches;
} out = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put(buffer *b, const void *data, size_t bytes)
{
    if (b->bytes + bytes > b->capacity && !b->failed) {
        size_t capacity = b->capacity ? 2 * b->capacity : 4096;
        while (capacity < b->bytes + bytes) {
            capacity *= 2;
        }
        uint8_t *grown = realloc(b->data, capacity);
        if (grown) {
            b->data = grown;
            b->capacity = capacity;
        } else {
            b->failed = true;
        }
    }
    if (!b->failed) {
        memcpy(b->data + b->bytes, data, bytes);
        b->bytes += bytes;
    }
}

static void put_varint(buffer *b, uint64_t v)
{
    uint8_t text[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) {
        text[n++] = (uint8_t)(v | 0x80);
    }
    text[n++] = (uint8_t)v;
    put(b, text, n);
}

static void put_string(buffer *b, const char *s)
{
    put_varint(b, strlen(s));
    put(b, s, strlen(s));
}

/* ---- the file
 * ------------------------------------------------------------------------------------ */

static void give_up(const char *what)
{
    fprintf(stderr, "softascend trace: cannot %s %s: %s; nothing more is recorded\n", what,
            out.path, strerror(errno));
    out.dead = true;
}

static void write_chunk(char tag, const buffer *payload)
{
    uint8_t head[SA_TRACE_CHUNK_BYTES] = {(uint8_t)tag};
    for (int i = 0; i < 8; i++) {
        head[1 + i] = (uint8_t)((uint64_t)payload->bytes >> (8 * i));
    }
    if (!out.dead && (fwrite(head, sizeof(head), 1, out.file) != 1 ||
                      fwrite(payload->data, 1, payload->bytes, out.file) != payload->bytes)) {
        give_up("write");
    }
}

static void finish(void)
{
    pthread_mutex_lock(&out.lock);
    if (out.file) {
        buffer end = {0};
        put_varint(&end, out.launches);
        write_chunk(SA_TRACE_END, &end);
        free(end.data);
        if (fclose(out.file) != 0 && !out.dead) {
            give_up("write");
        }
        out.file = NULL;
        out.dead = true;
    }
    pthread_mutex_unlock(&out.lock);
}

/* Opens the file at the first launch; false if there is none to write to. */
static bool open_file(const sa_chip *chip)
{
    if (out.tried) {
        return !out.dead;
    }
    out.tried = true;
    out.path = getenv("SOFTASCEND_TRACE");
    if (!out.path || !*out.path) {
        out.dead = true;
        return false;
    }
    out.file = fopen(out.path, "wbe");
    if (!out.file) {
        give_up("open");
        return false;
    }
    buffer b = {0};
    put(&b, SA_TRACE_MAGIC, SA_TRACE_MAGIC_BYTES);
    put_varint(&b, SA_TRACE_VERSION);
    put_varint(&b, (uint64_t)chip->arch);
    const uint32_t size[] = {chip->ub_bytes,  chip->l1_bytes,  chip->l0a_bytes,
                             chip->l0b_bytes, chip->l0c_bytes, chip->bt_bytes};
    for (int i = 0; i < 6; i++) {
        put_varint(&b, size[i]);
    }
    if (fwrite(b.data, 1, b.bytes, out.file) != b.bytes) {
        give_up("write");
    }
    b.bytes = 0;
    put_varint(&b, SA_EVENTS);
    for (int i = 0; i < SA_EVENTS; i++) {
        put_string(&b, sa_instr_describe((sa_instr)i)->name);
    }
    write_chunk(SA_TRACE_INSTRUCTIONS, &b);
    free(b.data);
    atexit(finish);
    return !out.dead;
}

/* ---- a block
 * ------------------------------------------------------------------------------------- */

static uint32_t site_of(block *b, const void *pc)
{
    for (uint32_t i = b->sites; i-- > 0;) { /* loops come back to recent ones */
        if (b->site[i] == pc) {
            return i;
        }
    }
    if (b->sites == b->sites_capacity) {
        uint32_t capacity = b->sites_capacity ? 2 * b->sites_capacity : 32;
        const void **grown = realloc(b->site, capacity * sizeof(*grown));
        if (!grown) {
            b->code.failed = true;
            return 0;
        }
        b->site = grown;
        b->sites_capacity = capacity;
    }
    b->site[b->sites] = pc;
    return b->sites++;
}

static void put_access(block *b, const sa_access *a)
{
    put_varint(&b->code, (uint64_t)a->memory * 2 + a->write);
    if (a->memory != SA_GM) {
        put_varint(&b->code, a->address - b->base[a->memory]);
    } else if (a->address - b->gm.address < b->gm.bytes ||
               sa_gm_find((const void *)a->address, &b->gm)) {
        put_varint(&b->code, b->gm.ordinal);
        put_varint(&b->code, a->address - b->gm.address);
    } else {
        put_varint(&b->code, 0);
        put_varint(&b->code, a->address % 512);
        b->gm.bytes = 0;
    }
    put_varint(&b->code, a->rows);
    put_varint(&b->code, a->row_bytes);
    if (a->rows > 1) {
        put_varint(&b->code,
                   ((uint64_t)a->pitch_bytes << 1) ^ (uint64_t)(a->pitch_bytes < 0 ? -1 : 0));
    }
}

static void *launch_begin(const sa_launch *started)
{
    launch *l = NULL;
    const sa_chip *chip = started->chip ? started->chip : sa_chip_default();
    pthread_mutex_lock(&out.lock);
    if (started->type > SA_AIV) {
        if (!out.told) {
            fprintf(stderr, "softascend trace: mixed kernels are not recorded\n");
        }
        out.told = true;
    } else if (chip && open_file(chip)) {
        l = calloc(1, sizeof(*l));
    }
    pthread_mutex_unlock(&out.lock);
    if (l) {
        sa_launch_name(started, l->name, sizeof(l->name));
        l->type = started->type;
        l->blocks = started->blocks;
        l->block = calloc(started->blocks, sizeof(l->block[0]));
    }
    return l;
}

static void *block_begin(void *launch_state, sa_core *core)
{
    launch *l = launch_state;
    block *b = l && l->block ? calloc(1, sizeof(*b)) : NULL;
    if (b) {
        for (int m = SA_UB; m < SA_MEMORIES; m++) {
            b->base[m] = sa_local_bytes(core, m) ? (uintptr_t)sa_local(core, m, 0) : 0;
        }
        l->block[sa_block_idx(core)] = b;
    }
    return b;
}

static void issue(void *block_state, sa_core *core, const sa_event *e)
{
    (void)core;
    block *b = block_state;
    if (!b) {
        return;
    }
    b->events++;
    put_varint(&b->code, e->instr);
    put_varint(&b->code, site_of(b, e->pc));
    switch (e->instr) {
    case SA_I_set_flag:
    case SA_I_wait_flag:
        put_varint(&b->code, e->pipe);
        put_varint(&b->code, e->other);
        put_varint(&b->code, e->flag);
        return;
    case SA_I_barrier:
        put_varint(&b->code, e->pipe);
        return;
    case SA_I_sync_all:
        return;
    default:
        break;
    }
    put_varint(&b->code, e->pipe);
    put_varint(&b->code, e->dtype);
    put_varint(&b->code, e->dtype_from);
    put_varint(&b->code, e->work);
    put_varint(&b->code, (uint64_t)e->accesses);
    for (int i = 0; i < e->accesses; i++) {
        put_access(b, &e->access[i]);
    }
}

/* ---- a launch's end
 * ------------------------------------------------------------------------------ */

typedef struct line_table {
    struct {
        const void *pc;
        uint32_t line;
    } * site;
    char **line;
    uint32_t sites, lines;
} line_table;

/* The number of a call site's source line; numbers are given in the order of first use. */
static uint32_t line_of(line_table *t, const void *pc)
{
    for (uint32_t i = 0; i < t->sites; i++) {
        if (t->site[i].pc == pc) {
            return t->site[i].line;
        }
    }
    char text[256];
    sa_source_line(pc, text, sizeof(text));
    uint32_t line = 0;
    while (line < t->lines && strcmp(t->line[line], text) != 0) {
        line++;
    }
    if (line == t->lines) {
        char **grown = realloc(t->line, (t->lines + 1) * sizeof(*grown));
        char *copy = grown ? strdup(text) : NULL;
        t->line = grown ? grown : t->line;
        if (!copy) {
            return 0;
        }
        t->line[t->lines++] = copy;
    }
    void *grown = realloc(t->site, (t->sites + 1) * sizeof(t->site[0]));
    if (grown) {
        t->site = grown;
        t->site[t->sites].pc = pc;
        t->site[t->sites++].line = line;
    }
    return line;
}

static void put_blocks(buffer *payload, const launch *l, line_table *lines)
{
    for (uint32_t i = 0; i < l->blocks; i++) {
        const block *b = l->block ? l->block[i] : NULL;
        if (!b) {
            put_varint(payload, 0); /* no sites, no events, no bytes */
            put_varint(payload, 0);
            put_varint(payload, 0);
            continue;
        }
        payload->failed |= b->code.failed;
        put_varint(payload, b->sites);
        for (uint32_t s = 0; s < b->sites; s++) {
            put_varint(payload, line_of(lines, b->site[s]));
        }
        put_varint(payload, b->events);
        put_varint(payload, b->code.bytes);
        put(payload, b->code.data, b->code.bytes);
    }
}

static void write_launch(const launch *l)
{
    line_table lines = {0};
    buffer blocks = {0}, payload = {0};
    put_blocks(&blocks, l, &lines);
    put_string(&payload, l->name);
    put_varint(&payload, l->type);
    put_varint(&payload, l->blocks);
    put_varint(&payload, lines.lines);
    for (uint32_t i = 0; i < lines.lines; i++) {
        put_string(&payload, lines.line[i]);
        free(lines.line[i]);
    }
    put(&payload, blocks.data, blocks.bytes);
    pthread_mutex_lock(&out.lock);
    if (blocks.failed || payload.failed) {
        fprintf(stderr, "softascend trace: out of memory, a launch of %s is left out\n", l->name);
    } else if (!out.dead) {
        write_chunk(SA_TRACE_LAUNCH, &payload);
        out.launches++;
    }
    pthread_mutex_unlock(&out.lock);
    free(lines.site);
    free(lines.line);
    free(blocks.data);
    free(payload.data);
}

static sa_status launch_end(void *launch_state, sa_error *error)
{
    (void)error;
    launch *l = launch_state;
    if (!l) {
        return SA_OK;
    }
    write_launch(l);
    for (uint32_t i = 0; l->block && i < l->blocks; i++) {
        if (l->block[i]) {
            free(l->block[i]->code.data);
            free(l->block[i]->site);
            free(l->block[i]);
        }
    }
    free(l->block);
    free(l);
    return SA_OK;
}

const sa_observer sa_trace = {launch_begin, block_begin, issue, NULL, launch_end};
