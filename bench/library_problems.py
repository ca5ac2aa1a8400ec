"""The problems of ``./dev bench peers``: operands and right values, for both sides of the pipe."""

from __future__ import annotations

import numpy as np

# Of results, relative to the largest number that goes into one: float32 sums, and two roundings to the dtype.
TOLERANCE = {"f32": 2e-5, "f16": 2e-3, "bf16": 1.6e-2}


def operands(kind: str, shape: tuple[int, ...]) -> list[np.ndarray]:
    """float32: matmul (m, k, n); sigmoid (elements,); attention (batch, length, heads, size) of q, k and v."""
    rng = np.random.default_rng(0)
    if kind == "matmul":
        m, k, n = shape
        return [rng.normal(size=size).astype("f4") for size in ((m, k), (k, n))]
    if kind == "sigmoid":
        return [rng.normal(0, 4, shape).astype("f4")]
    return [rng.normal(size=shape).astype("f4") for _ in range(3)]


def check(kind: str, dtype: str, got: np.ndarray, given: list[np.ndarray]) -> None:
    """Raises ValueError unless a sample of `got` is `kind` of `given`, computed in float64."""
    if kind == "matmul":
        a, b = given
        rows = slice(0, None, max(1, a.shape[0] // 16))
        want = a[rows].astype("f8") @ b.astype("f8")
        scale = np.abs(a[rows]).astype("f8") @ np.abs(b).astype("f8")
        got = got.reshape(a.shape[0], b.shape[1])[rows]
    elif kind == "sigmoid":
        x = given[0][:4096].astype("f8")
        want, got = 1 / (1 + np.exp(-x)), got.reshape(-1)[:4096]
        scale = 1
    else:
        q, k, v = (g.astype("f8") for g in given)
        q = q[:, ::64]  # some queries, every key
        weights = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
        weights = np.exp(weights - weights.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        want = np.einsum("bhqk,bkhd->bqhd", weights, v)
        got, scale = got.reshape(v.shape)[:, ::64], 1
    wrong = np.abs(got.astype("f8") - want) > TOLERANCE[dtype] * scale
    if wrong.any():
        raise ValueError(f"{kind} in {dtype}: {wrong.sum()} of {wrong.size} values are wrong")
