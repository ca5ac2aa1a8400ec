"""Elementwise operators, softmax and layer norm."""

from __future__ import annotations

import numpy as np

from case import BYTES, DTYPES, Case, on, pair


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


def _layer_norm(rows: int, size: int, dtype: str) -> Case:
    """Our layer beside Keras's, weights alike, in tf.function."""

    def make():
        import keras
        import tensorflow as tf

        from softascend.layers import AscendLayerNormalization

        rng = np.random.default_rng(0)
        x = rng.normal(3, 2, (rows, size)).astype("f4")
        weights = [rng.normal(size=size).astype("f4") for _ in range(2)]

        def side(device, layer):
            with tf.device(device):
                made = layer(dtype=DTYPES[dtype])
                made.build((rows, size))
                made.set_weights(weights)
            here = on(device, x, DTYPES[dtype])
            forward = tf.function(made)

            def run():
                with tf.device(device):
                    return forward(here)

            return run

        return side("/NPU:0", AscendLayerNormalization), side("/CPU:0", keras.layers.LayerNormalization)

    n = rows * size
    # sum, difference, square, sum, difference, three products and sums
    return Case(f"layernorm/{dtype}/{rows}x{size}", 1e-9 * n, "G elements/s", make, flops=8 * n,
                bytes=2 * BYTES[dtype] * n)  # fmt: skip


def cases() -> list[Case]:
    made = [_sigmoid(n, t) for t in DTYPES for n in (1024, 65536, 4194304)]
    return made + [_softmax(4096, 1024, "f32"), _layer_norm(4096, 1024, "f32")]
