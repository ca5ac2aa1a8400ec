"""Unified memory: arrays that host and device both address, without copies between them."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from softascend._library import library_folder

_NO_MEMORY = (207001, 207018, 200000)
_BAD_ARGUMENT = (100000, 107000)


@functools.cache
def _runtime() -> ctypes.CDLL:
    library = ctypes.CDLL(str(library_folder() / "libascendcl.so"))
    library.aclGetRecentErrMsg.restype = ctypes.c_char_p
    _check(library, library.sa_runtime_retain())
    return library


def _check(library: ctypes.CDLL, code: int) -> None:
    if code == 0:
        return
    text = (library.aclGetRecentErrMsg() or b"").decode() or f"AscendCL answered {code}"
    kind = MemoryError if code in _NO_MEMORY else ValueError if code in _BAD_ARGUMENT else RuntimeError
    raise kind(f"{text} ({code})")


class UnifiedMemoryManager:
    """Allocates arrays in unified memory and prefetches them.

    Such an array is a NumPy array and device memory at once: its address may be given to AscendCL, aclnn operators
    and kernels as it is, and `tensor` shows it to TensorFlow. The host may use it whenever no task that does is
    under way. Thread-safe.

    Parameters
    ----------
    device : the NPU whose memory it is; charged to that device's limit.

    Raises
    ------
    RuntimeError
        If there is no such device.
    """

    def __init__(self, device: int = 0) -> None:
        self._acl = _runtime()
        before = self._current()
        _check(self._acl, self._acl.aclrtSetDevice(ctypes.c_int32(device)))
        self._context = self._current()
        if before:
            self._acl.aclrtSetCurrentContext(before)

    def _current(self) -> ctypes.c_void_p:
        context = ctypes.c_void_p()
        if self._acl.aclrtGetCurrentContext(ctypes.byref(context)):
            self._acl.aclGetRecentErrMsg()  # having none is no failure
            return ctypes.c_void_p()
        return context

    @contextlib.contextmanager
    def _on_device(self) -> Iterator[None]:
        """The thread's own context comes back afterwards."""
        before = self._current()
        _check(self._acl, self._acl.aclrtSetCurrentContext(self._context))
        try:
            yield
        finally:
            if before:
                self._acl.aclrtSetCurrentContext(before)

    def allocate_shared(self, shape: int | tuple[int, ...], dtype: Any = "float32") -> np.ndarray:
        """A new array, uninitialised as `numpy.empty`'s and aligned to 512 bytes.

        It is freed when nothing refers to it, a view of it or a tensor on it any more.

        Parameters
        ----------
        shape : of the array.
        dtype : whatever NumPy takes for one, or a `tf.DType`.

        Raises
        ------
        MemoryError
            If the device has no more.
        """
        dtype = np.dtype(getattr(dtype, "as_numpy_dtype", dtype))
        if dtype.hasobject:
            raise ValueError(f"allocate_shared: dtype {dtype} holds Python objects, which a device cannot")
        shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        if any(n < 0 for n in shape):
            raise ValueError(f"allocate_shared: shape {shape} has a negative dimension")
        size = dtype.itemsize
        for n in shape:
            size *= int(n)
        pointer = ctypes.c_void_p()
        if size >= 1 << 63:
            raise MemoryError(f"allocate_shared: shape {shape} of {dtype} takes {size} bytes")
        with self._on_device():
            code = self._acl.sa_unified_allocate_shared(ctypes.byref(pointer), ctypes.c_size_t(size or 1))
            _check(self._acl, code)
        memory = (ctypes.c_char * (size or 1)).from_address(pointer.value)
        weakref.finalize(memory, self._acl.sa_unified_free, pointer)
        return np.ndarray(shape, dtype, buffer=memory)

    def prefetch_to_device(self, array: np.ndarray, stream: int | None = None) -> None:
        """Commits the array's pages and brings it into the caches that the cores read through.

        Parameters
        ----------
        array : a shared array, or a contiguous view of one.
        stream : an aclrtStream; the prefetch is a task in its order. None: returns when it is done.

        Raises
        ------
        ValueError
            If the array is not contiguous, or not in unified memory.
        """
        self._prefetch(self._acl.sa_unified_prefetch_to_device, "prefetch_to_device", array, stream)

    def prefetch_to_host(self, array: np.ndarray, stream: int | None = None) -> None:
        """The same on the way back; when it is over, so is what came before it in the stream."""
        self._prefetch(self._acl.sa_unified_prefetch_to_host, "prefetch_to_host", array, stream)

    def _prefetch(self, call: Any, what: str, array: np.ndarray, stream: int | None) -> None:
        if not isinstance(array, np.ndarray) or not array.flags.c_contiguous:
            raise ValueError(f"{what}: needs a contiguous NumPy array, got {type(array).__name__}")
        if not array.nbytes:
            return
        with self._on_device():
            _check(
                self._acl,
                call(ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), ctypes.c_void_p(stream)),
            )
            if stream is None:
                _check(self._acl, self._acl.aclrtSynchronizeStream(None))

    def is_shared(self, array: np.ndarray) -> bool:
        """Whether the array begins in unified memory, of whichever device."""
        shared = ctypes.c_bool()
        pointer = ctypes.c_void_p(array.ctypes.data)
        _check(self._acl, self._acl.sa_unified_query(pointer, ctypes.byref(shared), None))
        return shared.value

    def tensor(self, array: np.ndarray):
        """A TensorFlow tensor that is the array's memory, not a copy.

        It lives on ``/CPU:0``, where TensorFlow lets a tensor be foreign memory; the ``Ascend*`` operators placed
        there compute on the NPU straight from it. Change the array only when no operator reads the tensor.
        """
        import tensorflow as tf

        if not self.is_shared(array) or not array.flags.c_contiguous:
            raise ValueError("tensor: needs a contiguous array from allocate_shared")
        bits = array if array.dtype.kind in "fiub" else array.view(f"u{array.dtype.itemsize}")
        made = tf.experimental.dlpack.from_dlpack(bits.__dlpack__())
        with tf.device("/CPU:0"):
            return made if bits is array else tf.bitcast(made, tf.as_dtype(array.dtype))
