/* The cube's calls of the Ascend C door: a product by every way of loading, with bias, partial sums
 * over k, and out in float, half with ReLU, NZ, and int8 by a scale. Values from double. */
#include "harness.h"

using namespace AscendC;

constexpr int M = 48, K = 64, N = 32;

struct places {
    LocalTensor<half> a1, b1, a2, b2;
    LocalTensor<float> c1, co1, c2;
    GlobalTensor<float> bias, out;
};
using cube_body = void (*)(places &);

__aicore__ inline void run_cube(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, cube_body body)
{
    TPipe pipe;
    TQue<TPosition::A1, 1> a1;
    TQue<TPosition::B1, 1> b1;
    TQue<TPosition::A2, 1> a2;
    TQue<TPosition::B2, 1> b2;
    TQue<TPosition::CO1, 1> co1;
    TBuf<TPosition::C1> c1;
    TBuf<TPosition::C2> c2;
    pipe.InitBuffer(a1, 1, M * K * 2);
    pipe.InitBuffer(b1, 1, K * N * 2);
    pipe.InitBuffer(a2, 1, M * K * 2);
    pipe.InitBuffer(b2, 1, K * N * 2);
    pipe.InitBuffer(co1, 1, M * N * 4);
    pipe.InitBuffer(c1, N * 4);
    pipe.InitBuffer(c2, N * 4);
    places p;
    GlobalTensor<half> ga, gb;
    ga.SetGlobalBuffer((__gm__ half *)a);
    gb.SetGlobalBuffer((__gm__ half *)b);
    p.bias.SetGlobalBuffer((__gm__ float *)bias);
    p.out.SetGlobalBuffer((__gm__ float *)c);
    p.a1 = a1.AllocTensor<half>();
    p.b1 = b1.AllocTensor<half>();
    DataCopy(p.a1, ga, Nd2NzParams(1, M, K, 0, K, M, 1, 0));
    DataCopy(p.b1, gb, Nd2NzParams(1, K, N, 0, N, K, 1, 0));
    a1.EnQue(p.a1);
    b1.EnQue(p.b1);
    p.a1 = a1.DeQue<half>();
    p.b1 = b1.DeQue<half>();
    p.a2 = a2.AllocTensor<half>();
    p.b2 = b2.AllocTensor<half>();
    p.co1 = co1.AllocTensor<float>();
    p.c1 = c1.Get<float>();
    p.c2 = c2.Get<float>();
    body(p);
    PipeBarrier<PIPE_ALL>();
    a1.FreeTensor(p.a1);
    b1.FreeTensor(p.b1);
    a2.FreeTensor(p.a2);
    b2.FreeTensor(p.b2);
    co1.FreeTensor(p.co1);
}

/* NZ fractals of A to L0A row block by row block; of B, transposed, k block by k block. */
static void load_2d(places &p)
{
    for (int m1 = 0; m1 < M / 16; m1++) {
        LoadData(p.a2[m1 * 16 * K], p.a1,
                 LoadData2DParams((uint16_t)m1, K / 16, M / 16, 0, 0, false, 0));
    }
    for (int k1 = 0; k1 < K / 16; k1++) {
        LoadData2dParams load;
        load.startIndex = (uint16_t)k1;
        load.repeatTimes = N / 16;
        load.srcStride = K / 16;
        load.ifTranspose = true;
        LoadData(p.b2[k1 * 16 * N], p.b1, load);
    }
    PipeBarrier<PIPE_ALL>();
}

static FixpipeParamsV220 to_rows(int stride = N)
{
    return FixpipeParamsV220(N, M, M, (uint32_t)stride, false);
}
static MmadParams product(int k = K)
{
    MmadParams p;
    p.m = M;
    p.n = N;
    p.k = (uint16_t)k;
    return p;
}

static std::vector<half> a, b;
static std::vector<float> bias;
static double element(int i, int j)
{
    double sum = 0;
    for (int k = 0; k < K; k++) {
        sum += (double)(float)a[i * K + k] * (double)(float)b[k * N + j];
    }
    return sum;
}

template <class T>
static std::vector<T> run_product(cube_body body)
{
    void *d[4];
    std::vector<float> c(M * N, -1);
    const void *host[] = {a.data(), b.data(), bias.data(), c.data()};
    const size_t bytes[] = {a.size() * 2, b.size() * 2, N * 4, c.size() * 4};
    for (int i = 0; i < 4; i++) {
        aclrtMalloc(&d[i], bytes[i], ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(d[i], bytes[i], host[i], bytes[i], ACL_MEMCPY_HOST_TO_DEVICE);
    }
    softascend::enqueue(run_cube, softascend::KERNEL_AIC, "run_cube", 1, stream, (GM_ADDR)d[0],
                        (GM_ADDR)d[1], (GM_ADDR)d[2], (GM_ADDR)d[3], body);
    if (aclrtSynchronizeStream(stream) != ACL_SUCCESS) {
        fail_msg("%s", aclGetRecentErrMsg());
    }
    std::vector<T> got(M * N);
    aclrtMemcpy(got.data(), got.size() * sizeof(T), d[3], got.size() * sizeof(T),
                ACL_MEMCPY_DEVICE_TO_HOST);
    for (void *p : d) {
        aclrtFree(p);
    }
    return got;
}

/* Sums of 64 products of these samples are exact in float. */
static void check(const char *what, cube_body body, double (*f)(int, int))
{
    std::vector<float> got = run_product<float>(body);
    for (int i = 0; i < M * N; i++) {
        double want = f(i / N, i % N);
        if (got[i] != (float)want) {
            fail_msg("%s: element [%d, %d] is %.9g, expected %.9g", what, i / N, i % N, got[i],
                     want);
        }
    }
}

static void test_products(void **)
{
    check(
        "LoadData 2D",
        [](places &p) {
            load_2d(p);
            Mmad(p.co1, p.a2, p.b2, product());
            PipeBarrier<PIPE_ALL>();
            Fixpipe<float, float, CFG_ROW_MAJOR>(p.out, p.co1, to_rows());
        },
        element);
    check(
        "two halves of k",
        [](places &p) {
            load_2d(p);
            /* the left operand's half of k is not one run: load it again */
            for (int half_k = 0; half_k < 2; half_k++) {
                for (int m1 = 0; m1 < M / 16; m1++) {
                    LoadData(p.a2[m1 * 16 * K / 2], p.a1,
                             LoadData2DParams((uint16_t)(half_k * K / 32 * (M / 16) + m1), K / 32,
                                              M / 16, 0, 0, false, 0));
                }
                PipeBarrier<PIPE_ALL>();
                MmadParams m = product(K / 2);
                m.cmatrixInitVal = half_k == 0;
                Mmad(p.co1, p.a2, p.b2[half_k * K / 2 * N], m);
                PipeBarrier<PIPE_ALL>();
            }
            Fixpipe(p.out, p.co1, to_rows());
        },
        element);
    check(
        "LoadData 3D and LoadDataWithTranspose",
        [](places &p) {
            LoadData3DParamsV2<half> load;
            load.l1H = 1;
            load.l1W = M;
            load.channelSize = K;
            load.kExtension = K;
            load.mExtension = M;
            LoadData(p.a2, p.a1, load);
            for (int k1 = 0; k1 < K / 16; k1++) {
                LoadDataWithTranspose(
                    p.b2[k1 * 16 * N], p.b1,
                    LoadData2dTransposeParams((uint16_t)k1, N / 16, K / 16, 0, 0));
            }
            PipeBarrier<PIPE_ALL>();
            Mmad(p.co1, p.a2, p.b2, product());
            PipeBarrier<PIPE_ALL>();
            Fixpipe(p.out, p.co1, to_rows());
        },
        element);
    check(
        "bias",
        [](places &p) {
            load_2d(p);
            DataCopy(p.c1, p.bias, (uint32_t)N);
            PipeBarrier<PIPE_ALL>();
            DataCopy(p.c2, p.c1, (uint32_t)N);
            PipeBarrier<PIPE_ALL>();
            MmadParams m = product();
            m.cmatrixInitVal = false;
            m.cmatrixSource = true;
            Mmad(p.co1, p.a2, p.b2, p.c2, m);
            PipeBarrier<PIPE_ALL>();
            Fixpipe(p.out, p.co1, to_rows());
        },
        [](int i, int j) { return element(i, j) + (double)bias[j]; });
    check(
        "InitConstValue",
        [](places &p) {
            load_2d(p);
            InitConstValue(p.a1, InitConstValueParams<half>(1, M * K / 16, 0, half(2)));
            PipeBarrier<PIPE_ALL>();
            for (int m1 = 0; m1 < M / 16; m1++) {
                LoadData(p.a2[m1 * 16 * K], p.a1,
                         LoadData2DParams((uint16_t)m1, K / 16, M / 16, 0, 0, false, 0));
            }
            PipeBarrier<PIPE_ALL>();
            Mmad(p.co1, p.a2, p.b2, product());
            PipeBarrier<PIPE_ALL>();
            Fixpipe(p.out, p.co1, to_rows());
        },
        [](int, int j) {
            double sum = 0;
            for (int k = 0; k < K; k++) {
                sum += 2 * (double)(float)b[k * N + j];
            }
            return sum;
        });
}

static void test_out(void **)
{
    std::vector<half> relu = run_product<half>([](places &p) {
        load_2d(p);
        Mmad(p.co1, p.a2, p.b2, product());
        PipeBarrier<PIPE_ALL>();
        GlobalTensor<half> out;
        out.SetGlobalBuffer((__gm__ half *)p.out.GetPhyAddr());
        FixpipeParamsV220 f = to_rows();
        f.quantPre = QuantMode_t::F322F16;
        f.reluEn = true;
        Fixpipe(out, p.co1, f);
    });
    std::vector<float> nz = run_product<float>([](places &p) {
        load_2d(p);
        Mmad(p.co1, p.a2, p.b2, product());
        PipeBarrier<PIPE_ALL>();
        FixpipeParamsV220 f = to_rows(M * 2); /* a column block: M rows of 64 bytes */
        Fixpipe<float, float, CFG_NZ>(p.out, p.co1, f);
    });
    std::vector<int8_t> quantised = run_product<int8_t>([](places &p) {
        load_2d(p);
        Mmad(p.co1, p.a2, p.b2, product());
        PipeBarrier<PIPE_ALL>();
        GlobalTensor<int8_t> out;
        out.SetGlobalBuffer((__gm__ int8_t *)p.out.GetPhyAddr());
        float scale = 0.25f;
        uint32_t bits;
        std::memcpy(&bits, &scale, 4);
        FixpipeParamsV220 f = to_rows();
        f.quantPre = QuantMode_t::QF322B8_PRE;
        f.deqScalar = bits;
        Fixpipe(out, p.co1, f);
    });
    for (int i = 0; i < M * N; i++) {
        double want = element(i / N, i % N);
        assert_true((float)relu[i] == (float)half(want > 0 ? (float)want : 0));
        assert_true(nz[i % N / 16 * M * 16 + i / N * 16 + i % 16] == (float)want);
        double q = std::nearbyint(want * 0.25);
        assert_int_equal(quantised[i], q > 127 ? 127 : q < -128 ? -128 : (int)q);
    }
}

int main()
{
    a = samples<half>(M * K);
    b = samples<half>(K * N, 500);
    bias = samples<float>(N, 900);
    const CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_out)};
    return cmocka_run_group_tests(tests, begin, end);
}
