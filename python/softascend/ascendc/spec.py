"""What a kernel's tensors may be: dtypes and shapes, written as ``"float32|float16[m, k]"``."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping

import tensorflow as tf

# Names of dtypes in Ascend C: what DTYPE_X stands for when a kernel is compiled.
CTYPES = {
    "float32": "float", "float16": "half", "bfloat16": "bfloat16_t", "int8": "int8_t", "uint8": "uint8_t",
    "int16": "int16_t", "uint16": "uint16_t", "int32": "int32_t", "uint32": "uint32_t", "int64": "int64_t",
    "uint64": "uint64_t", "float64": "double", "bool": "bool",
}  # fmt: skip
Shape = tuple[int | None, ...]


@dataclasses.dataclass(frozen=True)
class Operand:
    """A tensor's shape and dtype: what functions given to `load_ascendc` get of each tensor.

    Attributes
    ----------
    shape : tuple of int
    dtype : str
        For example ``"float16"``.
    """

    shape: tuple[int, ...]
    dtype: str

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return tf.as_dtype(self.dtype).size

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize


def shape_text(shape: Shape | None) -> str:
    """``[2, ?]``"""
    return "of unknown rank" if shape is None else "[" + ", ".join("?" if d is None else str(d) for d in shape) + "]"


@dataclasses.dataclass(frozen=True)
class Spec:
    """A parsed text.

    Attributes
    ----------
    text
        As it was written.
    dtypes
        The dtypes allowed; empty: not said. For an output it may be the name of an input.
    dims
        Names and sizes, ``...`` at most once; None: any shape.
    make
        For an output: the function that gives its shape.
    """

    text: str
    dtypes: tuple[str, ...]
    dims: tuple[str | int, ...] | None
    make: Callable | None = None

    @staticmethod
    def parse(text: str, what: str) -> Spec:
        """Raises ValueError, with `what` the text belongs to."""
        form = re.fullmatch(r"\s*([\w|\s]*?)\s*(?:\[([^\]]*)\])?\s*", text) if isinstance(text, str) else None
        if not form:
            raise ValueError(f'{what}: {text!r} is not written like "float32|float16[m, k]"')
        dtypes = tuple(d.strip() for d in form[1].split("|") if d.strip())
        if form[2] is None:
            return Spec(text, dtypes, None)
        dims: list[str | int] = []
        for word in filter(None, (d.strip() for d in form[2].split(","))):
            if word.isdecimal():
                dims.append(int(word))
            elif word == "..." and "..." not in dims or word.isidentifier():
                dims.append(word)
            else:
                raise ValueError(f"{what}: {text!r}: {word!r} is no dimension: a name, a size, or one `...`")
        return Spec(text, dtypes, tuple(dims))

    def check_dtypes(self, what: str) -> None:
        """Raises ValueError for one that kernels do not have."""
        for dtype in self.dtypes:
            if dtype not in CTYPES:
                raise ValueError(f"{what}: {dtype!r} is no dtype of a kernel; there are {', '.join(CTYPES)}")

    def match(self, shape: Shape | None, dims: dict[str, int | Shape | None], op: str, name: str) -> None:
        """Checks a shape and adds what it says about named dimensions to `dims`; ValueError says what differs."""
        if self.dims is None or shape is None:
            return
        wanted, at = self.dims, self.dims.index("...") if "..." in self.dims else None
        if len(shape) != len(wanted) if at is None else len(shape) < len(wanted) - 1:
            least = "" if at is None else "at least "
            raise ValueError(
                f"{op}: {name} must have rank {least}{len(wanted) - (at is not None)}, as {self.text!r}, "
                f"got rank {len(shape)}, shape {shape_text(shape)}"
            )
        pairs = list(zip(wanted, shape))
        if at is not None:
            after = len(wanted) - at - 1
            pairs = [*zip(wanted[:at], shape), ("...", shape[at : len(shape) - after])]
            pairs += zip(wanted[at + 1 :], shape[len(shape) - after :])
        for wanted_dim, got in pairs:
            known = dims.get(wanted_dim) if isinstance(wanted_dim, str) else wanted_dim
            if wanted_dim == "..." and known is not None:
                got = _merge(known, got, op, name)
            elif known is not None and got is not None and known != got:
                which = f"dimension {wanted_dim} is {known} elsewhere" if isinstance(wanted_dim, str) else "it is fixed"
                raise ValueError(f"{op}: {name} must be {self.text!r}, got shape {shape_text(shape)}: {which}")
            if isinstance(wanted_dim, str) and got is not None:
                dims[wanted_dim] = got

    def shape(self, dims: Mapping[str, int | Shape | None]) -> Shape | None:
        """The shape that named dimensions give; None: not known."""
        result: list[int | None] = []
        for dim in self.dims or ():
            if dim == "...":
                if dims.get(dim) is None:
                    return None
                result += dims[dim]
            else:
                result.append(dims.get(dim) if isinstance(dim, str) else dim)
        return tuple(result)

    def names(self) -> set[str]:
        """The dimensions it names."""
        return {d for d in self.dims or () if isinstance(d, str)}


def _merge(known: Shape, got: Shape, op: str, name: str) -> Shape:
    if len(known) != len(got) or any(a is not None and b is not None and a != b for a, b in zip(known, got)):
        raise ValueError(
            f"{op}: {name} must have the `...` of the tensors before it, {shape_text(known)}, got {shape_text(got)}"
        )
    return tuple(b if a is None else a for a, b in zip(known, got))
