/* The matmul kernel of `./dev bench kernels`: C = A B in half by cube instructions, GM -> L1 (NZ)
 * -> L0A, L0B -> L0C -> GM. A block works down columns of tiles of C, and B stays in L1 while it
 * does. A, L0A and L0B have two buffers: while one is multiplied the next loads. The tile is an
 * argument; m, k and n are multiples of 16. */
#include "kernel_operator.h"

using namespace AscendC;

struct Tile {
    uint32_t m, n, k_b, k_l1, k_l0; /* multiples of 16; k of B in L1, of A in L1, of both in L0 */
};

class KernelMatmul
{
  public:
    __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t k, uint32_t n,
                                const Tile &tile)
    {
        m_ = m, k_ = k, n_ = n, tile_ = tile;
        a_.SetGlobalBuffer((__gm__ half *)a, m * k);
        b_.SetGlobalBuffer((__gm__ half *)b, k * n);
        c_.SetGlobalBuffer((__gm__ half *)c, m * n);
        pipe_.InitBuffer(a1_, 2, tile.m * tile.k_l1 * sizeof(half));
        pipe_.InitBuffer(b1_, 1, tile.k_b * tile.n * sizeof(half));
        pipe_.InitBuffer(a2_, 2, tile.m * tile.k_l0 * sizeof(half));
        pipe_.InitBuffer(b2_, 2, tile.k_l0 * tile.n * sizeof(half));
        pipe_.InitBuffer(co1_, 1, tile.m * tile.n * sizeof(float));
    }
    /* A run of tiles of C, columns first: neighbours need the same B. */
    __aicore__ inline void Process()
    {
        uint32_t rows = (m_ + tile_.m - 1) / tile_.m, cols = (n_ + tile_.n - 1) / tile_.n;
        uint32_t tiles = rows * cols, blocks = GetBlockNum(), block = GetBlockIdx();
        for (uint32_t t = tiles * block / blocks; t < tiles * (block + 1) / blocks; t++) {
            uint32_t row = t % rows * tile_.m, col = t / rows * tile_.n;
            Multiply(row, col, Least(m_ - row, tile_.m), Least(n_ - col, tile_.n));
        }
        if (held_) {
            b1_.FreeTensor(held_b_);
        }
    }

  private:
    __aicore__ static inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

    __aicore__ inline void Multiply(uint32_t row, uint32_t col, uint32_t m, uint32_t n)
    {
        LocalTensor<float> c = co1_.AllocTensor<float>();
        for (uint32_t k = 0; k < k_; k += tile_.k_l1) {
            uint32_t kc = Least(k_ - k, tile_.k_l1), kb = k / tile_.k_b * tile_.k_b;
            uint32_t rows_b = Least(k_ - kb, tile_.k_b);
            HoldB(kb, rows_b, col, n);
            LocalTensor<half> a = a1_.AllocTensor<half>();
            DataCopy(a, a_[(uint64_t)row * k_ + k], Nd2NzParams(1, m, kc, 0, k_, m, 1, 0));
            a1_.EnQue(a);
            a = a1_.DeQue<half>();
            for (uint32_t k0 = 0; k0 < kc; k0 += tile_.k_l0) {
                uint32_t steps = Least(kc - k0, tile_.k_l0);
                Step(c, a[k0 * m], held_b_[(k + k0 - kb) * 16], m, n, steps, rows_b, k + k0 == 0);
            }
            a1_.FreeTensor(a);
        }
        co1_.EnQue(c);
        c = co1_.DeQue<float>();
        FixpipeParamsV220 out(n, m, m, n_, false);
        out.quantPre = F322F16;
        Fixpipe(c_[(uint64_t)row * n_ + col], c, out);
        co1_.FreeTensor(c);
    }

    /* Rows [k, k + rows) of columns [col, col + n) of B in L1, if they are not there yet. */
    __aicore__ inline void HoldB(uint32_t k, uint32_t rows, uint32_t col, uint32_t n)
    {
        if (held_ && held_k_ == k && held_col_ == col) {
            return;
        }
        if (held_) {
            b1_.FreeTensor(held_b_);
        }
        held_b_ = b1_.AllocTensor<half>();
        DataCopy(held_b_, b_[(uint64_t)k * n_ + col], Nd2NzParams(1, rows, n, 0, n_, rows, 1, 0));
        b1_.EnQue(held_b_);
        held_b_ = b1_.DeQue<half>();
        held_ = true, held_k_ = k, held_col_ = col;
    }

    /* k columns of A, k rows of B: where these begin in what L1 holds, B with rows_b rows. */
    __aicore__ inline void Step(const LocalTensor<float> &c, const LocalTensor<half> &a1,
                                const LocalTensor<half> &b1, uint32_t m, uint32_t n, uint32_t k,
                                uint32_t rows_b, bool first)
    {
        LocalTensor<half> a = a2_.AllocTensor<half>(), b = b2_.AllocTensor<half>();
        LoadData2DParams load;
        load.repeatTimes = k / 16; /* a row of fractals of A, one column of NZ after the other */
        load.srcStride = m / 16;
        for (uint32_t i = 0; i < m / 16; i++) {
            LoadData(a[i * 16 * k], a1[i * 256], load);
        }
        load.repeatTimes = n / 16; /* a row of fractals of B, each transposed */
        load.srcStride = rows_b / 16;
        load.ifTranspose = true;
        for (uint32_t i = 0; i < k / 16; i++) {
            LoadData(b[i * 16 * n], b1[i * 256], load);
        }
        a2_.EnQue(a);
        b2_.EnQue(b);
        a = a2_.DeQue<half>();
        b = b2_.DeQue<half>();
        MmadParams product;
        product.m = m, product.n = n, product.k = k;
        product.cmatrixInitVal = first;
        Mmad(c, a, b, product);
        a2_.FreeTensor(a);
        b2_.FreeTensor(b);
    }

    TPipe pipe_;
    TQue<TPosition::A1, 2> a1_;
    TQue<TPosition::B1, 1> b1_;
    TQue<TPosition::A2, 2> a2_;
    TQue<TPosition::B2, 2> b2_;
    TQue<TPosition::CO1, 1> co1_;
    GlobalTensor<half> a_, b_, c_;
    LocalTensor<half> held_b_;
    bool held_ = false;
    uint32_t m_ = 0, k_ = 0, n_ = 0, held_k_ = 0, held_col_ = 0;
    Tile tile_ = {};
};

extern "C" __global__ __aicore__ __cube__ void
matmul_f16(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t k, uint32_t n, Tile tile)
{
    KernelMatmul op;
    op.Init(a, b, c, m, k, n, tile);
    op.Process();
}

/* What the benchmark calls. */
extern "C" void bench_matmul(uint32_t blocks, void *stream, GM_ADDR a, GM_ADDR b, GM_ADDR c,
                             uint32_t m, uint32_t k, uint32_t n, uint32_t tile_m, uint32_t tile_n,
                             uint32_t k_b, uint32_t k_l1, uint32_t k_l0)
{
    matmul_f16<<<blocks, nullptr, stream>>>(a, b, c, m, k, n,
                                            Tile{tile_m, tile_n, k_b, k_l1, k_l0});
}
