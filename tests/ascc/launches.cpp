/* Every form of launch, each with the value that it must leave behind. A kernel writes its own
 * number, its block's index and its arguments to GM; the host computes the same. */
#include "acl/acl.h"
#include "kernel_operator.h"

#include <cstdio>
#include <functional>
#include <map>
#include <vector>

/* it does not know all the forms */
// clang-format off

static int32_t *gm; /* eight words a block */
static aclrtStream stream;

static const char *decoy = "k<<<1, 2, 3>>>(x)", *raw = R"x(k<<<1, nullptr, s>>>(")x";
static const char quote = '"', angle = '<';
static const int separated = 1'000'000 << 2 << 1; /* k<<<8, nullptr, stream>>>(gm, 1) */
/* k<<<8, nullptr, stream>>>(gm,
   k<<<1, 2>>>(gm) */

__aicore__ inline void Write(int32_t *out, int32_t a, int32_t b = 0, int32_t c = 0)
{
    int32_t *at = out + 8 * AscendC::GetBlockIdx();
    at[0] = a + (int32_t)AscendC::GetBlockIdx();
    at[1] = b;
    at[2] = c;
    at[3] = (int32_t)AscendC::GetBlockNum();
    at[4] = sa_kind(sa_self()) == SA_AIC;
}

extern "C" __global__ __aicore__ void plain(int32_t *out, int32_t a)
{
    Write(out, a);
}

extern "C" __global__ __aicore__ void none()
{
    Write(gm, 77);
}

struct Tiling {
    int32_t a, b;
    int8_t rest[200];
};

__global__ __aicore__ void by_value(int32_t *out, Tiling t, half h)
{
    Write(out, t.a, t.b + t.rest[199], (int32_t)(float)h);
}

template <class T>
__global__ __aicore__ void deduced(T *out, int32_t a)
{
    Write(out, a, sizeof(T));
}

template <class T, int N, bool Flag = false>
__global__ __aicore__ void templated(int32_t *out, T a)
{
    Write(out, (int32_t)a, N, Flag ? 5 : 6);
}

__global__ __aicore__ void overloaded(int32_t *out, int32_t a)
{
    Write(out, a, 1);
}

__global__ __aicore__ void overloaded(int32_t *out, float a)
{
    Write(out, (int32_t)a, 2);
}

namespace outer
{
namespace inner
{
__global__ __aicore__ void spaced(int32_t *out, int32_t a)
{
    Write(out, a, 3);
}
template <class T>
__global__ __aicore__ void both(int32_t *out, T a)
{
    Write(out, (int32_t)a, 4);
}
} // namespace inner
} // namespace outer

template <class T>
struct Traits {
    static constexpr int value = 9;
};

__vector__ __global__ __aicore__ void on_vector(int32_t *out)
{
    Write(out, 1);
}
__global__ __cube__ __aicore__ void on_cube(int32_t *out)
{
    Write(out, 1);
}
__global__ __aicore__ void only_cube(int32_t *out)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    Write(out, 1);
}
/* 1 block of the cube half, 2 of the vector half */
extern "C" __mix__(1, 2) __global__ __aicore__ void mixed(int32_t *out)
{
    Write(out + (sa_kind(sa_self()) == SA_AIC ? 0 : 32), 1);
}

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define LAUNCH(kernel, ...) kernel<<<8, nullptr, stream>>>(gm, __VA_ARGS__)
#define LAUNCH_LINES(name, type)                                                                   \
    name<type, 3>                                                                                  \
        <<<8, nullptr, stream>>>(                                                                  \
            gm, 40)
#define DEFINE(n)                                                                                  \
    extern "C" __global__ __aicore__ void CAT(made_, n)(int32_t * out)                             \
    {                                                                                              \
        Write(out, n);                                                                             \
    }
DEFINE(31)
#define CHEVRON_OPEN <<<
#define CHEVRON_CLOSE >>>

template <class T>
static void from_template(T value)
{
    outer::inner::both<T><<<8, nullptr, stream>>>(gm, value);
}

static int failed;

struct Want {
    int32_t a, b = 0, c = 0, blocks = 8, cube = 0;
};

static void check(int line, const char *what, Want want, std::function<void()> run)
{
    for (int i = 0; i < 8 * 64; i++) {
        gm[i] = -1;
    }
    run();
    int code = aclrtSynchronizeStream(stream);
    bool right = code == 0;
    for (int32_t i = 0; i < want.blocks; i++) {
        int32_t *at = gm + 8 * i;
        right = right && at[0] == want.a + i && at[1] == want.b && at[2] == want.c &&
                at[3] == want.blocks && at[4] == want.cube;
    }
    right = right && gm[8 * want.blocks] == -1;
    if (!right) {
        std::printf("line %d: %s: code %d, got %d %d %d of %d blocks, cube %d\n", line, what, code,
                    gm[0], gm[1], gm[2], gm[3], gm[4]);
        failed = 1;
    }
}
#define CHECK(want, ...) check(__LINE__, #__VA_ARGS__, want, [&] { __VA_ARGS__; })

int main()
{
    const uint32_t blocks = 8;
    int32_t x = 5;
    void *memory;
    if (aclInit(nullptr) || aclrtSetDevice(0) || aclrtCreateStream(&stream) ||
        aclrtMalloc(&memory, 8 * 65 * sizeof(int32_t), ACL_MEM_MALLOC_HUGE_FIRST)) {
        return 1;
    }
    gm = (int32_t *)memory;

    /* configuration arguments */
    CHECK((Want{10}), plain<<<8, stream>>>(gm, 10));
    CHECK((Want{11}), plain<<<8, nullptr, stream>>>(gm, 11));
    CHECK((Want{12}), plain<<<blocks, nullptr, stream, nullptr>>>(gm, 12));
    CHECK((Want{13}), plain<<<8u, 0, stream>>>(gm, 13));
    CHECK((Want{14, 0, 0, 3}), plain<<<1 + 2, nullptr, stream>>>(gm, 14));
    CHECK((Want{15}), plain<<<(blocks > 4 ? blocks : 4), nullptr, stream>>>(gm, 15));
    CHECK((Want{16}), plain<<<blocks < 4 ? 4 : blocks, nullptr, stream>>>(gm, 16));
    CHECK((Want{17}), plain<<<static_cast<uint32_t>(8.5), nullptr, stream>>>(gm, 17));
    CHECK((Want{18}), plain<<<std::max<int>(3, 8), nullptr, static_cast<void *>(stream)>>>(gm, 18));
    CHECK((Want{19}), plain<<<16 >> 1, nullptr, stream>>>(gm, 19));
    CHECK((Want{20}), plain <<< 8 , nullptr , stream >>> (gm, 20));
    CHECK((Want{21}), plain<<<std::vector<int>{1, 8}[1], nullptr, stream>>>(gm, 21));

    /* kernels */
    CHECK((Want{77}), none<<<8, nullptr, stream>>>());
    CHECK((Want{1}), ::plain<<<8, nullptr, stream>>>(gm, 1));
    CHECK((Want{2, 3}), outer::inner::spaced<<<8, nullptr, stream>>>(gm, 2));
    CHECK((Want{3, 4}), ::outer::inner::both<float><<<8, nullptr, stream>>>(gm, 3.0f));
    CHECK((Want{4, 4}), from_template(4LL));
    CHECK((Want{5, 3, 6}), templated<half, 3><<<8, nullptr, stream>>>(gm, 5.0f));
    CHECK((Want{6, 2, 5}), templated<float, (1 < 2) ? 2 : 1, true><<<8, nullptr, stream>>>(gm, 6));
    CHECK((Want{7, 9, 6}), templated<int, Traits<std::vector<int>>::value><<<8, stream>>>(gm, 7));
    CHECK((Want{8, 4}), deduced<<<8, nullptr, stream>>>(gm, 8));
    CHECK((Want{9, 1}), overloaded<<<8, nullptr, stream>>>(gm, 9));
    CHECK((Want{9, 2}), overloaded<<<8, nullptr, stream>>>(gm, 9.5f));
    CHECK((Want{31}), made_31<<<8, nullptr, stream>>>(gm));
    CHECK((Want{31}), CAT(made_, 31)<<<8, nullptr, stream>>>(gm));
    auto pointer = plain;
    void (*table[])(int32_t *, int32_t) = {plain, outer::inner::spaced};
    struct {
        void (*member)(int32_t *, int32_t);
    } holder = {plain};
    CHECK((Want{32}), pointer<<<8, nullptr, stream>>>(gm, 32));
    CHECK((Want{33, 3}), table[1]<<<8, nullptr, stream>>>(gm, 33));
    CHECK((Want{34}), holder.member<<<8, nullptr, stream>>>(gm, 34));
    CHECK((Want{35}), (*pointer)<<<8, nullptr, stream>>>(gm, 35));

    /* arguments */
    CHECK((Want{50}), plain<<<8, nullptr, stream>>>(gm, [&] { return x * 10; }()));
    CHECK((Want{51}), plain<<<8, nullptr, stream>>>(gm, std::map<int, int>{{1, 51}, {2, 0}}[1]));
    CHECK((Want{52}), plain<<<8, nullptr, stream>>>((int32_t *)memory, (x ? 52 : 0)));
    CHECK((Want{53, 60, 2}), by_value<<<8, nullptr, stream>>>(gm, Tiling{53, 60, {}}, 2.5f));
    CHECK((Want{54, 1, 0}), by_value<<<8, nullptr, stream>>>(gm, {54, 1, {}}, 0));
    CHECK((Want{21}), plain<<<8, nullptr, stream>>>(gm, x << 2 | x));
    CHECK((Want{55}), plain<<<8, nullptr, stream>>>(memory, 55)); /* void * as it is allocated */
    CHECK((Want{56, 3, 6}), templated<int, 3><<<8, nullptr, stream>>>(memory, 56));

    /* core types */
    CHECK((Want{1, 0, 0, 8, 0}), on_vector<<<8, nullptr, stream>>>(gm));
    CHECK((Want{1, 0, 0, 8, 1}), on_cube<<<8, nullptr, stream>>>(gm));
    CHECK((Want{1, 0, 0, 8, 1}), only_cube<<<8, nullptr, stream>>>(gm));
    CHECK((Want{1, 0, 0, 4, 1}), mixed<<<4, nullptr, stream>>>(gm); aclrtSynchronizeStream(stream);
          failed |= gm[32 + 8 * 7] != 8 || gm[32 + 4] != 0; gm[32] = -1);

    /* macros and lines */
    CHECK((Want{60}), LAUNCH(plain, 60));
    CHECK((Want{40, 3, 6}), LAUNCH_LINES(templated, int));
    CHECK((Want{61}), plain CHEVRON_OPEN 8, nullptr, stream CHEVRON_CLOSE(gm, 61));
    check(__LINE__, "several lines", Want{62}, [&] {
        plain
            // a comment >>>
            <<<blocks, /* l2ctrl <<< */
               nullptr,
               stream>>>
            (gm,
#ifdef NOTHING
             1
#else
             62
#endif
            );
    });
    CHECK((Want{63}), if (x) plain<<<8, nullptr, stream>>>(gm, 63);
          else plain<<<8, nullptr, stream>>>(gm, 64));
    CHECK((Want{65}), for (int i = 63; i < 66; i++) plain<<<8, nullptr, stream>>>(gm, i));

    /* the function behind it */
    CHECK((Want{70}), failed |= aclrtlaunch_plain(8, stream, gm, 70));
    CHECK((Want{71}), failed |= ACLRT_LAUNCH_KERNEL(plain)(8, stream, gm, 71));
    CHECK((Want{72, 1, 2}),
          failed |= ACLRT_LAUNCH_KERNEL(by_value)(8, stream, gm, {72, 1, {}}, 2.f));

    failed |=
        decoy[0] != 'k' || raw[0] != 'k' || quote != '"' || angle != '<' || separated != 8000000;
    std::printf(failed ? "failed\n" : "passed\n");
    aclrtFree(memory);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return failed;
}
