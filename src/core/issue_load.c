/* L1 -> L0 by fractals, transposed squares and img2col, into the packed store that isa.h describes:
 * 4 bytes an element, a fractal [C0 k][16 lanes] at the place of its architectural offset. */
#include "core/isa/body.h"
#include "core/issue.h"

#include <string.h>

#define FRACTAL_BYTES 512

static void widen(sa_dtype dtype, void *to, const void *from)
{
    float f;
    int32_t i;
    switch (dtype) {
    case SA_F32:
        memcpy(to, from, 4);
        return;
    case SA_I8:
        i = *(const int8_t *)from; /* NOLINT(bugprone-signed-char-misuse): a number */
        memcpy(to, &i, 4);
        return;
    default: {
        uint16_t h;
        memcpy(&h, from, 2);
        f = dtype == SA_F16 ? sa_half_to_float(h) : sa_bf16_to_float(h);
        memcpy(to, &f, 4);
    }
    }
}

/* `lanes` x `k` of an NZ matrix of nz_rows rows in L1, by the body of load_l0a or load_l0b: lanes
 * are rows there or, with `turned`, columns. Fractals follow each other along k in L0A, along lanes
 * in L0B; either way where only one of the two is more than a fractal. */
static void from_nz(const sa_core *core, sa_dtype dtype, sa_memory memory, void *packed,
                    const void *l1, size_t nz_rows, size_t lanes, size_t k, bool turned)
{
    if (memory == SA_L0A)
        core->isa->load_l0a[dtype](packed, l1, nz_rows, 0, 0, lanes, k, turned);
    else
        core->isa->load_l0b[dtype](packed, l1, nz_rows, 0, 0, k, lanes, !turned);
}

static void require_l0(const sa_issue *issue, sa_memory memory)
{
    if (memory != SA_L0A && memory != SA_L0B)
        sa_issue_refuse(issue, "to memory %d; takes L0A and L0B", (int)memory);
}

static void load_2d(sa_issue *issue, sa_dtype dtype, sa_memory memory, void *l0, sa_memory source,
                    const void *from, const sa_load2d *p)
{
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    require_l0(issue, memory);
    if (p->transpose && size != 2)
        sa_issue_refuse(issue, "transposes 2-byte elements, not %s", sa_dtype_name(dtype));
    if (!p->times)
        return;
    uint64_t last = (uint64_t)(p->times - 1) * p->src_stride;
    if (p->down && last > p->start)
        sa_issue_refuse(issue, "goes down %llu fractals from fractal %u", (unsigned long long)last,
                        p->start);
    uint64_t lowest = p->down ? p->start - last : p->start;
    const uint8_t *in = (const uint8_t *)((uintptr_t)from + lowest * FRACTAL_BYTES);
    in = sa_issue_operand(issue, source, false, in, p->times, FRACTAL_BYTES,
                          (int64_t)p->src_stride * FRACTAL_BYTES);
    uint64_t pitch = ((uint64_t)p->dst_gap + 1) * FRACTAL_BYTES;
    uint8_t *out = sa_issue_operand(issue, memory, true, l0, p->times, FRACTAL_BYTES, pitch);
    sa_issue_show(issue, (uint64_t)p->times * FRACTAL_BYTES / size);
    uint8_t *to = sa_packed(issue->core, memory, out, size);
    const size_t c0 = 32 / size, rows = (size_t)p->src_stride * 16;
    if (!p->dst_gap && !p->down && p->src_stride) { /* neighbours in a row of fractals of NZ */
        from_nz(issue->core, dtype, memory, to, in, rows, p->transpose ? p->times * 16 : 16,
                p->transpose ? 16 : p->times * c0, p->transpose);
        return;
    }
    for (uint32_t t = 0; t < p->times; t++) {
        uint64_t step = (p->down ? p->times - 1 - t : t) * (uint64_t)p->src_stride;
        from_nz(issue->core, dtype, memory, to + t * pitch / size * 4, in + step * FRACTAL_BYTES,
                16, 16, c0, p->transpose);
    }
}

void sa_load_2d(sa_core *core, sa_dtype dtype, sa_memory memory, void *l0, const void *l1,
                const sa_load2d *p)
{
    BEGIN(load_2d, dtype);
    load_2d(&issue, dtype, memory, l0, SA_L1, l1, p);
}

void sa_load_2d_gm(sa_core *core, sa_dtype dtype, sa_memory memory, void *l0, const void *gm,
                   const sa_load2d *p)
{
    BEGIN(load_2d_gm, dtype);
    load_2d(&issue, dtype, memory, l0, SA_GM, gm, p);
}

/* Of a square of `fractals` fractals [16][C0], the element in row r and column c, where rows (1
 * byte) or columns (4 bytes) go on in the second fractal. */
static const uint8_t *in_square(const uint8_t *square, uint32_t size, uint32_t r, uint32_t c)
{
    uint32_t c0 = 32 / size;
    return square + (r / 16 + c / c0) * (size_t)FRACTAL_BYTES +
           ((size_t)(r % 16) * c0 + c % c0) * size;
}

void sa_load_transposed(sa_core *core, sa_dtype dtype, sa_memory memory, void *l0, const void *l1,
                        const sa_load_transpose *p)
{
    BEGIN(load_transposed, dtype);
    require_l0(&issue, memory);
    if (!p->times)
        return;
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype), c0 = 32 / size;
    uint32_t fractals = size == 2 ? 1 : 2;
    uint64_t square = (uint64_t)fractals * FRACTAL_BYTES;
    uint64_t last = (uint64_t)(p->times - 1) * p->src_stride;
    if (p->down && last > p->start)
        sa_issue_refuse(&issue, "goes down %llu squares from square %u", (unsigned long long)last,
                        p->start);
    uint64_t lowest = p->down ? p->start - last : p->start;
    const uint8_t *in = (const uint8_t *)((uintptr_t)l1 + lowest * square);
    in = READS(SA_L1, in, p->times, square, (int64_t)(p->src_stride * square));
    uint64_t pitch = ((uint64_t)p->dst_gap + 1) * FRACTAL_BYTES;
    uint64_t inner = ((uint64_t)p->dst_frac_gap + 1) * FRACTAL_BYTES;
    uint8_t *out =
        WRITES(memory, l0, p->times, (fractals - 1) * inner + FRACTAL_BYTES, (int64_t)pitch);
    sa_issue_show(&issue, p->times * square / size);
    uint8_t *packed = sa_packed(core, memory, out, size);
    for (uint32_t t = 0; t < p->times; t++) {
        uint64_t step = (p->down ? p->times - 1 - t : t) * (uint64_t)p->src_stride;
        const uint8_t *from = in + step * square;
        if (fractals == 1 || inner == FRACTAL_BYTES) {
            from_nz(core, dtype, memory, packed + t * pitch / size * 4, from, size == 1 ? 32 : 16,
                    size == 1 ? 32 : 16, size == 1 ? 32 : 16, true);
            continue;
        }
        for (uint32_t f = 0; f < fractals; f++) {
            uint8_t *to = packed + (t * pitch + f * inner) / size * 4;
            /* the transposed square's fractal f: 1 byte goes on along lanes, 4 bytes along k */
            for (uint32_t k = 0; k < c0; k++)
                for (uint32_t lane = 0; lane < 16; lane++, to += 4)
                    widen(dtype, to,
                          size == 4 ? in_square(from, size, f * c0 + k, lane)
                                    : in_square(from, size, k, f * 16 + lane));
        }
    }
}

/* ---- img2col */

/* Element (position, column) of the img2col matrix; NULL where it is padding. */
static const uint8_t *img2col(const uint8_t *map, uint32_t size, const sa_load3d *p, uint32_t wo,
                              uint64_t position, uint64_t column)
{
    uint32_t c0 = 32 / size;
    uint64_t c = column % c0, kw = column / c0 % p->filter_w;
    uint64_t kh = column / c0 / p->filter_w % p->filter_h;
    uint64_t c1 = column / c0 / p->filter_w / p->filter_h;
    int64_t y = (int64_t)(position / wo * p->stride_h + kh * p->dilation_h) - p->pad[2];
    int64_t x = (int64_t)(position % wo * p->stride_w + kw * p->dilation_w) - p->pad[0];
    if (y < 0 || x < 0 || y >= p->h || x >= p->w || c1 * c0 >= p->channels)
        return NULL;
    return map + (((c1 * p->h + (uint64_t)y) * p->w + (uint64_t)x) * c0 + c) * size;
}

void sa_load_3d(sa_core *core, sa_dtype dtype, sa_memory memory, void *l0, const void *l1,
                const sa_load3d *p)
{
    BEGIN(load_3d, dtype);
    require_l0(&issue, memory);
    if (!p->m || !p->k)
        return;
    uint32_t size = (uint32_t)sa_dtype_bytes(dtype), c0 = 32 / size;
    if (!p->h || !p->w || !p->filter_w || !p->filter_h || !p->stride_w || !p->stride_h)
        sa_issue_refuse(&issue, "map %u x %u, filter %u x %u, stride %u x %u: none may be 0", p->h,
                        p->w, p->filter_h, p->filter_w, p->stride_h, p->stride_w);
    int64_t wide =
        (int64_t)p->w + p->pad[0] + p->pad[1] - (int64_t)p->dilation_w * (p->filter_w - 1) - 1;
    int64_t high =
        (int64_t)p->h + p->pad[2] + p->pad[3] - (int64_t)p->dilation_h * (p->filter_h - 1) - 1;
    if (wide < 0 || high < 0)
        sa_issue_refuse(&issue, "a filter of %u x %u is larger than the padded map of %u x %u",
                        p->filter_h, p->filter_w, p->h, p->w);
    uint32_t wo = (uint32_t)(wide / p->stride_w) + 1, ho = (uint32_t)(high / p->stride_h) + 1;
    uint64_t map_bytes = UP(p->channels, c0) / c0 * p->h * p->w * 32;
    const uint8_t *map = READS(SA_L1, l1, 1, map_bytes, 0);

    /* lanes x k: [m, k] of L0A, [k, n] of L0B with its k the positions */
    bool lanes_are_columns = (memory == SA_L0B) != p->transpose;
    uint32_t lanes = lanes_are_columns ? p->k : p->m, depth = lanes_are_columns ? p->m : p->k;
    uint64_t blocks = UP(lanes, 16) / 16, steps = UP(depth, c0) / c0;
    uint8_t *out = WRITES(memory, l0, 1, blocks * steps * FRACTAL_BYTES, 0);
    sa_issue_show(&issue, (uint64_t)p->m * p->k);
    uint8_t *packed = sa_packed(core, memory, out, size);
    bool matrix = p->filter_w == 1 && p->filter_h == 1 && p->stride_w == 1 && p->stride_h == 1 &&
                  !(p->pad[0] | p->pad[1] | p->pad[2] | p->pad[3]);
    if (matrix && p->m_start % 16 == 0 && p->k_start % c0 == 0 &&
        (uint64_t)p->m_start + p->m <= (uint64_t)wo * ho &&
        (uint64_t)p->k_start + p->k <= UP(p->channels, c0) && p->m % 16 == 0 &&
        p->k % c0 == 0) { /* the map is the matrix, in NZ */
        from_nz(core, dtype, memory, packed,
                map + ((uint64_t)p->k_start / c0 * wo * ho + p->m_start) * 32, (size_t)wo * ho,
                lanes, depth, lanes_are_columns);
        return;
    }
    uint8_t padding[8] = {0};
    sa_scalar_store(dtype, padding, p->pad_value);
    static const uint8_t nothing[8];
    for (uint64_t b = 0; b < blocks; b++)
        for (uint64_t k = 0; k < steps * c0; k++) {
            uint64_t number = memory == SA_L0B ? k / c0 * blocks + b : b * steps + k / c0;
            uint8_t *to = packed + (number * c0 + k % c0) * 16 * 4;
            for (uint64_t i = 0; i < 16; i++, to += 4) {
                uint64_t lane = b * 16 + i;
                uint64_t position = (lanes_are_columns ? k : lane) + p->m_start;
                uint64_t column = (lanes_are_columns ? lane : k) + p->k_start;
                const uint8_t *from = nothing;
                if (lane < lanes && k < depth && position < (uint64_t)wo * ho) {
                    from = img2col(map, size, p, wo, position, column);
                    from = from ? from : padding;
                }
                widen(dtype, to, from);
            }
        }
}
