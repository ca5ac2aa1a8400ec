#!/bin/sh
# The examples as a user builds them: right on odd sizes, types and block counts, silent under the
# race check, and minimal: a copy that lost one flag or barrier is reported, with the lines that race.
#
#   examples_test.sh SOURCE BUILD
set -u
source=$1 build=$2
lib=$build/lib64 ascc=$build/bin/ascc
export LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

build() { # build FILE FLAGS…: as program; a copy finds host.h where the example does
    built=$1 program=$dir/program
    shift
    set -- -Wall -Wextra -Werror "$@" -iquote "$(dirname "$source/examples/$example")" -g1 "$built" \
        -o "$dir/program"
    case $built in
    *.cpp) "$ascc" "$@" ;;
    *) gcc -std=c17 -O1 "$@" -I"$source/include" -L"$lib" -lascendcl -lsoftascend -lm ;;
    esac >"$dir/out" 2>&1 || fail "$built does not build: $(cat "$dir/out")"
}

runs() { # runs ARGUMENT…: the program is right, and silent under the race check
    SOFTASCEND_CHECK=race "$program" "$@" >"$dir/out" 2>"$dir/err" || fail "$example $* fails"
    grep -q ': OK$' "$dir/out" || fail "$example $*: $(cat "$dir/out")"
    [ -s "$dir/err" ] && fail "$example $* is right, but: $(cat "$dir/err")"
}

# ---- right, built as the folder's CMake project: FILE TYPES SIZES…, dimensions joined by x
tree=$dir/tree
{ cmake -S "$source/examples" -B "$tree" -DCMAKE_PREFIX_PATH="$build" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror' &&
    cmake --build "$tree" -j 2; } >"$dir/out" 2>&1 || fail "examples do not build: $(cat "$dir/out")"
while read -r example types sizes; do
    program=$tree/$(dirname "$example" | tr / _)
    for size in $sizes; do
        for type in $(echo "$types" | tr , ' '); do
            for blocks in 1 3 48; do
                # shellcheck disable=SC2046 # a dimension is a word
                runs $(echo "$size" | tr x ' ') --dtype "$type" --blocks $blocks
            done
        done
    done
    runs
    "$program" --help | grep -q 'Usage' || fail "$example --help"
    "$program" --blocks 0 >"$dir/out" 2>&1
    [ $? = 2 ] || fail "$example takes no blocks: $(cat "$dir/out")"
done <<'END_OF_TABLE'
add/add.cpp               f32,f16 0 1 17 131 100003
add_c/add.c               f32     0 1 17 131 100003
sigmoid/sigmoid.cpp       f32,f16 0 1 17 131 100003
sigmoid_c/sigmoid.c       f32,f16 0 1 17 131 100003
leaky_relu/leaky_relu.cpp f32,f16 0 1 17 131 100003
reduce/reduce.cpp         f32,f16 0 1 17 131 100003
reduce_c/reduce.c         f32,f16 0 1 17 131 100003
softmax/softmax.cpp       f32,f16 0x5 5x0 1x1 3x17 7x4097 2x10003
softmax_c/softmax.c       f32,f16 0x5 5x0 1x1 3x17 7x4097 2x10003
layer_norm/layer_norm.cpp f32,f16 0x5 5x0 1x1 3x17 7x4097 2x10003
top_k/top_k.cpp           f32,f16 0x5x5 1x1x1 3x17x17 7x2049x31 2x10003x2048
matmul_c/matmul.c         f32     1x1x1 17x33x65 129x65x130
matmul_cube/matmul_cube.cpp           f16,bf16     1x1x1 17x33x65 129x265x290
matmul_class/matmul_class.cpp         f32,f16,bf16 1x1x1 17x33x65 129x265x290
matmul_leakyrelu/matmul_leakyrelu.cpp f16,f32      1x1x1 17x33x65 129x265x290
seed_articles/sigmoid/sigmoid.cpp f32,f16,bf16 0 1 17 131 100003
seed_articles/matmul/matmul.cpp   f16          1x1x1 17x33x65 129x257x131
END_OF_TABLE

example=matmul_class/matmul_class.cpp
build "$source/examples/$example" -DASCENDC_CUBE_ONLY
runs
runs 129 265 290 --dtype f16 --blocks 3

# ---- minimal

line() { # line FILE TEXT: the number of the first line that has TEXT
    grep -n -F -e "$2" "$1" | head -n 1 | cut -d : -f 1
}

races() { # races NAME EARLIER LATER: a report names these two lines, in this order
    SOFTASCEND_CHECK=race "$dir/program" --blocks 2 >"$dir/out" 2>"$dir/err" || fail "$1 fails"
    grep -A 1 "  *[a-z]* *by pipe [A-Z0-9]* *$2 (" "$dir/err" | grep -q " $3 (" ||
        fail "$1: no report of $2 and $3 in: $(cat "$dir/err")"
    tail -n 1 "$dir/err" | grep -q 'racecheck: [1-9][0-9]* races\{0,1\} found' || fail "$1: no summary"
}

lose() { # lose FILE FROM TO EARLIER LATER: texts of the two lines that race
    example=$1 file=$source/examples/$1 name=$(basename "$1")
    for what in wait_flag '[a-z]*_flag'; do
        sed "/sa_$what(core, SA_PIPE_$2, SA_PIPE_$3,/s|sa_|// &|" "$file" >"$dir/$name"
        build "$dir/$name"
        races "$name without $2 to $3 ($what)" \
            "$name:$(line "$file" "$4")" "$name:$(line "$file" "$5")"
    done
}

lose add_c/add.c MTE2 V 'sa_copy_in(core, x' sa_add
lose add_c/add.c V MTE2 sa_add 'sa_copy_in(core, y'
lose add_c/add.c V MTE3 sa_add sa_copy_out
lose add_c/add.c MTE3 V sa_copy_out sa_add
lose matmul_c/matmul.c MTE2 MTE1 'sa_nd2nz(core, SA_F32, l1_a' sa_load_l0a
lose matmul_c/matmul.c MTE1 MTE2 sa_load_l0b 'sa_nd2nz(core, SA_F32, l1_b'
lose matmul_c/matmul.c MTE1 M sa_load_l0a sa_mmad
lose matmul_c/matmul.c M MTE1 sa_mmad sa_load_l0b
lose matmul_c/matmul.c M FIX sa_mmad sa_fixpipe
lose matmul_c/matmul.c FIX M sa_fixpipe sa_mmad

# The flags of queues: a toolkit whose header waits for all flags but those from pipe $FROM to $TO.
mkdir "$dir/toolkit" "$dir/toolkit/bin"
cp -r "$source/include" "$dir/toolkit/include"
cp "$ascc" "$dir/toolkit/bin"
ln -s "$lib" "$dir/toolkit/lib64"
sed -e 's/sa_wait_flag(sa_self(), from, to/if (!lost(from, to)) &/' -e '/^namespace softascend/i\
#include <stdlib.h>\
SA_INLINE bool lost(sa_pipe from, sa_pipe to) {\
    return getenv("FROM") && atoi(getenv("FROM")) == from && atoi(getenv("TO")) == to; }' \
    "$source/include/ascendc/flags.h" >"$dir/toolkit/include/ascendc/flags.h"
ascc=$dir/toolkit/bin/ascc
lose_queue() { # lose_queue FROM TO EARLIER LATER
    file=$source/examples/$example name=$(basename "$example")
    FROM=$1 TO=$2
    export FROM TO
    races "$name without $1 to $2" "$name:$(line "$file" "$3")" "$name:$(line "$file" "$4")"
    unset FROM TO
}
V=1 M=2 MTE1=3 MTE2=4 MTE3=5 FIX=6 # enum sa_pipe

example=add/add.cpp
build "$source/examples/$example"
lose_queue $MTE2 $V 'DataCopyPad(x, x_' 'AscendC::Add('
lose_queue $V $MTE2 'AscendC::Add(' 'DataCopyPad(y, y_'
lose_queue $V $MTE3 'AscendC::Add(' 'DataCopyPad(z_[at]'
lose_queue $MTE3 $V 'DataCopyPad(z_[at]' 'AscendC::Add('

example=matmul_cube/matmul_cube.cpp
build "$source/examples/$example"
lose_queue $MTE2 $MTE1 'DataCopy(a, a_' 'LoadData(a['
lose_queue $MTE1 $MTE2 'LoadData(b[' 'DataCopy(b, b_'
lose_queue $MTE1 $M 'LoadData(a[' 'Mmad('
lose_queue $M $MTE1 'Mmad(' 'LoadData(b['
lose_queue $M $FIX 'Mmad(' 'Fixpipe('
lose_queue $FIX $M 'Fixpipe(' 'Mmad('

example=seed_articles/matmul/matmul.cpp
build "$source/examples/$example"
lose_queue $MTE2 $MTE1 'DataCopy(to, from' 'LoadData(a2'
lose_queue $MTE1 $MTE2 'LoadData(b2' 'DataCopy(to, from'
lose_queue $MTE1 $M 'LoadData(a2' 'Mmad('
lose_queue $M $MTE1 'Mmad(' 'LoadData(b2'
lose_queue $M $FIX 'Mmad(' 'Fixpipe('
lose_queue $FIX $M 'Fixpipe(' 'Mmad('
ascc=$build/bin/ascc

# The barriers and waits between dependent instructions, one at a time, chosen when it runs.
cat >"$dir/lost.h" <<'END_OF_HEADER'
#include <stdlib.h>
static inline int lost(void) { return getenv("LOST") ? atoi(getenv("LOST")) : 0; }
END_OF_HEADER
while read -r example sizes; do
    name=$(basename "$example")
    awk '!/Concat/ && /PipeBarrier<PIPE_(V|ALL)>\(\);|sa_barrier\(|AscendC::WaitFlag<|sa_wait_flag\(core, SA_PIPE_V, SA_PIPE_S/ {
             sub(/AscendC::(PipeBarrier|WaitFlag)<|sa_barrier\(|sa_wait_flag\(/, "if (lost() != " NR ") &")
         } 1' "$source/examples/$example" >"$dir/$name"
    build "$dir/$name" -include "$dir/lost.h"
    grep -n 'if (lost() != ' "$dir/$name" | cut -d : -f 1 >"$dir/lines"
    [ -s "$dir/lines" ] || fail "$name has nothing to lose"
    while read -r lost; do
        for blocks in 2 8; do
            # shellcheck disable=SC2086 # a dimension is a word
            LOST=$lost SOFTASCEND_CHECK=race "$dir/program" $sizes --blocks $blocks --dtype f16 \
                >"$dir/out" 2>&1
            cat "$dir/out"
        done >"$dir/err"
        grep -q "by pipe.*$name:[0-9]" "$dir/err" ||
            fail "$name needs no $(sed -n "${lost}p" "$source/examples/$example") (line $lost)"
    done <"$dir/lines"
done <<'END_OF_TABLE'
sigmoid/sigmoid.cpp 20000
sigmoid_c/sigmoid.c 20000
reduce/reduce.cpp 20000
reduce_c/reduce.c 20000
softmax/softmax.cpp 5 5000
softmax_c/softmax.c 5 5000
layer_norm/layer_norm.cpp 5 5000
top_k/top_k.cpp 5 2500 40
seed_articles/sigmoid/sigmoid.cpp 70000
END_OF_TABLE

[ $failed = 0 ] && echo passed
exit $failed
