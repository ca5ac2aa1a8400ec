/* Whole tiles first, in runs of neighbours down the columns (they read the same right operand),
 * then the pieces of the tail. */
#include "ops/scheduler.h"

#include "ops/op.h"

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* The cheapest pr * pc = pieces that the smallest tile (granules gr x gc) allows: least rows plus
 * columns in a piece. False if there is none. */
static int split(uint32_t pieces, int64_t gr, int64_t gc, uint32_t *pr, uint32_t *pc)
{
    double best = 0;
    for (uint32_t r = 1; r <= pieces; r++) {
        uint32_t c = pieces / r;
        double side = (double)gr / r + (double)gc / c;
        if (r * c != pieces || r > gr || c > gc || (best > 0 && side >= best))
            continue;
        best = side;
        *pr = r;
        *pc = c;
    }
    return best > 0;
}

/* Pieces cost a little each: they read their operands anew. */
static void cut_tail(sa_scheduler *s, int64_t gr, int64_t gc, uint32_t max_pieces, uint32_t cores)
{
    double least = 0;
    for (uint32_t p = 1; p <= max_pieces && p <= 4 * cores; p++) {
        double cost = (double)ceil_div(s->tail * p, cores) / p * (1 + 0.02 * p);
        uint32_t pr = 1, pc = 1;
        if ((least > 0 && cost >= least) || !split(p, gr, gc, &pr, &pc))
            continue;
        least = cost;
        s->split_rows = pr;
        s->split_cols = pc;
    }
}

void sa_scheduler_make(sa_scheduler *s, int64_t batch, int64_t rows, int64_t cols,
                       uint32_t tile_rows, uint32_t tile_cols, uint32_t granule,
                       uint32_t max_pieces, uint32_t cores)
{
    int64_t granules_rows = ceil_div(rows, granule), granules_cols = ceil_div(cols, granule);
    int64_t tiles, pieces;

    *s = (sa_scheduler){.batch = batch,
                        .rows = rows,
                        .cols = cols,
                        .granule = granule,
                        .tiles_rows = ceil_div(granules_rows, tile_rows / granule),
                        .tiles_cols = ceil_div(granules_cols, tile_cols / granule),
                        .split_rows = 1,
                        .split_cols = 1};
    tiles = batch * s->tiles_rows * s->tiles_cols;
    s->whole = tiles / cores;
    s->tail = tiles % cores;
    if (s->tail > 0)
        cut_tail(s, granules_rows / s->tiles_rows, granules_cols / s->tiles_cols, max_pieces,
                 cores);
    pieces = s->tail * s->split_rows * s->split_cols;
    s->cores = s->whole > 0 || pieces > cores ? cores : (uint32_t)pieces;
}

int64_t sa_scheduler_count(const sa_scheduler *s, uint32_t core)
{
    int64_t begin, count;
    sa_share(s->tail * s->split_rows * s->split_cols, 1, core, s->cores, &begin, &count);
    return s->whole + count;
}

/* Part `index` of `parts` of [*at, *at + *length), cut at granules. */
static void part(const sa_scheduler *s, uint32_t index, uint32_t parts, int64_t *at,
                 int64_t *length)
{
    int64_t begin, count;
    sa_share(*length, s->granule, index, parts, &begin, &count);
    *at += begin;
    *length = count;
}

sa_tile sa_scheduler_tile(const sa_scheduler *s, uint32_t core, int64_t index)
{
    int64_t tile = s->whole * core + index, row = 0, col = 0, rows = s->rows, cols = s->cols;
    int64_t piece = -1;

    if (index >= s->whole) {
        int64_t begin, count, pieces = (int64_t)s->split_rows * s->split_cols;
        sa_share(s->tail * pieces, 1, core, s->cores, &begin, &count);
        piece = begin + index - s->whole;
        tile = s->whole * s->cores + piece / pieces;
        piece %= pieces;
    }
    part(s, (uint32_t)(tile % s->tiles_rows), (uint32_t)s->tiles_rows, &row, &rows);
    part(s, (uint32_t)(tile / s->tiles_rows % s->tiles_cols), (uint32_t)s->tiles_cols, &col, &cols);
    if (piece >= 0) {
        part(s, (uint32_t)(piece / s->split_cols), s->split_rows, &row, &rows);
        part(s, (uint32_t)(piece % s->split_cols), s->split_cols, &col, &cols);
    }
    return (sa_tile){tile / (s->tiles_rows * s->tiles_cols), row, col, (uint32_t)rows,
                     (uint32_t)cols};
}
