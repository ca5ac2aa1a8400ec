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


class Machine:
    """What a run is on. The backend is the one that SoftAscend chose, or that SOFTASCEND_CPU names."""

    def __init__(self, threads: int = THREADS) -> None:
        self.threads = threads
        self.backend = backend()
        self._library = _load()

    def tensorflow(self) -> str:
        import tensorflow as tf

        return f"TensorFlow {tf.__version__} CPU, {self.threads} threads"

    def kind(self, dtype: str) -> str:
        """Which multiply-add the backend has for products of the dtype; float16 is widened to float32."""
        if dtype != "bf16" or self.backend not in ("amx", "avx512"):
            return "f32"
        if self.backend == "amx":
            return "amx"
        return "bf16" if self.fma_rate("bf16", 1e-4) else "f32"

    def fma_peak(self, dtype: str) -> float:
        """GFLOP/s of independent multiply-adds of that dtype on all threads; some milliseconds. 0 if not known."""
        return self.fma_rate(self.kind(dtype), 2e-3)

    def fma_rate(self, kind: str, seconds: float) -> float:
        if not self._library:
            return 0.0
        wide = int(self.backend in ("amx", "avx512"))
        return 1e-9 * self._library.sa_peak_fma(KINDS[kind], wide, self.threads, seconds)

    def copy(self, destination: int, source: int, size: int, streaming: bool) -> None:
        """Copies `size` bytes between addresses on all threads, with streaming stores or common ones."""
        if self._library.sa_peak_copy(destination, source, size, self.threads, int(streaming)):
            raise RuntimeError("bench: no threads for the copy")

    def heading(self) -> str:
        parts = [cpu_model(), f"load {os.getloadavg()[0]:.1f}"]
        if peak := self.fma_rate("f32", 0.02):
            parts.insert(1, f"peak {peak:.0f} GFLOP/s float32")
            kind = self.kind("bf16")
            if kind != "f32":
                name = "AMX" if kind == "amx" else "dot"
                parts.insert(2, f"{self.fma_rate(kind, 0.02):.0f} bfloat16 ({name})")
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
    library.sa_peak_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int]
    return library


def backend() -> str:
    """``generic``, ``avx2``, ``avx512``, ``amx`` or ``neon``, as ``softascend info`` says."""
    program = shutil.which("softascend")
    text = subprocess.run([program, "info"], capture_output=True, text=True).stdout if program else ""
    found = re.search(r"^instructions (\w+)", text, re.MULTILINE)
    return found[1] if found else os.environ.get("SOFTASCEND_CPU", "unknown")


@functools.cache
def cpu_model() -> str:
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else os.uname().machine
