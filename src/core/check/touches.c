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

bool sa_span_overlap(const sa_span *a, const sa_span *b, uintptr_t *from, uintptr_t *to)
{
    if (a->rows > b->rows) {
        const sa_span *swap = a;
        a = b;
        b = swap;
    }
    uintptr_t b_end = sa_span_end(b);
    if (sa_span_end(a) <= b->start || b_end <= a->start) {
        return false;
    }
    for (uint32_t r = 0; r < a->rows; r++) {
        uintptr_t low = a->start + r * a->pitch, high = low + a->row_bytes;
        if (high <= b->start || low >= b_end) {
            continue;
        }
        /* the first row of b that ends after `low` */
        uint64_t row = 0;
        if (b->rows > 1 && low >= b->start + b->row_bytes) {
            row = (low - b->start - b->row_bytes) / b->pitch + 1;
        }
        uintptr_t b_low = b->start + row * b->pitch, b_high = b_low + b->row_bytes;
        if (row < b->rows && b_low < high) {
            *from = low > b_low ? low : b_low;
            *to = high < b_high ? high : b_high;
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

/* Small steps through memory, one line of one epoch: one touch. */
static bool extend(sa_touch_list *list, const sa_touch *touch)
{
    if (list->count == 0 || touch->span.rows != 1) {
        return false;
    }
    sa_touch *last = &list->touch[list->count - 1];
    if (last->span.rows != 1 || last->pc != touch->pc || last->pipe != touch->pipe ||
        last->epoch != touch->epoch || last->block != touch->block ||
        last->span.start + last->span.row_bytes != touch->span.start) {
        return false;
    }
    last->span.row_bytes += touch->span.row_bytes;
    return true;
}

static void check_page(sa_page *page, sa_touch *touch, const sa_touch_rules *rules)
{
    for (int kind = touch->write ? 0 : 1; kind < 2; kind++) {
        sa_touch_list *list = &page->list[kind];
        for (uint32_t i = 0; i < list->count; i++) {
            uintptr_t from, to;
            if (!rules->ordered(rules->context, &list->touch[i], touch) &&
                sa_span_overlap(&list->touch[i].span, &touch->span, &from, &to)) {
                rules->race(rules->context, &list->touch[i], touch, from, to);
            }
        }
    }
}

static void keep_in_page(sa_page *page, int page_shift, const sa_touch *added,
                         const sa_touch_rules *rules)
{
    sa_touch touch = *added;
    uintptr_t low = page->number << page_shift, high = (page->number + 1) << page_shift;
    for (int kind = 0; kind < (touch.write ? 2 : 1); kind++) {
        sa_touch_list *list = &page->list[kind];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < list->count; i++) {
            if (!(covers(&touch.span, &list->touch[i].span, low, high) &&
                  rules->replaces(rules->context, &list->touch[i], &touch))) {
                list->touch[kept++] = list->touch[i];
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

void sa_touches_merge(sa_touches *launch, const sa_touches *core, uint32_t block, uint32_t phase,
                      const sa_touch_rules *rules)
{
    for (uint32_t i = 0; i < core->capacity; i++) {
        if (!core->page[i].used) {
            continue;
        }
        sa_page *page = page_at(launch, core->page[i].number);
        for (int kind = 0; page && kind < 2; kind++) {
            for (uint32_t j = 0; j < core->page[i].list[kind].count; j++) {
                sa_touch touch = core->page[i].list[kind].touch[j];
                touch.block = block;
                touch.epoch = phase;
                check_page(page, &touch, rules);
                keep_in_page(page, launch->page_shift, &touch, rules);
            }
        }
    }
}

void sa_touches_clear(sa_touches *t)
{
    for (uint32_t i = 0; i < t->capacity; i++) {
        free(t->page[i].list[0].touch);
        free(t->page[i].list[1].touch);
    }
    free(t->page);
    t->page = NULL;
    t->pages = t->capacity = 0;
}
