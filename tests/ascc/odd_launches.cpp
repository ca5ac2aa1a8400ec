/* Launches and kernels in odd places, for what launches.cpp leaves out: each must leave its number
 * in the first word of GM. clang-format does not know launches. */
// clang-format off
#include "acl/acl.h"
#include "kernel_operator.h"
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>
#define KERNEL_ATTR __global__ __aicore__
#define COMMA ,
#define LAUNCH3(k, b, s, ...) k<<<b, nullptr, s>>>(__VA_ARGS__)
#define LAUNCH_T(k, T, ...) k<T><<<1, nullptr, nullptr>>>(__VA_ARGS__)
#define FOR_TYPES(M) M(int32_t) M(float)
static int32_t *gm;
static int failed;
static void expect(const char *what, int32_t v)
{
    int c = aclrtSynchronizeStream(nullptr);
    if (c || gm[0] != v) {
        std::printf("%s: %d, got %d want %d\n", what, c, gm[0], v);
        failed = 1;
    }
    gm[0] = 0;
}
namespace a::b
{
namespace
{
KERNEL_ATTR void anon(int32_t *x, int v)
{
    if (AscendC::GetBlockIdx() == 0)
        x[0] = v;
}
} // namespace
inline namespace c
{
template <typename T, int N = 3>
KERNEL_ATTR void tmpl(T *x, int v)
{
    x[0] = v * N;
}
} // namespace c
KERNEL_ATTR void over(int32_t *x)
{
    x[0] = 1;
}
KERNEL_ATTR void over(int32_t *x, int v)
{
    x[0] = v;
}
void inside()
{
    anon<<<1, nullptr, nullptr>>>(gm, 4);
}
} // namespace a::b
template <class... Args>
KERNEL_ATTR void pack(int32_t *x, Args... a)
{
    x[0] = (0 + ... + a);
}
struct S {
    int32_t v;
    float f;
};
KERNEL_ATTR void by_struct(__gm__ int32_t *x, S s)
{
    x[0] = s.v + (int)s.f;
}
static KERNEL_ATTR void is_static(int32_t *x, int v)
{
    x[0] = v;
}
inline KERNEL_ATTR void is_inline(int32_t *x, int v)
{
    x[0] = v;
}
[[gnu::noinline]] KERNEL_ATTR void with_attr(int32_t *x, int v)
{
    x[0] = v;
}
extern "C" {
__global__ __aicore__ void in_block(int32_t *x, int v)
{
    x[0] = v;
}
}
template <int SHIFT>
KERNEL_ATTR void shifted(int32_t *x, int v)
{
    x[0] = v << SHIFT;
}
template <bool B>
KERNEL_ATTR void boolean(int32_t *x)
{
    x[0] = B ? 1 : 2;
}
KERNEL_ATTR void refs(int32_t *x, const int &v)
{
    x[0] = v;
}
struct Launcher {
    int n = 7;
    void go(aclrtStream s) const { is_static<<<n > 5 ? 1 : 2, nullptr, s>>>(gm, n); }
    template <class T>
    static void go2(T v)
    {
        a::b::tmpl<T><<<1, nullptr, nullptr>>>((T *)gm, v);
    }
};
template <class K>
void by_pointer(K k)
{
    k<<<1, nullptr, nullptr>>>(gm, 9);
}
#define GEN(T)                                                                                     \
    KERNEL_ATTR void gen_##T(T *x)                                                                 \
    {                                                                                              \
        x[0] = (T)sizeof(T);                                                                       \
    }                                                                                              \
    static void launch_##T(void *p)                                                                \
    {                                                                                              \
        gen_##T<<<1, nullptr, nullptr>>>((T *)p);                                                  \
    }
FOR_TYPES(GEN)
template <template <class> class C>
KERNEL_ATTR void ttp(int32_t *x)
{
    x[0] = 12;
}
template <class T>
struct Box {
    T t;
};
constexpr int four()
{
    return 4;
}
KERNEL_ATTR void deflt(int32_t *x, int v = 5)
{
    x[0] = v;
}
KERNEL_ATTR auto trailing(int32_t *x, int v) -> void
{
    x[0] = v;
}
int32_t operator>>(S s, int n)
{
    return s.v >> n;
}
int main() {
    void *m;
    aclInit(nullptr); aclrtSetDevice(0); aclrtMalloc(&m, 4096, ACL_MEM_MALLOC_HUGE_FIRST); gm = (int32_t *)m;
    aclrtStream stream = nullptr;
    a::b::inside(); expect("anon inside", 4);
    ::a::b::anon<<<1, nullptr, stream>>>(gm, 5); expect("::qualified", 5);
    a::b::tmpl<int32_t><<<1, nullptr, stream>>>(gm, 5); expect("inline ns default arg", 15);
    a::b::c::tmpl<int32_t, (4 > 3) ? 2 : 1><<<1, nullptr, stream>>>(gm, 5); expect("> in template arg", 10);
    a::b::tmpl<int32_t, 1 + 1><<<1, nullptr, stream>>>(gm, 5); expect("expr arg", 10);
    a::b::tmpl<int32_t, four()><<<1, nullptr, stream>>>(gm, 5); expect("constexpr call arg", 20);
    a::b::tmpl<int32_t, sizeof(int)><<<1, nullptr, stream>>>(gm, 5); expect("sizeof arg", 20);
    a::b::over<<<1, nullptr, stream>>>(gm); expect("overload 1", 1);
    a::b::over<<<1, nullptr, stream>>>(gm, 22); expect("overload 2", 22);
    pack<<<1, nullptr, stream>>>(gm, 1, 2, 3); expect("pack", 6);
    pack<int, int><<<1, nullptr, stream>>>(gm, 1, 2); expect("pack explicit", 3);
    by_struct<<<1, nullptr, stream>>>(gm, S{3, 4.0f}); expect("struct temp", 7);
    by_struct<<<1, nullptr, stream>>>(gm, {5, 6.0f}); expect("braced", 11);
    is_inline<<<1, nullptr, stream>>>(gm, 8); expect("inline", 8);
    with_attr<<<1, nullptr, stream>>>(gm, 8); expect("attr", 8);
    in_block<<<1, nullptr, stream>>>(gm, 18); expect("extern C block", 18);
    shifted<(1 << 1)><<<1, nullptr, stream>>>(gm, 1 << 1); expect("shift arg", 8);
    shifted<(8 >> 2)><<<1 << 0, nullptr, stream>>>(gm, 1); expect("shift right arg", 4);
    boolean<(3 > 2)><<<1, nullptr, stream>>>(gm); expect("bool", 1);
    boolean<!(3 > 2)><<<1, nullptr, stream>>>(gm); expect("bool not", 2);
    refs<<<1, nullptr, stream>>>(gm, 77); expect("const ref", 77);
    Launcher().go(stream); expect("member", 7);
    Launcher::go2<int32_t>(2); expect("member template", 6);
    by_pointer(is_static); expect("function pointer", 9);
    launch_float(gm);
    aclrtSynchronizeStream(nullptr);
    launch_int32_t(gm); expect("generated", 4);
    ttp<Box><<<1, nullptr, stream>>>(gm); expect("template template", 12);
    deflt<<<1, nullptr, stream>>>(gm, 6); expect("default given", 6);
    trailing<<<1, nullptr, stream>>>(gm, 31); expect("trailing", 31);
    [&] { is_static<<<1, nullptr, stream>>>(gm, 41); }(); expect("lambda", 41);
    auto gl = [&](auto v) { is_static<<<1, nullptr, stream>>>(gm, v); }; gl(42); expect("generic lambda", 42);
    std::function<void()> f = [=] { is_static<<<1, nullptr, stream>>>(gm, 43); }; f(); expect("std function", 43);
    LAUNCH3(is_static, 1, stream, gm, 44); expect("macro", 44);
    LAUNCH_T(a::b::tmpl, int32_t COMMA 5, gm, 4); expect("macro comma", 20);
    { int is_static_count = 3; int x = is_static_count << 2; is_static<<<1, nullptr, stream>>>(gm, x); } expect("shift beside", 12);
    std::vector<std::vector<std::vector<int>>> v3(1); v3[0].resize(2); is_static<<<1, nullptr, stream>>>(gm, (int)v3[0].size()); expect(">>> of templates", 2);
    S s{256, 0}; int sh = s >> 4 >> 1; is_static<<<1, nullptr, stream>>>(gm, sh); expect("operator>>", 8);
    const char *str = "k<<<1, nullptr, stream>>>(x)"; const char *raw = R"x(k<<<1>>>( ")x"; (void)str; (void)raw; /* k<<<1>>>() */ // k<<<>>>
    switch (4) { case 4: is_static<<<1, nullptr, stream>>>(gm, 51); break; default: is_static<<<1, nullptr, stream>>>(gm, 52); } expect("switch", 51);
    true ? is_static<<<1, nullptr, stream>>>(gm, 53) : is_static<<<1, nullptr, stream>>>(gm, 54); expect("ternary", 53);
    is_static<<<1, nullptr, stream>>>(gm, 55), (void)0; expect("comma", 55);
    do is_static<<<1, nullptr, stream>>>(gm, 56); while (0); expect("do", 56);
    uint32_t blocks = 2; uint64_t big = 3; is_static<<<blocks, nullptr, stream>>>(gm, 57); expect("u32", 57);
    is_static<<<big, nullptr, stream>>>(gm, 58); expect("u64", 58);
    is_static<<<(blocks + 1) / 2, 0, stream>>>(gm, 59); expect("0 l2", 59);
    is_static<<<1, NULL, NULL>>>(gm, 60); expect("NULL", 60);
    is_static<<<1, nullptr, static_cast<aclrtStream>(stream)>>>(gm, 61); expect("cast in config", 61);
    is_static<<<1, nullptr, reinterpret_cast<void *>(stream)>>>(gm, 62); expect("reinterpret", 62);
    std::unique_ptr<int> up(new int(63)); is_static<<<std::max<int>(1, 0), nullptr, stream>>>(gm, *up); expect("std::max<> in config", 63);
#if 1
    is_static<<<1,
#ifdef X
      0,
#else
      nullptr,
#endif
      stream>>>(gm, 64);
#else
    is_static<<<broken
#endif
    // clang-format off
    expect("pp", 64);
    is_static <<< 1, nullptr, stream >>> (gm, 65); expect("spaces", 65);
    is_static<<<1,nullptr,stream>>>(gm,66);expect("tight",66);
    is_static\
<<<1, nullptr, stream>>>(gm, 67); expect("backslash", 67);
    is_static<<<1, nullptr, stream>>>(gm, u8"x>>>"[0] ? 68 : 0); expect("u8 literal", 68);
    is_static<<<1, nullptr, stream>>>(gm, 1'000); expect("digit sep", 1000);
    is_static<<<1, nullptr, stream>>>(gm, '>' > 0 ? 69 : '"'); expect("char", 69);
    std::printf(failed ? "failed\n" : "passed\n");
    return failed;
}
