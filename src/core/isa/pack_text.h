/* The slot `pack` (isa.h) for a CPU with vectors: rows are copied, columns turned by squares.
 *
 * Whoever includes this text defines vf, VF_LANES, vf_load, vf_load_f16, vf_load_bf16 and vf_store
 * (as isa/vector_text.h) and first:
 *   vf_load_some(p, n), vf_load_some_f16(p, n), vf_load_some_bf16(p, n)
 *                                   the first n lanes, others 0
 *   vf_turn(r)                      VF_LANES vectors in place: rows become columns */

/* Rows that are read side by side: a stream each, and lines written in runs. */
#define PACK_ROWS 8

#define PACK(name, T, load, load_some)                                                             \
    static void pack_rows_##name(float *to, size_t strip, size_t width, const T *from,             \
                                 int64_t pitch, size_t lanes, size_t k)                            \
    {                                                                                              \
        for (size_t p = 0, rows; p < k; p += rows, from += (int64_t)rows * pitch) {                \
            rows = k - p < PACK_ROWS ? k - p : PACK_ROWS;                                          \
            float *at = to + p * width;                                                            \
            for (size_t lane = 0; lane < lanes; lane += width, at += strip) {                      \
                size_t live = lanes - lane < width ? lanes - lane : width;                         \
                for (size_t r = 0; r < rows; r++) {                                                \
                    const T *row = from + (int64_t)r * pitch + lane;                               \
                    float *out = at + r * width;                                                   \
                    size_t i = 0;                                                                  \
                    for (; i + VF_LANES <= live; i += VF_LANES)                                    \
                        vf_store(out + i, load(row + i));                                          \
                    if (i < live)                                                                  \
                        vf_store(out + i, load_some(row + i, live - i));                           \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    /* Up to VF_LANES rows of `ks` <= VF_LANES elements become `ks` vectors. */                    \
    static void pack_square_##name(float *to, size_t width, const T *from, int64_t pitch,          \
                                   size_t lanes, size_t ks)                                        \
    {                                                                                              \
        vf r[VF_LANES];                                                                            \
        for (size_t i = 0; i < VF_LANES; i++) {                                                    \
            const T *row = from + (int64_t)(i < lanes ? i : lanes - 1) * pitch;                    \
            r[i] = ks == VF_LANES ? load(row) : load_some(row, ks);                                \
        }                                                                                          \
        vf_turn(r);                                                                                \
        for (size_t i = 0; i < ks; i++)                                                            \
            vf_store(to + i * width, r[i]);                                                        \
    }                                                                                              \
    static inline void pack_whole_##name(float *to, size_t width, const T *from, int64_t pitch)    \
    {                                                                                              \
        vf r[VF_LANES];                                                                            \
        for (size_t i = 0; i < VF_LANES; i++)                                                      \
            r[i] = load(from + (int64_t)i * pitch);                                                \
        vf_turn(r);                                                                                \
        for (size_t i = 0; i < VF_LANES; i++)                                                      \
            vf_store(to + i * width, r[i]);                                                        \
    }                                                                                              \
    static void pack_##name(float *to, size_t strip, size_t width, const void *source,             \
                            int64_t pitch, size_t lanes, size_t k, bool across)                    \
    {                                                                                              \
        const T *from = source;                                                                    \
        if (!across) {                                                                             \
            pack_rows_##name(to, strip, width, from, pitch, lanes, k);                             \
            return;                                                                                \
        }                                                                                          \
        for (size_t lane = 0; lane < lanes; lane += VF_LANES) {                                    \
            const T *rows = from + (int64_t)lane * pitch;                                          \
            float *out = to + lane / width * strip + lane % width;                                 \
            size_t live = lanes - lane < VF_LANES ? lanes - lane : VF_LANES;                       \
            for (size_t p = 0; p < k; p += VF_LANES) {                                             \
                if (live == VF_LANES && k - p >= VF_LANES)                                         \
                    pack_whole_##name(out + p * width, width, rows + p, pitch);                    \
                else                                                                               \
                    pack_square_##name(out + p * width, width, rows + p, pitch, live,              \
                                       k - p < VF_LANES ? k - p : VF_LANES);                       \
            }                                                                                      \
        }                                                                                          \
    }
PACK(f32, float, vf_load, vf_load_some)
PACK(f16, uint16_t, vf_load_f16, vf_load_some_f16)
PACK(bf16, uint16_t, vf_load_bf16, vf_load_some_bf16)

static void fill_pack(sa_isa *isa)
{
    isa->pack[SA_F32] = pack_f32;
    isa->pack[SA_F16] = pack_f16;
    isa->pack[SA_BF16] = pack_bf16;
}
