"""The problems of ``./dev bench kernels``: operands and right values, for both sides of the pipe."""

from __future__ import annotations

import numpy as np

PROBLEMS = {
    "add": (1 << 20,),
    "sigmoid": (1 << 20,),
    "softmax": (1024, 1024),
    "matmul": (512, 512, 512),
}


def operands(op: str, shape: tuple[int, ...]) -> list[np.ndarray]:
    """Operands of `op`: float32, for matmul (m, k, n) float16."""
    rng = np.random.default_rng(0)
    if op == "matmul":
        m, k, n = shape
        return [rng.normal(size=size).astype("f2") for size in ((m, k), (k, n))]
    return [rng.normal(0, 2, shape).astype("f4") for _ in range(2 if op == "add" else 1)]


def check(op: str, got: np.ndarray, given: list[np.ndarray], tolerance: float = 1e-6) -> None:
    """Raises ValueError unless `got` is `op` of `given` within `tolerance`, relative to the largest value
    that goes into an element (matmul: float16, 2^-10 of it)."""
    x = [g.astype("f8") for g in given]
    if op == "add":
        want, scale = x[0] + x[1], np.abs(x[0]) + np.abs(x[1])
    elif op == "sigmoid":
        want = scale = 1 / (1 + np.exp(-x[0]))
    elif op == "softmax":
        e = np.exp(x[0] - x[0].max(axis=-1, keepdims=True))
        want = scale = e / e.sum(axis=-1, keepdims=True)
        tolerance = max(tolerance, 4e-6)
    else:
        want, tolerance = x[0] @ x[1], max(tolerance, 2.0**-10)
        scale = np.abs(want) + 1
    wrong = np.abs(got.astype("f8").reshape(want.shape) - want) > tolerance * scale
    if wrong.any():
        at = tuple(np.argwhere(wrong)[0].tolist())
        first = f"{got.reshape(want.shape)[at]}, not {want[at]}"
        raise ValueError(f"{op}: {wrong.sum()} wrong, the first at {list(at)}: {first}")
