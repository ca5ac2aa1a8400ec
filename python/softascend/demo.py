"""The tour: devices, two operators against TensorFlow's CPU, and a classifier trained on both.

Run as ``./dev demo [--json FILE]`` or ``python -m softascend.demo``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from typing import Any, Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np

EPOCHS = 15
BATCH = 64
# What feeds a training step stays on the CPU, on every accelerator.
INPUT_OPS = {"IteratorGetNext", "IteratorV2", "MakeIterator", "OptionalFromValue", "OptionalGetValue",
             "OptionalHasValue", "DeleteIterator", "AnonymousIteratorV3"}  # fmt: skip


def _median_seconds(fn: Callable[[], Any], rounds: int) -> float:
    fn()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        fn()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def compare_sigmoid(size: int = 1 << 20) -> dict[str, float]:
    """Sigmoid of `size` float32 numbers on NPU and CPU, against float64.

    Returns
    -------
    dict with ``max_abs`` and ``max_rel`` (NPU against TensorFlow's CPU), ``max_ulp`` (NPU against
    float64), ``npu_ms`` and ``cpu_ms``.
    """
    import tensorflow as tf

    from softascend import ascend_sigmoid

    x = np.random.default_rng(1).normal(0, 4, size).astype(np.float32)
    with tf.device("/CPU:0"):
        cpu_x = tf.constant(x)
        cpu = tf.nn.sigmoid(cpu_x).numpy()
        cpu_s = _median_seconds(lambda: tf.nn.sigmoid(cpu_x), 9)
    with tf.device("/NPU:0"):
        npu_x = tf.constant(x)
        npu = ascend_sigmoid(npu_x).numpy()
        npu_s = _median_seconds(lambda: ascend_sigmoid(npu_x), 9)
    truth = 1 / (1 + np.exp(-x.astype(np.float64)))
    ulp = np.spacing(truth.astype(np.float32)).astype(np.float64)
    difference = np.abs(npu.astype(np.float64) - cpu)
    return {
        "max_abs": float(difference.max()),
        "max_rel": float((difference / cpu).max()),
        "max_ulp": float((np.abs(npu - truth) / ulp).max()),
        "npu_ms": npu_s * 1e3,
        "cpu_ms": cpu_s * 1e3,
    }


def compare_matmul(n: int = 1024) -> dict[str, float]:
    """Matrix product [n, n] @ [n, n] in float32 on NPU and CPU.

    Returns
    -------
    dict with ``max_abs`` (NPU against TensorFlow's CPU), ``max_rel`` (NPU against float64, relative to
    ``|A| |B|`` element by element), ``npu_ms`` and ``cpu_ms``.
    """
    import tensorflow as tf

    from softascend import ascend_matmul

    rng = np.random.default_rng(2)
    a, b = (rng.normal(size=(n, n)).astype(np.float32) for _ in range(2))
    with tf.device("/CPU:0"):
        cpu_a, cpu_b = tf.constant(a), tf.constant(b)
        cpu = tf.matmul(cpu_a, cpu_b).numpy()
        cpu_s = _median_seconds(lambda: tf.matmul(cpu_a, cpu_b), 9)
    with tf.device("/NPU:0"):
        npu_a, npu_b = tf.constant(a), tf.constant(b)
        npu = ascend_matmul(npu_a, npu_b).numpy()
        npu_s = _median_seconds(lambda: ascend_matmul(npu_a, npu_b), 9)
    a64, b64 = a.astype(np.float64), b.astype(np.float64)
    return {
        "max_abs": float(np.abs(npu - cpu).max()),
        "max_rel": float((np.abs(npu - a64 @ b64) / (np.abs(a64) @ np.abs(b64))).max()),
        "npu_ms": npu_s * 1e3,
        "cpu_ms": cpu_s * 1e3,
    }


def load_digits():
    """Scikit-learn's 1,797 digits: ``(x_train, y_train), (x_test, y_test)``, x in 0 … 1, a fixed split."""
    from sklearn.datasets import load_digits as load
    from sklearn.model_selection import train_test_split

    x, y = load(return_X_y=True)
    x = (x / 16).astype(np.float32)
    parts = train_test_split(x, y.astype(np.int32), test_size=0.25, random_state=0, stratify=y)
    x_train, x_test, y_train, y_test = parts
    return (x_train, y_train), (x_test, y_test)


def build_classifier(seed: int):
    """A stock Keras classifier with a default ``compile()``."""
    import keras

    keras.utils.set_random_seed(seed)
    model = keras.Sequential(
        [
            keras.layers.Input((64,)),
            keras.layers.Dense(128, activation="relu"),
            keras.layers.Dense(64, activation="sigmoid"),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(3e-3),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    return model


def train(device: str, seed: int = 0, epochs: int = EPOCHS) -> tuple[float, float, Any]:
    """Trains the classifier on ``"/CPU:0"`` or ``"/NPU:0"``.

    Returns
    -------
    test accuracy (0 … 1), seconds of training, the model
    """
    import tensorflow as tf

    (x_train, y_train), (x_test, y_test) = load_digits()
    with tf.device(device):
        model = build_classifier(seed)
        start = time.perf_counter()
        model.fit(x_train, y_train, batch_size=BATCH, epochs=epochs, verbose=0)
        seconds = time.perf_counter() - start
        _, accuracy = model.evaluate(x_test, y_test, batch_size=BATCH, verbose=0)
    return float(accuracy), seconds, model


def train_step_placement(model, device: str = "/NPU:0"):
    """`softascend.placement` of one training step of `model`."""
    import tensorflow as tf

    from softascend import placement

    (x_train, y_train), _ = load_digits()
    with tf.device(device):
        return placement(model.train_on_batch, x_train[:BATCH], y_train[:BATCH])


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="demo",
        description="Shows TensorFlow computing and training on /NPU:0, beside its own CPU device.",
    )
    parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    arguments = _arguments(argv)

    print("Loading TensorFlow …", flush=True)
    import tensorflow as tf

    import softascend

    devices = tf.config.list_physical_devices()
    print("\nDevices")
    for device in devices:
        print(f"  {device.device_type}  {device.name}")
    if not any(device.device_type == "NPU" for device in devices):
        print(
            "demo: no NPU device. TensorFlow loaded the plug-in from "
            f"{softascend.library_folder()}? The line from softascend above says why; "
            "ASCEND_VISIBLE_DEVICES and SOFTASCEND_CHIP decide which devices there are.",
            file=sys.stderr,
        )
        return 1

    print("\nSigmoid, 1,048,576 float32: NPU against CPU", flush=True)
    sigmoid = compare_sigmoid()
    print(
        f"  largest difference {sigmoid['max_abs']:.2e}, relative {sigmoid['max_rel']:.2e}; "
        f"against float64 {sigmoid['max_ulp']:.2f} ulp"
    )
    print(f"  NPU {sigmoid['npu_ms']:.2f} ms, CPU {sigmoid['cpu_ms']:.2f} ms")

    print("\nMatmul, 1024 x 1024 x 1024 float32: NPU against CPU", flush=True)
    matmul = compare_matmul()
    print(
        f"  largest difference {matmul['max_abs']:.2e}; "
        f"against float64 {matmul['max_rel']:.2e} of |A| |B|"
    )
    print(f"  NPU {matmul['npu_ms']:.2f} ms, CPU {matmul['cpu_ms']:.2f} ms")

    print(f"\nKeras classifier on scikit-learn's digits, {EPOCHS} epochs, default compile()", flush=True)
    cpu_accuracy, cpu_s, _ = train("/CPU:0")
    print(f"  CPU  test accuracy {cpu_accuracy:.1%}  {cpu_s:.1f} s", flush=True)
    npu_accuracy, npu_s, model = train("/NPU:0")
    print(f"  NPU  test accuracy {npu_accuracy:.1%}  {npu_s:.1f} s", flush=True)

    step = train_step_placement(model)
    fell_back = {op: n for op, n in step.on("CPU").items() if op not in INPUT_OPS}
    print(f"\nOne training step: {step.total} ops, {step.npu_share:.1%} of them on the NPU")
    print("  fell back to the CPU: " + (", ".join(sorted(fell_back)) or "nothing"))

    if arguments.json:
        figures = {
            "npu_accuracy": npu_accuracy,
            "cpu_accuracy": cpu_accuracy,
            "npu_share": step.npu_share,
            "fell_back": sorted(fell_back),
            "sigmoid_max_ulp": sigmoid["max_ulp"],
            "sigmoid_max_abs": sigmoid["max_abs"],
            "matmul_max_rel": matmul["max_rel"],
            "matmul_max_abs": matmul["max_abs"],
            "sigmoid_npu_ms": sigmoid["npu_ms"],
            "sigmoid_cpu_ms": sigmoid["cpu_ms"],
            "matmul_npu_ms": matmul["npu_ms"],
            "matmul_cpu_ms": matmul["cpu_ms"],
            "train_npu_s": npu_s,
            "train_cpu_s": cpu_s,
        }
        try:
            with open(arguments.json, "w", encoding="utf-8") as file:
                json.dump(figures, file, indent=2)
                file.write("\n")
        except OSError as error:
            print(f"demo: cannot write {arguments.json}: {error.strerror}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
