"""Beside the libraries that people would use instead: numpy with OpenBLAS, onnxruntime, PyTorch, on the CPU.

They run in a process and an environment of their own, turn about with ours; the fastest is the row's peer.
"""

from __future__ import annotations

import functools
import os
import pathlib
import sys

import library_problems
from case import BYTES, DTYPES, THREADS, Case, Timer, on
from worker import Unavailable, Worker

HERE = pathlib.Path(__file__).resolve().parent
NAMES = {"numpy": "numpy", "onnxruntime": "onnxruntime", "torch": "PyTorch"}


@functools.cache
def _libraries() -> Worker:
    python = os.environ.get("SOFTASCEND_BENCH_libraries")
    if not python:
        raise Unavailable("numpy, onnxruntime and PyTorch have no environment yet: ./dev bench peers makes it")
    return Worker(python, str(HERE / "library_peers.py"), THREADS)


def _peers(kind: str, dtype: str, shape: tuple[int, ...]) -> dict[str, Timer]:
    libraries, found, reasons = _libraries(), {}, []
    for library, version in libraries.versions.items():
        if not version:
            print(f"bench: {library} is not installed beside the peers", file=sys.stderr)
            continue
        try:
            seconds = libraries.make(library, kind, dtype, shape)
        except Unavailable as reason:
            reasons.append(str(reason))
            continue
        found[f"{NAMES[library]} {version}, {THREADS} threads"] = Timer(seconds)
    if not found:
        raise Unavailable("; ".join(reasons))
    return found


def _case(name: str, kind: str, dtype: str, shape: tuple[int, ...], work: float, unit: str, call, **more) -> Case:
    def make():
        import tensorflow as tf

        given = library_problems.operands(kind, shape)
        here = [on("/NPU:0", x, DTYPES[dtype]) for x in given]

        def ours():
            with tf.device("/NPU:0"):
                return call(*here)

        library_problems.check(kind, dtype, tf.cast(ours(), tf.float32).numpy(), given)
        return ours, _peers(kind, dtype, shape)

    return Case(f"peers/{name}", work, unit, make, **more)


def _matmul(a, b):
    import tensorflow as tf

    return tf.matmul(a, b)


def _sigmoid(x):
    import tensorflow as tf

    return tf.sigmoid(x)


def _attention(q, k, v):
    from softascend import ascend_attention

    return ascend_attention(q, k, v)


def cases() -> list[Case]:
    made = [
        _case(f"matmul/f32/{n}", "matmul", "f32", (n, n, n), 2e-9 * n**3, "GFLOP/s", _matmul, bytes=12 * n * n)
        for n in (512, 1024, 2048)
    ]
    size = 4194304
    made += [
        _case(f"sigmoid/{t}/{size}", "sigmoid", t, (size,), 1e-9 * size, "G elements/s", _sigmoid,
              flops=4 * size, bytes=2 * BYTES[t] * size)
        for t in ("f32", "bf16", "f16")
    ]  # fmt: skip
    made += [
        _case(f"attention/f32/B{b}xS{s}", "attention", "f32", (b, s, 8, 64), 4e-9 * b * 8 * s * s * 64, "GFLOP/s",
              _attention, bytes=16 * b * s * 8 * 64)
        for b, s in ((4, 512), (1, 2048))
    ]  # fmt: skip
    return made
