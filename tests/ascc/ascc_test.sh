#!/bin/sh
# ascc as a user runs it: every form of launch compiled and run, errors with the user's file and
# line, dependency files, separate compilation, launch headers, and its own options.
#
#   ascc_test.sh ASCC SOURCE
set -u
ascc=$1 source=$2
here=$source/tests/ascc
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mkdir tmp
export TMPDIR="$dir/tmp"
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

runs() { # runs NAME TEXT COMMAND…: the program ./a.out that COMMAND makes prints TEXT and ends with 0
    name=$1 wanted=$2
    shift 2
    rm -f a.out
    "$@" >out 2>&1 || { fail "$name does not build: $(cat out)"; return; }
    [ -s out ] && fail "$name builds with: $(cat out)"
    ./a.out >out 2>&1 || fail "$name: $(cat out)"
    grep -q -F "$wanted" out || fail "$name prints: $(cat out)"
}

says() { # says NAME TEXT < SOURCE: ascc refuses NAME with TEXT
    cat >"$1"
    "$ascc" -c "$1" >out 2>&1 && fail "$1 compiles"
    grep -q -F -e "$2" out || fail "$1: \"$2\" is not in: $(cat out)"
}

# ---- programs

runs launches.cpp passed "$ascc" -Wall -Wextra -Werror "$here/launches.cpp"
runs 'launches.cpp, -O0 -g' passed "$ascc" -O0 -g "$here/launches.cpp"
runs spellings.cpp passed "$ascc" -Wall -Wextra -Werror "$here/spellings.cpp"
runs 'spellings.cpp, -O0 -g' passed "$ascc" -O0 -g "$here/spellings.cpp"
runs odd_launches.cpp passed "$ascc" -Wall -Wextra "$here/odd_launches.cpp"
runs queues.cpp passed "$ascc" -Wall -Wextra -Werror "$here/queues.cpp"
runs twice.cpp passed "$ascc" -Wall -Wextra -Werror "$here/twice.cpp"
[ "$(./a.out | grep -c constructed)" = 1 ] || fail "twice.cpp: globals are constructed more than once"
runs 'twice.cpp by -c' passed sh -c "'$ascc' -O1 -c '$here/twice.cpp' && '$ascc' twice.o"
runs bad.cpp passed "$ascc" -Wall -Wextra -Werror "$here/bad.cpp"
runs 'bad.cpp, -O0 -g' passed "$ascc" -O0 -g "$here/bad.cpp"
runs parameters.cpp '5 6' "$ascc" "$here/parameters.cpp"
runs mixes.cpp passed "$ascc" -Wall -Wextra -Werror "$here/mixes.cpp"
# a program runs on the chip that it was built for, by name or by architecture, unless it is told
unset SOFTASCEND_CHIP
runs 'coupled.cpp, dav-2002' passed "$ascc" --npu-arch=dav-2002 "$here/coupled.cpp"
runs coupled.cpp passed "$ascc" -Wall -Wextra -Werror --soc-version=ascend310p1 "$here/coupled.cpp"
./a.out chip >out 2>&1
[ "$(cat out)" = Ascend310P1 ] || fail "coupled.cpp, its chip: $(cat out)"
SOFTASCEND_CHECK=race SOFTASCEND_CHIP=Ascend310P3 ./a.out >out 2>&1
[ "$(cat out)" = passed ] || fail "coupled.cpp, another chip, under the race check: $(cat out)"
for chip in Ascend910B1 Ascend910A; do
    SOFTASCEND_CHIP=$chip ./a.out >out 2>&1 && fail "coupled.cpp runs on $chip"
    grep -q "built for architecture 2002, $chip has .*--soc-version=$chip.*=Ascend310P3" out ||
        fail "coupled.cpp on $chip: $(cat out)"
done
if command -v clang++ >/dev/null; then
    runs 'odd_launches.cpp, clang' passed "$ascc" --compiler clang++ "$here/odd_launches.cpp"
    runs 'launches.cpp, clang' passed "$ascc" --compiler clang++ "$here/launches.cpp"
    runs 'parameters.cpp, clang' '5 6' "$ascc" --compiler clang++ "$here/parameters.cpp"
    runs 'bad.cpp, clang' passed "$ascc" --compiler clang++ "$here/bad.cpp"
    runs 'spellings.cpp, clang' passed "$ascc" --compiler clang++ "$here/spellings.cpp"
    runs 'twice.cpp, clang' passed "$ascc" --compiler clang++ -O3 "$here/twice.cpp"
fi
begin=$(date +%s%N)
runs add.cpp ': OK' "$ascc" "$source/examples/add/add.cpp"
ms=$((($(date +%s%N) - begin) / 1000000))
[ $ms -lt 5000 ] || fail "add.cpp builds and runs in $ms ms, more than 5000"

# a kernel file, a launch in a header, and a host file that launches in three ways
mkdir parts
cat >parts/kernel.asc <<'END'
#include "kernel_operator.h"
extern "C" __global__ __cube__ __aicore__ void where(int32_t *out, const int32_t more)
{
    out[0] = (sa_kind(sa_self()) == SA_AIC ? 10 : 20) + more;
}
void launch_where(void *stream, int32_t *out)
{
    where<<<1, nullptr, stream>>>(out, 1);
}
END
cat >parts/launch.h <<'END'
inline void from_header(void *stream, int32_t *out) { where<<<1, stream>>>(out, 3); }
END
cat >parts/main.cpp <<'END'
#include "acl/acl.h"
#include "aclrtlaunch_where.h"
#include "kernel_operator.h"
#include <cstdio>
extern "C" __global__ __aicore__ void where(int32_t *out, const int32_t more);
#include "launch.h"
void launch_where(void *stream, int32_t *out);
int main()
{
    void *gm;
    if (aclInit(nullptr) || aclrtSetDevice(0) || aclrtMalloc(&gm, 64, ACL_MEM_MALLOC_HUGE_FIRST))
        return 1;
    int32_t *out = (int32_t *)gm, got[4];
    launch_where(nullptr, out);
    aclrtSynchronizeStream(nullptr), got[0] = *out;
    ACLRT_LAUNCH_KERNEL(where)(1, nullptr, gm, 2);
    aclrtSynchronizeStream(nullptr), got[1] = *out;
    from_header(nullptr, out);
    aclrtSynchronizeStream(nullptr), got[2] = *out;
    where<<<1, 0, 0>>>(out, 4);
    aclrtSynchronizeStream(nullptr), got[3] = *out;
    std::printf("%d %d %d %d\n", got[0], got[1], got[2], got[3]);
}
END
runs 'parts in one command' '11 12 13 14' "$ascc" parts/main.cpp parts/kernel.asc
runs 'parts apart' '11 12 13 14' sh -c "
    '$ascc' -c -fPIC --launch-headers=made parts/kernel.asc -o kernel.o &&
    '$ascc' -shared kernel.o -o libkernel.so &&
    '$ascc' -MD -c -Imade parts/main.cpp -o main.o &&
    '$ascc' main.o -L. -lkernel -Wl,-rpath,."
grep -q 'parts/main.cpp' main.d && grep -q 'parts/launch.h' main.d && grep -q '^main.o:' main.d &&
    ! grep -q 'ascc-' main.d || fail "main.d is: $(cat main.d)"
grep -q 'void \*sa_0, int32_t sa_1' made/aclrtlaunch_where.h ||
    fail "the launch header is: $(cat made/aclrtlaunch_where.h)"

# one template of a header, in two files, each with its cube and its vector half
cat >parts/template.h <<'END'
#include "kernel_operator.h"
void second(int *x);
template <class T>
__global__ __aicore__ void count(T *x)
{
#ifdef __DAV_C220_VEC__
    if (AscendC::GetBlockIdx() == 0)
        x[0] += 1;
#elif defined(__DAV_C220_CUBE__)
    x[1] += 10;
#endif
}
END
cat >parts/first.cpp <<'END'
#include "acl/acl.h"
#include "template.h"
#include <cstdio>
int main()
{
    void *gm;
    if (aclInit(nullptr) || aclrtSetDevice(0) || aclrtMalloc(&gm, 64, ACL_MEM_MALLOC_HUGE_FIRST))
        return 1;
    int *x = (int *)gm;
    x[0] = x[1] = 0;
    second(x);
    count<<<1, nullptr, nullptr>>>(x);
    aclrtSynchronizeStream(nullptr);
    std::printf("%d %d\n", x[0], x[1]);
}
END
cat >parts/second.cpp <<'END'
#include "template.h"
void second(int *x) { count<int><<<1, nullptr, nullptr>>>(x); }
END
runs 'a template in two files' '2 20' "$ascc" parts/first.cpp parts/second.cpp

# ---- errors name the user's line

kernel='extern "C" __global__ void k(int *x) {}'
says open.cpp 'open.cpp:4: error: there is no >>> for this <<<' <<END
#include "kernel_operator.h"
$kernel
void f(int *x) {
    k<<<8, nullptr, nullptr(x);
}
END
says close.cpp 'close.cpp:2: error: there is no <<< for this >>>' <<END
int f(int x, int y) {
    return x >>> y;
}
END
says nothing.cpp 'nothing.cpp:1: error: a launch needs the name of a kernel' <<END
void f(int *x) { return <<<8, nullptr, nullptr>>>(x); }
END
says one.cpp 'one.cpp:3: error: the launch of k has 1 configuration argument' <<END
#include "kernel_operator.h"
$kernel
void f(int *x) { k<<<8>>>(x); }
END
says five.cpp 'five.cpp:4: error: the launch of k has 5 configuration arguments' <<END
#include "kernel_operator.h"
$kernel
#define L(k) k<<<1, 2, 3, 4, 5>>>(x)
void f(int *x) { L(k); }
END
says behind.cpp 'behind.cpp:3: error: a launch needs its arguments' <<END
#include "kernel_operator.h"
$kernel
void f(int *x) { k<<<1, nullptr, nullptr>>> x; }
END
says global.cpp 'global.cpp:2: error: __global__ is not followed by a kernel' <<END
#include "kernel_operator.h"
__global__ int x;
END
says mix.cpp 'mix.cpp:2: error: __mix__(1, 3) is not supported' <<END
#include "kernel_operator.h"
__mix__(1, 3) __global__ void k() {}
END
# what coupled chips lack does not compile for them, and says so at the user's line
cat >lacks.cpp <<'END'
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR gm)
{
    GlobalTensor<half> to;
    LocalTensor<half> from;
    LocalTensor<float> sums;
    CALL;
}
END
for call in 'DataCopyPad=DataCopyPad(to, from, DataCopyExtParams(1, 2, 0, 0, 0))' \
    'DataCopyPad=DataCopyPad(to, from, DataCopyParams(1, 2, 0, 0))' \
    'DataCopyPad=DataCopyPad(from, to, DataCopyParams(1, 2, 0, 0), DataCopyPadParams())' \
    'Fixpipe=Fixpipe(to, sums, FixpipeParamsV220())' \
    'CrossCoreSetFlag=CrossCoreSetFlag<2, PIPE_V>(1)' 'CrossCoreWaitFlag=CrossCoreWaitFlag(1)'; do
    "$ascc" -c "-DCALL=${call#*=}" lacks.cpp >out 2>&1 || fail "$call does not compile: $(cat out)"
    "$ascc" --npu-arch=dav-2002 -c "-DCALL=${call#*=}" lacks.cpp >out 2>&1 &&
        fail "$call compiles for dav-2002"
    grep -q "${call%%=*} is not on coupled chips" out || fail "$call: $(cat out)"
    grep -q 'lacks.cpp:8' out || fail "$call, its line: $(cat out)"
done
says type.cpp 'type.cpp:3: error: kernel type KERNEL_TYPE_NEW is not supported' <<END
#include "kernel_operator.h"
__global__ void k() {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_NEW);
}
END
says returns.cpp 'a kernel returns void' <<END
#include "kernel_operator.h"
__global__ __aicore__ int k(int32_t *x) { return *x; }
void launch(int32_t *x) { k<<<1, nullptr, nullptr>>>(x); }
END
says static.cpp 'static.cpp:2: error: the kernel k chooses its core by the preprocessor and cannot be static' <<END
#include "kernel_operator.h"
static __global__ void k(int *x) {
#ifdef __DAV_C220_VEC__
    *x = 1;
#endif
}
void f(int *x) { k<<<1, 0, 0>>>(x); }
END
# the compiler's own, behind launches over several lines and a kernel on one
says compiler.cpp 'compiler.cpp:8:' <<END
#include "kernel_operator.h"
$kernel
void f(int *x) {
    k<<<8,
        nullptr,
        nullptr>>>(
        x);
    undeclared(x);
}
END
says argument.cpp 'argument.cpp:3:' <<END
#include "kernel_operator.h"
$kernel
void f(float *x) { k<<<8, nullptr, nullptr>>>(x); }
END

# a kernel's fault names its line
cat >fault.cpp <<'END'
#include "acl/acl.h"
#include "kernel_operator.h"
#include <cstdio>
extern "C" __global__ __aicore__ void bad(int32_t *x)
{
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1 << 20);
}
int main()
{
    aclInit(nullptr), aclrtSetDevice(0);
    bad<<<1, nullptr, nullptr>>>(nullptr);
    int code = aclrtSynchronizeStream(nullptr);
    std::printf("%d %s\n", code, aclGetRecentErrMsg());
    bad<<<0, nullptr, nullptr>>>(nullptr);
}
END
runs fault.cpp 507035 "$ascc" fault.cpp
grep -q 'fault.cpp:8' out || fail "the fault is: $(cat out)"
grep -q 'fault.cpp:16: launch of bad: error' out || fail "a refused launch is: $(cat out)"

# gdb stops on the kernel's line and shows what is in a tensor
if command -v gdb >/dev/null; then
    cat >debug.cpp <<'END'
#include "acl/acl.h"
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void add_one(int32_t *x)
{
    AscendC::TPipe pipe;
    AscendC::TBuf<> buffer;
    pipe.InitBuffer(buffer, 256);
    auto tensor = buffer.Get<int32_t>();
    AscendC::Duplicate(tensor, 20, 64);
    AscendC::Adds(tensor, tensor, 1, 64);
    x[0] = tensor.GetValue(0);
}
int main()
{
    void *gm;
    aclInit(nullptr), aclrtSetDevice(0), aclrtMalloc(&gm, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    add_one<<<
        1, nullptr,
        nullptr>>>((int32_t *)gm);
    return aclrtSynchronizeStream(nullptr);
}
END
    "$ascc" -O0 -g debug.cpp -o debug || fail 'debug.cpp does not build'
    gdb -q -batch -ex 'break debug.cpp:11' -ex run -ex 'print tensor.elements_[5]@3' -ex backtrace \
        ./debug >out 2>&1
    grep -q -F '= {21, 21, 21}' out && grep -q 'add_one (x=.*debug.cpp:11' out ||
        fail "gdb shows: $(cat out)"
fi

# ---- options

"$ascc" --version | grep -q '^ascc [0-9]' || fail --version
"$ascc" --help | grep -q '^Usage: ascc' || fail --help
"$ascc" --dry-run -c one.cpp -o dry.o 2>&1 | grep -q -e '-c .*one.ii -o dry.o' || fail --dry-run
[ ! -e dry.o ] || fail "--dry-run compiles"
"$ascc" -c missing.cpp >out 2>&1 && fail "a missing file compiles"
grep -q 'missing.cpp: no such file' out || fail "a missing file is: $(cat out)"
CXX=no-such-compiler "$ascc" -c fault.cpp >out 2>&1
[ $? = 127 ] && grep -q 'no-such-compiler is not installed; install it' out ||
    fail "a missing compiler is: $(cat out)"
"$ascc" --npu-arch=dav-2201 --soc-version Ascend910B1 --run-mode=npu -xasc -mllvm -x -dc \
    --keep -c fault.cpp >out 2>&1 || fail "the vendor's flags: $(cat out)"
[ -s fault.ascc.ii ] || fail "--keep keeps nothing"
"$ascc" --soc-version=Ascend999 -c fault.cpp >out 2>&1 && fail "an unknown chip compiles"
grep -q 'Ascend999' out || fail "an unknown chip is: $(cat out)"
"$ascc" -c fault.cpp -o no/folder/x.o >out 2>&1 && fail "a missing folder is no error"
[ -z "$(ls tmp)" ] || fail "temporary files stay: $(ls tmp)"

[ $failed = 0 ] && echo passed
exit $failed
