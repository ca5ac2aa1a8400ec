"""Turns what Python has into the bytes of a kernel's parameters, and functions of named arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import tensorflow as tf

from softascend.ascendc.library import Parameter

_NUMPY = {"b": "?", "f": "f", "i": "i", "u": "u"}
_CLASSES = {"half": tf.float16, "bfloat16_t": tf.bfloat16}


def value_bytes(value: object, parameter: Parameter, op: str) -> bytes:
    """A value as the kernel reads it. Raises TypeError or ValueError with op, parameter and value."""
    said = f"{op}: {parameter.name} is a {parameter.type}"
    if parameter.kind == "p" or (parameter.kind == "s" and parameter.type.split("::")[-1] not in _CLASSES):
        try:
            data = value.tobytes() if isinstance(value, (np.ndarray, np.generic)) else bytes(memoryview(value))
        except (TypeError, BufferError):
            raise TypeError(
                f"{said}, given as bytes (struct.pack, a ctypes.Structure, a NumPy array), got {value!r}"
            ) from None
        if parameter.kind == "s" and len(data) != parameter.bytes:
            raise ValueError(f"{said} of {parameter.bytes} bytes, got {len(data)}")
        return data
    if isinstance(value, (tf.Tensor, tf.Variable, np.ndarray)):
        value = np.asarray(value)
        if value.ndim:
            raise ValueError(f"{said}, one number, got an array of shape {list(value.shape)}")
        value = value.item()
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"{said}, got {value!r}")
    if parameter.kind == "s":
        return np.asarray(value).astype(_CLASSES[parameter.type.split("::")[-1]].as_numpy_dtype).tobytes()
    kind = np.dtype(f"{_NUMPY[parameter.kind]}{parameter.bytes}" if parameter.kind != "b" else "?")
    if kind.kind in "iu":
        if not float(value).is_integer():
            raise TypeError(f"{said}, got {value!r}")
        info = np.iinfo(kind)
        if not info.min <= value <= info.max:
            raise ValueError(f"{said}, {info.min} to {info.max}, got {value}")
        value = int(value)
    return np.asarray(value).astype(kind).tobytes()


def words(data: bytes) -> list[int]:
    """Bytes of a plan: their number, then the bytes to whole words."""
    return [len(data), *np.frombuffer(data + bytes(-len(data) % 8), np.int64).tolist()]


class Named:
    """A function that is called with those of the named things that its parameters ask for."""

    def __init__(self, function: Callable, known: Iterable[str], what: str):
        try:
            self.names = tuple(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            raise TypeError(f"{what} is no function whose parameters can be read: {function!r}") from None
        known = list(known)
        for name in self.names:
            if name not in known:
                raise TypeError(f"{what} takes {name!r}, which is none of {', '.join(known)}")
        self.function = function

    def __call__(self, things: Mapping[str, object]):
        return self.function(*(things[name] for name in self.names))
