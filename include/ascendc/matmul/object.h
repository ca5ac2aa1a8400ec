/* The Matmul object of lib/matmul_intf.h: collects operands and shapes, and has its product run.
 *
 * On a core that has the cube (a kernel for cube cores, a coupled chip) it runs here. On a vector
 * core of a mixed kernel it is handed to the block's cube core, which serves in REGIST_MATMUL_OBJ;
 * local operands and results go through scratch memory in GM. Iterate only counts: GetTensorC
 * computes the block that it is asked for. */
#ifndef ASCENDC_MATMUL_OBJECT_H
#define ASCENDC_MATMUL_OBJECT_H

#include "ascendc/matmul/config.h"
#include "ascendc/matmul/plan.h"
#include "ascendc/sync.h"

namespace AscendC
{
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
          const auto &MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<>, class... Policy>
class MatmulImpl
{
    static_assert(!MM_CB::any, "Matmul: callbacks (MatmulCallBackFunc) are not supported");

  public:
    using AType = A_TYPE;
    using BType = B_TYPE;
    using CType = C_TYPE;
    using BiasType = BIAS_TYPE;
    using SrcT = typename A_TYPE::T;
    using SrcAT = typename A_TYPE::T;
    using SrcBT = typename B_TYPE::T;
    using DstT = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;
    static_assert(std::is_same_v<SrcAT, SrcBT>, "Matmul: A and B have one type");
    static_assert(std::is_same_v<SrcAT, half> || std::is_same_v<SrcAT, bfloat16_t> ||
                      std::is_same_v<SrcAT, float> || std::is_same_v<SrcAT, int8_t>,
                  "Matmul: A and B are half, bfloat16_t, float or int8_t");

    SA_INLINE MatmulImpl() {}
    SA_INLINE MatmulImpl(const MatmulImpl &other) { copy(other); }
    SA_INLINE MatmulImpl &operator=(const MatmulImpl &other)
    {
        copy(other);
        return *this;
    }
    SA_INLINE ~MatmulImpl()
    {
        if (registered_) {
            finish();
            if (--softascend::state().matmuls == 0) {
                sa_request_close(sa_self());
            }
        }
    }

    /* ---- what is multiplied */

    SA_INLINE void Init(const TCubeTiling *tiling, TPipe *pipe = nullptr)
    {
        finish();
        sa_core *core = sa_self();
        pipe_ = pipe ? pipe : pipe_ ? pipe_ : GetTPipePtr();
        asks_ = sa_kind(core) == SA_AIV && !sa_coupled(core);
        if (asks_ && sa_task_ratio(core) == 0) {
            SA_FAULT("Matmul: this kernel runs on vector cores alone, which cannot multiply: mark "
                     "it KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2), or AIC_ONLY");
        }
        if (tiling) {
            softascend::matmul_plan fresh;
            fresh.a = plan_.a, fresh.b = plan_.b, fresh.bias = plan_.bias;
            plan_ = fresh;
            tiling_ = *tiling;
            softascend::matmul_take_tiling(plan_, *tiling, in);
            softascend::matmul_check_tiling(plan_, *tiling, in, pipe_->used_bytes(SA_L1),
                                            tiling->isBias != 0);
        }
        if (asks_ && !registered_) {
            registered_ = true;
            softascend::state().matmuls++;
        }
    }

    SA_INLINE void SetTensorA(const GlobalTensor<SrcAT> &gm, bool isTransposeA = false)
    {
        give(plan_.a, gm, isTransposeA);
    }
    SA_INLINE void SetTensorB(const GlobalTensor<SrcBT> &gm, bool isTransposeB = false)
    {
        give(plan_.b, gm, isTransposeB);
    }
    SA_INLINE void SetTensorA(const LocalTensor<SrcAT> &local, bool isTransposeA = false)
    {
        give(plan_.a, local, isTransposeA);
    }
    SA_INLINE void SetTensorB(const LocalTensor<SrcBT> &local, bool isTransposeB = false)
    {
        give(plan_.b, local, isTransposeB);
    }
    /* All elements are one number. */
    SA_INLINE void SetTensorA(SrcAT scalar) { fill(plan_.a, (double)scalar); }
    SA_INLINE void SetTensorB(SrcBT scalar) { fill(plan_.b, (double)scalar); }
    SA_INLINE void SetBias(const GlobalTensor<BiasT> &bias) { give(plan_.bias, bias, false); }
    SA_INLINE void SetBias(const LocalTensor<BiasT> &bias) { give(plan_.bias, bias, false); }
    SA_INLINE void ClearBias() { plan_.bias.forget(); }
    SA_INLINE void DisableBias() { plan_.bias.forget(); }

    /* -1 keeps an extent. */
    SA_INLINE void SetTail(int tailM = -1, int tailN = -1, int tailK = -1)
    {
        SetSingleShape(tailM, tailN, tailK);
    }
    SA_INLINE void SetSingleShape(int singleM, int singleN, int singleK)
    {
        begin();
        plan_.m = singleM >= 0 ? (uint32_t)singleM : plan_.m;
        plan_.n = singleN >= 0 ? (uint32_t)singleN : plan_.n;
        plan_.k = singleK >= 0 ? (uint32_t)singleK : plan_.k;
    }
    SA_INLINE void SetOrgShape(int orgM, int orgN, int orgK)
    {
        SetOrgShape(orgM, orgN, orgK, orgK, 0);
    }
    /* orgKc: elements from row to row of C, where that is not orgN. */
    SA_INLINE void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0)
    {
        begin();
        plan_.org_m = (uint32_t)orgM, plan_.org_n = (uint32_t)orgN;
        plan_.org_ka = (uint32_t)orgKa, plan_.org_kb = (uint32_t)orgKb;
        plan_.org_c = (uint32_t)orgKc;
    }
    /* The way out multiplies by it, or by one for each column (the low half of each word is a
     * float). */
    SA_INLINE void SetQuantScalar(uint64_t scalar)
    {
        const uint32_t bits = (uint32_t)scalar;
        scaled_ = true, scales_ = nullptr;
        scale_ = (double)__builtin_bit_cast(float, bits);
    }
    SA_INLINE void SetQuantVector(const GlobalTensor<uint64_t> &scales)
    {
        scaled_ = true, scales_ = scales.GetPhyAddr();
    }

    /* ---- what is multiplied how: no difference here */
    SA_INLINE void SetHF32(bool enableHF32 = false, int32_t transMode = 0)
    {
        (void)enableHF32, (void)transMode;
    }
    SA_INLINE void SetSubBlockIdx(uint8_t) {}
    SA_INLINE uint8_t GetSubBlockIdx() const { return (uint8_t)sa_sub_block_idx(sa_self()); }
    template <class T>
    SA_INLINE void SetWorkspace(const GlobalTensor<T> &)
    {
    }
    template <class T>
    SA_INLINE void SetWorkspace(__gm__ const T *, int)
    {
    }
    SA_INLINE void SetLocalWorkspace(const LocalTensor<uint8_t> &) {}
    SA_INLINE void SetUserDefInfo(uint64_t) {}
    template <class T>
    SA_INLINE void SetSelfDefineData(T)
    {
    }

    /* ---- computing */

    /* The next block of this core's C; false when there is none. With sync false it stands for all
     * blocks, and every GetTensorC takes the next. */
    template <bool sync = true>
    SA_INLINE bool Iterate(bool enPartialSum = false)
    {
        softascend::matmul_check(plan_, "Iterate");
        if (enPartialSum) {
            SA_FAULT("Matmul::Iterate: partial sums kept in L0C (enPartialSum) are not supported: "
                     "add them up in GM, GetTensorC(c, 1)");
        }
        if (next_ == 0) {
            stage("Iterate");
        }
        if constexpr (!sync) {
            return next_ == 0;
        }
        if (next_ == plan_.blocks()) {
            begin();
            return false;
        }
        next_++;
        return true;
    }

    template <bool sync = true>
    SA_INLINE void IterateAll(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0,
                              bool enSequentialWrite = false, bool waitIterateAll = false,
                              bool fakeMsg = false)
    {
        (void)waitIterateAll, (void)fakeMsg;
        softascend::matmul_check(plan_, "IterateAll");
        stage("IterateAll");
        run(0, plan_.blocks(), gm.GetPhyAddr(), c_pitch(), enSequentialWrite, enAtomic,
            "IterateAll");
        begin();
        if constexpr (sync) {
            finish();
        }
    }
    /* All of C, [m, n] of this core, into UB. */
    template <bool sync = true>
    SA_INLINE void IterateAll(const LocalTensor<DstT> &ub, uint8_t enAtomic = 0)
    {
        softascend::matmul_check(plan_, "IterateAll");
        stage("IterateAll");
        local_out(0, plan_.blocks(), ub, false, enAtomic, "IterateAll");
        begin();
    }
    SA_INLINE void WaitIterateAll() { finish(); }

    /* The block that Iterate came to: into its place in C or, enSequentialWrite, to the front. */
    template <bool sync = true>
    SA_INLINE void GetTensorC(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0,
                              bool enSequentialWrite = false)
    {
        const uint32_t block = this_block<sync>();
        run(block, 1, gm.GetPhyAddr(), c_pitch(), enSequentialWrite, enAtomic, "GetTensorC");
        finish();
    }
    template <bool sync = true>
    SA_INLINE void GetTensorC(const LocalTensor<DstT> &co2Local, uint8_t enAtomic = 0,
                              bool enSequentialWrite = false)
    {
        const uint32_t block = this_block<sync>();
        const uint64_t whole = (uint64_t)plan_.m * plan_.n;
        local_out(block, 1, co2Local, enSequentialWrite || co2Local.GetSize() < whole, enAtomic,
                  "GetTensorC");
    }
    template <bool sync = true>
    SA_INLINE void GetTensorC(const GlobalTensor<DstT> &gm, const LocalTensor<DstT> &co2Local,
                              uint8_t enAtomic = 0, bool enSequentialWrite = false)
    {
        const uint32_t block = this_block<sync>();
        run(block, 1, gm.GetPhyAddr(), c_pitch(), enSequentialWrite, enAtomic, "GetTensorC");
        local_out(block, 1, co2Local, true, 0, "GetTensorC");
    }
    /* In memory of the object's own, [baseM, baseN]. */
    template <bool sync = true>
    SA_INLINE GlobalTensor<DstT> GetTensorC(uint8_t enAtomic = 0, bool enSequentialWrite = false)
    {
        (void)enSequentialWrite;
        GlobalTensor<DstT> c;
        const uint32_t block = this_block<sync>();
        const uint64_t elements = (uint64_t)plan_.base_m * plan_.base_n;
        c.SetGlobalBuffer((DstT *)scratch(elements * sizeof(DstT)), elements);
        run(block, 1, c.GetPhyAddr(), c_pitch(), true, enAtomic, "GetTensorC");
        finish();
        return c;
    }
    template <class T>
    SA_INLINE void AsyncGetTensorC(const LocalTensor<T> &c)
    {
        GetTensorC<false>(c);
    }
    SA_INLINE void WaitGetTensorC() { finish(); }
    SA_INLINE void End()
    {
        finish();
        begin();
    }

#include "ascendc/matmul/batch.h"

  private:
    static constexpr sa_dtype in = softascend::dtype<SrcAT>;
    static constexpr bool a_nz = A_TYPE::format == CubeFormat::NZ,
                          b_nz = B_TYPE::format == CubeFormat::NZ,
                          c_nz = C_TYPE::format == CubeFormat::NZ,
                          a_columns = A_TYPE::format == CubeFormat::COLUMN_MAJOR,
                          b_columns = B_TYPE::format == CubeFormat::COLUMN_MAJOR;

    SA_INLINE void copy(const MatmulImpl &other)
    {
        finish();
        plan_ = other.plan_, tiling_ = other.tiling_, pipe_ = other.pipe_, asks_ = other.asks_;
        scaled_ = other.scaled_, scale_ = other.scale_, scales_ = other.scales_;
        scratch_ = nullptr, scratch_bytes_ = 0, next_ = other.next_;
        if (asks_ && !registered_) {
            registered_ = true;
            softascend::state().matmuls++;
        }
    }
    SA_INLINE void begin()
    {
        next_ = 0;
    }
    SA_INLINE void finish()
    {
        if (asked_) {
            asked_ = false;
            sa_request_wait(sa_self(), &request_);
        }
    }

    template <class T>
    SA_INLINE void give(softascend::matmul_operand &o, const GlobalTensor<T> &gm, bool transposed)
    {
        begin();
        o.forget();
        o.gm = softascend::global(gm.GetPhyAddr(), 0, "GetPhyAddr, of a Matmul's operand");
        o.transposed = transposed;
    }
    template <class T>
    SA_INLINE void give(softascend::matmul_operand &o, const LocalTensor<T> &local, bool transposed)
    {
        begin();
        o.forget();
        o.local = local.GetPhyAddr();
        o.elements = local.GetSize();
        o.in_l1 = softascend::memory_of(local.position()) == SA_L1;
        o.transposed = transposed;
    }
    SA_INLINE void fill(softascend::matmul_operand &o, double value)
    {
        begin();
        o.forget();
        o.filled = true;
        o.value = value;
        o.transposed = false;
    }

    /* Elements, or rows of NZ, from one to the next in the whole C. */
    SA_INLINE int64_t c_pitch() const
    {
        const uint32_t n = plan_.org_c ? plan_.org_c : plan_.org_n;
        return c_nz ? softascend::up_to(plan_.org_m, 16)
               : C_TYPE::format == CubeFormat::ND_ALIGN
                   ? softascend::up_to(n, 32 / (uint32_t)sizeof(DstT))
                   : n;
    }

    /* Bytes of a local operand that stores [rows, cols]. */
    SA_INLINE static uint64_t bytes_of(bool nz, uint32_t rows, uint32_t cols)
    {
        const uint32_t c0 = softascend::c0_of(in);
        return (uint64_t)(nz ? softascend::up_to(rows, 16) : rows) * softascend::up_to(cols, c0) *
               sizeof(SrcAT);
    }
    SA_INLINE void stage(const char *call)
    {
        finish();
        const softascend::matmul_plan &p = plan_;
        const bool ta = p.a.transposed != a_columns, tb = p.b.transposed != b_columns;
        softascend::matmul_stage(plan_.a, bytes_of(a_nz, ta ? p.k : p.m, ta ? p.m : p.k),
                                 sizeof(SrcAT), call);
        softascend::matmul_stage(plan_.b, bytes_of(b_nz, tb ? p.n : p.k, tb ? p.k : p.n),
                                 sizeof(SrcBT), call);
        softascend::matmul_stage(plan_.bias, p.n * sizeof(BiasT), sizeof(BiasT), call);
    }
    SA_INLINE void *scratch(uint64_t bytes)
    {
        if (scratch_bytes_ < bytes) {
            scratch_ = sa_scratch(sa_self(), bytes);
            scratch_bytes_ = bytes;
        }
        return scratch_;
    }

    template <bool sync>
    SA_INLINE uint32_t this_block()
    {
        softascend::matmul_check(plan_, "GetTensorC");
        finish();
        if constexpr (!sync) { /* the first comes with Iterate, or without */
            if (next_ == plan_.blocks()) {
                begin();
            }
            return next_++;
        }
        if (next_ == 0) {
            SA_FAULT("Matmul::GetTensorC: Iterate comes first, and has to return true");
        }
        return next_ - 1;
    }

    SA_INLINE void run(uint32_t first, uint32_t count, void *c, int64_t pitch, bool sequential,
                       uint8_t atomic, const char *call)
    {
        using softascend::matmul_side_of;
        const softascend::matmul_plan &p = plan_;
        if ((uintptr_t)c < ((uintptr_t)1 << 20)) {
            SA_FAULT("Matmul::%s: C at %p is no global memory", call, c);
        }
        if (atomic > 3) {
            SA_FAULT("Matmul::%s: enAtomic is %d: 0 none, 1 add, 2 max, 3 min", call, (int)atomic);
        }
        finish();
        product_ = {};
        const bool ta = p.a.transposed != a_columns, tb = p.b.transposed != b_columns;
        product_.a = matmul_side_of(p.a, in, a_nz, ta ? p.org_ka : p.org_m, ta ? p.org_m : p.org_ka,
                                    ta ? p.k : p.m, ta ? p.m : p.k);
        product_.b = matmul_side_of(p.b, in, b_nz, tb ? p.org_n : p.org_kb, tb ? p.org_kb : p.org_n,
                                    tb ? p.n : p.k, tb ? p.k : p.n);
        product_.a.transposed = ta, product_.b.transposed = tb;
        softascend::matmul_slots(product_.a, p.k, p.base_k, p.depth_a, p.step_ka,
                                 softascend::MATMUL_A_SLOTS);
        softascend::matmul_slots(product_.b, p.k, p.base_k, p.depth_b, p.step_kb,
                                 softascend::MATMUL_B_SLOTS);
        product_.m = p.m, product_.n = p.n, product_.k = p.k;
        product_.base_m = p.base_m, product_.base_n = p.base_n, product_.base_k = p.base_k;
        product_.n_first = p.n_first;
        product_.sequential = sequential;
        product_.first = first, product_.count = count;
        product_.l1_used = pipe_->used_bytes(SA_L1);
        product_.bias = p.bias.local ? p.bias.scratch : p.bias.gm;
        product_.bias_dtype = softascend::dtype<BiasT>;
        product_.c = c;
        product_.c_dtype = softascend::dtype<DstT>;
        product_.c_nz = c_nz;
        product_.c_pitch = pitch;
        product_.atomic = (sa_atomic)atomic;
        product_.scaled = scaled_, product_.scale = scale_, product_.scales = scales_;
        if (!asks_) {
            sa_barrier(sa_self(), SA_PIPE_ALL);
            softascend::matmul_run(product_);
            sa_barrier(sa_self(), SA_PIPE_ALL);
            return;
        }
        sa_barrier(sa_self(), SA_PIPE_ALL); /* what it reads is there */
        request_.about = &product_;
        sa_request_send(sa_self(), &request_);
        asked_ = true;
    }

    /* Blocks into UB by way of GM: a block's rows lie baseN apart, those of all of C one after the
     * other, from 32 bytes on. */
    SA_INLINE void local_out(uint32_t first, uint32_t count, const LocalTensor<DstT> &ub,
                             bool sequential, uint8_t atomic, const char *call)
    {
        const softascend::matmul_plan &p = plan_;
        const uint32_t size = (uint32_t)sizeof(DstT), blocks_m = (p.m + p.base_m - 1) / p.base_m,
                       blocks_n = (p.n + p.base_n - 1) / p.base_n;
        uint32_t m0 = 0, n0 = 0, rows = p.m, cols = p.n;
        if (atomic) {
            SA_FAULT("Matmul::%s: enAtomic is for C in GM", call);
        }
        if (sa_local_bytes(sa_self(), SA_UB) == 0) {
            SA_FAULT("Matmul::%s: C in UB, which a cube core has not: make the kernel mixed", call);
        }
        if (count == 1) {
            m0 = (p.n_first ? first / blocks_n : first % blocks_m) * p.base_m;
            n0 = (p.n_first ? first % blocks_n : first / blocks_m) * p.base_n;
            rows = softascend::less(p.base_m, p.m - m0);
            cols = softascend::less(p.base_n, p.n - n0);
        }
        const uint32_t pitch = sequential ? p.base_n : softascend::up_to(p.n, 32 / size);
        const uint32_t high = softascend::up_to(sequential ? rows : p.m, 16);
        const uint64_t row_bytes = (uint64_t)pitch * size, width = size == 1 ? 32 : 16;
        uint64_t offset = 0;
        if (!sequential) {
            offset = c_nz ? (n0 / width * high + m0) * width : (uint64_t)m0 * pitch + n0;
        }
        const uint64_t all =
            c_nz ? softascend::up_to(p.n, (uint32_t)width) * (uint64_t)high : (uint64_t)p.m * pitch;
        const uint64_t reach =
            c_nz ? offset + ((cols + width - 1) / width - 1) * high * width + rows * width
                 : offset + (uint64_t)(rows - 1) * pitch + cols;
        if (reach > ub.GetSize()) {
            SA_FAULT("Matmul::%s: the local tensor has %u elements, C reaches to %llu", call,
                     ub.GetSize(), (unsigned long long)reach);
        }
        const uint64_t block = (uint64_t)p.base_m * p.base_n;
        uint8_t *gm = static_cast<uint8_t *>(scratch((all > block ? all : block) * size));
        run(first, count, gm, c_nz ? high : pitch, sequential, 0, call);
        finish();
        const uint64_t from = offset * size;
        uint8_t *to = reinterpret_cast<uint8_t *>(ub.GetPhyAddr()) + from;
        if (c_nz) {
            sa_copy_in_2d(sa_self(), to, (uint32_t)(high * width * size), gm + from,
                          (int64_t)(high * width * size), (cols + (uint32_t)width - 1) / width,
                          (uint32_t)(rows * width * size));
        } else {
            sa_copy_in_2d(sa_self(), to, (uint32_t)row_bytes, gm + from, (int64_t)row_bytes, rows,
                          cols * size);
        }
        sa_barrier(sa_self(), SA_PIPE_ALL);
    }

    softascend::matmul_plan plan_;
    softascend::matmul_product product_ = {};
    sa_request request_ = {};
    TPipe *pipe_ = nullptr;
    bool asks_ = false, registered_ = false, asked_ = false, scaled_ = false;
    double scale_ = 1;
    const uint64_t *scales_ = nullptr;
    void *scratch_ = nullptr; /* for C */
    uint64_t scratch_bytes_ = 0;
    uint32_t next_ = 0; /* blocks that Iterate has come past */
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
          const auto &MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<>, class... Policy>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, Policy...>;
} // namespace AscendC

#endif
