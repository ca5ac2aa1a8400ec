/* Bad kernels: each ends its launch with a code, a message that says what is wrong and the line in
 * this file where it is; neither the program nor the next kernel notices. */
#include "acl/acl.h"
#include "kernel_operator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace AscendC;

static volatile int line; /* of the fault to come */
#define HERE line = __LINE__;
#define KERNEL(name) extern "C" __global__ __aicore__ void name([[maybe_unused]] __gm__ int32_t *gm)

static int32_t *volatile null_pointer;
static volatile int zero, depth;
constexpr uint32_t BYTES = 1024, COUNT = BYTES / 4;

/* ---- memory and queues */

KERNEL(queue_over_capacity)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 2> queue;
    pipe.InitBuffer(queue, 2, BYTES);
    for (int i = 0; i < 3; i++) {
        HERE queue.AllocTensor<int32_t>();
    }
}

KERNEL(buffer_past_ub)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    HERE pipe.InitBuffer(queue, 4, 64 * 1024);
}

KERNEL(buffer_of_scales)
{
    TPipe pipe;
    TBuf<TPosition::C2PIPE2GM> scales;
    HERE pipe.InitBuffer(scales, BYTES);
}

KERNEL(dequeue_of_empty)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, BYTES);
    HERE auto tensor = queue.DeQue<int32_t>();
    Adds(tensor, tensor, 1, COUNT);
}

KERNEL(enqueue_of_none)
{
    TPipe pipe;
    TBuf<> buffer;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, BYTES);
    pipe.InitBuffer(buffer, BYTES);
    auto tensor = buffer.Get<int32_t>();
    HERE queue.EnQue(tensor);
}

KERNEL(free_twice)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, BYTES);
    auto tensor = queue.AllocTensor<int32_t>();
    queue.FreeTensor(tensor);
    HERE queue.FreeTensor(tensor);
}

KERNEL(no_pipe)
{
    HERE GetTPipePtr()->FetchEventID(HardEvent::V_S);
}

KERNEL(add_past_ub)
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, BYTES);
    auto tensor = buffer.Get<int32_t>();
    HERE Adds(tensor, tensor, 1, 50000);
}

KERNEL(value_past_ub)
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, BYTES);
    auto tensor = buffer.Get<int32_t>();
    HERE tensor.SetValue(60000, 1);
}

KERNEL(copy_to_nowhere)
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, BYTES);
    GlobalTensor<int32_t> out;
    out.SetGlobalBuffer(gm + ((int64_t)1 << 44));
    HERE DataCopy(out, buffer.Get<int32_t>(), COUNT);
}

KERNEL(copy_from_null)
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, BYTES);
    GlobalTensor<int32_t> in;
    in.SetGlobalBuffer(null_pointer);
    HERE DataCopy(buffer.Get<int32_t>(), in, COUNT);
}

KERNEL(value_of_null)
{
    GlobalTensor<int32_t> in;
    in.SetGlobalBuffer(null_pointer);
    HERE gm[0] = in.GetValue(3);
}

KERNEL(write_to_null)
{
    HERE *null_pointer = 1;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
KERNEL(write_to_known_null)
{
    __gm__ int32_t *p = nullptr;
    HERE p[2] = gm[0];
}
#pragma GCC diagnostic pop

KERNEL(read_wild)
{
    HERE gm[0] = gm[(int64_t)1 << 44];
}

/* ---- the scalar unit */

KERNEL(division_by_zero)
{
    HERE gm[0] = 5 / zero;
}

static int recursion(int n)
{
    HERE return n > 1000000000 ? 0 : recursion(n + 1) + depth;
}

KERNEL(endless_recursion)
{
    gm[0] = recursion(depth);
}

[[gnu::noinline]] static int large_locals_of(int at)
{
    volatile char room[4 << 20];
    room[at] = 1;
    return room[at + 1];
}

KERNEL(large_locals)
{
    gm[0] = large_locals_of(depth);
}

KERNEL(aborts)
{
    HERE std::abort();
}

KERNEL(asserts)
{
    HERE assert(zero == 1);
}

#include <cassert>
KERNEL(asserts_as_the_library)
{
    HERE assert(zero == 2);
}

KERNEL(traps)
{
    HERE Trap();
}

KERNEL(throws)
{
    HERE throw std::runtime_error("thrown by a kernel");
}

KERNEL(throws_inside_the_library)
{
    std::vector<int> v(3);
    HERE gm[0] = v.at((size_t)(depth + 7));
}

KERNEL(calls_null)
{
    void (*volatile function)() = nullptr;
    HERE function();
}

/* ---- waiting */

KERNEL(wait_without_set)
{
    HERE WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
}

KERNEL(some_skip_sync_all)
{
    if (GetBlockIdx() != 2) {
        HERE SyncAll();
    }
}

KERNEL(one_syncs_twice)
{
    SyncAll();
    if (GetBlockIdx() == 1) {
        HERE SyncAll();
    }
}

KERNEL(cube_waits_for_none)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if ASCEND_IS_AIC {
        HERE CrossCoreWaitFlag(3);
    }
}

KERNEL(vectors_wait_for_each_other)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if ASCEND_IS_AIV {
        HERE CrossCoreWaitFlag(4);
        CrossCoreSetFlag<2, PIPE_MTE3>(5);
    } else {
        CrossCoreWaitFlag(5);
        CrossCoreSetFlag<2, PIPE_FIX>(4);
    }
}

/* ---- without end */

KERNEL(empty_loop)
{
    for (;;) {
    }
}

KERNEL(spins_on_memory)
{
    GlobalTensor<int32_t> flag;
    flag.SetGlobalBuffer(gm);
    while (flag.GetValue(0) != 12345) {
    }
}

KERNEL(spins_on_a_pointer)
{
    while (((__gm__ volatile int32_t *)gm)[0] != 12345) {
    }
}

KERNEL(computes_for_ever)
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, BYTES);
    auto tensor = buffer.Get<int32_t>();
    for (;;) {
        Adds(tensor, tensor, 1, COUNT);
    }
}

KERNEL(waits_for_a_word)
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, BYTES);
    GlobalTensor<int32_t> words;
    words.SetGlobalBuffer(gm);
    auto tensor = buffer.Get<int32_t>();
    IBWait(words, tensor, 1, 0);
}

KERNEL(loops_beside_a_fault)
{
    if (GetBlockIdx() == 1) {
        HERE Trap();
    }
    for (;;) {
    }
}

KERNEL(good)
{
    gm[GetBlockIdx()] = 100 + (int32_t)GetBlockIdx();
}

/* ---- */

static int failed;
static int32_t *gm;

static std::string recent()
{
    const char *message = aclGetRecentErrMsg();
    return message ? message : "";
}

static void usable(const char *after)
{
    aclrtStream stream;
    gm[0] = gm[1] = 0;
    if (aclrtCreateStream(&stream)) {
        std::printf("%s: no stream afterwards: %s\n", after, recent().c_str());
        failed = 1;
        return;
    }
    good<<<2, nullptr, stream>>>(gm);
    int code = aclrtSynchronizeStreamWithTimeout(stream, 20000);
    if (code || gm[0] != 100 || gm[1] != 101) {
        std::printf("%s: the next kernel ends with %d: %s\n", after, code, recent().c_str());
        failed = 1;
    }
    aclrtDestroyStream(stream);
}

static void ends(const char *name, int wanted, const char *text,
                 std::function<void(aclrtStream)> launch)
{
    aclrtStream stream;
    aclrtCreateStream(&stream);
    line = 0;
    launch(stream);
    int code = aclrtSynchronizeStreamWithTimeout(stream, 20000);
    std::string message = recent();
    std::string place = "bad.cpp:" + (line ? std::to_string(line) : "");
    bool right = code == wanted && message.find(text) != std::string::npos &&
                 message.find(name) != std::string::npos &&
                 message.find(place) != std::string::npos;
    if (!right || std::getenv("SHOW")) {
        std::printf("%s%s: code %d, expected %d, \"%s\" and %s in: %s\n", right ? "" : "WRONG ",
                    name, code, wanted, text, place.c_str(), message.c_str());
    }
    failed |= !right;
    aclrtDestroyStream(stream);
    usable(name);
}

static void late(const char *name, std::function<void(aclrtStream)> launch)
{
    aclrtStream stream;
    aclrtCreateStream(&stream);
    launch(stream);
    int code = aclrtSynchronizeStreamWithTimeout(stream, 100);
    std::string message = recent();
    bool right = code == 507046 && message.find(name) != std::string::npos &&
                 message.find("bad.cpp:") != std::string::npos;
    if (!right || std::getenv("SHOW")) {
        std::printf("%s%s: code %d: %s\n", right ? "" : "WRONG ", name, code, message.c_str());
    }
    failed |= !right;
    usable(name);
    aclrtDestroyStream(stream);
    usable(name);
}

#define ENDS(kernel, code, text, blocks)                                                           \
    ends(#kernel, code, text, [](aclrtStream s) { kernel<<<blocks, nullptr, s>>>(gm); })
#define LATE(kernel, blocks)                                                                       \
    late(#kernel, [](aclrtStream s) { kernel<<<blocks, nullptr, s>>>(gm); })

int main()
{
    void *memory;
    if (aclInit(nullptr) || aclrtSetDevice(0) ||
        aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST)) {
        return 1;
    }
    gm = (int32_t *)memory;
    std::memset(gm, 0, 4096);
    enum { VECTOR = 507035, CUBE = 507015 };

    ENDS(queue_over_capacity, VECTOR, "AllocTensor", 1);
    ENDS(buffer_past_ub, VECTOR, "InitBuffer: ", 1);
    ENDS(buffer_of_scales, VECTOR, "scales in L1 (C1)", 1);
    ENDS(dequeue_of_empty, VECTOR, "DeQue", 1);
    ENDS(enqueue_of_none, VECTOR, "EnQue", 1);
    ENDS(free_twice, VECTOR, "FreeTensor", 1);
    ENDS(no_pipe, VECTOR, "no TPipe", 1);
    ENDS(add_past_ub, VECTOR, "UB", 1);
    ENDS(value_past_ub, VECTOR, "UB", 1);
    ENDS(copy_to_nowhere, VECTOR, "address", 1);
    ENDS(copy_from_null, VECTOR, "null", 1);
    ENDS(value_of_null, VECTOR, "no global memory", 1);
    ENDS(write_to_null, VECTOR, "null pointer", 1);
    ENDS(write_to_known_null, VECTOR, "null pointer", 1);
    ENDS(read_wild, VECTOR, "address", 1);

    ENDS(division_by_zero, VECTOR, "divides an integer by zero", 1);
    ENDS(endless_recursion, VECTOR, "stack", 1);
    ENDS(large_locals, VECTOR, "stack", 1);
    ENDS(aborts, VECTOR, "abort", 1);
    ENDS(asserts, VECTOR, "zero == 1", 1);
    ENDS(asserts_as_the_library, VECTOR, "assertion", 1);
    ENDS(traps, VECTOR, "Trap", 1);
    ENDS(throws, VECTOR, "exception", 1);
#ifdef __OPTIMIZE__ /* else the library's function is the innermost of the program */
    ENDS(throws_inside_the_library, VECTOR, "exception", 1);
#endif
    ENDS(calls_null, VECTOR, "null", 1);

    ENDS(wait_without_set, VECTOR, "was never set", 1);
    ENDS(some_skip_sync_all, VECTOR, "SyncAll", 4);
    ENDS(one_syncs_twice, VECTOR, "SyncAll", 3);
    ENDS(cube_waits_for_none, CUBE, "flag 3", 1);
    ENDS(vectors_wait_for_each_other, CUBE, "flag", 2);

    ENDS(loops_beside_a_fault, VECTOR, "Trap", 2);
    aclrtSetOpExecuteTimeOutWithMs(50);
    ENDS(empty_loop, 507014, "limit", 1);
    aclrtSetOpExecuteTimeOutWithMs(0);

    LATE(empty_loop, 1);
    LATE(spins_on_memory, 2);
    LATE(spins_on_a_pointer, 1);
    LATE(computes_for_ever, 2);
    LATE(waits_for_a_word, 1);
    std::printf(failed ? "failed\n" : "passed\n");
    aclrtFree(memory);
    aclrtResetDevice(0);
    aclFinalize();
    return failed;
}
