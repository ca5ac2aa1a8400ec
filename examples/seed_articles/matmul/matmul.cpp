/* C = A B in fp16 with fp32 sums, by the cube: the kernel that the MatMul article sketches, with
 * its names, made right. ../README.md says what was wrong.
 *
 *   ascc matmul.cpp -o matmul && ./matmul 300 200 450 */
#include "../../host.h"
#include "kernel_operator.h"

using namespace AscendC;

/* Two tiles of A and of B fill L0A and L0B (64 KB each), two of C fill L0C (128 KB). */
constexpr uint32_t TILE_M = 128, TILE_N = 128, TILE_K = 128;
constexpr uint32_t FRACTAL = 16; /* the cube multiplies squares of 16 x 16 */

struct MatMulShape {
    uint32_t M, N, K;
    bool transpose_a, transpose_b; /* A lies in GM as [K, M], B as [N, K] */
};

class MatMulKernel
{
  public:
    __aicore__ inline MatMulKernel() {}

    __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, const MatMulShape &shape)
    {
        s = shape;
        aGm.SetGlobalBuffer((__gm__ half *)a, (uint64_t)s.M * s.K);
        bGm.SetGlobalBuffer((__gm__ half *)b, (uint64_t)s.K * s.N);
        cGm.SetGlobalBuffer((__gm__ half *)c, (uint64_t)s.M * s.N);
        pipe.InitBuffer(inQueueA, 2, TILE_M * TILE_K * sizeof(half));
        pipe.InitBuffer(inQueueB, 2, TILE_K * TILE_N * sizeof(half));
        pipe.InitBuffer(cubeQueueA, 2, TILE_M * TILE_K * sizeof(half));
        pipe.InitBuffer(cubeQueueB, 2, TILE_K * TILE_N * sizeof(half));
        pipe.InitBuffer(outQueueC, 2, TILE_M * TILE_N * sizeof(float));
    }

    /* Tiles of C are dealt to the blocks; the last ones of a row or column are smaller. */
    __aicore__ inline void Process()
    {
        const uint32_t loopM = (s.M + TILE_M - 1) / TILE_M, loopN = (s.N + TILE_N - 1) / TILE_N;
        for (uint32_t t = GetBlockIdx(); t < loopM * loopN; t += GetBlockNum()) {
            const uint32_t row = t / loopN * TILE_M, column = t % loopN * TILE_N;
            const uint32_t m = Least(s.M - row, TILE_M), n = Least(s.N - column, TILE_N);
            LocalTensor<float> sums = outQueueC.AllocTensor<float>();
            for (uint32_t at = 0; at < s.K; at += TILE_K) {
                const uint32_t k = Least(s.K - at, TILE_K);
                CopyIn(row, column, at, m, n, k);
                Split(m, n, k);
                Compute(sums, m, n, k, at == 0);
            }
            outQueueC.EnQue<float>(sums);
            CopyOut(row, column, m, n);
        }
    }

  private:
    __aicore__ static inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }
    __aicore__ static inline uint32_t Whole(uint32_t n)
    {
        return (n + FRACTAL - 1) / FRACTAL * FRACTAL;
    }

    /* GM -> L1: `rows` rows of `columns` elements, a row of the matrix apart, become fractals (NZ).
     */
    __aicore__ inline void CopyTile(const LocalTensor<half> &to, const GlobalTensor<half> &from,
                                    uint32_t rows, uint32_t columns, uint32_t pitch)
    {
        Nd2NzParams p;
        p.ndNum = 1;
        p.nValue = rows;
        p.dValue = columns;
        p.srcDValue = pitch;
        p.dstNzC0Stride = Whole(rows);
        p.dstNzNStride = 1;
        DataCopy(to, from, p);
    }

    __aicore__ inline void CopyIn(uint32_t row, uint32_t column, uint32_t at, uint32_t m,
                                  uint32_t n, uint32_t k)
    {
        LocalTensor<half> aLocal = inQueueA.AllocTensor<half>();
        LocalTensor<half> bLocal = inQueueB.AllocTensor<half>();
        if (s.transpose_a) {
            CopyTile(aLocal, aGm[(uint64_t)at * s.M + row], k, m, s.M);
        } else {
            CopyTile(aLocal, aGm[(uint64_t)row * s.K + at], m, k, s.K);
        }
        if (s.transpose_b) {
            CopyTile(bLocal, bGm[(uint64_t)column * s.K + at], n, k, s.K);
        } else {
            CopyTile(bLocal, bGm[(uint64_t)at * s.N + column], k, n, s.N);
        }
        inQueueA.EnQue(aLocal);
        inQueueB.EnQue(bLocal);
    }

    /* L1 -> L0A, L0B, a row of fractals at a time, in the order in which the cube reads. L1 has
     * them column by column, so neighbours of a row are a column apart; where the matrix lies
     * transposed they are neighbours. L0B wants each fractal itself transposed. */
    __aicore__ inline void Split(uint32_t m, uint32_t n, uint32_t k)
    {
        const uint32_t mf = Whole(m) / FRACTAL, nf = Whole(n) / FRACTAL, kf = Whole(k) / FRACTAL;
        LocalTensor<half> a1 = inQueueA.DeQue<half>(), b1 = inQueueB.DeQue<half>();
        LocalTensor<half> a2 = cubeQueueA.AllocTensor<half>(), b2 = cubeQueueB.AllocTensor<half>();
        LoadData2DParams p;
        p.repeatTimes = kf;
        p.srcStride = s.transpose_a ? 1 : mf;
        p.ifTranspose = s.transpose_a;
        for (uint32_t i = 0; i < mf; i++) {
            p.startIndex = s.transpose_a ? i * kf : i;
            LoadData(a2[i * kf * FRACTAL * FRACTAL], a1, p);
        }
        p.repeatTimes = nf;
        p.srcStride = s.transpose_b ? 1 : kf;
        p.ifTranspose = !s.transpose_b;
        for (uint32_t i = 0; i < kf; i++) {
            p.startIndex = s.transpose_b ? i * nf : i;
            LoadData(b2[i * nf * FRACTAL * FRACTAL], b1, p);
        }
        inQueueA.FreeTensor(a1);
        inQueueB.FreeTensor(b1);
        cubeQueueA.EnQue(a2);
        cubeQueueB.EnQue(b2);
    }

    /* The first product of a tile of C overwrites its sums, the others add to them, in fp32. */
    __aicore__ inline void Compute(const LocalTensor<float> &sums, uint32_t m, uint32_t n,
                                   uint32_t k, bool first)
    {
        LocalTensor<half> a2 = cubeQueueA.DeQue<half>(), b2 = cubeQueueB.DeQue<half>();
        MmadParams p;
        p.m = Whole(m); /* rows of zeros and leftovers past m are not copied out; k is exact */
        p.n = n;
        p.k = k;
        p.cmatrixInitVal = first;
        Mmad(sums, a2, b2, p);
        cubeQueueA.FreeTensor(a2);
        cubeQueueB.FreeTensor(b2);
    }

    /* L0C -> GM, once for each tile of C, rounded to fp16 on the way. */
    __aicore__ inline void CopyOut(uint32_t row, uint32_t column, uint32_t m, uint32_t n)
    {
        LocalTensor<float> sums = outQueueC.DeQue<float>();
        FixpipeParamsV220 p;
        p.nSize = n;
        p.mSize = m;
        p.srcStride = Whole(m);
        p.dstStride = s.N;
        p.quantPre = QuantMode_t::F322F16;
        Fixpipe(cGm[(uint64_t)row * s.N + column], sums, p);
        outQueueC.FreeTensor(sums);
    }

    TPipe pipe;
    TQue<TPosition::A1, 2> inQueueA;
    TQue<TPosition::B1, 2> inQueueB;
    TQue<TPosition::A2, 2> cubeQueueA;
    TQue<TPosition::B2, 2> cubeQueueB;
    TQue<TPosition::CO1, 2> outQueueC;
    GlobalTensor<half> aGm, bGm, cGm;
    MatMulShape s;
};

extern "C" __global__ __aicore__ void ascend_matmul_kernel(GM_ADDR a, GM_ADDR b, GM_ADDR c,
                                                           MatMulShape shape)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    MatMulKernel kernel;
    kernel.Init(a, b, c, shape);
    kernel.Process();
}

int main(int argc, char **argv)
{
    example e =
        example_begin(argc, argv, "matmul", "C = A B, each also transposed", "M=300 K=200 N=450",
                      "f16", "K fp32 units of |A| |B|, and the rounding of C");
    const uint64_t m = e.size[0], k = e.size[1], n = e.size[2];
    if (m < 1 || k < 1 || n < 1 || m > 65535 || k > 65535 || n > 65535) {
        fprintf(stderr, "matmul: M, K and N are 1 to 65535\n"); /* a row is at most that far */
        return 2;
    }
    float *a = example_values(&e, m * k, -1, 1), *b = example_values(&e, k * n, -1, 1);
    float *c = example_room(m * n);
    uint8_t *a_gm = (uint8_t *)example_upload(&e, a, m * k);
    uint8_t *b_gm = (uint8_t *)example_upload(&e, b, k * n);

    for (int which = 0; which < 4; which++) {
        const bool ta = which & 1, tb = which & 2;
        uint8_t *c_gm = (uint8_t *)example_output(&e, m * n);
        const MatMulShape shape = {(uint32_t)m, (uint32_t)n, (uint32_t)k, ta, tb};
        ascend_matmul_kernel<<<e.blocks, nullptr, e.stream>>>(a_gm, b_gm, c_gm, shape);
        example_download(&e, c, c_gm, m * n);
        CHECK(aclrtFree(c_gm));

        for (uint64_t i = 0; i < m; i++) {
            for (uint64_t j = 0; j < n; j++) {
                double sum = 0, size = 0;
                for (uint64_t at = 0; at < k; at++) {
                    const double product =
                        (double)a[ta ? at * m + i : i * k + at] * b[tb ? j * k + at : at * n + j];
                    sum += product;
                    size += fabs(product);
                }
                example_expect(&e, i * n + j, c[i * n + j], sum,
                               example_units(&e, (double)k, size, sum));
            }
        }
    }
    CHECK(aclrtFree(a_gm));
    CHECK(aclrtFree(b_gm));
    free(a), free(b), free(c);
    return example_end(&e);
}
