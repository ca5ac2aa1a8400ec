"""Operators of an op project's library (``ascc --op-project``) as functions on tensors."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import re
import struct

import numpy as np
import tensorflow as tf

from softascend._library import library_folder, load_ops

_REQUIRED, _OPTIONAL, _DYNAMIC = range(3)
_BOOL, _INT, _FLOAT, _STRING, _LIST_BOOL, _LIST_INT, _LIST_FLOAT = range(7)

# aclDataType
_DTYPES = {
    0: tf.float32,
    1: tf.float16,
    2: tf.int8,
    3: tf.int32,
    4: tf.uint8,
    6: tf.int16,
    7: tf.uint16,
    8: tf.uint32,
    9: tf.int64,
    10: tf.uint64,
    11: tf.float64,
    12: tf.bool,
    27: tf.bfloat16,
}
_ACL = {dtype: number for number, dtype in _DTYPES.items()}


# ---- softascend/op_project.h


class _Param(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int),
        ("value_depend", ctypes.c_bool),
        ("zeroed", ctypes.c_bool),
        ("dtypes", ctypes.POINTER(ctypes.c_int)),
        ("formats", ctypes.POINTER(ctypes.c_int)),
        ("same_input", ctypes.c_int),
    ]


class _Attr(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("required", ctypes.c_bool),
        ("boolean", ctypes.c_bool),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_float),
        ("string", ctypes.c_char_p),
        ("list", ctypes.c_void_p),
    ]


class _Op(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_char_p),
        ("file", ctypes.c_char_p),
        ("line", ctypes.c_int),
        ("fault", ctypes.c_char_p),
        ("input_count", ctypes.c_size_t),
        ("output_count", ctypes.c_size_t),
        ("attr_count", ctypes.c_size_t),
        ("combination_count", ctypes.c_size_t),
        ("inputs", ctypes.POINTER(_Param)),
        ("outputs", ctypes.POINTER(_Param)),
        ("attrs", ctypes.POINTER(_Attr)),
    ]


class _Arg(ctypes.Union):
    _fields_ = [
        ("pointer", ctypes.c_void_p),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
        ("boolean", ctypes.c_bool),
    ]


class _Shape(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_size_t), ("dims", ctypes.c_int64 * 25)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("origin", _Shape),
        ("storage", _Shape),
        ("dtype", ctypes.c_int32),
        ("format", ctypes.c_int32),
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
    ]


class _Library(ctypes.Structure):
    _fields_ = [
        ("count", ctypes.c_size_t),
        ("ops", ctypes.POINTER(ctypes.POINTER(_Op))),
        ("plan", ctypes.c_void_p),
        ("run", ctypes.c_void_p),
        ("infer", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)),
    ]


@functools.lru_cache(maxsize=None)
def _base() -> ctypes.CDLL:
    """libnnopbase: tensors that only describe, for inference."""
    base = ctypes.CDLL(str(library_folder() / "libnnopbase.so"))
    for kind in ("Tensor", "TensorList", "IntArray", "FloatArray", "BoolArray"):
        getattr(base, f"aclCreate{kind}").restype = ctypes.c_void_p
        getattr(base, f"aclDestroy{kind}").argtypes = [ctypes.c_void_p]
    base.aclGetRecentErrMsg.restype = ctypes.c_char_p
    return base


# ---- values, as the op AscendOperator has them (src/tensorflow/opdefs.cc)


def _words(kind: int, value) -> bytes:
    if kind == _BOOL or kind == _INT:
        return struct.pack("q", int(value))
    if kind == _FLOAT:
        return struct.pack("d", float(value))
    if value is None:
        return struct.pack("q", -1)
    if kind == _STRING:
        text = value.encode()
        return struct.pack("q", len(text)) + text + bytes(8 - len(text) % 8)
    form = "d" if kind == _LIST_FLOAT else "q"
    values = [float(v) if form == "d" else int(v) for v in value]
    return struct.pack(f"q{len(values)}{form}", len(values), *values)


class Operator:
    """An operator of a library: call it with its inputs by position, attributes and inputs by name.

    Inputs are tensors; one that is optional may be None, a dynamic one is a list of tensors, one whose
    values the host needs is a sequence of Python numbers. Attributes have the defaults of the OpDef.
    The result is a tensor, or a tuple where there are several outputs. A wrong call raises TypeError
    before anything runs, what the operator itself refuses tf.errors.InvalidArgumentError.
    """

    def __init__(self, path: str, library: _Library, op: _Op) -> None:
        self._path, self._library, self._op = path, library, op
        self.name = op.name.decode()
        self.inputs = [op.inputs[i].name.decode() for i in range(op.input_count)]
        self.attributes = {op.attrs[i].name.decode(): i for i in range(op.attr_count)}
        self.outputs = [op.outputs[i].name.decode() for i in range(op.output_count)]
        self.__doc__ = f"{self.name}({', '.join([*self.inputs, *self.attributes])}) of {path}"

    def __repr__(self) -> str:
        return f"<operator {self.__doc__}>"

    def _refuse(self, text: str):
        raise TypeError(f"{self.name}: {text}")

    def _arguments(self, args: tuple, named: dict) -> tuple[list, list]:
        """Inputs and attributes, each in the operator's order."""
        if len(args) > len(self.inputs):
            self._refuse(f"takes {len(self.inputs)} inputs, got {len(args)}; attributes go by name")
        inputs = dict(zip(self.inputs, args))
        attributes = {}
        for name, value in named.items():
            if name in self.attributes:
                attributes[name] = value
            elif name in inputs or name not in self.inputs:
                has = ", ".join([*self.inputs, *self.attributes])
                self._refuse(f"got {name} twice" if name in inputs else f"has no {name}; it has {has}")
            else:
                inputs[name] = value
        values = []
        for name, i in self.attributes.items():
            attr = self._op.attrs[i]
            if name not in attributes and attr.required:
                self._refuse(f"the attribute {name} is required")
            default = {_BOOL: attr.boolean, _INT: attr.integer, _FLOAT: attr.real}.get(attr.type)
            values.append(attributes.get(name, default))
        return [inputs.get(name) for name in self.inputs], values

    def __call__(self, *args, name=None, **named):
        inputs, attributes = self._arguments(args, named)
        tensors, counts, words = [], [], b""
        for i, value in enumerate(inputs):
            param = self._op.inputs[i]
            given = self._input(param, value)
            if param.value_depend:
                words += _words(self._values_kind(param), given)
                counts.append(0)
            else:
                counts.append(len(given))
                tensors += given
            inputs[i] = given
        for i, value in enumerate(attributes):
            try:
                words += _words(self._op.attrs[i].type, value)
            except (TypeError, ValueError, AttributeError, struct.error) as e:
                self._refuse(f"the attribute {self._op.attrs[i].name.decode()} is {value!r}: {e}")
        dtypes, shapes = self._infer(inputs, attributes)
        results = load_ops().ascend_operator(
            inputs=tensors,
            library=self._path,
            operator=self.name,
            counts=counts,
            values=words,
            Tout=dtypes,
            name=name or self.name,
        )
        for result, shape in zip(results, shapes):
            if shape is not None and not tf.executing_eagerly():
                result.set_shape(shape)
        return results[0] if len(results) == 1 else tuple(results)

    @staticmethod
    def _values_kind(param: _Param) -> int:
        return {0: _LIST_FLOAT, 12: _LIST_BOOL}.get(param.dtypes[0], _LIST_INT)

    def _input(self, param: _Param, value):
        """A list of tensors, or of numbers where the host needs them."""
        name = param.name.decode()
        if value is None:
            if param.kind == _REQUIRED:
                self._refuse(f"the input {name} is missing")
            return None if param.value_depend else []
        if param.value_depend:
            return np.asarray(value).reshape(-1).tolist()
        if param.kind == _DYNAMIC:
            if not isinstance(value, (list, tuple)):
                self._refuse(f"the input {name} is a list of tensors")
            return [self._tensor(param, one) for one in value]
        return [self._tensor(param, value)]

    def _tensor(self, param: _Param, value) -> tf.Tensor:
        if tf.is_tensor(value) or isinstance(value, (tf.Variable, np.ndarray, np.generic)):
            return tf.convert_to_tensor(value)
        return tf.convert_to_tensor(value, dtype=_DTYPES.get(param.dtypes[0]))

    def _infer(self, inputs: list, attributes: list) -> tuple[list, list]:
        """Dtypes of the outputs, and their shapes, None for those that are not known yet."""
        base, known, keep = _base(), True, []

        def tensor(t):
            nonlocal known
            if t.dtype not in _ACL:
                self._refuse(f"{t.dtype.name} is no dtype of the NPU")
            static = t.shape.rank is not None and None not in t.shape.as_list()
            known &= static
            dims = t.shape.as_list() if static else [1] * (t.shape.rank or 1)
            array = (ctypes.c_int64 * len(dims))(*dims)
            made = base.aclCreateTensor(
                array, ctypes.c_uint64(len(dims)), _ACL[t.dtype], None, ctypes.c_int64(0), 2, array,
                ctypes.c_uint64(len(dims)), None,
            )  # fmt: skip
            if not made:
                raise ValueError(f"{self.name}: {base.aclGetRecentErrMsg().decode()}")
            return made

        def held(kind, made):
            keep.append((kind, made))
            return made

        def array(kind, values):
            if values is None:
                return None
            acl, of = {
                _LIST_INT: ("IntArray", ctypes.c_int64),
                _LIST_FLOAT: ("FloatArray", ctypes.c_float),
                _LIST_BOOL: ("BoolArray", ctypes.c_bool),
            }[kind]
            count = len(values)
            return held(
                acl, getattr(base, f"aclCreate{acl}")((of * count)(*values), ctypes.c_uint64(count))
            )

        op = self._op
        args = (_Arg * (op.input_count + op.attr_count + op.output_count))()
        try:
            for i, value in enumerate(inputs):
                param = op.inputs[i]
                if param.value_depend:
                    args[i].pointer = array(self._values_kind(param), value)
                elif param.kind == _DYNAMIC:
                    made = (ctypes.c_void_p * len(value))(*[tensor(t) for t in value])
                    args[i].pointer = held(
                        "TensorList", base.aclCreateTensorList(made, ctypes.c_uint64(len(value)))
                    )
                elif value:
                    args[i].pointer = held("Tensor", tensor(value[0]))
            texts = []
            for n, value in enumerate(attributes):
                arg, kind = args[op.input_count + n], op.attrs[n].type
                if kind == _BOOL:
                    arg.boolean = bool(value)
                elif kind == _INT:
                    arg.integer = int(value)
                elif kind == _FLOAT:
                    arg.real = float(value)
                elif kind == _STRING:
                    texts.append(ctypes.create_string_buffer(value.encode()) if value else None)
                    arg.pointer = ctypes.addressof(texts[-1]) if value else None
                else:
                    arg.pointer = array(kind, value)
            outputs = (_Tensor * op.output_count)()
            if self._library.infer(ctypes.addressof(op), args, outputs):
                raise tf.errors.InvalidArgumentError(None, None, base.aclGetRecentErrMsg().decode())
        finally:
            for kind, made in keep:
                getattr(base, f"aclDestroy{kind}")(made)
        shapes = [list(o.origin.dims[: o.origin.rank]) if known else None for o in outputs]
        return [_DTYPES[o.dtype] for o in outputs], shapes


def _snake(name: str) -> str:
    """AddCustom -> add_custom, as ascc names headers and kernels."""
    return re.sub(r"(?<=[^A-Z_])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


class OpLibrary:
    """The operators of a library, as attributes by their kernels' names: ``library.add_custom``."""

    def __init__(self, path: str) -> None:
        self.path = path
        loaded = ctypes.CDLL(path)
        if not hasattr(loaded, "softascend_op_library"):
            raise ValueError(f"{path} is no library that ascc --op-project made")
        loaded.softascend_op_library.restype = ctypes.POINTER(_Library)
        library = loaded.softascend_op_library().contents
        self.operators = {}
        for i in range(library.count):
            op = Operator(path, library, library.ops[i].contents)
            self.operators[op.name] = op
            setattr(self, _snake(op.name), op)

    def __getattr__(self, name: str):
        names = ", ".join(_snake(n) for n in self.__dict__.get("operators", {}))
        raise AttributeError(f"{self.path} has no operator {name}; it has {names}")

    def __repr__(self) -> str:
        return f"<operators {', '.join(self.operators)} of {self.path}>"


def load_op_library(path: str | os.PathLike) -> OpLibrary:
    """Loads what ``ascc --op-project=DIR -o path`` or CMake made of an operator project.

    Parameters
    ----------
    path : str or path
        The library, or the folder that ``-o`` named if there is one library in it.

    Returns
    -------
    OpLibrary
        Its operators are functions on tensors that run on ``/NPU:0``, eagerly and in graphs.

    Raises
    ------
    FileNotFoundError
        If there is no library, or there are several.
    """
    place = pathlib.Path(path)
    if place.is_dir():
        found = sorted(place.glob("op_api/lib/*.so")) or sorted(place.glob("*.so"))
        if len(found) != 1:
            names = ", ".join(str(f) for f in found) or "none"
            raise FileNotFoundError(f"{place} has not one library of operators: {names}")
        place = found[0]
    if not place.exists():
        raise FileNotFoundError(f"{place} does not exist")
    return OpLibrary(str(place.resolve()))
