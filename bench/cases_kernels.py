"""Ascend C kernels beside their peers: Triton's and Pallas's interpreters, a plain C loop, TensorFlow, aclnn.

Our side is bench/kernels/*.cpp, built by ascc. The interpreters run in a process and an environment of
their own, turn about with ours: `kernels/OP` is beside the better of the two that interpret block by block, as
ours does, at their best blocks, `kernels/OP-small` with small ones.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Callable

import numpy as np

import kernel_problems
from case import THREADS, Case, Timer
from worker import Unavailable, Worker

HERE = pathlib.Path(__file__).resolve().parent
FLOAT16, ND = 1, 2  # of aclDataType, aclFormat

# What each side runs: at its best tiles, and with small ones. Ours: (blocks, tile); matmul's tile is
# (m, n, k of B in L1, k of A in L1, k in L0). Theirs: elements of a block, rows of softmax, (m, n, k) of matmul.
OURS = {
    "add": ((48, 8192), (48, 1024)),
    "sigmoid": ((48, 8192), (48, 1024)),
    "softmax": ((48, 8), (48, 1)),
    "matmul": ((2, (128, 256, 512, 256, 64)), (24, (64, 64, 32, 32, 32))),
}
THEIRS = {
    "triton": {
        "add": (65536, 1024),
        "sigmoid": (65536, 1024),
        "softmax": (1024, 1),
        "matmul": ((512, 512, 512), (64, 64, 32)),
    },
    "pallas-tpu": {
        "add": (1 << 20, 1024),
        "sigmoid": (1 << 20, 1024),
        "softmax": (1024, 1),
        "matmul": ((512, 512, 512), (64, 64, 32)),
    },
}
THEIRS["pallas"] = THEIRS["pallas-tpu"]
# A type's name here and in TensorFlow, and half a unit in the last place with some slack.
SIGMOIDS = (("f32", "float32", 3e-7), ("f16", "float16", 1e-3), ("bf16", "bfloat16", 8e-3))


# ---- our side


class Npu:
    """A device, a stream and the kernels, by ctypes."""

    def __init__(self, kernels: pathlib.Path) -> None:
        self.acl = ctypes.CDLL("libascendcl.so", mode=ctypes.RTLD_GLOBAL)
        self.op = ctypes.CDLL("libopapi.so", mode=ctypes.RTLD_GLOBAL)
        self.acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self.acl.aclInit(None)
        self.call(self.acl.aclrtSetDevice, 0)
        self.stream = ctypes.c_void_p()
        self.call(self.acl.aclrtCreateStream, ctypes.byref(self.stream))
        self.kernels = ctypes.CDLL(str(kernels))

    def call(self, function, *arguments) -> None:
        code = function(*arguments)
        if code:
            text = self.acl.aclGetRecentErrMsg()
            raise RuntimeError(f"{function.__name__}: {code}: {(text or b'').decode()}")

    def buffer(self, array: np.ndarray) -> ctypes.c_void_p:
        """A copy of `array` on the device, for the life of the process."""
        p, size = ctypes.c_void_p(), ctypes.c_size_t(array.nbytes)
        self.call(self.acl.aclrtMalloc, ctypes.byref(p), size, 0)
        self.call(self.acl.aclrtMemcpy, p, size, ctypes.c_void_p(array.ctypes.data), size, 1)
        return p

    def fetch(self, p: ctypes.c_void_p, like: np.ndarray) -> np.ndarray:
        out, size = np.empty_like(like), ctypes.c_size_t(like.nbytes)
        self.call(self.acl.aclrtMemcpy, ctypes.c_void_p(out.ctypes.data), size, p, size, 2)
        return out

    def kernel(self, name: str, blocks: int, buffers: list, *numbers: int) -> Callable[[], None]:
        function = getattr(self.kernels, f"bench_{name}")
        function.restype = None
        arguments = [ctypes.c_uint32(blocks), self.stream, *buffers, *map(ctypes.c_uint32, numbers)]

        def run():
            function(*arguments)
            self.call(self.acl.aclrtSynchronizeStream, self.stream)

        return run

    def matmul(self, a, b, c, m: int, k: int, n: int) -> Callable[[], None]:
        """aclnnMatmul in float16."""
        i64, create = ctypes.c_int64, self.op.aclCreateTensor
        create.restype = ctypes.c_void_p
        create.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int, ctypes.c_void_p, i64, ctypes.c_int]
        create.argtypes += [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]

        def tensor(p, rows, cols):
            dims, strides = (i64 * 2)(rows, cols), (i64 * 2)(cols, 1)
            return ctypes.c_void_p(create(dims, 2, FLOAT16, strides, 0, ND, dims, 2, p))

        tensors = tensor(a, m, k), tensor(b, k, n), tensor(c, m, n)
        size, executor, workspace = ctypes.c_uint64(), ctypes.c_void_p(), ctypes.c_void_p()

        def run():
            plan = self.op.aclnnMatmulGetWorkspaceSize
            self.call(plan, *tensors, ctypes.c_int8(0), ctypes.byref(size), ctypes.byref(executor))
            if size.value and not workspace:  # the same at every call
                self.call(self.acl.aclrtMalloc, ctypes.byref(workspace), size, 0)
            self.call(self.op.aclnnMatmul, workspace, size, executor, self.stream)
            self.call(self.acl.aclrtSynchronizeStream, self.stream)

        return run


@functools.cache
def scratch() -> pathlib.Path:
    """A folder for what is built, until the process ends."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return pathlib.Path(folder.name)


@functools.cache
def side() -> tuple[Npu, ctypes.CDLL]:
    """The device with the kernels, and the plain C functions."""
    kernels, plain = scratch() / "libkernels.so", scratch() / "libplain.so"
    sources = [str(HERE / "kernels" / name) for name in ("vector.cpp", "cube.cpp")]
    subprocess.run(["ascc", "-shared", "-fPIC", "-O2", *sources, "-o", str(kernels)], check=True)
    flags = ["-O3", "-march=native", "-shared", "-fPIC", "-pthread"]
    source = str(HERE / "kernels" / "plain.c")
    subprocess.run([os.environ.get("CC", "gcc"), *flags, source, "-o", str(plain)], check=True)
    return Npu(kernels), ctypes.CDLL(str(plain))


def our_problem(op: str, shape: tuple[int, ...], tile) -> Callable[[], None]:
    """A checked run of `op` of kernel_problems on the NPU."""
    npu, _ = side()
    given = kernel_problems.operands(op, shape)
    like = np.empty((shape[0], shape[2]), "f2") if op == "matmul" else given[0]
    buffers = [npu.buffer(x) for x in (*given, like)]
    blocks, tile = tile
    numbers = (*shape, *tile) if op == "matmul" else (*shape, tile)
    run = npu.kernel("sigmoid_f32" if op == "sigmoid" else op, blocks, buffers, *numbers)
    run()
    kernel_problems.check(op, npu.fetch(buffers[-1], like), given)
    return run


# ---- the peers


@functools.cache
def interpreters() -> Worker:
    python = os.environ.get("SOFTASCEND_BENCH_kernels")
    if not python:
        raise Unavailable("Triton and JAX have no environment yet: ./dev bench kernels makes it")
    return Worker(python, str(HERE / "kernel_peers.py"), THREADS)


def interpreter_name(peer: str, tile) -> str:
    versions, blocks = interpreters().versions, str(tile).replace(" ", "")
    names = {
        "triton": f"Triton {versions['triton']} interpreter",
        "pallas-tpu": f"Pallas InterpretParams, JAX {versions['jax']}",
        "pallas": f"Pallas interpret=True, JAX {versions['jax']}",
    }
    return f"{names[peer]}, blocks of {blocks}"


def beside_interpreters(name: str, op: str, small: int, peers: tuple[str, ...]) -> Case:
    shape = kernel_problems.PROBLEMS[op]
    work, unit = 1e-9 * float(np.prod(shape)), "G elements/s"
    if op == "matmul":
        work, unit = 2 * work, "GFLOP/s"

    def make():
        here = interpreters()
        # There is no Triton for some machines.
        tiles = {p: THEIRS[p][op][small] for p in peers if p != "triton" or here.versions["triton"]}
        timers = {interpreter_name(p, tile): Timer(here.make(p, op, tile)) for p, tile in tiles.items()}
        return our_problem(op, shape, OURS[op][small]), timers

    return Case(f"kernels/{name}", work, unit, make)


def add_beside_c() -> Case:
    size = 16 << 20

    def make():
        npu, plain = side()
        given = kernel_problems.operands("add", (size,))
        buffers = [npu.buffer(x) for x in (*given, given[0])]
        ours = npu.kernel("add", 48, buffers, size, 8192)

        def peer():
            if plain.plain_add(buffers[2], buffers[0], buffers[1], ctypes.c_size_t(size), THREADS):
                raise RuntimeError("plain_add has no threads")

        for run in (ours, peer):
            npu.call(npu.acl.aclrtMemset, buffers[2], ctypes.c_size_t(4 * size), 0, ctypes.c_size_t(4 * size))
            run()
            kernel_problems.check("add", npu.fetch(buffers[2], given[0]), given)
        return ours, peer

    peer_name = f"gcc -O3 loop, {THREADS} threads"
    return Case("kernels/add/c", 1e-9 * size, "G elements/s", make, peer_name=peer_name)


def sigmoid_beside_tensorflow(dtype: str, name: str, tolerance: float) -> Case:
    size = 4 << 20

    def make():
        import tensorflow as tf

        npu, _ = side()
        given = kernel_problems.operands("sigmoid", (size,))
        with tf.device("/CPU:0"):
            x = tf.cast(tf.constant(given[0]), name)
        given = [x.numpy()]
        buffers = [npu.buffer(x) for x in (given[0], given[0])]
        ours = npu.kernel(f"sigmoid_{dtype}", 48, buffers, size, 8192)

        def peer():
            with tf.device("/CPU:0"):
                return tf.sigmoid(x)

        ours()
        kernel_problems.check("sigmoid", npu.fetch(buffers[1], given[0]), given, tolerance)
        kernel_problems.check("sigmoid", peer().numpy(), given, 8 * tolerance)
        return ours, peer

    return Case(f"kernels/sigmoid-{dtype}/tensorflow", 1e-9 * size, "G elements/s", make)


def sigmoid_beside_copy() -> Case:
    """The ratio is the kernel's share of the bandwidth of a copy of as many bytes."""
    size = 4 << 20

    def make():
        npu, plain = side()
        given = kernel_problems.operands("sigmoid", (size,))
        buffers = [npu.buffer(x) for x in (given[0], given[0])]
        ours = npu.kernel("sigmoid_f32", 48, buffers, size, 8192)

        def peer():
            if plain.plain_copy(buffers[1], buffers[0], ctypes.c_size_t(size), THREADS):
                raise RuntimeError("plain_copy has no threads")

        peer()
        ours()
        kernel_problems.check("sigmoid", npu.fetch(buffers[1], given[0]), given, 3e-7)
        return ours, peer

    return Case("kernels/sigmoid-f32/copy", 8e-9 * size, "GB/s", make, peer_name=f"memcpy, {THREADS} threads")


def matmul_beside_aclnn(size: int) -> Case:
    def make():
        npu, _ = side()
        given = kernel_problems.operands("matmul", (size,) * 3)
        buffers = [npu.buffer(x) for x in (*given, given[0])]
        blocks, tile = OURS["matmul"][0]
        ours = npu.kernel("matmul", blocks, buffers, size, size, size, *tile)
        peer = npu.matmul(*buffers, size, size, size)
        for run in (ours, peer):
            run()
            kernel_problems.check("matmul", npu.fetch(buffers[2], given[0]), given)
        return ours, peer

    return Case("kernels/matmul/aclnn", 2e-9 * size**3, "GFLOP/s", make, peer_name=f"aclnnMatmul, {THREADS} threads")


def build_add() -> Case:
    source = HERE.parent / "examples" / "add" / "add.cpp"

    def make():
        folder = scratch()

        def run():
            subprocess.run(["ascc", str(source), "-o", str(folder / "add")], check=True)

        run()
        subprocess.run([str(folder / "add")], check=True, stdout=subprocess.DEVNULL)
        return run, Timer(lambda count: 5.0)

    return Case("kernels/build-add/limit", 1.0, "builds/s", make, peer_name="5 s")


def cases() -> list[Case]:
    made = [add_beside_c()]
    made += [sigmoid_beside_tensorflow(dtype, full, tolerance) for dtype, full, tolerance in SIGMOIDS]
    made += [sigmoid_beside_copy(), matmul_beside_aclnn(1024), build_add()]
    for small, end in enumerate(("", "-small")):
        for op in kernel_problems.PROBLEMS:
            made.append(beside_interpreters(f"{op}{end}", op, small, ("triton", "pallas-tpu")))
            made.append(beside_interpreters(f"{op}{end}/pallas", op, small, ("pallas",)))
    return made
