#!/usr/bin/env python3
"""Side-by-side benchmarks: each case beside its peer in one process, turn about, medians with spread.

Run as ``./dev bench [case…] [--json FILE]``; a case is a name or the start of one (``matmul``,
``sigmoid/f32``).
"""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from typing import Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np

import rows

THREADS = len(os.sched_getaffinity(0))
DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}


@dataclasses.dataclass(frozen=True)
class Case:
    """One row: `work` units of work (flops, bytes …) done by both callables, counted in `unit`."""

    name: str
    work: float
    unit: str
    make: Callable[[], tuple[Callable[[], object], Callable[[], object]]]


def _on(device: str, values: np.ndarray, dtype: str):
    import tensorflow as tf

    with tf.device(device):
        return tf.identity(tf.cast(tf.constant(values), dtype))


def _pair(call, *operands: np.ndarray, dtype: str):
    """The same call on NPU and CPU, each on operands that live there."""
    import tensorflow as tf

    def on(device):
        here = [_on(device, x, dtype) for x in operands]

        def run():
            with tf.device(device):
                return call(*here)

        return run

    return on("/NPU:0"), on("/CPU:0")


def _matmul(name: str, m: int, k: int, n: int, dtype: str) -> Case:
    def make():
        import tensorflow as tf

        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(m, k)), rng.normal(size=(k, n))
        return _pair(tf.matmul, a.astype("f4"), b.astype("f4"), dtype=DTYPES[dtype])

    return Case(f"matmul/{dtype}/{name}", 2e-9 * m * k * n, "GFLOP/s", make)


def _sigmoid(size: int, dtype: str) -> Case:
    def make():
        import tensorflow as tf

        x = np.random.default_rng(0).normal(0, 4, size).astype("f4")
        return _pair(tf.sigmoid, x, dtype=DTYPES[dtype])

    return Case(f"sigmoid/{dtype}/{size}", 1e-9 * size, "G elements/s", make)


def cases() -> list[Case]:
    """Every case, in the order of the table."""
    made = [_matmul(str(n), n, n, n, t) for t in DTYPES for n in (128, 512, 1024, 2048)]
    made += [_sigmoid(n, t) for t in DTYPES for n in (1024, 65536, 4194304)]
    return made


def measure(case: Case, seconds: float = 2.0, rounds: int = 15) -> dict[str, object]:
    """Times a case: rounds of ours and the peer turn about, each long enough to be timed well."""
    import tensorflow as tf

    ours, peer = case.make()

    def once(fn, count):
        start = time.perf_counter()
        for _ in range(count):
            fn()
        return (time.perf_counter() - start) / count

    for fn in (ours, peer, ours, peer):
        once(fn, 1)
    slowest = max(once(ours, 2), once(peer, 2))
    count = max(1, int(seconds / (2 * rounds * slowest)))
    times = []
    for turn in range(rounds):
        if turn % 2:
            b = once(peer, count)
            a = once(ours, count)
        else:
            a = once(ours, count)
            b = once(peer, count)
        times.append((a, b))
    return rows.row(case, f"TensorFlow {tf.__version__} CPU, {THREADS} threads", times)


def main() -> int:
    arguments = rows.parser("bench", __doc__.splitlines()[0]).parse_args()
    chosen = rows.choose(cases(), arguments)
    if isinstance(chosen, int):
        return chosen

    os.environ.setdefault("SOFTASCEND_THREADS", str(THREADS))
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(THREADS)
    if not tf.config.list_physical_devices("NPU"):
        print("bench: no NPU device; run through ./dev bench", file=sys.stderr)
        return 1
    print(f"SoftAscend on {THREADS} threads beside TensorFlow {tf.__version__} CPU on {THREADS}")
    rows.table(chosen, measure, arguments.json, heads=("NPU", "CPU"), widths=(24, 14, 6))
    return 0


if __name__ == "__main__":
    sys.exit(main())
