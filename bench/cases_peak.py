"""Our share of what the machine can do: matmul of the multiply-add peak, sigmoid of the copy bandwidth.

The peak is the peer: it is measured turn about with ours, on as many threads, for as long. The ratio is the share.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import machine
from case import BYTES, DTYPES, THREADS, Case, Timer, pair

LONGEST = 0.2  # seconds of one measurement of a peak


def _at_rate(work: float, rate: Callable[[float], float]) -> Timer:
    """Seconds that `work` takes at `rate(seconds)`, which measures for so long what is done in a second."""
    known = rate(0.01)
    if not known:
        raise RuntimeError("the peak of this machine is not known")

    def seconds(count: int) -> float:
        return work / rate(min(LONGEST, count * work / known))

    return Timer(seconds)


def _matmul(dtype: str, n: int) -> Case:
    work = 2e-9 * n**3

    def make():
        import tensorflow as tf

        rng = np.random.default_rng(0)
        ours, _ = pair(tf.matmul, *(rng.normal(size=(n, n)).astype("f4") for _ in range(2)), dtype=DTYPES[dtype])
        here = machine.this()
        kind = here.kind(dtype)
        name = f"{machine.KIND_NAMES[kind]} peak, {THREADS} threads"
        return ours, {name: _at_rate(work, lambda seconds: here.fma_rate(kind, seconds))}

    return Case(f"peak/matmul/{dtype}/{n}", work, "GFLOP/s", make, bytes=3 * BYTES[dtype] * n * n)


def _sigmoid(size: int) -> Case:
    work = 8e-9 * size

    def make():
        import tensorflow as tf

        x = np.random.default_rng(0).normal(0, 4, size).astype("f4")
        ours, _ = pair(tf.sigmoid, x, dtype="float32")
        here, to = machine.this(), np.zeros_like(x)

        def copy(streaming: bool):
            return lambda seconds: here.copy_rate(to.ctypes.data, x.ctypes.data, x.nbytes, streaming, seconds)

        return ours, {
            f"memcpy, {THREADS} threads": _at_rate(work, copy(False)),
            f"streaming copy, {THREADS} threads": _at_rate(work, copy(True)),
        }

    return Case(f"peak/sigmoid/f32/{size}", work, "GB/s", make, bytes=8 * size)


def cases() -> list[Case]:
    # The second is beyond every cache.
    return [_matmul("f32", 2048), _matmul("bf16", 2048), _sigmoid(4194304), _sigmoid(33554432)]
