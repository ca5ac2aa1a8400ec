/* One product as the cube core runs it, for lib/matmul_intf.h: GM -> L1 (NZ) -> L0A, L0B -> L0C,
 * and out through FIX, in the blocks and steps of its tiling.
 *
 * A product says all that it needs, so a cube core can run one that a vector core of its block
 * hands over. L1 holds a few chunks of A and of B; a chunk that is still there from the block
 * before is not moved again. Each flag says who may touch a buffer next: LOADED is the way forward,
 * FREE the way back. */
#ifndef ASCENDC_MATMUL_PRODUCT_H
#define ASCENDC_MATMUL_PRODUCT_H

#include "ascendc/queue.h"

namespace softascend
{
/* An operand as it lies: in GM, or NZ in L1. Stored is [m, k] and [k, n], transposed the other way
 * round. */
struct matmul_side {
    const void *at;
    sa_dtype dtype;
    bool nz, transposed, in_l1, filled;
    double value;  /* of all elements, where filled */
    int64_t pitch; /* elements from row to row; NZ: rows, a multiple of 16 */
    uint32_t chunk_k, slots;
};

struct matmul_product {
    matmul_side a, b;
    uint32_t m, n, k, base_m, base_n, base_k;
    bool n_first, sequential; /* the order of blocks; whether they follow each other in C */
    uint32_t first, count;    /* blocks to compute */
    uint32_t l1_used;         /* bytes that are not ours */
    const void *bias;         /* GM, [n]; or NULL */
    sa_dtype bias_dtype;
    void *c; /* GM */
    sa_dtype c_dtype;
    bool c_nz;
    int64_t c_pitch; /* as above */
    sa_atomic atomic;
    bool scaled;
    double scale;
    const uint64_t *scales; /* GM, [n]: low half a float; or NULL */
};

constexpr uint32_t up_to(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}
constexpr uint32_t less(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}
constexpr uint32_t c0_of(sa_dtype dtype)
{
    return dtype == SA_F32 || dtype == SA_I32 ? 8 : dtype == SA_I8 || dtype == SA_U8 ? 32 : 16;
}

/* What every extent but the last is a multiple of, rows and columns of a fractal alike. */
constexpr uint32_t unit_of(sa_dtype dtype)
{
    return dtype == SA_I8 ? 32 : 16;
}

/* Flags of MTE1 back to MTE2: A's chunks, the bias, B's chunks. */
constexpr uint32_t MATMUL_A_SLOTS = 3, MATMUL_BIAS_FLAG = 3, MATMUL_B_SLOTS = 4;

/* The chunks of an operand in L1. */
struct matmul_chunks {
    uint8_t *base;
    uint32_t bytes, slots, first_flag, next, current;
    bool used[4], free_set[4];
    uint32_t block[4], chunk[4], rows[4];
};

SA_INLINE void matmul_chunk_in(const matmul_side &s, void *l1, uint32_t nz_rows, uint32_t row,
                               uint32_t rows, uint32_t col, uint32_t cols)
{
    const uint32_t size = 32 / c0_of(s.dtype), blocks = up_to(cols * size, 32) / 32;
    const uint8_t *at = static_cast<const uint8_t *>(s.at);
    if (s.filled) {
        sa_fill_l1(sa_self(), s.dtype, l1, s.value, blocks, nz_rows * 32, 0);
    } else if (s.nz) {
        sa_copy_l1_2d(sa_self(), l1, nz_rows * 32,
                      at + ((int64_t)(col * size / 32) * s.pitch + row) * 32, s.pitch * 32, blocks,
                      up_to(rows, 16) * 32);
    } else {
        sa_nd2nz(sa_self(), s.dtype, l1, nz_rows, at + ((int64_t)row * s.pitch + col) * size,
                 s.pitch, rows, cols);
    }
}

/* The chunk of `block` (of m or n: from `lane`, `lanes`) that begins at k0, in L1. */
SA_INLINE void matmul_need(const matmul_product &p, const matmul_side &s, matmul_chunks &c,
                           bool rows_are_lanes, uint32_t block, uint32_t lane, uint32_t lanes,
                           uint32_t k0)
{
    const uint32_t chunk = k0 / s.chunk_k, kc = less(s.chunk_k, p.k - k0);
    uint32_t slot = 0;
    while (slot < c.slots && !(c.used[slot] && c.block[slot] == block && c.chunk[slot] == chunk)) {
        slot++;
    }
    const bool there = slot < c.slots;
    if (!there) {
        slot = c.next;
        c.next = slot + 1 == c.slots ? 0 : slot + 1;
    }
    c.current = slot;
    if (c.free_set[slot]) { /* FREE */
        sa_wait_flag(sa_self(), SA_PIPE_MTE1, SA_PIPE_MTE2, c.first_flag + slot);
        c.free_set[slot] = false;
    }
    if (there) {
        return;
    }
    c.used[slot] = true, c.block[slot] = block, c.chunk[slot] = chunk;
    c.rows[slot] = up_to(rows_are_lanes ? lanes : kc, 16);
    void *l1 = c.base + (uint64_t)slot * c.bytes;
    matmul_chunk_in(s, l1, c.rows[slot], rows_are_lanes ? lane : k0, rows_are_lanes ? lanes : kc,
                    rows_are_lanes ? k0 : lane, rows_are_lanes ? kc : lanes);
    sa_set_flag(sa_self(), SA_PIPE_MTE2, SA_PIPE_MTE1, c.first_flag + slot); /* LOADED */
    sa_wait_flag(sa_self(), SA_PIPE_MTE2, SA_PIPE_MTE1, c.first_flag + slot);
}

SA_INLINE void matmul_release(matmul_chunks &c)
{
    sa_set_flag(sa_self(), SA_PIPE_MTE1, SA_PIPE_MTE2, c.first_flag + c.current);
    c.free_set[c.current] = true;
}

SA_INLINE void matmul_drain(matmul_chunks &c)
{
    for (uint32_t i = 0; i < c.slots; i++) {
        if (c.free_set[i]) {
            sa_wait_flag(sa_self(), SA_PIPE_MTE1, SA_PIPE_MTE2, c.first_flag + i);
        }
    }
}

/* One block's way out of L0C. */
SA_INLINE void matmul_out(const matmul_product &p, const void *l0c, const void *l1_scales,
                          uint32_t number, uint32_t row, uint32_t rows, uint32_t col, uint32_t cols)
{
    const uint32_t size = (uint32_t)sa_dtype_bytes(p.c_dtype), width = size == 1 ? 32 : 16;
    sa_fixpipe_params f = {};
    f.m = rows;
    f.n = cols;
    f.src_stride = up_to(rows, 16);
    f.nz = p.c_nz;
    f.scaled = p.scaled;
    f.scale = p.scale;
    f.scales = p.scales ? l1_scales : nullptr;
    uint8_t *c = static_cast<uint8_t *>(p.c);
    if (p.sequential) {
        c += (uint64_t)(number - p.first) * p.base_m * p.base_n * size;
        row = col = 0;
    }
    const int64_t pitch = !p.sequential ? p.c_pitch : p.c_nz ? up_to(rows, 16) : p.base_n;
    if (p.c_nz) {
        f.dst_stride = (uint32_t)pitch * width * size / 32;
        c += ((int64_t)(col / width) * pitch + row) * width * size;
    } else {
        f.dst_stride = (uint32_t)pitch;
        c += ((int64_t)row * pitch + col) * size;
    }
    if (p.atomic != SA_ATOMIC_NONE) {
        sa_set_atomic(sa_self(), p.atomic, p.c_dtype);
    }
    sa_fixpipe_ext(sa_self(), p.c_dtype, c, false, p.a.dtype == SA_I8 ? SA_I32 : SA_F32, l0c, &f);
    if (p.atomic != SA_ATOMIC_NONE) {
        sa_set_atomic(sa_self(), SA_ATOMIC_NONE, SA_F32);
    }
}

/* Of each buffer beside the chunks, the flag that it is FREE: set at the start, waited for at the
 * end. */
SA_INLINE void matmul_buffers(const matmul_product &p, uint32_t two_l0, uint32_t two_l0c,
                              void (*flag)(sa_core *, sa_pipe, sa_pipe, uint32_t))
{
    sa_core *core = sa_self();
    for (uint32_t i = 0; i < 1 + two_l0; i++) {
        flag(core, SA_PIPE_M, SA_PIPE_MTE1, i);
    }
    for (uint32_t i = 0; i < 1 + two_l0c; i++) {
        flag(core, SA_PIPE_FIX, SA_PIPE_M, i);
    }
    if (p.bias) {
        flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, MATMUL_BIAS_FLAG);
        flag(core, SA_PIPE_M, SA_PIPE_MTE1, 2);
    }
    if (p.scales) {
        flag(core, SA_PIPE_FIX, SA_PIPE_MTE2, 0);
    }
}

/* Runs it, on a cube core. */
SA_INLINE void matmul_run(const matmul_product &p)
{
    sa_core *core = sa_self();
    const uint32_t size = 32 / c0_of(p.a.dtype);
    const uint32_t bytes_l0a = up_to(up_to(p.base_m, 16) * p.base_k * size, 512);
    const uint32_t bytes_l0b = up_to(up_to(p.base_n, 16) * p.base_k * size, 512);
    const uint32_t unit = unit_of(p.a.dtype);
    const uint32_t bytes_l0c = up_to(p.base_m, 16) * up_to(p.base_n, 16) * 4;
    const uint32_t two_l0 = 2 * bytes_l0a <= sa_local_bytes(core, SA_L0A) &&
                            2 * bytes_l0b <= sa_local_bytes(core, SA_L0B);
    const uint32_t two_l0c = 2 * bytes_l0c <= sa_local_bytes(core, SA_L0C);
    const uint32_t blocks_m = (p.m + p.base_m - 1) / p.base_m;
    const uint32_t blocks_n = (p.n + p.base_n - 1) / p.base_n;

    matmul_chunks a = {}, b = {};
    a.slots = p.a.slots;
    b.slots = p.b.slots;
    b.first_flag = MATMUL_BIAS_FLAG + 1;
    a.bytes = up_to(p.base_m, unit) * up_to(p.a.chunk_k, unit) * size;
    b.bytes = up_to(p.base_n, unit) * up_to(p.b.chunk_k, unit) * size;
    a.base = static_cast<uint8_t *>(sa_local(core, SA_L1, up_to(p.l1_used, 32)));
    b.base = a.base + (p.a.in_l1 ? 0 : (uint64_t)a.slots * a.bytes);
    uint8_t *l1_bias = b.base + (p.b.in_l1 ? 0 : (uint64_t)b.slots * b.bytes);
    uint8_t *l1_scales = l1_bias + (p.bias ? up_to(p.base_n * 4, 32) : 0);

    matmul_buffers(p, two_l0, two_l0c, sa_set_flag);

    uint32_t step = 0;
    for (uint32_t i = p.first; i < p.first + p.count; i++) {
        const uint32_t bm = p.n_first ? i / blocks_n : i % blocks_m;
        const uint32_t bn = p.n_first ? i % blocks_n : i / blocks_m;
        const uint32_t m0 = bm * p.base_m, rows = less(p.base_m, p.m - m0);
        const uint32_t n0 = bn * p.base_n, cols = less(p.base_n, p.n - n0);
        const uint32_t half = two_l0c & (i - p.first);
        uint8_t *l0c = static_cast<uint8_t *>(sa_local(core, SA_L0C, half * bytes_l0c));
        void *bt = nullptr;

        if (p.bias) {
            const uint32_t of_bias = (uint32_t)sa_dtype_bytes(p.bias_dtype);
            bt = sa_local(core, SA_BT, 0);
            sa_wait_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, MATMUL_BIAS_FLAG);
            sa_copy_l1(core, l1_bias, static_cast<const uint8_t *>(p.bias) + (uint64_t)n0 * of_bias,
                       cols * of_bias);
            sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE1, MATMUL_BIAS_FLAG);
            sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_MTE1, MATMUL_BIAS_FLAG);
            sa_wait_flag(core, SA_PIPE_M, SA_PIPE_MTE1, 2);
            sa_copy_bt(core, p.a.dtype == SA_I8 ? SA_I32 : SA_F32, bt, p.bias_dtype, l1_bias, cols);
            sa_set_flag(core, SA_PIPE_MTE1, SA_PIPE_MTE2, MATMUL_BIAS_FLAG);
        }
        if (p.scales) {
            sa_wait_flag(core, SA_PIPE_FIX, SA_PIPE_MTE2, 0);
            sa_copy_l1(core, l1_scales, p.scales + n0, cols * 8);
            sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_FIX, 0);
        }

        sa_wait_flag(core, SA_PIPE_FIX, SA_PIPE_M, half); /* the accumulators are FREE */
        for (uint32_t k0 = 0; k0 < p.k; k0 += p.base_k) {
            const uint32_t kc = less(p.base_k, p.k - k0), l0 = two_l0 & step++;
            const uint32_t in_a = k0 % p.a.chunk_k, in_b = k0 % p.b.chunk_k;
            if (!p.a.in_l1 && in_a == 0) {
                matmul_need(p, p.a, a, !p.a.transposed, bm, m0, rows, k0);
            }
            if (!p.b.in_l1 && in_b == 0) {
                matmul_need(p, p.b, b, p.b.transposed, bn, n0, cols, k0);
            }
            const void *l1_a = p.a.in_l1 ? p.a.at : a.base + (uint64_t)a.current * a.bytes;
            const void *l1_b = p.b.in_l1 ? p.b.at : b.base + (uint64_t)b.current * b.bytes;
            const uint32_t rows_a = p.a.in_l1 ? (uint32_t)p.a.pitch : a.rows[a.current];
            const uint32_t rows_b = p.b.in_l1 ? (uint32_t)p.b.pitch : b.rows[b.current];
            const uint32_t from_m = p.a.in_l1 ? m0 : 0, from_n = p.b.in_l1 ? n0 : 0;
            const uint32_t ka = p.a.in_l1 ? k0 : in_a, kb = p.b.in_l1 ? k0 : in_b;
            void *l0a = sa_local(core, SA_L0A, l0 * bytes_l0a);
            void *l0b = sa_local(core, SA_L0B, l0 * bytes_l0b);

            sa_wait_flag(core, SA_PIPE_M, SA_PIPE_MTE1, l0); /* FREE */
            sa_load_l0a(core, p.a.dtype, l0a, l1_a, rows_a, p.a.transposed ? ka : from_m,
                        p.a.transposed ? from_m : ka, rows, kc, p.a.transposed);
            sa_load_l0b(core, p.b.dtype, l0b, l1_b, rows_b, p.b.transposed ? from_n : kb,
                        p.b.transposed ? kb : from_n, kc, cols, p.b.transposed);
            if (!p.a.in_l1 && (in_a + p.base_k >= p.a.chunk_k || k0 + kc == p.k)) {
                matmul_release(a);
            }
            if (!p.b.in_l1 && (in_b + p.base_k >= p.b.chunk_k || k0 + kc == p.k)) {
                matmul_release(b);
            }
            sa_set_flag(core, SA_PIPE_MTE1, SA_PIPE_M, l0); /* LOADED */
            sa_wait_flag(core, SA_PIPE_MTE1, SA_PIPE_M, l0);
            if (p.bias && k0 == 0) {
                sa_mmad_bias(core, p.a.dtype, l0c, l0a, l0b, bt, rows, kc, cols);
                sa_set_flag(core, SA_PIPE_M, SA_PIPE_MTE1, 2);
            } else {
                sa_mmad(core, p.a.dtype, l0c, l0a, l0b, rows, kc, cols, k0 > 0);
            }
            sa_set_flag(core, SA_PIPE_M, SA_PIPE_MTE1, l0);
        }
        sa_set_flag(core, SA_PIPE_M, SA_PIPE_FIX, half); /* added up */
        sa_wait_flag(core, SA_PIPE_M, SA_PIPE_FIX, half);
        if (p.scales) {
            sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_FIX, 0);
        }
        matmul_out(p, l0c, l1_scales, i, m0, rows, n0, cols);
        sa_set_flag(core, SA_PIPE_FIX, SA_PIPE_M, half);
        if (p.scales) {
            sa_set_flag(core, SA_PIPE_FIX, SA_PIPE_MTE2, 0);
        }
    }

    matmul_drain(a);
    matmul_drain(b);
    matmul_buffers(p, two_l0, two_l0c, sa_wait_flag);
}

/* The cube core's half of a mixed kernel: runs what its vector cores hand over until they are done
 * with it. */
SA_INLINE void matmul_serve(const AscendC::TPipe *pipe)
{
    while (sa_request *request = sa_request_take(sa_self())) {
        matmul_product p = *static_cast<const matmul_product *>(request->about);
        const uint32_t used = pipe->used_bytes(SA_L1);
        p.l1_used = p.l1_used > used ? p.l1_used : used;
        matmul_run(p);
        sa_barrier(sa_self(), SA_PIPE_ALL);
        sa_request_answer(sa_self(), request);
    }
}
} // namespace softascend

#endif
