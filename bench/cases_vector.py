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


def cases() -> list[Case]:
    return [_sigmoid(n, t) for t in DTYPES for n in (1024, 65536, 4194304)]
