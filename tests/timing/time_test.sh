#!/bin/sh
# A matmul 1024^3 fp16, recorded and timed: the same on any number of threads and on every run, within
# what the cube can do; and what `softascend time` says of bad files and bad usage.
#
#   time_test.sh BIN MATMUL_PROGRAM
set -u
bin=$1 program=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}
expect() { # expect CODE TEXT COMMAND…: the exit code, and text that the output has
    code=$1 text=$2
    shift 2
    "$@" >"$dir/out" 2>&1
    got=$?
    [ $got = "$code" ] || fail "$*: exit code $got, expected $code: $(cat "$dir/out")"
    grep -q -e "$text" "$dir/out" || fail "$*: no '$text' in: $(cat "$dir/out")"
}

for threads in 1 2 5; do
    SOFTASCEND_THREADS=$threads SOFTASCEND_TRACE=$dir/$threads "$program" 1024 1024 1024 >/dev/null ||
        fail "the program"
    cmp "$dir/1" "$dir/$threads" || fail "the trace with $threads threads differs"
done
"$bin" time "$dir/1" --chip Ascend910B1 --json >"$dir/a.json" || fail "time"
"$bin" time "$dir/2" --chip Ascend910B1 --json >"$dir/b.json" || fail "time"
cmp "$dir/a.json" "$dir/b.json" || fail "two runs differ"

# 1024^3 multiply-adds at 4096 a cycle on 24 cubes take 10,923 cycles; a kernel that overlaps its
# moves with its products comes within a few times that
python3 - "$dir/a.json" <<'P' || fail "the cycles"
import json, sys
kernel, = json.load(open(sys.argv[1]))["kernels"]
assert kernel["core_type"] == "AIC" and kernel["cores"] == 24, kernel
assert 10923 <= kernel["cycles"] <= 3 * 10923, kernel["cycles"]
peak = 1024**3 / (kernel["cycles"] * 24 * 4096)
assert abs(kernel["cube_peak_share"] - peak) < 1e-9, (kernel["cube_peak_share"], peak)
assert abs(kernel["tflops"] - 2 * 1024**3 / kernel["us"] / 1e6) < 1e-6, kernel["tflops"]
# each element of A and B comes from HBM at least once, each of C goes there
assert kernel["hbm_bytes"] >= 3 * 1024 * 1024 * 2, kernel["hbm_bytes"]
assert kernel["gm_write_bytes"] == 1024 * 1024 * 2, kernel["gm_write_bytes"]
assert all(0 <= share <= 1 for share in kernel["busy"].values()), kernel["busy"]
P

expect 0 'cube .* TFLOPS, .*% of the chip' "$bin" time "$dir/1"
expect 0 'M  *#.*% busy' "$bin" time "$dir/1" --chip Ascend910B4
# a record holds for the chips of its architecture and sizes, and for no other
for chip in Ascend910B2 Ascend910B3 Ascend910_9391; do
    expect 0 'cube .* TFLOPS' "$bin" time "$dir/1" --chip $chip
done
for chip in Ascend310P3 Ascend310P1 Ascend910A Ascend910ProA; do
    expect 1 "on architecture 2201, $chip has .*SOFTASCEND_CHIP=$chip" "$bin" time "$dir/1" --chip $chip
done
SOFTASCEND_CHIP=Ascend310P3 SOFTASCEND_TRACE=$dir/coupled "$program" 512 512 512 >/dev/null ||
    fail "the program on a coupled chip"
expect 0 'V  *#.*% busy' "$bin" time "$dir/coupled" --chip Ascend310P3
expect 0 'cube .* TFLOPS' "$bin" time "$dir/coupled" --chip Ascend310P1
expect 1 'on architecture 2002, Ascend910A has 1001' "$bin" time "$dir/coupled" --chip Ascend910A
expect 1 'on architecture 2002, Ascend910B1 has 2201' "$bin" time "$dir/coupled" --chip Ascend910B1
expect 0 'Ascend310P3, architecture 2002, coupled' env SOFTASCEND_CHIP=Ascend310P3 "$bin" info
expect 0 'Ascend910B4, architecture 2201, split' env SOFTASCEND_CHIP=Ascend910B4 "$bin" info
expect 0 'softascend [0-9]' "$bin" --version
expect 0 'devices  *[0-9]' "$bin" info
expect 0 'kernel=NAME' "$bin" time --help
expect 64 'unknown command' "$bin" tim
expect 64 'Usage' "$bin" time
expect 1 'has no kernel nonsense' "$bin" time "$dir/1" --kernel nonsense
expect 1 'No such file' "$bin" time "$dir/none"
expect 1 'the chips are' "$bin" time "$dir/1" --chip Ascend910X
echo text >"$dir/text"
expect 1 'not a trace file' "$bin" time "$dir/text"
head -c 5000 "$dir/1" >"$dir/cut"
expect 1 'offset [0-9]' "$bin" time "$dir/cut"

[ $failed = 0 ] && echo passed
exit $failed
