/* Which bytes were touched by whom: the interval store of the race check.
 *
 * Accesses are kept as they were made, rows of bytes at a pitch, so overlap is exact to the byte;
 * they are found through pages, so that a look-up meets few of them. An access that can tell
 * nothing more than a later one is dropped. */
#ifndef SA_TOUCHES_H
#define SA_TOUCHES_H

#include "core/observe.h"

typedef struct sa_span { /* normal form: pitch > row_bytes, or one row and pitch 0 */
    uintptr_t start;
    uint64_t row_bytes, pitch;
    uint32_t rows;
} sa_span;

static inline bool sa_span_equal(const sa_span *a, const sa_span *b)
{
    return a->start == b->start && a->row_bytes == b->row_bytes && a->pitch == b->pitch &&
           a->rows == b->rows;
}

typedef struct sa_touch {
    sa_span span;
    const void *pc;
    uint32_t epoch; /* of its pipe (clocks.h); in the launch's store its phase between SyncAlls */
    uint32_t block;
    uint16_t instr;
    uint8_t pipe;
    bool write;
    bool raced;  /* with another pipe: a race on its own pipe is then a consequence */
    bool shared; /* in the launch's store: several blocks did the same */
} sa_touch;

typedef struct sa_touch_list {
    sa_touch *touch;
    uint32_t count, capacity;
} sa_touch_list;

typedef struct sa_page {
    uintptr_t number;
    bool used;
    sa_touch_list list[2];    /* reads, writes */
    sa_touch_list settled[2]; /* those that race with nothing a pipe but S does from now on */
} sa_page;

typedef struct sa_touches {
    int page_shift;
    uint32_t pages, capacity; /* open addressing; capacity is a power of two or 0 */
    sa_page *page;
} sa_touches;

sa_span sa_span_of(const sa_access *access);
static inline uintptr_t sa_span_end(const sa_span *s)
{
    return s->start + (s->rows - 1) * s->pitch + s->row_bytes;
}

/* Do the spans share bytes? Then [*from, *to) is the first run of them. */
bool sa_span_overlap(const sa_span *a, const sa_span *b, uintptr_t *from, uintptr_t *to);

/* Called for an earlier touch that shares bytes with a later one. */
typedef void (*sa_touch_fn)(void *context, sa_touch *earlier, sa_touch *later, uintptr_t from,
                            uintptr_t to);
/* Are the two in order (or otherwise no race)? */
typedef bool (*sa_order_fn)(void *context, const sa_touch *earlier, const sa_touch *later);

typedef struct sa_touch_rules {
    void *context;
    sa_order_fn ordered;
    sa_touch_fn race;
    /* is the touch in order with all that will come, but of the scalar pipe's? NULL: never */
    bool (*settled)(void *context, const sa_touch *touch);
    /* may `later` stand for `earlier` from now on, where it covers its bytes? */
    bool (*replaces)(void *context, const sa_touch *earlier, sa_touch *later);
} sa_touch_rules;

/* Compares a touch with those kept before that it conflicts with; keeps it. Two steps, because one
 * instruction's own accesses are not compared with each other. */
void sa_touches_check(sa_touches *touches, sa_touch *touch, const sa_touch_rules *rules);
void sa_touches_keep(sa_touches *touches, const sa_touch *touch, const sa_touch_rules *rules);

/* Adds all of one core's touches to the launch's, as done by `block` in `phase`; both have pages of
 * one size. */
void sa_touches_merge(sa_touches *launch, const sa_touches *core, uint32_t block, uint32_t phase,
                      const sa_touch_rules *rules);
void sa_touches_clear(sa_touches *touches); /* forgets the touches, keeps nothing */

#endif
