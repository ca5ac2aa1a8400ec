#!/bin/sh
# Op projects as a user builds them: by ascc alone, by CMake; their operators called from C; and what
# is wrong with one is said with its place.
#
#   project_test.sh BUILD GENERATOR CXX-COMPILER SOURCE
set -u
build=$1 generator=$2 compiler=$3 source=$4
here=$source/tests/ascendc/op_project
ascc=$build/bin/ascc
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}
export CXX="$compiler" LD_LIBRARY_PATH="$build/lib64"
cd "$dir" || exit 1

# ---- by the command, and a C program that links with the result

"$ascc" --op-project="$here/ops" -o out -MD -MF out.d -MT out || fail "ascc --op-project"
cc -std=c17 -Wall -Wextra -Werror "$here/calls.c" -Iout/op_api/include -I"$build/include" \
    -Lout/op_api/lib -lcust_opapi -L"$build/lib64" -lascendcl -lnnopbase \
    -Wl,-rpath,"$dir/out/op_api/lib" -o calls || fail "linking with the library"
./calls || fail "the operators' values"
for file in scale_shift_tiling.h choose_keys.h step_by.cpp scale_kernel.cpp op_def.h; do
    grep -q "$file" out.d || fail "$file is not among the dependencies"
done

# ---- by CMake

mkdir cmake
cp "$here/ops/op_host/sum_and_max.cpp" cmake/host.cpp
cp "$here/ops/op_kernel/sum_and_max.cpp" cmake/
cat >cmake/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(uses_operators CXX)
find_package(SoftAscend REQUIRED)
add_subdirectory(ops)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE sums)
END
mkdir cmake/ops
cat >cmake/ops/CMakeLists.txt <<'END'
softascend_add_operator(sums HOST ../host.cpp KERNEL ../sum_and_max.cpp
  INCLUDE . DEFINITIONS -DFACTOR=1 OPTIONS -O1)
END
cat >cmake/main.cpp <<'END'
#include "aclnn_sum_and_max.h"
int main() { return aclnnSumAndMaxGetWorkspaceSize(nullptr, nullptr, nullptr, nullptr, nullptr) != 161001; }
END
if ! cmake -S cmake -B cmake/build -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$build" >said 2>&1 || ! cmake --build cmake/build >>said 2>&1 ||
    ! cmake/build/program; then
    fail "softascend_add_operator"
    cat said
fi
cmake --build cmake/build >said
grep -q 'Operators of' said && fail "what did not change was built again"
touch cmake/sum_and_max.cpp
cmake --build cmake/build >said
grep -q 'Operators of' said || fail "what changed was not built again"

# the project's own CMakeLists calls the toolkit's scripts: what to run instead is said
cp -r "$here/ops" own
cat >own/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(opp)
find_package(ASC REQUIRED)
npu_op_package(customize TYPE RUN)
END
cmake -S own -B own/build -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$build" >said 2>&1 && fail "npu_op_package was taken"
instead=$(sed -n 's/^ *\(.* --op-project=.* -o out\)$/\1/p' said)
case $instead in
*"/own -o out") ;;
*) fail "what to run instead is not said" && cat said ;;
esac

# ---- the example

if ! cmake -S "$source/examples/op_project" -B example -G "$generator" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$build" >said 2>&1 ||
    ! cmake --build example >>said 2>&1; then
    fail "examples/op_project"
    cat said
fi
for size in 0 1 17 100003 1000003; do
    for type in f32 f16; do
        SOFTASCEND_CHECK=race example/program $size --dtype $type >said 2>&1 ||
            fail "examples/op_project $size $type"
        grep -q 'racecheck' said && cat said && fail "examples/op_project has races"
    done
done

# ---- what is wrong with a project: FILE:LINE and why

begin() {
    rm -rf bad
    mkdir -p bad/op_host bad/op_kernel
    cat >bad/op_host/bad.cpp <<'EOF'
#include "register/op_def_registry.h"
static ge::graphStatus Tiling(gert::TilingContext *context) { return context->SetBlockDim(1); }
namespace ops {
EOF
}
# operator NAME BODY [KERNEL]: in one line of bad.cpp; KERNEL follows __aicore__ void in its own file
operator() {
    printf '%s\n' "class $1 : public OpDef { public: explicit $1(const char *name) : OpDef(name) {" \
        "$2" "} }; OP_ADD($1);" >>bad/op_host/bad.cpp
    printf '#include "kernel_operator.h"\nextern "C" __global__ __aicore__ void %s\n' \
        "${3:-$1(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {\}}" \
        >"bad/op_kernel/$(printf %s "$1" | tr '[:upper:]' '[:lower:]').cpp"
}
# expect TEXT...: the build fails, and says every TEXT
expect() {
    echo '}' >>bad/op_host/bad.cpp
    "$ascc" --op-project=bad -o bad_out >said 2>&1 && fail "was built: wanted $1"
    for text; do
        grep -qF "$text" said || { fail "\"$text\" is not said:" && cat said; }
    done
}
x='Input("x").DataType({ge::DT_FLOAT});'
y='Output("y").DataType({ge::DT_FLOAT});'
t='AICore().SetTiling(Tiling);'
kernel='(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)'

# definitions: all of them are reported at once
begin
operator Lengths 'Input("x").DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
Output("y").DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16}); AICore().SetTiling(Tiling);'
operator Untiled "$x $y"
operator Blind "$x $t"
operator Typeless "Input(\"x\"); $y $t"
operator Sizeless "$x $y $t Attr(\"size\");"
operator Nested "$x $y $t Attr(\"table\").ListListInt({});"
operator Scalars "$x Input(\"s\").DataType({ge::DT_FLOAT}).Scalar(); $y $t"
operator Follower "$x Output(\"y\").Follow(\"z\"); $t"
operator Ones "$x Output(\"y\").DataType({ge::DT_FLOAT}).InitValue(1); $t"
operator Strings "Input(\"x\").DataType({ge::DT_STRING}); $y $t" "strings$kernel {}"
operator Lost "$x $y $t"
mv bad/op_kernel/lost.cpp bad/op_kernel/other.cpp
operator Misnamed "$x $y $t" "another$kernel {}"
expect 'bad.cpp:7: error: Lengths: DataType lists differ in length: x has 2, y has 3' \
    'bad.cpp:10: error: Untiled: it has no tiling function' 'Blind: it has no output' \
    'Typeless: x has no DataType' 'Sizeless: attribute size has no type' \
    'Nested: attribute table has ListListInt' 'Scalars: s is a Scalar' 'Follower: y follows z' \
    'Ones: y has an InitValue other than 0' 'Strings: x is of the dtype 13' \
    'Lost: there is no kernel file lost.cpp among: ' 'Misnamed: ' 'misnamed.cpp has no kernel misnamed'

begin
operator Few "$x $y $t" "few(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling) {}"
expect 'the kernel few must take 4 parameters'
begin
operator Wrong "$x $y $t" "wrong$kernel
{
    undeclared(x);
}"
expect 'op_kernel/wrong.cpp:4:5: error:' 'undeclared'
begin
operator Unknown "$x $y $t
NoSuchCall();" "unknown$kernel {}"
expect 'op_host/bad.cpp:6:' 'NoSuchCall'
begin
operator Keyless "$x $y $t" "keyless$kernel
{
#if TILING_KEY_VAR > 3
#endif
}"
expect 'bad.cpp:6: error: Keyless: ' 'asks for TILING_KEY_VAR in #if lines but names no key'
begin
operator Enumerated "$x $y $t" "enumerated$kernel
{
    enum { KEY = 3 };
    if (TILING_KEY_IS(KEY)) {
#if TILING_KEY_VAR == 3
#endif
    }
}"
expect 'op_kernel/enumerated.cpp:5:' 'KEY' 'must be a number or a macro'
begin
operator Crash "$x $y $t *(volatile int *)8 = 0;" "crash$kernel {}"
expect "the project's host code crashed (Segmentation fault)"
begin
echo 'extern "C" void elsewhere(void); void (*keep)(void) = elsewhere;' >>bad/op_host/bad.cpp
expect elsewhere
sed -i '/elsewhere/d' bad/op_host/bad.cpp
sed -i '$d' bad/op_host/bad.cpp
expect 'has no operator: OP_ADD(Name)'
rm -r bad/op_kernel
expect 'bad/op_kernel: an op project has the folders op_host and op_kernel'

exit $failed
