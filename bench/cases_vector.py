"""Elementwise operators, softmax and layer norm."""

from __future__ import annotations

import numpy as np

from case import BYTES, DTYPES, Case, pair


def _sigmoid(size: int, dtype: str) -> Case:
    def make():
        import tensorflow as tf

        x = np.random.default_rng(0).normal(0, 4, size).astype("f4")
        return pair(tf.sigmoid, x, dtype=DTYPES[dtype])

    return Case(
        f"sigmoid/{dtype}/{size}", 1e-9 * size, "G elements/s", make, flops=4 * size, bytes=2 * BYTES[dtype] * size
    )


def _softmax(rows: int, size: int, dtype: str) -> Case:
    def make():
        import tensorflow as tf

        x = np.random.default_rng(0).normal(0, 4, (rows, size)).astype("f4")
        return pair(tf.nn.softmax, x, dtype=DTYPES[dtype])

    n = rows * size
    # largest, difference, exponential, sum, product
    return Case(f"softmax/{dtype}/{rows}x{size}", 1e-9 * n, "G elements/s", make, flops=5 * n,
                bytes=2 * BYTES[dtype] * n)  # fmt: skip


def cases() -> list[Case]:
    made = [_sigmoid(n, t) for t in DTYPES for n in (1024, 65536, 4194304)]
    return made + [_softmax(4096, 1024, "f32")]
