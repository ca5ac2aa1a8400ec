#!/bin/sh
# CMake projects as people have them for the toolkit: one that includes ascendc.cmake from
# ASCEND_CANN_PACKAGE_PATH, with both kinds of library and every function, one that only finds
# SoftAscend or CANN, and one in the language ASC. From the build tree and from an install tree.
#
#   cmake_test.sh BUILD GENERATOR CXX-COMPILER
set -u
build=$1 generator=$2 compiler=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

mkdir -p "$dir/toolkit/kernels/cmake" "$dir/toolkit/include" "$dir/find"
cd "$dir/toolkit" || exit 1
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(toolkit)
set(RUN_MODE "npu" CACHE STRING "")
set(SOC_VERSION "Ascend910B1" CACHE STRING "")
set(ASCEND_CANN_PACKAGE_PATH "" CACHE PATH "")
add_subdirectory(kernels)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE
  $<BUILD_INTERFACE:$<$<OR:$<STREQUAL:${RUN_MODE},npu>,$<STREQUAL:${RUN_MODE},sim>>:host_intf_pub>>
  kernels_${RUN_MODE} more_${RUN_MODE} tiling_api register platform ascendalog dl)
END
cat >kernels/CMakeLists.txt <<'END'
include(cmake/npu_lib.cmake)
END
cat >kernels/cmake/npu_lib.cmake <<'END'
if(EXISTS ${ASCEND_CANN_PACKAGE_PATH}/compiler/tikcpp/ascendc_kernel_cmake)
  set(ASCENDC_CMAKE_DIR ${ASCEND_CANN_PACKAGE_PATH}/compiler/tikcpp/ascendc_kernel_cmake)
else()
  message(FATAL_ERROR "no ascendc_kernel_cmake")
endif()
include(${ASCENDC_CMAKE_DIR}/ascendc.cmake)
file(GLOB KERNEL_FILES ${CMAKE_CURRENT_SOURCE_DIR}/add.cpp)
ascendc_library(kernels_${RUN_MODE} STATIC ${KERNEL_FILES})
ascendc_library(more_${RUN_MODE} SHARED more.asc)
ascendc_include_directories(kernels_${RUN_MODE} PRIVATE ${CMAKE_SOURCE_DIR}/include)
ascendc_compile_definitions(kernels_${RUN_MODE} PRIVATE
  $<$<BOOL:$<IN_LIST:${SOC_VERSION},Ascend310P1;Ascend310P3>>:CUSTOM_ASCEND310P>
  -DASCENDC_DUMP HAVE_WORKSPACE STEP=5)
ascendc_compile_options(kernels_${RUN_MODE} PRIVATE -O2 -Wall -Werror -mllvm -cce-aicore-stack-size=0x8000)
END
cat >include/step.h <<'END'
template <class T> inline T step(T x) { return x + STEP; }
END
cat >kernels/add.cpp <<'END'
#include "kernel_operator.h"
#include "step.h"
#ifndef HAVE_WORKSPACE
#error HAVE_WORKSPACE is not defined
#endif
struct Tiling { int32_t more; };
extern "C" __global__ __aicore__ void add_custom(GM_ADDR out, int32_t a)
{
    *(int32_t *)out = step(a);
}
void add_do(uint32_t blocks, void *l2ctrl, void *stream, uint8_t *out, int32_t a)
{
    add_custom<<<blocks, l2ctrl, stream>>>(out, a);
}
END
cat >kernels/more.asc <<'END'
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void more_custom(GM_ADDR out, float a)
{
#ifdef __DAV_C220_VEC__
    *(int32_t *)out = (int32_t)(2 * a);
#endif
}
END
cat >main.cpp <<'END'
#include "acl/acl.h"
#include "aclrtlaunch_add_custom.h"
#include "aclrtlaunch_more_custom.h"
#include <cstdio>
extern void add_do(uint32_t blocks, void *l2ctrl, void *stream, uint8_t *out, int32_t a);
int main()
{
    void *gm;
    if (aclInit(nullptr) || aclrtSetDevice(0) || aclrtMalloc(&gm, 64, ACL_MEM_MALLOC_HUGE_FIRST))
        return 1;
    int got[3];
    ACLRT_LAUNCH_KERNEL(add_custom)(1, nullptr, gm, 10);
    aclrtSynchronizeStream(nullptr), got[0] = *(int *)gm;
    add_do(1, nullptr, nullptr, (uint8_t *)gm, 20);
    aclrtSynchronizeStream(nullptr), got[1] = *(int *)gm;
    ACLRT_LAUNCH_KERNEL(more_custom)(1, nullptr, gm, 8.5f);
    aclrtSynchronizeStream(nullptr), got[2] = *(int *)gm;
    std::printf("%d %d %d\n", got[0], got[1], got[2]);
}
END

cd "$dir/find" || exit 1
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(find LANGUAGES CXX)
find_package(${PACKAGE} REQUIRED)
ascendc_library(kernel OBJECT kernel.cpp)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE kernel ${PACKAGE}::ascendcl)
END
cat >kernel.cpp <<'END'
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void set(GM_ADDR out)
{
    *(int32_t *)out = 42;
}
END
cat >main.cpp <<'END'
#include "acl/acl.h"
#include "aclrtlaunch_set.h"
#include <cstdio>
int main()
{
    void *gm;
    if (aclInit(nullptr) || aclrtSetDevice(0) || aclrtMalloc(&gm, 64, ACL_MEM_MALLOC_HUGE_FIRST))
        return 1;
    ACLRT_LAUNCH_KERNEL(set)(1, nullptr, gm);
    aclrtSynchronizeStream(nullptr);
    std::printf("%d\n", *(int *)gm);
}
END

mkdir -p "$dir/language"
cd "$dir/language" || exit 1
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
find_package(ASC REQUIRED)
project(language LANGUAGES ASC ${MORE_LANGUAGES})
add_library(tenfold SHARED tenfold.asc)
add_library(plus STATIC plus.asc)
add_executable(program main.asc)
if(MORE_LANGUAGES)
  target_sources(program PRIVATE host.cpp)
  target_compile_definitions(program PRIVATE HAVE_HOST)
endif()
target_link_libraries(program PRIVATE tenfold plus tiling_api register platform unified_dlog dl m)
target_compile_options(program PRIVATE $<$<COMPILE_LANGUAGE:ASC>:--npu-arch=dav-2201>)
target_compile_definitions(program PRIVATE STEP=5)
END
cat >main.asc <<'END'
#include "acl/acl.h"
#include "step.h"
#include <cstdio>
void tenfold(void *stream, void *out);
void plus(void *stream, void *out);
#ifdef HAVE_HOST
int host(int x);
#else
static int host(int x) { return 2 * x; }
#endif
__global__ __aicore__ void add(GM_ADDR out, int32_t a) { *(__gm__ int32_t *)out = step(a); }
int main()
{
    void *gm;
    if (aclInit(nullptr) || aclrtSetDevice(0) || aclrtMalloc(&gm, 64, ACL_MEM_MALLOC_HUGE_FIRST))
        return 1;
    add<<<1, nullptr, nullptr>>>((GM_ADDR)gm, host(2));
    tenfold(nullptr, gm);
    plus(nullptr, gm);
    aclrtSynchronizeStream(nullptr);
    std::printf("%d\n", *(int *)gm);
}
END
cat >step.h <<'END'
#include "kernel_operator.h"
inline int step(int x) { return x + STEP; }
END
cat >host.cpp <<'END'
int host(int x) { return 2 * x; }
END
cat >tenfold.asc <<'END'
#include "kernel_operator.h"
__global__ __aicore__ void tenfold_custom(GM_ADDR out) { *(__gm__ int32_t *)out *= 10; }
void tenfold(void *stream, void *out) { tenfold_custom<<<1, nullptr, stream>>>((GM_ADDR)out); }
END
cat >plus.asc <<'END'
#include "kernel_operator.h"
__global__ __aicore__ void plus_custom(GM_ADDR out) { *(__gm__ int32_t *)out += 1; }
void plus(void *stream, void *out) { plus_custom<<<1, nullptr, stream>>>((GM_ADDR)out); }
END

project() { # project NAME SOURCE TEXT OPTION…: configures, builds, and the program prints TEXT
    name=$1 source=$2 wanted=$3
    shift 3
    tree="$dir/build/$name"
    { cmake -S "$source" -B "$tree" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" "$@" &&
        cmake --build "$tree" -j 1; } >"$dir/log" 2>&1 || {
        fail "$name: $(cat "$dir/log")"
        return
    }
    got=$("$tree/program" 2>&1)
    [ "$got" = "$wanted" ] || fail "$name prints: $got"
    cmake --build "$tree" -j 1 >"$dir/log" 2>&1
    grep -q -E 'Building|Launch headers' "$dir/log" && fail "$name is built again: $(cat "$dir/log")"
}

project toolkit "$dir/toolkit" '15 25 17' -DASCEND_CANN_PACKAGE_PATH="$build"
sleep 1
touch "$dir/toolkit/include/step.h"
cmake --build "$dir/build/toolkit" -j 1 2>&1 | grep -q 'add.cpp' || fail "step.h changed, and nothing is built"
project SoftAscend "$dir/find" 42 -DPACKAGE=SoftAscend -DCMAKE_PREFIX_PATH="$build"
project ASC "$dir/language" 91 -DMORE_LANGUAGES=CXX -DCMAKE_PREFIX_PATH="$build"
touch "$dir/language/step.h"
cmake --build "$dir/build/ASC" -j 1 2>&1 | grep -q 'main.asc' || fail "step.h changed, and main.asc is not built"
cmake --install "$build" --prefix "$dir/installed" >"$dir/log" 2>&1 || fail "install: $(cat "$dir/log")"
project CANN "$dir/find" 42 -DPACKAGE=CANN -DCMAKE_PREFIX_PATH="$dir/installed"
project installed "$dir/toolkit" '15 25 17' -DASCEND_CANN_PACKAGE_PATH="$dir/installed"
# found by PATH alone, as set_env.sh leaves it
PATH="$dir/installed/bin:$PATH" project ASC-alone "$dir/language" 91

[ $failed = 0 ] && echo passed
exit $failed
