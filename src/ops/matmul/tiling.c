/* How a matmul is cut for a chip.
 *
 * A tile reads (m + n) * k elements for m * n * k products, so it is as large and as square as L0C
 * allows: it holds the whole accumulator, K is added up there and leaves once. */
#include "ops/matmul/matmul.h"

#define FRACTAL 16
#define BUFFERS 2
/* Rows of a tile before its columns are chosen; with all of a 128 KB L0C that makes 128 x 256. */
#define TILE_M 128
/* Products that are worth a piece of the tail: about what a block costs to start. */
#define PIECE_MACS (INT64_C(1) << 21)
/* A step along K beyond this gains nothing. */
#define K_L0_MOST 256

static uint32_t least(int64_t a, int64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

static int64_t fractals_up(int64_t n)
{
    return (n / FRACTAL + (n % FRACTAL != 0)) * FRACTAL;
}

static uint32_t fractals_down(int64_t n)
{
    return (uint32_t)(n / FRACTAL * FRACTAL);
}

void sa_matmul_tile(const sa_chip *chip, sa_dtype dtype, int64_t batch, int64_t m, int64_t n,
                    int64_t k, sa_matmul_tiling *t)
{
    int64_t bytes = (int64_t)sa_dtype_bytes(dtype);
    int64_t accumulators = chip->l0c_bytes / 4;
    /* a step of one fractal along K must fit half of L0A and L0B */
    uint32_t most_m = fractals_down(chip->l0a_bytes / BUFFERS / (FRACTAL * bytes));
    uint32_t most_n = fractals_down(chip->l0b_bytes / BUFFERS / (FRACTAL * bytes));
    uint32_t fits_l0, fits_l1;
    int64_t pieces;

    t->tile_m = least(fractals_up(m), TILE_M);
    t->tile_n = least(least(fractals_up(n), most_n), fractals_down(accumulators / t->tile_m));
    t->tile_m = least(least(fractals_up(m), most_m), fractals_down(accumulators / t->tile_n));

    fits_l0 = fractals_down(least(chip->l0a_bytes / BUFFERS / (t->tile_m * bytes),
                                  chip->l0b_bytes / BUFFERS / (t->tile_n * bytes)));
    t->k_l0 = least(least(fits_l0, K_L0_MOST), fractals_up(k));
    fits_l1 = least(chip->l1_bytes / BUFFERS / ((t->tile_m + t->tile_n) * bytes), fractals_up(k));
    t->k_l1 = fits_l1 < t->k_l0 ? t->k_l0 : fits_l1 / t->k_l0 * t->k_l0;

    pieces = (int64_t)t->tile_m * t->tile_n * (k < INT32_MAX ? k : INT32_MAX) / PIECE_MACS;
    sa_scheduler_make(&t->deal, batch, m, n, t->tile_m, t->tile_n, FRACTAL,
                      pieces < 1 ? 1 : least(pieces, 1024), chip->ai_cores);
}
