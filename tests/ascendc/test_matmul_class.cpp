/* The high-level Matmul with the host's tilings: types, layouts, tails, orders, ways out, on cube
 * cores and in mixed kernels. Inputs are such that float64 sums are exact in fp32. */
#include "harness.h"
#include "lib/matmul_intf.h"
#include "tiling/tiling_api.h"

using AscendC::CubeFormat;
using AscendC::TPosition;

enum way { ALL, BLOCKS, BLOCKS_IN_UB, ALL_IN_UB, ASYNC, SEQUENTIAL, OWN, LOCAL_INPUTS, FILLED };

struct shape {
    int m, n, k;
    bool ta, tb; /* how A and B are stored */
    int base[3]; /* -1: the host's choice */
    int dim;     /* cores */
    bool bias, n_first;
    int atomic;
    way how;
    double scale; /* 0: none; below 0: a vector of them */
};

struct task {
    shape s;
    TCubeTiling tiling;
    uint8_t *a, *b, *bias, *c;
    uint64_t *scales;
};

template <class A, class C, class Bias, CubeFormat in = CubeFormat::ND,
          CubeFormat out = CubeFormat::ND, TPosition from = TPosition::GM,
          TPosition to = TPosition::GM>
struct types {
    using a = A;
    using c = C;
    using bias = Bias;
    static constexpr bool in_nz = in == CubeFormat::NZ, out_nz = out == CubeFormat::NZ;
    static constexpr bool plain = std::is_same_v<A, half> && std::is_same_v<C, float>;
    using object =
        AscendC::Matmul<AscendC::MatmulType<from, in, A, true>,
                        AscendC::MatmulType<from, in, A, true>, AscendC::MatmulType<to, out, C>,
                        AscendC::MatmulType<TPosition::GM, CubeFormat::ND, Bias>>;
};

static uint64_t up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Where element (r, c) of a stored [rows, columns] lies. */
template <class T>
static uint64_t at(bool nz, uint64_t rows, uint64_t columns, uint64_t r, uint64_t c,
                   uint64_t c0 = 32 / sizeof(T))
{
    return nz ? (c / c0 * up(rows, 16) + r) * c0 + c % c0 : r * columns + c;
}

template <class T>
static AscendC::GlobalTensor<T> tensor(GM_ADDR gm, uint64_t offset = 0)
{
    AscendC::GlobalTensor<T> t;
    t.SetGlobalBuffer((T *)gm + offset);
    return t;
}

/* What a core does with its share, [m, n] from (m0, n0). */
template <class X>
__aicore__ inline void share(typename X::object &mm, AscendC::TPipe &pipe, const task &t, int m0,
                             int n0, int m, int n)
{
    using namespace AscendC;
    const shape &s = t.s;
    const uint64_t pitch = X::out_nz ? 0 : s.n;
    mm.SetSingleShape(m, n, s.k);
    auto a =
        tensor<typename X::a>(t.a, at<typename X::a>(X::in_nz, s.ta ? s.k : s.m, s.ta ? s.m : s.k,
                                                     s.ta ? 0 : m0, s.ta ? m0 : 0));
    auto b =
        tensor<typename X::a>(t.b, at<typename X::a>(X::in_nz, s.tb ? s.n : s.k, s.tb ? s.k : s.n,
                                                     s.tb ? n0 : 0, s.tb ? 0 : n0));
    auto c = tensor<typename X::c>(t.c, at<typename X::c>(X::out_nz, s.m, pitch, m0, n0,
                                                          sizeof(typename X::c) == 1 ? 32 : 16));
    mm.SetTensorA(a, s.ta);
    mm.SetTensorB(b, s.tb);
    if (s.bias) {
        mm.SetBias(tensor<typename X::bias>(t.bias, n0));
    }
    if (s.scale > 0) {
        const float f = (float)s.scale;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        mm.SetQuantScalar(bits);
    } else if (s.scale < 0) {
        GlobalTensor<uint64_t> scales;
        scales.SetGlobalBuffer(t.scales + n0);
        mm.SetQuantVector(scales);
    }
    if constexpr (!X::plain) {
        mm.IterateAll(c, (uint8_t)s.atomic);
    } else {
        const uint32_t block = t.tiling.baseM * t.tiling.baseN;
        TBuf<> buffer, local_a, local_b;
        switch (s.how) {
        case BLOCKS:
            while (mm.Iterate()) {
                mm.GetTensorC(c, (uint8_t)s.atomic);
            }
            break;
        case ASYNC:
            mm.template Iterate<false>();
            for (int i = 0; i < (m + t.tiling.baseM - 1) / t.tiling.baseM *
                                    ((n + t.tiling.baseN - 1) / t.tiling.baseN);
                 i++) {
                mm.template GetTensorC<false>(c);
            }
            mm.template IterateAll<false>(c, 0, false, true);
            mm.WaitIterateAll();
            break;
        case BLOCKS_IN_UB: { /* doubled on the vector core */
            pipe.InitBuffer(buffer, block * 4);
            LocalTensor<float> local = buffer.Get<float>();
            for (int i = 0; mm.Iterate(); i++) {
                const int bm = t.tiling.baseM, bn = t.tiling.baseN, high = (m + bm - 1) / bm,
                          wide = (n + bn - 1) / bn;
                const int row = (s.n_first ? i / wide : i % high) * bm;
                const int col = (s.n_first ? i % wide : i / high) * bn;
                const int rows = m - row < bm ? m - row : bm, cols = n - col < bn ? n - col : bn;
                mm.GetTensorC(local, 0, true);
                Muls(local, local, 2.0f, (rows - 1) * bn + cols);
                PipeBarrier<PIPE_ALL>();
                DataCopyPad(c[(uint64_t)row * s.n + col], local,
                            DataCopyExtParams(rows, cols * 4, (bn - (cols + 7) / 8 * 8) / 8,
                                              (s.n - cols) * 4, 0));
                PipeBarrier<PIPE_ALL>();
            }
            break;
        }
        case ALL_IN_UB: {
            const int width = (n + 7) / 8 * 8;
            pipe.InitBuffer(buffer, m * width * 4);
            LocalTensor<float> local = buffer.Get<float>();
            mm.IterateAll(local);
            DataCopyPad(c, local, DataCopyExtParams(m, n * 4, 0, (s.n - n) * 4, 0));
            PipeBarrier<PIPE_ALL>();
            break;
        }
        case SEQUENTIAL: /* one core */
            mm.IterateAll(c, 0, true);
            break;
        case OWN: {
            pipe.InitBuffer(buffer, block * 4);
            LocalTensor<float> local = buffer.Get<float>();
            mm.Iterate();
            GlobalTensor<float> own = mm.GetTensorC();
            DataCopy(local, own, block);
            PipeBarrier<PIPE_ALL>();
            DataCopyPad(c, local, DataCopyExtParams(m, n * 4, (t.tiling.baseN - n) / 8, 0, 0));
            PipeBarrier<PIPE_ALL>();
            break;
        }
        case LOCAL_INPUTS: {
            const uint32_t ca = (s.ta ? m : s.k), ra = s.ta ? s.k : m, cb = s.tb ? s.k : n,
                           rb = s.tb ? n : s.k;
            pipe.InitBuffer(local_a, ra * (ca + 15) / 16 * 16 * 2 + 32 * ra);
            pipe.InitBuffer(local_b, rb * (cb + 15) / 16 * 16 * 2 + 32 * rb);
            LocalTensor<half> la = local_a.Get<half>(), lb = local_b.Get<half>();
            DataCopyPad(la, a, DataCopyExtParams(ra, ca * 2, ((s.ta ? s.m : s.k) - ca) * 2, 0, 0),
                        DataCopyPadExtParams<half>(false, 0, 0, half(0)));
            DataCopyPad(lb, b, DataCopyExtParams(rb, cb * 2, ((s.tb ? s.k : s.n) - cb) * 2, 0, 0),
                        DataCopyPadExtParams<half>(false, 0, 0, half(0)));
            PipeBarrier<PIPE_ALL>();
            mm.SetTensorA(la, s.ta);
            mm.SetTensorB(lb, s.tb);
            mm.IterateAll(c);
            break;
        }
        case FILLED:
            mm.SetTensorA(half(0.5f));
            mm.IterateAll(c);
            break;
        default:
            mm.IterateAll(c, (uint8_t)s.atomic);
        }
    }
    mm.End();
}

template <class X>
__aicore__ inline void matmul_kernel(task t)
{
    using namespace AscendC;
    TPipe pipe;
    typename X::object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.tiling);
    const int high = (t.s.m + t.tiling.singleCoreM - 1) / t.tiling.singleCoreM;
    const int i = (int)GetBlockIdx() % high * t.tiling.singleCoreM,
              j = (int)GetBlockIdx() / high * t.tiling.singleCoreN;
    if (GetBlockIdx() >= t.tiling.usedCoreNum) {
        return;
    }
    share<X>(mm, pipe, t, i, j, std::min(t.tiling.singleCoreM, t.s.m - i),
             std::min(t.tiling.singleCoreN, t.s.n - j));
}

/* ---- the host's side */

template <class T>
static T number(int64_t i)
{
    return std::is_same_v<T, int8_t> ? (T)(i * 37 % 19 - 9) : (T)(float)sample((uint32_t)i);
}

template <class T>
static T *device(uint64_t n)
{
    void *p;
    assert_int_equal(aclrtMalloc(&p, n * sizeof(T) + 32, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    return (T *)p;
}

static matmul_tiling::DataType type_of(sa_dtype t)
{
    return (matmul_tiling::DataType)(int)t;
}

static TCubeTiling tiling_of(const shape &s, sa_dtype in, sa_dtype out)
{
    matmul_tiling::MultiCoreMatmulTiling t(
        *platform_ascendc::PlatformAscendCManager::GetInstance());
    TCubeTiling tiling;
    t.SetDim(s.dim);
    t.SetAType(TPosition::GM, CubeFormat::ND, type_of(in), s.ta);
    t.SetBType(TPosition::GM, CubeFormat::ND, type_of(in), s.tb);
    t.SetCType(TPosition::GM, CubeFormat::ND, type_of(out));
    t.SetBiasType(TPosition::GM, CubeFormat::ND, type_of(out));
    t.SetShape(s.m, s.n, s.k);
    t.SetOrgShape(s.m, s.n, s.k);
    t.SetBias(s.bias);
    t.SetFixSplit(s.base[0], s.base[1], s.base[2]);
    t.SetBufferSpace(-1, -1, -1);
    if (s.n_first) {
        t.SetTraverse(matmul_tiling::MatrixTraverse::FIRSTN);
    }
    assert_int_equal(t.GetTiling(tiling), 0);
    assert_true(tiling.usedCoreNum <= s.dim);
    return tiling;
}

template <class X>
static void check(const shape &s, int kind)
{
    using A = typename X::a;
    using C = typename X::c;
    using Bias = typename X::bias;
    const uint64_t m = s.m, n = s.n, k = s.k, c0 = sizeof(C) == 1 ? 32 : 16;
    const uint64_t of_c = X::out_nz ? up(m, 16) * up(n, c0) : m * n;
    A *a = device<A>(up(m, 32) * up(k, 32)), *b = device<A>(up(n, 32) * up(k, 32));
    C *c = device<C>(of_c + up(m, 256) * up(n, 256));
    Bias *bias = device<Bias>(n);
    uint64_t *scales = device<uint64_t>(n);
    char name[160];
    snprintf(name, sizeof name, "%s -> %s, [%d, %d, %d]%s%s, way %d, kind %d",
             sa_dtype_name(softascend::dtype<A>), sa_dtype_name(softascend::dtype<C>), s.m, s.n,
             s.k, s.ta ? " ta" : "", s.tb ? " tb" : "", (int)s.how, kind);
    for (uint64_t i = 0; i < m * k; i++) {
        a[s.ta ? at<A>(X::in_nz, k, m, i % k, i / k) : at<A>(X::in_nz, m, k, i / k, i % k)] =
            number<A>((int64_t)i);
    }
    for (uint64_t i = 0; i < k * n; i++) {
        b[s.tb ? at<A>(X::in_nz, n, k, i % n, i / n) : at<A>(X::in_nz, k, n, i / n, i % n)] =
            number<A>((int64_t)i + 7);
    }
    for (uint64_t i = 0; i < n; i++) {
        bias[i] = std::is_integral_v<Bias> ? (Bias)(i * 3) : (Bias)(float)(i % 9);
        float scale = (float)(i % 5 + 1) / 16;
        uint32_t bits;
        memcpy(&bits, &scale, 4);
        scales[i] = bits;
    }
    for (uint64_t i = 0; i < of_c; i++) {
        c[i] = (C)3.0f;
    }
    task t = {s,
              tiling_of(s, softascend::dtype<A>, softascend::dtype<C>),
              (GM_ADDR)a,
              (GM_ADDR)b,
              (GM_ADDR)bias,
              (GM_ADDR)c,
              scales};
    const int ratio = kind == softascend::KERNEL_MIX_1_2 ? 2 : 1;
    softascend::enqueue(matmul_kernel<X>, kind, "matmul_kernel",
                        (t.tiling.usedCoreNum + ratio - 1) / ratio, stream, t);
    if (aclrtSynchronizeStream(stream)) {
        fail_msg("%s: %s", name, aclGetRecentErrMsg());
    }
    std::vector<C> got(m * n);
    std::vector<double> want(m * n);
    for (uint64_t i = 0; i < m; i++) {
        for (uint64_t j = 0; j < n; j++) {
            double sum = s.bias ? (double)bias[j] : 0;
            for (uint64_t l = 0; l < k; l++) {
                sum += (s.how == FILLED ? 0.5 : (double)number<A>((int64_t)(i * k + l))) *
                       (double)number<A>((int64_t)(l * n + j) + 7);
            }
            sum *= s.scale > 0 ? s.scale : s.scale < 0 ? (double)(j % 5 + 1) / 16 : 1;
            sum = s.atomic == 1   ? (double)(C)(float)sum + 3
                  : s.atomic == 2 ? std::max(sum, 3.0)
                                  : sum;
            sum = s.atomic == 3 ? std::min(sum, 3.0) : s.how == BLOCKS_IN_UB ? 2 * sum : sum;
            if (std::is_same_v<C, int8_t>) {
                sum = std::min(127.0, std::max(-128.0, std::nearbyint(sum)));
            }
            want[i * n + j] = sum;
            uint64_t where = at<C>(X::out_nz, m, n, i, j, c0);
            if (s.how == SEQUENTIAL) {
                uint64_t bm = t.tiling.baseM, bn = t.tiling.baseN;
                uint64_t block = s.n_first ? i / bm * ((n + bn - 1) / bn) + j / bn
                                           : j / bn * ((m + bm - 1) / bm) + i / bm;
                where = block * bm * bn + i % bm * bn + j % bn;
            }
            got[i * n + j] = c[where];
        }
    }
    same(got, want, 0, name);
    for (void *p : {(void *)a, (void *)b, (void *)c, (void *)bias, (void *)scales}) {
        aclrtFree(p);
    }
}

using softascend::KERNEL_AIC;
using softascend::KERNEL_MIX_1_1;
using softascend::KERNEL_MIX_1_2;

template <class X>
static void everywhere(const shape &s)
{
    for (int kind : {(int)KERNEL_AIC, (int)KERNEL_MIX_1_1, (int)KERNEL_MIX_1_2}) {
        check<X>(s, kind);
    }
}

using plain = types<half, float, float>;

static void ways_in_and_out(void **)
{
    static const shape anywhere[] = {
        {64, 64, 64, false, false, {-1, -1, -1}, 1, false, false, 0, ALL, 0},
        {100, 70, 130, false, false, {32, 32, 32}, 4, false, false, 0, ALL, 0},
        {100, 70, 130, true, false, {32, 32, 32}, 4, true, false, 0, ALL, 0},
        {100, 70, 130, false, true, {32, 32, 32}, 3, true, true, 0, ALL, 0},
        {33, 17, 5, true, true, {-1, -1, -1}, 4, true, false, 0, ALL, 0},
        {1, 1, 1, false, false, {-1, -1, -1}, 1, true, false, 0, ALL, 0},
        {300, 520, 64, false, false, {-1, -1, -1}, 2, true, false, 0, ALL, 0},
        {96, 96, 300, false, true, {16, 48, 16}, 1, false, true, 0, BLOCKS, 0},
        {50, 90, 40, false, false, {32, 32, 16}, 2, true, false, 1, BLOCKS, 0},
        {50, 90, 40, false, false, {32, 32, 16}, 2, false, false, 2, ALL, 0},
        {50, 90, 40, false, false, {32, 32, 16}, 2, false, false, 3, ALL, 0},
        {70, 90, 40, false, false, {32, 32, 16}, 2, false, false, 0, ASYNC, 0},
        {70, 90, 40, true, false, {32, 32, 16}, 1, false, false, 0, SEQUENTIAL, 0},
        {70, 90, 40, true, false, {32, 32, 16}, 1, false, true, 0, SEQUENTIAL, 0},
        {70, 90, 40, false, false, {32, 32, 16}, 2, false, false, 0, FILLED, 0},
    };
    static const shape with_vectors[] = {
        {70, 88, 40, false, false, {32, 32, 16}, 2, true, false, 0, BLOCKS_IN_UB, 0},
        {70, 90, 40, false, true, {32, 32, 16}, 4, false, true, 0, BLOCKS_IN_UB, 0},
        {70, 90, 40, false, false, {32, 32, 16}, 2, false, false, 0, ALL_IN_UB, 0},
        {30, 24, 40, false, false, {32, 32, 16}, 1, false, false, 0, OWN, 0},
        {40, 48, 40, false, false, {32, 32, 16}, 2, true, false, 0, LOCAL_INPUTS, 0},
        {40, 50, 37, true, true, {32, 32, 16}, 2, false, false, 0, LOCAL_INPUTS, 0},
    };
    for (const shape &s : anywhere) {
        everywhere<plain>(s);
    }
    for (const shape &s : with_vectors) {
        check<plain>(s, KERNEL_MIX_1_1);
        check<plain>(s, KERNEL_MIX_1_2);
    }
}

static void types_and_layouts(void **)
{
    static const shape s[] = {
        {100, 80, 130, false, false, {32, 32, 32}, 4, true, false, 0, ALL, 0},
        {40, 72, 50, true, true, {-1, -1, -1}, 3, true, false, 0, ALL, 0},
        {65, 33, 70, true, false, {-1, -1, -1}, 2, false, false, 1, ALL, 0},
    };
    constexpr CubeFormat ND = CubeFormat::ND, NZ = CubeFormat::NZ;
    for (const shape &x : s) {
        everywhere<types<half, half, half>>(x);
        everywhere<types<bfloat16_t, bfloat16_t, float>>(x);
        everywhere<types<bfloat16_t, float, float>>(x);
        everywhere<types<float, float, float>>(x);
        everywhere<types<int8_t, int32_t, int32_t>>(x);
        everywhere<types<half, half, float, NZ, ND>>(x);
        everywhere<types<half, half, float, ND, NZ>>(x);
        everywhere<types<float, float, float, NZ, NZ>>(x);
        everywhere<types<int8_t, int32_t, int32_t, NZ, NZ>>(x);
    }
}

static void quantised(void **)
{
    shape s = {70, 96, 80, false, true, {32, 32, 32}, 2, true, false, 0, ALL, 0.0625};
    for (double scale : {0.0625, -1.0}) {
        s.scale = scale;
        everywhere<types<int8_t, half, int32_t>>(s);
        everywhere<types<int8_t, int8_t, int32_t>>(s);
        everywhere<types<half, int8_t, float>>(s);
    }
}

/* ---- several objects, and batches */

struct two_task {
    TCubeTiling first, second, batch;
    uint8_t *a, *b, *c, *d, *e;
};

/* d = (a b) b, then e[i] = a[i] b[i] on batches. */
__aicore__ inline void two_kernel(two_task t)
{
    using namespace AscendC;
    using nd = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    using bsngd = MatmulType<TPosition::GM, CubeFormat::ND, float, false, LayoutMode::BSNGD>;
    TPipe pipe;
    Matmul<nd, nd, nd> one, two;
    Matmul<bsngd, nd, bsngd, nd, CFG_NORM> many;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), one, &t.first, two, many);
    two.Init(&t.second);
    many.Init(&t.batch);
    if (GetBlockIdx() > 0) {
        return;
    }
    one.SetTensorA(tensor<float>(t.a));
    one.SetTensorB(tensor<float>(t.b));
    two.SetTensorA(tensor<float>(t.c));
    two.SetTensorB(tensor<float>(t.b));
    one.IterateAll(tensor<float>(t.c));
    two.IterateAll(tensor<float>(t.d));
    many.SetTensorA(tensor<float>(t.a));
    many.SetTensorB(tensor<float>(t.b));
    many.IterateBatch(tensor<float>(t.e), 4, 2, false);
    many.End();
}

static void several_objects_and_batches(void **)
{
    const int n = 32;
    shape s = {n, n, n, false, false, {16, 16, 16}, 1, false, false, 0, ALL, 0};
    float *a = device<float>(n * n), *b = device<float>(n * n), *c = device<float>(n * n),
          *d = device<float>(n * n), *e = device<float>(n * n);
    two_task t = {tiling_of(s, SA_F32, SA_F32),
                  tiling_of(s, SA_F32, SA_F32),
                  {},
                  (GM_ADDR)a,
                  (GM_ADDR)b,
                  (GM_ADDR)c,
                  (GM_ADDR)d,
                  (GM_ADDR)e};
    /* A [B 2, S 8, N 2, D 32], B two of [32, 16], C [2, 8, 2, 16] */
    matmul_tiling::BatchMatmulTiling batch(
        *platform_ascendc::PlatformAscendCManager::GetInstance());
    batch.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    batch.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    batch.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    batch.SetShape(8, 16, 32);
    batch.SetOrgShape(8, 16, 32);
    batch.SetALayout(2, 8, 2, 1, 32);
    batch.SetCLayout(2, 8, 2, 1, 16);
    batch.SetBatchNum(4);
    assert_int_equal(batch.GetTiling(t.batch), 0);
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i * 7 % 11 - 5), b[i] = (float)(i * 5 % 13 - 6);
    }
    for (int kind : {(int)KERNEL_AIC, (int)KERNEL_MIX_1_2}) {
        softascend::enqueue(two_kernel, kind, "two_kernel", 1, stream, t);
        if (aclrtSynchronizeStream(stream)) {
            fail_msg("%s", aclGetRecentErrMsg());
        }
        for (int i = 0; i < n * n; i++) {
            double left = 0, right = 0;
            for (int k = 0; k < n; k++) {
                double inner = 0;
                for (int l = 0; l < n; l++) {
                    inner += (double)a[i / n * n + l] * (double)b[l * n + k];
                }
                left += inner * (double)b[k * n + i % n];
            }
            assert_true((double)d[i] == left);
            if (i < 2 * 8 * 2 * 16) { /* (batch, row, head, column); B goes with two products */
                int column = i % 16, head = i / 16 % 2, row = i / 32 % 8, of = i / 256;
                for (int k = 0; k < 32; k++) {
                    right += (double)a[((of * 8 + row) * 2 + head) * 32 + k] *
                             (double)b[(of * 2 + head) / 2 * 512 + k * 16 + column];
                }
                assert_true((double)e[i] == right);
            }
        }
    }
    for (float *p : {a, b, c, d, e}) {
        aclrtFree(p);
    }
}

/* ---- what is refused, by a message with this file's line */

enum fault { NO_TILING, NO_B, K_DIFFERS, L1_FULL, L0_FULL, NO_ITERATE, SMALL_LOCAL, NULL_C };

__aicore__ inline void faulty(TCubeTiling tiling, GM_ADDR gm, int what)
{
    using namespace AscendC;
    using h = MatmulType<TPosition::GM, CubeFormat::ND, half>;
    using f = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    TPipe pipe;
    TBuf<> small;
    pipe.InitBuffer(small, 64);
    Matmul<h, h, f> mm;
    if (what == L1_FULL) {
        tiling.depthA1 = tiling.depthB1 = 1000;
    } else if (what == L0_FULL) {
        tiling.baseK = 8192;
    } else if (what == K_DIFFERS) {
        tiling.Kb = 16;
    }
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm,
                      what == NO_TILING ? (TCubeTiling *)nullptr : &tiling);
    mm.SetTensorA(tensor<half>(gm));
    if (what != NO_B) {
        mm.SetTensorB(tensor<half>(gm));
    }
    if (what == NO_ITERATE) {
        mm.GetTensorC(tensor<float>(gm));
    } else if (what == SMALL_LOCAL) {
        mm.Iterate();
        mm.GetTensorC(small.Get<float>(), 0, true);
    } else {
        mm.IterateAll(tensor<float>(what == NULL_C ? nullptr : gm));
    }
}

static void misuse_is_named(void **)
{
    static const struct {
        fault what;
        const char *text;
    } cases[] = {
        {NO_TILING, "the object has no tiling"},
        {NO_B, "SetTensorB comes first"},
        {K_DIFFERS, "k differs"},
        {L1_FULL, "bytes of L1, which has 524288"},
        {L0_FULL, "of L0A"},
        {NO_ITERATE, "Iterate comes first"},
        {SMALL_LOCAL, "has 16 elements"},
        {NULL_C, "is no global memory"},
    };
    const shape s = {64, 64, 64, false, false, {-1, -1, -1}, 1, false, false, 0, ALL, 0};
    const TCubeTiling tiling = tiling_of(s, SA_F16, SA_F32);
    float *gm = device<float>(64 * 64);
    for (const auto &c : cases) {
        for (int kind : {(int)KERNEL_AIC, (int)KERNEL_MIX_1_2, (int)softascend::KERNEL_AIV}) {
            if (c.what == SMALL_LOCAL && kind == KERNEL_AIC) {
                continue;
            }
            softascend::enqueue(faulty, kind, "faulty", 2, stream, tiling, (GM_ADDR)gm,
                                (int)c.what);
            const int code = aclrtSynchronizeStream(stream);
            const char *text = aclGetRecentErrMsg();
            const bool alone = kind == softascend::KERNEL_AIV;
            if (code != (kind == KERNEL_AIC ? 507015 : 507035) || !text ||
                !strstr(text, alone ? "runs on vector cores alone" : c.text) ||
                !strstr(text, "test_matmul_class.cpp:")) {
                fail_msg("fault %d, kind %d: code %d: %s", (int)c.what, kind, code,
                         text ? text : "");
            }
            aclrtDestroyStream(stream);
            aclrtCreateStream(&stream);
        }
    }
    aclrtFree(gm);
    matmul_tiling::MatmulApiTiling none;
    TCubeTiling t;
    none.SetShape(0, 1, 1);
    assert_int_equal(none.GetTiling(t), -1);
    none.SetShape(512, 512, 512);
    none.SetFixSplit(512, 512, -1);
    assert_int_equal(none.GetTiling(t), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_in_and_out), cmocka_unit_test(types_and_layouts),
        cmocka_unit_test(quantised),       cmocka_unit_test(several_objects_and_batches),
        cmocka_unit_test(misuse_is_named),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
