"""The other side of ``./dev bench kernels``: Triton's interpreter or Pallas's interpret modes.

A process of its own, in the peers' environment; a problem is a peer, an op and a tile (worker.py).
"""

from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np

import kernel_problems
import worker

# ---- Triton


class Array:
    """What the interpreter asks of a tensor, around a numpy array; nothing is copied."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.dtype = array.dtype

    def data_ptr(self) -> int:
        return self.array.ctypes.data

    def untyped_storage(self) -> "Array":
        return self

    def cpu(self) -> "Array":
        return self

    def new_empty(self, *_args, **_kwargs) -> "Array":
        return Array(np.empty(0, self.dtype))

    def set_(self, storage: "Array", *_args) -> None:
        self.array = storage.array

    def storage_offset(self) -> int:
        return 0

    def size(self) -> tuple[int, ...]:
        return self.array.shape

    def stride(self) -> tuple[int, ...]:
        return self.array.strides

    def copy_(self, _other: "Array") -> None:
        pass


try:
    import triton
    import triton.language as tl

    @triton.jit
    def triton_add(x, y, z, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        live = at < n
        tl.store(z + at, tl.load(x + at, mask=live) + tl.load(y + at, mask=live), mask=live)

    @triton.jit
    def triton_sigmoid(x, z, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        live = at < n
        tl.store(z + at, 1 / (1 + tl.exp(-tl.load(x + at, mask=live))), mask=live)

    @triton.jit
    def triton_softmax(x, z, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
        row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
        at = row[:, None] * cols + tl.arange(0, COLS)[None, :]
        v = tl.load(x + at)
        e = tl.exp(v - tl.max(v, axis=1)[:, None])
        tl.store(z + at, e / tl.sum(e, axis=1)[:, None])

    @triton.jit
    def triton_matmul(a, b, c, k, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
        row = tl.program_id(0) * M + tl.arange(0, M)
        col = tl.program_id(1) * N + tl.arange(0, N)
        step = tl.arange(0, K)
        total = tl.zeros((M, N), dtype=tl.float32)
        for at in range(0, k, K):
            left = tl.load(a + row[:, None] * k + (at + step)[None, :])
            right = tl.load(b + (at + step)[:, None] * n + col[None, :])
            total = tl.dot(left, right, total)
        tl.store(c + row[:, None] * n + col[None, :], total.to(tl.float16))

    TRITON = triton.__version__
except ImportError:
    TRITON = None


def make_triton(op: str, tile, given):
    if op == "matmul":
        (m, k), n = given[0].shape, given[1].shape[1]
        out = np.empty((m, n), "f2")
        a, b, c = map(Array, (*given, out))
        grid = (m // tile[0], n // tile[1])
        return lambda: triton_matmul[grid](a, b, c, k, n, M=tile[0], N=tile[1], K=tile[2]), out
    out = np.empty_like(given[0])
    arrays = [Array(x) for x in (*given, out)]
    if op == "softmax":
        rows, cols = out.shape
        return lambda: triton_softmax[(rows // tile,)](*arrays, cols, ROWS=tile, COLS=cols), out
    kernel = triton_add if op == "add" else triton_sigmoid
    return lambda: kernel[(-(-out.size // tile),)](*arrays, out.size, BLOCK=tile), out


# ---- Pallas


def make_pallas(op: str, tile, given, interpret):
    import jax
    import jax.numpy as jnp
    from jax.experimental import pallas as pl

    def add(x, y, z):
        z[...] = x[...] + y[...]

    def sigmoid(x, z):
        z[...] = 1 / (1 + jnp.exp(-x[...]))

    def softmax(x, z):
        e = jnp.exp(x[...] - x[...].max(axis=1, keepdims=True))
        z[...] = e / e.sum(axis=1, keepdims=True)

    def matmul(a, b, c):
        @pl.when(pl.program_id(2) == 0)
        def _():
            c[...] = jnp.zeros_like(c)

        c[...] += jnp.dot(a[...], b[...], preferred_element_type=jnp.float32)

    if op == "matmul":
        (m, k), n = given[0].shape, given[1].shape[1]
        tm, tn, tk = tile
        call = pl.pallas_call(
            matmul,
            grid=(m // tm, n // tn, k // tk),
            in_specs=[
                pl.BlockSpec((tm, tk), lambda i, j, l: (i, l)),
                pl.BlockSpec((tk, tn), lambda i, j, l: (l, j)),
            ],
            out_specs=pl.BlockSpec((tm, tn), lambda i, j, l: (i, j)),
            out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
            interpret=interpret,
        )
        run = jax.jit(lambda a, b: call(a, b).astype(jnp.float16))
    else:
        # rows of 1024 are the vector memory's shape; a tile is rows for softmax, elements else
        shape = (given[0].size // 1024, 1024)
        rows, cols = (tile, 1024) if op == "softmax" else (max(1, tile // 1024), min(1024, tile))
        spec = pl.BlockSpec((rows, cols), lambda i, j: (i, j))
        run = jax.jit(
            pl.pallas_call(
                {"add": add, "sigmoid": sigmoid, "softmax": softmax}[op],
                grid=(shape[0] // rows, shape[1] // cols),
                in_specs=[spec] * len(given),
                out_specs=spec,
                out_shape=jax.ShapeDtypeStruct(shape, jnp.float32),
                interpret=interpret,
            )
        )
        given = [x.reshape(shape) for x in given]
    arrays = [jnp.asarray(x) for x in given]
    return lambda: run(*arrays).block_until_ready()


def make(peer: str, op: str, tile):
    given = kernel_problems.operands(op, kernel_problems.PROBLEMS[op])
    if peer == "triton":
        run, out = make_triton(op, tile, given)
        run()
    else:
        interpret = True
        if peer == "pallas-tpu":
            from jax.experimental.pallas import tpu as pltpu

            interpret = pltpu.InterpretParams()
        run = make_pallas(op, tile, given, interpret)
        out = np.asarray(run())
    kernel_problems.check(op, out, given)
    return run


def versions() -> dict[str, str | None]:
    import jax

    return {"triton": TRITON, "jax": jax.__version__}


if __name__ == "__main__":
    worker.serve(versions, make)
