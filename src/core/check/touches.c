/* The interval store of the race check (touches.h). */
#include "core/check/touches.h"

#include <stdlib.h>
#include <string.h>

sa_span sa_span_of(const sa_access *access)
{
    sa_span s = {access->address, access->row_bytes, 0, access->rows};
    int64_t pitch = access->pitch_bytes;
    if (s.rows <= 1) {
        s.rows = s.rows ? 1 : 0;
        return s;
    }
    if (pitch < 0) {
        s.start += (uintptr_t)((int64_t)(s.rows - 1) * pitch);
        pitch = -pitch;
    }
    if ((uint64_t)pitch <= s.row_bytes) { /* rows that touch are one run */
        s.row_bytes += (s.rows - 1) * (uint64_t)pitch;
        s.rows = 1;
        return s;
    }
    s.pitch = (uint64_t)pitch;
    return s;
}

/* The rows [*first, *end) of the span that may have bytes in [low, high). */
static void rows_within(const sa_span *s, uintptr_t low, uintptr_t high, uint64_t *first,
                        uint64_t *end)
{
    *first = 0;
    *end = s->start < high ? s->rows : 0;
    if (s->rows > 1) {
        if (low >= s->start + s->row_bytes) {
            *first = (low - s->start - s->row_bytes) / s->pitch + 1;
        }
        if (*end) {
            uint64_t rows = (high - 1 - s->start) / s->pitch + 1;
            *end = rows < s->rows ? rows : s->rows;
        }
    }
}

/* Rows at one pitch lie to each other alike everywhere: row r of a and row r + shift of b. */
static bool overlap_alike(const sa_span *a, const sa_span *b, uint64_t first, uint64_t end,
                          uintptr_t *from, uintptr_t *to)
{
    int64_t pitch = (int64_t)a->pitch, apart = (int64_t)(a->start - b->start);
    /* the first shift whose row of b ends after the row of a begins, and the next */
    int64_t above = apart - (int64_t)b->row_bytes; /* shift * pitch > above */
    int64_t shift = above >= 0 ? above / pitch + 1 : -((-above - 1) / pitch);
    bool found = false;
    for (int i = 0; i < 2; i++, shift++) {
        if (shift * pitch >= apart + (int64_t)a->row_bytes) {
            break;
        }
        uint64_t row = shift < 0 && (uint64_t)-shift > first ? (uint64_t)-shift : first;
        if (row >= end || row + (uint64_t)shift >= b->rows) {
            continue;
        }
        uintptr_t a_low = a->start + row * a->pitch;
        uintptr_t b_low = b->start + (row + (uint64_t)shift) * b->pitch;
        uintptr_t low = a_low > b_low ? a_low : b_low;
        if (!found || low < *from) {
            uintptr_t a_high = a_low + a->row_bytes, b_high = b_low + b->row_bytes;
            *from = low;
            *to = a_high < b_high ? a_high : b_high;
        }
        found = true;
    }
    return found;
}

bool sa_span_overlap(const sa_span *a, const sa_span *b, uintptr_t *from, uintptr_t *to)
{
    uintptr_t low = a->start > b->start ? a->start : b->start;
    uintptr_t a_end = sa_span_end(a), b_end = sa_span_end(b), high = a_end < b_end ? a_end : b_end;
    if (low >= high) {
        return false;
    }
    uint64_t first, end, b_first, b_last;
    rows_within(a, low, high, &first, &end);
    rows_within(b, low, high, &b_first, &b_last);
    if (a->pitch == b->pitch && a->pitch) {
        return overlap_alike(a, b, first, end, from, to);
    }
    if (b_last - b_first < end - first) {
        const sa_span *swap = a;
        a = b;
        b = swap;
        first = b_first;
        end = b_last;
    }
    for (uint64_t r = first; r < end; r++) {
        uintptr_t a_low = a->start + r * a->pitch, a_high = a_low + a->row_bytes;
        /* the first row of b that ends after `a_low` */
        uint64_t row = 0;
        if (b->rows > 1 && a_low >= b->start + b->row_bytes) {
            row = (a_low - b->start - b->row_bytes) / b->pitch + 1;
        }
        uintptr_t b_low = b->start + row * b->pitch, b_high = b_low + b->row_bytes;
        if (row < b->rows && b_low < a_high && b_high > a_low) {
            *from = a_low > b_low ? a_low : b_low;
            *to = a_high < b_high ? a_high : b_high;
            return true;
        }
    }
    return false;
}

/* Does `over` cover what `under` has in the page [low, high)? May say no where the answer is yes.
 */
static bool covers(const sa_span *over, const sa_span *under, uintptr_t low, uintptr_t high)
{
    if (over->rows == 1) {
        uintptr_t from = under->start > low ? under->start : low;
        uintptr_t end = sa_span_end(under), to = end < high ? end : high;
        return over->start <= from && to <= over->start + over->row_bytes;
    }
    return over->pitch == under->pitch && over->rows >= under->rows &&
           over->start == under->start && over->row_bytes >= under->row_bytes;
}

static sa_page *find_slot(sa_page *page, uint32_t capacity, uintptr_t number)
{
    uint32_t at = (uint32_t)((number * 0x9E3779B97F4A7C15u) >> 32) & (capacity - 1);
    while (page[at].used && page[at].number != number) {
        at = (at + 1) & (capacity - 1);
    }
    return &page[at];
}

static sa_page *page_at(sa_touches *t, uintptr_t number)
{
    if (2 * (t->pages + 1) > t->capacity) {
        uint32_t capacity = t->capacity ? 2 * t->capacity : 64;
        sa_page *grown = calloc(capacity, sizeof(*grown));
        if (!grown) {
            return NULL;
        }
        for (uint32_t i = 0; i < t->capacity; i++) {
            if (t->page[i].used) {
                *find_slot(grown, capacity, t->page[i].number) = t->page[i];
            }
        }
        free(t->page);
        t->page = grown;
        t->capacity = capacity;
    }
    sa_page *page = find_slot(t->page, t->capacity, number);
    if (!page->used) {
        page->used = true;
        page->number = number;
        t->pages++;
    }
    return page;
}

static bool list_push(sa_touch_list *list, const sa_touch *touch)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 8;
        sa_touch *grown = realloc(list->touch, capacity * sizeof(*grown));
        if (!grown) {
            return false;
        }
        list->touch = grown;
        list->capacity = capacity;
    }
    list->touch[list->count++] = *touch;
    return true;
}

/* Do the bytes of `more` continue `span`'s: its row, its rows, or each of its rows? */
static bool join_spans(sa_span *span, const sa_span *more)
{
    if (span->rows == 1 && more->rows == 1) {
        if (span->start + span->row_bytes == more->start) {
            span->row_bytes += more->row_bytes;
            return true;
        }
        if (span->row_bytes == more->row_bytes && more->start > span->start + span->row_bytes) {
            span->pitch = more->start - span->start;
            span->rows = 2;
            return true;
        }
        return false;
    }
    if (span->rows == more->rows && span->pitch == more->pitch &&
        span->start + span->row_bytes == more->start &&
        span->row_bytes + more->row_bytes <= span->pitch) {
        span->row_bytes += more->row_bytes;
        if (span->row_bytes == span->pitch) { /* nothing between the rows any more */
            span->row_bytes *= span->rows;
            span->rows = 1;
            span->pitch = 0;
        }
        return true;
    }
    if (span->rows > 1 && span->row_bytes == more->row_bytes &&
        (more->rows == 1 || more->pitch == span->pitch) &&
        span->start + span->rows * span->pitch == more->start &&
        (uint64_t)span->rows + more->rows <= UINT32_MAX) {
        span->rows += more->rows;
        return true;
    }
    return false;
}

/* Steps through memory, one line of one epoch: one touch. */
static bool extend(sa_touch_list *list, const sa_touch *touch)
{
    if (list->count == 0) {
        return false;
    }
    sa_touch *last = &list->touch[list->count - 1];
    return last->pc == touch->pc && last->pipe == touch->pipe && last->epoch == touch->epoch &&
           last->block == touch->block && last->shared == touch->shared &&
           join_spans(&last->span, &touch->span);
}

static bool same_touch(const sa_touch *a, const sa_touch *b)
{
    return a->pc == b->pc && a->pipe == b->pipe && sa_span_equal(&a->span, &b->span);
}

/* Long lists are looked through as far back as this, and wholly each time that they have doubled:
 * what is found later or not at all costs memory, not truth. */
enum { LOOK_BACK = 64 };

static uint32_t look_from(const sa_touch_list *list)
{
    bool wholly = (list->count & (list->count - 1)) == 0;
    return list->count > LOOK_BACK && !wholly ? list->count - LOOK_BACK : 0;
}

static void settle(sa_touch_list *settled, const sa_touch *touch)
{
    for (uint32_t i = settled->count > 8 ? settled->count - 8 : 0; i < settled->count; i++) {
        if (same_touch(&settled->touch[i], touch)) { /* done again: the last time counts */
            settled->touch[i].epoch = touch->epoch;
            return;
        }
    }
    list_push(settled, touch);
}

/* Those found settled on the way move to `settled`, if it is given. */
static void check_list(sa_touch_list *list, sa_touch_list *settled, sa_touch *touch,
                       const sa_touch_rules *rules)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        sa_touch *old = &list->touch[i];
        uintptr_t from, to;
        if (rules->ordered(rules->context, old, touch)) {
            if (settled && rules->settled && rules->settled(rules->context, old)) {
                settle(settled, old);
                continue;
            }
        } else if (sa_span_overlap(&old->span, &touch->span, &from, &to)) {
            rules->race(rules->context, old, touch, from, to);
        }
        if (kept != i) {
            list->touch[kept] = *old;
        }
        kept++;
    }
    list->count = kept;
}

static void check_page(sa_page *page, sa_touch *touch, const sa_touch_rules *rules)
{
    for (int kind = touch->write ? 0 : 1; kind < 2; kind++) {
        check_list(&page->list[kind], &page->settled[kind], touch, rules);
        if (touch->pipe == SA_PIPE_S) {
            check_list(&page->settled[kind], NULL, touch, rules);
        }
    }
}

static void keep_in_page(sa_page *page, int page_shift, const sa_touch *added,
                         const sa_touch_rules *rules)
{
    sa_touch touch = *added;
    uintptr_t low = page->number << page_shift, high = (page->number + 1) << page_shift;
    for (int kind = 0; kind < 2; kind++) {
        sa_touch_list *list = &page->list[kind];
        uint32_t kept = look_from(list);
        for (uint32_t i = kept; i < list->count; i++) {
            sa_touch *old = &list->touch[i];
            if (kind <= (int)touch.write && covers(&touch.span, &old->span, low, high) &&
                rules->replaces(rules->context, old, &touch)) {
                continue;
            }
            if (rules->settled && rules->settled(rules->context, old)) {
                settle(&page->settled[kind], old);
            } else {
                list->touch[kept++] = *old;
            }
        }
        list->count = kept;
    }
    if (!extend(&page->list[touch.write], &touch)) {
        list_push(&page->list[touch.write], &touch);
    }
}

/* Does check (or else keep) on each page that the touch has bytes in. */
static void walk(sa_touches *t, sa_touch *touch, const sa_touch_rules *rules, bool keep)
{
    const sa_span *span = &touch->span;
    if (span->rows == 0 || span->row_bytes == 0) {
        return;
    }
    uintptr_t done = 0; /* pages below are done */
    for (uint32_t r = 0; r < span->rows; r++) {
        uintptr_t low = span->start + r * span->pitch;
        uintptr_t first = low >> t->page_shift, last = (low + span->row_bytes - 1) >> t->page_shift;
        for (uintptr_t p = first < done ? done : first; p <= last; p++) {
            sa_page *page = page_at(t, p);
            if (page && keep) {
                keep_in_page(page, t->page_shift, touch, rules);
            } else if (page) {
                check_page(page, touch, rules);
            }
        }
        done = last + 1 > done ? last + 1 : done;
    }
}

void sa_touches_check(sa_touches *t, sa_touch *touch, const sa_touch_rules *rules)
{
    walk(t, touch, rules, false);
}

void sa_touches_keep(sa_touches *t, const sa_touch *touch, const sa_touch_rules *rules)
{
    sa_touch copy = *touch;
    walk(t, &copy, rules, true);
}

static void merge_list(sa_touches *launch, sa_page *page, const sa_touch_list *list, uint32_t block,
                       uint32_t phase, const sa_touch_rules *rules)
{
    for (uint32_t i = 0; i < list->count; i++) {
        sa_touch touch = list->touch[i];
        touch.block = block;
        touch.epoch = phase;
        check_page(page, &touch, rules);
        keep_in_page(page, launch->page_shift, &touch, rules);
    }
}

void sa_touches_merge(sa_touches *launch, const sa_touches *core, uint32_t block, uint32_t phase,
                      const sa_touch_rules *rules)
{
    for (uint32_t i = 0; i < core->capacity; i++) {
        sa_page *page = core->page[i].used ? page_at(launch, core->page[i].number) : NULL;
        for (int kind = 0; page && kind < 2; kind++) {
            merge_list(launch, page, &core->page[i].settled[kind], block, phase, rules);
            merge_list(launch, page, &core->page[i].list[kind], block, phase, rules);
        }
    }
}

void sa_touches_clear(sa_touches *t)
{
    for (uint32_t i = 0; i < t->capacity; i++) {
        for (int kind = 0; kind < 2; kind++) {
            free(t->page[i].list[kind].touch);
            free(t->page[i].settled[kind].touch);
        }
    }
    free(t->page);
    t->page = NULL;
    t->pages = t->capacity = 0;
}
