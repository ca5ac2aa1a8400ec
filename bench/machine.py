"""This machine, as a heading and as a measure: its CPU, its load, the backend, its peaks."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys

from case import THREADS

LIBRARY = "libsoftascend_peak.so"
# Of bench/peak.h.
KINDS = {"f32": 0, "bf16": 1, "amx": 2}
KIND_NAMES = {"f32": "float32 FMA", "bf16": "bfloat16 dot", "amx": "AMX"}


class Machine:
    """What a run is on. The backend is the one that SoftAscend chose, or that SOFTASCEND_CPU names."""

    def __init__(self, threads: int = THREADS) -> None:
        self.threads = threads
        self.backend = backend()
        self.cpu = cpu_model()
        self._library = _load()

    def tensorflow(self) -> str:
        import tensorflow as tf

        return f"TensorFlow {tf.__version__} CPU, {self.threads} threads"

    @functools.cache
    def kind(self, dtype: str) -> str:
        """The fastest multiply-add that the backend has for products of the dtype; float16 is widened to float32."""
        if dtype != "bf16" or self.backend not in ("amx", "avx512_bf16", "avx512"):
            return "f32"
        kinds = ("f32", "bf16") + (("amx",) if self.backend == "amx" else ())
        return max(kinds, key=lambda kind: self.fma_rate(kind, 5e-3))

    def fma_peak(self, dtype: str) -> float:
        """GFLOP/s of independent multiply-adds of that dtype on all threads; some milliseconds. 0 if not known."""
        return self.fma_rate(self.kind(dtype), 2e-3)

    def fma_rate(self, kind: str, seconds: float) -> float:
        if not self._library:
            return 0.0
        wide = int(self.backend != "avx2")
        return 1e-9 * self._library.sa_peak_fma(KINDS[kind], wide, self.threads, seconds)

    def copy_rate(self, destination: int, source: int, size: int, streaming: bool, seconds: float) -> float:
        """GB/s, read and written, of copies of `size` bytes between two addresses on all threads."""
        if not self._library:
            return 0.0
        rate = self._library.sa_peak_copy(destination, source, size, int(streaming), self.threads, seconds)
        return 1e-9 * rate

    def copy_of(self, size: int) -> float:
        """GB/s of copying `size` bytes again and again, by the faster kind of stores; some milliseconds."""
        if size < 1 or not self._library:
            return 0.0
        import numpy as np

        buffers = [np.ones(size, "u1") for _ in range(2)]
        addresses = [b.ctypes.data for b in buffers]
        return max(self.copy_rate(*addresses, size, streaming, 5e-3) for streaming in (False, True))

    def heading(self) -> str:
        parts = [self.cpu]
        for dtype, name in (("f32", "float32"), ("bf16", "bfloat16")):
            kind = self.kind(dtype)
            if peak := self.fma_rate(kind, 0.02):
                parts.append(f"peak {peak:.0f} GFLOP/s {name} ({KIND_NAMES[kind]})")
        parts.append(f"load {os.getloadavg()[0]:.1f}")
        return f"SoftAscend ({self.backend}) on {self.threads} threads; {self.tensorflow()}\n" + ", ".join(parts)


def _load() -> ctypes.CDLL | None:
    home = pathlib.Path(os.environ.get("ASCEND_HOME_PATH", "build"))
    path = home / "lib64" / LIBRARY
    if not path.exists():
        print(f"bench: no {path}: no peaks; build with ./dev build", file=sys.stderr)
        return None
    library = ctypes.CDLL(str(path))
    library.sa_peak_fma.restype = ctypes.c_double
    library.sa_peak_fma.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_double]
    library.sa_peak_copy.restype = ctypes.c_double
    library.sa_peak_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    library.sa_peak_copy.argtypes += [ctypes.c_int, ctypes.c_int, ctypes.c_double]
    return library


def backend() -> str:
    """``generic``, ``avx2``, ``avx512``, ``avx512_bf16``, ``amx`` or ``neon``, as ``softascend info`` says."""
    program = shutil.which("softascend")
    text = subprocess.run([program, "info"], capture_output=True, text=True).stdout if program else ""
    found = re.search(r"^instructions (\w+)", text, re.MULTILINE)
    return found[1] if found else os.environ.get("SOFTASCEND_CPU", "unknown")


@functools.cache
def this() -> Machine:
    """The machine of this run."""
    return Machine()


def cpu_model() -> str:
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else os.uname().machine
