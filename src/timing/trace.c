/* Reads trace files. Input is not trusted: every number is bounded by what is left to read. */
#include "timing/trace.h"

#include "core/trace/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INSTRUCTIONS 4096
#define MAX_BLOCKS 65535
#define MAX_ROWS (1 << 20)
#define MAX_ACCESS_BYTES (1 << 24)

struct sa_trace_file {
    char *name;
    uint8_t *owned; /* NULL: the bytes are the caller's */
    const uint8_t *data;
    size_t bytes, at;
    uint64_t arch, local_bytes[6], launches;
    int instr[MAX_INSTRUCTIONS]; /* file's number -> ours, -1: unknown to us */
    uint64_t instructions;
};

/* A part of the file that is being decoded. The first error sticks. */
typedef struct cursor {
    const sa_trace_file *file;
    size_t at, end;
    sa_status status;
} cursor;

static void damaged(cursor *c, const char *what)
{
    if (c->status == SA_OK) {
        c->status = sa_fail(SA_ERR_INVALID_FILE, "%s: damaged trace: %s at offset %zu",
                            c->file->name, what, c->at);
        c->at = c->end;
    }
}

static uint64_t get_varint(cursor *c)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (c->at == c->end) {
            damaged(c, "cut off");
            return 0;
        }
        uint8_t byte = c->file->data[c->at++];
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            return v;
        }
    }
    damaged(c, "number too long");
    return 0;
}

static uint64_t get_below(cursor *c, uint64_t limit, const char *what)
{
    size_t at = c->at;
    uint64_t v = get_varint(c);
    if (v >= limit) {
        c->at = at;
        damaged(c, what);
        return 0;
    }
    return v;
}

static char *get_string(cursor *c)
{
    uint64_t n = get_varint(c);
    if (n > c->end - c->at) {
        damaged(c, "string past the end");
        n = 0;
    }
    char *s = malloc((size_t)n + 1);
    if (!s) {
        damaged(c, "string too long for this machine");
        return NULL;
    }
    memcpy(s, c->file->data + c->at, (size_t)n);
    s[n] = 0;
    c->at += (size_t)n;
    return s;
}

/* ---- file and chunks
 * ----------------------------------------------------------------------------- */

static sa_status next_chunk(sa_trace_file *f, char *tag, cursor *payload)
{
    cursor c = {f, f->at, f->bytes, SA_OK};
    if (f->bytes - f->at < SA_TRACE_CHUNK_BYTES) {
        damaged(&c, "cut off before its end");
        return c.status;
    }
    *tag = (char)f->data[f->at];
    uint64_t n = 0;
    for (int i = 0; i < 8; i++) {
        n |= (uint64_t)f->data[f->at + 1 + (size_t)i] << (8 * i);
    }
    if (n > f->bytes - f->at - SA_TRACE_CHUNK_BYTES) {
        damaged(&c, "cut off inside a chunk that starts");
        return c.status;
    }
    *payload = (cursor){f, f->at + SA_TRACE_CHUNK_BYTES, 0, SA_OK};
    payload->end = payload->at + (size_t)n;
    f->at = payload->end;
    return SA_OK;
}

static int our_number(const char *name)
{
    for (int i = 0; i < SA_EVENTS; i++) {
        if (!strcmp(name, sa_instr_describe((sa_instr)i)->name)) {
            return i;
        }
    }
    return -1;
}

static sa_status read_head(sa_trace_file *f)
{
    cursor c = {f, 0, f->bytes, SA_OK};
    if (f->bytes < SA_TRACE_MAGIC_BYTES ||
        memcmp(f->data, SA_TRACE_MAGIC, SA_TRACE_MAGIC_BYTES) != 0) {
        return sa_fail(SA_ERR_INVALID_FILE, "%s: not a trace file (offset 0)", f->name);
    }
    c.at = SA_TRACE_MAGIC_BYTES;
    uint64_t version = get_varint(&c);
    if (c.status == SA_OK && version != SA_TRACE_VERSION) {
        return sa_fail(SA_ERR_INVALID_FILE,
                       "%s: trace version %" PRIu64 ", this program reads %d: record it anew",
                       f->name, version, SA_TRACE_VERSION);
    }
    f->arch = get_below(&c, INT32_MAX, "architecture");
    for (int i = 0; i < 6; i++) {
        f->local_bytes[i] = get_varint(&c);
    }
    f->at = c.at;
    char tag;
    if (c.status != SA_OK || next_chunk(f, &tag, &c) != SA_OK) {
        return SA_ERR_INVALID_FILE;
    }
    if (tag != SA_TRACE_INSTRUCTIONS) {
        damaged(&c, "no table of instructions");
    }
    f->instructions = get_below(&c, MAX_INSTRUCTIONS + 1, "number of instructions");
    for (uint64_t i = 0; i < f->instructions && c.status == SA_OK; i++) {
        char *name = get_string(&c);
        f->instr[i] = name ? our_number(name) : -1;
        free(name);
    }
    return c.status;
}

sa_status sa_trace_open_bytes(const char *name, const void *data, size_t bytes,
                              sa_trace_file **file)
{
    *file = NULL;
    sa_trace_file *f = calloc(1, sizeof(*f));
    char *copy = strdup(name);
    if (!f || !copy) {
        free(f);
        free(copy);
        return sa_fail(SA_ERR_OUT_OF_MEMORY, "%s: out of memory", name);
    }
    f->name = copy;
    f->data = data;
    f->bytes = bytes;
    sa_status status = read_head(f);
    if (status != SA_OK) {
        sa_trace_close(f);
        return status;
    }
    *file = f;
    return SA_OK;
}

sa_status sa_trace_open(const char *path, sa_trace_file **file)
{
    *file = NULL;
    sa_status status = SA_OK;
    uint8_t *data = NULL;
    size_t bytes = 0, capacity = 0;
    FILE *in = fopen(path, "rbe");
    if (!in) {
        return sa_fail(SA_ERR_INVALID_FILE, "%s: %s", path, strerror(errno));
    }
    for (size_t n = 1; n > 0; bytes += n) {
        if (capacity - bytes < 65536) {
            capacity = capacity ? 2 * capacity : (size_t)1 << 20;
            uint8_t *grown = realloc(data, capacity);
            if (!grown) {
                status = sa_fail(SA_ERR_OUT_OF_MEMORY, "%s: out of memory", path);
                goto done;
            }
            data = grown;
        }
        n = fread(data + bytes, 1, capacity - bytes, in);
    }
    if (ferror(in)) {
        status = sa_fail(SA_ERR_INVALID_FILE, "%s: %s", path, strerror(errno));
        goto done;
    }
    status = sa_trace_open_bytes(path, data, bytes, file);
    if (status == SA_OK) {
        (*file)->owned = data;
        data = NULL;
    }
done:
    fclose(in);
    free(data);
    return status;
}

void sa_trace_close(sa_trace_file *f)
{
    if (f) {
        free(f->owned);
        free(f->name);
        free(f);
    }
}

int sa_trace_arch(const sa_trace_file *f)
{
    return (int)f->arch;
}

const uint64_t *sa_trace_local_bytes(const sa_trace_file *f)
{
    return f->local_bytes;
}

/* ---- launches
 * ------------------------------------------------------------------------------------ */

static void get_access(cursor *c, sa_trace_access *a)
{
    uint64_t memory = get_below(c, 2 * SA_MEMORIES, "memory");
    a->memory = (sa_memory)(memory / 2);
    a->write = memory & 1;
    a->ordinal = a->memory == SA_GM ? get_varint(c) : 0;
    a->offset = get_varint(c);
    a->rows = (uint32_t)get_below(c, (uint64_t)1 << 32, "rows");
    a->row_bytes = (uint32_t)get_below(c, (uint64_t)1 << 32, "row bytes");
    if (a->rows > MAX_ROWS || (uint64_t)a->rows * a->row_bytes > MAX_ACCESS_BYTES) {
        damaged(c, "access larger than any local memory");
    }
    uint64_t pitch = a->rows > 1 ? get_varint(c) : 0;
    a->pitch_bytes = (int64_t)(pitch >> 1) ^ -(int64_t)(pitch & 1);
}

static void get_event(cursor *c, sa_trace_event *e, const uint64_t *site, uint64_t sites)
{
    uint64_t number = get_below(c, c->file->instructions, "instruction");
    if (c->status == SA_OK && c->file->instr[number] < 0) {
        damaged(c, "instruction that this version does not know");
    }
    e->instr = c->status == SA_OK ? (sa_instr)c->file->instr[number] : SA_I_sync_all;
    uint64_t at = get_below(c, sites, "call site");
    e->line = c->status == SA_OK ? (uint32_t)site[at] : 0;
    switch (e->instr) {
    case SA_I_set_flag:
    case SA_I_wait_flag:
        e->pipe = (sa_pipe)get_below(c, SA_PIPE_ALL, "pipe");
        e->other = (sa_pipe)get_below(c, SA_PIPE_ALL, "pipe");
        e->flag = (uint32_t)get_below(c, 8, "flag id");
        return;
    case SA_I_barrier:
        e->pipe = (sa_pipe)get_below(c, SA_PIPE_ALL + 1, "pipe");
        return;
    case SA_I_sync_all:
        e->pipe = SA_PIPE_S;
        return;
    default:
        break;
    }
    e->pipe = (sa_pipe)get_below(c, SA_PIPE_ALL, "pipe");
    e->dtype = (sa_dtype)get_below(c, SA_DTYPE_END, "dtype");
    e->dtype_from = (sa_dtype)get_below(c, SA_DTYPE_END, "dtype");
    e->work = get_varint(c);
    e->accesses = (int)get_below(c, 9, "number of accesses");
}

static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    *capacity = *capacity ? 2 * *capacity : 256;
    return realloc(array, *capacity * size);
}

static void get_block(cursor *c, sa_trace_block *b, uint32_t lines)
{
    uint64_t sites = get_below(c, c->end - c->at + 1, "number of call sites");
    uint64_t *site = calloc((size_t)sites + 1, sizeof(*site));
    if (!site) {
        damaged(c, "too many call sites for this machine");
    }
    for (uint64_t i = 0; i < sites && c->status == SA_OK; i++) {
        site[i] = get_below(c, lines, "source line");
    }
    uint64_t events = get_varint(c);
    size_t bytes = (size_t)get_below(c, c->end - c->at + 1, "bytes of events");
    cursor in = {c->file, c->at, c->at + bytes, c->status};
    size_t event_capacity = 0, access_capacity = 0;
    while (b->events < events && in.status == SA_OK) {
        sa_trace_event *event = grow(b->event, b->events, &event_capacity, sizeof(*event));
        if (!event) {
            damaged(&in, "too many events for this machine");
            break;
        }
        b->event = event;
        sa_trace_event *e = &b->event[b->events++];
        *e = (sa_trace_event){.first_access = b->accesses};
        get_event(&in, e, site, sites);
        for (int i = 0; i < e->accesses && in.status == SA_OK; i++) {
            sa_trace_access *access =
                grow(b->access, b->accesses, &access_capacity, sizeof(*access));
            if (!access) {
                damaged(&in, "too many accesses for this machine");
                break;
            }
            b->access = access;
            get_access(&in, &b->access[b->accesses++]);
        }
    }
    if (in.status == SA_OK && in.at != in.end) {
        damaged(&in, "bytes left over after a block");
    }
    c->at += bytes;
    c->status = in.status;
    free(site);
}

static void get_launch(cursor *c, sa_trace_launch *l)
{
    l->name = get_string(c);
    l->type = (sa_core_type)get_below(c, 2, "core type");
    uint64_t blocks = get_below(c, MAX_BLOCKS + 1, "number of blocks");
    uint64_t lines = get_below(c, c->end - c->at + 1, "number of lines");
    l->line = calloc((size_t)lines + 1, sizeof(l->line[0]));
    l->block = calloc((size_t)blocks + 1, sizeof(l->block[0]));
    if (!l->line || !l->block) {
        damaged(c, "launch too large for this machine");
        return;
    }
    while (l->lines < lines && c->status == SA_OK) {
        l->line[l->lines++] = get_string(c);
    }
    while (l->blocks < blocks && c->status == SA_OK) {
        get_block(c, &l->block[l->blocks++], l->lines);
    }
    if (c->status == SA_OK && c->at != c->end) {
        damaged(c, "bytes left over after a launch");
    }
}

sa_status sa_trace_next(sa_trace_file *f, sa_trace_launch *launch, bool *more)
{
    *launch = (sa_trace_launch){0};
    *more = false;
    char tag = 0;
    cursor c;
    if (next_chunk(f, &tag, &c) != SA_OK) {
        return SA_ERR_INVALID_FILE;
    }
    if (tag == SA_TRACE_END) {
        if (get_varint(&c) != f->launches) {
            damaged(&c, "the number of launches is not what the end says");
        } else if (c.at != c.end || f->at != f->bytes) {
            damaged(&c, "bytes after the end");
        }
        return c.status;
    }
    if (tag != SA_TRACE_LAUNCH) {
        damaged(&c, "unknown chunk");
        return c.status;
    }
    get_launch(&c, launch);
    if (c.status != SA_OK) {
        sa_trace_launch_free(launch);
        return c.status;
    }
    f->launches++;
    *more = true;
    return SA_OK;
}

void sa_trace_launch_free(sa_trace_launch *l)
{
    for (uint32_t i = 0; l->line && i < l->lines; i++) {
        free(l->line[i]);
    }
    for (uint32_t i = 0; l->block && i < l->blocks; i++) {
        free(l->block[i].event);
        free(l->block[i].access);
    }
    free(l->line);
    free(l->block);
    free(l->name);
    *l = (sa_trace_launch){0};
}
