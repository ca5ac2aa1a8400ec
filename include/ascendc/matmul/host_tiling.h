/* The host's half of the high-level Matmul: from shapes, types and the chip to a TCubeTiling. Names
 * and what they take: the vendor's public documentation. The cut is our own: as large a block of C
 * as L0C holds, so that A and B are read seldom, L0A and L0B and the chunks in L1 twice where they
 * fit, so that moves and products overlap; and a chunk of B stays in L1 over all of M where it may.
 */
#ifndef ASCENDC_MATMUL_HOST_TILING_H
#define ASCENDC_MATMUL_HOST_TILING_H

#include "ascendc/cube_tiling.h"
#include "ascendc/platform/platform_ascendc.h"
#include "ascendc/positions.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace matmul_tiling
{
using AscendC::CubeFormat;
using AscendC::TPosition;

enum class DataType : int {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_BF16 = 27,
    DT_BFLOAT16 = 27,
    DT_INT4 = 29,
    DT_UNDEFINED = 28,
};
enum class MatrixTraverse : int32_t { NOSET, FIRSTM, FIRSTN };
enum class MatrixMadType : int32_t { NORMAL, HF32 };
enum class DequantType : int32_t { SCALAR, TENSOR };
enum class ScheduleType : int32_t { INNER_PRODUCT, OUTER_PRODUCT, N_BUFFER_33 };

struct MatmulConfigParams {
    int32_t mmConfigType = 1; /* 0 norm, 1 multi data load */
    bool enableL1CacheUB = false;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    MatrixTraverse traverse = MatrixTraverse::NOSET;
    bool enVecND2NZ = false;
};

/* A Matmul on one core. Every Set returns 0, and GetTiling -1, with a line on stderr, where there
 * is no tiling. */
class MatmulApiTiling
{
  public:
    MatmulApiTiling() = default;
    explicit MatmulApiTiling(const platform_ascendc::PlatformAscendC &) {}
    virtual ~MatmulApiTiling() = default;

    int32_t SetAType(TPosition pos, CubeFormat format, DataType type, bool isTrans = false)
    {
        a_ = {pos, format, type, isTrans};
        return 0;
    }
    int32_t SetBType(TPosition pos, CubeFormat format, DataType type, bool isTrans = false)
    {
        b_ = {pos, format, type, isTrans};
        return 0;
    }
    int32_t SetCType(TPosition pos, CubeFormat format, DataType type)
    {
        c_ = {pos, format, type, false};
        return 0;
    }
    int32_t SetBiasType(TPosition pos, CubeFormat format, DataType type)
    {
        bias_type_ = {pos, format, type, false};
        return 0;
    }
    int32_t SetBias(bool isBiasIn = false)
    {
        bias_ = isBiasIn;
        return 0;
    }
    int32_t EnableBias(bool isBias = false) { return SetBias(isBias); }

    /* What is multiplied. */
    int32_t SetShape(int32_t m, int32_t n, int32_t k)
    {
        m_ = m, n_ = n, k_ = k;
        return 0;
    }
    /* Of the matrices that it is part of. */
    int32_t SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgK)
    {
        return SetOrgShape(orgM, orgN, orgK, orgK);
    }
    int32_t SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgKa, int32_t orgKb)
    {
        org_m_ = orgM, org_n_ = orgN, org_ka_ = orgKa, org_kb_ = orgKb;
        return 0;
    }
    /* Of one core; -1: to be found. */
    virtual int32_t SetSingleShape(int32_t singleM = -1, int32_t singleN = -1, int32_t singleK = -1)
    {
        single_m_ = singleM, single_n_ = singleN, single_k_ = singleK;
        return 0;
    }
    int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1,
                           int32_t minM = -1, int32_t minN = -1, int32_t minK = -1)
    {
        most_m_ = maxM, most_n_ = maxN;
        (void)maxK, (void)minM, (void)minN, (void)minK;
        return 0;
    }
    /* Of one product in L0; -1: to be found. */
    int32_t SetFixSplit(int32_t baseM = -1, int32_t baseN = -1, int32_t baseK = -1)
    {
        base_m_ = baseM, base_n_ = baseN, base_k_ = baseK;
        return 0;
    }
    /* Bytes that it may use; -1: all. */
    int32_t SetBufferSpace(int32_t l1 = -1, int32_t l0c = -1, int32_t ub = -1, int32_t bt = -1)
    {
        (void)ub, (void)bt;
        l1_ = l1, l0c_ = l0c;
        return 0;
    }
    int32_t SetTraverse(MatrixTraverse traverse)
    {
        traverse_ = traverse;
        return 0;
    }
    int32_t SetMatmulConfigParams(int32_t mmConfigType, bool = false,
                                  ScheduleType = ScheduleType::INNER_PRODUCT,
                                  MatrixTraverse traverse = MatrixTraverse::NOSET, bool = false)
    {
        (void)mmConfigType;
        traverse_ = traverse == MatrixTraverse::NOSET ? traverse_ : traverse;
        return 0;
    }
    int32_t SetMatmulConfigParams(const MatmulConfigParams &params)
    {
        return SetMatmulConfigParams(params.mmConfigType, false, params.scheduleType,
                                     params.traverse);
    }
    int32_t SetMadType(MatrixMadType) { return 0; }
    int32_t SetDequantType(DequantType) { return 0; }
    int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
    int32_t SetSplitRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1,
                          int32_t = -1)
    {
        return 0;
    }
    int32_t SetSparse(bool isSparse = false) { return isSparse ? -1 : 0; }

    int64_t GetTiling(TCubeTiling &tiling) { return cut(1) ? (tiling = t_, 0) : -1; }
    int32_t GetBaseM() const { return t_.baseM; }
    int32_t GetBaseN() const { return t_.baseN; }
    int32_t GetBaseK() const { return t_.baseK; }

  protected:
    struct operand {
        TPosition pos = TPosition::GM;
        CubeFormat format = CubeFormat::ND;
        DataType type = DataType::DT_FLOAT16;
        bool transposed = false;
    };

    static int32_t ceil(int64_t a, int64_t b) { return (int32_t)((a + b - 1) / b); }
    static int32_t up(int32_t a, int32_t unit) { return ceil(a, unit) * unit; }
    static int32_t down(int64_t a, int32_t unit) { return (int32_t)(a / unit * unit); }
    int32_t bytes() const
    {
        return a_.type == DataType::DT_FLOAT ? 4 : a_.type == DataType::DT_INT8 ? 1 : 2;
    }
    int32_t unit() const { return a_.type == DataType::DT_INT8 ? 32 : 16; }

    bool cut(int32_t cores)
    {
        if (m_ <= 0 || n_ <= 0 || k_ <= 0 || cores <= 0) {
            std::fprintf(stderr,
                         "softascend: Matmul tiling of m %d, n %d, k %d on %d cores: each is at "
                         "least 1\n",
                         m_, n_, k_, cores);
            return false;
        }
        choose_blocks(cores);
        if (!choose_depths()) {
            return false;
        }
        t_.M = org_m_ > 0 ? org_m_ : m_;
        t_.N = org_n_ > 0 ? org_n_ : n_;
        t_.Ka = org_ka_ > 0 ? org_ka_ : k_;
        t_.Kb = org_kb_ > 0 ? org_kb_ : k_;
        t_.singleCoreK = single_k_ > 0 ? single_k_ : k_;
        t_.usedCoreNum = std::max(cores_m_ * cores_n_, 1);
        t_.isBias = bias_;
        t_.stepM = t_.stepN = 1;
        t_.dbL0C = 2 * t_.baseM * t_.baseN * 4 <= l0c_bytes() ? 2 : 1;
        t_.batchM = t_.batchN = t_.singleBatchM = t_.singleBatchN = 1;
        t_.shareL1Size = (t_.depthA1 * t_.baseM + t_.depthB1 * t_.baseN) * t_.baseK * bytes();
        t_.shareL0CSize = t_.baseM * t_.baseN * 4;
        t_.transLength = 0;
        return true;
    }
    TCubeTiling t_;
    int32_t cores_m_ = 0, cores_n_ = 0; /* how M and N are shared out */
    int32_t m_ = 0, n_ = 0, k_ = 0;

  private:
    int32_t l0c_bytes() const
    {
        const int32_t chip = (int32_t)sa_platform_bytes(SA_L0C);
        return l0c_ > 0 ? std::min(l0c_, chip) : chip;
    }
    int32_t l1_bytes() const
    {
        const int32_t chip = (int32_t)sa_platform_bytes(SA_L1);
        return l1_ > 0 ? std::min(l1_, chip) : chip;
    }

    /* The largest block of C, near 1 : 2, for [m, n]. */
    void choose_base(int32_t m, int32_t n)
    {
        const int32_t u = unit(), cells = l0c_bytes() / 4;
        const int32_t most = (int32_t)sa_platform_bytes(SA_L0A) / 2 / (u * bytes());
        const int32_t most_n =
            bias_ ? std::min<int32_t>(most, (int32_t)sa_platform_bytes(SA_BT) / 4) : most;
        const int32_t high = std::min(up(m, u), std::max(u, down(most, u)));
        int32_t base_m = base_m_ > 0 ? up(std::min(base_m_, up(m, u)), u) : std::min(high, 128);
        int32_t base_n = base_n_ > 0 ? up(std::min(base_n_, up(n, u)), u)
                                     : std::min({up(n, u), std::max(u, down(most_n, u)),
                                                 std::max(u, down(cells / base_m, u))});
        if (base_m_ <= 0) {
            base_m = std::min(high, std::max(u, down(cells / base_n, u)));
        }
        t_.baseM = base_m, t_.baseN = base_n;
    }

    /* Which part of C a core has: as many cores as there are, evenly, in whole fractals. */
    void choose_blocks(int32_t cores)
    {
        const int32_t u = unit();
        cores_m_ = cores_n_ = 0;
        if (single_m_ > 0 || single_n_ > 0 || cores == 1) {
            t_.singleCoreM = single_m_ > 0 ? single_m_ : m_;
            t_.singleCoreN = single_n_ > 0 ? single_n_ : n_;
            cores_m_ = ceil(m_, t_.singleCoreM);
            cores_n_ = ceil(n_, t_.singleCoreN);
            choose_base(t_.singleCoreM, t_.singleCoreN);
            return;
        }
        /* the slowest core's products, then what all of them read */
        int64_t best = -1, best_read = 0;
        for (int32_t over_m = 1; over_m <= std::min(cores, ceil(m_, u)); over_m++) {
            const int32_t over_n = std::min(cores / over_m, ceil(n_, u));
            const int32_t single_m = up(ceil(m_, over_m), u), single_n = up(ceil(n_, over_n), u);
            if ((most_m_ > 0 && single_m > most_m_) || (most_n_ > 0 && single_n > most_n_)) {
                continue;
            }
            const int64_t most = (int64_t)single_m * single_n;
            const int64_t read = (int64_t)over_n * m_ + (int64_t)over_m * n_;
            if (best < 0 || most < best || (most == best && read < best_read)) {
                best = most, best_read = read;
                t_.singleCoreM = std::min(single_m, m_), t_.singleCoreN = std::min(single_n, n_);
                cores_m_ = ceil(m_, single_m), cores_n_ = ceil(n_, single_n);
            }
        }
        if (best < 0) { /* the range asks for more cores than there are */
            t_.singleCoreM = most_m_ > 0 ? std::min(most_m_, m_) : m_;
            t_.singleCoreN = most_n_ > 0 ? std::min(most_n_, n_) : n_;
            cores_m_ = ceil(m_, t_.singleCoreM), cores_n_ = ceil(n_, t_.singleCoreN);
        }
        choose_base(t_.singleCoreM, t_.singleCoreN);
    }

    /* The step along K, and what L1 holds of A and B. */
    bool choose_depths()
    {
        const int32_t u = unit(), size = bytes(), k = single_k_ > 0 ? single_k_ : k_;
        const int64_t l0a = (int64_t)sa_platform_bytes(SA_L0A),
                      l0b = (int64_t)sa_platform_bytes(SA_L0B);
        const auto fits = [&](int32_t buffers) {
            return std::min({down(l0a / buffers / (t_.baseM * size), u),
                             down(l0b / buffers / (t_.baseN * size), u), up(k, u)});
        };
        const int32_t twice = fits(2), once = fits(1);
        t_.baseK = base_k_ > 0 ? std::max(down(base_k_, u), u) : twice >= u ? twice : once;
        t_.dbL0A = t_.dbL0B = t_.baseK <= twice ? 2 : 1;
        if (t_.baseK < u || t_.baseK > std::max(once, u) || once < u ||
            (int64_t)t_.baseM * t_.baseN * 4 > l0c_bytes()) {
            std::fprintf(
                stderr,
                "softascend: Matmul tiling: base %d x %d x %d takes %d bytes of L0A, %d of "
                "L0B and %d of L0C, which have %lld, %lld and %d: see SetFixSplit\n",
                t_.baseM, t_.baseN, t_.baseK, t_.baseM * t_.baseK * size,
                t_.baseN * t_.baseK * size, t_.baseM * t_.baseN * 4, (long long)l0a, (long long)l0b,
                l0c_bytes());
            return false;
        }
        const int64_t bias = bias_ ? t_.baseN * 4 : 0, l1 = l1_bytes() - bias;
        const int64_t of_a = (int64_t)t_.baseM * t_.baseK * size,
                      of_b = (int64_t)t_.baseN * t_.baseK * size;
        const int32_t steps = ceil(k, t_.baseK);
        const bool many_m = t_.singleCoreM > t_.baseM, many_n = t_.singleCoreN > t_.baseN;
        t_.iterateOrder = traverse_ == MatrixTraverse::FIRSTN ? 1 : 0;
        if (of_a + of_b > l1) {
            std::fprintf(stderr,
                         "softascend: Matmul tiling: a step takes %lld bytes of L1, there are "
                         "%lld: see SetFixSplit, SetBufferSpace\n",
                         (long long)(of_a + of_b), (long long)l1);
            return false;
        }
        const bool keeps_b =
            traverse_ == MatrixTraverse::NOSET ? many_m || !many_n : t_.iterateOrder == 0;
        const int64_t kept = (keeps_b ? of_b : of_a) * steps, passing = keeps_b ? of_a : of_b;
        if ((keeps_b ? many_m : many_n) && kept + 2 * passing <= l1) {
            /* one panel stays, the other operand passes by */
            int32_t step = (int32_t)std::min<int64_t>((l1 - kept) / (2 * passing), steps);
            (keeps_b ? t_.stepKb : t_.stepKa) = steps;
            (keeps_b ? t_.depthB1 : t_.depthA1) = steps;
            (keeps_b ? t_.stepKa : t_.stepKb) = step;
            (keeps_b ? t_.depthA1 : t_.depthB1) = 2 * step;
            t_.iterateOrder = keeps_b ? 0 : 1;
            return true;
        }
        int32_t buffers = 2 * (of_a + of_b) <= l1 ? 2 : 1;
        int32_t step = (int32_t)std::min<int64_t>(l1 / buffers / (of_a + of_b), steps);
        t_.stepKa = t_.stepKb = step;
        t_.depthA1 = t_.depthB1 = buffers * step;
        return true;
    }

    operand a_, b_, c_, bias_type_;
    bool bias_ = false;
    int32_t org_m_ = -1, org_n_ = -1, org_ka_ = -1, org_kb_ = -1;
    int32_t single_m_ = -1, single_n_ = -1, single_k_ = -1, most_m_ = -1, most_n_ = -1;
    int32_t base_m_ = -1, base_n_ = -1, base_k_ = -1, l1_ = -1, l0c_ = -1;
    MatrixTraverse traverse_ = MatrixTraverse::NOSET;
};

/* On several cores. */
class MultiCoreMatmulTiling : public MatmulApiTiling
{
  public:
    using MatmulApiTiling::MatmulApiTiling;

    int32_t SetDim(int32_t dim)
    {
        dim_ = dim;
        return 0;
    }
    int32_t SetShape(int32_t m, int32_t n, int32_t k) { return MatmulApiTiling::SetShape(m, n, k); }
    int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK)
    {
        (void)alignM, (void)alignN, (void)alignK;
        return 0;
    }
    void EnableMultiCoreSplitK(bool) {} /* K stays whole: no core adds to another's */

    int64_t GetTiling(TCubeTiling &tiling) { return cut(dim_) ? (tiling = t_, 0) : -1; }
    int32_t GetSingleShape(int32_t &m, int32_t &n, int32_t &k) const
    {
        m = t_.singleCoreM, n = t_.singleCoreN, k = t_.singleCoreK;
        return 0;
    }
    int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim) const
    {
        mDim = cores_m_, nDim = cores_n_;
        dim = mDim * nDim;
        return 0;
    }

  private:
    int32_t dim_ = 1;
};
} // namespace matmul_tiling

#endif
