"""Multi-head attention: `softascend.layers.AscendMultiHeadAttention` beside Keras's layer on TensorFlow's CPU device,
in tf.function: forward, with the backward pass, its memory. The core beside other libraries: cases_peers.py.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys

import numpy as np

from case import BYTES, THREADS, Case

HEADS, SIZE = 8, 64
WIDTH = HEADS * SIZE
POLICIES = {"f32": "float32", "f16": "mixed_float16"}
SHAPES = {"B4xS512": (4, 512), "B1xS2048": (1, 2048)}
MEMORY_RUNS = 3


def _flops(batch: int, length: int) -> float:
    """Of a forward pass: four projections, two products of the core."""
    return 2.0 * batch * length * WIDTH * (4 * WIDTH + 2 * length)


def _side(device: str, layer, batch: int, length: int, policy: str, train: bool):
    import tensorflow as tf

    rng = np.random.default_rng(0)
    x, g = (rng.normal(size=(batch, length, WIDTH)).astype("f4") for _ in range(2))
    with tf.device(device):
        made = layer(HEADS, SIZE, dtype=policy)
        made.build((batch, length, WIDTH), (batch, length, WIDTH))
        # Both sides the same weights, of the usual size.
        rng = np.random.default_rng(1)
        made.set_weights([rng.normal(0, WIDTH**-0.5, w.shape).astype("f4") for w in made.get_weights()])
        x, g = (tf.identity(tf.cast(t, made.compute_dtype)) for t in (x, g))

    @tf.function
    def forward():
        return made(x, x)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            tape.watch(x)
            out = made(x, x)
        return tape.gradient(out, [x, *made.trainable_variables], output_gradients=g)

    def run():
        with tf.device(device):
            return step() if train else forward()

    return run


def _sides(batch: int, length: int, policy: str, train: bool):
    import keras

    from softascend.layers import AscendMultiHeadAttention

    ours = _side("/NPU:0", AscendMultiHeadAttention, batch, length, policy, train)
    return ours, _side("/CPU:0", keras.layers.MultiHeadAttention, batch, length, policy, train)


def _time(kind: str, dtype: str, shape: str) -> Case:
    batch, length = SHAPES[shape]
    train = kind.endswith("train")
    name = f"mha/f16/{kind.removeprefix('f16/')}/{shape}" if dtype == "f16" else f"mha/{kind}/{dtype}/{shape}"
    passes = 3 if train else 1
    flops = passes * _flops(batch, length)
    touched = passes * BYTES[dtype] * (2 * batch * length * WIDTH + 4 * WIDTH * WIDTH)
    return Case(name, 1e-9 * flops, "GFLOP/s", lambda: _sides(batch, length, POLICIES[dtype], train), bytes=touched)


def extra_memory(side: int, shape: str) -> float:
    """MiB that a forward takes besides its result, at its peak, in this process; 0 is ours, 1 the peer.

    A small forward comes first, for what a process takes once.
    """
    from softascend.memory import monitor_memory_usage

    _sides(1, 16, "float32", False)[side]()
    batch, length = SHAPES[shape]
    run = _sides(batch, length, "float32", False)[side]
    used = monitor_memory_usage(run)
    return used["memory_peak_mb"] - used["memory_before_mb"] - batch * length * WIDTH * 4 / 2**20


def _in_a_process(side: int, shape: str) -> float:
    code = f"import cases_attention as c, json; print(json.dumps(c.extra_memory({side}, {shape!r})))"
    here = os.path.dirname(os.path.abspath(__file__))
    environment = os.environ | {"SOFTASCEND_THREADS": str(THREADS), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=here, env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    return json.loads(done.stdout.splitlines()[-1])


def _memory(shape: str) -> Case:
    def measured():
        import tensorflow as tf

        ours, peer = ([_in_a_process(side, shape) for _ in range(MEMORY_RUNS)] for side in (0, 1))
        ratios = sorted(a / b for a, b in zip(ours, peer))
        return {
            "ours": statistics.median(ours),
            "peer": statistics.median(peer),
            "peer_name": f"TensorFlow {tf.__version__} CPU, {THREADS} threads",
            "ratio": statistics.median(ours) / statistics.median(peer),
            "low": ratios[0],
            "high": ratios[-1],
            "rounds": MEMORY_RUNS,
        }

    return Case(f"mha/memory/f32/{shape}", 1, "MiB", measured=measured)


def cases() -> list[Case]:
    made = [_time(kind, "f32", shape) for kind in ("forward", "train") for shape in SHAPES]
    made += [_time(kind, "f16", shape) for kind in ("forward", "train") for shape in SHAPES]
    return made + [_memory(shape) for shape in SHAPES]
