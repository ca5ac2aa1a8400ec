/* Tilings of many products with one call (IterateBatch): those of one product, with the layouts of
 * the operands. Names: the vendor's public documentation. */
#ifndef ASCENDC_MATMUL_HOST_BATCH_H
#define ASCENDC_MATMUL_HOST_BATCH_H

#include "ascendc/matmul/host_tiling.h"

namespace matmul_tiling
{
template <class Base>
class WithBatches : public Base
{
  public:
    using Base::Base;

    int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
    {
        a_[0] = b, a_[1] = s, a_[2] = n, a_[3] = g, a_[4] = d;
        return 0;
    }
    int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
    {
        b_[0] = b, b_[1] = s, b_[2] = n, b_[3] = g, b_[4] = d;
        return 0;
    }
    int32_t SetCLayout(int32_t b, int32_t s1, int32_t n, int32_t g, int32_t s2)
    {
        c_[0] = b, c_[1] = s1, c_[2] = n, c_[3] = g, c_[4] = s2;
        return 0;
    }
    int32_t SetBatchNum(int32_t batch)
    {
        batch_ = batch;
        return 0;
    }
    int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k)
    {
        batch_ = std::max(batchA, batchB);
        return Base::SetShape(m, n, k);
    }

    int64_t GetTiling(TCubeTiling &tiling)
    {
        if (Base::GetTiling(tiling)) {
            return -1;
        }
        int32_t *const to[3] = {&tiling.ALayoutInfoB, &tiling.BLayoutInfoB, &tiling.CLayoutInfoB};
        const int32_t *const from[3] = {a_, b_, c_};
        for (int i = 0; i < 3; i++) {
            std::copy(from[i], from[i] + 5, to[i]);
        }
        tiling.BatchNum = batch_;
        return 0;
    }

  private:
    int32_t a_[5] = {}, b_[5] = {}, c_[5] = {}, batch_ = 1;
};
using BatchMatmulTiling = WithBatches<MatmulApiTiling>;
using MultiCoreBatchMatmulTiling = WithBatches<MultiCoreMatmulTiling>;
} // namespace matmul_tiling

#endif
