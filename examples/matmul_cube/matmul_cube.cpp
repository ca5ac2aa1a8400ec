/* C = A B by cube instructions: DataCopy brings tiles from GM to L1 and makes NZ of rows, LoadData
 * takes fractals on to L0A and L0B, Mmad multiplies and adds up in L0C, Fixpipe takes a tile of C
 * out once, in the type of the inputs. Every level has two buffers, so that the next part comes in
 * while one is multiplied. Any sizes: the edges of tiles are ragged, their fractals whole.
 *
 *   ascc matmul_cube.cpp -o matmul_cube && ./matmul_cube 1000 700 500 --dtype bf16 */
#include "../host.h"
#include "kernel_operator.h"

constexpr uint32_t TILE_M = 128, TILE_N = 256;   /* of C: all of L0C */
constexpr uint32_t STEP_L1 = 256, STEP_L0 = 64;  /* of K: L1 has room for 320, L0A and L0B for 64 */
constexpr uint32_t FRACTAL = 16, ELEMENTS = 256; /* 16 x 16 elements of two bytes */

template <class T>
class KernelMatmul
{
  public:
    __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t k, uint32_t n)
    {
        m_ = m, k_ = k, n_ = n;
        a_.SetGlobalBuffer((__gm__ T *)a, (uint64_t)m * k);
        b_.SetGlobalBuffer((__gm__ T *)b, (uint64_t)k * n);
        c_.SetGlobalBuffer((__gm__ T *)c, (uint64_t)m * n);
        pipe_.InitBuffer(a1_, 2, TILE_M * STEP_L1 * sizeof(T));
        pipe_.InitBuffer(b1_, 2, STEP_L1 * TILE_N * sizeof(T));
        pipe_.InitBuffer(a2_, 2, TILE_M * STEP_L0 * sizeof(T));
        pipe_.InitBuffer(b2_, 2, STEP_L0 * TILE_N * sizeof(T));
        pipe_.InitBuffer(co1_, 1, TILE_M * TILE_N * sizeof(float));
    }

    /* Tiles of C, columns first: neighbours read the same B. */
    __aicore__ inline void Process()
    {
        const uint32_t high = Ceil(m_, TILE_M), wide = Ceil(n_, TILE_N);
        for (uint32_t t = AscendC::GetBlockIdx(); t < high * wide; t += AscendC::GetBlockNum()) {
            const uint32_t row = t % high * TILE_M, col = t / high * TILE_N;
            Tile(row, col, Least(m_ - row, TILE_M), Least(n_ - col, TILE_N));
        }
    }

  private:
    __aicore__ static inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }
    __aicore__ static inline uint32_t Ceil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
    __aicore__ static inline uint32_t Whole(uint32_t a) { return Ceil(a, FRACTAL) * FRACTAL; }

    __aicore__ inline void Tile(uint32_t row, uint32_t col, uint32_t m, uint32_t n)
    {
        AscendC::LocalTensor<float> c = co1_.template AllocTensor<float>();
        for (uint32_t k = 0; k < k_; k += STEP_L1) {
            CopyIn(row, col, k, m, n, Least(k_ - k, STEP_L1));
            AscendC::LocalTensor<T> a = a1_.template DeQue<T>(), b = b1_.template DeQue<T>();
            for (uint32_t in = 0; in < Least(k_ - k, STEP_L1); in += STEP_L0) {
                Load(a, b, in, m, n, Least(k_ - k, STEP_L1));
                Multiply(c, m, n, Least(k_ - k - in, STEP_L0), k + in == 0);
            }
            a1_.FreeTensor(a);
            b1_.FreeTensor(b);
        }
        co1_.EnQue(c);
        CopyOut(row, col, m, n);
    }

    /* GM -> L1: rows become NZ, column blocks of 16 elements, each with all rows. */
    __aicore__ inline void CopyIn(uint32_t row, uint32_t col, uint32_t k, uint32_t m, uint32_t n,
                                  uint32_t depth)
    {
        AscendC::LocalTensor<T> a = a1_.template AllocTensor<T>(),
                                b = b1_.template AllocTensor<T>();
        AscendC::Nd2NzParams of_a(1, m, depth, 0, k_, Whole(m), 1, 0);
        AscendC::Nd2NzParams of_b(1, depth, n, 0, n_, Whole(depth), 1, 0);
        AscendC::DataCopy(a, a_[(uint64_t)row * k_ + k], of_a);
        AscendC::DataCopy(b, b_[(uint64_t)k * n_ + col], of_b);
        a1_.EnQue(a);
        b1_.EnQue(b);
    }

    /* L1 -> L0: L0A has its fractals row by row, L0B too, each of B's turned. `in`: where on K. */
    __aicore__ inline void Load(const AscendC::LocalTensor<T> &a1,
                                const AscendC::LocalTensor<T> &b1, uint32_t in, uint32_t m,
                                uint32_t n, uint32_t depth)
    {
        const uint32_t k = Least(depth - in, STEP_L0);
        AscendC::LocalTensor<T> a = a2_.template AllocTensor<T>(),
                                b = b2_.template AllocTensor<T>();
        AscendC::LoadData2DParams along;
        along.repeatTimes = Ceil(k, FRACTAL);
        along.srcStride = Ceil(m, FRACTAL);
        for (uint32_t i = 0; i < Ceil(m, FRACTAL); i++) {
            AscendC::LoadData(a[i * Whole(k) * FRACTAL], a1[in * Whole(m) + i * ELEMENTS], along);
        }
        along.repeatTimes = Ceil(n, FRACTAL);
        along.srcStride = Ceil(depth, FRACTAL);
        along.ifTranspose = true;
        for (uint32_t i = 0; i < Ceil(k, FRACTAL); i++) {
            AscendC::LoadData(b[i * Whole(n) * FRACTAL], b1[in * FRACTAL + i * ELEMENTS], along);
        }
        a2_.EnQue(a);
        b2_.EnQue(b);
    }

    __aicore__ inline void Multiply(const AscendC::LocalTensor<float> &c, uint32_t m, uint32_t n,
                                    uint32_t k, bool first)
    {
        AscendC::LocalTensor<T> a = a2_.template DeQue<T>(), b = b2_.template DeQue<T>();
        AscendC::MmadParams product;
        product.m = m, product.n = n, product.k = k;
        product.cmatrixInitVal = first; /* else it adds to what L0C holds */
        AscendC::Mmad(c, a, b, product);
        a2_.FreeTensor(a);
        b2_.FreeTensor(b);
    }

    /* L0C -> GM: NZ becomes rows, fp32 becomes T. */
    __aicore__ inline void CopyOut(uint32_t row, uint32_t col, uint32_t m, uint32_t n)
    {
        AscendC::LocalTensor<float> c = co1_.template DeQue<float>();
        AscendC::FixpipeParamsV220 out(n, m, Whole(m), n_, false);
        out.quantPre = std::is_same_v<T, half> ? F322F16 : F322BF16;
        AscendC::Fixpipe(c_[(uint64_t)row * n_ + col], c, out);
        co1_.FreeTensor(c);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::A1, 2> a1_;
    AscendC::TQue<AscendC::TPosition::B1, 2> b1_;
    AscendC::TQue<AscendC::TPosition::A2, 2> a2_;
    AscendC::TQue<AscendC::TPosition::B2, 2> b2_;
    AscendC::TQue<AscendC::TPosition::CO1, 1> co1_;
    AscendC::GlobalTensor<T> a_, b_, c_;
    uint32_t m_, k_, n_;
};

extern "C" __global__ __aicore__ __cube__ void matmul_f16(GM_ADDR a, GM_ADDR b, GM_ADDR c,
                                                          uint32_t m, uint32_t k, uint32_t n)
{
    KernelMatmul<half> op;
    op.Init(a, b, c, m, k, n);
    op.Process();
}

extern "C" __global__ __aicore__ __cube__ void matmul_bf16(GM_ADDR a, GM_ADDR b, GM_ADDR c,
                                                           uint32_t m, uint32_t k, uint32_t n)
{
    KernelMatmul<bfloat16_t> op;
    op.Init(a, b, c, m, k, n);
    op.Process();
}

int main(int argc, char **argv)
{
    example e = example_begin(argc, argv, "matmul_cube", "C = A B", "M=300 K=500 N=400", "f16|bf16",
                              "K roundings of fp32, one of the result");
    const uint32_t m = (uint32_t)e.size[0], k = (uint32_t)e.size[1], n = (uint32_t)e.size[2];
    float *a = example_values(&e, (uint64_t)m * k, -1, 1);
    float *b = example_values(&e, (uint64_t)k * n, -1, 1), *c = example_room((uint64_t)m * n);
    uint8_t *a_gm = (uint8_t *)example_upload(&e, a, (uint64_t)m * k);
    uint8_t *b_gm = (uint8_t *)example_upload(&e, b, (uint64_t)k * n);
    uint8_t *c_gm = (uint8_t *)example_output(&e, (uint64_t)m * n);

    if (e.f16) {
        matmul_f16<<<e.blocks, nullptr, e.stream>>>(a_gm, b_gm, c_gm, m, k, n);
    } else {
        matmul_bf16<<<e.blocks, nullptr, e.stream>>>(a_gm, b_gm, c_gm, m, k, n);
    }
    example_download(&e, c, c_gm, (uint64_t)m * n);

    for (uint64_t i = 0; i < (uint64_t)m * n; i++) {
        double sum = 0, size = 0;
        for (uint32_t at = 0; at < k; at++) {
            const double product = (double)a[i / n * k + at] * (double)b[(uint64_t)at * n + i % n];
            sum += product, size += fabs(product);
        }
        example_expect(&e, i, c[i], sum, example_units(&e, k, size, sum));
    }
    CHECK(aclrtFree(a_gm));
    CHECK(aclrtFree(b_gm));
    CHECK(aclrtFree(c_gm));
    free(a), free(b), free(c);
    return example_end(&e);
}
