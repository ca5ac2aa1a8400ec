#!/usr/bin/env python3
"""Ascend C kernels beside their peers: Triton's and Pallas's interpreters, a plain C loop, TensorFlow, aclnn.

Run as ``./dev bench kernels [case…] [--json FILE]``; a case is a name or the start of one
(``kernels/add``, ``kernels/matmul/triton``). Our side is bench/kernels/*.cpp, built by ascc; the
interpreters run in a process and an environment of their own, turn about with ours.
"""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import numpy as np

import kernel_problems
import rows
from case import THREADS, Case, Timer
from machine import Machine
from measure import Effort, measure

os.environ.setdefault("SOFTASCEND_THREADS", str(THREADS))

HERE = pathlib.Path(__file__).resolve().parent
FLOAT16, ND = 1, 2  # of aclDataType, aclFormat

# What each side runs: at its best tiles, and with small ones. Ours: (blocks, tile); matmul's tile is
# (m, n, k in L1, k in L0). Theirs: elements of a block, rows of softmax, (m, n, k) of matmul.
OURS = {
    "add": ((48, 8192), (48, 1024)),
    "sigmoid": ((48, 8192), (48, 1024)),
    "softmax": ((48, 8), (48, 1)),
    "matmul": ((24, (128, 256, 256, 64)), (24, (64, 64, 32, 32))),
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

    def free(self, *buffers: ctypes.c_void_p) -> None:
        for p in buffers:
            self.call(self.acl.aclrtFree, p)

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
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()

        def run():
            plan = self.op.aclnnMatmulGetWorkspaceSize
            self.call(plan, *tensors, ctypes.c_int8(0), ctypes.byref(size), ctypes.byref(executor))
            assert size.value == 0
            self.call(self.op.aclnnMatmul, None, size, executor, self.stream)
            self.call(self.acl.aclrtSynchronizeStream, self.stream)

        return run


def our_problem(npu: Npu, op: str, shape: tuple[int, ...], tile) -> Callable[[], None]:
    """A checked run of `op` of kernel_problems on the NPU."""
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


class Peers:
    """kernel_peers.py in a process of its own."""

    def __init__(self, python: str, threads: int) -> None:
        ours = ("OPENBLAS_", "PYTHONPATH", "LD_LIBRARY_PATH")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        environment["OPENBLAS_NUM_THREADS"] = str(threads)
        command = [python, str(HERE / "kernel_peers.py")]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, wish: dict) -> dict:
        self.process.stdin.write(json.dumps(wish) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"error": "the peers' process ended"}
        if "error" in answer:
            raise RuntimeError(f"{wish}: {answer['error']}")
        return answer

    def problem(self, peer: str, op: str, tile) -> Timer:
        self.ask({"make": [peer, op, tile]})
        return Timer(lambda count: self.ask({"time": count})["seconds"])


def interpreter_cases(npu: Npu, peers: Peers, versions: dict) -> list[Case]:
    names = {
        "triton": f"Triton {versions['triton']} interpreter",
        "pallas-tpu": f"Pallas InterpretParams, JAX {versions['jax']}",
        "pallas": f"Pallas interpret=True, JAX {versions['jax']}",
    }
    rows = []
    for small in (0, 1):
        for op, shape in kernel_problems.PROBLEMS.items():
            work, unit = (1e-9 * np.prod(shape), "G elements/s")
            if op == "matmul":
                work, unit = 2 * work, "GFLOP/s"
            for peer, tiles in THEIRS.items():

                def make(op=op, shape=shape, peer=peer, tiles=tiles, small=small):
                    ours = our_problem(npu, op, shape, OURS[op][small])
                    return ours, peers.problem(peer, op, tiles[op][small])

                tile = str(tiles[op][small]).replace(" ", "")
                name = f"kernels/{op}{'-small' if small else ''}/{peer}"
                rows.append(Case(name, float(work), unit, make, peer_name=f"{names[peer]}, blocks of {tile}"))
    return rows


def add_beside_c(npu: Npu, plain: ctypes.CDLL) -> Case:
    size = 16 << 20

    def make():
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


def sigmoid_beside_tensorflow(npu: Npu, dtype: str, name: str, tolerance: float) -> Case:
    import tensorflow as tf

    size = 4 << 20

    def make():
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


def sigmoid_beside_copy(npu: Npu, plain: ctypes.CDLL) -> Case:
    """The ratio is the kernel's share of the bandwidth of a copy of as many bytes."""
    size = 4 << 20

    def make():
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


def matmul_beside_aclnn(npu: Npu, size: int) -> Case:
    def make():
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


def build_add(root: pathlib.Path, folder: pathlib.Path) -> Case:
    source = root / "examples" / "add" / "add.cpp"

    def make():
        def run():
            subprocess.run(["ascc", str(source), "-o", str(folder / "add")], check=True)

        run()
        subprocess.run([str(folder / "add")], check=True, stdout=subprocess.DEVNULL)
        return run, Timer(lambda count: 5.0)

    return Case("kernels/build-add/limit", 1.0, "builds/s", make, peer_name="5 s")


# ---- a run


def build(folder: pathlib.Path) -> tuple[pathlib.Path, ctypes.CDLL]:
    kernels, plain = folder / "libkernels.so", folder / "libplain.so"
    sources = [str(HERE / "kernels" / name) for name in ("vector.cpp", "cube.cpp")]
    subprocess.run(["ascc", "-shared", "-fPIC", "-O2", *sources, "-o", str(kernels)], check=True)
    flags = ["-O3", "-march=native", "-shared", "-fPIC", "-pthread"]
    compiler = os.environ.get("CC", "gcc")
    source = str(HERE / "kernels" / "plain.c")
    subprocess.run([compiler, *flags, source, "-o", str(plain)], check=True)
    return kernels, ctypes.CDLL(str(plain))


def main() -> int:
    parser = rows.parser("bench kernels", __doc__.splitlines()[0])
    arguments = parser.parse_args()
    arguments.case = [case for case in arguments.case if case != "kernels"]  # all of them

    python = os.environ.get("SOFTASCEND_PEERS_PYTHON")
    if not python:
        print("bench: no environment of the peers; run through ./dev bench kernels", file=sys.stderr)
        return 1
    peers = Peers(python, THREADS)
    versions = peers.ask({"versions": True})
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        kernels, plain = build(folder)
        npu = Npu(kernels)
        cases = [add_beside_c(npu, plain)]
        for dtype, full, tolerance in SIGMOIDS:
            cases.append(sigmoid_beside_tensorflow(npu, dtype, full, tolerance))
        cases.append(sigmoid_beside_copy(npu, plain))
        cases += [matmul_beside_aclnn(npu, 1024), build_add(HERE.parent, folder)]
        cases += interpreter_cases(npu, peers, versions)
        if not versions["triton"]:  # there is no wheel for this machine
            cases = [case for case in cases if not case.name.endswith("/triton")]
        chosen = rows.choose(cases, arguments)
        if isinstance(chosen, int):
            return chosen
        machine, effort = Machine(), Effort(arguments.seconds, arguments.rounds)
        print(f"Ascend C kernels through kernel_operator.h. {machine.heading()}")
        rows.table(chosen, lambda case: measure(case, machine, effort), arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
