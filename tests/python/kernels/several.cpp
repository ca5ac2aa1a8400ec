/* Small kernels, each for one thing that load_ascendc passes: test_load_ascendc.py says what. They
 * read and write GM directly: what is tested is the way there. */
#include "kernel_operator.h"

#ifndef DTYPE_X
#define DTYPE_X float
#endif

/* any dtype, several blocks */
extern "C" __global__ __aicore__ void copy(GM_ADDR x, GM_ADDR y, uint32_t n)
{
    for (uint32_t i = AscendC::GetBlockIdx(); i < n; i += AscendC::GetBlockNum()) {
        ((__gm__ DTYPE_X *)y)[i] = ((__gm__ DTYPE_X *)x)[i];
    }
}

/* every kind of value */
extern "C" __global__ __aicore__ void numbers(__gm__ float *x, __gm__ double *y, int8_t a,
                                              uint64_t b, float c, double d, bool e, half f,
                                              int64_t g)
{
    const double all[] = {x[0], (double)a, (double)b, c, d, (double)e, (double)(float)f, (double)g};
    for (int i = 0; i < 8; i++) {
        y[i] = all[i];
    }
}

struct Affine {
    float scale, shift;
    uint32_t n;
};

/* a structure by value, another in GM, a workspace, two outputs of other shapes */
extern "C" __global__ __aicore__ void affine(__gm__ float *x, __gm__ float *y, __gm__ int32_t *most,
                                             GM_ADDR workspace, GM_ADDR tiling, Affine by_value)
{
    GET_TILING_DATA_WITH_STRUCT(Affine, t, tiling);
    __gm__ float *room = (__gm__ float *)workspace;
    for (uint32_t i = 0; i < t.n; i++) {
        room[i] = x[i] * t.scale + t.shift;
    }
    most[0] = -1;
    for (uint32_t i = 0; i < by_value.n; i++) {
        y[i] = room[i] * by_value.scale + by_value.shift;
        most[0] = most[0] < 0 || y[i] > y[most[0]] ? (int32_t)i : most[0];
    }
}

/* adds to what is there, from every block */
extern "C" __global__ __aicore__ void total(__gm__ float *x, __gm__ float *sum, int32_t n)
{
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> room;
    pipe.InitBuffer(room, 32);
    AscendC::LocalTensor<float> part = room.Get<float>();
    float mine = 0;
    for (int32_t i = AscendC::GetBlockIdx(); i < n; i += AscendC::GetBlockNum()) {
        mine += x[i];
    }
    AscendC::Duplicate(part, 0.0f, 8);
    AscendC::PipeBarrier<PIPE_ALL>();
    part.SetValue(0, mine);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::GlobalTensor<float> out;
    out.SetGlobalBuffer(sum, 8);
    AscendC::SetAtomicAdd<float>();
    AscendC::DataCopy(out, part, 8);
    AscendC::SetAtomicNone();
}

/* rows of x scaled by s */
extern "C" __global__ __aicore__ void scale_rows(__gm__ float *x, __gm__ float *s, __gm__ float *y,
                                                 uint32_t rows, uint32_t columns, float by)
{
    for (uint32_t i = 0; i < rows * columns; i++) {
        y[i] = x[i] * s[i / columns] * by;
    }
}

extern "C" __global__ __aicore__ void faulty(__gm__ float *x, __gm__ float *y)
{
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> room;
    pipe.InitBuffer(room, 256 * sizeof(float));
    AscendC::LocalTensor<float> a = room.Get<float>();
    AscendC::Adds(a, a, 1.0f, 1 << 20); /* the fault */
    y[0] = x[0];
}

extern "C" __global__ __aicore__ void null(__gm__ float *x, __gm__ float *y)
{
    __gm__ volatile float *nowhere = nullptr;
    y[0] = x[0] + nowhere[1]; /* nothing there */
}

/* a parameter without a name, a reference, and one with a default value */
extern "C" __global__ __aicore__ void unnamed(__gm__ float *x, __gm__ float *y, uint32_t,
                                              const Affine &by, float more = 1)
{
    y[0] = x[0] * by.scale + more;
}

template <class T>
__global__ __aicore__ void no_entry(__gm__ T *x)
{
    x[0] = 0;
}
