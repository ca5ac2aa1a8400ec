/* L2 and bandwidth (memory.h). */
#include "timing/memory.h"

#include <stdlib.h>

enum { LINE_SHIFT = 9, SECTOR_SHIFT = 7 };

typedef struct line {
    uint64_t ordinal, number; /* number 0: free; else line of the allocation + 1 */
    uint8_t sectors;
} line;

struct sa_l2 {
    line *table;        /* open addressing, at most half full */
    uint64_t mask;      /* its size - 1 */
    line *fifo;         /* keys in order of arrival: a ring */
    uint64_t capacity;  /* lines of the ring */
    uint64_t at, lines; /* oldest; how many */
};

uint64_t sa_l2_most_lines(const sa_trace_access *a)
{
    return a->memory == SA_GM ? a->rows * (((uint64_t)a->row_bytes >> LINE_SHIFT) + 2) : 0;
}

sa_l2 *sa_l2_create(const sa_chip *chip, uint64_t most_lines)
{
    sa_l2 *l2 = calloc(1, sizeof(*l2));
    if (!l2) {
        return NULL;
    }
    uint64_t has = chip->l2_bytes >> LINE_SHIFT;
    uint64_t lines = has < most_lines ? has : most_lines;
    l2->capacity = (lines ? lines : 1) + 1;
    uint64_t size = 64;
    while (size < 2 * l2->capacity) {
        size *= 2;
    }
    l2->mask = size - 1;
    l2->table = calloc(size, sizeof(line));
    l2->fifo = calloc(l2->capacity, sizeof(line));
    if (!l2->table || !l2->fifo) {
        sa_l2_destroy(l2);
        return NULL;
    }
    return l2;
}

void sa_l2_destroy(sa_l2 *l2)
{
    if (l2) {
        free(l2->table);
        free(l2->fifo);
        free(l2);
    }
}

static uint64_t home(const sa_l2 *l2, uint64_t ordinal, uint64_t number)
{
    return ((number + ordinal * 0xD1B54A32D192ED03u) * 0x9E3779B97F4A7C15u >> 20) & l2->mask;
}

static uint64_t slot_of(const sa_l2 *l2, uint64_t ordinal, uint64_t number)
{
    uint64_t i = home(l2, ordinal, number);
    while (l2->table[i].number &&
           (l2->table[i].number != number || l2->table[i].ordinal != ordinal)) {
        i = (i + 1) & l2->mask;
    }
    return i;
}

static void evict(sa_l2 *l2)
{
    const line *old = &l2->fifo[l2->at];
    uint64_t hole = slot_of(l2, old->ordinal, old->number);
    l2->at = (l2->at + 1) % l2->capacity;
    l2->lines--;
    /* close the gap: move up what would no longer be found */
    for (uint64_t i = (hole + 1) & l2->mask; l2->table[i].number; i = (i + 1) & l2->mask) {
        uint64_t from = home(l2, l2->table[i].ordinal, l2->table[i].number);
        if (((i - from) & l2->mask) >= ((i - hole) & l2->mask)) {
            l2->table[hole] = l2->table[i];
            hole = i;
        }
    }
    l2->table[hole] = (line){0};
}

static line *line_of(sa_l2 *l2, uint64_t ordinal, uint64_t number)
{
    uint64_t i = slot_of(l2, ordinal, number);
    if (!l2->table[i].number) {
        if (l2->lines == l2->capacity - 1) {
            evict(l2);
            i = slot_of(l2, ordinal, number);
        }
        l2->table[i] = (line){ordinal, number, 0};
        l2->fifo[(l2->at + l2->lines++) % l2->capacity] = l2->table[i];
    }
    return &l2->table[i];
}

/* Bytes [from, to) of one row: the bytes of the sectors that were not there. */
static uint64_t touch_row(sa_l2 *l2, uint64_t ordinal, uint64_t from, uint64_t to)
{
    uint64_t missed = 0;
    for (uint64_t at = from; at < to;) {
        line *l = line_of(l2, ordinal, (at >> LINE_SHIFT) + 1);
        uint64_t line_end = ((at >> LINE_SHIFT) + 1) << LINE_SHIFT;
        for (; at < to && at < line_end;) {
            uint64_t end = ((at >> SECTOR_SHIFT) + 1) << SECTOR_SHIFT;
            end = end < to ? end : to;
            uint8_t bit = (uint8_t)(1u << ((at >> SECTOR_SHIFT) & 3));
            missed += l->sectors & bit ? 0 : 1 << SECTOR_SHIFT;
            l->sectors |= bit;
            at = end;
        }
    }
    return missed;
}

uint64_t sa_l2_touch(sa_l2 *l2, const sa_trace_access *a)
{
    uint64_t missed = 0;
    for (uint32_t r = 0; r < a->rows; r++) {
        uint64_t from = a->offset + (uint64_t)((int64_t)r * a->pitch_bytes);
        if (from + a->row_bytes < from) {
            continue; /* nonsense in the record */
        }
        missed += touch_row(l2, a->ordinal, from, from + a->row_bytes);
    }
    return missed;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

sa_shares sa_share_bandwidth(const sa_chip *chip, int hbm_moves, int l2_reads, int l2_writes)
{
    const double cores = chip->ai_cores;
    double hbm_cycle = chip->hbm_bytes_per_second / (chip->frequency_ghz * 1e9);
    sa_shares s = {chip->hbm_bytes_per_cycle, chip->l2_read_bytes_per_cycle,
                   chip->l2_write_bytes_per_cycle};
    s.hbm = hbm_moves ? lesser(s.hbm, hbm_cycle / hbm_moves) : s.hbm;
    s.l2_read = l2_reads ? lesser(s.l2_read, s.l2_read * cores / l2_reads) : s.l2_read;
    s.l2_write = l2_writes ? lesser(s.l2_write, s.l2_write * cores / l2_writes) : s.l2_write;
    return s;
}
