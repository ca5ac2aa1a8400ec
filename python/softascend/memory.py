"""How much memory a call takes: the process's, with its true peak, and the device's besides."""

from __future__ import annotations

import pathlib
import threading
from collections.abc import Callable
from typing import Any

_MIB = 1 << 20
_SELF = pathlib.Path("/proc/self")
_SAMPLE_SECONDS = 0.001


def monitor_memory_usage(func: Callable[..., Any], *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Calls ``func(*args, **kwargs)`` and says what memory that took.

    Returns
    -------
    dict with

    ``result``
        what `func` returned; it is alive while the memory after is read.
    ``memory_before_mb``, ``memory_after_mb``, ``memory_peak_mb``, ``memory_increase_mb``
        resident memory of this process in MiB: before, after, the most meanwhile, after less before. The software NPU's
        memory is this process's too, and counts.
    ``peak_source``
        ``"kernel"`` if the peak is the kernel's own (VmHWM, set back before the call), ``"sampled"`` if it was
        read every millisecond because the system does not let the process set that back: it may then miss a
        short peak.
    ``device_before_mb``, ``device_after_mb``, ``device_peak_mb``, ``device_increase_mb``
        MiB that TensorFlow's tensors take on ``NPU:0``; None without that device. Its statistics of the peak are set
        back by the call.

    An exception of `func` passes through.
    """
    device_before = _device_bytes(reset=True)
    before = _status_bytes("VmRSS")
    watch = _Kernel() if _reset_peak() else _Sampled()
    with watch:
        result = func(*args, **kwargs)
    after = _status_bytes("VmRSS")
    used = {"before": before, "after": after, "peak": max(watch.peak(), before, after), "increase": after - before}
    device_after = _device_bytes()
    device: dict[str, int | None] = dict.fromkeys(used)
    if device_before and device_after:
        now, then = device_after["current"], device_before["current"]
        device = {"before": then, "after": now, "peak": device_after["peak"], "increase": now - then}
    return (
        {"result": result}
        | {f"memory_{key}_mb": value / _MIB for key, value in used.items()}
        | {"peak_source": watch.source}
        | {f"device_{key}_mb": None if value is None else value / _MIB for key, value in device.items()}
    )


def _status_bytes(name: str) -> int:
    for line in (_SELF / "status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) << 10
    return 0


def _reset_peak() -> bool:
    try:
        (_SELF / "clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _device_bytes(reset: bool = False) -> dict[str, int] | None:
    """TensorFlow's statistics of NPU:0, ``current`` and ``peak``."""
    import tensorflow as tf

    if not tf.config.list_logical_devices("NPU"):
        return None
    if reset:
        tf.config.experimental.reset_memory_stats("NPU:0")
    return tf.config.experimental.get_memory_info("NPU:0")


class _Kernel:
    """The kernel keeps the peak."""

    source = "kernel"

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass

    def peak(self) -> int:
        return _status_bytes("VmHWM")


class _Sampled:
    """A thread reads the resident memory again and again."""

    source = "sampled"

    def __init__(self) -> None:
        self._most = 0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._read, name="memory-monitor", daemon=True)

    def _read(self) -> None:
        while True:
            self._most = max(self._most, _status_bytes("VmRSS"))
            if self._end.wait(_SAMPLE_SECONDS):
                return

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def peak(self) -> int:
        return self._most
