/* Moves by parameter structures, loads by fractals and img2col, biases and FIX, against plain
 * loops: products of small whole numbers are exact in every order. */
#include "harness.h"

static uint64_t seed = 99;

static int below(int n)
{
    return (int)((random64(&seed) >> 33) % (uint64_t)n);
}

static void put_number(sa_dtype dtype, void *p, size_t i, double x)
{
    const format *f = format_of(dtype);
    put_bits(dtype, p, i, f ? encode(f, x, SA_ROUND_RINT) : (uint64_t)(int64_t)x);
}

static double number(sa_dtype dtype, const void *p, size_t i)
{
    return (double)value_of(dtype, bits_at(dtype, p, i));
}

/* ---- padded rows */

typedef struct pad_case {
    sa_dtype dtype;
    uint32_t rows, row_bytes, gm_gap, ub_gap_blocks, left, right;
} pad_case;

static const pad_case pads[] = {
    {SA_F32, 1, 4, 0, 0, 0, 7},    {SA_F16, 3, 14, 5, 1, 0, 9}, {SA_I8, 4, 33, 3, 0, 5, 11},
    {SA_F32, 5, 100, 60, 2, 3, 4}, {SA_I16, 2, 62, 0, 0, 1, 0}, {SA_F32, 2, 20, 0, 0, 0, 0},
    {SA_I32, 1, 128, 0, 0, 2, 2},
};

static void pad_kernel(sa_core *core, void *args)
{
    const pad_case *c = args;
    uint32_t size = (uint32_t)sa_dtype_bytes(c->dtype);
    uint32_t row = c->left * size + c->row_bytes + c->right * size;
    uint32_t pitch = (row + 31) / 32 * 32 + c->ub_gap_blocks * 32;
    static uint8_t gm[4096];
    for (int i = 0; i < 4096; i++)
        gm[i] = (uint8_t)(i * 7 + 1);
    uint8_t *ub = sa_alloc(core, SA_UB, 4096);
    memset(ub, 0xEE, 4096);
    sa_pad_rows p = {
        c->rows, c->row_bytes, (int64_t)c->row_bytes + c->gm_gap, pitch, c->left, c->right, -3};
    sa_copy_in_pad(core, c->dtype, ub, gm + 1, &p);
    for (uint32_t r = 0; r < c->rows; r++)
        for (uint32_t i = 0; i < pitch; i++) {
            uint8_t got = ub[r * pitch + i], want = 0xEE, three[4];
            put_number(c->dtype, three, 0, -3);
            uint32_t left = c->left * size;
            if (i < left)
                want = three[i % size];
            else if (i < left + c->row_bytes)
                want = gm[1 + r * (c->row_bytes + c->gm_gap) + i - left];
            else if (i < row)
                want = three[(i - left - c->row_bytes) % size];
            if (got != want)
                fail_msg("row %u of %u bytes: byte %u is %02x, not %02x", r, c->row_bytes, i, got,
                         want);
        }
}

static void rows_are_padded(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(pads); i++) {
        sa_error error;
        if (run_kernel(pad_kernel, (void *)&pads[i], 1, SA_AIV, &error) != SA_OK)
            fail_msg("%s", error.message);
    }
}

/* ---- ND -> NZ by Nd2NzParams */

static void nd2nz_kernel(sa_core *core, void *args)
{
    (void)args;
    static const sa_dtype types[] = {SA_F32, SA_F16, SA_I8};
    static uint8_t gm[64 << 10], want[64 << 10];
    uint8_t *l1 = sa_alloc(core, SA_L1, 64 << 10);
    for (int pass = 0; pass < 60; pass++) {
        sa_dtype t = types[below(3)];
        uint32_t size = (uint32_t)sa_dtype_bytes(t), c0 = 32 / size;
        sa_nd2nz_params p = {.nd = 1 + (uint32_t)below(3),
                             .n = 1 + (uint32_t)below(20),
                             .d = 1 + (uint32_t)below(70)};
        p.src_d = p.d + (uint32_t)below(5);
        p.src_nd_stride = p.n * p.src_d + (uint32_t)below(9);
        p.dst_n_stride = 1 + (uint32_t)below(2);
        p.dst_c0_stride = p.n * p.dst_n_stride + (uint32_t)below(3);
        uint32_t blocks = (p.d + c0 - 1) / c0;
        p.dst_nz_stride = blocks * p.dst_c0_stride * c0;
        for (size_t i = 0; i < sizeof gm; i++)
            gm[i] = (uint8_t)random64(&seed);
        memset(l1, 0xEE, 64 << 10);
        memset(want, 0xEE, 64 << 10);
        for (uint32_t m = 0; m < p.nd; m++)
            for (uint32_t r = 0; r < p.n; r++)
                for (uint32_t c = 0; c < blocks * c0; c++) {
                    size_t to = m * p.dst_nz_stride +
                                (c / c0 * p.dst_c0_stride + r * p.dst_n_stride) * c0 + c % c0;
                    size_t from = m * (size_t)p.src_nd_stride + r * (size_t)p.src_d + c;
                    put_bits(t, want, to, c < p.d ? bits_at(t, gm, from) : 0);
                }
        sa_nd2nz_ext(core, t, l1, gm, &p);
        assert_memory_equal(l1, want, 64 << 10);
    }
}

static void matrices_become_nz(void **state)
{
    (void)state;
    sa_error error;
    if (run_kernel(nd2nz_kernel, NULL, 1, SA_AIC, &error) != SA_OK)
        fail_msg("%s", error.message);
}

/* ---- products through every kind of load */

typedef enum how { BY_2D, BY_TRANSPOSE, BY_3D } how;

typedef struct product {
    sa_dtype dtype;
    how how;
    bool bias;
    uint32_t m, k, n;
} product;

static const product products[] = {
    {SA_F16, BY_2D, false, 32, 48, 64},        {SA_BF16, BY_2D, true, 16, 32, 16},
    {SA_F16, BY_TRANSPOSE, false, 16, 48, 32}, {SA_I8, BY_TRANSPOSE, true, 32, 64, 64},
    {SA_F32, BY_TRANSPOSE, false, 16, 32, 16}, {SA_F32, BY_3D, true, 32, 24, 32},
    {SA_F16, BY_3D, false, 32, 48, 32},        {SA_I8, BY_3D, false, 32, 64, 32},
    {SA_F16, BY_3D, true, 16, 16, 48},
};

/* Where NZ with `rows` rows has (r, c). */
static size_t nz(sa_dtype t, uint32_t rows, uint32_t r, uint32_t c)
{
    uint32_t c0 = 32 / (uint32_t)sa_dtype_bytes(t);
    return (c / c0 * (size_t)rows + r) * c0 + c % c0;
}

static void product_kernel(sa_core *core, void *args)
{
    const product *x = args;
    sa_dtype t = x->dtype, sum = t == SA_I8 ? SA_I32 : SA_F32;
    uint32_t size = (uint32_t)sa_dtype_bytes(t), c0 = 32 / size, m = x->m, k = x->k, n = x->n;
    static double a[64 * 64], b[64 * 64], bias[64];
    uint8_t *la = sa_alloc(core, SA_L1, 16 << 10), *lb = sa_alloc(core, SA_L1, 16 << 10);
    uint8_t *lbias = sa_alloc(core, SA_L1, 256);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < k; j++)
            put_number(t, la, nz(t, m, i, j), a[i * 64 + j] = below(15) - 7);
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < n; j++)
            put_number(t, lb, nz(t, k, i, j), b[i * 64 + j] = below(15) - 7);
    for (uint32_t j = 0; j < n; j++)
        put_number(t == SA_BF16 ? SA_BF16 : sum, lbias, j, bias[j] = below(100) - 50);
    void *l0a = sa_alloc(core, SA_L0A, 32 << 10), *l0b = sa_alloc(core, SA_L0B, 32 << 10);
    void *l0c = sa_alloc(core, SA_L0C, 32 << 10), *bt = sa_alloc(core, SA_BT, 256);

    /* A: fractals of a row block lie m/16 apart in L1, side by side in L0A */
    for (uint32_t i = 0; i < m / 16 && x->how != BY_3D; i++) {
        sa_load2d p = {.start = i, .times = k / c0, .src_stride = m / 16};
        sa_load_2d(core, t, SA_L0A, (uint8_t *)l0a + i * (k / c0) * 512, la, &p);
    }
    /* B: row blocks of C0 */
    for (uint32_t i = 0; i < k / c0 && x->how != BY_3D; i++) {
        uint8_t *to = (uint8_t *)l0b + i * (n / 16) * 512;
        if (x->how == BY_2D) {
            sa_load2d p = {.start = i, .times = n / 16, .src_stride = k / 16, .transpose = true};
            sa_load_2d(core, t, SA_L0B, to, lb, &p);
        } else if (size == 2) {
            sa_load_transpose p = {.start = i, .times = n / 16, .src_stride = k / 16};
            sa_load_transposed(core, t, SA_L0B, to, lb, &p);
        } else if (size == 1) { /* squares of 32 x 32 are two fractals in L1 and two along n */
            sa_load_transpose p = {.start = i, .times = n / 32, .src_stride = k / 32, .dst_gap = 1};
            sa_load_transposed(core, t, SA_L0B, to, lb, &p);
        } else { /* B of 16 rows a part: 16 x 16 are two fractals side by side */
            for (uint32_t j = 0; j < n / 16 && i % 2 == 0; j++) {
                uint8_t *square = sa_local(core, SA_L1, 40 << 10);
                for (uint32_t r = 0; r < 16; r++)
                    for (uint32_t c = 0; c < 16; c++)
                        put_number(t, square, nz(t, 16, r, c), b[(i * 8 + r) * 64 + j * 16 + c]);
                sa_load_transpose p = {.times = 1, .dst_frac_gap = n / 16 - 1};
                sa_load_transposed(core, t, SA_L0B, to + j * 512, square, &p);
            }
        }
    }
    if (x->how == BY_3D) { /* a map of 1 x 1 filters: [C1][h * w][C0] is NZ */
        sa_load3d pa = {.h = 2,
                        .w = m / 2,
                        .channels = k,
                        .k = k,
                        .m = m,
                        .stride_w = 1,
                        .stride_h = 1,
                        .filter_w = 1,
                        .filter_h = 1,
                        .dilation_w = 1,
                        .dilation_h = 1};
        sa_load_3d(core, t, SA_L0A, l0a, la, &pa);
        sa_load3d pb = pa;
        pb.h = 1, pb.w = k, pb.channels = n, pb.k = n, pb.m = k;
        sa_load_3d(core, t, SA_L0B, l0b, lb, &pb);
    }
    if (x->bias) {
        sa_copy_bt(core, sum, bt, t == SA_BF16 ? SA_BF16 : sum, lbias, n);
        sa_mmad_bias(core, t, l0c, l0a, l0b, bt, m, k, n);
    } else {
        sa_mmad(core, t, l0c, l0a, l0b, m, k, n, false);
    }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
            double want = x->bias ? bias[j] : 0;
            for (uint32_t l = 0; l < k; l++)
                want += a[i * 64 + l] * b[l * 64 + j];
            double got = number(sum, l0c, (j / 16 * (size_t)m + i) * 16 + j % 16);
            if (got != want)
                fail_msg("%s, load %d, [%u, %u, %u]: (%u, %u) is %g, not %g", sa_dtype_name(t),
                         (int)x->how, m, k, n, i, j, got, want);
        }
}

static void products_by_every_load(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(products); i++) {
        sa_error error;
        if (run_kernel(product_kernel, (void *)&products[i], 1, SA_AIC, &error) != SA_OK)
            fail_msg("%s", error.message);
    }
}

/* ---- a convolution: 3 x 3, stride 2, padded */

static void conv_kernel(sa_core *core, void *args)
{
    (void)args;
    enum { H = 7, W = 9, C = 16, HO = 4, WO = 5, K = 9 * C, M = HO * WO };
    static double map[H][W][C], weights[K][16];
    uint8_t *l1 = sa_alloc(core, SA_L1, 32 << 10), *lw = sa_alloc(core, SA_L1, 32 << 10);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < C; c++)
                put_number(SA_F16, l1, (size_t)((y * W + x) * C + c), map[y][x][c] = below(9) - 4);
    for (uint32_t i = 0; i < K; i++)
        for (uint32_t j = 0; j < 16; j++)
            put_number(SA_F16, lw, nz(SA_F16, K, i, j), weights[i][j] = below(9) - 4);
    void *l0a = sa_alloc(core, SA_L0A, 32 << 10), *l0b = sa_alloc(core, SA_L0B, 32 << 10);
    float *l0c = sa_alloc(core, SA_L0C, 8 << 10);
    sa_load3d p = {.pad = {1, 1, 1, 1},
                   .h = H,
                   .w = W,
                   .channels = C,
                   .k = K,
                   .m = M,
                   .stride_w = 2,
                   .stride_h = 2,
                   .filter_w = 3,
                   .filter_h = 3,
                   .dilation_w = 1,
                   .dilation_h = 1};
    sa_load_3d(core, SA_F16, SA_L0A, l0a, l1, &p);
    sa_load_l0b(core, SA_F16, l0b, lw, K, 0, 0, K, 16, false);
    sa_mmad(core, SA_F16, l0c, l0a, l0b, M, K, 16, false);
    for (int o = 0; o < M; o++)
        for (int j = 0; j < 16; j++) {
            double want = 0;
            for (int kh = 0; kh < 3; kh++)
                for (int kw = 0; kw < 3; kw++) {
                    int y = o / WO * 2 + kh - 1, x = o % WO * 2 + kw - 1;
                    for (int c = 0; c < C && y >= 0 && x >= 0 && y < H && x < W; c++)
                        want += map[y][x][c] * weights[(kh * 3 + kw) * C + c][j];
                }
            if (l0c[o * 16 + j] != want)
                fail_msg("(%d, %d) is %g, not %g", o, j, (double)l0c[o * 16 + j], want);
        }
}

static void img2col_convolves(void **state)
{
    (void)state;
    sa_error error;
    if (run_kernel(conv_kernel, NULL, 1, SA_AIC, &error) != SA_OK)
        fail_msg("%s", error.message);
}

/* ---- FIX */

static void fix_kernel(sa_core *core, void *args)
{
    (void)args;
    static const sa_dtype outs[] = {SA_F32, SA_F16, SA_BF16, SA_I32, SA_I8};
    static uint8_t gm[64 << 10], want[64 << 10];
    uint8_t *l0c = sa_alloc(core, SA_L0C, 64 << 10);
    uint8_t *l1 = sa_alloc(core, SA_L1, 64 << 10), *scales = sa_alloc(core, SA_L1, 1024);
    for (int pass = 0; pass < 200; pass++) {
        sa_dtype to = outs[below(5)], from = to == SA_I32 || below(3) == 0 ? SA_I32 : SA_F32;
        uint32_t size = (uint32_t)sa_dtype_bytes(to), width = size == 1 ? 32 : 16;
        sa_fixpipe_params p = {.n = 1 + (uint32_t)below(60), .m = 1 + (uint32_t)below(40)};
        bool atomic = below(4) == 0, to_l1 = !atomic && below(2);
        p.nz = below(2);
        p.src_stride = (p.m + 15) / 16 * 16 + (uint32_t)below(2) * 16;
        p.relu = below(2);
        p.scaled = from == SA_I32 && to != SA_I32 ? true : below(3) == 0;
        p.scale = 0.5;
        bool vector = p.scaled && below(2);
        p.scales = vector ? scales : NULL;
        p.nd = p.nz ? 1 : 1 + (uint32_t)below(2);
        p.src_nd_stride = (p.n + 15) / 16 * p.src_stride;
        p.dst_stride = p.nz ? p.m * width * size / 32 : p.n + (uint32_t)below(5);
        p.dst_nd_stride = p.m * p.dst_stride + (uint32_t)below(7);
        for (uint32_t i = 0; i < 128; i++) {
            float s = i % 2 ? 0.25f : 2;
            memset(scales + 8 * i, 0, 8);
            memcpy(scales + 8 * i, &s, 4);
        }
        for (uint32_t i = 0; i < 16 << 10; i++)
            put_number(from, l0c, i, below(2001) - 1000);
        for (uint32_t i = 0; i < sizeof gm / size; i++)
            put_number(to, gm, i, 1);
        memcpy(want, gm, sizeof gm);
        memcpy(l1, gm, sizeof gm);
        const format *f = format_of(to);
        for (uint32_t d = 0; d < p.nd; d++)
            for (uint32_t r = 0; r < p.m; r++)
                for (uint32_t c = 0; c < (p.nz ? (p.n + width - 1) / width * width : p.n); c++) {
                    double v = 0;
                    if (c < p.n) {
                        v = number(from, l0c,
                                   (d * (size_t)p.src_nd_stride + c / 16 * p.src_stride + r) * 16 +
                                       c % 16);
                        v *= !p.scaled ? 1 : !vector ? 0.5 : c % 2 ? 0.25 : 2;
                        v = p.relu && v < 0 ? 0 : v;
                    }
                    if (!f)
                        v = nearbyint(v);
                    if (to == SA_I8)
                        v = v > 127 ? 127 : v < -128 ? -128 : v;
                    size_t at =
                        p.nz ? c / width * (size_t)p.dst_stride * 32 / size + r * width + c % width
                             : d * (size_t)p.dst_nd_stride + r * (size_t)p.dst_stride + c;
                    if (f && atomic) /* it is rounded before it is combined */
                        v = (double)decode(f, encode(f, v, SA_ROUND_RINT));
                    if (atomic) {
                        v += 1;
                        v = to == SA_I8 && v > 127 ? v - 256 : v;
                    }
                    put_number(to, want, at, v);
                }
        if (atomic)
            sa_set_atomic(core, SA_ATOMIC_ADD, to);
        sa_fixpipe_ext(core, to, to_l1 ? l1 : gm, to_l1, from, l0c, &p);
        sa_set_atomic(core, SA_ATOMIC_NONE, to);
        const uint8_t *got = to_l1 ? l1 : gm;
        for (size_t i = 0; i < sizeof gm / size; i++)
            if (number(to, got, i) != number(to, want, i))
                fail_msg("pass %d, %s to %s, nz %d relu %d scaled %d vector %d atomic %d [%u, %u]: "
                         "element %zu is %g, not %g",
                         pass, sa_dtype_name(from), sa_dtype_name(to), p.nz, p.relu, p.scaled,
                         vector, atomic, p.m, p.n, i, number(to, got, i), number(to, want, i));
    }
}

static void fix_converts(void **state)
{
    (void)state;
    sa_error error;
    if (run_kernel(fix_kernel, NULL, 1, SA_AIC, &error) != SA_OK)
        fail_msg("%s", error.message);
}

/* ---- what lies outside is named */

static void outside_kernel(sa_core *core, void *args)
{
    int which = *(int *)args;
    uint8_t *l1 = sa_local(core, SA_L1, 0), *l0b = sa_local(core, SA_L0B, 0);
    sa_load2d p = {.start = 1020, .times = 8, .src_stride = 1};
    sa_load2d far = {.times = 2, .src_stride = 1, .dst_gap = 127};
    if (which == 0)
        sa_load_2d(core, SA_F16, SA_L0B, l0b, l1, &p);
    else if (which == 1)
        sa_load_2d(core, SA_F16, SA_L0B, l0b, l1, &far);
    else
        sa_load_2d(core, SA_F16, SA_UB, l0b, l1, &far);
}

static void loads_are_checked(void **state)
{
    (void)state;
    static const char *const says[] = {
        ("load_2d reads 4096 bytes at L1+522240, which has 524288 (past the end by 2048) at "
         "moves_te"),
        "load_2d writes 66048 bytes at L0B+0, which has 65536 (past the end by 512)",
        "to memory 1; takes L0A and L0B",
    };
    for (int i = 0; i < 3; i++) {
        sa_error error;
        assert_int_equal(run_kernel(outside_kernel, &i, 1, SA_AIC, &error),
                         SA_ERR_AICORE_EXCEPTION);
        if (!strstr(error.message, says[i]))
            fail_msg("'%s' lacks '%s'", error.message, says[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_padded),        cmocka_unit_test(matrices_become_nz),
        cmocka_unit_test(products_by_every_load), cmocka_unit_test(img2col_convolves),
        cmocka_unit_test(fix_converts),           cmocka_unit_test(loads_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
