/* The moves of the Ascend C door: DataCopy in rows, DataCopyPad with padding, NZ, GM atomics; each
 * value is traced back to where it came from. */
#include "harness.h"

using namespace AscendC;

/* A kernel with global tensors of its own: x in, z out. */
using gm_body = void (*)(GlobalTensor<float> &, GlobalTensor<float> &, LocalTensor<float> &);
__aicore__ inline void run_gm(GM_ADDR x, GM_ADDR z, gm_body b)
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64 << 10);
    GlobalTensor<float> gx, gz;
    gx.SetGlobalBuffer((__gm__ float *)x, 4096);
    gz.SetGlobalBuffer((__gm__ float *)z, 4096);
    LocalTensor<float> l = buffer.Get<float>();
    b(gx, gz, l);
    PipeBarrier<PIPE_ALL>();
}
SOFTASCEND_KERNEL(run_gm, GM_ADDR, GM_ADDR, gm_body)

/* x[i] = i; z begins as -1. */
static std::vector<float> run_on_gm(gm_body b, uint32_t blocks = 1, float before = -1)
{
    std::vector<float> x(4096), z(4096, before);
    for (int i = 0; i < 4096; i++) {
        x[i] = (float)i;
    }
    void *dx, *dz;
    const size_t bytes = 4096 * 4;
    aclrtMalloc(&dx, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&dz, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(dx, bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(dz, bytes, z.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    ACLRT_LAUNCH_KERNEL(run_gm)(blocks, stream, (GM_ADDR)dx, (GM_ADDR)dz, b);
    if (aclrtSynchronizeStream(stream) != ACL_SUCCESS) {
        fail_msg("%s", aclGetRecentErrMsg());
    }
    aclrtMemcpy(z.data(), bytes, dz, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtFree(dx);
    aclrtFree(dz);
    return z;
}

/* Three rows of two blocks, five blocks apart in GM, one block between them in UB; and out again
 * with gaps the other way round. */
static void test_rows(void **)
{
    std::vector<float> z = run_on_gm([](auto &x, auto &z, auto &l) {
        Duplicate(l, -2.0f, 256);
        PipeBarrier<PIPE_ALL>();
        DataCopy(l, x[8], DataCopyParams(3, 2, 3, 1));
        PipeBarrier<PIPE_ALL>();
        DataCopy(z, l, 80u);
        DataCopy(z[1024], l, DataCopyParams(3, 2, 1, 4));
    });
    for (int i = 0; i < 80; i++) {
        int row = i / 24, in_row = i % 24;
        assert_true(z[i] == (row < 3 && in_row < 16 ? (float)(8 + row * 40 + in_row) : -2));
    }
    for (int i = 0; i < 200; i++) {
        int row = i / 48, in_row = i % 48;
        assert_true(z[1024 + i] == (row < 3 && in_row < 16 ? (float)(8 + row * 40 + in_row) : -1));
    }
}

/* Rows of 5 elements, 7 apart in GM, with 1 of padding on the left: a block each in UB. */
static void test_pad(void **)
{
    std::vector<float> z = run_on_gm([](auto &x, auto &z, auto &l) {
        DataCopyExtParams p = {4, 5 * sizeof(float), 2 * sizeof(float), 1, 0};
        DataCopyPadExtParams<float> pad = {true, 1, 2, 7.5f};
        Duplicate(l, -2.0f, 256);
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(l, x[3], p, pad);
        PipeBarrier<PIPE_ALL>();
        DataCopy(z, l, 64u);
        DataCopyPad(z[512], l[1], DataCopyParams(1, 5 * sizeof(float), 0, 0));
        DataCopyPad(z[1024], l, DataCopyExtParams(4, 6 * sizeof(float), 1, 3 * sizeof(float), 0));
    });
    for (int i = 0; i < 64; i++) {
        int row = i / 16, in_row = i % 16;
        float want = in_row >= 8                 ? -2
                     : in_row == 0 || in_row > 5 ? 7.5f
                                                 : (float)(3 + row * 7 + in_row - 1);
        assert_true(z[i] == want);
    }
    for (int i = 0; i < 6; i++) {
        assert_true(z[512 + i] == (i < 5 ? (float)(3 + i) : -1));
    }
    for (int i = 0; i < 36; i++) {
        int row = i / 9, in_row = i % 9;
        float want = in_row >= 6 ? -1 : in_row == 0 ? 7.5f : (float)(3 + row * 7 + in_row - 1);
        assert_true(z[1024 + i] == want);
    }
}

/* NZ in UB (two column blocks of 8, rows 4 apart in units of C0) to row-major. */
static void test_nz_out(void **)
{
    std::vector<float> z = run_on_gm([](auto &x, auto &z, auto &l) {
        DataCopy(l, x, 64u);
        PipeBarrier<PIPE_ALL>();
        DataCopy(z, l, Nz2NdParamsFull(1, 3, 12, 1, 4, 20, 1));
    });
    for (int i = 0; i < 60; i++) {
        int row = i / 20, col = i % 20;
        assert_true(z[i] == (col < 12 ? (float)(col / 8 * 32 + row * 8 + col % 8) : -1));
    }
}

/* Every block adds its share; the sum does not depend on their order. */
static void test_atomics(void **)
{
    std::vector<float> z = run_on_gm(
        [](auto &x, auto &z, auto &l) {
            DataCopy(l, x, 40u);
            PipeBarrier<PIPE_ALL>();
            SetAtomicAdd<float>();
            DataCopy(z, l, 40u);
            SetAtomicNone();
            SetAtomicMax<float>();
            DataCopy(z[64], l[GetBlockIdx() * 8], 8u);
            SetAtomicNone();
            SetAtomicMin<float>();
            DataCopy(z[128], l[GetBlockIdx() * 8], 8u);
            SetAtomicNone();
        },
        4, 10);
    for (int i = 0; i < 40; i++) {
        assert_true(z[i] == 10 + 4 * (float)i);
    }
    for (int i = 0; i < 8; i++) {
        assert_true(z[64 + i] == (float)(24 + i));
        assert_true(z[128 + i] == std::min(10.0f, (float)i));
    }
}

/* Tensors: sizes, views, single elements of every type. */
static void test_tensors(void **)
{
    std::vector<float> z = run_on_gm([](auto &x, auto &z, auto &l) {
        l.SetValue(0, 1.5f);
        l(1) = l.GetValue(0) + x.GetValue(7);
        LocalTensor<int64_t> wide = l[8].template ReinterpretCast<int64_t>();
        wide.SetValue(0, ((int64_t)1 << 60) + 1);
        l.SetValue(2, (float)(wide.GetValue(0) - ((int64_t)1 << 60)));
        LocalTensor<half> h = l[16].template ReinterpretCast<half>();
        h.SetValue(3, half(0.1f));
        l.SetValue(3, (float)h.GetValue(3));
        l.SetValue(4, (float)l[32].GetSize());
        l.SetValue(5, (float)l.GetLength());
        h.SetSize(10);
        l.SetValue(6, (float)h.GetSize());
        l.SetValue(7, (float)(x.GetSize() - x[100].GetSize()));
        z.SetValue(100, 42);
        PipeBarrier<PIPE_ALL>();
        DataCopy(z, l, 8u);
    });
    const float want[] = {1.5f, 8.5f, 1, 0.0999755859375f, 16384 - 32, 65536, 10, 100};
    for (int i = 0; i < 8; i++) {
        assert_true(z[i] == want[i]);
    }
    assert_true(z[100] == 42);
}

/* Queues: a queue that binds in and out, in place; what is in it, what is free; GetTPipePtr. */
static void test_queues(void **)
{
    std::vector<float> z = run_on_gm([](auto &x, auto &z, auto &) {
        TPipe *pipe = GetTPipePtr();
        TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 2> through;
        pipe->InitBuffer(through, 2, 64 * sizeof(float));
        for (int i = 0; i < 6; i++) {
            LocalTensor<float> t = through.template AllocTensor<float>();
            DataCopy(t, x[i * 64], 64u);
            through.EnQue(t);
            if (through.GetTensorCountInQue() == 2 || i == 5) {
                bool full = !through.VacantInQue(), idle = through.HasIdleBuffer();
                while (through.HasTensorInQue()) {
                    through.DeQue(t);
                    z.SetValue(1000, full && !idle);
                    int first = (int)t.GetValue(0);
                    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
                    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
                    DataCopy(z[first], t, 64u);
                    through.FreeTensor(t);
                }
            }
        }
        TEventID id = pipe->AllocEventID<HardEvent::MTE3_V>();
        set_flag(PIPE_MTE3, PIPE_V, id);
        wait_flag(PIPE_MTE3, PIPE_V, id);
        pipe->ReleaseEventID<HardEvent::MTE3_V>(id);
        pipe_barrier(PIPE_ALL);
    });
    for (int i = 0; i < 384; i++) {
        assert_true(z[i] == (float)i);
    }
    assert_true(z[1000] == 1);
}

/* Pools: two sets of buffers one after the other in the same memory, and a pool within a pool. */
static void test_pools(void **)
{
    std::vector<float> z = run_on_gm([](auto &x, auto &z, auto &) {
        TPipe *pipe = GetTPipePtr();
        TBufPool<TPosition::VECCALC> pool, shared;
        pipe->InitBufPool(pool, 1024);
        pipe->InitBufPool(shared, 512, pool);
        const void *first = nullptr;
        for (int round = 0; round < 2; round++) {
            TQue<QuePosition::VECIN, 1> in;
            TBufPool<TPosition::VECCALC> inner;
            TBuf<> rest;
            pool.InitBuffer(in, 2, 64 * sizeof(float));
            pool.InitBufPool(inner, 256);
            inner.InitBuffer(rest, 256);
            LocalTensor<float> t = in.template AllocTensor<float>(), sum = rest.Get<float>();
            first = first ? first : t.GetPhyAddr();
            DataCopy(t, x[round * 64], 64u);
            in.EnQue(t);
            t = in.template DeQue<float>();
            Adds(sum, t, 1.0f, 64);
            PipeBarrier<PIPE_ALL>();
            DataCopy(z[round * 64], sum, 64u);
            in.FreeTensor(t);
            z.SetValue(500 + round, t.GetPhyAddr() == first);
            pool.Reset();
            in.FreeAllEvent();
        }
        TBuf<> same;
        shared.InitBuffer(same, 32);
        z.SetValue(502, same.Get<float>().GetPhyAddr() == first);
        PipeBarrier<PIPE_ALL>();
    });
    for (int i = 0; i < 128; i++) {
        assert_true(z[i] == (float)i + 1);
    }
    assert_true(z[500] == 1 && z[501] == 1 && z[502] == 1);
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_pad),
        cmocka_unit_test(test_nz_out),  cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_tensors), cmocka_unit_test(test_queues),
        cmocka_unit_test(test_pools),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
