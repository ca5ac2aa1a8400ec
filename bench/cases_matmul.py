"""Matrix products: square in three dtypes, odd and skinny shapes."""

from __future__ import annotations

import numpy as np

from case import BYTES, DTYPES, Case, pair

ODD = ((1000, 1000, 1000), (1, 4096, 4096), (4096, 64, 4096), (37, 1023, 511))


def _matmul(name: str, m: int, k: int, n: int, dtype: str) -> Case:
    def make():
        import tensorflow as tf

        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(m, k)), rng.normal(size=(k, n))
        return pair(tf.matmul, a.astype("f4"), b.astype("f4"), dtype=DTYPES[dtype])

    touched = BYTES[dtype] * (m * k + k * n + m * n)
    return Case(f"matmul/{dtype}/{name}", 2e-9 * m * k * n, "GFLOP/s", make, bytes=touched)


def cases() -> list[Case]:
    made = [_matmul(str(n), n, n, n, t) for t in DTYPES for n in (128, 512, 1024, 2048)]
    return made + [_matmul(f"{m}x{k}x{n}", m, k, n, "f32") for m, k, n in ODD]
