/* Inside MatmulImpl (object.h): several products with one call. */
/* Of matrix `i` in an operand: where it begins, elements from row to row. */
struct batch_place {
    int64_t offset, pitch;
};
SA_INLINE static batch_place place_of(LayoutMode layout, uint32_t i, int64_t stride, uint32_t b,
                                      uint32_t s, uint32_t n, uint32_t g, uint32_t d)
{
    const int64_t ng = (int64_t)n * g;
    switch (layout) {
    case LayoutMode::BSNGD:
        return {(int64_t)(i / ng) * s * ng * d + (int64_t)(i % ng) * d, ng * d};
    case LayoutMode::SBNGD:
        return {(int64_t)i * d, (int64_t)b * ng * d};
    default:
        return {i * stride, d};
    }
}

SA_INLINE void SetBatchNum(int32_t batchA, int32_t batchB)
{
    batch_a_ = (uint32_t)batchA, batch_b_ = (uint32_t)batchB;
}
/* max(batchA, batchB) products; an operand that has fewer matrices repeats each. Strides count
 * elements from matrix to matrix, 0: they follow each other. */
template <bool sync = true, bool waitIterateBatch = false>
SA_INLINE void IterateBatch(const GlobalTensor<DstT> &gm, uint32_t batchA, uint32_t batchB,
                            bool enSequentialWrite, uint32_t matrixStrideA = 0,
                            uint32_t matrixStrideB = 0, uint32_t matrixStrideC = 0,
                            bool enPartialSum = false, uint8_t enAtomic = 0)
{
    softascend::matmul_check(plan_, "IterateBatch");
    const uint32_t batch = batchA > batchB ? batchA : batchB;
    if (enPartialSum || !batchA || !batchB || batch % batchA || batch % batchB || !plan_.a.gm ||
        !plan_.b.gm) {
        SA_FAULT("Matmul::IterateBatch: batches of %u and %u, enPartialSum %d: one is a "
                 "multiple of the other, A and B are in GM, partial sums are not supported",
                 batchA, batchB, (int)enPartialSum);
    }
    const softascend::matmul_plan kept = plan_;
    const TCubeTiling &t = tiling_;
    const bool ta = kept.a.transposed, tb = kept.b.transposed;
    const uint32_t a_rows = ta ? kept.k : kept.m, a_cols = ta ? kept.m : kept.k;
    const uint32_t b_rows = tb ? kept.n : kept.k, b_cols = tb ? kept.k : kept.n;
    for (uint32_t i = 0; i < batch; i++) {
        batch_place a = batch_side(A_TYPE::layout, i / (batch / batchA), matrixStrideA, a_rows,
                                   a_cols, t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN,
                                   t.ALayoutInfoG, t.ALayoutInfoD);
        batch_place b = batch_side(B_TYPE::layout, i / (batch / batchB), matrixStrideB, b_rows,
                                   b_cols, t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN,
                                   t.BLayoutInfoG, t.BLayoutInfoD);
        batch_place c = batch_side(enSequentialWrite ? LayoutMode::NORMAL : C_TYPE::layout, i,
                                   matrixStrideC, kept.m, kept.n, t.CLayoutInfoB, t.CLayoutInfoS1,
                                   t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2);
        plan_.a.gm = static_cast<const SrcAT *>(kept.a.gm) + a.offset;
        plan_.b.gm = static_cast<const SrcBT *>(kept.b.gm) + b.offset;
        (ta ? plan_.org_m : plan_.org_ka) = (uint32_t)a.pitch;
        (ta ? plan_.org_ka : plan_.org_m) = a_rows;
        (tb ? plan_.org_kb : plan_.org_n) = (uint32_t)b.pitch;
        (tb ? plan_.org_n : plan_.org_kb) = b_rows;
        run(0, plan_.blocks(), gm.GetPhyAddr(c.offset), c.pitch, false, enAtomic, "IterateBatch");
        finish();
    }
    plan_ = kept;
    begin();
}
SA_INLINE void WaitIterateBatch()
{
    finish();
}

private:
SA_INLINE static batch_place batch_side(LayoutMode layout, uint32_t i, uint32_t stride,
                                        uint32_t rows, uint32_t cols, int32_t b, int32_t s,
                                        int32_t n, int32_t g, int32_t d)
{
    if (layout == LayoutMode::BSNGD || layout == LayoutMode::SBNGD) {
        return place_of(layout, i, 0, (uint32_t)b, (uint32_t)s, (uint32_t)n, (uint32_t)g,
                        (uint32_t)d);
    }
    return place_of(layout, i, stride ? stride : (int64_t)rows * cols, 0, 0, 0, 0, cols);
}
TCubeTiling tiling_ = {};
uint32_t batch_a_ = 1, batch_b_ = 1;

public:
