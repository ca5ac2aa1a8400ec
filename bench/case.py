"""What a file of cases (cases_*.py) is written against: `Case`, and operands on both devices.

Such a file has a function ``cases() -> list[Case]`` that costs nothing: TensorFlow is imported and operands
are made only when a case is measured (`Case.make`). run.py finds the files by itself; what a case must show
is in targets.py.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

THREADS = len(os.sched_getaffinity(0))
DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
BYTES = {"f32": 4, "f16": 2, "bf16": 2}

Run = Callable[[], object]


class Timer:
    """A side that times itself, as one in another process does: `seconds(count)` of one of `count` runs."""

    def __init__(self, seconds: Callable[[int], float]) -> None:
        self.seconds = seconds

    @classmethod
    def of(cls, side: "Run | Timer") -> "Timer":
        if isinstance(side, Timer):
            return side

        def seconds(count: int) -> float:
            start = time.perf_counter()
            for _ in range(count):
                side()
            return (time.perf_counter() - start) / count

        return cls(seconds)


@dataclasses.dataclass(frozen=True)
class Case:
    """One row: `work` units of work (flops, bytes ...) done by each side, counted in `unit`.

    Attributes
    ----------
    name : as in the table, for example ``matmul/f32/512``; the part ``f32``, ``f16`` or ``bf16`` is the dtype.
    work, unit : for example ``2e-9 * m * k * n`` and ``"GFLOP/s"``.
    make : gives ``(ours, peer)``, each a call that returns when its work is finished, or a `Timer`. ``peer`` may be
        a dict of several by name: the fastest is the row's.
    flops, bytes : of one run, for the roofline and for the share of the peak; flops follow from `work` if the unit is
        GFLOP/s. A mathematical function (exp, division) counts as one; bytes are operands and results, once each.
    peer_name : TensorFlow's CPU device if empty.
    measured : replaces the timing: gives the row's ``ours`` and ``peer`` itself (memory ...).
    """

    name: str
    work: float
    unit: str
    make: Callable[[], tuple[Run | Timer, Run | Timer | Mapping[str, Run | Timer]]] | None = None
    flops: float = 0
    bytes: float = 0
    peer_name: str = ""
    measured: Callable[[], dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        if not self.flops and self.unit == "GFLOP/s":
            object.__setattr__(self, "flops", 1e9 * self.work)

    @property
    def dtype(self) -> str:
        """The name's dtype, f32 if it has none."""
        return next((part for part in self.name.split("/") if part in DTYPES), "f32")


def on(device: str, values, dtype: str):
    """A tensor of `values` as `dtype` (TensorFlow's name) that lives on `device`."""
    import tensorflow as tf

    with tf.device(device):
        return tf.identity(tf.cast(tf.constant(values), dtype))


def pair(call, *operands, dtype: str) -> tuple[Run, Run]:
    """The same call on NPU and CPU, each on operands that live there; eager, as TensorFlow is used."""
    import tensorflow as tf

    def side(device):
        here = [on(device, x, dtype) for x in operands]

        def run():
            with tf.device(device):
                return call(*here)

        return run

    return side("/NPU:0"), side("/CPU:0")
