/* Walking the operands of a repeat instruction: extents, masks, copies of scattered blocks. */
#include "core/repeat.h"

#include <string.h>

static bool bit(const uint64_t mask[2], uint32_t i)
{
    return mask[i / 64] >> i % 64 & 1;
}

/* A mask has 128 bits: one for two elements of 1 byte. */
static bool mask_lives(const sa_walk *w, uint32_t i)
{
    return bit(w->mask, w->elements > 128 ? i / 2 : i);
}

sa_walk sa_walk_of(const sa_repeat *r, uint32_t size)
{
    sa_walk w = {.elements = SA_REPEAT_BYTES / size};
    if (r->counter) {
        w.work = r->mask[0];
        w.times = (uint32_t)((w.work + w.elements - 1) / w.elements);
        w.last_elements = w.times ? (uint32_t)(w.work - (uint64_t)(w.times - 1) * w.elements) : 0;
        w.mask[0] = w.mask[1] = ~(uint64_t)0;
        w.prefix = w.end = w.elements;
        if (w.times == 1)
            w.prefix = w.end = w.last_elements;
        return w;
    }
    w.times = r->times;
    w.last_elements = w.elements;
    w.mask[0] = r->mask[0];
    w.mask[1] = r->mask[1];
    uint32_t live = 0;
    for (uint32_t i = 0; i < w.elements; i++)
        if (mask_lives(&w, i)) {
            live++;
            w.end = i + 1;
        }
    w.prefix = live == w.end ? live : 0;
    w.work = (uint64_t)live * w.times;
    return w;
}

static uint32_t elements_of(const sa_walk *w, uint32_t t)
{
    return t + 1 == w->times ? w->last_elements : w->elements;
}

static uint32_t end_of(const sa_walk *w, uint32_t t)
{
    uint32_t n = elements_of(w, t);
    return n < w->end ? n : w->end;
}

bool sa_walk_live(const sa_walk *w, uint32_t t, uint32_t i)
{
    return i < elements_of(w, t) && mask_lives(w, i);
}

/* Are an operand's repeats one run of bytes? */
static bool is_packed(const sa_walk *w, const sa_lanes *l)
{
    uint32_t bytes = w->elements * l->size;
    return (l->stride.block == 1 || bytes <= SA_BLOCK_BYTES) &&
           (w->times == 1 || l->stride.repeat * SA_BLOCK_BYTES == bytes);
}

static bool is_whole(const sa_walk *w)
{
    return w->prefix == w->elements || w->times == 1;
}

/* Bytes from the operand's address to the end of its last live element. */
static uint64_t extent(const sa_walk *w, const sa_lanes *l)
{
    uint64_t most = 0;
    for (uint32_t back = 1; back <= 2 && back <= w->times; back++) {
        uint32_t t = w->times - back, end = end_of(w, t);
        uint64_t here = end ? (uint64_t)(sa_lane(l, t, end - 1) - l->at) + l->size : 0;
        most = here > most ? here : most;
    }
    return most;
}

void sa_walk_operand(sa_issue *issue, const sa_walk *w, sa_lanes *l, bool write)
{
    uint64_t bytes = extent(w, l);
    sa_event *e = &issue->event;
    l->at = sa_issue_in_range(issue->core, e->pc, e->instr, SA_UB, write, l->at, bytes);
    if (e->accesses == SA_EVENT_ACCESSES)
        return;
    /* as rows: the whole, single blocks at one pitch, or repeats */
    uint32_t blocks = (w->end * l->size + SA_BLOCK_BYTES - 1) / SA_BLOCK_BYTES;
    uint64_t rows = 1, row_bytes = bytes, pitch = 0;
    uint64_t repeat = (uint64_t)l->stride.repeat * SA_BLOCK_BYTES;
    uint64_t block = (uint64_t)l->stride.block * SA_BLOCK_BYTES;
    if (!is_packed(w, l)) {
        uint64_t a_repeat = (uint64_t)(sa_lane(l, 0, w->end - 1) - l->at) + l->size;
        if (l->stride.block > 1 && w->times == 1) {
            rows = blocks, row_bytes = SA_BLOCK_BYTES, pitch = block;
        } else if (l->stride.block > 1 && repeat == block * blocks) {
            rows = (uint64_t)blocks * w->times, row_bytes = SA_BLOCK_BYTES, pitch = block;
        } else if (repeat >= a_repeat && w->times > 1) {
            rows = w->times, row_bytes = a_repeat, pitch = repeat;
        }
        if (rows > 1 && (rows - 1) * pitch + row_bytes > bytes)
            rows = 1, row_bytes = bytes, pitch = 0;
    }
    e->access[e->accesses++] = (sa_access){
        SA_UB, write, (uintptr_t)l->at, (uint32_t)rows, (uint32_t)row_bytes, (int64_t)pitch};
}

void sa_walk_load(const sa_lanes *l, uint32_t t, void *to, uint32_t n)
{
    uint32_t a_block = SA_BLOCK_BYTES / l->size;
    if (l->stride.block == 1) {
        memcpy(to, sa_lane(l, t, 0), (size_t)n * l->size);
        return;
    }
    for (uint32_t i = 0; i < n; i += a_block)
        memcpy((uint8_t *)to + (size_t)i * l->size, sa_lane(l, t, i),
               (size_t)(n - i < a_block ? n - i : a_block) * l->size);
}

void sa_walk_store(const sa_walk *w, const sa_lanes *l, uint32_t t, const void *from)
{
    uint32_t a_block = SA_BLOCK_BYTES / l->size, n = end_of(w, t);
    for (uint32_t i = 0; i < n; i += a_block) {
        uint32_t here = n - i < a_block ? n - i : a_block;
        const uint8_t *in = (const uint8_t *)from + (size_t)i * l->size;
        if (w->prefix) {
            memcpy(sa_lane(l, t, i), in, (size_t)here * l->size);
            continue;
        }
        for (uint32_t j = 0; j < here; j++)
            if (mask_lives(w, i + j))
                memcpy(sa_lane(l, t, i + j), in + (size_t)j * l->size, l->size);
    }
}

/* Do the bytes of two operands meet without being the same elements? */
static bool meet(const sa_walk *w, const sa_lanes *dst, const sa_lanes *l)
{
    if (!l || !l->at)
        return false;
    if (l->at == dst->at && l->size == dst->size && l->stride.block == dst->stride.block &&
        l->stride.repeat == dst->stride.repeat)
        return false;
    return dst->at < l->at + extent(w, l) && l->at < dst->at + extent(w, dst);
}

void sa_walk_each(const sa_walk *w, const sa_lanes *dst, const sa_lanes *a, const sa_lanes *b,
                  sa_walk_run run, const void *context)
{
    const sa_lanes *in[2] = {a && a->at ? a : NULL, b && b->at ? b : NULL};
    bool apart = !meet(w, dst, in[0]) && !meet(w, dst, in[1]);
    bool packed = is_packed(w, dst), side_by_side = dst->stride.block == 1;
    for (int k = 0; k < 2; k++)
        if (in[k]) {
            packed &= is_packed(w, in[k]);
            side_by_side &= in[k]->stride.block == 1;
        }
    if (apart && packed && is_whole(w) && w->prefix) {
        run(context, dst->at, in[0] ? in[0]->at : NULL, in[1] ? in[1]->at : NULL, w->work, 0);
        return;
    }
    for (uint32_t t = 0; t < w->times; t++) {
        uint32_t n = end_of(w, t);
        uint64_t first = (uint64_t)t * w->elements;
        if (apart && side_by_side && w->prefix) {
            run(context, sa_lane(dst, t, 0), in[0] ? sa_lane(in[0], t, 0) : NULL,
                in[1] ? sa_lane(in[1], t, 0) : NULL, n, first);
            continue;
        }
        _Alignas(64) uint8_t copy[3][SA_REPEAT_BYTES];
        sa_walk_load(dst, t, copy[0], n);
        for (int k = 0; k < 2; k++)
            if (in[k])
                sa_walk_load(in[k], t, copy[1 + k], n);
        run(context, copy[0], in[0] ? copy[1] : NULL, in[1] ? copy[2] : NULL, n, first);
        sa_walk_store(w, dst, t, copy[0]);
    }
}
