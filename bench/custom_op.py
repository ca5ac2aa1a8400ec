#!/usr/bin/env python3
"""Three ways to an op of one's own, each built and timed: the table of docs/custom-op.md.

Run as ``./dev bench custom-op``. The ops are the sigmoid and the matmul of examples/custom_op and
examples/tensorflow_op; all run on /NPU:0 from eager Python, turn about, and the medians are shown.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
sys.path.insert(0, str(EXAMPLES / "custom_op"))

from custom_ops import load_matmul, load_sigmoid

SIZES = {"sigmoid": (1024, 4194304), "matmul": (16, 256)}


def python_sigmoid(x):
    return 1 / (1 + tf.exp(-x))


def python_matmul(a, b):
    return tf.reduce_sum(a[:, :, None] * b[None, :, :], axis=1)


def lines(text: str) -> int:
    """Lines that are not blank and not only comment."""
    count, inside = 0, False
    for line in map(str.strip, text.splitlines()):
        if not inside and line.startswith('"""') and line.endswith('"""') and len(line) > 3:
            continue
        inside ^= line.startswith("/*") and not inside
        code = line and not inside and not line.startswith(("//", "# "))
        count += bool(code)
        if inside and "*/" in line:
            inside = False
    return count


def files(folder: str, *names: str) -> int:
    """Their lines."""
    return sum(lines((EXAMPLES / folder / name).read_text()) for name in names)


def build_library(folder: str) -> float:
    """Builds examples/tensorflow_op and loads it; seconds of CMake."""
    begin = time.perf_counter()
    configure = ["cmake", "-S", EXAMPLES / "tensorflow_op", "-B", folder, f"-DPython3_EXECUTABLE={sys.executable}"]
    for command in (configure, ["cmake", "--build", folder]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - begin
    os.environ["EXAMPLE_OPS"] = f"{folder}/libexample_ops.so"
    sys.path.insert(0, str(EXAMPLES / "tensorflow_op"))
    return seconds


def ways(folder: str) -> list[dict[str, object]]:
    """Each with its ops, the lines of its kernels and around them, and the seconds of its build."""
    around = lines(inspect.getsource(load_sigmoid)) + lines(inspect.getsource(load_matmul))
    os.environ["SOFTASCEND_CACHE"] = f"{folder}/cache"
    begin = time.perf_counter()
    sigmoid, matmul = load_sigmoid(), load_matmul()
    loaded = time.perf_counter() - begin
    cmake = build_library(f"{folder}/build")
    example = importlib.import_module("example_ops")
    matmul_kernel = files("tensorflow_op", "matmul_kernel.h")
    return [
        {"way": "pure Python", "sigmoid": python_sigmoid, "matmul": python_matmul, "kernels": 0,
         "around": lines(inspect.getsource(python_sigmoid) + inspect.getsource(python_matmul)), "build": 0.0},
        {"way": "C++ op library", "sigmoid": example.sigmoid, "matmul": example.matmul,
         "kernels": files("tensorflow_op", "sigmoid_kernel.h") + matmul_kernel, "build": cmake,
         "around": files("tensorflow_op", "kernels.cpp", "tiling.h", "ops.cc", "example_ops.py", "CMakeLists.txt")},
        {"way": "load_ascendc", "sigmoid": sigmoid, "matmul": matmul, "build": loaded, "around": around,
         "kernels": files("custom_op", "sigmoid.cpp", "matmul.cpp") + matmul_kernel},
    ]  # fmt: skip


def operands(op: str, size: int):
    rng = np.random.default_rng(0)
    if op == "sigmoid":
        return [tf.constant(rng.normal(size=size).astype("f4"))]
    return [tf.constant(rng.normal(size=(size, size)).astype("f2")) for _ in range(2)]


def measure(calls: list, arguments: list, rounds: int) -> list[float]:
    """Median seconds of each call, turn about, best of what the load of the machine allows."""
    times: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call(*arguments)
    for _ in range(rounds):
        for call, mine in zip(calls, times):
            begin, count = time.perf_counter(), 0
            while count < 3 or time.perf_counter() - begin < 0.03:
                call(*arguments)
                count += 1
            mine.append((time.perf_counter() - begin) / count)
    return [statistics.median(t) for t in times]


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench custom-op", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    if not tf.config.list_physical_devices("NPU"):
        print("bench: no NPU device; run through ./dev bench", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, tf.device("/NPU:0"):
        rows = ways(folder)
        for op, sizes in SIZES.items():
            for size in sizes:
                values = operands(op, size)
                exact = tf.sigmoid(values[0]) if op == "sigmoid" else tf.matmul(*values)
                for row in rows:  # a fast wrong answer is none
                    got = tf.cast(row[op](*values), tf.float32)
                    worst = float(tf.reduce_max(tf.abs(got - tf.cast(exact, tf.float32))))
                    if not worst < (1e-5 if op == "sigmoid" else 1.0):
                        print(f"bench: {row['way']}: {op} {size} is wrong by {worst}", file=sys.stderr)
                        return 1
                for row, seconds in zip(rows, measure([r[op] for r in rows], values, rounds)):
                    row[op, size] = seconds
    columns = [(op, size) for op, sizes in SIZES.items() for size in sizes]
    print("| way | lines of kernels | lines around | build, s | " + " | ".join(f"{op} {n}, µs" for op, n in columns) + " |")
    print("|---|" + "---:|" * (3 + len(columns)))
    for row in rows:
        cells = [row["way"], row["kernels"], row["around"], f"{row['build']:.1f}"]
        print("| " + " | ".join(map(str, cells + [f"{row[c] * 1e6:,.0f}" for c in columns])) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
