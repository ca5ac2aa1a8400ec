/* C = A B on the cube, in fp16 or bfloat16 with sums in fp32: tiles of C are dealt to the blocks,
 * one tile's sums stay in L0C until they are whole. What ../custom_op and the op of this folder
 * launch. */
#ifndef EXAMPLE_MATMUL_KERNEL_H
#define EXAMPLE_MATMUL_KERNEL_H

#include "kernel_operator.h"

#include <type_traits>

template <class T>
class MatmulKernel
{
  public:
    /* a is [m, k], or [k, m] if a_turned; b is [k, n], or [n, k] if b_turned; c is [m, n] */
    __aicore__ inline MatmulKernel(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t k,
                                   uint32_t n, bool a_turned, bool b_turned)
        : m_(m), k_(k), n_(n), a_turned_(a_turned), b_turned_(b_turned)
    {
        a_.SetGlobalBuffer((__gm__ T *)a, (uint64_t)m * k);
        b_.SetGlobalBuffer((__gm__ T *)b, (uint64_t)k * n);
        c_.SetGlobalBuffer((__gm__ T *)c, (uint64_t)m * n);
        pipe_.InitBuffer(l1_a_, 2, TILE * TILE * sizeof(T));
        pipe_.InitBuffer(l1_b_, 2, TILE * TILE * sizeof(T));
        pipe_.InitBuffer(l0_a_, 2, TILE * TILE * sizeof(T));
        pipe_.InitBuffer(l0_b_, 2, TILE * TILE * sizeof(T));
        pipe_.InitBuffer(l0_c_, 2, TILE * TILE * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        const uint32_t rows = (m_ + TILE - 1) / TILE, columns = (n_ + TILE - 1) / TILE;
        for (uint32_t t = AscendC::GetBlockIdx(); t < rows * columns; t += AscendC::GetBlockNum()) {
            const uint32_t row = t / columns * TILE, column = t % columns * TILE;
            const uint32_t m = Least(m_ - row), n = Least(n_ - column);
            AscendC::LocalTensor<float> sums = l0_c_.AllocTensor<float>();
            for (uint32_t at = 0; at < k_; at += TILE) {
                const uint32_t k = Least(k_ - at);
                CopyIn(row, column, at, m, n, k);
                Split(m, n, k);
                Multiply(sums, m, n, k, at == 0);
            }
            l0_c_.EnQue(sums);
            CopyOut(row, column, m, n);
        }
    }

  private:
    static constexpr uint32_t TILE = 128, FRACTAL = 16; /* two tiles fill L0A, L0B and L0C each */

    __aicore__ static inline uint32_t Least(uint32_t rest) { return rest < TILE ? rest : TILE; }
    __aicore__ static inline uint32_t Fractals(uint32_t n) { return (n + FRACTAL - 1) / FRACTAL; }

    /* GM -> L1: rows of `pitch` elements become fractals */
    __aicore__ inline void CopyTile(const AscendC::LocalTensor<T> &to,
                                    const AscendC::GlobalTensor<T> &from, uint32_t rows,
                                    uint32_t columns, uint32_t pitch)
    {
        const uint16_t whole = Fractals(rows) * FRACTAL;
        AscendC::DataCopy(to, from, AscendC::Nd2NzParams(1, rows, columns, 0, pitch, whole, 1, 0));
    }

    __aicore__ inline void CopyIn(uint32_t row, uint32_t column, uint32_t at, uint32_t m,
                                  uint32_t n, uint32_t k)
    {
        AscendC::LocalTensor<T> a = l1_a_.template AllocTensor<T>();
        AscendC::LocalTensor<T> b = l1_b_.template AllocTensor<T>();
        if (a_turned_) {
            CopyTile(a, a_[(uint64_t)at * m_ + row], k, m, m_);
        } else {
            CopyTile(a, a_[(uint64_t)row * k_ + at], m, k, k_);
        }
        if (b_turned_) {
            CopyTile(b, b_[(uint64_t)column * k_ + at], n, k, k_);
        } else {
            CopyTile(b, b_[(uint64_t)at * n_ + column], k, n, n_);
        }
        l1_a_.EnQue(a);
        l1_b_.EnQue(b);
    }

    /* L1 -> L0A and L0B, row by row of fractals, which L1 has column by column. The cube wants B's
     * fractals turned; an operand that lies turned in GM needs the opposite. */
    __aicore__ inline void Split(uint32_t m, uint32_t n, uint32_t k)
    {
        AscendC::LocalTensor<T> a1 = l1_a_.template DeQue<T>(), b1 = l1_b_.template DeQue<T>();
        AscendC::LocalTensor<T> a2 = l0_a_.template AllocTensor<T>();
        AscendC::LocalTensor<T> b2 = l0_b_.template AllocTensor<T>();
        LoadRows(a2, a1, Fractals(m), Fractals(k), a_turned_, a_turned_);
        LoadRows(b2, b1, Fractals(k), Fractals(n), b_turned_, !b_turned_);
        l1_a_.FreeTensor(a1);
        l1_b_.FreeTensor(b1);
        l0_a_.EnQue(a2);
        l0_b_.EnQue(b2);
    }

    __aicore__ inline void LoadRows(const AscendC::LocalTensor<T> &to,
                                    const AscendC::LocalTensor<T> &from, uint32_t rows,
                                    uint32_t columns, bool by_rows, bool turn)
    {
        AscendC::LoadData2DParams p;
        p.repeatTimes = columns;
        p.srcStride = by_rows ? 1 : rows;
        p.ifTranspose = turn;
        for (uint32_t i = 0; i < rows; i++) {
            p.startIndex = by_rows ? i * columns : i;
            AscendC::LoadData(to[i * columns * FRACTAL * FRACTAL], from, p);
        }
    }

    __aicore__ inline void Multiply(const AscendC::LocalTensor<float> &sums, uint32_t m, uint32_t n,
                                    uint32_t k, bool first)
    {
        AscendC::LocalTensor<T> a = l0_a_.template DeQue<T>(), b = l0_b_.template DeQue<T>();
        AscendC::MmadParams p;
        p.m = Fractals(m) * FRACTAL; /* what is past m is not copied out */
        p.n = n;
        p.k = k;
        p.cmatrixInitVal = first;
        AscendC::Mmad(sums, a, b, p);
        l0_a_.FreeTensor(a);
        l0_b_.FreeTensor(b);
    }

    __aicore__ inline void CopyOut(uint32_t row, uint32_t column, uint32_t m, uint32_t n)
    {
        AscendC::LocalTensor<float> sums = l0_c_.DeQue<float>();
        AscendC::FixpipeParamsV220 p(n, m, Fractals(m) * FRACTAL, n_, false);
        p.quantPre = std::is_same_v<T, half> ? F322F16 : F322BF16;
        AscendC::Fixpipe(c_[(uint64_t)row * n_ + column], sums, p);
        l0_c_.FreeTensor(sums);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::A1, 2> l1_a_;
    AscendC::TQue<AscendC::TPosition::B1, 2> l1_b_;
    AscendC::TQue<AscendC::TPosition::A2, 2> l0_a_;
    AscendC::TQue<AscendC::TPosition::B2, 2> l0_b_;
    AscendC::TQue<AscendC::TPosition::CO1, 2> l0_c_;
    AscendC::GlobalTensor<T> a_, b_, c_;
    uint32_t m_, k_, n_;
    bool a_turned_, b_turned_;
};

#endif
