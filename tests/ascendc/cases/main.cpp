/* Reads cases from a file, runs each as a kernel of one vector core, writes what it left.
 *
 *   cases IN OUT
 *   IN    a case: length and text of its name; counts and values of integers (int64) and numbers
 *         (double); lengths and bytes of UB's and GM's image. Lengths are uint32.
 *   OUT   an answer: length and text of the error (0: none), both images, four integers. */
#include "call.h"

#include "acl/acl.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

__aicore__ inline void run_case(GM_ADDR image, uint32_t bytes, const entry *e, call *c)
{
    using namespace AscendC;
    TPipe pipe;
    TBuf<> buffer;
    GlobalTensor<uint8_t> from;
    from.SetGlobalBuffer(image);
    pipe.InitBuffer(buffer, bytes);
    c->ub = buffer.Get<uint8_t>();
    DataCopy(c->ub, from, bytes);
    PipeBarrier<PIPE_ALL>();
    e->run(*c);
    PipeBarrier<PIPE_ALL>();
    SetMaskNorm();
    ResetMask();
    DataCopy(from, c->ub, bytes);
    PipeBarrier<PIPE_ALL>();
}
SOFTASCEND_KERNEL(run_case, GM_ADDR, uint32_t, const entry *, call *)

template <class T>
static std::vector<T> read(std::FILE *in)
{
    uint32_t n = 0;
    if (std::fread(&n, sizeof n, 1, in) != 1) {
        return {};
    }
    std::vector<T> v(n);
    if (n && std::fread(v.data(), sizeof(T), n, in) != n) {
        std::exit(2);
    }
    return v;
}

int main(int argc, char **argv)
{
    std::FILE *in = argc == 3 ? std::fopen(argv[1], "rb") : nullptr;
    std::FILE *out = in ? std::fopen(argv[2], "wb") : nullptr;
    if (!out) {
        std::fprintf(stderr, "usage: %s IN OUT\n", argv[0]);
        return 2;
    }
    table all;
    for (auto add : {add_elementwise, add_compare, add_cast, add_reduce, add_arrange, add_move,
                     add_high, add_norm}) {
        add(all);
    }
    std::map<std::string, const entry *> by_name;
    for (const entry &e : all) {
        if (!by_name.emplace(e.name, &e).second) {
            std::fprintf(stderr, "two calls are named %s\n", e.name);
            return 2;
        }
    }
    aclrtStream stream;
    if (aclInit(nullptr) || aclrtSetDevice(0) || aclrtCreateStream(&stream)) {
        return 2;
    }
    for (;;) {
        std::vector<char> name = read<char>(in);
        if (name.empty()) {
            break;
        }
        std::vector<int64_t> integers = read<int64_t>(in);
        std::vector<double> numbers = read<double>(in);
        std::vector<uint8_t> ub = read<uint8_t>(in), gm = read<uint8_t>(in);
        const auto found = by_name.find(std::string(name.data(), name.size()));
        const entry *e = found == by_name.end() ? nullptr : found->second;
        int64_t results[4] = {};
        std::string error;
        if (!e) {
            error = "no such call";
        } else {
            void *d_ub, *d_gm;
            aclrtMalloc(&d_ub, ub.size() + 32, ACL_MEM_MALLOC_HUGE_FIRST);
            aclrtMalloc(&d_gm, gm.size() + 32, ACL_MEM_MALLOC_HUGE_FIRST);
            aclrtMemcpy(d_ub, ub.size(), ub.data(), ub.size(), ACL_MEMCPY_HOST_TO_DEVICE);
            aclrtMemcpy(d_gm, gm.size(), gm.data(), gm.size(), ACL_MEMCPY_HOST_TO_DEVICE);
            call c = {{}, (uint8_t *)d_gm, integers.data(), numbers.data(), results};
            ACLRT_LAUNCH_KERNEL(run_case)(1, stream, (GM_ADDR)d_ub, (uint32_t)ub.size(), e, &c);
            if (aclrtSynchronizeStream(stream) != ACL_SUCCESS) {
                error = aclGetRecentErrMsg();
            }
            aclrtMemcpy(ub.data(), ub.size(), d_ub, ub.size(), ACL_MEMCPY_DEVICE_TO_HOST);
            aclrtMemcpy(gm.data(), gm.size(), d_gm, gm.size(), ACL_MEMCPY_DEVICE_TO_HOST);
            aclrtFree(d_ub);
            aclrtFree(d_gm);
        }
        uint32_t length = (uint32_t)error.size();
        std::fwrite(&length, sizeof length, 1, out);
        std::fwrite(error.data(), 1, length, out);
        std::fwrite(ub.data(), 1, ub.size(), out);
        std::fwrite(gm.data(), 1, gm.size(), out);
        std::fwrite(results, sizeof results, 1, out);
    }
    bool ok = std::fclose(out) == 0;
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return ok ? 0 : 1;
}
