"""The feed-forward block: `softascend.layers.AscendFeedForward` beside two Keras layers on TensorFlow's CPU device, in
tf.function, forward, with the same weights."""

from __future__ import annotations

import numpy as np

from case import Case

ROWS, WIDTH, MIDDLE = 2048, 512, 2048


def _sides():
    import keras
    import tensorflow as tf

    from softascend.layers import AscendFeedForward

    rng = np.random.default_rng(0)
    data = rng.normal(size=(ROWS, WIDTH)).astype("f4")
    shapes = [(WIDTH, MIDDLE), (MIDDLE,), (MIDDLE, WIDTH), (WIDTH,)]
    weights = [rng.normal(0, s[0] ** -0.5, s).astype("f4") for s in shapes]

    def side(device: str, layer):
        with tf.device(device):
            layer.build((ROWS, WIDTH))
            layer.set_weights(weights)
            x = tf.identity(tf.constant(data))
        forward = tf.function(lambda: layer(x))

        def run():
            with tf.device(device):
                return forward()

        return run

    peer = keras.Sequential([keras.layers.Dense(MIDDLE, activation="gelu"), keras.layers.Dense(WIDTH)])
    return side("/NPU:0", AscendFeedForward(MIDDLE)), side("/CPU:0", peer)


def cases() -> list[Case]:
    flops = 4.0 * ROWS * WIDTH * MIDDLE
    touched = 4 * (2 * ROWS * WIDTH + 2 * WIDTH * MIDDLE)
    return [Case(f"ffn/f32/{WIDTH}x{MIDDLE}x{ROWS}", 1e-9 * flops, "GFLOP/s", _sides, bytes=touched)]
