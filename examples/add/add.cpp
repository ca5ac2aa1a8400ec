/* z = x + y in Ascend C, with the host program that launches it and checks the result.
 *
 *   g++ -std=c++17 -g1 add.cpp -lascendcl -lsoftascend        (-I and -L: as set_env.sh has them)
 */
#include "acl/acl.h"
#include "kernel_operator.h"

#include <cstdio>
#include <vector>

constexpr uint32_t TILE = 2048; /* elements; five buffers or six of them fit UB well */
constexpr uint32_t BUFFERS = 2; /* one is filled while the other is worked on */

class KernelAdd
{
  public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length)
    {
        /* equal shares, in whole 32-byte blocks of half */
        uint32_t share = (length / AscendC::GetBlockNum() + 15) / 16 * 16;
        begin_ = share * AscendC::GetBlockIdx();
        end_ = begin_ + share < length ? begin_ + share : length;
        x_.SetGlobalBuffer((__gm__ half *)x, length);
        y_.SetGlobalBuffer((__gm__ half *)y, length);
        z_.SetGlobalBuffer((__gm__ half *)z, length);
        pipe_.InitBuffer(in_x_, BUFFERS, TILE * sizeof(half));
        pipe_.InitBuffer(in_y_, BUFFERS, TILE * sizeof(half));
        pipe_.InitBuffer(out_, BUFFERS, TILE * sizeof(half));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = begin_; at < end_; at += TILE) {
            uint32_t n = end_ - at < TILE ? end_ - at : TILE;
            CopyIn(at, n);
            Compute(n);
            CopyOut(at, n);
        }
    }

  private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t n)
    {
        AscendC::LocalTensor<half> x = in_x_.AllocTensor<half>();
        AscendC::LocalTensor<half> y = in_y_.AllocTensor<half>();
        AscendC::DataCopy(x, x_[at], n);
        AscendC::DataCopy(y, y_[at], n);
        in_x_.EnQue(x);
        in_y_.EnQue(y);
    }

    __aicore__ inline void Compute(uint32_t n)
    {
        AscendC::LocalTensor<half> x = in_x_.DeQue<half>();
        AscendC::LocalTensor<half> y = in_y_.DeQue<half>();
        AscendC::LocalTensor<half> z = out_.AllocTensor<half>();
        AscendC::Add(z, x, y, n);
        out_.EnQue(z);
        in_x_.FreeTensor(x);
        in_y_.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint32_t at, uint32_t n)
    {
        AscendC::LocalTensor<half> z = out_.DeQue<half>();
        AscendC::DataCopy(z_[at], z, n);
        out_.FreeTensor(z);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> in_x_, in_y_;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS> out_;
    AscendC::GlobalTensor<half> x_, y_, z_;
    uint32_t begin_ = 0, end_ = 0;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length)
{
    KernelAdd op;
    op.Init(x, y, z, length);
    op.Process();
}
SOFTASCEND_KERNEL(add_custom, GM_ADDR, GM_ADDR, GM_ADDR, uint32_t)

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int error = (int)(call);                                                                   \
        if (error != ACL_SUCCESS) {                                                                \
            const char *text = aclGetRecentErrMsg();                                               \
            std::printf("%s: error %d: %s\n", #call, error, text ? text : "");                     \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main()
{
    const uint32_t length = 8 * 16384 + 320, blocks = 8;
    const size_t bytes = length * sizeof(half);
    std::vector<half> x(length), y(length), z(length);
    for (uint32_t i = 0; i < length; i++) {
        x[i] = (float)(i % 1000);
        y[i] = (float)(i % 7) * 0.5f;
    }

    void *x_device, *y_device, *z_device;
    aclrtStream stream;
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMalloc(&x_device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&y_device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&z_device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(x_device, bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(y_device, bytes, y.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));

    CHECK(ACLRT_LAUNCH_KERNEL(add_custom)(blocks, stream, (GM_ADDR)x_device, (GM_ADDR)y_device,
                                          (GM_ADDR)z_device, length));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(z.data(), bytes, z_device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));

    uint32_t wrong = 0;
    for (uint32_t i = 0; i < length; i++) {
        wrong += (float)z[i] != (float)half((float)(i % 1000) + (float)(i % 7) * 0.5f);
    }
    std::printf("add: %u elements, %u wrong\n", length, wrong);

    CHECK(aclrtFree(x_device));
    CHECK(aclrtFree(y_device));
    CHECK(aclrtFree(z_device));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return wrong != 0;
}
