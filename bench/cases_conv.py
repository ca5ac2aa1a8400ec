"""Convolutions in NHWC: forward, and with both gradients."""

from __future__ import annotations

import numpy as np

from case import BYTES, DTYPES, Case, pair


def _conv(
    kind: str, dtype: str, n: int, size: int, channels: int, outputs: int, side: int, stride: int, name: str
) -> Case:
    out = -(-size // stride)
    maps = (n, size, size, channels), (side, side, channels, outputs), (n, out, out, outputs)
    elements = [int(np.prod(shape)) for shape in maps]
    flops = 2 * n * out * out * side * side * channels * outputs
    train = kind == "train"

    def make():
        import tensorflow as tf

        rng = np.random.default_rng(0)
        window = {"strides": [1, stride, stride, 1], "padding": "SAME"}

        def forward(x, w, dy):
            return tf.raw_ops.Conv2D(input=x, filter=w, **window)

        def both(x, w, dy):
            return (
                forward(x, w, dy),
                tf.raw_ops.Conv2DBackpropInput(input_sizes=maps[0], filter=w, out_backprop=dy, **window),
                tf.raw_ops.Conv2DBackpropFilter(input=x, filter_sizes=maps[1], out_backprop=dy, **window),
            )

        operands = (rng.normal(size=shape).astype("f4") for shape in maps)
        return pair(both if train else forward, *operands, dtype=DTYPES[dtype])

    passes = 3 if train else 1
    touched = BYTES[dtype] * passes * sum(elements)
    return Case(f"conv2d/{kind}/{dtype}/{name}", 1e-9 * passes * flops, "GFLOP/s", make, bytes=touched)


def cases() -> list[Case]:
    return [_conv(kind, "f32", 8, 56, 64, 64, 3, 1, "8x56x56x64") for kind in ("forward", "train")]
