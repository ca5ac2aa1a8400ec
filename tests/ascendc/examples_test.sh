#!/bin/sh
# The examples as a user builds them, with plain g++ and gcc: right, and silent under the race check.
# Copies that lost one flag (its waits, or its sets too) are reported with the two lines that race.
#
#   examples_test.sh SOURCE LIB64
set -u
source=$1 lib=$2
export LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

build() { # build FILE PROGRAM FLAGS…
    file=$1 program=$2
    shift 2
    case $file in
    *.cpp) set -- g++ -std=c++17 "$@" -I"$source/include/ascendc" ;;
    *) set -- gcc -std=c17 "$@" ;;
    esac
    "$@" -g1 -I"$source/include" "$file" -o "$program" -L"$lib" -lascendcl -lsoftascend -lm ||
        fail "$file does not build"
}

line() { # line FILE TEXT: the number of the first line that has TEXT
    grep -n -F -e "$2" "$1" | head -n 1 | cut -d : -f 1
}

races() { # races NAME PROGRAM EARLIER LATER: a report names these two lines, in this order
    SOFTASCEND_CHECK=race "$2" >"$dir/out" 2>"$dir/err" || fail "$1: $(cat "$dir/out")"
    grep -A 1 "  *[a-z]* *by pipe [A-Z0-9]* *$3 (" "$dir/err" | grep -q " $4 (" ||
        fail "$1: no report of $3 and $4 in: $(cat "$dir/err")"
    tail -n 1 "$dir/err" | grep -q 'racecheck: [1-9][0-9]* races\{0,1\} found' || fail "$1: no summary"
}

for example in add/add.cpp add_c/add.c matmul_c/matmul.c; do
    build "$source/examples/$example" "$dir/program"
    "$dir/program" >"$dir/out" 2>&1 || fail "$example: $(cat "$dir/out")"
    grep -q ', 0 wrong$' "$dir/out" || fail "$example: $(cat "$dir/out")"
    SOFTASCEND_CHECK=race "$dir/program" >"$dir/out" 2>"$dir/err" || fail "$example under check"
    [ -s "$dir/err" ] && fail "$example is right, but: $(cat "$dir/err")"
done

lose() { # lose FILE FROM TO EARLIER LATER: texts of the two lines that race
    example=$source/examples/$1 name=$(basename "$1")
    for what in wait_flag '[a-z]*_flag'; do
        sed "/sa_$what(core, SA_PIPE_$2, SA_PIPE_$3,/s|sa_|// &|" "$example" >"$dir/$name"
        build "$dir/$name" "$dir/program"
        races "$name without $2 to $3 ($what)" "$dir/program" \
            "$name:$(line "$example" "$4")" "$name:$(line "$example" "$5")"
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

# add.cpp's flags are its queues': a copy of the header leaves out one kind
cp -r "$source/include" "$dir/include"
sed 's/sa_wait_flag(sa_self(), from, to/if (from != LOST_FROM || to != LOST_TO) &/' \
    "$source/include/ascendc/flags.h" >"$dir/include/ascendc/flags.h"
lose_queue() {
    add=$source/examples/add/add.cpp
    g++ -std=c++17 -g1 -DLOST_FROM=SA_PIPE_"$1" -DLOST_TO=SA_PIPE_"$2" -I"$dir/include" \
        -I"$dir/include/ascendc" "$add" -o "$dir/program" -L"$lib" -lascendcl -lsoftascend ||
        fail "add.cpp with its own header"
    races "add.cpp without $1 to $2" "$dir/program" "add.cpp:$(line "$add" "$3")" \
        "add.cpp:$(line "$add" "$4")"
}
lose_queue MTE2 V 'DataCopy(x, x_' 'AscendC::Add('
lose_queue V MTE2 'AscendC::Add(' 'DataCopy(y, y_'
lose_queue V MTE3 'AscendC::Add(' 'DataCopy(z_[at]'
lose_queue MTE3 V 'DataCopy(z_[at]' 'AscendC::Add('

[ $failed = 0 ] && echo passed
exit $failed
